// SPDX-License-Identifier: Apache-2.0
/* From a snapshot's fields to VDB grids.
 *
 * Voxel (i,j,k) is cell (i,j,k): the transform takes the index to the cell's centre, origin + (i+½)h. Cycles draws a
 * voxel from its index up to the next one, so that there the smoke sits half a voxel up from where it is, which the
 * script of `billow blender` takes back; Houdini puts it right. Scalars and colours are written where they differ from
 * the background by more than the threshold. A mac field becomes the mean of both faces of each cell (or keeps its
 * faces, `staggered`), in the voxels within `velocity_pad` of any written scalar: motion blur needs the flow just
 * outside the smoke too. */
#include "vdb.h"

#include <common/nest.h>

#include <stdio.h>
#include <string.h>

/* ---- what a field is in the file ---- */

static int unit_is(const struct bw_field_info *info, const char *unit)
{
    return info->unit && !strcmp(info->unit, unit);
}

/* Numbers and shares (colours among them) have no direction in space; whatever carries a unit has. */
static int vector_points(const struct bw_field_info *info) { return info->unit && *info->unit && !unit_is(info, "1"); }

/* Kelvin above ambient → the number in the file. */
static double temperature_gain(const struct vdb_params *p)
{
    if (vdb_temperature(p) == VDB_BLENDER) return 1e-3; // Blender's shader takes 1 for 1000 K
    return vdb_temperature(p) == VDB_NORMALIZED ? 1 / p->normalized_at : 1;
}

/* The largest power of two that is no more than twice the error allowed: no value is off by more than half of it. */
static double step_of(const struct vdb_params *p, const struct bw_field_info *info, double gain)
{
    const struct bw_amount *a = p->precision.errors.items;
    for (int64_t i = 0; i < p->precision.errors.count; i++)
        if (!strcmp(a[i].field, info->name)) return exp2(floor(log2(2 * a[i].value[0] * fabs(gain))));
    return 0;
}

static void grid_values(const struct bw_exporter *e, const struct bw_field_info *info, struct bwvdb_grid *g)
{
    const struct vdb_params *p = e->params;
    double gain = 1, threshold = p->threshold;
    if (!strcmp(info->name, "temperature")) {
        gain = temperature_gain(p);
        if (vdb_temperature(p) != VDB_PLAIN) threshold = p->threshold * 1000 * gain; // the same 0.1 K in any encoding
    }
    if (unit_is(info, "m/s")) gain = vdb_speed(e);
    if (unit_is(info, "m")) gain = vdb_length(p);
    if (unit_is(info, "1/s")) gain = 1 / vdb_slower(e);
    if (unit_is(info, "s")) gain = vdb_slower(e);
    g->gain = (float)gain;
    g->step = (float)step_of(p, info, gain);
    g->threshold = (float)threshold;
    g->grid_class = info->kind == BW_SCALAR ? BWVDB_CLASS_FOG_VOLUME : BWVDB_CLASS_UNKNOWN;
    if (info->kind == BW_SCALAR && !strcmp(info->name, "solid")) {
        g->grid_class = BWVDB_CLASS_LEVEL_SET;
        g->band = (float)(3 * info->domain->h * vdb_length(p)); // distances are exact that far only
    }
}

static void grid_place(const struct bw_exporter *e, const struct bw_field_info *info, struct bwvdb_grid *g)
{
    const struct vdb_params *p = e->params;
    const struct bw_domain_info *d = info->domain;
    g->name = info->name;
    g->comps = info->kind == BW_SCALAR ? 1 : 3;
    g->half = vdb_half(e);
    g->f64 = info->precision == BW_F64P;
    g->y_up = vdb_y_up(p);
    g->voxel = d->h * vdb_length(p);
    for (int a = 0; a < 3; a++) g->origin[a] = (d->origin[a] + d->h / 2) * vdb_length(p);
    for (uint32_t c = 0; c < g->comps; c++) g->background[c] = (float)info->background[c];
    if (g->comps == 3) g->vector_type = vector_points(info) ? BWVDB_VEC_CONTRAVARIANT_RELATIVE : BWVDB_VEC_INVARIANT;
}

