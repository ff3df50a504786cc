// SPDX-License-Identifier: Apache-2.0
/* Where detail is, and how it moves. Noise is carried by the flow as ripples on water are in games (flow maps; Max and
 * Becker 1996, Neyret 2003): two sets of it lie at x - u t, each of an age t from -T/2 to T/2, where it begins anew
 * elsewhere; the other is in the middle of its life then. Weights cos(π t/T) keep the variance. So one frame is
 * enough, and no file: what moves with the flow keeps its detail, but for what the flow itself changes within T/2.
 *
 * How far it moves a place follows the flow: not at all where that is as smooth as cells show it, or does not shear,
 * or stands at an obstacle. And it follows the age a of the smoke there, where files or fields say it. Eddies of a cell
 * h live as long as √(h/g) by Froude's law: within GROWN of that lobes become twice as wide, and beyond their contrast
 * goes as 1/(1 + (a/FADED)²), so that what is old is soft. */
#include "detail.h"
#include "soften.h"
#include <common/froude.h>
#include <picture/volume/scene/fast_math.h>
#include <picture/volume/solid/distance.h>

#include <math.h>

#define LIFE 6.0      ///< frames
#define DRAWN 3.0     ///< frames that filaments live …
#define BORN 0.5      ///< … from this age on: what was just born is not drawn out yet, but wool
#define COARSE 0.6    ///< points of their noise for one of the displacements': the flow makes it finer across
#define LONGEST 0.75f ///< displacement, cells, rms, at most
#define SMOOTH 0.35f  ///< 2 sin(πh/λ) of waves that are well resolved, 18 cells long …
#define ROUGH 0.8f    ///< … and of those that stand for finer ones, 8 cells
enum { EVEN = 3 };    ///< times that flow and roughness are smoothed: noise is carried, not wrung
#define SHEARED 10.0f ///< frames that the flow has had to mix …
#define MIXED 6.5f    ///< … or √(h/g), where that is longer: what is large is slow
#define GROWN 16.0    ///< √(h/g), until lobes are twice as wide …
#define WIDER 1.5f    ///< … and their displacements so much longer
#define FADED 40.0    ///< … until they have half of their contrast

/// What the tasks share.
struct survey {
    const struct bw_volume *v;
    struct bw_detail *d;
    float frame; ///< s
    float eddy;  ///< s, √(h/g)
    float mixed; ///< s that the flow has had to mix
};

static float ramp(float x) { return x <= 0 ? 0 : x >= 1 ? 1 : x * x * (3 - 2 * x); }

/// First and second differences of the flow along an axis at a cell: their squares.
static void differences(const struct bw_volume *v, size_t cell, size_t step, float sum[2])
{
    for (int c = 0; c < 3; c++) {
        const float *u = v->vel[c] + cell, here = u[0], next = u[step], last = *(u - step);
        sum[0] += 0.5f * ((next - here) * (next - here) + (here - last) * (here - last));
        sum[1] += (next - 2 * here + last) * (next - 2 * here + last);
    }
}

/// Those that the volume has.
static void block_cells(const struct survey *s, const int at[3], int lo[3], int hi[3])
{
    for (int a = 0; a < 3; a++) {
        const int from = at[a] * BW_DETAIL_BLOCK - s->d->before[a], n = s->v->box.n[a];
        lo[a] = from > 0 ? from : 0, hi[a] = from + BW_DETAIL_BLOCK < n ? from + BW_DETAIL_BLOCK : n;
    }
}

/// Of the cells of a block: its mean flow, and how rough that is.
static void block_survey(const struct survey *s, const int at[3], float out[4])
{
    const struct bw_dense *b = &s->v->box;
    const size_t step[3] = {1, (size_t)b->n[0], (size_t)b->n[0] * (size_t)b->n[1]};
    float flow[3] = {0}, square[2] = {0}, cells = 0;
    int lo[3], hi[3];
    block_cells(s, at, lo, hi);
    for (int k = lo[2]; k < hi[2]; k++)
        for (int j = lo[1]; j < hi[1]; j++)
            for (int i = lo[0]; i < hi[0]; i++, cells++) {
                const int p[3] = {i, j, k};
                const size_t cell = (size_t)i + step[1] * (size_t)j + step[2] * (size_t)k;
                for (int c = 0; c < 3; c++) flow[c] += s->v->vel[c][cell];
                for (int a = 0; a < 3; a++)
                    if (p[a] > 0 && p[a] + 1 < b->n[a]) differences(s->v, cell, step[a], square);
            }
    const float rough = sqrtf(square[1] / (square[0] + 1e-20f));
    const float shear = s->mixed / (float)b->h * sqrtf(square[0] / cells);
    for (int c = 0; c < 3; c++) out[c] = flow[c] / cells * s->frame / (float)b->h;
    out[3] = ramp((rough - SMOOTH) / (ROUGH - SMOOTH)) * shear / (1 + shear);
}

