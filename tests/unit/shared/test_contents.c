// SPDX-License-Identifier: Apache-2.0
/* What a VDB grid holds, and in what two of them differ: counted on grids whose answers are known. */
#include <common/openvdb/contents/contents.h>
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 10, CELLS = N * N * N };

static struct bwvdb_error err;

#define GOOD(call) cr_assert((call) == BWVDB_OK, "%s", err.text)

/* The writer refuses what is no number; a damaged file may hold it: `mark` in the file becomes NaN. */
static const float mark = 12345.678f;

static void marks_replace(const char *path)
{
    static char bytes[1 << 16];
    const float nothing = NAN;
    FILE *f = fopen(path, "r+b");
    cr_assert_not_null(f);
    size_t n = fread(bytes, 1, sizeof bytes, f);
    for (size_t i = 0; i + sizeof mark <= n; i++)
        if (!memcmp(bytes + i, &mark, sizeof mark)) memcpy(bytes + i, &nothing, sizeof mark);
    rewind(f);
    cr_assert(fwrite(bytes, 1, n, f) == n && fclose(f) == 0);
}

/* A grid of N³ voxels from `low` on, as scalars or vectors of three such, written and read again. */
static struct bwvdb_file *grid_file(const float *v, const int32_t low[3], uint32_t comps)
{
    char path[] = "/tmp/contents-XXXXXX";
    int fd = mkstemp(path);
    cr_assert(fd >= 0);
    close(fd);
    struct bwvdb_block block = {.origin = {low[0], low[1], low[2]}, .n = {N, N, N}, .data = {v, v, v}};
    struct bwvdb_grid g = {.name = "g", .comps = comps, .voxel = 1, .blocks = &block, .n_blocks = 1};
    struct bwvdb_writer *w;
    struct bwvdb_file *f;
    GOOD(bwvdb_writer_create(&(struct bwvdb_options){.compression = BWVDB_NONE}, &w, &err));
    GOOD(bwvdb_writer_add(w, &g, &err));
    GOOD(bwvdb_writer_write(w, path, &err));
    bwvdb_writer_free(w);
    marks_replace(path);
    GOOD(bwvdb_open(path, &f, &err));
    GOOD(bwvdb_load(f, 0, &err));
    remove(path);
    return f;
}

static const int32_t here[3] = {-3, 2, 5};

static void fill(float *v, float value)
{
    for (int i = 0; i < CELLS; i++) v[i] = value;
}

Test(contents, of_a_ramp)
{
    float v[CELLS];
    for (int i = 0; i < CELLS; i++) v[i] = (float)i; // the first is inactive
    struct bwvdb_file *f = grid_file(v, here, 1);
    struct vdb_contents c;
    GOOD(vdb_contents_find(f, 0, &c, &err));
    cr_assert(c.active == CELLS - 1 && c.bad == 0, "%lld", (long long)c.active);
    cr_assert(c.least == 1 && c.most == CELLS - 1);
    cr_assert_float_eq(c.mean, CELLS / 2.0, 1e-9);
    bwvdb_close(f);
}

Test(contents, of_vectors_are_lengths)
{
    float v[CELLS];
    fill(v, 2);
    struct bwvdb_file *f = grid_file(v, here, 3);
    struct vdb_contents c;
    GOOD(vdb_contents_find(f, 0, &c, &err));
    cr_assert_float_eq(c.least, sqrt(12), 1e-6);
    cr_assert_float_eq(c.mean, sqrt(12), 1e-6);
    bwvdb_close(f);
}

Test(contents, values_that_are_no_numbers)
{
    float v[CELLS], w[CELLS];
    fill(v, 1);
    fill(w, 1);
    v[0] = v[1 + N * (2 + N * 3)] = mark;
    w[0] = mark;
    struct bwvdb_file *a = grid_file(v, here, 1), *b = grid_file(w, here, 1);
    struct vdb_contents c;
    struct vdb_difference d;
    GOOD(vdb_contents_find(a, 0, &c, &err));
    cr_assert(c.active == CELLS && c.bad == 2 && c.least == 1 && c.most == 1 && c.mean == 1);
    cr_assert(!memcmp(c.bad_at, here, sizeof here), "%d %d %d", c.bad_at[0], c.bad_at[1], c.bad_at[2]);
    GOOD(vdb_difference_find(a, 0, b, 0, &d, &err));
    cr_assert(d.differ == 1 && d.at[0] == here[0] + 1 && isinf(d.most) && isnan(d.a) && d.b == 1);
    bwvdb_close(a);
    bwvdb_close(b);
}

Test(contents, one_voxel_differs)
{
    float v[CELLS], w[CELLS];
    fill(v, 1);
    fill(w, 1);
    w[3 + N * (4 + N * 5)] = 1.5f;
    struct bwvdb_file *a = grid_file(v, here, 1), *b = grid_file(w, here, 1);
    struct vdb_difference d;
    GOOD(vdb_difference_find(a, 0, b, 0, &d, &err));
    cr_assert(d.either == CELLS && d.differ == 1 && d.only_a == 0 && d.only_b == 0);
    cr_assert(d.most == 0.5 && d.a == 1 && d.b == 1.5);
    cr_assert_float_eq(d.mean, 0.5 / CELLS, 1e-12);
    cr_assert(d.at[0] == 0 && d.at[1] == 6 && d.at[2] == 10, "%d %d %d", d.at[0], d.at[1], d.at[2]);
    GOOD(vdb_difference_find(a, 0, a, 0, &d, &err));
    cr_assert(d.either == CELLS && d.differ == 0 && d.most == 0);
    bwvdb_close(a);
    bwvdb_close(b);
}

/* Moved by two voxels: leaves that one of them alone has, and ones that both have in part. */
Test(contents, moved_grids_differ_at_both_ends)
{
    const int32_t there[3] = {here[0] + 2, here[1], here[2]}, far[3] = {here[0] + 800, here[1], here[2]};
    float v[CELLS];
    fill(v, 1);
    struct bwvdb_file *a = grid_file(v, here, 1), *b = grid_file(v, there, 1), *c = grid_file(v, far, 1);
    struct vdb_difference d;
    GOOD(vdb_difference_find(a, 0, b, 0, &d, &err));
    cr_assert(d.only_a == 2 * N * N && d.only_b == 2 * N * N && d.differ == 4 * N * N);
    cr_assert(d.either == 12 * N * N && d.most == 1);
    GOOD(vdb_difference_find(a, 0, c, 0, &d, &err));
    cr_assert(d.only_a == CELLS && d.only_b == CELLS && d.differ == 2 * CELLS && d.either == 2 * CELLS);
    bwvdb_close(a);
    bwvdb_close(b);
    bwvdb_close(c);
}

Test(contents, what_is_not_there_is_refused)
{
    float v[CELLS];
    fill(v, 1);
    struct bwvdb_file *a = grid_file(v, here, 1), *b = grid_file(v, here, 3);
    struct vdb_difference d;
    struct vdb_contents c;
    cr_assert_eq(vdb_difference_find(a, 0, b, 0, &d, &err), BWVDB_ERR_USAGE);
    cr_assert(strstr(err.text, "float") && strstr(err.text, "vec3s"), "%s", err.text);
    cr_assert_eq(vdb_contents_find(a, 1, &c, &err), BWVDB_ERR_USAGE);
    bwvdb_close(a);
    bwvdb_close(b);
}