/* Grid metadata: unit, and for the temperature how it is encoded, so that a reader can go back to kelvin. */
struct grid_facts {
    struct bwvdb_meta row[4];
    uint32_t n;
};

/* A temperature that is written so is one of nobody knows what. */
static const char *facts_unit(const struct bw_field_info *info)
{
    return info->unit && strcmp(info->name, "temperature") ? info->unit : "1";
}

static void facts_make(const struct bw_exporter *e, const struct bw_field_info *info, struct grid_facts *f)
{
    static const char *const encodings[] = {"", "blender", "excess", "normalized"};
    const struct vdb_params *p = e->params;
    f->row[f->n++] = (struct bwvdb_meta){.key = "creator", .string = e->bake->version};
    if (strcmp(info->name, "temperature") || vdb_temperature(p) == VDB_PLAIN) {
        f->row[f->n++] = (struct bwvdb_meta){.key = "unit", .string = facts_unit(info)};
        return;
    }
    f->row[f->n++] = (struct bwvdb_meta){.key = "temperature", .string = encodings[vdb_temperature(p)]};
    f->row[f->n++] = (struct bwvdb_meta){.key = "kelvin", .type = BWVDB_DOUBLE, .number = 1 / temperature_gain(p)};
    f->row[f->n++] = (struct bwvdb_meta){.key = "ambient", .type = BWVDB_DOUBLE, .number = e->bake->ambient};
}

/* ---- tiles as blocks ---- */

static void block_of_tile(const struct bw_snapshot_field *f, int64_t t, struct bwvdb_block *b)
{
    const struct bw_domain_info *d = f->info->domain;
    size_t value = f->info->precision == BW_F64P ? sizeof(double) : sizeof(float), skip = 0;
    int64_t stride = 1;
    for (int a = 0; a < 3; a++) {
        int32_t lo = f->coord[t][a] * d->tile[a], hi = lo + d->tile[a], from = lo;
        if (d->n[0]) from = lo < 0 ? 0 : lo, hi = hi > d->n[a] ? d->n[a] : hi; // cells beyond the box hold nothing
        b->origin[a] = from;
        b->n[a] = hi > from ? hi - from : 0;
        b->stride[a] = stride;
        skip += (size_t)(from - lo) * (size_t)stride;
        stride *= d->tile[a];
    }
    for (uint32_t c = 0; c < f->info->comps && c < 3; c++)
        b->data[c] = f->tile[c] ? (const char *)f->tile[c][t] + skip * value : NULL;
}

/* All active tiles as blocks; host memory, NULL when out of memory. */
static struct bwvdb_block *blocks_make(struct bw_exporter *e, const struct bw_snapshot_field *f, int64_t *n)
{
    *n = 0;
    struct bwvdb_block *blocks = e->host->alloc(e, (size_t)(f->n_tiles + 1) * sizeof *blocks);
    for (int64_t t = 0; blocks && t < f->n_tiles; t++)
        if (!f->outline || !f->outline[t]) block_of_tile(f, t, &blocks[(*n)++]);
    return blocks;
}

/* ---- blending with another domain ---- */

/* Is a block whole, whatever the other domain is? Only where all of its corners are: each side's depth is linear. */
static int block_whole(const struct bw_domain_info *d, const struct bw_domain_info *other, double edge,
                       const struct bwvdb_block *b)
{
    const struct bw_domain_info *fine = d->h < other->h ? d : other, *coarse = d->h < other->h ? other : d;
    double least = HUGE_VAL;
    for (int e = 0; e < 8; e++) {
        double x[3];
        for (int a = 0; a < 3; a++) x[a] = d->origin[a] + (b->origin[a] + (e >> a & 1) * b->n[a]) * d->h;
        least = fmin(least, nest_depth(fine, coarse, x));
    }
    if (fine == d) return least >= edge + 3 * coarse->h / fine->h;
    for (int a = 0; a < 3 && fine->n[0] > 0; a++) { // a block beside the finer box
        double lo = d->origin[a] + b->origin[a] * d->h, hi = lo + b->n[a] * d->h;
        if (hi <= fine->origin[a] || lo >= fine->origin[a] + fine->n[a] * fine->h) return 1;
    }
    return 0;
}

