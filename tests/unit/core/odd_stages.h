// SPDX-License-Identifier: Apache-2.0
/* Throw-away stages that use the plugin interface as strangers would, some of them wrongly: for test_stages.c. */
#ifndef ODD_STAGES_H
#define ODD_STAGES_H

#include "support.h"
#include "grid/grid.h"
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct bw_particles_api *particles_of(struct bw_stage *s) { return s->host->extension(BW_PARTICLES_API); }

/* ---- seed: particles at random places, dropped by threes ---- */

static const struct bw_attribute grain_attributes[] = {
    {"pos", BW_F64P, 3, "m"}, {"weight", BW_F32, 1, "kg"}, {"spin", BW_F64P, 3, "1/s"}};
static const struct bw_port seed_ports[] = {{.name = "grains",
                                             .kind = BW_PARTICLES,
                                             .access = BW_UPDATE,
                                             .doc = "Grains.",
                                             .attributes = grain_attributes,
                                             .n_attributes = 3}};

static enum bw_status seed_step(struct bw_stage *s)
{
    const struct bw_particles_api *api = particles_of(s);
    struct bw_particles *p = s->ports[0].particles;
    int64_t first = -1;
    enum bw_status st = api->add(p, 300, &first);
    if (st != BW_OK) return st;
    double *pos = api->attribute(p, "pos");
    float *weight = api->attribute(p, "weight");
    for (int64_t i = first; i < api->count(p); i++) {
        uint64_t id = (uint64_t)((int64_t *)api->attribute(p, "id"))[i];
        for (int a = 0; a < 3; a++) pos[3 * i + a] = 1.5 + 29 * bw_rng_unit(s->seed, 3 * id + (uint64_t)a);
        weight[i] = (float)(1 + bw_rng_unit(s->seed + 1, id));
    }
    return api->attribute(p, "nothing") ? BW_ERR : BW_OK;
}

static enum bw_status drop_step(struct bw_stage *s)
{
    const struct bw_particles_api *api = particles_of(s);
    struct bw_particles *p = s->ports[0].particles;
    int64_t n = api->count(p), *id = api->attribute(p, "id"), last = -1, kept = 0;
    uint8_t *drop = s->host->scratch(s, (size_t)n + 1);
    if (!drop) return BW_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++) kept += !(drop[i] = id[i] % 3 == 0);
    api->remove(p, drop);
    cr_assert_eq(api->count(p), kept);
    id = api->attribute(p, "id");
    for (int64_t i = 0; i < kept; i++) {
        cr_assert_neq(id[i] % 3, 0, "a dropped one stayed");
        if (s->step == 1) cr_assert_gt(id[i], last, "ids out of order");
        last = id[i];
    }
    s->host->metric(s, "kept", (double)kept, BW_METRIC_LAST);
    return BW_OK;
}

/* ---- splat: every cell gathers hat functions of the particles around ---- */

static const struct bw_port splat_ports[] = {
    {.name = "grains",
     .kind = BW_PARTICLES,
     .access = BW_READ,
     .doc = "Grains.",
     .attributes = grain_attributes,
     .n_attributes = 2},
    {.name = "heap", .kind = BW_SCALAR, .access = BW_WRITE, .unit = "kg", .doc = "Weight in each cell."}};

