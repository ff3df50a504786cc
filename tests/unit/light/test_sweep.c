// SPDX-License-Identifier: Apache-2.0
/* A lamp's light through cells, plane by plane: what slabs dim, the lit skin of dense ones, edges of shadows. */
#include "cube.h"
#include <picture/volume/scattering/directional_light.h>

#include <criterion/criterion.h>

/* Below a slab 12 cells thick light is exp(-s d/cos) of what it was, whatever the slope and density. */
Test(sweep, a_slab_dims_what_lies_behind_it)
{
    static const double towards[][3] = {{0, 0, 1}, {0.4, 0, 0.9}, {-0.3, 0.4, 0.8}, {0.5, -0.5, 0.72}};
    for (size_t q = 0; q < sizeof towards / sizeof *towards; q++)
        for (double depth = 0.25; depth <= 4; depth *= 2) {
            double to[3], size = length(towards[q]);
            for (int a = 0; a < 3; a++) to[a] = towards[q][a] / size;
            float *s = slab_make(26, 38, (float)(depth * N / 12)), *share = cells_make();
            cr_assert_eq(bw_directional_transmittance(&tools, &unit_box, s,
                                                      &(struct bw_light_beam){{to[0], to[1], to[2]}, 0.03f, 1}, share),
                         BW_OK);
            /* the sides let light in: only where its way back to the slab stays in the box */
            double got = (double)share[cell(N / 2, N / 2, 20)], want = exp(-depth / to[2]);
            cr_assert_float_eq(got, want, 0.01 * want, "depth %g at %g: %g, not %g", depth, to[2], got, want);
            free(s);
            free(share);
        }
}

/* Light above a slab is whole, and inside a cell nothing gets through there is a lit skin: the mean over its depth. */
Test(sweep, dense_cells_have_a_lit_skin)
{
    float *s = slab_make(10, 30, 8 * N), *share = cells_make();
    cr_assert_eq(bw_directional_transmittance(&tools, &unit_box, s, &(struct bw_light_beam){{0, 0, 1}, 0, 1}, share),
                 BW_OK);
    cr_assert_eq(share[cell(5, 5, 30)], 1);
    cr_assert_float_eq(share[cell(5, 5, 29)], (1 - exp(-8)) / 8, 1e-3);
    free(s);
    free(share);
}

/// Share of light that a lamp of that softness leaves 32 cells below the edge of a slab that nothing gets through, and
/// where the shadow of its edge should be, in cells.
static double edge_shadow(const double to[3], float spread, float row[N])
{
    const int below = 8, from = 40, edge = 36;
    float *s = slab_make(from, from + 4, 100 * N), *share = cells_make();
    for (size_t i = 0; i < (size_t)N * N * N; i++)
        if ((int)(i % N) >= edge) s[i] = 0;
    const struct bw_light_beam beam = {{to[0], to[1], to[2]}, spread, 1};
    cr_assert_eq(bw_directional_transmittance(&tools, &unit_box, s, &beam, share), BW_OK);
    memcpy(row, share + cell(0, N / 2, below), N * sizeof *row);
    free(s);
    free(share);
    return edge - (from - below - 0.5) * to[0] / to[2];
}

/* A lamp without size throws shadows with edges, whatever the slope and however far: linear interpolation from plane to
 * plane would widen this one to seven or eight cells and let light into folds. It lies where it belongs, no light is
 * lost or made, and that of a wide lamp is as wide as it says: variances add up. */
Test(sweep, a_slanting_shadow_keeps_its_edge)
{
    for (double slope = 0.1; slope < 0.6; slope += 0.1) {
        const double size = hypot(slope, 1), to[3] = {slope / size, 0, 1 / size};
        float row[N];
        double want = edge_shadow(to, 0, row), dark = 0;
        int half = 0;
        for (int i = 0; i < N; i++) {
            cr_assert(row[i] >= 0 && row[i] <= 1, "slope %g, cell %d: %g", slope, i, (double)row[i]);
            half += row[i] > 0.1f && row[i] < 0.9f, dark += 1 - (double)row[i];
        }
        cr_log_info("slope %g: %d cells wide, %.2f off", slope, half, dark - want);
        cr_assert_leq(half, 5, "slope %g: %d cells wide", slope, half);
        cr_assert_float_eq(dark, want, 0.5, "slope %g: shadow ends at %g, not %g", slope, dark, want);
    }
    float row[N];
    double mean = 0, square = 0;
    edge_shadow((double[3]){0, 0, 1}, 0.3f, row);
    for (int i = N / 2; i < N; i++) { // from the other side light comes in
        const double step = (double)(row[i] - row[i - 1]);
        mean += step * i, square += step * i * i;
    }
    cr_assert_float_eq(square - mean * mean, 0.3 * 32, 0.1 * 0.3 * 32, "variance %g", square - mean * mean);
}
