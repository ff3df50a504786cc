// SPDX-License-Identifier: Apache-2.0
/* A surface from the planes of the cells around: each cell knows one, d + n·(x - x_i), which is exact where the
 * surface is flat. Up to four cells whose normals are as unlike as can be found stand for a face each, a face is the
 * mean of the planes with normals like theirs, with a B-spline's weights (robust means after Öztireli, Guennebaud and
 * Gross 2009), and the largest of them is the surface, for a distance is a convex function round a convex body. Cells
 * beside an edge, outside, have planes that touch it: they leave a bevel of a tenth of a cell. Corners that go in are
 * not found: who reads takes the lesser of this and of what is smooth. */
#include "surface.h"
#include <picture/volume/rays/step/read.h>
#include <picture/volume/scene/fast_math.h>

#include <math.h>

enum { CELLS = 64, FACES = 4 };
#define UNLIKE 0.35f ///< 1 - cosine of a normal to that of a face: from there on it is another's
#define FACE 0.01f   ///< share of the weights that a face needs at least
#define NEAR 2.0f    ///< cells from a surface: what is farther off counts less and less
#define PASSES 1.5f  ///< cells from x that a plane passes: likewise; others are of another wall
#define INWARD 0.1f  ///< cells: distances are no more exact than that
#define LEAST 1e-3f  ///< weights below that are none

/// The cells around, as planes seen from x; those of no weight fill the last four up.
struct around {
    struct lanes face[CELLS]; ///< {normal, plane}
    float normal[3][CELLS], weight[CELLS], all;
    float score[CELLS];   ///< weight of a cell that is like no face yet
    float from[CELLS][3]; ///< from the cell to x
    int n;
};

static void around_add(struct around *g, const float cell[4], const float from[3], float share)
{
    const int i = g->n;
    float plane = cell[0];
    for (int a = 0; a < 3; a++) plane += cell[1 + a] * from[a];
    g->weight[i] = g->score[i] = share * bw_most(1 - fabsf(plane) / PASSES, 0);
    if (g->weight[i] < LEAST) return;
    g->face[i] = (struct lanes){{cell[1], cell[2], cell[3], plane}};
    for (int a = 0; a < 3; a++) g->normal[a][i] = cell[1 + a], g->from[i][a] = from[a];
    g->all += g->weight[i];
    g->n++;
}

static void around_gather(const struct bw_dense *b, const float *normals, const float x[3], struct around *g)
{
    float in[3];
    for (int a = 0; a < 3; a++) in[a] = bw_least(bw_most(x[a], 0), (float)(b->n[a] - 1));
    const struct taps t = taps_at(b, in, 1);
    const size_t nx = (size_t)b->n[0], ny = (size_t)b->n[1];
    const int first[3] = {(int)(t.first % nx), (int)(t.first / nx % ny), (int)(t.first / nx / ny)};
    g->n = 0, g->all = 0;
    for (int q = 0; q < CELLS; q++) {
        const int at[3] = {q % 4, q / 4 % 4, q / 16};
        const float *cell =
            normals + 4 * (t.first + (size_t)at[0] + (size_t)at[1] * t.next[1] + (size_t)at[2] * t.next[2]);
        const float share = bw_most(1 - fabsf(cell[0]) / NEAR, 0) * t.w[0][at[0]] * t.w[1][at[1]] * t.w[2][at[2]];
        if (share < LEAST || (cell[1] == 0 && cell[2] == 0 && cell[3] == 0)) continue;
        float from[3];
        for (int a = 0; a < 3; a++) from[a] = x[a] - (float)(first[a] + at[a]);
        around_add(g, cell, from, share);
    }
    for (int i = g->n; i % 4; i++) g->weight[i] = g->score[i] = g->normal[0][i] = g->normal[1][i] = g->normal[2][i] = 0;
}

/// Mean of the planes whose normals are like `like`; answers their share of the weights.
static float face_mean(const struct around *g, const float like[3], struct bw_surface *s)
{
    struct lanes mean = {{0}};
    float sum = 0, w[CELLS];
    for (int i = 0; i < g->n; i += 4)
        for (int c = i; c < i + 4; c++) {
            const float cosine = like[0] * g->normal[0][c] + like[1] * g->normal[1][c] + like[2] * g->normal[2][c];
            const float near = bw_most(1 - (1 - cosine) / UNLIKE, 0);
            w[c] = g->weight[c] * near * near;
        }
    for (int i = 0; i < g->n; i++) sum += w[i], mean.v += w[i] * g->face[i].v;
    const float length = 1e-20f + sqrtf(mean.v[0] * mean.v[0] + mean.v[1] * mean.v[1] + mean.v[2] * mean.v[2]);
    for (int a = 0; a < 3; a++) s->normal[a] = mean.v[a] / length;
    s->distance = sum > 0 ? mean.v[3] / sum : 0;
    return sum / g->all;
}

/// The cell of the highest score.
static int face_seek(const struct around *g)
{
    int best = 0;
    for (int i = 1; i < g->n; i++)
        if (g->score[i] > g->score[best]) best = i;
    return best;
}

/// What is like cell `seed` is found.
static void face_found(struct around *g, int seed)
{
    const float like[3] = {g->normal[0][seed], g->normal[1][seed], g->normal[2][seed]};
    for (int i = 0; i < g->n; i += 4)
        for (int c = i; c < i + 4; c++) {
            const float cosine = g->normal[0][c] * like[0] + g->normal[1][c] * like[1] + g->normal[2][c] * like[2];
            g->score[c] *= bw_most(1 - cosine, 0);
        }
}

/// Leave cells that are seen over an edge that sticks out from cell `seed`, or lie on its face: normals open there the
/// way the cells lie. Others are of another wall, or of a corner that goes in.
static void convex_keep(struct around *g, int seed)
{
    for (int i = 0; i < g->n; i++) {
        float open = 0;
        for (int a = 0; a < 3; a++) open += (g->normal[a][i] - g->normal[a][seed]) * (g->from[seed][a] - g->from[i][a]);
        if (open < -INWARD) g->weight[i] = g->score[i] = 0;
    }
}

struct bw_surface bw_surface_at(const struct bw_dense *b, const float *normals, const float x[3])
{
    struct bw_surface s = {.distance = 1e9f}, rough, face;
    struct around g;
    around_gather(b, normals, x, &g);
    for (int f = 0; f < FACES && g.n > 0; f++) {
        const int seed = face_seek(&g);
        if (!(g.score[seed] > 0)) break;
        if (f == 0) convex_keep(&g, seed);
        face_mean(&g, (float[3]){g.normal[0][seed], g.normal[1][seed], g.normal[2][seed]}, &rough);
        if (face_mean(&g, rough.normal, &face) < FACE) break; // once more: it does not hang on one cell
        if (!f || face.distance > s.distance) s = face;
        face_found(&g, seed);
    }
    return s;
}
