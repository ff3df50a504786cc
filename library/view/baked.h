// SPDX-License-Identifier: Apache-2.0
/* How a bake's own pictures show it: the parameters of one exporter, ours or anybody's. */
#ifndef VIEW_BAKED_H
#define VIEW_BAKED_H

#include "preset/preset.h"
#include "preset/values/params.h"
#include "run/registry/registry.h"
#include <picture/params.h>
#include <stdbool.h>

struct baked {
    struct bw_params *compiled, *own;      ///< by the table of pictures, and by the exporter's; its texts and lists
    struct bw_picture_params *p;           ///< the exporter's, and at their defaults those that it has not
    const struct bw_preset_export *export; ///< NULL: none
    uint32_t flags;                        ///< enum bw_exporter_flags
};

/* What is muted makes nothing, but where nothing else makes pictures it says how they would be. */
/// The first export that makes renders, as it is at `time`; 0: there is none.
int baked_renders(struct baked *v, const struct bw_registry *r, const struct bw_preset *p, double time,
                  struct bw_diag *d);
/// The export that shows slices, a movie before pictures; 0: there is none, or one that renders.
int baked_slices(struct baked *v, const struct bw_registry *r, const struct bw_preset *p, struct bw_diag *d);
/// No exporter's: what parameters are at `time` when no exporter gives any. false with an error in `d`.
bool baked_usual(struct baked *v, const struct bw_preset *p, double time, struct bw_diag *d);
/// The domain that an export shows; the first for NULL.
const struct bw_domain_info *baked_domain(const struct bw_preset *p, const struct bw_preset_export *e);
void baked_free(struct baked *v);

#endif
