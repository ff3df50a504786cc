// SPDX-License-Identifier: Apache-2.0
/* Smoke that crosses borders: of tiles, of those that are active, of a box round periodic sides. */
#include "physics/physics.h"

/* Smoke that crosses tiles: a smooth cloud carried by a uniform wind stays as smooth across tile borders as within. */
Test(seams, of_tiles_do_not_show)
{
    struct test_run r = run(
        "billow: 1\n"
        "domain: {cells: [64, 48, 48], voxel: 1, origin: [0, 0, 0], sides: {rest: periodic}}\n"
        "time: {fps: 10, frames: 1-11, dt: 0.1}\n"
        "stages:\n"
        "  - set: {id: flow, field: vel, keep: true, value: [13.7, 6.1, 4.3]}\n"
        "  - set: {id: smoke, field: density, value: \"(1+sin(2*pi*x/64))*(1+sin(2*pi*y/48))*(1+sin(2*pi*z/48))\"}\n"
        "  - mac.advect: {}\n"
        "  - mac.project: {}\n");
    struct grid g = grid_of(&r, "density", 0);
    double worst = 0;
    for (int k = 0; k < 48; k++)
        for (int j = 0; j < 48; j++)
            for (int i = 0; i < 64; i++) {
                double want = (1 + sin(2 * PI * (i + .5 - 13.7) / 64)) * (1 + sin(2 * PI * (j + .5 - 6.1) / 48)) *
                              (1 + sin(2 * PI * (k + .5 - 4.3) / 48));
                worst = fmax(worst, fabs(at(&g, i, j, k) - want));
            }
    cr_assert_leq(worst, .03, "off by %g", worst);
    bw_free(g.v);
    test_end(&r);
}

/* Round a periodic side, in a box that is whole tiles long and in one that is not: a cloud that drifts either way
 * through the seam loses nothing. */
Test(seams, smoke_goes_round_a_periodic_box)
{
    for (int e = 0; e < 12; e += test_short() ? 5 : 1) {
        int axis = e / 4, n[3] = {16, 16, 16};
        double v[3] = {0}, at[3] = {8, 8, 8};
        n[axis] = e & 1 ? 72 : 64;
        v[axis] = e & 2 ? 1.9 : -1.9;
        at[axis] = e & 2 ? n[axis] - 8 : 8;
        struct test_run r =
            run("billow: 1\n"
                "domain: {cells: [%d, %d, %d], voxel: 1, origin: [0, 0, 0], margin: 4, sides: {rest: closed,"
                " %c-: periodic, %c+: periodic}}\n"
                "time: {fps: 1, frames: 1-9, dt: 1, cfl: 2}\n"
                "fields: {vel: {kind: mac, background: [%g, %g, %g]}}\n"
                "stages:\n"
                "  - set: {id: smoke, field: density, value: \"exp(-((x-%g)^2+(y-%g)^2+(z-%g)^2)/6)\",\n"
                "          box: {lo: [%g, %g, %g], hi: [%g, %g, %g]}}\n"
                "  - mac.advect: {}\n"
                "  - stats: {}\n",
                n[0], n[1], n[2], 'x' + axis, 'x' + axis, v[0], v[1], v[2], at[0], at[1], at[2], at[0] - 6, at[1] - 6,
                at[2] - 6, at[0] + 6, at[1] + 6, at[2] + 6);
        double mass = metric(&r, "stats.mass_density"), want = pow(6 * PI, 1.5);
        cr_assert_float_eq(mass, want, .02 * want, "%d cells along %c at %g cells a step: %g of %g is left", n[axis],
                           'x' + axis, v[axis], mass, want);
        cr_assert_leq(bw_chain_tiles(r.chain), 3);
        test_end(&r);
    }
}

/* A periodic box has no place of its own: a cloud that rises through the seams does as one in the middle. */
Test(seams, of_a_periodic_box_do_not_show)
{
    struct test_run r[2];
    for (int i = 0; i < 2; i++) {
        double x = i ? 3.25 : 1.25;
        char box[128];
        snprintf(box, sizeof box, "box: {lo: [%g, %g, %g], hi: [%g, %g, %g]}", x - .6, x - .6, x - .6, x + .6, x + .6,
                 x + .6);
        r[i] =
            run("billow: 1\n"
                "domain: {voxel: 0.0625, cells: [64, 64, 64], origin: [0, 0, 0], margin: 3, sides: {rest: periodic}}\n"
                "time: {fps: 16, frames: 1-%d, dt: 0.0625, cfl: 1}\n"
                "stages:\n"
                "  - set: {id: smoke, field: density, value: \"exp(-16*((x-%g)^2+(y-%g)^2+(z-%g)^2))\", %s}\n"
                "  - set: {id: heat, field: temperature, value: \"100*density\", %s}\n"
                "  - mac.advect: {}\n"
                "  - mac.forces: {gravity: [-24, -28, -32], confinement: 0.2}\n"
                "  - mac.project: {tolerance: 1e-9}\n",
                test_short() ? 4 : 21, x, x, x, box, box);
    }
    cr_assert_eq(bw_chain_tiles(r[0].chain), bw_chain_tiles(r[1].chain));
    struct grid p = grid_of(&r[0], "density", 0), q = grid_of(&r[1], "density", 0);
    double worst = 0, past = 0;
    for (int k = 0; k < 64; k++)
        for (int j = 0; j < 64; j++)
            for (int i = 0; i < 64; i++) {
                double v = at(&q, (i + 32) % 64, (j + 32) % 64, (k + 32) % 64);
                worst = fmax(worst, fabs(at(&p, i, j, k) - v));
                if (i >= 32 || j >= 32 || k >= 32) past += v;
            }
    cr_assert(test_short() || past > 20, "little smoke went through the seams: %g", past);
    cr_assert_leq(worst, 6e-6, "density differs by %g", worst);
    bw_free(p.v);
    bw_free(q.v);
    test_end(&r[0]);
    test_end(&r[1]);
}

/* Smoke in a wind that blows 13 cells a step, with a step that the CFL rule does not choose: the tiles it comes to are
 * active in time. */
Test(seams, fast_smoke_finds_its_tiles)
{
    static const char *const time[] = {"dt: 0.1", "substeps: 1", "cfl: 14"};
    for (int i = 0; i < (test_short() ? 1 : 3); i++) {
        struct test_run r =
            run("billow: 1\n"
                "domain: {cells: [96, 32, 32], voxel: 0.1, origin: [0, 0, 0], sides: {rest: open}}\n"
                "time: {fps: 10, frames: 1-6, %s}\n"
                "fields: {vel: {kind: mac, background: [13, 0, 0]}}\n"
                "stages:\n"
                "  - set: {id: smoke, field: density, value: \"exp(-16*((x-1.1)^2+(y-1.6)^2+(z-1.6)^2))\",\n"
                "          box: {lo: [0.1, 0.6, 0.6], hi: [2.1, 2.6, 2.6]}}\n"
                "  - mac.advect: {}\n"
                "  - stats: {}\n",
                time[i]);
        double mass = metric(&r, "stats.mass_density"), want = pow(PI / 16, 1.5);
        cr_assert_float_eq(mass, want, 1e-3 * want, "%s: %g of %g is left", time[i], mass, want);
        cr_assert_float_eq(metric(&r, "stats.center_density_x"), 1.1 + 5 * 1.3, 1e-4);
        test_end(&r);
    }
}
