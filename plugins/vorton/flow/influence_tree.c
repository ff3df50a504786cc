// SPDX-License-Identifier: Apache-2.0
/* The influence tree of Gourlay, Fluid Simulation for Video Games, parts 3 to 8. A grid of about as many cells as
 * vortons holds the sum of each cell's vortons at their centre, every coarser level the sum of 2×2×2 cells. A query
 * descends from the top: of a cell's children the one that holds the point is opened, all others act as one vorton
 * each, however near they are: there is no opening angle, which is why its error is about a tenth. Velocity is found at
 * the corners of the cells and interpolated from there. Cost O(N log N), all in scalar arithmetic. */
#include "influence_tree.h"
#include "kernel.h"
#include <common/vec3.h>
#include <string.h>

static void box_grow(double lo[3], double hi[3], int64_t count, const bw_vec3 *pos)
{
    for (int64_t i = 0; i < count; i++)
        for (int a = 0; a < 3; a++) {
            lo[a] = fmin(lo[a], pos[i][a]);
            hi[a] = fmax(hi[a], pos[i][a]);
        }
}

/// As many cells as vortons, as cubic as whole numbers allow; then levels, each half as fine, down to one cell.
static void levels_choose(struct influence_tree *g, const double hi[3], int64_t count)
{
    double size[3], volume = 1, most = 0;
    for (int a = 0; a < 3; a++) most = fmax(most, hi[a] - g->lo[a]);
    for (int a = 0; a < 3; a++) volume *= size[a] = fmax(hi[a] - g->lo[a], most > 0 ? 1e-3 * most : 1);
    double edge = cbrt(volume / (double)count);
    for (int a = 0; a < 3; a++) {
        g->n[0][a] = (int32_t)fmax(1, fmin(ceil(size[a] / edge), 1 << 12));
        g->h[a] = size[a] * (1 + 1e-9) / g->n[0][a];
    }
    g->levels = 1;
    for (int l = 0; l + 1 < TREE_LEVELS && (g->n[l][0] > 1 || g->n[l][1] > 1 || g->n[l][2] > 1); l++, g->levels++)
        for (int a = 0; a < 3; a++) g->n[l + 1][a] = (g->n[l][a] + 1) / 2;
}

static int64_t level_cells(const struct influence_tree *g, int l)
{
    return (int64_t)g->n[l][0] * g->n[l][1] * g->n[l][2];
}

static struct tree_cell *cell_at(const struct influence_tree *g, int l, const int32_t c[3])
{
    return &g->cell[l][c[0] + (int64_t)g->n[l][0] * (c[1] + (int64_t)g->n[l][1] * c[2])];
}

static void cell_of(const struct influence_tree *g, const double x[3], int32_t c[3])
{
    for (int a = 0; a < 3; a++) {
        double at = floor((x[a] - g->lo[a]) / g->h[a]);
        c[a] = at <= 0 ? 0 : at >= g->n[0][a] - 1 ? g->n[0][a] - 1 : (int32_t)at;
    }
}

static void cell_add(struct tree_cell *to, const double strength[3], const double pos[3], double radius, double weight)
{
    for (int a = 0; a < 3; a++) {
        to->strength[a] += strength[a];
        to->pos[a] += weight * pos[a];
    }
    to->radius += weight * radius;
    to->weight += weight;
}

static void cells_mean(struct tree_cell *c, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        if (!(c[i].weight > 0)) continue;
        for (int a = 0; a < 3; a++) c[i].pos[a] /= c[i].weight;
        c[i].radius /= c[i].weight;
    }
}

static void tree_fill(struct influence_tree *g, const struct vortons *v)
{
    int32_t c[3];
    for (int64_t i = 0; i < v->count; i++) {
        const double *a = v->strength[i];
        cell_of(g, v->pos[i], c);
        cell_add(cell_at(g, 0, c), a, v->pos[i], v->radius[i], vec3_length(a));
    }
    cells_mean(g->cell[0], level_cells(g, 0));
    for (int l = 1; l < g->levels; l++) {
        for (int64_t i = 0; i < level_cells(g, l - 1); i++) {
            const struct tree_cell *f = &g->cell[l - 1][i];
            c[0] = (int32_t)(i % g->n[l - 1][0]) / 2;
            c[1] = (int32_t)(i / g->n[l - 1][0] % g->n[l - 1][1]) / 2;
            c[2] = (int32_t)(i / g->n[l - 1][0] / g->n[l - 1][1]) / 2;
            if (f->weight > 0) cell_add(cell_at(g, l, c), f->strength, f->pos, f->radius, f->weight);
        }
        cells_mean(g->cell[l], level_cells(g, l));
    }
}

static void cell_act(const struct influence_tree *g, const struct tree_cell *c, const double x[3], double u[3])
{
    double r[3];
    vec3_sub(x, c->pos, r);
    if (c->weight > 0) kernel_add(g->kernel, c->strength, c->radius, r, u);
}

