// SPDX-License-Identifier: Apache-2.0
/* The OpenVDB wrapper: what is written comes back, voxel by voxel, and every failure is a sentence. */
#include "bwvdb_world.h"

#include <math.h>
#include <stdlib.h>

TestSuite(bwvdb, .init = path_make, .fini = path_remove);

/* Write the bump from a block at an odd, negative origin, read it back and compare each voxel. */
static void scalar_round_trip(uint32_t half, uint32_t compression, uint32_t threads, float tolerance)
{
    static float in[N * N * N], out[N * N * N];
    bump(in);
    struct bwvdb_block block = {.origin = {-3, 5, -13}, .n = {N, N, N}, .data = {in}};
    struct bwvdb_grid g = {.name = "density",
                           .comps = 1,
                           .grid_class = BWVDB_CLASS_FOG_VOLUME,
                           .half = half,
                           .threshold = 1e-4f,
                           .voxel = 0.1,
                           .origin = {1, 2, 3},
                           .blocks = &block,
                           .n_blocks = 1};
    struct bwvdb_writer *w = writer_new(compression, threads);
    GOOD(bwvdb_writer_add(w, &g, &err));
    write_and_free(w);
    struct bwvdb_file *f = open_loaded();
    GOOD(bwvdb_read_box(f, 0, block.origin, block.n, (float *[3]){out}, &err));
    int64_t active = 0;
    for (int i = 0; i < N * N * N; i++) {
        float want = in[i] > 1e-4f ? in[i] : 0;
        active += want != 0;
        cr_assert(fabsf(out[i] - want) <= tolerance * want, "voxel %d: %g for %g", i, (double)out[i], (double)want);
    }
    const struct bwvdb_info *info = bwvdb_grid_info(f, 0);
    cr_assert(info->active == active && active > 100);
    cr_assert(info->half == half && info->comps == 1 && info->grid_class == BWVDB_CLASS_FOG_VOLUME);
    cr_assert(info->background[0] == 0);
    cr_assert_str_eq(info->name, "density");
    cr_assert_str_eq(info->type, "float");
    bwvdb_close(f);
}

Test(bwvdb, float_round_trip_is_exact_in_every_compression)
{
    for (uint32_t c = BWVDB_BLOSC; c <= BWVDB_NONE; c++) scalar_round_trip(0, c, 1, 0);
}

Test(bwvdb, half_round_trip_keeps_eleven_bits) { scalar_round_trip(1, BWVDB_BLOSC, 2, 0x1p-11f); }

Test(bwvdb, tiles_and_threads_make_the_same_grid)
{
    static float in[N * N * N], out[2][N * N * N];
    bump(in);
    struct bwvdb_block block[8]; // cut at 11, inside a leaf: leaves take values from several blocks
    for (int b = 0; b < 8; b++) {
        int lo[3] = {b & 1 ? 11 : 0, b & 2 ? 11 : 0, b & 4 ? 11 : 0};
        block[b] = (struct bwvdb_block){.stride = {1, N, N * N}, .data = {in + lo[0] + N * (lo[1] + N * lo[2])}};
        for (int a = 0; a < 3; a++) block[b].origin[a] = lo[a], block[b].n[a] = lo[a] ? N - 11 : 11;
    }
    for (uint32_t t = 1; t <= 2; t++) {
        struct bwvdb_grid g = {.name = "d", .comps = 1, .threshold = 1e-4f, .voxel = 1, .blocks = block, .n_blocks = 8};
        struct bwvdb_writer *w = writer_new(BWVDB_ZIP, t);
        GOOD(bwvdb_writer_add(w, &g, &err));
        write_and_free(w);
        struct bwvdb_file *f = open_loaded();
        GOOD(bwvdb_read_box(f, 0, (int32_t[]){0, 0, 0}, (int32_t[]){N, N, N}, (float *[3]){out[t - 1]}, &err));
        bwvdb_close(f);
    }
    cr_assert(memcmp(out[0], out[1], sizeof out[0]) == 0);
    for (int i = 0; i < N * N * N; i++) cr_assert(out[0][i] == (in[i] > 1e-4f ? in[i] : 0));
}

