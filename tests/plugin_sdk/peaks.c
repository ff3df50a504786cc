// SPDX-License-Identifier: Apache-2.0
/* Exporter `peaks`: peaks.csv, a line a frame with the largest value of a field, written when the bake ends. The lines
 * so far are state, so it has a `checkpoint`: a bake that is killed and resumed writes the same file. */
#include <billow/plugin.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

struct options {
    const char *field;
};

static const struct bw_param params[] = {
    BW_STRING(struct options, field, "field", "density", "Whose largest value."),
};

struct line {
    int64_t frame;
    double peak;
};

struct state {
    struct line *lines; ///< the host's memory, gone with the process
    int64_t count, room;
};

static enum bw_status room_make(struct bw_exporter *e, int64_t count)
{
    struct state *s = e->state;
    if (count <= s->room) return BW_OK;
    const int64_t room = 2 * count + 64;
    struct line *more = e->host->alloc(e, (size_t)room * sizeof *more);
    if (!more) return e->host->fail(e, BW_ERR_MEMORY, "out of memory for %lld peaks", (long long)room);
    if (s->count) memcpy(more, s->lines, (size_t)s->count * sizeof *more);
    e->host->release(e, s->lines);
    s->lines = more;
    s->room = room;
    return BW_OK;
}

static double tile_peak(const float *v, const struct bw_domain_info *d)
{
    double peak = -HUGE_VAL;
    for (int32_t i = 0; i < d->tile[0] * d->tile[1] * d->tile[2]; i++) peak = fmax(peak, (double)v[i]);
    return peak;
}

static enum bw_status frame_take(struct bw_exporter *e, const struct bw_frame *frame)
{
    const struct options *o = e->params;
    struct state *s = e->state;
    const struct bw_snapshot_field *f = NULL;
    for (uint32_t i = 0; i < frame->n_fields; i++)
        if (!strcmp(frame->fields[i].info->name, o->field)) f = &frame->fields[i];
    if (!f || f->info->precision != BW_F32)
        return e->host->fail(e, BW_ERR_PRESET, "there is no field \"%s\" of floats", o->field);
    enum bw_status status = room_make(e, s->count + 1);
    if (status) return status;
    double peak = f->info->background[0];
    for (int64_t t = 0; t < f->n_tiles; t++) peak = fmax(peak, tile_peak(f->tile[0][t], f->info->domain));
    s->lines[s->count++] = (struct line){frame->number, peak};
    return BW_OK;
}

/// One function for both ways, so that they can't drift apart.
static enum bw_status checkpoint(struct bw_exporter *e, struct bw_archive *a)
{
    struct state *s = e->state;
    if (a->restoring) { // a new instance, after init
        const int64_t count = a->stored(a, "lines") / (int64_t)sizeof *s->lines;
        enum bw_status status = room_make(e, count);
        if (status) return status;
        s->count = count;
    }
    return a->bytes(a, "lines", s->lines, (size_t)s->count * sizeof *s->lines);
}

static enum bw_status finish(struct bw_exporter *e, int complete)
{
    const struct state *s = e->state;
    (void)complete;
    const char *path = e->host->output_begin(e, "peaks.csv");
    FILE *f = path ? fopen(path, "w") : NULL;
    if (!f) return e->host->fail(e, BW_ERR_IO, "peaks.csv cannot be written");
    fprintf(f, "frame,peak\n");
    for (int64_t i = 0; i < s->count; i++) fprintf(f, "%lld,%.9g\n", (long long)s->lines[i].frame, s->lines[i].peak);
    const int bad = ferror(f) | fclose(f);
    return bad ? e->host->fail(e, BW_ERR_IO, "peaks.csv cannot be written") : e->host->output_commit(e, path);
}

static const struct bw_exporter_desc peaks = {
    .id = "peaks",
    .version = "1.0",
    .brief = "The largest value of a field in each frame.",
    BW_PARAMS(params),
    .params_size = sizeof(struct options),
    .state_size = sizeof(struct state),
    .frame = frame_take,
    .finish = finish,
    .checkpoint = checkpoint,
};
static const struct bw_exporter_desc *const exporters[] = {&peaks};

BW_EXPORT const struct bw_module billow_module = BW_MODULE_EXPORTERS(exporters);
