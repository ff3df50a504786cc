// SPDX-License-Identifier: Apache-2.0
/* load: fields from OpenVDB files, ours or anybody's: once at the start, or every step from a numbered sequence.
 *
 * The file's grid is read trilinearly at the world position of each cell centre (mac fields: of each face), so voxel
 * sizes and places need not agree. Inactive voxels count with the grid's background. Grids written by
 * Billow say how many kelvin their temperature's 1 stands for, and are turned back into kelvin. */
#include "stages.h"
#include <common/shape/grid_pick.h>
#include <common/shape/placed.h>

#include <common/openvdb/lattice/lattice.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FIELDS_MAX 16

enum load_mode { MODE_SET, MODE_ADD, MODE_MAX };
enum load_when { WHEN_AUTO, WHEN_START, WHEN_ALWAYS };

struct load_item {
    const char *field, *grid;
};

struct load {
    const char *path;
    const char *field, *grid;
    struct bw_list fields; ///< of struct load_item
    int32_t mode, when, outside, up;
    int64_t offset;
    double speed, scale, gain;
};

static const struct bw_param item_rows[] = {
    BW_FIELD(struct load_item, field, "field", NULL, "The field to fill.", BW_PARAM_REQUIRED),
    BW_STRING(struct load_item, grid, "grid", NULL, "The grid in the file; default: of the field's name."),
};

static const struct bw_param params[] = {
    BW_PATH(struct load, path, "path", "A .vdb file; a run of # in its name stands for the frame number.",
            BW_PARAM_REQUIRED),
    BW_FIELD(struct load, field, "field", NULL, "The field to fill."),
    BW_STRING(struct load, grid, "grid", NULL, "The grid in the file; default: of the field's name."),
    BW_LIST(struct load, fields, struct load_item, "fields", item_rows, "Several fields at once, each with its grid."),
    BW_CHOICE(struct load, mode, "mode", "set", "set|add|max",
              "What becomes of the old value; `add` in every step is an amount per second."),
    BW_CHOICE(struct load, when, "when", "auto", "auto|start|always",
              "In the first step or in every one; auto: a sequence always, a single file at the start."),
    BW_CHOICE(struct load, outside, "outside", "hold", SEQUENCE_OUTSIDE_NAMES,
              "Before the first and after the last file: that file, round again, or nothing."),
    BW_INT(struct load, offset, "offset", "0", -1e9, 1e9, "Added to the frame number."),
    BW_F64(struct load, speed, "speed", "1", -1e3, 1e3, NULL, "Files a frame, counted from the run's first frame."),
    BW_CHOICE(struct load, up, "up", "z", "z|y", "World axis that points up in the file."),
    BW_F64(struct load, scale, "scale", "1", 1e-6, 1e6, NULL,
           "Lengths of the file are multiplied by it (0.01: the file is in centimetres)."),
    BW_F64(struct load, gain, "gain", "1", -1e9, 1e9, NULL, "Values are multiplied by it."),
};

// clang-format off
#define LIST_PORT(key, text)                                                                                           \
    {                                                                                                                  \
        .name = key, .kind = BW_SCALAR, .access = BW_UPDATE, .doc = text, .flags = BW_PORT_LIST, .from = key,          \
        .kinds = BW_KIND_BIT(BW_SCALAR) | BW_KIND_BIT(BW_VECTOR) | BW_KIND_BIT(BW_MAC)                                 \
    }
// clang-format on

enum { PORT_FIELD, PORT_FIELDS };
static const struct bw_port ports[] = {
    [PORT_FIELD] = LIST_PORT("field", "The field that is filled."),
    [PORT_FIELDS] = LIST_PORT("fields", "The fields that are filled."),
};

struct target {
    struct bw_field *field;
    const char *grid;
    struct grid_pick pick;
    int32_t index; ///< of the grid in the open file; -1: it holds none
    double gain;   ///< file's number → the field's
    int turn;      ///< vectors are turned with the axes
};