/// Down the levels along the cells that hold x; what is beside them acts.
static void query(const struct influence_tree *g, const double x[3], double u[3])
{
    int32_t home[3], c[3];
    cell_of(g, x, home);
    u[0] = u[1] = u[2] = 0;
    for (int l = g->levels - 1; l > 0; l--) {
        int32_t up[3] = {home[0] >> l, home[1] >> l, home[2] >> l};
        for (int e = 0; e < 8; e++) {
            int inside = 1, mine = 1;
            for (int a = 0; a < 3; a++) {
                c[a] = 2 * up[a] + (e >> a & 1);
                inside &= c[a] < g->n[l - 1][a];
                mine &= c[a] == home[a] >> (l - 1);
            }
            if (inside && (!mine || l == 1)) cell_act(g, cell_at(g, l - 1, c), x, u);
        }
    }
    if (g->levels == 1) cell_act(g, g->cell[0], x, u);
}

static void corners_row(int64_t row, uint32_t worker, void *user)
{
    const struct influence_tree *g = user;
    int64_t j = row % (g->n[0][1] + 1), k = row / (g->n[0][1] + 1);
    (void)worker;
    for (int64_t i = 0; i <= g->n[0][0]; i++) {
        const double x[3] = {g->lo[0] + (double)i * g->h[0], g->lo[1] + (double)j * g->h[1],
                             g->lo[2] + (double)k * g->h[2]};
        query(g, x, g->velocity[i + row * (g->n[0][0] + 1)]);
    }
}

enum bw_status influence_tree_build(struct bw_stage *s, struct influence_tree *g, const struct vortons *v,
                                    enum pair_kernel kernel, int64_t count, const bw_vec3 *pos)
{
    double hi[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (int a = 0; a < 3; a++) g->lo[a] = HUGE_VAL;
    box_grow(g->lo, hi, v->count, v->pos);
    box_grow(g->lo, hi, count, pos);
    levels_choose(g, hi, v->count);
    g->kernel = kernel;
    int64_t cells = 0, corners = (int64_t)(g->n[0][0] + 1) * (g->n[0][1] + 1) * (g->n[0][2] + 1);
    for (int l = 0; l < g->levels; l++) cells += level_cells(g, l);
    struct tree_cell *c = buffer_need(s, &g->memory[0], (size_t)cells * sizeof *c);
    g->velocity = buffer_need(s, &g->memory[1], (size_t)corners * sizeof *g->velocity);
    if (!c || !g->velocity) return BW_ERR_MEMORY;
    memset(c, 0, (size_t)cells * sizeof *c);
    for (int l = 0; l < g->levels; c += level_cells(g, l++)) g->cell[l] = c;
    tree_fill(g, v);
    s->host->parallel_for(s, (int64_t)(g->n[0][1] + 1) * (g->n[0][2] + 1), corners_row, g);
    return BW_OK;
}

/* ---- interpolation ---- */

struct tree_points {
    const struct influence_tree *g;
    int64_t count;
    const bw_vec3 *pos;
    double *velocity, *gradient;
};

enum { TREE_CHUNK = 1024 };

static void point_interpolate(const struct influence_tree *g, const double x[3], double *u, double *m)
{
    int32_t c[3];
    double f[3];
    cell_of(g, x, c);
    for (int a = 0; a < 3; a++) f[a] = fmin(fmax((x[a] - g->lo[a]) / g->h[a] - c[a], 0), 1);
    for (int e = 0; e < 8; e++) {
        double w[3], slope[3];
        for (int a = 0; a < 3; a++) {
            w[a] = e >> a & 1 ? f[a] : 1 - f[a];
            slope[a] = (e >> a & 1 ? 1 : -1) / g->h[a];
        }
        int64_t at = c[0] + (e & 1) +
                     (int64_t)(g->n[0][0] + 1) * (c[1] + (e >> 1 & 1) + (int64_t)(g->n[0][1] + 1) * (c[2] + (e >> 2)));
        for (int i = 0; i < 3; i++) {
            double v = g->velocity[at][i];
            u[i] += w[0] * w[1] * w[2] * v;
            if (!m) continue;
            m[3 * i] += slope[0] * w[1] * w[2] * v;
            m[3 * i + 1] += w[0] * slope[1] * w[2] * v;
            m[3 * i + 2] += w[0] * w[1] * slope[2] * v;
        }
    }
}

static void points_chunk(int64_t chunk, uint32_t worker, void *user)
{
    const struct tree_points *p = user;
    int64_t end = (chunk + 1) * TREE_CHUNK < p->count ? (chunk + 1) * TREE_CHUNK : p->count;
    (void)worker;
    for (int64_t i = chunk * TREE_CHUNK; i < end; i++)
        point_interpolate(p->g, p->pos[i], p->velocity + 3 * i, p->gradient ? p->gradient + 9 * i : NULL);
}

void influence_tree_evaluate(struct bw_stage *s, const struct influence_tree *g, int64_t count, const bw_vec3 *pos,
                             double *velocity, double *gradient)
{
    struct tree_points p = {g, count, pos, velocity, gradient};
    s->host->parallel_for(s, (count + TREE_CHUNK - 1) / TREE_CHUNK, points_chunk, &p);
}
