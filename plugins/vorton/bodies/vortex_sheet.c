// SPDX-License-Identifier: Apache-2.0
/* A rigid body in a flow is, for the fluid outside, a vortex sheet on its surface and vorticity 2Ω inside: fluid that
 * turns with it. The sheet follows from the condition that on the surface, just inside the sheet, the flow is the
 * body's motion U + Ω × r, no-through and no-slip in one.
 *
 * Here the sheet is known by its strengths at n nodes, two along tangents each, and made of `fine`² times as many
 * grains: vortons on the surface whose strengths are weighted means of the nodes around, so small (σ = ¼ of their
 * spacing d) that the sheet is thin. It must stand on the surface itself: what flows outside is what flows about a body
 * that reaches to the sheet; half a spacing outside, a ball of 600 nodes had an added mass 13 % too large. The
 * condition is asked for at n points under the nodes, d inside, where single grains are no longer felt (e^-2π): 3n
 * equations for 2n unknowns,
 *     min |G x + M c - w|² + λ |x|²,   C x + c = d
 * with λ 1e-4 of the mean of GᵀG's diagonal. c is one vorton in the middle, M its flow, exact outside of anything
 * round, and d the given sum: vortex lines end nowhere, so that what the sheet C x does not close of what went free
 * runs through the body. Of a body alone c = 2ΩV, found and not put in; once the sheet has gone free and stands off,
 * the fluid between turns with the body and its lines are c's too: without them a spinning body's sheet could not close
 * and its fluid would slip. GᵀG + λ is factored once for a shape, c = d - C x put into G: everything turns and moves
 * with the body. The middle's angular impulse is that of vorticity c/V all over the body, ⅓ρ∫ r × (r × c/V) = -⅓ρ J
 * c/V, put in by hand. Errors are of first order in the grains' spacing. */
#include "vortex_sheet.h"
#include "flow/kernel.h"
#include <common/shape/shape.h>
#include <common/vec3.h>
#include <string.h>

#define PI 3.14159265358979323846
#define CORE 0.25  // grains' σ over their spacing
#define DEPTH 1.0  // … and how deep inside the condition is asked for
#define WEIGHT 0.6 // deviation of a node's weight over the nodes' spacing
#define SMOOTHING 1e-4

/* ---- nodes and grains ---- */

static void tangents_make(const double normal[3], bw_vec3 tangent[2])
{
    vec3_across(normal, tangent[0]);
    double n = vec3_length(tangent[0]);
    for (int a = 0; a < 3; a++) tangent[0][a] /= n;
    vec3_cross(normal, tangent[0], tangent[1]);
}

/// Fibonacci's spiral: n points that share a sphere evenly.
static void sphere_points(int64_t n, bw_vec3 *point, bw_vec3 *normal)
{
    for (int64_t i = 0; i < n; i++) {
        double z = 1 - (2 * (double)i + 1) / (double)n, r = sqrt(1 - z * z), turn = (double)i * PI * (3 - sqrt(5));
        const double x[3] = {r * cos(turn), r * sin(turn), z};
        memcpy(point[i], x, sizeof x);
        memcpy(normal[i], x, sizeof x);
    }
}

static int64_t edge_points(const struct sheet *sh, int axis, int64_t fine)
{
    return fine * (int64_t)fmax(2, nearbyint(2 * sh->half[axis] / sh->spacing));
}

static int64_t box_count(const struct sheet *sh, int64_t fine)
{
    int64_t n[3];
    for (int a = 0; a < 3; a++) n[a] = edge_points(sh, a, fine);
    return 2 * (n[0] * n[1] + n[1] * n[2] + n[2] * n[0]);
}

/// A lattice on each face.
static void box_points(const struct sheet *sh, int64_t fine, bw_vec3 *point, bw_vec3 *normal)
{
    int64_t at = 0;
    for (int face = 0; face < 6; face++) {
        int w = face / 2, u = (w + 1) % 3, v = (w + 2) % 3;
        int64_t nu = edge_points(sh, u, fine), nv = edge_points(sh, v, fine);
        for (int64_t i = 0; i < nu * nv; i++, at++) {
            memset(normal[at], 0, sizeof *normal);
            normal[at][w] = face & 1 ? 1 : -1;
            point[at][w] = normal[at][w] * sh->half[w];
            point[at][u] = sh->half[u] * (2 * ((double)(i % nu) + 0.5) / (double)nu - 1);
            point[at][v] = sh->half[v] * (2 * ((double)(i / nu) + 0.5) / (double)nv - 1);
        }
    }
}

