// SPDX-License-Identifier: Apache-2.0
/* Signed distances to targets of flame control: shapes, meshes, and fields by the eikonal equation (fast sweeping).
 *
 * Shapes of the preset and meshes know their distance. A VDB file may hold a mask, or a level set that ends two voxels
 * from its surface: its distance is found anew on the domain's cells. Cells with a neighbour on the other side get the
 * distance of the plane through the crossings on the axes; from there |grad d| = 1 is solved by fast sweeping (Zhao
 * 2005: Gauss and Seidel's method in the eight diagonal orders, first order upwind), inside and outside alike. */
#include "target_distance.h"
#include <common/archive.h>
#include <common/vec3.h>

#include <math.h>
#include <string.h>

/* ---- VDB shapes ---- */

struct sampling {
    const struct pose *pose;
    const struct bw_domain_info *domain;
    struct distance_grid *g;
};

static void plane_sample(int64_t k, uint32_t worker, void *user)
{
    (void)worker;
    const struct sampling *a = user;
    const struct distance_grid *g = a->g;
    float *v = g->value + k * g->n[0] * g->n[1];
    for (int32_t j = 0; j < g->n[1]; j++)
        for (int32_t i = 0; i < g->n[0]; i++, v++) {
            const int32_t at[3] = {i, j, (int32_t)k};
            double x[3];
            for (int c = 0; c < 3; c++) x[c] = a->domain->origin[c] + (g->lo[c] + at[c] + 0.5) * a->domain->h;
            *v = (float)pose_distance(a->pose, x);
        }
}

/* Distance, in cells, of the surface that crosses the axes round cell `at`; HUGE_VAL: none does. */
static double crossing_distance(const struct distance_grid *g, const float *v, const int32_t at[3])
{
    const ptrdiff_t step[3] = {1, g->n[0], (ptrdiff_t)g->n[0] * g->n[1]};
    double square = 0, own = (double)*v;
    for (int c = 0; c < 3; c++) {
        double nearest = HUGE_VAL;
        for (int side = -1; side <= 1; side += 2) {
            if (at[c] + side < 0 || at[c] + side >= g->n[c]) continue;
            double other = (double)v[side * step[c]];
            if ((own < 0) != (other < 0)) nearest = fmin(nearest, own / (own - other));
        }
        if (nearest < HUGE_VAL) square += 1 / fmax(nearest * nearest, 1e-12);
    }
    return square > 0 ? 1 / sqrt(square) : HUGE_VAL;
}

/* Solution of the sum over axes of max(u - a, 0)² = 1. */
static double eikonal(double a, double b, double c)
{
    double t;
    if (a > b) t = a, a = b, b = t;
    if (b > c) t = b, b = c, c = t;
    if (a > b) t = a, a = b, b = t;
    double u = a + 1;
    if (u > b) u = 0.5 * (a + b + sqrt(fmax(2 - (a - b) * (a - b), 0)));
    if (u > c) {
        double sum = a + b + c;
        u = (sum + sqrt(fmax(sum * sum - 3 * (a * a + b * b + c * c - 1), 0))) / 3;
    }
    return u;
}

static double nearer(const float *d, ptrdiff_t step, int32_t at, int32_t n)
{
    double low = at > 0 ? (double)d[-step] : HUGE_VAL, high = at + 1 < n ? (double)d[step] : HUGE_VAL;
    return fmin(low, high);
}

static void cell_sweep(const struct distance_grid *g, float *d, const uint8_t *fixed, int32_t i, int32_t j, int32_t k)
{
    const ptrdiff_t sy = g->n[0], sz = sy * g->n[1], at = i + j * sy + k * sz;
    if (fixed[at]) return;
    double u = eikonal(nearer(d + at, 1, i, g->n[0]), nearer(d + at, sy, j, g->n[1]), nearer(d + at, sz, k, g->n[2]));
    if (u < (double)d[at]) d[at] = (float)u;
}