/// Of the cells of a block: {age times smoke, smoke}.
static void block_weigh(const struct survey *s, const int at[3], float out[2])
{
    const struct bw_dense *b = &s->v->box;
    int lo[3], hi[3];
    block_cells(s, at, lo, hi);
    out[0] = out[1] = 0;
    for (int k = lo[2]; k < hi[2]; k++)
        for (int j = lo[1]; j < hi[1]; j++)
            for (int i = lo[0]; i < hi[0]; i++) {
                const size_t cell = (size_t)i + (size_t)b->n[0] * ((size_t)j + (size_t)b->n[1] * (size_t)k);
                out[0] += s->v->age[cell] * s->v->density[cell], out[1] += s->v->density[cell];
            }
}

/// What is left of the noise in smoke of that age, and how much of that is in wide lobes: {fine, wide}.
static void lobes_age(float age, float eddy, float out[2])
{
    const float t = age / eddy, wide = ramp(t * (float)(1 / GROWN)), faded = t * (float)(1 / FADED);
    const float left = 1 / (1 + faded * faded);
    out[0] = left * sqrtf(1 - wide), out[1] = WIDER * left * sqrtf(wide);
}

static void layer_weigh(int64_t k, void *user)
{
    const struct survey *s = user;
    const struct bw_dense *b = &s->d->box;
    float *out = s->d->lobes + 2 * (size_t)k * (size_t)b->n[0] * (size_t)b->n[1];
    for (int j = 0; j < b->n[1]; j++)
        for (int i = 0; i < b->n[0]; i++, out += 2) block_weigh(s, (int[3]){i, j, (int)k}, out);
}

static void layer_age(int64_t k, void *user)
{
    const struct survey *s = user;
    const size_t blocks = (size_t)s->d->box.n[0] * (size_t)s->d->box.n[1];
    float *out = s->d->lobes + 2 * (size_t)k * blocks;
    for (size_t i = 0; i < blocks; i++, out += 2) lobes_age(out[1] > 0 ? out[0] / out[1] : 0, s->eddy, out);
}

/// 0 within a block's width of an obstacle's surface, and 1 from two on.
static float clear_of(const struct bw_volume *v, const struct bw_dense *b, const int at[3])
{
    double p[3];
    if (!v->solid) return 1;
    for (int a = 0; a < 3; a++) p[a] = b->origin[a] + (at[a] + 0.5) * b->h;
    return ramp((float)(bw_solid_distance(v, p) / b->h) - 1);
}

static void layer_survey(int64_t k, void *user)
{
    const struct survey *s = user;
    const struct bw_dense *b = &s->d->box;
    float *out = s->d->flow + 4 * (size_t)k * (size_t)b->n[0] * (size_t)b->n[1];
    for (int j = 0; j < b->n[1]; j++)
        for (int i = 0; i < b->n[0]; i++, out += 4) block_survey(s, (int[3]){i, j, (int)k}, out);
}

static void layer_clear(int64_t k, void *user)
{
    const struct survey *s = user;
    const struct bw_dense *b = &s->d->box;
    float *out = s->d->flow + 4 * (size_t)k * (size_t)b->n[0] * (size_t)b->n[1];
    for (int j = 0; j < b->n[1]; j++)
        for (int i = 0; i < b->n[0]; i++, out += 4)
            if (out[3] > 0) out[3] *= clear_of(s->v, b, (int[3]){i, j, (int)k});
}

/// Ages as smooth as the flow, by mass.
static void lobes_find(const struct bw_tools *tools, struct survey *s)
{
    tools->parallel(tools->ctx, s->d->box.n[2], layer_weigh, s);
    for (int i = 0; i < EVEN; i++) bw_cells_soften(tools, &s->d->box, s->d->lobes, 2, 0.25f);
    tools->parallel(tools->ctx, s->d->box.n[2], layer_age, s);
}

/// Is there detail anywhere?
static int flow_rough(const struct bw_detail *d)
{
    const size_t blocks = bw_dense_cells(&d->box);
    for (size_t i = 0; i < blocks; i++)
        if (d->flow[4 * i + 3] * bw_most(d->displacement, d->filaments) > BW_DETAIL_FAINT) return 1;
    return 0;
}

/// 0 … 1, of the number of a life.
static double place_of(int64_t life, int axis)
{
    uint32_t x = (uint32_t)life * 0x8da6b343u + (uint32_t)axis * 0xd8163841u;
    x = (x ^ (x >> 15)) * 0x2c1b3c6du;
    x = (x ^ (x >> 12)) * 0x297a2d39u;
    return (double)(x ^ (x >> 15)) / 4294967296.0;
}

/// What sets of noise are like: frames that they live, their mean age, points of the tile a cell.
struct kind {
    double life, age, fine;
};

