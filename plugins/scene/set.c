// SPDX-License-Identifier: Apache-2.0
/* set: a field from expressions of x, y, z (m), t (s), frame and other fields by name (`density`, `vel.x`). Scalars and
 * vectors are evaluated at cell centres, each component of a mac field on its own faces. Other fields are interpolated
 * to these positions, with their values before this stage. */
#include "stages.h"
#include <common/ranks.h>
#include <common/shape/shape.h>
#include <common/tiles.h>

#include <math.h>
#include <string.h>

enum { OTHERS_MAX = 32, COLUMNS_MAX = OTHERS_MAX + 5 }; // fields that the expressions may read; and x, y, z, t, frame

enum set_when { WHEN_START, WHEN_ALWAYS };
enum set_mode { MODE_SET, MODE_ADD, MODE_MULTIPLY };

struct set_box {
    bw_vec3 lo, hi;
};

struct set {
    const char *field;
    struct bw_list value; ///< const char *
    int32_t when, mode, keep;
    struct set_box box;
};

struct text {
    const char *text;
};

static const struct bw_param value_rows[] = {
    {.type = BW_PARAM_STRING,
     .offset = BW_OFFSET(struct text, text, const char *),
     .doc = "An expression.",
     .flags = BW_PARAM_STATIC | BW_PARAM_EXPRESSION},
};
static const struct bw_param box_rows[] = {
    BW_VEC3(struct set_box, lo, "lo", "[0, 0, 0]", "m", "Low corner."),
    BW_VEC3(struct set_box, hi, "hi", "[0, 0, 0]", "m", "High corner; the same as the low one: no limit."),
};
static const struct bw_param params[] = {
    BW_FIELD(struct set, field, "field", NULL,
             "The field to set; a scalar unless it is a standard field or the preset's `fields` says otherwise.",
             BW_PARAM_REQUIRED),
    {.key = "value",
     .type = BW_PARAM_LIST,
     .offset = BW_OFFSET(struct set, value, struct bw_list),
     .doc = "An expression of x, y, z, t, frame, seed, fps, ambient and fields (`density`, `vel.x`), in SI units; or "
            "three, one a component.",
     .flags = BW_PARAM_STATIC | BW_PARAM_REQUIRED,
     .n_sub = BW_COUNT(value_rows),
     .sub = value_rows,
     .sub_size = sizeof(struct text)},
    BW_CHOICE(struct set, when, "when", "start", "start|always",
              "In the first step only, or in every step: then t is the step's middle for mac fields (a "
              "velocity carries from its begin to its end) and for add and multiply, its end otherwise."),
    BW_CHOICE(struct set, mode, "mode", "set", "set|add|multiply",
              "What happens to the old value; with `when: always`, add means per second, and multiply each second by."),
    BW_GROUP(struct set, box, struct set_box, "box", box_rows, "Only places inside are changed; default: everywhere."),
    BW_BOOL(struct set, keep, "keep", "false",
            "Keep all cells of the box (or of the whole domain) active for the whole run, whatever they hold."),
};

static const struct bw_port ports[] = {
    {.name = "field",
     .kind = BW_SCALAR,
     .access = BW_UPDATE,
     .flags = BW_PORT_LIST,
     .kinds = BW_KIND_BIT(BW_SCALAR) | BW_KIND_BIT(BW_VECTOR) | BW_KIND_BIT(BW_MAC),
     .from = "field",
     .doc = "The field that is set."},
};

/* The first place where a worker's expressions gave no number. */
struct non_finite {
    double at[3];
    int found;
};

struct other {
    struct bw_field *field;
    int comp, comps;
    const char *name;
};

/* Where the value of a name comes from: an axis, t, frame, and from OTHERS on the other fields. */
enum source { SOURCE_X, SOURCE_T = 3, SOURCE_FRAME, SOURCE_OTHERS };

struct value {
    struct bw_expression *e;
    int source[COLUMNS_MAX]; ///< of each of its names
};

struct state {
    const struct bw_expression_api *api;
    struct non_finite *non_finite; ///< by tile, in a step
    int64_t tiles;
    int n_others, n_values;
    struct other other[OTHERS_MAX];
    struct value value[3];
    double t, frame, seconds; ///< shared by all: the same in a whole sweep
    int limited;
};

static const char *value_text(const struct set *p, int i) { return ((const struct text *)p->value.items)[i].text; }