static void splat_body(const struct bw_block *b, void *user)
{
    struct bw_stage *s = user;
    const struct bw_particles_api *api = particles_of(s);
    struct bw_particles *p = s->ports[0].particles;
    const double *pos = api->attribute(p, "pos");
    const float *weight = api->attribute(p, "weight");
    float *f = bw_f32(&b->view[0], 0);
    for (int k = 0; k < b->n[2]; k++)
        for (int j = 0; j < b->n[1]; j++)
            for (int i = 0; i < b->n[0]; i++) f[i + j * b->view[0].sy + k * b->view[0].sz] = 0;
    for (uint32_t r = 0; r < b->n_particles; r++)
        for (int64_t q = b->particles[r].begin; q < b->particles[r].end; q++) {
            int at[3];
            double fr[3];
            for (int a = 0; a < 3; a++) {
                double x = (pos[3 * q + a] - b->grid->origin[a]) / b->grid->h - .5;
                at[a] = (int)floor(x) - b->lo[a];
                fr[a] = x - floor(x);
            }
            for (int e = 0; e < 8; e++) {
                int c[3] = {at[0] + (e & 1), at[1] + (e >> 1 & 1), at[2] + (e >> 2)};
                if (c[0] < 0 || c[1] < 0 || c[2] < 0 || c[0] >= b->n[0] || c[1] >= b->n[1] || c[2] >= b->n[2]) continue;
                double w = (e & 1 ? fr[0] : 1 - fr[0]) * (e & 2 ? fr[1] : 1 - fr[1]) * (e & 4 ? fr[2] : 1 - fr[2]);
                f[c[0] + c[1] * b->view[0].sy + c[2] * b->view[0].sz] += (float)(w * weight[q]);
            }
        }
    for (int k = 0; k < b->n[2]; k++)
        for (int j = 0; j < b->n[1]; j++)
            for (int i = 0; i < b->n[0]; i++) b->sum[0] += f[i + j * b->view[0].sy + k * b->view[0].sz];
}

static enum bw_status splat_step(struct bw_stage *s)
{
    const struct bw_particles_api *api = particles_of(s);
    struct bw_particles *p = s->ports[0].particles;
    double sum = 0, want = 0;
    struct bw_access a = {bw_port_field(s, 1), BW_WRITE, 0};
    enum bw_status st = s->host->sweep(
        s, &(struct bw_sweep){
               .access = &a, .n_access = 1, .body = splat_body, .user = s, .particles = p, .sums = &sum, .n_sums = 1});
    const float *weight = api->attribute(p, "weight");
    for (int64_t i = 0; i < api->count(p); i++) want += weight[i];
    s->host->metric(s, "grid", sum, BW_METRIC_LAST);
    s->host->metric(s, "grains", want, BW_METRIC_LAST);
    return st;
}

/* ---- ramp, copy: a field of one domain sampled into another ---- */

struct ramp {
    double slope;
};
static const struct bw_param ramp_params[] = {BW_F64(struct ramp, slope, "slope", "1", 0, 100, "1/m", "Rise along x.")};
static const struct bw_port ramp_ports[] = {
    {.name = "ramp", .kind = BW_SCALAR, .precision = BW_F64P, .access = BW_WRITE, .unit = "1", .doc = "x + tiny."}};

static void ramp_body(const struct bw_block *b, void *user)
{
    double slope = *(double *)user, *f = bw_f64(&b->view[0], 0);
    for (int k = 0; k < b->n[2]; k++)
        for (int j = 0; j < b->n[1]; j++)
            for (int i = 0; i < b->n[0]; i++)
                f[i + j * b->view[0].sy + k * b->view[0].sz] = slope * (b->corner[0] + (i + .5) * b->grid->h) + 1e-12;
}

static enum bw_status ramp_step(struct bw_stage *s)
{
    double slope = ((const struct ramp *)s->params)->slope;
    struct bw_access a = {bw_port_field(s, 0), BW_WRITE, 0};
    return s->host->sweep(s, &(struct bw_sweep){.access = &a, .n_access = 1, .body = ramp_body, .user = &slope});
}

static const struct bw_port copy_ports[] = {
    {.name = "from", .kind = BW_SCALAR, .precision = BW_F64P, .access = BW_READ, .unit = "1", .doc = "Elsewhere."},
    {.name = "copy", .kind = BW_SCALAR, .precision = BW_F64P, .access = BW_WRITE, .unit = "1", .doc = "Here."}};

static void copy_body(const struct bw_block *b, void *user)
{
    struct bw_stage *s = user;
    const struct bw_sample_api *api = s->host->extension(BW_SAMPLE);
    bw_vec3 *pos = s->host->body_scratch(b, (size_t)b->n[0] * sizeof *pos);
    if (!pos) return;
    for (int k = 0; k < b->n[2]; k++)
        for (int j = 0; j < b->n[1]; j++) {
            for (int i = 0; i < b->n[0]; i++)
                for (int a = 0; a < 3; a++)
                    pos[i][a] = b->corner[a] + ((a == 0 ? i : a == 1 ? j : k) + .5) * b->grid->h;
            api->sample(bw_port_field(s, 0), (size_t)b->n[0], (const bw_vec3 *)pos,
                        bw_f64(&b->view[0], 0) + j * b->view[0].sy + k * b->view[0].sz);
        }
}

