// SPDX-License-Identifier: Apache-2.0
/* stats: sums, extrema, energy, momentum and divergence of fields as metrics, after each step. Sums are in doubles,
 * over active cells.
 *   mass_F      Σ f h³; vectors: mass_F_x, _y, _z
 *   min_F, max_F
 *   center_F_x, _y, _z   Σ f x h³ / Σ f h³, m (scalars; absent while the mass is 0)
 *   energy_V    ½ Σ |u|² h³, m⁵/s² (kinetic energy by unit of mass density; h³ is a cell's volume)
 *   momentum_V_x, _y, _z   Σ u h³, m⁴/s
 *   max_speed_V  largest |component|, m/s
 *   max_div_V, rms_div_V   of the discrete ∇·u, 1/s, where no obstacle is
 * For a mac field each cell takes half of what its two faces hold along each axis, so every face counts with its own
 * control volume, half at the rim; energy is then the one that a projection can only lower. */
#include "stages.h"

#include <math.h>
#include <stdio.h>

#define NAME_MAX_BYTES 128

struct stats {
    struct bw_list fields;
    const char *divergence_field;
};

struct name {
    const char *text;
};

static const struct bw_param field_rows[] = {
    {.type = BW_PARAM_FIELD,
     .offset = BW_OFFSET(struct name, text, const char *),
     .doc = "A field.",
     .flags = BW_PARAM_STATIC},
};
static const struct bw_param params[] = {
    BW_LIST(struct stats, fields, struct name, "fields", field_rows, "Fields to measure; default: density and vel."),
    BW_FIELD(struct stats, divergence_field, "divergence_field", NULL,
             "Name of a scalar field to make that holds the divergence of vel, such as `div`."),
};

enum { PORT_FIELDS, PORT_DENSITY, PORT_VEL, PORT_SOLID, PORT_DIV };
static const struct bw_port ports[] = {
    [PORT_FIELDS] = {.name = "fields",
                     .kind = BW_SCALAR,
                     .access = BW_READ,
                     .flags = BW_PORT_LIST,
                     .from = "fields",
                     .kinds = BW_KIND_BIT(BW_SCALAR) | BW_KIND_BIT(BW_VECTOR) | BW_KIND_BIT(BW_MAC),
                     .doc = "The fields that are measured."},
    [PORT_DENSITY] = {.name = "density",
                      .kind = BW_SCALAR,
                      .access = BW_READ,
                      .unit = "1",
                      .flags = BW_PORT_OPTIONAL,
                      .doc = "Measured when no list is given."},
    [PORT_VEL] = {.name = "vel",
                  .kind = BW_MAC,
                  .access = BW_READ,
                  .unit = "m/s",
                  .flags = BW_PORT_OPTIONAL,
                  .doc = "Measured when no list is given; the divergence field is its."},
    [PORT_SOLID] = {.name = "solid",
                    .kind = BW_SCALAR,
                    .access = BW_READ,
                    .unit = "m",
                    .flags = BW_PORT_OPTIONAL,
                    .doc = "Cells inside obstacles are left out of the divergence."},
    [PORT_DIV] = {.name = "div",
                  .kind = BW_SCALAR,
                  .access = BW_WRITE,
                  .lifetime = BW_STEP,
                  .flags = BW_PORT_LIST,
                  .unit = "1/s",
                  .kinds = BW_KIND_BIT(BW_SCALAR),
                  .from = "divergence_field",
                  .doc = "Divergence of vel, on request."},
};

/* Fields at cell centres: for each component Σ f; for the first Σ f x, Σ f y, Σ f z as well. */
static void cells_body(const struct bw_block *b, void *user)
{
    const struct bw_view *v = &b->view[0];
    (void)user;
    for (int c = 0; c < v->comps; c++)
        for (int k = 0; k < b->n[2]; k++)
            for (int j = 0; j < b->n[1]; j++)
                for (int i = 0; i < b->n[0]; i++) {
                    double f = bw_get(v, c, i + j * v->sy + k * v->sz);
                    b->sum[c] += f;
                    b->max[0] = fmax(b->max[0], f);
                    b->max[1] = fmax(b->max[1], -f);
                    if (c) continue;
                    b->sum[3] += f * (i + 0.5 + b->lo[0]);
                    b->sum[4] += f * (j + 0.5 + b->lo[1]);
                    b->sum[5] += f * (k + 0.5 + b->lo[2]);
                }
}

static void report(struct bw_stage *s, const char *what, const char *field, const char *axis, double value)
{
    char name[NAME_MAX_BYTES];
    snprintf(name, sizeof name, "%s_%s%s", what, field, axis);
    s->host->metric(s, name, value, BW_METRIC_LAST);
}

static const char *const axis_suffix[] = {"_x", "_y", "_z"};

static double cell_volume(const struct bw_stage *s) { return s->grid->h * s->grid->h * s->grid->h; }

static enum bw_status cells_measure(struct bw_stage *s, struct bw_field *field, const struct bw_field_info *info)
{
    double sum[6] = {0}, max[2];
    struct bw_access access = {field, BW_READ, 0};
    enum bw_status status = s->host->sweep(
        s,
        &(struct bw_sweep){
            .access = &access, .n_access = 1, .body = cells_body, .sums = sum, .n_sums = 6, .maxs = max, .n_maxs = 2});
    if (status) return status;
    for (uint32_t c = 0; c < info->comps; c++)
        report(s, "mass", info->name, info->comps > 1 ? axis_suffix[c] : "", sum[c] * cell_volume(s));
    if (max[0] >= -max[1]) { /* nothing active: no extrema */
        report(s, "min", info->name, "", -max[1]);
        report(s, "max", info->name, "", max[0]);
    }
    for (int a = 0; a < 3 && info->comps == 1 && sum[0] != 0; a++)
        report(s, "center", info->name, axis_suffix[a], s->grid->origin[a] + s->grid->h * sum[3 + a] / sum[0]);
    return BW_OK;
}