/* A name in an expression that is none of ours: a field, or FIELD.x of a field with components. */
static enum bw_status other_find(struct bw_stage *s, const char *name, struct other *o)
{
    size_t length = strlen(name);
    char stem[64] = {0};
    *o = (struct other){.field = s->host->find_field(s, name), .name = name};
    if (!o->field && length > 2 && length < sizeof stem && name[length - 2] == '.' && name[length - 1] >= 'x' &&
        name[length - 1] <= 'z') {
        memcpy(stem, name, length - 2);
        o->field = s->host->find_field(s, stem);
        o->comp = name[length - 1] - 'x' + 1;
    }
    if (!o->field)
        return s->host->fail(
            s, BW_ERR_PRESET,
            "value: no stage makes a field \"%s\", and x, y, z, t, frame, seed, fps, ambient, pi, e are all "
            "the other names there are",
            name);
    o->comps = (int)s->host->field_info(o->field)->comps;
    if ((o->comps > 1) != (o->comp > 0))
        return s->host->fail(s, BW_ERR_PRESET,
                             o->comps > 1 ? "value: \"%s\" has three components: add .x, .y or .z"
                                          : "value: \"%s\": that field has no components",
                             name);
    o->comp -= o->comps > 1;
    return BW_OK;
}

static enum bw_status source_find(struct bw_stage *s, const char *name, int *source)
{
    static const char *const own[] = {"x", "y", "z", "t", "frame"};
    struct state *state = s->state;
    for (*source = 0; *source < SOURCE_OTHERS; ++*source)
        if (!strcmp(name, own[*source])) return BW_OK;
    for (int i = 0; i < state->n_others; i++, ++*source)
        if (!strcmp(state->other[i].name, name)) return BW_OK;
    if (state->n_others == OTHERS_MAX)
        return s->host->fail(s, BW_ERR_PRESET, "value: \"%s\" is one name too many", name);
    return other_find(s, name, &state->other[state->n_others++]);
}

static enum bw_status value_open(struct bw_stage *s, struct value *v, const char *text)
{
    struct state *state = s->state;
    enum bw_status status = state->api->open(s, text, &v->e);
    if (!status && v->e->n_names > COLUMNS_MAX)
        return s->host->fail(s, BW_ERR_PRESET, "value \"%s\" has more than %d names", text, COLUMNS_MAX);
    for (uint32_t i = 0; !status && i < v->e->n_names; i++) status = source_find(s, v->e->names[i], &v->source[i]);
    return status;
}

static enum bw_status params_check(struct bw_stage *s, const struct set *p)
{
    struct state *state = s->state;
    struct bw_field *field = bw_port_field(s, 0);
    if (!field) return s->host->fail(s, BW_ERR_PRESET, "give the field to set");
    int comps = (int)s->host->field_info(field)->comps;
    if (p->value.count != 1 && p->value.count != comps)
        return s->host->fail(s, BW_ERR_PRESET, "value has %d expressions, \"%s\" has %d component%s",
                             (int)p->value.count, p->field, comps, comps > 1 ? "s" : "");
    for (int i = 0; i < p->value.count; i++)
        if (!value_text(p, i)) return s->host->fail(s, BW_ERR_PRESET, "value %d is empty", i + 1);
    for (int i = 0; i < 3; i++) {
        state->limited |= p->box.lo[i] != p->box.hi[i];
        if (p->box.lo[i] > p->box.hi[i])
            return s->host->fail(s, BW_ERR_PRESET, "box: lo %g m is above hi %g m", p->box.lo[i], p->box.hi[i]);
    }
    if (!state->limited && !s->grid->n[0] && (p->when == WHEN_START || p->keep))
        return s->host->fail(s, BW_ERR_PRESET,
                             "the domain has no limits: say with `box: {lo: …, hi: …}` where to set \"%s\"", p->field);
    return BW_OK;
}

static enum bw_status init(struct bw_stage *s)
{
    const struct set *p = s->params;
    struct state *state = s->state;
    enum bw_status status = params_check(s, p);
    if (status) return status;
    state->api = s->host->extension(BW_EXPRESSION);
    state->n_values = (int)p->value.count;
    for (int i = 0; i < state->n_values && !status; i++) status = value_open(s, &state->value[i], value_text(p, i));
    return status;
}

static void uninit(struct bw_stage *s)
{
    struct state *state = s->state;
    for (int i = 0; i < state->n_values; i++) state->api->close(state->value[i].e);
}