static enum bw_status copy_step(struct bw_stage *s)
{
    struct bw_access a = {bw_port_field(s, 1), BW_WRITE, 0};
    return s->host->sweep(s, &(struct bw_sweep){.access = &a, .n_access = 1, .body = copy_body, .user = s});
}

/* ---- halve: offers "projection" and a velocity; twice: calls every projection twice and sums the evaluators ---- */

static const struct bw_port vel_ports[] = {
    {.name = "vel", .kind = BW_MAC, .access = BW_UPDATE, .unit = "m/s", .doc = "Flow."}};

static void halve_body(const struct bw_block *b, void *user)
{
    float factor = *(float *)user;
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < b->n[2] + (c == 2); k++)
            for (int j = 0; j < b->n[1] + (c == 1); j++)
                for (int i = 0; i < b->n[0] + (c == 0); i++)
                    bw_f32(&b->view[0], c)[i + j * b->view[0].sy + k * b->view[0].sz] *= factor;
}

static enum bw_status halve_project(struct bw_stage *s, struct bw_field *vel, double dt)
{
    float half = .5f;
    struct bw_access a = {vel, BW_UPDATE, 0};
    s->host->metric(s, "calls", 1, BW_METRIC_SUM);
    s->host->metric(s, "dt", dt, BW_METRIC_MAX);
    return s->host->sweep(s, &(struct bw_sweep){.access = &a, .n_access = 1, .body = halve_body, .user = &half});
}

static enum bw_status halve_evaluate(struct bw_stage *s, size_t n, const bw_vec3 *pos, double *v, double *g)
{
    (void)s;
    for (size_t i = 0; i < n; i++) v[3 * i] += pos[i][1];
    for (size_t i = 0; g && i < n; i++) g[9 * i + 1] += 1;
    return BW_OK;
}

static const void *halve_extension(const char *id)
{
    static const struct bw_project_api project = {sizeof project, halve_project};
    static const struct bw_velocity_api velocity = {sizeof velocity, halve_evaluate};
    return !strcmp(id, BW_PROJECT) ? (const void *)&project : !strcmp(id, BW_VELOCITY) ? (const void *)&velocity : NULL;
}

static enum bw_status nothing_step(struct bw_stage *s)
{
    (void)s;
    return BW_OK;
}

static void one_body(const struct bw_block *b, void *user)
{
    (void)user;
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < b->n[2] + (c == 2); k++)
            for (int j = 0; j < b->n[1] + (c == 1); j++)
                for (int i = 0; i < b->n[0] + (c == 0); i++)
                    bw_f32(&b->view[0], c)[i + j * b->view[0].sy + k * b->view[0].sz] = 1;
}

static enum bw_status twice_step(struct bw_stage *s)
{
    const void *table = NULL;
    struct bw_access a = {bw_port_field(s, 0), BW_WRITE, 0};
    enum bw_status st = s->host->sweep(s, &(struct bw_sweep){.access = &a, .n_access = 1, .body = one_body});
    struct bw_stage *other = s->host->find_stage(s, BW_PROJECT, 0, &table);
    cr_assert(other && other != s);
    const struct bw_project_api *api = table;
    for (int i = 0; i < 2 && st == BW_OK; i++) st = api->project(other, bw_port_field(s, 0), .5 * s->dt);
    cr_assert_null(s->host->find_stage(s, "nobody.knows/1", 0, &table));
    bw_vec3 pos = {3, 4, 5};
    double v[3] = {0}, g[9] = {0};
    for (uint32_t k = 0; (other = s->host->find_stage(s, BW_VELOCITY, k, &table)) && st == BW_OK; k++)
        st = ((const struct bw_velocity_api *)table)->evaluate(other, 1, (const bw_vec3 *)&pos, v, g);
    s->host->metric(s, "u", v[0], BW_METRIC_LAST);
    s->host->metric(s, "du_dy", g[1], BW_METRIC_LAST);
    return st;
}