/* What the body for mac fields needs; view 1, if any, is `solid`, the last one the divergence field. */
struct flow {
    int solid, div; ///< indices of views, 0: absent
};

static void mac_body(const struct bw_block *b, void *user)
{
    const struct flow *flow = user;
    const struct bw_view *v = &b->view[0];
    const ptrdiff_t next[3] = {1, v->sy, v->sz};
    const struct bw_view *solid = flow->solid ? &b->view[flow->solid] : NULL,
                         *out = flow->div ? &b->view[flow->div] : NULL;
    for (int k = 0; k < b->n[2]; k++)
        for (int j = 0; j < b->n[1]; j++)
            for (int i = 0; i < b->n[0]; i++) {
                ptrdiff_t at = i + j * v->sy + k * v->sz;
                double div = 0;
                for (int a = 0; a < 3; a++) {
                    double low = bw_get(v, a, at), high = bw_get(v, a, at + next[a]);
                    b->sum[a] += 0.5 * (low + high);
                    b->sum[3] += 0.25 * (low * low + high * high);
                    b->max[0] = fmax(b->max[0], fmax(fabs(low), fabs(high)));
                    if (a != b->grid->thin) div += (high - low) / b->grid->h;
                }
                const float *near = solid ? bw_f32(solid, 0) + i + j * solid->sy + k * solid->sz : NULL;
                if (near && *near < 0.87 * b->grid->h) div = 0; // half a diagonal: beyond it no face is cut
                if (out) bw_f32(out, 0)[i + j * out->sy + k * out->sz] = (float)div;
                b->max[1] = fmax(b->max[1], fabs(div));
                b->sum[4] += div * div;
                b->sum[5] += 1;
            }
}

static enum bw_status mac_measure(struct bw_stage *s, struct bw_field *field, const struct bw_field_info *info,
                                  struct bw_field *out)
{
    double sum[6] = {0}, max[2];
    struct flow flow = {0};
    struct bw_access access[3] = {{field, BW_READ, 1}};
    uint32_t n = 1;
    struct bw_field *solid = bw_port_field(s, PORT_SOLID);
    if (solid) {
        flow.solid = (int)n;
        access[n++] = (struct bw_access){solid, BW_READ, 0};
    }
    if (out) {
        flow.div = (int)n;
        access[n++] = (struct bw_access){out, BW_WRITE, 0};
    }
    enum bw_status status = s->host->sweep(s, &(struct bw_sweep){.access = access,
                                                                 .n_access = n,
                                                                 .body = mac_body,
                                                                 .user = &flow,
                                                                 .sums = sum,
                                                                 .n_sums = 6,
                                                                 .maxs = max,
                                                                 .n_maxs = 2});
    if (status) return status;
    for (int a = 0; a < 3; a++) report(s, "momentum", info->name, axis_suffix[a], sum[a] * cell_volume(s));
    report(s, "energy", info->name, "", sum[3] * cell_volume(s));
    report(s, "max_speed", info->name, "", fmax(max[0], 0));
    report(s, "max_div", info->name, "", fmax(max[1], 0));
    report(s, "rms_div", info->name, "", sum[5] > 0 ? sqrt(sum[4] / sum[5]) : 0);
    return BW_OK;
}

static enum bw_status field_measure(struct bw_stage *s, struct bw_field *field, struct bw_field *div)
{
    const struct bw_field_info *info = s->host->field_info(field);
    if (info->kind == BW_MAC) return mac_measure(s, field, info, field == bw_port_field(s, PORT_VEL) ? div : NULL);
    return cells_measure(s, field, info);
}

static enum bw_status init(struct bw_stage *s)
{
    if (s->ports[PORT_DIV].count && !bw_port_field(s, PORT_VEL))
        return s->host->fail(s, BW_ERR_PRESET, "divergence_field: no stage makes mac \"vel\"");
    return BW_OK;
}

static enum bw_status step(struct bw_stage *s)
{
    const struct bw_bound *list = &s->ports[PORT_FIELDS];
    struct bw_field *vel = bw_port_field(s, PORT_VEL), *density = bw_port_field(s, PORT_DENSITY);
    struct bw_field *div = bw_port_field(s, PORT_DIV);
    enum bw_status status = BW_OK;
    int listed = list->count > 0, seen = 0;
    for (uint32_t i = 0; i < list->count && !status; i++) {
        seen |= list->fields[i] == vel;
        status = field_measure(s, list->fields[i], div);
    }
    if (!status && !listed && density) status = field_measure(s, density, NULL);
    if (!status && vel && (!listed || (div && !seen))) status = field_measure(s, vel, div);
    return status;
}

const struct bw_stage_desc measure_stats_desc = {
    .id = "stats",
    .version = "1.0",
    .brief = "Mass, extrema, centre, energy, momentum and divergence as metrics.",
    .params_size = sizeof(struct stats),
    BW_PARAMS(params),
    BW_PORTS(ports),
    .flags = BW_STAGE_RANKS | BW_STAGE_SETUP, // the initial state is measured too
    .init = init,
    .step = step,
};
