// SPDX-License-Identifier: Apache-2.0
/* A grid in another file, changed for a host: every voxel is what the change says, and in its place. */
#include "bwvdb_world.h"

#include <math.h>

TestSuite(bwvdb_copy, .init = path_make, .fini = path_remove);

static float smoke[N * N * N], flow[3][N * N * N], out[3][N * N * N];
static const int32_t low[3] = {-3, 5, -13}, whole[3] = {N, N, N};

/* Density and velocities on one lattice, voxels of 0.1 whose first centre is at (1, 2, 3); the velocities are one grid,
 * or three. */
static void original_write(int parts)
{
    static const char *const names[] = {"vel.x", "vel.y", "vel.z"};
    struct bwvdb_block block = {.origin = {-3, 5, -13}, .n = {N, N, N}, .data = {smoke}};
    struct bwvdb_grid g = {.name = "density",
                           .comps = 1,
                           .grid_class = BWVDB_CLASS_FOG_VOLUME,
                           .threshold = 1e-4f,
                           .voxel = 0.1,
                           .origin = {1, 2, 3},
                           .blocks = &block,
                           .n_blocks = 1};
    struct bwvdb_writer *w = writer_new(BWVDB_BLOSC, 1);
    bump(smoke);
    for (int i = 0; i < N * N * N; i++) {
        flow[0][i] = smoke[i] > 1e-4f ? 1 + smoke[i] : 0;
        flow[1][i] = -2 * flow[0][i], flow[2][i] = 3 * flow[0][i];
    }
    GOOD(bwvdb_writer_add(w, &g, &err));
    for (int c = 0; c < 3 && parts; c++) {
        g.name = names[c], block.data[0] = flow[c];
        GOOD(bwvdb_writer_add(w, &g, &err));
    }
    g.name = "vel", g.comps = 3, g.vector_type = BWVDB_VEC_CONTRAVARIANT_RELATIVE;
    for (int c = 0; c < 3; c++) block.data[c] = flow[c];
    if (!parts) GOOD(bwvdb_writer_add(w, &g, &err));
    write_and_free(w);
}

/* The grid of that name, changed, in a file of its own. */
static struct bwvdb_file *copied(const char *name, const struct bwvdb_change *change)
{
    struct bwvdb_file *f = open_loaded();
    struct bwvdb_writer *w = writer_new(BWVDB_BLOSC, 1);
    const int32_t grid = bwvdb_find(f, name);
    GOOD(bwvdb_load(f, grid, &err));
    GOOD(bwvdb_writer_copy(w, f, grid, change, &err));
    bwvdb_close(f);
    write_and_free(w);
    f = open_loaded();
    cr_assert(bwvdb_count(f) == 1);
    return f;
}

static float kept(int i) { return smoke[i] > 1e-4f ? smoke[i] : 0; }

Test(bwvdb_copy, centimetres_with_y_up)
{
    original_write(0);
    struct bwvdb_file *f = copied("vel", &(struct bwvdb_change){.name = "v", .gain = 100, .scale = 100, .turn = 1});
    const struct bwvdb_info *g = bwvdb_grid_info(f, 0);
    cr_assert_str_eq(g->name, "v");
    GOOD(bwvdb_read_box(f, 0, low, whole, (float *[3]){out[0], out[1], out[2]}, &err));
    for (int i = 0; i < N * N * N; i++)
        cr_assert(out[0][i] == 100 * flow[0][i] && out[1][i] == 100 * flow[2][i] && out[2][i] == -100 * flow[1][i]);
    // (x, y, z) of the world is (x, z, -y): voxel (0,0,0) from (1, 2, 3) to (100, 300, -200)
    const double place[3] = {g->matrix[3], g->matrix[7], g->matrix[11]};
    cr_assert(fabs(place[0] - 100) < 1e-9 && fabs(place[1] - 300) < 1e-9 && fabs(place[2] + 200) < 1e-9);
    cr_assert(fabs(g->matrix[0] - 10) < 1e-9 && fabs(g->matrix[6] - 10) < 1e-9 && fabs(g->matrix[9] + 10) < 1e-9);
    bwvdb_close(f);
}