struct state {
    struct target target[FIELDS_MAX];
    int n_targets;
    struct bwvdb_file *file, *next; ///< the open one; the one after it, of which the head has been read
    int64_t number, next_number;
    struct sequence sequence;
    int told;                 ///< what the files say of themselves has been looked at
    int judged;               ///< where its grids lie has been looked at
    int done;                 ///< filled once, and that was all
    char path[SEQUENCE_PATH]; ///< of the open file
};

/* ---- the open file ---- */

/* What the file says of its world against what the preset says of it, once. */
static void facts_check(struct bw_stage *s)
{
    const struct load *p = s->params;
    struct state *st = s->state;
    struct vdb_facts facts;
    if (st->told || !bwvdb_count(st->file)) return;
    st->told = 1;
    vdb_facts_read(st->file, &facts);
    if (facts.scale != 1 && !(fabs(facts.scale * p->scale - 1) < 1e-6)) // others' files don't say
        s->host->log(s, BW_LOG_WARNING, "%s was written with %g units a metre: `scale: %g` reads it in metres, not %g",
                     p->path, facts.scale, 1 / facts.scale, p->scale);
    if (facts.y_up && !p->up)
        s->host->log(s, BW_LOG_WARNING, "%s was written with y up: `up: y` stands it upright", p->path);
}

static enum bw_status target_open(struct bw_stage *s, struct target *t)
{
    const struct load *p = s->params;
    const struct state *st = s->state;
    const struct bw_field_info *field = s->host->field_info(t->field);
    enum bw_status status = grid_pick(s, &t->pick, &st->sequence, p->path, st->path, st->file, t->grid, &t->index);
    if (status || t->index < 0) return status;
    struct bwvdb_error error;
    enum bwvdb_status bad = bwvdb_load(st->file, t->index, &error);
    if (bad) return s->host->fail(s, (enum bw_status)bad, "%s", error.text);
    const struct bwvdb_info *info = bwvdb_grid_info(st->file, t->index);
    if ((info->comps == 3) != (field->kind != BW_SCALAR))
        return s->host->fail(s, BW_ERR_PRESET, "grid \"%s\" of %s holds %s, but field \"%s\" %s", t->grid, st->path,
                             info->comps == 3 ? "vectors" : "scalars", field->name,
                             field->kind == BW_SCALAR ? "is a scalar" : "has three components");
    int length = field->unit && (!strcmp(field->unit, "m/s") || !strcmp(field->unit, "m"));
    t->gain = p->gain * (length ? p->scale : 1) *
              (!strcmp(field->name, "temperature") ? bwvdb_grid_number(info, "kelvin", 1) : 1);
    t->turn = p->up == 1 && (length || info->vector_type != BWVDB_VEC_INVARIANT); // others' flows say nothing of it
    return BW_OK;
}

static enum bw_status file_open(struct bw_stage *s, int64_t number)
{
    const struct load *p = s->params;
    struct state *st = s->state;
    if (st->file && st->number == number) return BW_OK;
    bwvdb_close(st->file);
    st->file = NULL;
    if (!sequence_path(p->path, number, st->path))
        return s->host->fail(s, BW_ERR_PRESET, "the path %.60s… is too long", p->path);
    struct bwvdb_error error;
    enum bwvdb_status bad = BWVDB_OK;
    if (st->next && st->next_number == number) st->file = st->next, st->next = NULL;
    else bad = bwvdb_open(st->path, &st->file, &error);
    if (bad) return s->host->fail(s, (enum bw_status)bad, "%s", error.text);
    st->number = number;
    facts_check(s);
    for (int i = 0; i < st->n_targets; i++) {
        enum bw_status status = target_open(s, &st->target[i]);
        if (status) return status;
    }
    return BW_OK;
}

/* ---- places: Billow's metres, z up, and the file's units and axes ---- */

static void place_to_file(const struct load *p, const double x[3], double f[3])
{
    vdb_turn_back(p->up, x, f);
    for (int a = 0; a < 3; a++) f[a] /= p->scale;
}

static enum bw_status box_activate(struct bw_stage *s, const struct bwvdb_info *g)
{
    const struct load *p = s->params;
    struct box3 b;
    if (!g->active) return BW_OK;
    vdb_box(g, p->up, 1, b.lo, b.hi);
    for (int a = 0; a < 3; a++) b.lo[a] *= p->scale, b.hi[a] *= p->scale;
    return s->host->activate(s, b.lo, b.hi);
}