/* What is in no block, and what differs by no more than the threshold, is the background: air of 1.2 kg/m³, a wind. */
Test(bwvdb, what_is_not_there_is_the_background)
{
    static float in[3][N * N * N], out[3][8 * N * N];
    for (int i = 0; i < N * N * N; i++) {
        in[0][i] = i % 3 == 0 ? 0 : i % 3 == 1 ? 1.5f : 2; // 1.5: all but the background
        in[1][i] = -0.25f, in[2][i] = i % 3 == 2 ? 4 : 3;
    }
    struct bwvdb_block block = {.origin = {3, 5, -13}, .n = {N, N, N}, .data = {in[0], in[1], in[2]}};
    for (uint32_t half = 0; half < 2; half++) {
        struct bwvdb_grid g = {
            .comps = 1, .half = half, .threshold = 1e-3f, .voxel = 1, .blocks = &block, .n_blocks = 1};
        memcpy(g.background, (float[]){1.50005f, -0.25f, 3}, sizeof g.background);
        struct bwvdb_writer *w = writer_new(BWVDB_BLOSC, 1);
        GOOD(bwvdb_writer_add(w, (g.name = "air", &g), &err));
        g.name = "wind", g.comps = 3, g.gain = 2, g.y_up = 1, g.vector_type = BWVDB_VEC_CONTRAVARIANT_RELATIVE;
        GOOD(bwvdb_writer_add(w, &g, &err));
        write_and_free(w);
        struct bwvdb_file *f = open_loaded();
        const float air = half ? 1.5f : 1.50005f, wind[3] = {2 * 1.50005f, 6, 0.5f}; // (x, z, -y), twice
        const struct bwvdb_info *info = bwvdb_grid_info(f, 0);
        cr_expect(info->background[0] == (double)air && info->active == (N * N * N + 2) / 3 + N * N * N / 3);
        GOOD(bwvdb_read_box(f, 0, (int32_t[]){0, 5, -13}, (int32_t[]){8, N, N}, (float *[3]){out[0]}, &err));
        for (int i = 0; i < 8 * N * N; i++) {
            const int from = i % 8 - 3 + i / 8 * N, kind = from % 3;
            cr_assert(out[0][i] == (i % 8 < 3 || kind == 1 ? air : kind ? 2 : 0), "air %d: %g", i, (double)out[0][i]);
        }
        GOOD(bwvdb_read_box(f, 1, (int32_t[]){100, 5, -13}, (int32_t[]){1, 1, 1}, (float *[3]){out[0], out[1], out[2]},
                            &err));
        for (int c = 0; c < 3; c++)
            cr_expect(fabsf(out[c][0] - wind[c]) <= (half ? 1e-3f : 0) * wind[c], "wind %d: %g", c, (double)out[c][0]);
        bwvdb_close(f);
    }
}

/* ---- leaves ---- */

/* Numbers of all sizes that half floats have, many below their smallest, many nothing. */
static float number_at(uint32_t n)
{
    const uint32_t r = n * 2654435761u ^ (n * 40503u) >> 7;
    const float v = ldexpf(1 + (float)(r >> 9 & 0x3fffff) / 0x400000, (int)(r & 63) - 50);
    return r >> 6 & 1 ? 0 : r >> 7 & 1 ? -v : v;
}

enum { SPREAD = 24 };

/* A scalar and a vector, half and whole, from the same numbers; `simd` is allowed. */
static size_t spread_write(uint32_t simd, uint32_t compression, const float *v, char *bytes, size_t room)
{
    struct bwvdb_writer *w;
    struct bwvdb_block block = {
        .origin = {-13, 4085, -4099}, .n = {SPREAD, SPREAD, SPREAD}, .data = {v, v + 7, v + 17}};
    GOOD(bwvdb_writer_create(&(struct bwvdb_options){.compression = compression, .simd = simd}, &w, &err));
    for (uint32_t i = 0; i < 4; i++) {
        const struct bwvdb_grid g = {.name = (const char *[]){"a", "b", "c", "d"}[i],
                                     .comps = i & 1 ? 3 : 1,
                                     .half = i < 2,
                                     .y_up = 1,
                                     .gain = 3,
                                     .threshold = 1e-9f,
                                     .voxel = 1,
                                     .vector_type = BWVDB_VEC_COVARIANT,
                                     .blocks = &block,
                                     .n_blocks = 1};
        GOOD(bwvdb_writer_add(w, &g, &err));
    }
    write_and_free(w);
    FILE *f = fopen(path, "rb");
    cr_assert(f);
    const size_t n = fread(bytes, 1, room, f);
    fclose(f);
    return n;
}

