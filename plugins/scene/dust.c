// SPDX-License-Identifier: Apache-2.0
/* dust: entrainment of dust by wind along the floor.
 *
 * Where the gas along the floor is faster than `threshold`, u_t, a layer of thickness H fills with dust. After Owen
 * (1964, for sand) entrainment grows with the excess of the shear stress over the threshold's:
 *     q = u²/u_t² - 1,  w = 1 - z/H:   d' = D + (d - D) exp(-rate min(q, 8) w dt)   while d < D, q > 0 and z < H
 * Exact for a steady wind, and never more than D. w is the mean over each cell, so cells thicker than the layer lift as
 * much as many thin ones; u is the speed in the cell along the floor. The limit of 8 is a wind of three times the
 * threshold: a shock would strip the ground bare in a step. Dust neither settles nor has weight: mac.forces' `weight`
 * and `dissipate` do that. A `dye` field gets `colour` times the dust. */
#include "stages.h"
#include <common/age.h>
#include <common/shape/shape.h>

#include <math.h>

#define Q_MAX 8.0 ///< limit of the relative excess stress q

struct dust {
    struct shape shape;
    double density, threshold, rate, thickness;
    bw_vec3 colour;
    const char *dye;
};

static const struct bw_param params[] = {
    SHAPE_ROW(struct dust, SHAPE_KINDS + 1, "everywhere", 0, "Where there is dust on the ground."),
    BW_F64(struct dust, density, "density", "0.5", 0, 1e6, NULL, "Smoke density that it comes to and stays below."),
    BW_F64(struct dust, threshold, "threshold", "1 m/s", 1e-6, 1e6, "m/s",
           "Wind along the ground that begins to lift it."),
    BW_F64(struct dust, rate, "rate", "2 1/s", 0, 1e9, "1/s",
           "How fast it comes up, in a wind of 1.4 times that; less makes thinner veils."),
    BW_F64(struct dust, thickness, "thickness", "10 cm", 1e-6, 1e6, "m", "Height of the layer that it comes up into."),
    BW_FIELD(struct dust, dye, "dye", "none",
             "A vector field of density times colour that is to have the dust's colour."),
    BW_COLOUR(struct dust, colour, "colour", "[0.36, 0.3, 0.23]", "What is added to it, for a density of 1."),
};

enum { PORT_DENSITY, PORT_VEL, PORT_DYE, PORT_AGE };
static const struct bw_port ports[] = {
    [PORT_DENSITY] = {.name = "density", .kind = BW_SCALAR, .access = BW_UPDATE, .unit = "1", .doc = "Dust, as smoke."},
    [PORT_VEL] = {.name = "vel", .kind = BW_MAC, .access = BW_READ, .unit = "m/s", .doc = "The flow."},
    [PORT_DYE] = {.name = "dye_field",
                  .kind = BW_VECTOR,
                  .access = BW_UPDATE,
                  .flags = BW_PORT_LIST,
                  .kinds = BW_KIND_BIT(BW_VECTOR),
                  .from = "dye",
                  .doc = "Density times colour."},
    [PORT_AGE] = AGE_PORT,
};

struct plan {
    const struct dust *p;
    struct pose region;
    double dt, width;
    int dyed;
};

/// Mean of 1 - z/H over a cell from `low` to `high` above the ground.
static double layer_share(double low, double high, double thickness)
{
    const double top = fmin(high, thickness);
    return low >= top ? 0 : (top - low) * (1 - 0.5 * (low + top) / thickness) / (high - low);
}

/// Speed of the gas at a cell's centre, along the ground.
static double speed_along(const struct bw_block *b, int i, int j, int k)
{
    const struct bw_view *v = &b->view[1];
    double square = 0;
    for (int a = 0; a < 2; a++) {
        const float *u = bw_f32(v, a) + i + j * v->sy + k * v->sz;
        const double mean = 0.5 * ((double)u[0] + (double)u[a == 0 ? 1 : v->sy]);
        if (a != b->grid->thin) square += mean * mean;
    }
    return sqrt(square);
}

/// A cell's dust after the step; `was`: before; `share`: of coverage and of the layer's mean w.
static double dust_entrain(const struct plan *a, double was, double speed, double share)
{
    const double u = speed / a->p->threshold, q = fmin(u * u - 1, Q_MAX);
    if (!(q > 0) || was >= a->p->density) return was;
    return a->p->density + (was - a->p->density) * exp(-a->p->rate * q * share * a->dt);
}