/* The first file that counts: is it anywhere near the domain? */
static void place_judge_once(struct bw_stage *s)
{
    const struct load *p = s->params;
    struct state *st = s->state;
    struct box3 all = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    if (st->judged || !st->file) return;
    for (int i = 0; i < st->n_targets; i++) {
        const struct bwvdb_info *g = bwvdb_grid_info(st->file, st->target[i].index);
        if (!g || !g->active) continue;
        struct box3 b;
        vdb_box(g, p->up, 1, b.lo, b.hi);
        for (int a = 0; a < 3; a++) all.lo[a] = fmin(all.lo[a], b.lo[a]), all.hi[a] = fmax(all.hi[a], b.hi[a]);
        st->judged = 1;
    }
    if (!st->judged) return; // an empty frame
    const char *slash = strrchr(st->path, '/');
    shape_grids_tell(s, slash ? slash + 1 : st->path, &all, p->scale, p->up);
}

/* ---- one sweep a field ---- */

struct pass {
    const struct target *target;
    double seconds; ///< 1 for what happens once
};

/* Component c of what the file says, in Billow's axes; `out` holds the file's numbers of one place. */
static double value_read(const struct target *t, const double *out, int c)
{
    if (!t->turn || c == 0) return out[c] * t->gain;
    return (c == 1 ? -out[2] : out[1]) * t->gain;
}

/* A cell as one number that is exact in a double and orders cells. */
static double cell_number(const struct bw_block *b, int i, int j, int k)
{
    const double side = 0x1p17, half = 0x1p16;
    return ((b->lo[2] + k + half) * side + (b->lo[1] + j + half)) * side + (b->lo[0] + i + half);
}

/* The voxel next to a place of the file that is no number, and the sentence about it. */
static enum bw_status nan_report(struct bw_stage *s, const struct target *t, double number)
{
    const struct state *st = s->state;
    const struct bwvdb_info *g = bwvdb_grid_info(st->file, t->index);
    const double side = 0x1p17, half = 0x1p16, *m = g->matrix;
    const double cell[3] = {fmod(number, side) - half, fmod(floor(number / side), side) - half,
                            floor(number / side / side) - half};
    double x[3], f[3];
    int32_t lo[3], n[3] = {5, 5, 5}, at[3] = {0};
    float near[3][125], *out[3] = {near[0], near[1], near[2]};
    for (int a = 0; a < 3; a++) x[a] = s->grid->origin[a] + (cell[a] + 0.5) * s->grid->h;
    place_to_file(s->params, x, f);
    const double det =
        m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) + m[2] * (m[4] * m[9] - m[5] * m[8]);
    for (int a = 0; a < 3; a++) { // Cramer's rule
        double c[9];
        for (int e = 0; e < 9; e++) c[e] = e % 3 == a ? f[e / 3] - m[4 * (e / 3) + 3] : m[4 * (e / 3) + e % 3];
        const double part = c[0] * (c[4] * c[8] - c[5] * c[7]) - c[1] * (c[3] * c[8] - c[5] * c[6]) +
                            c[2] * (c[3] * c[7] - c[4] * c[6]);
        lo[a] = (int32_t)floor(part / det + 0.5) - 2;
    }
    if (bwvdb_read_box(st->file, t->index, lo, n, out, NULL) == BWVDB_OK)
        for (int e = 124; e >= 0; e--)
            for (uint32_t c = 0; c < g->comps; c++)
                if (!isfinite(near[c][e])) at[0] = e % 5, at[1] = e / 5 % 5, at[2] = e / 25;
    return s->host->fail(s, BW_ERR_DIVERGED,
                         "grid \"%s\" of %s is not a number at voxel (%d, %d, %d), near (%.4g, %.4g, %.4g) m", t->grid,
                         st->path, (int)(lo[0] + at[0]), (int)(lo[1] + at[1]), (int)(lo[2] + at[2]), x[0], x[1], x[2]);
}