Test(bwvdb, instructions_make_no_difference)
{
    static float v[SPREAD * SPREAD * SPREAD + 17];
    static char bytes[2][1 << 20];
    for (uint32_t i = 0; i < sizeof v / sizeof *v; i++) v[i] = number_at(i);
    const size_t n = spread_write(0, BWVDB_BLOSC, v, bytes[0], sizeof *bytes);
    cr_assert(n > 1 << 15 && n < sizeof *bytes);
    cr_assert(spread_write(2, BWVDB_BLOSC, v, bytes[1], sizeof *bytes) == n && !memcmp(bytes[0], bytes[1], n));
}

/* To eleven bits, fewer below 2^-14; ties to even. */
static float half_of(float v)
{
    int exponent;
    frexpf(v, &exponent);
    const float unit = ldexpf(1, (exponent > -13 ? exponent : -13) - 11);
    return rintf(v / unit) * unit;
}

/* Across the corners of eight of the tree's largest nodes; each number as C rounds it to a half float, or as it is. */
static void spread_read(uint32_t simd, uint32_t compression)
{
    static float v[SPREAD * SPREAD * SPREAD + 17], out[3][SPREAD * SPREAD * SPREAD];
    static char bytes[1 << 20];
    const int32_t lo[3] = {-13, 4085, -4099}, n[3] = {SPREAD, SPREAD, SPREAD};
    for (uint32_t i = 0; i < sizeof v / sizeof *v; i++) v[i] = number_at(i);
    spread_write(simd, compression, v, bytes, sizeof bytes);
    struct bwvdb_file *f = open_loaded();
    for (int32_t grid = 0; grid < 4; grid++) {
        const bool half = grid < 2, vector = grid & 1;
        GOOD(bwvdb_read_box(f, grid, lo, n, (float *[3]){out[0], out[1], out[2]}, &err));
        for (int i = 0; i < SPREAD * SPREAD * SPREAD; i++) {
            float want[3] = {3 * v[i], 3 * v[i + 17], -3 * v[i + 7]};
            const float size =
                vector ? sqrtf(want[0] * want[0] + want[1] * want[1] + want[2] * want[2]) : fabsf(want[0]);
            for (int c = 0; c < (vector ? 3 : 1); c++) {
                if (!(size > 1e-9f)) want[c] = 0;
                else if (half) want[c] = half_of(want[c]);
                cr_assert(out[c][i] == want[c], "grid %d, %d: %a for %a", grid, i, out[c][i], want[c]);
            }
        }
    }
    bwvdb_close(f);
}

Test(bwvdb, every_number_comes_back_rounded_once)
{
    for (uint32_t simd = 0; simd < 3; simd += 2)
        for (uint32_t c = BWVDB_BLOSC; c <= BWVDB_NONE; c++) spread_read(simd, c);
}