static void sizes_find(struct sheet *sh)
{
    const double *h = sh->half;
    int box = sh->kind == SHAPE_BOX;
    double area = box ? 8 * (h[0] * h[1] + h[1] * h[2] + h[2] * h[0]) : 4 * PI;
    sh->spacing = sqrt(area / (double)sh->wanted);
    sh->nodes = box ? box_count(sh, 1) : sh->wanted;
    sh->grains = box ? box_count(sh, sh->fine) : sh->wanted * sh->fine * sh->fine;
    sh->volume = (box ? 8 : 4. / 3 * PI) * h[0] * h[1] * h[2];
    sh->core = 0.25 * fmin(h[0], fmin(h[1], h[2]));
    double apart = sqrt(area / (double)sh->grains);
    sh->sigma = CORE * apart;
    sh->depth = DEPTH * apart;
}

/// The nodes around a grain, on its own side of the body, the nearest first; weights sum to one over them.
static void grain_weigh(struct sheet *sh, int64_t i, const double normal[3], const bw_vec3 *node_normal)
{
    double distance[SHEET_NEAR], reach = 3 * WEIGHT * sh->spacing, sum = 0;
    int n = 0;
    for (int64_t k = 0; k < sh->nodes; k++) {
        double r[3];
        for (int a = 0; a < 3; a++) r[a] = sh->grain[i][a] - sh->point[k][a];
        double d2 = vec3_dot(r, r);
        if (d2 > reach * reach || vec3_dot(normal, node_normal[k]) < 0.5 || (n == SHEET_NEAR && d2 >= distance[n - 1]))
            continue;
        int to = n < SHEET_NEAR ? n++ : n - 1;
        for (; to > 0 && distance[to - 1] > d2; to--) {
            distance[to] = distance[to - 1];
            sh->near[i][to] = sh->near[i][to - 1];
        }
        distance[to] = d2;
        sh->near[i][to] = (int32_t)k;
    }
    for (int k = 0; k < SHEET_NEAR; k++) {
        if (k >= n) sh->near[i][k] = -1;
        sh->weight[i][k] =
            k < n ? exp(-0.5 * (distance[k] - distance[0]) / (WEIGHT * WEIGHT * sh->spacing * sh->spacing)) : 0;
        sum += sh->weight[i][k];
    }
    for (int k = 0; k < n; k++) sh->weight[i][k] *= (double)sh->nodes / (double)sh->grains / sum;
}

struct making {
    struct sheet *sh;
    bw_vec3 *normal, *grain_normal;
};

static void grain_place(int64_t i, uint32_t worker, void *user)
{
    const struct making *m = user;
    (void)worker;
    grain_weigh(m->sh, i, m->grain_normal[i], (const bw_vec3 *)m->normal);
}

static void places_make(struct bw_stage *s, const struct making *m)
{
    struct sheet *sh = m->sh;
    if (sh->kind == SHAPE_BOX) {
        box_points(sh, 1, sh->point, m->normal);
        box_points(sh, sh->fine, sh->grain, m->grain_normal);
    } else {
        sphere_points(sh->nodes, sh->point, m->normal);
        sphere_points(sh->grains, sh->grain, m->grain_normal);
    }
    for (int64_t i = 0; i < sh->nodes; i++) tangents_make(m->normal[i], sh->tangent + 2 * i);
    s->host->parallel_for(s, sh->grains, grain_place, (void *)(intptr_t)m);
    for (int64_t i = 0; i < sh->nodes; i++)
        for (int a = 0; a < 3; a++) sh->point[i][a] -= sh->depth * m->normal[i][a];
}

/// What an unknown of a node that a grain leans on is as a vector.
static inline const double *unknown_axis(const struct sheet *sh, int64_t grain, int near, int t, int64_t *unknown)
{
    *unknown = 2 * (int64_t)sh->near[grain][near] + t;
    return sh->tangent[*unknown];
}

void sheet_strength(const struct sheet *sh, const double *x, int64_t i, double out[3])
{
    out[0] = out[1] = out[2] = 0;
    for (int k = 0; k < 2 * SHEET_NEAR && sh->near[i][k / 2] >= 0; k++) {
        int64_t j;
        const double *axis = unknown_axis(sh, i, k / 2, k & 1, &j);
        for (int a = 0; a < 3; a++) out[a] += sh->weight[i][k / 2] * x[j] * axis[a];
    }
}

/* ---- equations ---- */

/// Without the grains, what the vorton in the middle does that closes them: of unit strengths along the axes, and of an
/// unknown.
static void middle_take(struct sheet *sh, int64_t i)
{
    int64_t m = 2 * sh->nodes;
    for (int b = 0; b < 3; b++) {
        double u[3] = {0};
        kernel_add(sh->kernel, (const double[3]){b == 0, b == 1, b == 2}, sh->core, sh->point[i], u);
        for (int a = 0; a < 3; a++) {
            sh->middle[3 * i + a][b] = u[a];
            for (int64_t j = 0; j < m; j++) sh->influence[(3 * i + a) * m + j] -= u[a] * sh->sum[b * m + j];
        }
    }
}