static void distances_sweep(const struct distance_grid *g, float *d, const uint8_t *fixed)
{
    for (int order = 0; order < 8; order++)
        for (int32_t k = 0; k < g->n[2]; k++)
            for (int32_t j = 0; j < g->n[1]; j++)
                for (int32_t i = 0; i < g->n[0]; i++)
                    cell_sweep(g, d, fixed, order & 1 ? g->n[0] - 1 - i : i, order & 2 ? g->n[1] - 1 - j : j,
                               order & 4 ? g->n[2] - 1 - k : k);
}

/* Cells round the shape that lie in the domain. 0: none. */
static size_t grid_place(const struct bw_stage *s, const struct pose *now, double reach, struct distance_grid *g)
{
    const struct box3 box = pose_bounds(now, reach);
    size_t count = 1;
    for (int c = 0; c < 3; c++) {
        double lo = (box.lo[c] - s->grid->origin[c]) / s->grid->h, hi = (box.hi[c] - s->grid->origin[c]) / s->grid->h;
        if (s->grid->n[0] > 0) lo = fmax(lo, -1), hi = fmin(hi, s->grid->n[c] + 1);
        if (!(hi > lo && hi - lo < 1e5)) return 0;
        g->lo[c] = (int32_t)floor(lo);
        g->n[c] = (int32_t)ceil(hi) - g->lo[c] + 1;
        count *= (size_t)g->n[c];
    }
    g->beyond = reach;
    return count;
}

enum bw_status distance_grid_make(struct bw_stage *s, const struct pose *now, int64_t number, double reach,
                                  struct distance_grid *g)
{
    if (g->value && g->number == number && !pose_moved(&g->of, now)) return BW_OK;
    s->host->release(s, g->value);
    g->value = NULL;
    g->of = *now;
    g->number = number;
    const size_t count = grid_place(s, now, reach, g);
    if (!count) return BW_OK;
    float *d = s->host->scratch(s, count * sizeof *d);
    uint8_t *fixed = s->host->scratch(s, count);
    g->value = s->host->alloc(s, count * sizeof *g->value);
    if (!d || !fixed || !g->value) return s->host->fail(s, BW_ERR_MEMORY, "out of memory for the target's distances");
    s->host->parallel_for(s, g->n[2], plane_sample, &(struct sampling){now, s->grid, g});
    for (size_t q = 0; q < count; q++) {
        const size_t row = q / (size_t)g->n[0];
        const int32_t at[3] = {(int32_t)(q % (size_t)g->n[0]), (int32_t)(row % (size_t)g->n[1]),
                               (int32_t)(row / (size_t)g->n[1])};
        double near = crossing_distance(g, g->value + q, at);
        fixed[q] = near < HUGE_VAL;
        d[q] = fixed[q] ? (float)near : 1e9f;
    }
    distances_sweep(g, d, fixed);
    for (size_t q = 0; q < count; q++) {
        double far = fmin((double)d[q] * s->grid->h, reach);
        g->value[q] = (float)(g->value[q] < 0 ? -far : far);
    }
    return BW_OK;
}

enum bw_status distance_grid_checkpoint(struct bw_stage *s, struct bw_archive *a, struct distance_grid *g)
{
    struct distance_grid kept = *g;
    int64_t count = g->value ? (int64_t)g->n[0] * g->n[1] * g->n[2] : 0;
    kept.value = NULL, kept.of.mesh = NULL, kept.of.vdb = NULL, kept.of.points = NULL; // addresses of this process
    if (!archive_has(a, "distances")) return BW_OK;
    a->bytes(a, "distances", &count, sizeof count);
    enum bw_status status = a->bytes(a, "place", &kept, sizeof kept);
    if (!status && count && !archive_cells_fit(kept.n, count))
        return s->host->fail(s, BW_ERR_IO, "checkpoint: distances of %lld cells do not fit", (long long)count);
    if (a->restoring) s->host->release(s, g->value);
    kept.value = archive_array(s, a, "values", g->value, (size_t)count * sizeof *g->value, &status);
    if (a->restoring) *g = kept;
    return status;
}

