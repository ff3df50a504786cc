// SPDX-License-Identifier: Apache-2.0
/* A source that is even and round rises as a smooth mushroom, for nothing in it is uneven. What makes lobes of a real
 * plume is finer than a grid's cells. Its strength is a share of u²/R, so the same number serves a candle and a house:
 * by Froude's law all accelerations are alike when lengths, and the squares of speeds, are scaled together. */
#include "front_turbulence.h"
#include <common/froude.h>
#include <common/stage_find.h>
#include <common/tiles.h>
#include <common/turbulence/turbulence.h>

#include <math.h>

#define CHANGE 0.3  // of the field's greatest value, over the front's width, that makes a front
#define WIDTH 0.5   // radii
#define FAINT 0.03  // of that: none …
#define HELD 0.004  // … and none is where the smoothed field is less
#define SPEED 0.4   // of sqrt(g R), of the pattern
#define FASTEST 1.5 // times the flow's speed: what is faster is stirred no more than that
enum { OCTAVES = 3, VIEW_FORCE = 0, VIEW_VEL, VIEW_FRONT, VIEW_DRIVERS };

static void axis_add(const struct bw_block *b, const struct turbulence_edges *e, int axis)
{
    const struct turbulence_kernels *kernels = turbulence_kernels_for(b->stage->host->simd);
    const struct bw_view *v = &b->view[VIEW_FORCE];
    int n[3] = {b->n[0], b->n[1], b->n[2]};
    n[axis] += b->high[axis];
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++)
            kernels->add_row(e, axis, (const int[3]){0, j, k}, n[0], 1 / b->grid->h, NULL,
                             bw_f32(v, axis) + j * v->sy + k * v->sz);
}

/// A step's turbulence, and the tiles that it reaches.
struct fronts {
    struct turbulence_plan turbulence;
    const struct bw_tiles_api *tiles;
    uint8_t *near;
};

static int block_is_near(const struct bw_block *b, const struct fronts *f)
{
    const struct tile_box box = tile_box_of_block(b);
    int near = 0;
    for (int32_t z = box.lo[2]; z <= box.hi[2]; z++)
        for (int32_t y = box.lo[1]; y <= box.hi[1]; y++)
            for (int32_t x = box.lo[0]; x <= box.hi[0]; x++) {
                const int64_t tile = f->tiles->find(b->stage->domain, (const int32_t[3]){x, y, z});
                near |= tile >= 0 && f->near[tile];
            }
    return near;
}

static int fronts_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    (void)row, (void)reach;
    return block_is_near(b, user);
}

static void block_add(const struct bw_block *b, void *user)
{
    const struct fronts *f = user;
    const struct turbulence_kernels *kernels = turbulence_kernels_for(b->stage->host->simd);
    struct turbulence_edges edges = {0};
    if (!block_is_near(b, f)) return;
    if (!kernels->edges_make(&f->turbulence, b, &edges)) b->sum[0] += 1;
    for (int axis = 0; axis < 3 && edges.psi[0]; axis++)
        if (axis != b->grid->thin) axis_add(b, &edges, axis);
}

/* Sums of f |u|² and f |u|³ over a block, f being the front's field. */
static void block_speed(const struct bw_block *b, void *user)
{
    const struct bw_view *f = &b->view[0], *v = &b->view[1];
    (void)user;
    for (int32_t k = 0; k < b->n[2]; k++)
        for (int32_t j = 0; j < b->n[1]; j++) {
            const float *amount = bw_f32(f, 0) + j * f->sy + k * f->sz;
            const ptrdiff_t at = j * v->sy + k * v->sz;
            const float *u = bw_f32(v, 0) + at, *w[2] = {bw_f32(v, 1) + at, bw_f32(v, 2) + at};
            for (int32_t i = 0; i < b->n[0]; i++) {
                if (!(amount[i] > 0)) continue;
                const float twice[3] = {u[i] + u[i + 1], w[0][i] + w[0][i + v->sy], w[1][i] + w[1][i + v->sz]};
                const double square = 0.25 * (double)(twice[0] * twice[0] + twice[1] * twice[1] + twice[2] * twice[2]);
                b->sum[0] += (double)amount[i] * square;
                b->sum[1] += (double)amount[i] * square * sqrt(square);
            }
        }
}