static void influence_row(int64_t i, uint32_t worker, void *user)
{
    struct sheet *sh = user;
    int64_t m = 2 * sh->nodes;
    (void)worker;
    middle_take(sh, i);
    for (int64_t g = 0; g < sh->grains; g++) {
        double r[3];
        vec3_sub(sh->point[i], sh->grain[g], r);
        double d2 = vec3_dot(r, r), d = sqrt(d2), f = kernel_q(sh->kernel, d / sh->sigma) / (4 * PI * d2 * d);
        for (int k = 0; k < 2 * SHEET_NEAR && sh->near[g][k / 2] >= 0; k++) {
            int64_t j;
            double u[3];
            vec3_cross(unknown_axis(sh, g, k / 2, k & 1, &j), r, u);
            for (int a = 0; a < 3; a++) sh->influence[(3 * i + a) * m + j] += f * sh->weight[g][k / 2] * u[a];
        }
    }
}

/// Sums and impulses of the unknowns.
static void moments_make(struct sheet *sh)
{
    int64_t m = 2 * sh->nodes;
    for (int64_t g = 0; g < sh->grains; g++)
        for (int k = 0; k < 2 * SHEET_NEAR && sh->near[g][k / 2] >= 0; k++) {
            int64_t j;
            const double *axis = unknown_axis(sh, g, k / 2, k & 1, &j);
            double six[6] = {0};
            sheet_impulse(sh->grain[g], axis, sh->weight[g][k / 2], six);
            for (int a = 0; a < 6; a++) sh->impulse_of[a * m + j] += six[a];
            for (int a = 0; a < 3; a++) sh->sum[a * m + j] += sh->weight[g][k / 2] * axis[a];
        }
}

/// Row i of GᵀG, up to its diagonal.
static void normal_row(int64_t i, uint32_t worker, void *user)
{
    struct sheet *sh = user;
    int64_t m = 2 * sh->nodes;
    double *row = sh->low + i * m;
    (void)worker;
    for (int64_t r = 0; r < 3 * sh->nodes; r++) {
        const double *g = sh->influence + r * m, f = g[i];
        for (int64_t j = 0; j <= i; j++) row[j] += f * g[j];
    }
}

/// low ← Cholesky's factor of itself, column by column; 0: it has none.
static int factor(double *low, int64_t m)
{
    for (int64_t i = 0; i < m; i++) {
        double *row = low + i * m, sum = row[i];
        for (int64_t j = 0; j < i; j++) {
            const double *other = low + j * m;
            double s[4] = {0}; // four sums: as fast as the memory
            int64_t k = 0;
            for (; k + 4 <= j; k += 4)
                for (int q = 0; q < 4; q++) s[q] += row[k + q] * other[k + q];
            for (; k < j; k++) s[0] += row[k] * other[k];
            row[j] = (row[j] - (s[0] + s[1] + (s[2] + s[3]))) / other[j];
            sum -= row[j] * row[j];
        }
        if (!(sum > 0)) return 0;
        row[i] = sqrt(sum);
    }
    return 1;
}

/// x ← (L Lᵀ)⁻¹ x.
static void factor_solve(const double *low, int64_t m, double *x)
{
    for (int64_t i = 0; i < m; i++) {
        for (int64_t k = 0; k < i; k++) x[i] -= low[i * m + k] * x[k];
        x[i] /= low[i * m + i];
    }
    for (int64_t i = m - 1; i >= 0; i--) {
        x[i] /= low[i * m + i];
        for (int64_t k = 0; k < i; k++) x[k] -= low[i * m + k] * x[i];
    }
}

void sheet_solve(const struct sheet *sh, const bw_vec3 *wanted, const double closing[3], double *out)
{
    int64_t m = 2 * sh->nodes;
    memset(out, 0, (size_t)m * sizeof *out);
    for (int64_t r = 0; r < 3 * sh->nodes; r++) {
        double w = wanted[r / 3][r % 3] - vec3_dot(sh->middle[r], closing);
        for (int64_t j = 0; j < m; j++) out[j] += w * sh->influence[r * m + j];
    }
    factor_solve(sh->low, m, out);
}

void sheet_middle(const struct sheet *sh, const double *x, const double closing[3], double out[3])
{
    int64_t m = 2 * sh->nodes;
    for (int a = 0; a < 3; a++) {
        out[a] = closing[a];
        for (int64_t j = 0; j < m; j++) out[a] -= x[j] * sh->sum[a * m + j];
    }
}