static void body(const struct bw_block *b, void *user)
{
    const struct pass *pass = user;
    const struct load *p = b->stage->params;
    const struct state *st = b->stage->state;
    const struct bw_view *out = &b->view[0], *old = &b->view[1];
    const struct bw_field_info *info = b->stage->host->field_info(pass->target->field);
    int mac = info->kind == BW_MAC, grid_comps = info->kind == BW_SCALAR ? 1 : 3;
    double(*pos)[3] = b->stage->host->body_scratch(b, ((size_t)b->n[0] + 1) * sizeof *pos);
    double *got = b->stage->host->body_scratch(b, ((size_t)b->n[0] + 1) * 3 * sizeof *got);
    if (!pos || !got) {
        b->sum[0] += 1;
        return;
    }
    for (int c = 0; c < out->comps; c++) {
        int n[3] = {b->n[0], b->n[1], b->n[2]};
        if (mac) n[c]++;
        for (int row = 0; row < n[1] * n[2]; row++) {
            int j = row % n[1], k = row / n[1];
            for (int i = 0; i < n[0]; i++) {
                double x[3] = {i + 0.5, j + 0.5, k + 0.5};
                if (mac) x[c] -= 0.5;
                for (int a = 0; a < 3; a++) x[a] = b->corner[a] + x[a] * b->grid->h;
                place_to_file(p, x, pos[i]);
            }
            memset(got, 0, (size_t)n[0] * 3 * sizeof *got); // blank
            if (st->file && pass->target->index >= 0)
                b->sum[1] +=
                    bwvdb_sample(st->file, pass->target->index, (size_t)n[0], (const double(*)[3])pos, got, NULL) != 0;
            for (int i = 0; i < n[0]; i++) {
                double v = value_read(pass->target, got + i * grid_comps, c);
                if (!isfinite(v)) { // said by name after the sweep
                    b->max[0] = fmax(b->max[0], -cell_number(b, i, j, k));
                    v = 0;
                }
                double before = bw_get(old, c, i + j * old->sy + k * old->sz);
                if (p->mode == MODE_ADD) v = before + v * pass->seconds;
                if (p->mode == MODE_MAX) v = fmax(before, v);
                bw_put(out, c, i + j * out->sy + k * out->sz, v);
            }
        }
    }
}

/* ---- callbacks ---- */

static int always(const struct bw_stage *s)
{
    const struct load *p = s->params;
    const struct state *st = s->state;
    return p->when == WHEN_ALWAYS || (p->when == WHEN_AUTO && st->sequence.numbered);
}

/* Open the file that belongs to `frame`; none is open afterwards where the sequence is blank. */
static enum bw_status file_select(struct bw_stage *s, double frame)
{
    struct state *st = s->state;
    int64_t number = sequence_number(s, &st->sequence, frame, 0);
    if (number >= 0) return file_open(s, number);
    bwvdb_close(st->file);
    st->file = NULL;
    return BW_OK;
}

static enum bw_status target_add(struct bw_stage *s, struct bw_field *field, const char *grid)
{
    struct state *st = s->state;
    const char *name = s->host->field_info(field)->name;
    for (int i = 0; i < st->n_targets; i++)
        if (st->target[i].field == field) return s->host->fail(s, BW_ERR_PRESET, "field \"%s\" is named twice", name);
    if (st->n_targets == FIELDS_MAX) return s->host->fail(s, BW_ERR_PRESET, "more than %d fields", FIELDS_MAX);
    st->target[st->n_targets++] = (struct target){.field = field, .grid = grid && *grid ? grid : name};
    return BW_OK;
}

static enum bw_status init(struct bw_stage *s)
{
    const struct load *p = s->params;
    const struct load_item *items = p->fields.items;
    struct state *st = s->state;
    enum bw_status status = BW_OK;
    if (s->ports[PORT_FIELD].count) status = target_add(s, bw_port_field(s, PORT_FIELD), p->grid);
    for (uint32_t i = 0; !status && i < s->ports[PORT_FIELDS].count; i++)
        status = target_add(s, s->ports[PORT_FIELDS].fields[i], i < p->fields.count ? items[i].grid : NULL);
    if (status) return status;
    if (!st->n_targets) return s->host->fail(s, BW_ERR_PRESET, "name a `field`, or several under `fields`");
    st->sequence = (struct sequence){.offset = p->offset, .speed = p->speed, .outside = p->outside};
    status = sequence_begin(s, p->path, &st->sequence);
    if (!status && !st->sequence.numbered) status = file_open(s, 0);
    if (!status) place_judge_once(s);
    return status;
}

