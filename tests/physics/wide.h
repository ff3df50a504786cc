// SPDX-License-Identifier: Apache-2.0
/* A stage of the tests' own that fills the double-precision field "fine": sine sin(2πx), ramp x/16 with the sign of
 * z - 32, corner 3 where x and y are below 0.5. */
#ifndef TEST_WIDE_H
#define TEST_WIDE_H

#include "physics.h"

struct wide {
    int32_t shape;
};

static const struct bw_param wide_params[] = {
    BW_CHOICE(struct wide, shape, "shape", "sine", "sine|ramp|corner", "What.")};
static const struct bw_port wide_ports[] = {
    {.name = "fine", .kind = BW_SCALAR, .precision = BW_F64P, .access = BW_UPDATE, .unit = "1", .doc = "In double."}};

static double wide_value(int32_t shape, double x, double y, double z)
{
    if (shape == 0) return sin(2 * PI * x);
    return shape == 1 ? x / 16 * (z > 32 ? 1 : -1) : x < .5 && y < .5 ? 3 : 0;
}

static void wide_body(const struct bw_block *b, void *user)
{
    const struct bw_view *v = &b->view[0];
    double h = b->grid->h, x[3];
    for (int k = 0; k < b->n[2]; k++)
        for (int j = 0; j < b->n[1]; j++)
            for (int i = 0; i < b->n[0]; i++) {
                int at[3] = {i, j, k};
                for (int a = 0; a < 3; a++) x[a] = b->corner[a] + (at[a] + .5) * h;
                bw_f64(v, 0)[i + j * v->sy + k * v->sz] = wide_value(*(int32_t *)user, x[0], x[1], x[2]);
            }
}

static enum bw_status wide_activate(struct bw_stage *s)
{
    double hi[3];
    for (int a = 0; a < 3; a++) hi[a] = s->grid->origin[a] + s->grid->n[a] * s->grid->h;
    return s->host->activate(s, s->grid->origin, hi);
}

static enum bw_status wide_step(struct bw_stage *s)
{
    int32_t shape = ((const struct wide *)s->params)->shape;
    struct bw_access a = {bw_port_field(s, 0), BW_UPDATE, 0};
    if (s->step > 0) return BW_OK;
    return s->host->sweep(s, &(struct bw_sweep){.access = &a, .n_access = 1, .body = wide_body, .user = &shape});
}

static const struct bw_stage_desc wide_stage = {.id = "wide",
                                                .version = "1.0",
                                                .brief = "Fills a field in double.",
                                                .params_size = sizeof(struct wide),
                                                BW_PARAMS(wide_params),
                                                BW_PORTS(wide_ports),
                                                .flags = BW_STAGE_SETUP,
                                                .activate = wide_activate,
                                                .step = wide_step};
static const struct bw_stage_desc *const wide_stages[] = {&wide_stage};
static const struct bw_module wide_module = BW_MODULE(wide_stages);

#endif