static enum bw_status activate(struct bw_stage *s)
{
    const struct set *p = s->params;
    const struct state *state = s->state;
    int first = p->when == WHEN_START && s->step == 0, always = p->when == WHEN_ALWAYS && state->limited;
    if (!first && !always && !p->keep) return BW_OK;
    double lo[3], hi[3];
    for (int i = 0; i < 3; i++) {
        lo[i] = state->limited ? p->box.lo[i] : s->grid->origin[i];
        hi[i] = state->limited ? p->box.hi[i] : s->grid->origin[i] + s->grid->n[i] * s->grid->h;
    }
    return s->host->activate(s, lo, hi);
}

/* One row of cells or faces along x. */
struct row {
    const struct bw_block *b;
    const struct set *p;
    struct state *state;
    struct non_finite *non_finite; ///< of the tile
    bw_vec3 *pos;
    double *sampled; ///< n_others × n
    double *values;  ///< what the sampler gives, then what the expression does, n × 3
    int n, comp;
};

static void row_sample(struct row *row)
{
    const struct bw_sample_api *api = row->b->stage->host->extension(BW_SAMPLE);
    for (int q = 0; q < row->state->n_others; q++) {
        const struct other *o = &row->state->other[q];
        api->sample(o->field, (size_t)row->n, (const bw_vec3 *)row->pos, row->values);
        for (int i = 0; i < row->n; i++) row->sampled[q * row->n + i] = row->values[i * o->comps + o->comp];
    }
}

static int is_inside(const struct row *row, const double x[3])
{
    int inside = 1;
    for (int i = 0; i < 3; i++) inside &= x[i] >= row->p->box.lo[i] && x[i] <= row->p->box.hi[i];
    return inside || !row->state->limited;
}

/* Keeps the first non-finite position by z, y, x: the message is the same on any number of threads and ranks. */
static void non_finite_note(struct non_finite *b, const double x[3])
{
    int before = !b->found;
    for (int i = 2; i >= 0 && !before; i--) {
        if (x[i] > b->at[i]) return;
        before = x[i] < b->at[i];
    }
    memcpy(b->at, x, sizeof b->at);
    b->found = 1;
}

/* `seconds`: 1 when evaluated once. Every step it is dt: `add` and `multiply` are rates, the same in one step or in
 * ten. */
static double value_combine(int mode, double old, double v, double seconds)
{
    if (mode == MODE_ADD) return old + v * seconds;
    if (mode == MODE_MULTIPLY) return old * (seconds == 1 ? v : pow(v, seconds));
    return v;
}

/* Evaluates the expression at `count` positions of the row from `first` on. */
static void row_values(const struct row *row, int first, int count, double *out)
{
    const struct state *st = row->state;
    const struct value *v = &st->value[st->n_values > 1 ? row->comp : 0];
    struct bw_column column[COLUMNS_MAX];
    for (uint32_t i = 0; i < v->e->n_names; i++) {
        int q = v->source[i];
        if (q < SOURCE_T) column[i] = (struct bw_column){&row->pos[first][q], 3};
        else if (q < SOURCE_OTHERS) column[i] = (struct bw_column){q == SOURCE_T ? &st->t : &st->frame, 0};
        else column[i] = (struct bw_column){&row->sampled[(q - SOURCE_OTHERS) * row->n + first], 1};
    }
    st->api->eval(v->e, row->b->worker, (size_t)count, column, out);
}

/* Writes a row of the old view, from index `from`, to the new one at `to`. Positions inside the box are contiguous. */
static void row_evaluate(struct row *row, const struct bw_view *old, ptrdiff_t from, const struct bw_view *out,
                         ptrdiff_t to)
{
    int first = 0, end = row->n;
    row_sample(row);
    for (int i = 0; i < row->n; i++) bw_put(out, row->comp, to + i, bw_get(old, row->comp, from + i));
    while (first < end && !is_inside(row, row->pos[first])) first++;
    while (end > first && !is_inside(row, row->pos[end - 1])) end--;
    row_values(row, first, end - first, row->values);
    for (int i = first; i < end; i++) {
        double before = bw_get(old, row->comp, from + i);
        double v = value_combine(row->p->mode, before, row->values[i - first], row->state->seconds);
        if (isfinite(out->precision == BW_F64P ? v : (double)(float)v)) bw_put(out, row->comp, to + i, v);
        else non_finite_note(row->non_finite, row->pos[i]);
    }
}