/* A linear field is met exactly by trilinear sampling, wherever the grid lies and whichever way is up. */
static void vector_sampling(uint32_t y_up, uint32_t staggered)
{
    enum { M = 12 };
    static double v[3][M * M * M];
    const double h = 0.25, low[3] = {-1, 0.5, 2};
    for (int c = 0; c < 3; c++)
        for (int n = 0; n < M * M * M; n++) {
            int at[3] = {n % M, n / M % M, n / M / M};
            double p[3];
            for (int a = 0; a < 3; a++) p[a] = low[a] + (at[a] + (staggered && a == c ? 0 : 0.5)) * h;
            v[c][n] = c == 0 ? 1 + p[0] - 2 * p[1] : c == 1 ? 3 * p[2] + p[1] : p[0] + 0.5 * p[1] - p[2];
        }
    struct bwvdb_block block = {.n = {M, M, M}, .data = {v[0], v[1], v[2]}};
    struct bwvdb_grid g = {.name = "vel",
                           .comps = 3,
                           .f64 = 1,
                           .y_up = y_up,
                           .voxel = h,
                           .blocks = &block,
                           .n_blocks = 1,
                           .vector_type = BWVDB_VEC_CONTRAVARIANT_RELATIVE,
                           .grid_class = staggered ? BWVDB_CLASS_STAGGERED : BWVDB_CLASS_UNKNOWN};
    for (int a = 0; a < 3; a++) g.origin[a] = low[a] + h / 2;
    struct bwvdb_writer *w = writer_new(BWVDB_BLOSC, 1);
    GOOD(bwvdb_writer_add(w, &g, &err));
    write_and_free(w);
    struct bwvdb_file *f = open_loaded();
    const struct bwvdb_info *info = bwvdb_grid_info(f, 0);
    cr_assert(info->comps == 3 && info->vector_type == BWVDB_VEC_CONTRAVARIANT_RELATIVE);
    cr_assert(fabs(info->world_lo[0] - low[0]) < 1e-12 && fabs(info->world_hi[0] - (low[0] + M * h)) < 1e-12);
    double z[2] = {y_up ? info->world_lo[1] : info->world_lo[2], y_up ? info->world_hi[1] : info->world_hi[2]};
    cr_assert(fabs(z[0] - low[2]) < 1e-12 && fabs(z[1] - (low[2] + M * h)) < 1e-12);
    double p[3] = {0.3, 1.9, 3.1}, q[3] = {p[0], y_up ? p[2] : p[1], y_up ? -p[1] : p[2]}, out[3];
    GOOD(bwvdb_sample(f, 0, 1, (const double(*)[3])q, out, &err));
    double want[3] = {1 + p[0] - 2 * p[1], 3 * p[2] + p[1], p[0] + 0.5 * p[1] - p[2]};
    double got[3] = {out[0], y_up ? -out[2] : out[1], y_up ? out[1] : out[2]};
    for (int c = 0; c < 3; c++) cr_assert(fabs(got[c] - want[c]) < 2e-6, "%d: %g for %g", c, got[c], want[c]);
    bwvdb_close(f);
}

Test(bwvdb, vectors_sample_where_they_were_put)
{
    vector_sampling(0, 0);
    vector_sampling(1, 0);
    vector_sampling(0, 1);
}

Test(bwvdb, metadata_and_empty_grid_come_back)
{
    struct bwvdb_meta meta[] = {{.key = "note", .type = BWVDB_STRING, .string = "smoke"},
                                {.key = "frame", .type = BWVDB_INT64, .integer = 1001},
                                {.key = "fps", .type = BWVDB_DOUBLE, .number = 23.976}};
    struct bwvdb_grid g = {.name = "empty", .comps = 1, .voxel = 1, .meta = meta, .n_meta = 3};
    struct bwvdb_writer *w = writer_new(BWVDB_BLOSC, 1);
    for (int i = 0; i < 3; i++) GOOD(bwvdb_writer_meta(w, &meta[i], &err));
    GOOD(bwvdb_writer_add(w, &g, &err));
    write_and_free(w);
    struct bwvdb_file *f = open_loaded();
    const struct bwvdb_info *info = bwvdb_grid_info(f, 0);
    cr_assert(info->active == 0 && info->lo[0] > info->hi[0]);
    uint32_t n;
    const struct bwvdb_meta *lists[2] = {info->meta, bwvdb_file_meta(f, &n)};
    cr_assert(n == 3 && info->n_meta == 3);
    for (int l = 0; l < 2; l++)
        for (uint32_t i = 0; i < 3; i++) {
            const struct bwvdb_meta *m = &lists[l][i];
            if (!strcmp(m->key, "note")) cr_assert_str_eq(m->string, "smoke");
            else if (!strcmp(m->key, "frame")) cr_assert(m->type == BWVDB_INT64 && m->integer == 1001);
            else cr_assert(!strcmp(m->key, "fps") && m->number == 23.976);
        }
    bwvdb_close(f);
}