/* A copy of a block's values as floats, each times its share; in *memory. 0: out of memory. */
static int block_scale(struct bw_exporter *e, const struct bw_field_info *info, struct bwvdb_block *b, void **memory)
{
    const struct bw_domain_info *d = info->domain, *other = vdb_blend(e);
    double edge = ((const struct vdb_params *)e->params)->edge;
    int64_t cells = (int64_t)b->n[0] * b->n[1] * b->n[2];
    size_t value = info->precision == BW_F64P ? sizeof(double) : sizeof(float);
    char *out = *memory = e->host->alloc(e, (size_t)cells * info->comps * value + 1);
    if (!out) return 0;
    for (uint32_t c = 0; c < info->comps; c++, out += (size_t)cells * value) {
        const char *in = b->data[c];
        for (int64_t q = 0; q < cells; q++) {
            const int32_t at[3] = {(int32_t)(q % b->n[0]), (int32_t)(q / b->n[0] % b->n[1]),
                                   (int32_t)(q / b->n[0] / b->n[1])};
            double x[3];
            int64_t from = 0;
            for (int a = 0; a < 3; a++) {
                x[a] = d->origin[a] + (b->origin[a] + at[a] + 0.5) * d->h;
                from += at[a] * b->stride[a];
            }
            double share = nest_share(d, other, x, edge);
            if (value == sizeof(double)) ((double *)(void *)out)[q] = ((const double *)(const void *)in)[from] * share;
            else ((float *)(void *)out)[q] = (float)((double)((const float *)(const void *)in)[from] * share);
        }
        b->data[c] = out;
    }
    b->stride[0] = 1, b->stride[1] = b->n[0], b->stride[2] = (int64_t)b->n[0] * b->n[1];
    return 1;
}

/* Blocks that another domain shares get copies; memory[i] for block i. 0: out of memory. */
static int blocks_blend(struct bw_exporter *e, const struct bw_field_info *info, struct bwvdb_block *blocks, int64_t n,
                        void **memory)
{
    const struct bw_domain_info *other = vdb_blend(e);
    for (int64_t i = 0; i < n; i++) {
        if (blocks[i].n[0] <= 0 || blocks[i].n[1] <= 0 || blocks[i].n[2] <= 0) continue;
        if (block_whole(info->domain, other, ((const struct vdb_params *)e->params)->edge, &blocks[i])) continue;
        if (!block_scale(e, info, &blocks[i], &memory[i])) return 0;
    }
    return 1;
}

/* What adds up where two volumes overlap: smoke, heat, colour; not distances, nor what has a direction. */
static int field_adds(const struct bw_field_info *info)
{
    return strcmp(info->name, "solid") && info->kind != BW_MAC && !(info->kind == BW_VECTOR && vector_points(info));
}

static enum bw_status no_memory(struct bw_exporter *e, const char *name)
{
    return e->host->fail(e, BW_ERR_MEMORY, "out of memory for grid \"%s\"", name);
}

struct mac_source {
    const struct bw_exporter_host *host;
    const struct bw_snapshot_field *field;
    int staggered;
};

/* Means of two cells along each axis: along that of the component of three faces, of which the middle one is both's. */
static void mac_fill_coarse(const int32_t origin[3], float *const out[3], void *user)
{
    enum { WIDE = 16 };
    const struct mac_source *s = user;
    const int32_t lo[3] = {2 * origin[0], 2 * origin[1], 2 * origin[2]};
    for (uint32_t c = 0; c < 3; c++) {
        float faces[(WIDE + 1) * WIDE * WIDE];
        int32_t n[3] = {WIDE, WIDE, WIDE};
        n[c]++;
        s->host->read_box(s->field, c, lo, n, faces);
        const int32_t step[3] = {1, n[0], n[0] * n[1]}, up = step[c], b = step[(c + 1) % 3], d = step[(c + 2) % 3];
        for (int32_t v = 0; v < 512; v++) {
            const float *f = faces + 2 * ((v & 7) * step[0] + (v >> 3 & 7) * step[1] + (v >> 6) * step[2]);
            const int32_t column[4] = {0, b, d, b + d};
            float sum = 0;
            for (int32_t i = 0; i < 4; i++) sum += f[column[i]] + 2 * f[column[i] + up] + f[column[i] + 2 * up];
            out[c][v] = sum / 16;
        }
    }
}