static void body(const struct bw_block *b, void *user)
{
    const struct bw_stage *s = b->stage;
    const struct bw_view *out = &b->view[0], *old = &b->view[1];
    int mac = *(int *)user;
    struct row row = {.b = b, .p = s->params, .state = s->state};
    size_t most = (size_t)b->n[0] + 1, others = (size_t)row.state->n_others;
    row.non_finite = &row.state->non_finite[tile_of_block(s->host->extension(BW_TILES), b)];
    row.non_finite->found = 0;
    row.pos = s->host->body_scratch(b, most * sizeof *row.pos);
    row.sampled = s->host->body_scratch(b, (most * (others + 3)) * sizeof *row.sampled);
    row.values = row.sampled ? row.sampled + most * others : NULL;
    if (!row.pos || !row.sampled) {
        b->sum[0] += 1;
        return;
    }
    for (row.comp = 0; row.comp < out->comps; row.comp++) {
        double at[3] = {0.5, 0.5, 0.5};
        int n[3] = {b->n[0], b->n[1], b->n[2]};
        if (mac) {
            at[row.comp] = 0;
            n[row.comp]++;
        }
        row.n = n[0];
        for (int k = 0; k < n[2]; k++)
            for (int j = 0; j < n[1]; j++) {
                for (int i = 0; i < n[0]; i++) {
                    row.pos[i][0] = block_coord(b, 0, i + at[0]);
                    row.pos[i][1] = block_coord(b, 1, j + at[1]);
                    row.pos[i][2] = block_coord(b, 2, k + at[2]);
                }
                row_evaluate(&row, old, j * old->sy + k * old->sz, out, j * out->sy + k * out->sz);
            }
    }
    b->sum[1] += row.non_finite->found;
}

static enum bw_status non_finite_report(struct bw_stage *s, const struct set *p)
{
    struct state *state = s->state;
    struct non_finite first = {0};
    for (int64_t i = 0; i < state->tiles; i++)
        if (state->non_finite[i].found) non_finite_note(&first, state->non_finite[i].at);
    if (!first.found) return BW_OK;
    return s->host->fail(s, BW_ERR_DIVERGED,
                         "value \"%s\"%s has no finite value for \"%s\" at (%g, %g, %g) m, t = %g s", value_text(p, 0),
                         p->value.count > 1 ? " …" : "", p->field, first.at[0], first.at[1], first.at[2], state->t);
}

/* Fraction of the step at which expressions are evaluated. A velocity advects over the whole step, and rates act over
 * the whole step: both are second order with the midpoint's value. Other values are those of the step's end. */
static double evaluation_fraction(const struct set *p, uint32_t kind)
{
    if (p->when == WHEN_START) return 0;
    return kind == BW_MAC || p->mode != MODE_SET ? 0.5 : 1;
}

static enum bw_status step(struct bw_stage *s)
{
    const struct set *p = s->params;
    struct state *state = s->state;
    if (p->when == WHEN_START && s->step > 0) return BW_OK;
    const double part = evaluation_fraction(p, s->host->field_info(bw_port_field(s, 0))->kind);
    state->seconds = p->when == WHEN_START ? 1 : s->dt;
    state->t = s->time + part * s->dt;
    state->frame = s->frame - (1 - part) * s->dt * s->fps;
    state->tiles = ((const struct bw_tiles_api *)s->host->extension(BW_TILES))->topology(s->domain)->count;
    state->non_finite = s->host->scratch(s, (size_t)(state->tiles + 1) * sizeof *state->non_finite);
    if (!state->non_finite) return BW_ERR_MEMORY;
    struct bw_field *field = bw_port_field(s, 0);
    int mac = s->host->field_info(field)->kind == BW_MAC;
    double sums[2] = {0}; // blocks without memory, and with places that have no value
    struct bw_access access[] = {{field, BW_WRITE, 0}, {field, BW_READ, mac}};
    enum bw_status status = s->host->sweep(
        s, &(struct bw_sweep){.access = access, .n_access = 2, .body = body, .user = &mac, .sums = sums, .n_sums = 2});
    if (!status && sums[0] > 0) status = BW_ERR_MEMORY;
    if (status || !(sums[1] > 0)) return status;
    status = ranks_allgather(s, state->non_finite, NULL, sizeof *state->non_finite);
    return status ? status : non_finite_report(s, p);
}

const struct bw_stage_desc scene_set_desc = {
    .id = "set",
    .version = "1.0",
    .brief = "Sets a field from expressions of place, time and other fields.",
    .params_size = sizeof(struct set),
    .state_size = sizeof(struct state),
    BW_PARAMS(params),
    BW_PORTS(ports),
    // expressions, and the inputs of one step's workers
    .flags = BW_STAGE_SETUP | BW_STAGE_REBUILT_STATE | BW_STAGE_RANKS,
    .init = init,
    .activate = activate,
    .step = step,
    .uninit = uninit,
};