Test(bwvdb_copy, back_and_forth_is_the_same)
{
    original_write(0);
    struct bwvdb_file *f = copied("vel", &(struct bwvdb_change){.scale = 100, .gain = 100, .turn = 1});
    bwvdb_close(f);
    f = copied("vel", &(struct bwvdb_change){.scale = 1e-2, .gain = 1e-2, .turn = -1});
    const struct bwvdb_info *g = bwvdb_grid_info(f, 0);
    GOOD(bwvdb_read_box(f, 0, low, whole, (float *[3]){out[0], out[1], out[2]}, &err));
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < N * N * N; i++) cr_assert(fabsf(out[c][i] - flow[c][i]) <= 2e-7f * fabsf(flow[c][i]));
    for (int m = 0; m < 12; m++)
        cr_assert(fabs(g->matrix[m] - (m % 5 ? m == 3 ? 1 : m == 7 ? 2 : m == 11 ? 3 : 0 : 0.1)) < 1e-9);
    bwvdb_close(f);
}

Test(bwvdb_copy, twice_as_wide_is_the_mean_of_eight)
{
    original_write(0);
    struct bwvdb_file *f = copied("density", &(struct bwvdb_change){.coarse = 1});
    const struct bwvdb_info *g = bwvdb_grid_info(f, 0);
    const int32_t lo[3] = {-2, 2, -7}, n[3] = {N / 2 + 1, N / 2 + 1, N / 2 + 1};
    double before = 0, after = 0;
    GOOD(bwvdb_read_box(f, 0, lo, n, (float *[3]){out[0]}, &err));
    for (int i = 0; i < N * N * N; i++) before += (double)kept(i);
    for (int i = 0; i < n[0] * n[1] * n[2]; i++) after += 8 * (double)out[0][i];
    cr_assert(fabs(after / before - 1) < 1e-5, "%g for %g", after, before);
    // voxel (0,0,0) is of eight whose middle lies half a voxel further
    cr_assert(fabs(g->matrix[0] - 0.2) < 1e-9 && fabs(g->matrix[3] - 1.05) < 1e-9 && fabs(g->matrix[11] - 3.05) < 1e-9);
    bwvdb_close(f);
}

Test(bwvdb_copy, corners_make_the_bounds)
{
    original_write(0);
    struct bwvdb_file *f =
        copied("density", &(struct bwvdb_change){.corners = 1, .lo = {-40, -40, -40}, .hi = {50, 60, 70}});
    const struct bwvdb_info *g = bwvdb_grid_info(f, 0);
    cr_assert(g->lo[0] == -40 && g->lo[2] == -40 && g->hi[0] == 50 && g->hi[1] == 60 && g->hi[2] == 70);
    GOOD(bwvdb_read_box(f, 0, low, whole, (float *[3]){out[0]}, &err));
    for (int i = 0; i < N * N * N; i++) cr_assert(out[0][i] == kept(i));
    bwvdb_close(f);
}

Test(bwvdb_copy, three_grids_become_one_vector)
{
    original_write(1);
    struct bwvdb_file *f = copied("vel", &(struct bwvdb_change){.name = "vel"});
    const struct bwvdb_info *g = bwvdb_grid_info(f, 0);
    cr_assert_str_eq(g->type, "vec3s");
    GOOD(bwvdb_read_box(f, 0, low, whole, (float *[3]){out[0], out[1], out[2]}, &err));
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < N * N * N; i++) cr_assert(out[c][i] == flow[c][i]);
    cr_assert(fabs(g->matrix[0] - 0.1) < 1e-9 && fabs(g->matrix[3] - 1) < 1e-9 && fabs(g->matrix[11] - 3) < 1e-9);
    bwvdb_close(f);
}

Test(bwvdb_copy, what_cannot_be_is_a_sentence)
{
    original_write(0);
    struct bwvdb_file *f = open_loaded();
    struct bwvdb_writer *w = writer_new(BWVDB_BLOSC, 1);
    GOOD(bwvdb_writer_copy(w, f, 0, &(struct bwvdb_change){0}, &err));
    cr_assert(bwvdb_writer_copy(w, f, 0, &(struct bwvdb_change){0}, &err) == BWVDB_ERR_USAGE);
    cr_assert(strstr(err.text, "already"), "%s", err.text);
    cr_assert(bwvdb_writer_copy(w, f, 7, &(struct bwvdb_change){0}, &err) == BWVDB_ERR_USAGE);
    cr_assert(bwvdb_writer_copy(w, f, 0, &(struct bwvdb_change){.name = "a", .gain = 1e6, .half = 1}, &err) ==
              BWVDB_ERR);
    cr_assert(strstr(err.text, "65504"), "%s", err.text);
    bwvdb_writer_free(w);
    bwvdb_close(f);
}