/* A coarse leaf is of eight in the field's own cells. */
static enum bw_status coarse_lend(struct bw_exporter *e, const struct bw_snapshot_field *f, const int32_t (*leaf)[3],
                                  int64_t n)
{
    int32_t(*cell)[3] = e->host->alloc(e, (size_t)(8 * n + 1) * sizeof *cell);
    if (!cell) return no_memory(e, f->info->name);
    for (int64_t i = 0; i < 8 * n; i++)
        for (int a = 0; a < 3; a++) cell[i][a] = 2 * leaf[i / 8][a] + 8 * (int32_t)(i >> a & 1);
    enum bw_status s = e->host->lend(e, f, (const int32_t(*)[3])cell, 8 * n);
    e->host->release(e, cell);
    return s;
}

/// Whose tiles are asked for as they are packed, and the blocks that they are.
struct lending {
    struct bw_exporter *e;
    const struct bw_snapshot_field *field;
    struct bwvdb_block *blocks;
    int coarse;
    enum bw_status status;
};

/* All leaves of one call are in the same tile along x. */
static int leaves_lend(const int32_t (*leaf)[3], int64_t n, void *user)
{
    struct lending *l = user;
    const struct bw_snapshot_field *f = l->field;
    const int32_t edge = f->info->domain->tile[0];
    struct bwvdb_block *b = l->blocks;
    l->status = l->coarse ? coarse_lend(l->e, f, leaf, n) : l->e->host->lend(l->e, f, leaf, n);
    for (int64_t t = 0; b && t < f->n_tiles; t++) {
        if (f->outline && f->outline[t]) continue;
        const int32_t lo = f->coord[t][0] * edge;
        if (leaf[0][0] >= lo && leaf[0][0] < lo + edge) block_of_tile(f, t, b);
        b++;
    }
    return l->status != BW_OK;
}

/* `f`: whose tiles must come first, where several processes have them, into `blocks` if any; NULL: they are here. */
static enum bw_status grid_add(struct bw_exporter *e, struct bwvdb_writer *w, const struct bw_snapshot_field *f,
                               struct bwvdb_block *blocks, struct bwvdb_grid *g)
{
    struct bwvdb_error error;
    struct lending l = {e, f, blocks, g->fill == mac_fill_coarse, BW_OK};
    if (f && e->bake->ranks > 1) g->reach = leaves_lend, g->reach_user = &l;
    enum bwvdb_status s = bwvdb_writer_add(w, g, &error);
    if (l.status != BW_OK) return l.status;
    if (s == BWVDB_ERR_IO) return e->host->fail(e, BW_ERR_IO, "%s: %s", e->bake->dir, error.text); // values that wait
    return s ? e->host->fail(e, (enum bw_status)s, "%s", error.text) : BW_OK;
}

/* Scalars and cell-centred vectors: straight from the tiles. */
static enum bw_status centred_add(struct bw_exporter *e, const struct bw_snapshot_field *f, struct bwvdb_writer *w)
{
    struct grid_facts facts = {.n = 0};
    struct bwvdb_grid g = {.name = NULL};
    grid_place(e, f->info, &g);
    grid_values(e, f->info, &g);
    facts_make(e, f->info, &facts);
    g.meta = facts.row, g.n_meta = facts.n;
    int blends = vdb_blend(e) && field_adds(f->info);
    if (blends) memset(g.background, 0, sizeof g.background);         // nothing adds up where neither has anything
    enum bw_status s = blends ? e->host->lend(e, f, NULL, 0) : BW_OK; // scaled copies are made of all blocks
    if (s) return s;
    struct bwvdb_block *blocks = blocks_make(e, f, &g.n_blocks);
    if (!blocks) return no_memory(e, g.name);
    g.blocks = blocks;
    void **memory = blends ? e->host->alloc(e, (size_t)(g.n_blocks + 1) * sizeof *memory) : NULL;
    int good = !blends || (memory && blocks_blend(e, f->info, blocks, g.n_blocks, memory));
    s = good ? grid_add(e, w, blends ? NULL : f, blocks, &g) : no_memory(e, g.name);
    for (int64_t i = 0; memory && i < g.n_blocks; i++) e->host->release(e, memory[i]);
    e->host->release(e, memory);
    e->host->release(e, blocks);
    return s;
}