static void ball_distance(float *v)
{
    for (int n = 0; n < N * N * N; n++) {
        double x = n % N - 9.5, y = n / N % N - 9.5, z = n / N / N - 9.5;
        v[n] = (float)(sqrt(x * x + y * y + z * z) - 8);
    }
}

Test(bwvdb, level_set_is_negative_throughout_the_inside)
{
    static float in[N * N * N], out[N * N * N];
    ball_distance(in);
    struct bwvdb_block block = {.n = {N, N, N}, .data = {in}};
    struct bwvdb_grid g = {.name = "solid",
                           .comps = 1,
                           .grid_class = BWVDB_CLASS_LEVEL_SET,
                           .band = 2,
                           .voxel = 1,
                           .blocks = &block,
                           .n_blocks = 1};
    struct bwvdb_writer *w = writer_new(BWVDB_BLOSC, 1);
    GOOD(bwvdb_writer_add(w, &g, &err));
    write_and_free(w);
    struct bwvdb_file *f = open_loaded();
    GOOD(bwvdb_read_box(f, 0, block.origin, block.n, (float *[3]){out}, &err));
    for (int n = 0; n < N * N * N; n++) cr_assert(out[n] == fminf(fmaxf(in[n], -2), 2), "voxel %d", n);
    bwvdb_close(f);
}

/// A slab from z = 2 to 21, of which blocks `first` to `last` of eight layers each are known: what a file makes of z.
static void slab_levels(int first, int last, float z[40])
{
    struct bwvdb_block blocks[3];
    float layers[3][8 * 8 * 8], *out = calloc(8 * 8 * 40, sizeof *out);
    cr_assert_not_null(out);
    struct bwvdb_grid g = {
        .name = "solid", .comps = 1, .grid_class = BWVDB_CLASS_LEVEL_SET, .band = 2, .voxel = 1, .blocks = blocks};
    for (int b = first; b <= last; b += last > first ? last - first : 1, g.n_blocks++) {
        for (int n = 0; n < 512; n++) layers[b][n] = fabsf((float)(8 * b + n / 64) - 11.5f) - 9.5f;
        blocks[g.n_blocks] = (struct bwvdb_block){.origin = {0, 0, 8 * b}, .n = {8, 8, 8}, .data = {layers[b]}};
    }
    struct bwvdb_writer *w = writer_new(BWVDB_BLOSC, 1);
    GOOD(bwvdb_writer_add(w, &g, &err));
    write_and_free(w);
    struct bwvdb_file *f = open_loaded();
    GOOD(bwvdb_read_box(f, 0, (int32_t[3]){0, 0, 0}, (int32_t[3]){8, 8, 40}, (float *[3]){out}, &err));
    for (int k = 0; k < 40; k++) z[k] = out[64 * k + 27];
    bwvdb_close(f);
    free(out);
}

/* Tiles are active where gas is, and may end within an obstacle. */
Test(bwvdb, a_level_set_that_is_cut_ends_there)
{
    float z[40];
    slab_levels(0, 0, z);
    cr_assert(z[1] == 1 && z[7] == -2, "%g, %g", z[1], z[7]);
    for (int k = 8; k < 40; k++) cr_assert(z[k] == 2, "%g at %d, above what is known", z[k], k);
    slab_levels(2, 2, z);
    for (int k = 0; k < 16; k++) cr_assert(z[k] == 2, "%g at %d, below what is known", z[k], k);
    slab_levels(0, 2, z);
    for (int k = 8; k < 16; k++) cr_assert(z[k] == -2, "%g at %d, between", z[k], k);
    for (int k = 24; k < 40; k++) cr_assert(z[k] == 2, "%g at %d", z[k], k);
}

struct region_probe {
    double step;
};

static void region_fill(const int32_t origin[3], float *const out[3], void *user)
{
    const struct region_probe *p = user;
    for (int n = 0; n < 512; n++)
        for (int c = 0; c < 3; c++) {
            int at[3] = {origin[0] + n % 8, origin[1] + n / 8 % 8, origin[2] + n / 64};
            out[c][n] = (float)(at[c] * p->step);
        }
}