/* The step may end where the next file begins, whose boxes its head tells. */
static enum bw_status next_activate(struct bw_stage *s)
{
    const struct load *p = s->params;
    struct state *st = s->state;
    const int64_t number = sequence_number(s, &st->sequence, s->frame + 1, 0);
    char path[SEQUENCE_PATH];
    enum bw_status status = BW_OK;
    if (number < 0 || (st->file && st->number == number) || !sequence_path(p->path, number, path)) return BW_OK;
    if (st->next && st->next_number != number) bwvdb_close(st->next), st->next = NULL;
    if (!st->next && bwvdb_open(path, &st->next, NULL)) return BW_OK; // told when its values are wanted
    st->next_number = number;
    for (int i = 0; !status && i < st->n_targets; i++) {
        const int32_t grid = bwvdb_find(st->next, st->target[i].grid);
        if (grid >= 0) status = box_activate(s, bwvdb_grid_info(st->next, grid));
    }
    return status;
}

static enum bw_status activate(struct bw_stage *s)
{
    struct state *st = s->state;
    if (st->done) return BW_OK;
    enum bw_status status = file_select(s, s->frame);
    if (!status) place_judge_once(s);
    if (!status && st->sequence.numbered) status = next_activate(s);
    for (int i = 0; !status && st->file && i < st->n_targets; i++)
        if (st->target[i].index >= 0) status = box_activate(s, bwvdb_grid_info(st->file, st->target[i].index));
    return status;
}

static enum bw_status step(struct bw_stage *s)
{
    struct state *st = s->state;
    const struct load *p = s->params;
    if (st->done) return BW_OK;
    enum bw_status status = file_select(s, s->frame);
    if (!st->file && p->mode != MODE_SET) return status;
    for (int i = 0; !status && i < st->n_targets; i++) {
        struct target *t = &st->target[i];
        struct pass pass = {t, always(s) ? s->dt : 1};
        int mac = s->host->field_info(t->field)->kind == BW_MAC;
        double sums[2] = {0, 0}, not_a_number;
        struct bw_access access[] = {{t->field, BW_WRITE, 0}, {t->field, BW_READ, mac}};
        status = s->host->sweep(s, &(struct bw_sweep){.access = access,
                                                      .n_access = 2,
                                                      .body = body,
                                                      .user = &pass,
                                                      .sums = sums,
                                                      .n_sums = 2,
                                                      .maxs = &not_a_number,
                                                      .n_maxs = 1});
        if (!status && isfinite(not_a_number)) status = nan_report(s, t, -not_a_number);
        if (!status && sums[0] > 0) status = BW_ERR_MEMORY;
        if (!status && sums[1] > 0)
            status = s->host->fail(s, BW_ERR, "cannot sample grid \"%s\" of %s", t->grid, st->path);
    }
    if (!status && !always(s)) {
        st->done = 1;
        bwvdb_close(st->file);
        st->file = NULL;
    }
    return status;
}

static void uninit(struct bw_stage *s)
{
    struct state *st = s->state;
    bwvdb_close(st->file);
    bwvdb_close(st->next);
    st->file = st->next = NULL;
}

/* The open file is found again by the frame; what is loaded once is not loaded again. */
static enum bw_status checkpoint(struct bw_stage *s, struct bw_archive *a)
{
    struct state *st = s->state;
    return a->bytes(a, "done", &st->done, sizeof st->done);
}

const struct bw_stage_desc scene_load_desc = {
    .id = "load",
    .version = "1.0",
    .brief = "Fills fields from OpenVDB files, once or from a numbered sequence.",
    .params_size = sizeof(struct load),
    .state_size = sizeof(struct state),
    BW_PARAMS(params),
    BW_PORTS(ports),
    .init = init,
    .activate = activate,
    .flags = BW_STAGE_RANKS | BW_STAGE_SETUP,
    .step = step,
    .uninit = uninit,
    .checkpoint = checkpoint,
};