/* ---- mac fields ---- */

static void mac_fill(const int32_t origin[3], float *const out[3], void *user)
{
    const struct mac_source *s = user;
    for (uint32_t c = 0; c < 3; c++) {
        int32_t n[3] = {8, 8, 8};
        if (s->staggered) {
            s->host->read_box(s->field, c, origin, n, out[c]);
            continue;
        }
        float faces[9 * 8 * 8];
        n[c] = 9;
        s->host->read_box(s->field, c, origin, n, faces);
        const int32_t up = c == 0 ? 1 : c == 1 ? n[0] : n[0] * n[1];
        float *to = out[c];
        for (int32_t k = 0; k < 8; k++)
            for (int32_t j = 0; j < 8; j++, to += 8) {
                const float *low = faces + n[0] * (j + n[1] * k), *high = low + up;
                for (int32_t i = 0; i < 8; i++) to[i] = 0.5f * (low[i] + high[i]);
            }
    }
}

/* Names of the fog volumes written before, which say where the smoke is. */
static uint32_t smoke_names(const struct bw_exporter *e, const struct bw_frame *frame, const char **names,
                            uint32_t room)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < frame->n_fields && n + 1 < room; i++) {
        const struct bw_field_info *info = frame->fields[i].info;
        int fog = info->kind == BW_SCALAR || (info->kind == BW_VECTOR && !vector_points(info));
        if (fog && strcmp(info->name, "solid") && vdb_field_wanted(e->params, frame, info)) names[n++] = info->name;
    }
    names[n] = NULL;
    return n;
}

/* Largest component of tiles first … end-1, of which no other may be there. */
static float tiles_fastest(const struct bw_snapshot_field *f, int64_t first, int64_t end)
{
    const int32_t *edge = f->info->domain->tile;
    const int64_t cells = (int64_t)edge[0] * edge[1] * edge[2];
    float most = 0;
    for (int64_t t = first; t < end; t++) {
        if (f->outline && f->outline[t]) continue;
        for (int c = 0; c < 3; c++) {
            const float *v = f->info->precision == BW_F32 && f->tile[c] ? f->tile[c][t] : NULL;
            for (int64_t i = 0; v && i < cells; i++) most = fmaxf(most, fabsf(v[i]));
        }
    }
    return most;
}

/* Of all tiles, a layer across x at a time: with several processes no more than that comes here. m/s */
static enum bw_status speed_find(struct bw_exporter *e, const struct bw_snapshot_field *f, float *most)
{
    const int32_t edge = f->info->domain->tile[0];
    int32_t(*cell)[3] = e->host->alloc(e, (size_t)(f->n_tiles + 1) * sizeof *cell);
    if (!cell) return no_memory(e, f->info->name);
    enum bw_status s = BW_OK;
    for (int64_t t = 0; t < f->n_tiles; t++)
        for (int a = 0; a < 3; a++) cell[t][a] = f->coord[t][a] * f->info->domain->tile[a];
    for (int64_t first = 0, end; !s && first < f->n_tiles; first = end) {
        for (end = first; end < f->n_tiles && cell[end][0] / edge == cell[first][0] / edge; end++) continue;
        if (e->bake->ranks > 1) s = e->host->lend(e, f, (const int32_t(*)[3])cell + first, end - first);
        if (!s) *most = fmaxf(*most, tiles_fastest(f, first, end));
    }
    e->host->release(e, cell);
    return s;
}