/* ---- count: a step field that must be clear, scratch of all kinds, teams, metrics ---- */

struct count {
    double level;
};
static const struct bw_param count_params[] = {
    BW_F64(struct count, level, "level", "0", -1e9, 1e9, 0, "A number that moves.")};
static const struct bw_port count_ports[] = {
    {.name = "once", .kind = BW_SCALAR, .access = BW_UPDATE, .lifetime = BW_STEP, .unit = "1", .doc = "Lives a step."},
    {.name = "ever",
     .kind = BW_SCALAR,
     .access = BW_UPDATE,
     .unit = "1",
     .doc = "Lives on.",
     .flags = BW_PORT_PRIVATE}};

static void add_body(const struct bw_block *b, void *user)
{
    (void)user;
    for (uint32_t f = 0; f < 2; f++)
        for (int k = 0; k < b->n[2]; k++)
            for (int j = 0; j < b->n[1]; j++)
                for (int i = 0; i < b->n[0]; i++)
                    bw_f32(&b->view[f], 0)[i + j * b->view[f].sy + k * b->view[f].sz] += 1;
}

static void copy_scratch(const struct bw_block *b, void *user)
{
    (void)user;
    for (int k = 0; k < b->n[2]; k++)
        for (int j = 0; j < b->n[1]; j++)
            for (int i = 0; i < b->n[0]; i++)
                bw_f32(&b->view[1], 0)[i + j * b->view[1].sy + k * b->view[1].sz] =
                    10 * bw_f32(&b->view[0], 0)[i + j * b->view[0].sy + k * b->view[0].sz];
}

struct gang {
    int64_t slot[64], total[64];
    uint32_t size;
};

static void gang_run(struct bw_team *t, void *user)
{
    struct gang *g = user;
    g->slot[t->rank] = t->rank + 1;
    if (t->rank == 0) g->size = t->size;
    t->barrier(t);
    for (uint32_t i = 0; i < t->size; i++) g->total[t->rank] += g->slot[i];
    t->barrier(t);
}

static void mark_one(int64_t i, uint32_t worker, void *user)
{
    (void)worker;
    ((uint8_t *)user)[i]++;
}

static void team_try(struct bw_stage *s)
{
    struct gang g = {.size = 0};
    s->host->team(s, gang_run, &g);
    cr_assert_eq(g.size, s->host->workers);
    for (uint32_t i = 0; i < g.size; i++)
        cr_assert_eq(g.total[i], (int64_t)g.size * (g.size + 1) / 2, "a barrier let somebody through");
    uint8_t *hit = s->host->alloc(s, 1000);
    cr_assert_not_null(hit);
    s->host->parallel_for(s, 1000, mark_one, hit);
    for (int i = 0; i < 1000; i++) cr_assert_eq(hit[i], 1);
    s->host->release(s, hit);
    s->host->release(s, NULL);
    cr_assert_null(s->host->alloc(s, SIZE_MAX - 8));
}

static enum bw_status count_step(struct bw_stage *s)
{
    const struct bw_host *h = s->host;
    struct bw_field *once = bw_port_field(s, 0), *ever = bw_port_field(s, 1);
    struct bw_access add[] = {{once, BW_UPDATE, 0}, {ever, BW_UPDATE, 0}};
    enum bw_status st = h->sweep(s, &(struct bw_sweep){.access = add, .n_access = 2, .body = add_body});
    struct bw_field *tmp = h->scratch_field(s, BW_SCALAR, BW_F32);
    char *words = h->scratch(s, 100);
    if (!tmp || !words) return BW_ERR_MEMORY;
    cr_assert_eq((uintptr_t)words % 64, 0);
    struct bw_access ten[] = {{once, BW_READ, 0}, {tmp, BW_WRITE, 0}};
    if (st == BW_OK) st = h->sweep(s, &(struct bw_sweep){.access = ten, .n_access = 2, .body = copy_scratch});
    if (st == BW_OK) st = h->swap_fields(s, once, tmp);
    team_try(s);
    const struct count *now = s->params, *then = h->params_at(s, s->time), *later = h->params_at(s, 10);
    if (!then || !later) return BW_ERR_MEMORY;
    h->metric(s, "now", now->level, BW_METRIC_LAST);
    h->metric(s, "then", then->level, BW_METRIC_LAST);
    h->metric(s, "later", later->level, BW_METRIC_LAST);
    h->metric(s, "last", (double)s->step, BW_METRIC_LAST);
    h->metric(s, "sum", (double)s->step, BW_METRIC_SUM);
    h->metric(s, "max", -(double)s->step, BW_METRIC_MAX);
    h->metric(s, "cost", 2, BW_METRIC_TIMING);
    for (int i = 0; i < 3; i++) h->log(s, BW_LOG_WARNING, "said once, %d", i);
    return st;
}