Test(bwvdb, region_is_a_padded_and_clipped_copy_of_what_is_active)
{
    float one = 1;
    struct bwvdb_block block = {.origin = {6, 1, 9}, .n = {1, 1, 1}, .data = {&one}};
    struct bwvdb_grid g = {.name = "density", .comps = 1, .voxel = 1, .blocks = &block, .n_blocks = 1};
    struct bwvdb_writer *w = writer_new(BWVDB_BLOSC, 2);
    GOOD(bwvdb_writer_add(w, &g, &err));
    struct bwvdb_region *r;
    const char *names[] = {"density", NULL};
    GOOD(bwvdb_region_create(w, &(struct bwvdb_area){.grids = names, .pad = 4, .n = {9, 100, 100}}, &r, &err));
    struct region_probe probe = {0.5};
    struct bwvdb_grid v = {
        .name = "vel", .comps = 3, .voxel = 1, .gain = 2, .region = r, .fill = region_fill, .fill_user = &probe};
    GOOD(bwvdb_writer_add(w, &v, &err));
    bwvdb_region_free(r);
    write_and_free(w);
    struct bwvdb_file *f = open_loaded();
    const struct bwvdb_info *info = bwvdb_grid_info(f, bwvdb_find(f, "vel"));
    int32_t lo[3] = {2, 0, 5}, hi[3] = {8, 5, 13};
    cr_assert(info->active == 7 * 6 * 9);
    cr_assert(!memcmp(info->lo, lo, sizeof lo) && !memcmp(info->hi, hi, sizeof hi));
    double out[3];
    GOOD(bwvdb_sample(f, bwvdb_find(f, "vel"), 1, (const double[][3]){{4.5, 3, 11.25}}, out, &err));
    cr_assert(out[0] == 4.5 && out[1] == 3 && out[2] == 11.25);
    bwvdb_close(f);
}

/* Grown by more than a leaf, from voxels that fill leaves: a cube, whole inside. */
Test(bwvdb, region_keeps_full_leaves)
{
    static float ones[20 * 20 * 20];
    for (int i = 0; i < 8000; i++) ones[i] = 1;
    struct bwvdb_block block = {.origin = {-9, 3, 5}, .n = {20, 20, 20}, .data = {ones}};
    struct bwvdb_grid g = {.name = "density", .comps = 1, .voxel = 1, .blocks = &block, .n_blocks = 1};
    struct bwvdb_writer *w = writer_new(BWVDB_BLOSC, 1);
    GOOD(bwvdb_writer_add(w, &g, &err));
    struct bwvdb_region *r;
    const char *names[] = {"density", NULL};
    GOOD(bwvdb_region_create(
        w, &(struct bwvdb_area){.grids = names, .pad = 11, .lo = {-100, -3, -100}, .n = {200, 200, 200}}, &r, &err));
    struct region_probe probe = {1};
    struct bwvdb_grid v = {.name = "v", .comps = 3, .voxel = 1, .region = r, .fill = region_fill, .fill_user = &probe};
    GOOD(bwvdb_writer_add(w, &v, &err));
    bwvdb_region_free(r);
    write_and_free(w);
    struct bwvdb_file *f = open_loaded();
    const struct bwvdb_info *info = bwvdb_grid_info(f, bwvdb_find(f, "v"));
    int32_t lo[3] = {-20, -3, -6}, hi[3] = {21, 33, 35};
    cr_assert(info->active == 42 * 37 * 42);
    cr_assert(!memcmp(info->lo, lo, sizeof lo) && !memcmp(info->hi, hi, sizeof hi));
    bwvdb_close(f);
}

