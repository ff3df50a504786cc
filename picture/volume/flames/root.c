// SPDX-License-Identifier: Apache-2.0
/* Where fuel has only begun to burn there is no soot: the yellow of a flame is missing, one sees through it, and what
 * shines is the gas, by CH and C2 that burning makes (chemiluminescence), where fuel meets air. How far a parcel has
 * burnt is fuel/(fuel + flame), whatever air is mixed into it; the light is in proportion to how fast it burns, of
 * which `flame` is the measure, and to f (1 - f), f: fuel, which is none in the fuel's midst. We cheat here: it is
 * thousands of times fainter than soot in life, and film shows it beside that as if it were a tenth. */
#include "root.h"
#include <picture/volume/scene/flame.h>
#include <picture/volume/scene/fast_math.h>

#define EDGE 0.15f  ///< of the fuel that is left, to both sides of `root_fuel`: there soot comes
#define LIGHT 0.06f ///< of what soot of a flame of 1 sends out at the white point
#define MIDST 0.1f  ///< of the light, where there is no air

struct roots {
    const struct bw_volume *v;
    const struct bw_look *look;
    const struct bw_lit *lit;
};

float bw_root_share(const struct bw_volume *v, const struct bw_look *look, size_t cell)
{
    const float fuel = bw_most(v->fuel[cell], 0), flame = v->flame ? bw_most(v->flame[cell], 0) : 1 - bw_least(fuel, 1);
    const float left = fuel / bw_most(fuel + flame, 1e-6f), wide = bw_least(EDGE, (float)look->flames.root_fuel);
    const float t = bw_least(bw_most((left - (float)look->flames.root_fuel + wide) / (2 * wide), 0), 1);
    return t * t * (3 - 2 * t) * bw_least((float)look->flames.root, 1);
}

static void layer_roots(int64_t k, void *user)
{
    const struct roots *s = user;
    const struct bw_dense *b = &s->lit->box;
    const size_t layer = (size_t)b->n[0] * (size_t)b->n[1], first = (size_t)k * layer;
    const float light = LIGHT * s->lit->gain * (float)s->look->flames.root;
    for (size_t i = first; i < first + layer; i++) {
        const float share = bw_root_share(s->v, s->look, i);
        const float f = bw_least(s->v->fuel[i], 1), flame = s->v->flame ? bw_most(s->v->flame[i], 0) : 1 - f;
        s->lit->roots[i] = share > 0 ? light * share * flame * bw_most(4 * f * (1 - f), MIDST) : 0;
    }
}

enum bw_status bw_roots_light(const struct bw_tools *tools, const struct bw_volume *v, const struct bw_look *look,
                              struct bw_lit *lit)
{
    struct roots s = {v, look, lit};
    lit->roots = tools->alloc(tools->ctx, bw_dense_cells(&lit->box) * sizeof *lit->roots);
    if (!lit->roots) return BW_ERR_MEMORY;
    for (int c = 0; c < 3; c++) lit->root_rgb[c] = look->flames.root_colour[c];
    tools->parallel(tools->ctx, lit->box.n[2], layer_roots, &s);
    return BW_OK;
}