/* Whoever blurs by velocities asks for them as far from the smoke as it moves while the shutter is open. */
static enum bw_status pad_find(struct bw_exporter *e, const struct bw_frame *frame, const struct bw_snapshot_field *f,
                               int32_t *pad)
{
    enum { USUAL = 4, MOST = 64 };
    const struct vdb_params *p = e->params;
    const double shutter = vdb_rule_number(vdb_host(p), VDB_RIM, 0) / frame->fps;
    float speed = 0;
    enum bw_status s = BW_OK;
    *pad = (int32_t)ceil(bw_given_or(p->velocity_pad, USUAL));
    if (p->velocity_pad == p->velocity_pad || !(shutter > 0)) return BW_OK;
    s = speed_find(e, f, &speed);
    const double moves = ceil(sqrt(3) * (double)speed * shutter / f->info->domain->h);
    if (!s && moves > *pad) *pad = moves < MOST ? (int32_t)moves : MOST;
    return s;
}

static int is_coarse(const struct bw_exporter *e)
{
    return ((const struct vdb_params *)e->params)->velocity == VDB_COARSE;
}

static enum bw_status mac_region(struct bw_exporter *e, const struct bw_frame *frame, const struct bw_snapshot_field *f,
                                 struct bwvdb_writer *w, struct bwvdb_region **region)
{
    const struct bw_domain_info *d = f->info->domain;
    const char *names[64];
    struct bwvdb_area area = {.coarse = is_coarse(e), .n = {d->n[0], d->n[1], d->n[2]}};
    struct bwvdb_block *boxes = NULL;
    if (smoke_names(e, frame, names, 64)) {
        area.grids = names;
        enum bw_status s = pad_find(e, frame, f, &area.pad);
        if (s) return s;
    } else { // a flow alone: wherever it lives
        boxes = blocks_make(e, f, &area.n_boxes);
        if (area.n_boxes && !boxes) return no_memory(e, f->info->name);
        area.boxes = boxes;
    }
    struct bwvdb_error error;
    enum bwvdb_status s = bwvdb_region_create(w, &area, region, &error);
    e->host->release(e, boxes);
    return s ? e->host->fail(e, (enum bw_status)s, "%s", error.text) : BW_OK;
}

static enum bw_status mac_add(struct bw_exporter *e, const struct bw_frame *frame, const struct bw_snapshot_field *f,
                              struct bwvdb_writer *w)
{
    const struct vdb_params *p = e->params;
    struct mac_source source = {e->host, f, p->velocity == VDB_STAGGERED};
    struct grid_facts facts = {.n = 0};
    struct bwvdb_region *region = NULL;
    enum bw_status s = mac_region(e, frame, f, w, &region);
    if (s) return s;
    struct bwvdb_grid g = {.region = region, .fill = is_coarse(e) ? mac_fill_coarse : mac_fill, .fill_user = &source};
    grid_place(e, f->info, &g);
    for (int a = 0; a < 3 && is_coarse(e); a++) g.origin[a] += g.voxel / 2;
    if (is_coarse(e)) g.voxel *= 2;
    grid_values(e, f->info, &g);
    g.f64 = 0; // read_box hands out floats
    g.vector_type = BWVDB_VEC_CONTRAVARIANT_RELATIVE;
    g.grid_class = source.staggered ? BWVDB_CLASS_STAGGERED : BWVDB_CLASS_UNKNOWN;
    facts_make(e, f->info, &facts);
    g.meta = facts.row, g.n_meta = facts.n;
    s = grid_add(e, w, f, NULL, &g);
    bwvdb_region_free(region);
    return s;
}

enum bw_status vdb_fields_add(struct bw_exporter *e, const struct bw_frame *frame, struct bwvdb_writer *w)
{
    enum bw_status s = BW_OK;
    vdb_left_out_log(e, frame);
    for (int mac = 0; !s && mac < 2; mac++) // mac fields last: where they are written depends on the others
        for (uint32_t i = 0; !s && i < frame->n_fields; i++) {
            const struct bw_snapshot_field *f = &frame->fields[i];
            if (mac != (f->info->kind == BW_MAC) || !vdb_field_wanted(e->params, frame, f->info)) continue;
            if (e->host->cancelled(e)) return BW_ERR_CANCELLED;
            s = mac ? mac_add(e, frame, f, w) : centred_add(e, f, w);
        }
    return s;
}