Test(bwvdb, region_of_boxes)
{
    struct bwvdb_writer *w = writer_new(BWVDB_BLOSC, 1);
    struct bwvdb_region *r;
    struct bwvdb_block box = {.origin = {-4, 0, 16}, .n = {16, 16, 32}};
    GOOD(bwvdb_region_create(w, &(struct bwvdb_area){.boxes = &box, .n_boxes = 1}, &r, &err));
    struct region_probe probe = {1};
    struct bwvdb_grid v = {.name = "v", .comps = 3, .voxel = 1, .region = r, .fill = region_fill, .fill_user = &probe};
    GOOD(bwvdb_writer_add(w, &v, &err));
    bwvdb_region_free(r);
    const char *names[] = {"nobody", NULL};
    cr_assert(bwvdb_region_create(w, &(struct bwvdb_area){.grids = names}, &r, &err) == BWVDB_ERR_USAGE && !r);
    cr_assert(strstr(err.text, "nobody"));
    write_and_free(w);
    struct bwvdb_file *f = open_loaded();
    cr_assert(bwvdb_grid_info(f, 0)->active == 16 * 16 * 32);
    bwvdb_close(f);
}

/* ---- refusals ---- */

static enum bwvdb_status add_value(float value, uint32_t half)
{
    struct bwvdb_block block = {.n = {1, 1, 1}, .data = {&value}};
    struct bwvdb_grid g = {.name = "t", .comps = 1, .half = half, .voxel = 1, .blocks = &block, .n_blocks = 1};
    struct bwvdb_writer *w = writer_new(BWVDB_BLOSC, 1);
    enum bwvdb_status s = bwvdb_writer_add(w, &g, &err);
    bwvdb_writer_free(w);
    return s;
}

Test(bwvdb, values_that_do_not_fit_are_refused)
{
    cr_assert(add_value(NAN, 0) == BWVDB_ERR && strstr(err.text, "finite"));
    cr_assert(add_value(INFINITY, 0) == BWVDB_ERR && strstr(err.text, "finite"));
    cr_assert(add_value(7e4f, 1) == BWVDB_ERR && strstr(err.text, "65504"));
    cr_assert(add_value(1e30f, 1) == BWVDB_ERR && strstr(err.text, "reaches 1e+30,"), "%s", err.text);
    cr_assert(add_value(7e4f, 0) == BWVDB_OK && !err.text[0]);
}

Test(bwvdb, wrong_grids_are_refused)
{
    struct bwvdb_writer *w = writer_new(BWVDB_BLOSC, 1);
    struct bwvdb_grid g = {.name = "a", .comps = 1, .voxel = 1};
    GOOD(bwvdb_writer_add(w, &g, &err));
    cr_assert(bwvdb_writer_add(w, &g, &err) == BWVDB_ERR_USAGE && strstr(err.text, "already"));
    g.name = "";
    cr_assert(bwvdb_writer_add(w, &g, &err) == BWVDB_ERR_USAGE && strstr(err.text, "name"));
    g.name = "b", g.voxel = 0;
    cr_assert(bwvdb_writer_add(w, &g, &err) == BWVDB_ERR_USAGE && strstr(err.text, "voxel"));
    bwvdb_writer_free(w);
}

Test(bwvdb, full_disk_is_an_error)
{
    struct bwvdb_writer *w = writer_new(BWVDB_NONE, 1);
    struct bwvdb_grid g = {.name = "a", .comps = 1, .voxel = 1};
    GOOD(bwvdb_writer_add(w, &g, &err));
    char link[80];
    snprintf(link, sizeof link, "%s.full", path);
    cr_assert(symlink("/dev/full", link) == 0);
    cr_assert(bwvdb_writer_write(w, link, &err) == BWVDB_ERR_IO && strstr(err.text, "No space"), "%s", err.text);
    cr_assert(access(link, F_OK) != 0, "the half-written file is gone");
    cr_assert(bwvdb_writer_write(w, "/nowhere/at/all.vdb", &err) == BWVDB_ERR_IO && strstr(err.text, "No such"));
    bwvdb_writer_free(w);
}

