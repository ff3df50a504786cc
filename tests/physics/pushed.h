// SPDX-License-Identifier: Apache-2.0
/* A stage of the tests' own, `pushed`, that adds what pushes a flow to it and nothing else: `vel` += span `force`. */
#ifndef TEST_PUSHED_H
#define TEST_PUSHED_H

#include "physics.h"

#define PUSHED "  - pushed: {}\n"

static const struct bw_port pushed_ports[] = {
    {.name = "vel", .kind = BW_MAC, .access = BW_UPDATE, .unit = "m/s", .doc = "Pushed."},
    {.name = "force",
     .kind = BW_MAC,
     .access = BW_READ_LAST,
     .lifetime = BW_STEP,
     .unit = "m/s^2",
     .doc = "What pushes it."}};

static void pushed_body(const struct bw_block *b, void *user)
{
    const struct bw_view *u = &b->view[0], *f = &b->view[1];
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < b->n[2] + (c == 2); k++)
            for (int j = 0; j < b->n[1] + (c == 1); j++)
                for (int i = 0; i < b->n[0] + (c == 0); i++)
                    bw_f32(u, c)[i + j * u->sy + k * u->sz] +=
                        *(const float *)user * bw_f32(f, c)[i + j * f->sy + k * f->sz];
}

static enum bw_status pushed_step(struct bw_stage *s)
{
    float span = (float)s->span;
    const struct bw_access a[] = {{bw_port_field(s, 0), BW_UPDATE, 0}, {bw_port_field(s, 1), BW_READ_LAST, 1}};
    return s->host->sweep(s, &(struct bw_sweep){.access = a, .n_access = 2, .body = pushed_body, .user = &span});
}

static const struct bw_stage_desc pushed_stage = {
    .id = "pushed", .version = "1.0", .brief = "Pushes a flow.", BW_PORTS(pushed_ports), .step = pushed_step};
static const struct bw_stage_desc *const pushed_stages[] = {&pushed_stage};
static const struct bw_module pushed_module = BW_MODULE(pushed_stages);
static const struct test_options with_pushed = {.simd = UINT32_MAX, .module = &pushed_module};

/// run(), of presets that have the stage.
#define run_pushed(...) run_with(&with_pushed, __VA_ARGS__)

#endif
