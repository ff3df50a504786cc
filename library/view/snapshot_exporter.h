// SPDX-License-Identifier: Apache-2.0
/* A stand-in bw_exporter for one snapshot of a bake, so that the picture exporters' code runs outside of the writer. */
#ifndef VIEW_SNAPSHOT_EXPORTER_H
#define VIEW_SNAPSHOT_EXPORTER_H

#include "snapshot.h"
#include <billow/exporter.h>

/// Points into itself: it must not be moved.
struct snapshot_exporter {
    struct bw_exporter e;
    struct bw_bake_info bake;
    const struct bw_domain_info *domains[BW_MAX_DOMAINS];
};

/// For the domain called `domain` (NULL: the first that holds fields) of a bake's snapshot. The exporter's failures go
/// to `d`, later ones too. 0 with an error in `d`: there is no such domain.
int snapshot_exporter_init(struct snapshot_exporter *exporter, const struct snapshot *m, const char *domain,
                           struct bw_diag *d);

#endif