/* ---- wrong in different ways ---- */

static enum bw_status early_step(struct bw_stage *s)
{
    double lo[3] = {0}, hi[3] = {1, 1, 1};
    return s->host->activate(s, lo, hi);
}

static enum bw_status meek_step(struct bw_stage *s)
{
    s->host->fail(s, BW_ERR_IO, "said but not answered");
    return BW_OK;
}

static const struct bw_port poke_ports[] = {
    {.name = "once", .kind = BW_SCALAR, .access = BW_READ, .lifetime = BW_STEP, .unit = "1", .doc = "Read."}};

static enum bw_status poke_step(struct bw_stage *s)
{
    struct bw_access a[] = {{bw_port_field(s, 0), BW_UPDATE, 0}};
    return s->host->sweep(s, &(struct bw_sweep){.access = a, .n_access = 1, .body = add_body});
}

static enum bw_status halo_step(struct bw_stage *s)
{
    struct bw_access a[] = {{bw_port_field(s, 0), BW_READ, BW_HALO_MOST + 1}};
    return s->host->sweep(s, &(struct bw_sweep){.access = a, .n_access = 1, .body = add_body});
}

static enum bw_status unwritten_step(struct bw_stage *s)
{
    struct bw_access a[] = {{s->host->scratch_field(s, BW_SCALAR, BW_F32), BW_READ, 0}};
    return s->host->sweep(s, &(struct bw_sweep){.access = a, .n_access = 1, .body = add_body});
}

static double bad_dt(struct bw_stage *s)
{
    (void)s;
    return NAN;
}

/* ---- lists ---- */

struct item {
    const char *name;
};
struct list {
    struct bw_list only, amounts;
};
static const struct bw_param item_rows[] = {{.type = BW_PARAM_FIELD, .doc = "A field."}};
static const struct bw_param list_params[] = {BW_LIST(struct list, only, struct item, "only", item_rows, "Fields."),
                                              BW_AMOUNTS(struct list, amounts, "FIELD: AMOUNT.")};
static const struct bw_port list_ports[] = {
    {.name = "made", .access = BW_UPDATE, .flags = BW_PORT_LIST, .from = "*", .doc = "Fields made."},
    {.name = "named", .access = BW_READ, .flags = BW_PORT_LIST, .from = "only", .doc = "Fields named."},
    {.name = "carried",
     .access = BW_UPDATE,
     .flags = BW_PORT_LIST | BW_PORT_ADVECTED,
     .kinds = BW_KIND_BIT(BW_SCALAR),
     .doc = "Advected."},
    {.name = "absent", .kind = BW_SCALAR, .access = BW_READ, .flags = BW_PORT_OPTIONAL, .doc = "Nobody makes it."}};

static enum bw_status list_step(struct bw_stage *s)
{
    const struct list *p = s->params;
    s->host->metric(s, "made", s->ports[0].count, BW_METRIC_LAST);
    s->host->metric(s, "named", s->ports[1].count, BW_METRIC_LAST);
    s->host->metric(s, "carried", s->ports[2].count, BW_METRIC_LAST);
    cr_assert_null(bw_port_field(s, 3));
    const struct bw_amount *a = p->amounts.items;
    for (int64_t i = 0; i < p->amounts.count; i++)
        cr_assert_str_eq(s->host->field_info(s->ports[0].fields[i])->name, a[i].field);
    cr_assert_not_null(s->host->find_field(s, "density"));
    cr_assert_not_null(s->host->find_field(s, "main.density"));
    cr_assert_null(s->host->find_field(s, "nobody"));
    return BW_OK;
}

