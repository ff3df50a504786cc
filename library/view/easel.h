// SPDX-License-Identifier: Apache-2.0
/* Stands in for the host of an exporter of pictures, outside of the writer's thread: for one snapshot of a bake. */
#ifndef VIEW_EASEL_H
#define VIEW_EASEL_H

#include "snapshot.h"
#include <billow/exporter.h>

/// Points into itself: it stays where it was set.
struct easel {
    struct bw_exporter e;
    struct bw_bake_info bake;
    const struct bw_domain_info *domains[BW_MAX_DOMAINS];
};

/// For the domain called `domain` (NULL: the first that holds fields) of a moment of a bake; what goes wrong is said to
/// `d`, then too. 0 with an error in `d`: there is no such domain.
int easel_set(struct easel *easel, const struct snapshot *m, const char *domain, struct bw_diag *d);

#endif