Test(bwvdb, unloaded_grids_are_refused)
{
    scalar_round_trip(0, BWVDB_BLOSC, 1, 0);
    struct bwvdb_file *f;
    GOOD(bwvdb_open(path, &f, &err));
    double out;
    cr_assert(bwvdb_sample(f, 0, 1, (const double[][3]){{0, 0, 0}}, &out, &err) == BWVDB_ERR_USAGE);
    cr_assert(bwvdb_load(f, 7, &err) == BWVDB_ERR_USAGE && err.text[0]);
    cr_assert(bwvdb_find(f, "nothing") == -1);
    bwvdb_close(f);
}

/* Multiples of a power of two, none further off than half of it; what becomes nothing is active no more. */
static void rounded(uint32_t half, uint32_t simd, uint32_t comps, float top)
{
    const double step = 0x1p-7;
    static float in[3][N * N * N], out[3][N * N * N];
    bump(in[0]);
    for (int i = 0; i < N * N * N; i++) {
        in[0][i] = in[0][i] > 1e-4f ? in[0][i] * top : in[0][i];
        in[1][i] = -0.37f * in[0][i], in[2][i] = 0.0031f * in[0][i];
    }
    struct bwvdb_block block = {.origin = {-3, 5, -13}, .n = {N, N, N}, .data = {in[0], in[1], in[2]}};
    struct bwvdb_grid g = {.name = "d",
                           .comps = comps,
                           .half = half,
                           .step = (float)step,
                           .threshold = 1e-4f,
                           .voxel = 1,
                           .blocks = &block,
                           .n_blocks = 1};
    struct bwvdb_writer *w;
    GOOD(bwvdb_writer_create(&(struct bwvdb_options){.simd = simd}, &w, &err));
    GOOD(bwvdb_writer_add(w, &g, &err));
    write_and_free(w);
    struct bwvdb_file *f = open_loaded();
    GOOD(bwvdb_read_box(f, 0, block.origin, block.n, (float *[3]){out[0], out[1], out[2]}, &err));
    int64_t active = 0;
    for (int i = 0; i < N * N * N; i++) {
        int any = 0;
        for (uint32_t c = 0; c < comps; c++) {
            cr_assert(fabs((double)out[c][i] - (double)in[c][i]) <= step / 2, "%g for %g", (double)out[c][i],
                      (double)in[c][i]);
            cr_assert(fmod((double)out[c][i], step) == 0);
            any |= out[c][i] != 0;
        }
        active += any;
    }
    cr_assert(bwvdb_grid_info(f, 0)->active == active && active > 100);
    cr_assert(bwvdb_grid_info(f, 0)->half == (half && top < 10));
    bwvdb_close(f);
}

/* Beyond 2048 multiples half floats would round again: such a grid has floats. */
Test(bwvdb, rounding_keeps_its_bound)
{
    for (uint32_t simd = 0; simd <= 1; simd++)
        for (uint32_t comps = 1; comps <= 3; comps += 2) {
            rounded(1, simd, comps, 1);
            rounded(0, simd, comps, 1);
            rounded(1, simd, comps, 1000);
        }
}

/* Of what lies on a background of its own the differences are rounded, so that air stays air. */
Test(bwvdb, rounding_leaves_the_background)
{
    static float in[N * N * N], out[N * N * N];
    for (int i = 0; i < N * N * N; i++) in[i] = i % 5 ? 1.204f : 1.204f + 0.013f * (float)(i % 7);
    struct bwvdb_block block = {.n = {N, N, N}, .data = {in}};
    struct bwvdb_grid g = {.name = "air",
                           .comps = 1,
                           .step = 0x1p-6f,
                           .threshold = 1e-4f,
                           .voxel = 1,
                           .background = {1.204f},
                           .blocks = &block,
                           .n_blocks = 1};
    struct bwvdb_writer *w = writer_new(BWVDB_BLOSC, 1);
    GOOD(bwvdb_writer_add(w, &g, &err));
    write_and_free(w);
    struct bwvdb_file *f = open_loaded();
    GOOD(bwvdb_read_box(f, 0, block.origin, block.n, (float *[3]){out}, &err));
    for (int i = 0; i < N * N * N; i++) {
        cr_assert(fabsf(out[i] - in[i]) <= 0x1p-7f * 1.00001f);
        cr_assert(i % 5 == 0 || out[i] == 1.204f);
    }
    bwvdb_close(f);
}