void sheet_impulse(const double r[3], const double strength[3], double times, double out[6])
{
    double c[3], d[3];
    vec3_cross(r, strength, c);
    vec3_cross(r, c, d);
    for (int a = 0; a < 3; a++) {
        out[a] += times * c[a] / 2;
        out[3 + a] += times * d[a] / 3;
    }
}

/// ∫ r² - x_k² over the shape: about which a motion turns.
static double second_moment(const struct sheet *sh, int k)
{
    double u = sh->half[(k + 1) % 3], v = sh->half[(k + 2) % 3];
    return sh->volume * (u * u + v * v) / (sh->kind == SHAPE_BOX ? 3 : 5);
}

void sheet_impulse_sum(const struct sheet *sh, const double *x, const double closing[3], double out[6])
{
    int64_t m = 2 * sh->nodes;
    double middle[3];
    for (int a = 0; a < 6; a++)
        for (int64_t j = 0; j < m; j++) out[a] += sh->impulse_of[a * m + j] * x[j];
    sheet_middle(sh, x, closing, middle);
    for (int a = 0; a < 3; a++) out[3 + a] -= 2. / 3 * second_moment(sh, a) * middle[a] / (2 * sh->volume);
}

/* ---- unit motions ---- */

static void unit_make(struct sheet *sh, int k, bw_vec3 *wanted)
{
    const double axis[3] = {k % 3 == 0, k % 3 == 1, k % 3 == 2}, closed[3] = {0};
    for (int64_t i = 0; i < sh->nodes; i++) {
        if (k >= 3) vec3_cross(axis, sh->point[i], wanted[i]);
        else memcpy(wanted[i], axis, sizeof axis);
    }
    double *x = sh->unit + k * 2 * sh->nodes;
    sheet_solve(sh, (const bw_vec3 *)wanted, closed, x);
    memset(sh->unit_impulse[k], 0, sizeof sh->unit_impulse[k]);
    sheet_impulse_sum(sh, x, closed, sh->unit_impulse[k]);
}

static enum bw_status arrays_take(struct bw_stage *s, struct sheet *sh)
{
    size_t n = (size_t)sh->nodes, g = (size_t)sh->grains, m = 2 * n;
    bw_vec3 *v = s->host->alloc(s, (6 * n + g) * sizeof *v);
    double *d = s->host->alloc(s, (3 * n * m + m * m + 15 * m) * sizeof *d);
    sh->near = s->host->alloc(s, g * sizeof *sh->near);
    sh->weight = s->host->alloc(s, g * sizeof *sh->weight);
    if (!v || !d || !sh->near || !sh->weight)
        return s->host->fail(s, BW_ERR_MEMORY, "out of memory for a sheet of %lld nodes", (long long)sh->nodes);
    sh->point = v;
    sh->tangent = v + n;
    sh->middle = v + 3 * n;
    sh->grain = v + 6 * n;
    sh->influence = d;
    sh->low = d + 3 * n * m;
    sh->sum = sh->low + m * m;
    sh->impulse_of = sh->sum + 3 * m;
    sh->unit = sh->impulse_of + 6 * m;
    return BW_OK;
}

/// Factor of the normal equations.
static enum bw_status equations_make(struct bw_stage *s, struct sheet *sh)
{
    int64_t m = 2 * sh->nodes;
    double trace = 0;
    moments_make(sh);
    s->host->parallel_for(s, sh->nodes, influence_row, sh);
    s->host->parallel_for(s, m, normal_row, sh);
    for (int64_t i = 0; i < m; i++) trace += sh->low[i * m + i];
    for (int64_t i = 0; i < m; i++) sh->low[i * m + i] += SMOOTHING * trace / (double)m;
    return factor(sh->low, m)
               ? BW_OK
               : s->host->fail(s, BW_ERR_DIVERGED, "the equations of a sheet of %lld nodes have no solution",
                               (long long)sh->nodes);
}

enum bw_status sheet_make(struct bw_stage *s, struct sheet *sh)
{
    sizes_find(sh);
    struct making m = {.sh = sh,
                       .normal = s->host->scratch(s, (size_t)sh->nodes * sizeof *m.normal),
                       .grain_normal = s->host->scratch(s, (size_t)sh->grains * sizeof *m.grain_normal)};
    bw_vec3 *wanted = s->host->scratch(s, (size_t)sh->nodes * sizeof *wanted);
    enum bw_status st = m.normal && m.grain_normal && wanted ? arrays_take(s, sh) : BW_ERR_MEMORY;
    if (st) return st;
    places_make(s, &m);
    st = equations_make(s, sh);
    for (int k = 0; k < 6 && !st; k++) unit_make(sh, k, wanted);
    return st;
}
