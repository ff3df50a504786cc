// SPDX-License-Identifier: Apache-2.0
/* flux, mode euler: gas leaves by open sides. */
#include "physics/physics.h"

/* Dye that is left in the first `part` of the box along `axis` after a puff was blown along it, as a share. */
static double blown(int axis, int back, int dim, int length, const char *gas)
{
    const int n[3] = {axis == 0 ? length : 20, axis == 1 ? length : 20, dim == 2 ? 1 : axis == 2 ? length : 20};
    const char names[] = "xyz";
    char from[32], to[200], *zero = "0", *momentum[3] = {zero, zero, zero};
    // the side that it leaves by is at 1 m, or at -1 m
    snprintf(from, sizeof from, "(%c%+.17g)", names[axis], back ? .6 : -.6);
    snprintf(to, sizeof to, "%g*exp(-(x*x+y*y%s-%c*%c+%s*%s)/.03)", back ? -48. : 48., dim == 2 ? "" : "+z*z",
             names[axis], names[axis], from, from);
    momentum[axis] = to;
    double origin[3] = {-.5, -.5, dim == 2 ? 0 : -.5};
    origin[axis] = back ? -.05 * length : 0;
    struct test_run r =
        run("billow: 1\n"
            "domain: {cells: [%d, %d, %d], voxel: 0.05, origin: [%.17g, %.17g, %.17g], sides: {rest: open}}\n"
            "time: {fps: 250, frames: 1-%d}\n"
            "fields: {dye: {kind: scalar, advect: true}}\n"
            "stages:\n"
            "  - set: {id: m, field: mass, value: 1.2, keep: true, frames: 1-1}\n"
            "  - set: {id: d, field: dye, value: \"%s/%g\", frames: 1-1}\n"
            "  - set: {id: u, field: momentum, value: [\"%s\", \"%s\", \"%s\"], frames: 1-1}\n"
            "  - flux: {gas: %s, sound_speed: 100}\n",
            n[0], n[1], n[2], origin[0], origin[1], origin[2], 13, to, back ? -40. : 40., momentum[0], momentum[1],
            momentum[2], gas);
    struct grid g = grid_of(&r, "dye", 0);
    double sum = 0;
    for (int k = 0; k < g.n[2]; k++)
        for (int j = 0; j < g.n[1]; j++)
            for (int i = 0; i < g.n[0]; i++) {
                const int at[3] = {i, j, k}, q = back ? length - 1 - at[axis] : at[axis];
                sum += q < 20 ? g.v[(size_t)i + (size_t)g.n[0] * ((size_t)j + (size_t)g.n[1] * (size_t)k)] : 0;
            }
    bw_free(g.v);
    test_end(&r);
    return sum * pow(.05, dim) / (1.2 * pow(.03 * PI, .5 * dim));
}

/* A puff blown out of the box is gone as from one twice as long, by each of its sides. Ambient gas at rest
 * beyond the sides keeps .99 of it. */
Test(euler, gas_leaves_by_open_sides)
{
    for (int dim = 2; dim <= 3; dim++) {
        const double wide = blown(0, 0, dim, 40, "ideal"), first = blown(0, 0, dim, 20, "ideal");
        fprintf(stderr, "%dD: %.3f of the dye is left, %.3f in a box twice as long\n", dim, first, wide);
        cr_assert_lt(wide, .9);
        cr_assert_float_eq(first, wide, .12, "%dD: %g for %g", dim, first, wide);
        for (int side = 1; side < 2 * dim; side++) {
            const double left = blown(side / 2, side % 2, dim, 20, "ideal");
            cr_assert_float_eq(left, first, 2e-3, "%dD, side %d: %g for %g", dim, side, left, first);
        }
        cr_assert_lt(blown(0, 0, dim, 20, "isothermal"), wide + .1);
    }
}