static void row_entrain(const struct plan *a, const struct bw_block *b, int j, int k, double share)
{
    const struct bw_view *d = &b->view[0];
    float *dust = bw_f32(d, 0) + j * d->sy + k * d->sz;
    for (int i = 0; i < b->n[0]; i++) {
        const double x[3] = {block_coord(b, 0, i + 0.5), block_coord(b, 1, j + 0.5), block_coord(b, 2, k + 0.5)};
        const double cover = pose_cover(&a->region, x, a->width);
        const double was = (double)dust[i],
                     now = cover > 0 ? dust_entrain(a, was, speed_along(b, i, j, k), cover * share) : was;
        if (now == was) continue;
        dust[i] = (float)now;
        b->sum[0] += now - was;
        for (int c = 0; a->dyed && c < 3; c++)
            bw_f32(&b->view[2], c)[i + j * b->view[2].sy + k * b->view[2].sz] += (float)((now - was) * a->p->colour[c]);
    }
}

/* Blocks above the layer are skipped; the others read the velocity's high faces along x and y. */
static int block_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    const struct plan *a = user;
    for (int side = 0; side < 6 && row == 1; side++) reach[side] = side == 1 || side == 3;
    return block_coord(b, 2, 0) - b->grid->origin[2] < a->p->thickness;
}

static void body(const struct bw_block *b, void *user)
{
    const struct plan *a = user;
    const double ground = b->grid->origin[2];
    if (block_coord(b, 2, 0) - ground >= a->p->thickness) return;
    for (int k = 0; k < b->n[2]; k++) {
        const double low = block_coord(b, 2, k) - ground, share = layer_share(low, low + b->grid->h, a->p->thickness);
        for (int j = 0; j < b->n[1] && share > 0; j++) row_entrain(a, b, j, k, share);
    }
}

static enum bw_status region_ready(struct bw_stage *s, struct pose *pose)
{
    const struct dust *p = s->params;
    if (s->grid->n[2] == 0 || s->grid->side[4].kind != BW_CLOSED || s->grid->thin == 2)
        return s->host->fail(s, BW_ERR_PRESET, "dust lies on the ground: the domain needs a closed bottom");
    if (p->shape.kind == SHAPE_POINTS) return s->host->fail(s, BW_ERR_PRESET, "points are for sources only");
    enum bw_status status = shape_prepare_inside(s, &p->shape, 2 * s->grid->h);
    return status ? status : shape_pose(s, &p->shape, pose);
}

static enum bw_status init(struct bw_stage *s)
{
    struct pose pose;
    return region_ready(s, &pose);
}

static enum bw_status dust_lift(struct bw_stage *s)
{
    struct plan a = {.p = s->params, .dt = s->dt, .width = s->grid->h, .dyed = s->ports[PORT_DYE].count > 0};
    enum bw_status status = region_ready(s, &a.region);
    if (status) return status;
    const double h = s->grid->h;
    double lifted = 0;
    const struct bw_access access[] = {{bw_port_field(s, PORT_DENSITY), BW_UPDATE, 0},
                                       {bw_port_field(s, PORT_VEL), BW_READ, 1},
                                       {bw_port_field(s, PORT_DYE), BW_UPDATE, 0}};
    status = s->host->sweep(s, &(struct bw_sweep){.access = access,
                                                  .n_access = a.dyed ? 3 : 2,
                                                  .reach = block_reach,
                                                  .body = body,
                                                  .user = &a,
                                                  .sums = &lifted,
                                                  .n_sums = 1});
    if (!status) s->host->metric(s, "lifted", lifted * h * h * h, BW_METRIC_SUM);
    return status;
}

static enum bw_status step(struct bw_stage *s)
{
    struct smoke_before before;
    enum bw_status status = smoke_keep(s, PORT_AGE, &before);
    if (!status) status = dust_lift(s);
    return status ? status : smoke_mix_age(s, &before);
}

static enum bw_status checkpoint(struct bw_stage *s, struct bw_archive *a)
{
    return shape_checkpoint(s, a, &((const struct dust *)s->params)->shape);
}

const struct bw_stage_desc scene_dust_desc = {
    .id = "dust",
    .version = "1.0",
    .brief = "Wind, or a shock, along the ground lifts dust.",
    .references = "Owen 1964, J. Fluid Mech. 20",
    .params_size = sizeof(struct dust),
    .state_size = sizeof(struct shape_state),
    BW_PARAMS(params),
    BW_PORTS(ports),
    .init = init,
    .flags = BW_STAGE_RANKS,
    .step = step,
    .checkpoint = checkpoint,
};