/* The speed of what the front goes round, by its energy, so that gas at rest does not count, m/s. */
static enum bw_status speed_measure(struct bw_stage *s, const struct front_turbulence *f, double *speed)
{
    const struct bw_access row[] = {{f->front, BW_READ, 0}, {f->vel, BW_READ, 1}};
    double sum[2] = {0};
    const enum bw_status status = s->host->sweep(
        s, &(struct bw_sweep){.access = row, .n_access = 2, .body = block_speed, .sums = sum, .n_sums = 2});
    *speed = sum[0] > 0 ? sum[1] / sum[0] : 0;
    return status;
}

static struct turbulence_plan plan_of(const struct bw_stage *s, const struct front_turbulence *f, double radius,
                                      double speed)
{
    struct turbulence_plan t = {.size = radius,
                                .speed = SPEED * froude_speed(radius),
                                .time = s->time + 0.5 * s->dt,
                                .seed = bw_rng(s->seed, 1),
                                .fronts = VIEW_FRONT,
                                .front_width = front_width(s->grid, WIDTH * radius),
                                .front_change = CHANGE * f->largest,
                                .faint = FAINT * FAINT,
                                .flow = VIEW_VEL,
                                .radius = radius,
                                .most = FASTEST * FASTEST * speed * speed / radius,
                                .limit = 0.5 / (f->share * s->span), // half of u in a step
                                .per = {f->per[0], f->per[1]}};
    turbulence_octaves(&t, s->grid, f->share, OCTAVES);
    return t;
}

enum bw_status front_turbulence_add(struct bw_stage *s, const struct front_turbulence *f)
{
    const double radius = source_radius(s);
    if (!(radius > 0 && f->largest > 0 && f->share > 0)) return BW_OK;
    double speed;
    enum bw_status status = speed_measure(s, f, &speed);
    if (status != BW_OK) return status;
    struct fronts fronts = {plan_of(s, f, radius, speed), s->host->extension(BW_TILES), NULL};
    struct turbulence_plan *t = &fronts.turbulence;
    struct bw_access row[VIEW_DRIVERS + 4] = {[VIEW_FORCE] = {f->force, BW_UPDATE_OWN, 0},
                                              [VIEW_VEL] = {f->vel, BW_READ, FRONT_HALO},
                                              [VIEW_FRONT] = {NULL, BW_READ_LAST, FRONT_HALO}};
    uint32_t n = VIEW_DRIVERS;
    for (int i = 0; i < 2; i++) {
        if (!f->driver[i] || f->per[i] == 0) continue;
        t->driver[i] = (int)n;
        row[n++] = (struct bw_access){f->driver[i], BW_READ, 1};
    }
    if (f->age) {
        t->smoke = (int)n;
        row[n++] = (struct bw_access){f->driver[1], BW_READ, FRONT_HALO};
        t->age = (int)n;
        row[n++] = (struct bw_access){f->age, BW_READ, FRONT_HALO};
    }
    if (!t->octaves) return BW_OK;
    double failed = 0;
    status = front_smooth(s, f->front, t->front_width, HELD * t->front_change, &row[VIEW_FRONT].field, &fronts.near);
    if (status == BW_OK)
        status = s->host->sweep(s, &(struct bw_sweep){.access = row,
                                                      .n_access = n,
                                                      .block = s->grid->thin < 0 ? 2 : 1, // rows of 64 at most
                                                      .body = block_add,
                                                      .reach = fronts_reach,
                                                      .user = &fronts,
                                                      .sums = &failed,
                                                      .n_sums = 1});
    return status ? status : failed > 0 ? BW_ERR_MEMORY : BW_OK;
}
