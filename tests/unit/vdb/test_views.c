// SPDX-License-Identifier: Apache-2.0
/* What a picture is made of where files are of others: which grid is smoke, and which is none. */
#include "bwvdb_world.h"
#include "unit/render/image_tools.h"
#include <picture/view/vdb_view.h>

#include <math.h>
#include <stdlib.h>

TestSuite(views, .init = path_make, .fini = path_remove);

static struct bwvdb_block whole = {.n = {N, N, N}};

static void grid_add(struct bwvdb_writer *w, const char *name, uint32_t class, uint32_t comps, const float *v)
{
    const struct bwvdb_grid g = {
        .name = name, .comps = comps, .grid_class = class, .band = 2, .voxel = 1, .blocks = &whole, .n_blocks = 1};
    for (uint32_t c = 0; c < comps; c++) whole.data[c] = v;
    GOOD(bwvdb_writer_add(w, &g, &err));
}

static void ball_distance(float *v)
{
    for (int n = 0; n < N * N * N; n++)
        v[n] = sqrtf(powf((float)(n % N) - 9.5f, 2) + powf((float)(n / N % N) - 9.5f, 2) +
                     powf((float)(n / N / N) - 9.5f, 2)) -
               6;
}

/// The view of the file that was written, and its volume.
static float *file_seen(struct bw_vdb_view *v, struct bw_volume *volume)
{
    char *names[] = {path}, why[512] = "";
    int64_t frames[] = {1};
    float *memory;
    *v = (struct bw_vdb_view){.tools = &tools, .y_up = -1};
    cr_assert(!bw_vdb_view_open(v, &(struct bw_sequence){"file", names, frames, 1}, why, sizeof why), "%s", why);
    cr_assert(!bw_vdb_volume(v, path, volume, &memory, why, sizeof why), "%s", why);
    return memory;
}

/* A surface alone, of water or of a stone, is no box of smoke around it. */
Test(views, a_surface_is_solid)
{
    static float distance[N * N * N];
    struct bw_vdb_view v;
    struct bw_volume volume;
    ball_distance(distance);
    struct bwvdb_writer *w = writer_new(BWVDB_BLOSC, 1);
    grid_add(w, "surface", BWVDB_CLASS_LEVEL_SET, 1, distance);
    write_and_free(w);
    float *memory = file_seen(&v, &volume);
    cr_assert(!volume.density && volume.solid && !v.arrows);
    const struct bw_dense *b = &volume.solid_box;
    int inside = 0;
    for (size_t i = 0; i < bw_dense_cells(b); i++) inside += volume.solid[i] < 0;
    cr_assert_float_eq(inside, 4. / 3 * 3.14159 * 216, 90, "%d cells", inside);
    give(NULL, memory);
}

/* Numbers are shown before a surface or vectors that come first; vectors alone want a slice. */
Test(views, numbers_come_first)
{
    static float distance[N * N * N], smoke[N * N * N];
    struct bw_vdb_view v;
    struct bw_volume volume;
    ball_distance(distance);
    bump(smoke);
    struct bwvdb_writer *w = writer_new(BWVDB_BLOSC, 1);
    grid_add(w, "surface", BWVDB_CLASS_LEVEL_SET, 1, distance);
    grid_add(w, "push", BWVDB_CLASS_UNKNOWN, 3, smoke);
    grid_add(w, "steam", BWVDB_CLASS_FOG_VOLUME, 1, smoke);
    write_and_free(w);
    float *memory = file_seen(&v, &volume);
    cr_assert(volume.density && !volume.solid && !v.arrows);
    cr_assert_str_eq(v.grid, "steam");
    give(NULL, memory);
    w = writer_new(BWVDB_BLOSC, 1);
    grid_add(w, "push", BWVDB_CLASS_UNKNOWN, 3, smoke);
    write_and_free(w);
    memory = file_seen(&v, &volume);
    cr_assert(!volume.density && v.arrows);
    give(NULL, memory);
}