/* ---- outputs ---- */

static enum bw_status file_step(struct bw_stage *s)
{
    for (int keep = 0; keep < 2; keep++) {
        char name[64];
        snprintf(name, sizeof name, "sub/%s_%04d.txt", keep ? "kept" : "frame", (int)s->step);
        const char *path = s->host->output(s, name, keep);
        if (!path) return BW_ERR_IO;
        FILE *f = fopen(path, "w");
        if (!f) return s->host->fail(s, BW_ERR_IO, "cannot open");
        fputs("all of it", f);
        fclose(f);
    }
    return s->step == 5 ? s->host->fail(s, BW_ERR, "on purpose") : BW_OK;
}

static enum bw_status escape_step(struct bw_stage *s)
{
    return s->host->output(s, "../outside.txt", 0) ? BW_OK : BW_ERR;
}

static const struct bw_stage_desc *const stages[] = {
    &(const struct bw_stage_desc){
        .id = "t.seed", .version = "1", .brief = "x", BW_PORTS(seed_ports), .step = seed_step},
    &(const struct bw_stage_desc){
        .id = "t.drop", .version = "1", .brief = "x", BW_PORTS(seed_ports), .step = drop_step},
    &(const struct bw_stage_desc){
        .id = "t.splat", .version = "1", .brief = "x", BW_PORTS(splat_ports), .step = splat_step},
    &(const struct bw_stage_desc){.id = "t.ramp",
                                  .version = "1",
                                  .brief = "x",
                                  BW_PARAMS(ramp_params),
                                  .params_size = sizeof(struct ramp),
                                  BW_PORTS(ramp_ports),
                                  .step = ramp_step},
    &(const struct bw_stage_desc){
        .id = "t.copy", .version = "1", .brief = "x", BW_PORTS(copy_ports), .step = copy_step},
    &(const struct bw_stage_desc){
        .id = "t.halve", .version = "1", .brief = "x", .step = nothing_step, .extension = halve_extension},
    &(const struct bw_stage_desc){
        .id = "t.twice", .version = "1", .brief = "x", BW_PORTS(vel_ports), .step = twice_step},
    &(const struct bw_stage_desc){.id = "t.count",
                                  .version = "1",
                                  .brief = "x",
                                  BW_PARAMS(count_params),
                                  .params_size = sizeof(struct count),
                                  BW_PORTS(count_ports),
                                  .step = count_step},
    &(const struct bw_stage_desc){.id = "t.early", .version = "1", .brief = "x", .step = early_step},
    &(const struct bw_stage_desc){.id = "t.meek", .version = "1", .brief = "x", .step = meek_step},
    &(const struct bw_stage_desc){
        .id = "t.poke", .version = "1", .brief = "x", BW_PORTS(poke_ports), .step = poke_step},
    &(const struct bw_stage_desc){
        .id = "t.halo", .version = "1", .brief = "x", BW_PORTS(poke_ports), .step = halo_step},
    &(const struct bw_stage_desc){.id = "t.unwritten", .version = "1", .brief = "x", .step = unwritten_step},
    &(const struct bw_stage_desc){
        .id = "t.bad_dt", .version = "1", .brief = "x", .step = nothing_step, .max_dt = bad_dt},
    &(const struct bw_stage_desc){.id = "t.list",
                                  .version = "1",
                                  .brief = "x",
                                  BW_PARAMS(list_params),
                                  .params_size = sizeof(struct list),
                                  BW_PORTS(list_ports),
                                  .step = list_step},
    &(const struct bw_stage_desc){.id = "t.file", .version = "1", .brief = "x", .step = file_step},
    &(const struct bw_stage_desc){.id = "t.escape", .version = "1", .brief = "x", .step = escape_step},
};
static const struct bw_module module = BW_MODULE(stages);

#endif
