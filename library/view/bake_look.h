// SPDX-License-Identifier: Apache-2.0
/* The look of a bake's own pictures: the picture parameters of one of its exporters, built in or third-party. */
#ifndef VIEW_BAKE_LOOK_H
#define VIEW_BAKE_LOOK_H

#include "preset/preset.h"
#include "preset/values/params.h"
#include "run/registry/registry.h"
#include <picture/params.h>
#include <stdbool.h>

struct bake_look {
    struct bw_params *compiled, *own;      ///< by the table of pictures, and by the exporter's; own texts and lists
    struct bw_picture_params *p;           ///< the exporter's values; defaults where the exporter has no such key
    const struct bw_preset_export *export; ///< NULL: none
    uint32_t flags;                        ///< enum bw_exporter_flags
};

/* Muted exporters count only where no other exporter makes pictures. */
/// The first exporter that renders, with its values at `time`; 0: there is none.
int bake_look_renders(struct bake_look *v, const struct bw_registry *r, const struct bw_preset *p, double time,
                      struct bw_diag *d);
/// The exporter of slices, a movie before pictures; 0: there is none, or one of them renders.
int bake_look_slices(struct bake_look *v, const struct bw_registry *r, const struct bw_preset *p, struct bw_diag *d);
/// The default look of a preset without such an exporter, at `time`. false with an error in `d`.
bool bake_look_default(struct bake_look *v, const struct bw_preset *p, double time, struct bw_diag *d);
/// The domain that an export shows; the first for NULL.
const struct bw_domain_info *bake_look_domain(const struct bw_preset *p, const struct bw_preset_export *e);
void bake_look_free(struct bake_look *v);

#endif
