// SPDX-License-Identifier: Apache-2.0
/* Shared by the tests of readers: a host of three functions, a mesh read by billow-mesh, and what was said of it. */
#ifndef MESH_BENCH_H
#define MESH_BENCH_H

#include <billow/plugin.h>
#include <common/shape/mesh/mesh.h>
#include <criterion/criterion.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char bench[64]; ///< a folder of the test's own
static char said[4096], warned[8192];
static int64_t kept; ///< memory of the host's

static void *bench_alloc(struct bw_stage *s, size_t n)
{
    (void)s;
    kept++;
    return calloc(1, n ? n : 1);
}

static void bench_release(struct bw_stage *s, void *memory)
{
    (void)s;
    kept -= memory != NULL;
    free(memory);
}

static enum bw_status bench_fail(struct bw_stage *s, enum bw_status status, const char *format, ...)
{
    va_list list;
    (void)s;
    va_start(list, format);
    vsnprintf(said, sizeof said, format, list);
    va_end(list);
    return status;
}

static void bench_log(struct bw_stage *s, uint32_t level, const char *format, ...)
{
    const size_t n = strlen(warned);
    va_list list;
    (void)s;
    if (level != BW_LOG_WARNING) return;
    va_start(list, format);
    vsnprintf(warned + n, sizeof warned - n, format, list);
    va_end(list);
}

static inline struct bw_stage *bench_stage(void)
{
    static const struct bw_host host = {
        .size = sizeof host, .alloc = bench_alloc, .release = bench_release, .fail = bench_fail, .log = bench_log};
    static struct bw_stage stage;
    stage.host = &host;
    return &stage;
}

static inline void bench_begin(void)
{
    strcpy(bench, "/tmp/billow-bench-XXXXXX");
    cr_assert_not_null(mkdtemp(bench));
}

static inline void bench_end(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", bench);
    cr_assert_eq(system(command), 0);
    cr_assert_eq(kept, 0, "%lld pieces of memory are kept", (long long)kept);
}

static inline const char *bench_path(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", bench, name);
    return path;
}

static inline void bytes_put(const char *name, const void *bytes, size_t n)
{
    FILE *f = fopen(bench_path(name), "wb");
    cr_assert(f && fwrite(bytes, 1, n, f) == n && !fclose(f));
}

static inline void text_put(const char *name, const char *text) { bytes_put(name, text, strlen(text)); }

/* ---- what is read ---- */

struct found {
    enum bw_status status;
    long long triangles;
    double lo[3], hi[3], area;
};

static inline double triangle_area(const struct mesh_file *f, const int32_t t[3])
{
    double u[3], v[3], square = 0;
    for (int a = 0; a < 3; a++) {
        u[a] = f->point[t[1]][a] - f->point[t[0]][a];
        v[a] = f->point[t[2]][a] - f->point[t[0]][a];
    }
    for (int a = 0; a < 3; a++) {
        const double n = u[(a + 1) % 3] * v[(a + 2) % 3] - u[(a + 2) % 3] * v[(a + 1) % 3];
        square += n * n;
    }
    return 0.5 * sqrt(square);
}

static inline const char *reader(void)
{
    static char path[1024];
    const char *build = getenv("BILLOW_TEST_BUILD");
    cr_assert_not_null(build);
    snprintf(path, sizeof path, "%s/plugins/common/shape/billow-mesh", build);
    return path;
}

static inline struct found found_by(const char *program, double seconds, const char *name)
{
    struct mesh_file f = {0};
    struct found out = {0};
    said[0] = warned[0] = '\0';
    out.status = mesh_read_by(bench_stage(), program, seconds, bench_path(name), MESH_UP_AUTO, &f);
    out.triangles = f.n_triangles;
    memcpy(out.lo, f.box.lo, sizeof out.lo);
    memcpy(out.hi, f.box.hi, sizeof out.hi);
    for (int64_t t = 0; t < f.n_triangles; t++) out.area += triangle_area(&f, f.triangle[t]);
    mesh_file_free(bench_stage(), &f);
    return out;
}

static inline struct found found(const char *name) { return found_by(reader(), 60, name); }

/* It is read, as so many triangles of this area between these corners, and one warning says `word`; NULL: none does. */
static inline void reads(const char *name, long long triangles, double area, const double lo[3], const double hi[3],
                         const char *word)
{
    const struct found f = found(name);
    cr_assert_eq(f.status, BW_OK, "%s: %s", name, said);
    cr_assert_eq(f.triangles, triangles, "%s: %lld triangles. %s", name, f.triangles, warned);
    cr_assert_float_eq(f.area, area, 1e-5 * area, "%s: area %.9g", name, f.area);
    for (int a = 0; a < 3; a++) {
        const double close = 1e-6 * (fabs(lo[a]) < 1e3 && fabs(hi[a]) < 1e3);
        cr_assert(fabs(f.lo[a] - lo[a]) <= close && fabs(f.hi[a] - hi[a]) <= close, "%s: axis %d, %.12g to %.12g", name,
                  a, f.lo[a], f.hi[a]);
    }
    if (word) cr_assert(strstr(warned, word), "%s: \"%s\" is not in: %s", name, word, warned);
    else cr_assert_eq(warned[0], 0, "%s: %s", name, warned);
}

static inline void refuses(const char *name, const char *word)
{
    const struct found f = found(name);
    cr_assert_eq(f.status, BW_ERR_IO, "%s: status %d, %s", name, f.status, said);
    cr_assert(strstr(said, name) && strstr(said, word), "%s: \"%s\" is not in: %s", name, word, said);
}

/* ---- a box of 1 x 2 x 3 m ---- */

static const double zero[3] = {0, 0, 0}, box_size[3] = {1, 2, 3};
static const uint16_t box_face[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                         {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
enum { BOX_AREA = 22 };

static inline double box_corner(int i, int a) { return (i >> a & 1) * box_size[a]; }

#endif