/// Of the set `q` at a frame. Tiles are turned, so that no two periods and no cell's axis lie along each other.
static void phase_set(struct bw_detail_phase *p, int q, double frame, const struct bw_dense *box,
                      const struct kind *kind)
{
    static const double turn[BW_DETAIL_PHASES][3][3] = {
        {{0.48, 0.64, -0.6}, {-0.8, 0.6, 0}, {0.36, 0.48, 0.8}},
        {{0.36, -0.48, 0.8}, {0.8, 0.6, 0}, {-0.48, 0.64, 0.6}},
    };
    const double lives = frame / kind->life + (double)q / BW_DETAIL_PHASES, life = floor(lives);
    p->age = (float)((lives - life - 0.5) * kind->life + kind->age);
    p->weight = (float)cos(3.14159265358979323846 * (lives - life - 0.5));
    p->turn[0][3] = p->turn[1][3] = p->turn[2][3] = p->first[3] = 0;
    p->back[0][3] = p->back[1][3] = p->back[2][3] = 0;
    for (int c = 0; c < 3; c++) {
        double first = BW_DETAIL_TILE * place_of((int64_t)life * BW_DETAIL_PHASES + q, c);
        for (int a = 0; a < 3; a++) {
            p->turn[a][c] = (float)(kind->fine * turn[q][c][a]);
            p->back[c][a] = p->weight * BW_DETAIL_UNIT * (float)turn[q][c][a];
            first += kind->fine * turn[q][c][a] * (box->origin[a] / box->h + 0.5);
        }
        p->first[c] = (float)(first - BW_DETAIL_TILE * floor(first / BW_DETAIL_TILE));
    }
}

enum bw_status bw_detail_make(const struct bw_tools *tools, const struct bw_volume *v, const struct bw_scene *scene,
                              struct bw_detail *d)
{
    *d = (struct bw_detail){.box = {.h = v->box.h * BW_DETAIL_BLOCK}};
    const double metre = scene->metre > 0 ? scene->metre : 1;
    struct survey s = {v, d, (float)scene->tick, (float)froude_time(v->box.h / metre), 0};
    s.mixed = bw_most(SHEARED * s.frame, MIXED * s.eddy);
    d->displacement = LONGEST * (float)scene->look.detail;
    d->filaments = v->flame || v->temperature ? (float)scene->look.flames.filaments : 0;
    if (!(d->displacement > 0 || d->filaments > 0) || !(s.frame > 0) || !v->vel[0]) return BW_OK;
    for (int a = 0; a < 3; a++)
        if (v->box.n[a] <= BW_DETAIL_BLOCK) return BW_OK;
    for (int a = 0; a < 3; a++) { // blocks stay where they are though the box moves
        d->before[a] = (int32_t)(llround(v->box.origin[a] / v->box.h) & (BW_DETAIL_BLOCK - 1));
        d->box.n[a] = (v->box.n[a] + d->before[a] + BW_DETAIL_BLOCK - 1) / BW_DETAIL_BLOCK;
        d->box.origin[a] = v->box.origin[a] - d->before[a] * v->box.h;
    }
    d->flow = tools->alloc(tools->ctx, 4 * bw_dense_cells(&d->box) * sizeof(float));
    d->tile = tools->alloc(tools->ctx, (size_t)4 * BW_DETAIL_TILE * BW_DETAIL_TILE * (BW_DETAIL_TILE + 1));
    const int ages = v->age && v->density && d->displacement > 0;
    if (ages) d->lobes = tools->alloc(tools->ctx, 2 * bw_dense_cells(&d->box) * sizeof(float));
    if (!d->flow || !d->tile || (ages && !d->lobes)) return BW_ERR_MEMORY;
    for (int q = 0; q < BW_DETAIL_PHASES; q++) {
        phase_set(&d->phase[q], q, scene->frame, &v->box, &(struct kind){LIFE, 0, BW_DETAIL_FINE});
        phase_set(&d->wide[q], q, scene->frame, &v->box, &(struct kind){LIFE, 0, BW_DETAIL_FINE / 2.0});
        phase_set(&d->drawn[q], q, scene->frame, &v->box,
                  &(struct kind){DRAWN, BORN + 0.5 * DRAWN, COARSE * BW_DETAIL_FINE});
    }
    tools->parallel(tools->ctx, d->box.n[2], layer_survey, &s);
    for (int i = 0; i < EVEN; i++) bw_cells_soften(tools, &d->box, d->flow, 4, 0.25f);
    tools->parallel(tools->ctx, d->box.n[2], layer_clear, &s);
    if (ages) lobes_find(tools, &s);
    if (!flow_rough(d)) {
        bw_detail_free(tools, d);
        return BW_OK;
    }
    return bw_detail_tile(tools, d->tile);
}

void bw_detail_free(const struct bw_tools *tools, struct bw_detail *d)
{
    if (d->flow) tools->release(tools->ctx, d->flow);
    if (d->tile) tools->release(tools->ctx, d->tile);
    if (d->lobes) tools->release(tools->ctx, d->lobes);
    *d = (struct bw_detail){.flow = NULL};
}