/* Trilinear between cell centres. */
static double grid_distance(const struct target *t, const double x[3])
{
    const struct distance_grid *g = t->grid;
    const ptrdiff_t step[3] = {1, g->n[0], (ptrdiff_t)g->n[0] * g->n[1]};
    double f[3], value = 0;
    ptrdiff_t at = 0;
    if (!g->value) return g->beyond;
    for (int c = 0; c < 3; c++) {
        double q = (x[c] - t->domain->origin[c]) / t->domain->h - 0.5 - g->lo[c];
        if (!(q >= 0 && q < g->n[c] - 1)) return g->beyond;
        at += (ptrdiff_t)q * step[c];
        f[c] = q - floor(q);
    }
    for (int corner = 0; corner < 8; corner++) {
        double weight = 1;
        ptrdiff_t from = at;
        for (int c = 0; c < 3; c++) {
            int high = corner >> c & 1;
            weight *= high ? f[c] : 1 - f[c];
            from += high * step[c];
        }
        value += weight * (double)g->value[from];
    }
    return value;
}

double target_distance(const struct target *t, const double x[3])
{
    return t->grid ? grid_distance(t, x) : pose_distance(&t->now, x);
}

/* ---- paths ---- */

/* Between b and c, at the fraction u. */
static void spline_at(const double *a, const double *b, const double *c, const double *d, double u, double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = b[i] + 0.5 * u *
                            (c[i] - a[i] +
                             u * (2 * a[i] - 5 * b[i] + 4 * c[i] - d[i] + u * (3 * (b[i] - c[i]) + d[i] - a[i])));
}

enum bw_status path_make(struct bw_stage *s, const struct control_node *node, int64_t count, struct path *p)
{
    const int spans = (int)count - 1;
    p->n = spans * PATH_PARTS;
    p->node = s->host->scratch(s, (size_t)(p->n + 1) * sizeof *p->node);
    if (!p->node) return s->host->fail(s, BW_ERR_MEMORY, "out of memory for the path");
    for (int q = 0; q <= p->n; q++) {
        const int i = q / PATH_PARTS < spans ? q / PATH_PARTS : spans - 1;
        const double u = (double)(q - i * PATH_PARTS) / PATH_PARTS;
        spline_at(node[i > 0 ? i - 1 : 0].at, node[i].at, node[i + 1].at, node[i + 2 < count ? i + 2 : i + 1].at, u,
                  p->node[q]);
    }
    return BW_OK;
}

double path_distance(const struct path *p, const double x[3], double along[3], double offset[3])
{
    double best = HUGE_VAL;
    int past = 0;
    for (int q = 0; q < p->n; q++) {
        const double *a = p->node[q], *b = p->node[q + 1];
        double line[3], from[3];
        vec3_sub(b, a, line);
        vec3_sub(x, a, from);
        const double length2 = vec3_dot(line, line);
        if (!(length2 > 0)) continue;
        const double u = vec3_dot(line, from) / length2, fraction = fmin(fmax(u, 0), 1);
        for (int i = 0; i < 3; i++) from[i] -= fraction * line[i];
        const double square = vec3_dot(from, from);
        if (square >= best) continue;
        best = square;
        past = q == p->n - 1 && u > 1;
        for (int i = 0; i < 3; i++) {
            along[i] = line[i] / sqrt(length2);
            offset[i] = from[i];
        }
    }
    return past ? HUGE_VAL : sqrt(best) - p->thickness;
}

/* ---- all together ---- */

int target_holds(const struct target *t, const double x[3])
{
    double along[3], offset[3];
    if (t->shaped && target_distance(t, x) <= 0) return 1;
    if (t->path.n > 0 && path_distance(&t->path, x, along, offset) <= 0) return 1;
    for (int64_t i = 0; i < t->n_points; i++) {
        const struct control_point *p = &t->point[i];
        if (vec3_distance2(x, p->at) <= p->radius * p->radius) return 1;
    }
    return 0;
}
