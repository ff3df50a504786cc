// SPDX-License-Identifier: Apache-2.0
/* An exporter for tests: a line a frame and field with a hash over every active tile's coordinates and bits, and a line
 * a set of particles. Two bakes with equal lines held equal bits, whatever half floats or compression hide. */
#include <billow/plugin.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct state {
    FILE *file;
    const char *path;
};

/* FNV-1a over 8 bytes at a time: no adversary here. */
static uint64_t hash_bytes(uint64_t h, const void *bytes, size_t n)
{
    const unsigned char *at = bytes;
    for (; n >= 8; n -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        h = (h ^ word) * 0x100000001b3ull;
        h ^= h >> 29;
    }
    for (; n; n--) h = (h ^ *at++) * 0x100000001b3ull;
    return h;
}

static uint64_t field_hash(const struct bw_snapshot_field *f)
{
    const struct bw_domain_info *d = f->info->domain;
    size_t bytes = (size_t)(d->tile[0] * d->tile[1] * d->tile[2]) * (f->info->precision == BW_F32 ? 4 : 8);
    uint64_t h = 0xcbf29ce484222325ull;
    for (int64_t i = 0; i < f->n_tiles; i++) {
        h = hash_bytes(h, f->coord[i], sizeof f->coord[i]);
        for (int c = 0; c < 3; c++)
            if (f->tile[c]) h = hash_bytes(h, f->tile[c][i], bytes);
    }
    return h;
}

static double value_at(const void *values, uint32_t precision, size_t i)
{
    return precision == BW_F32 ? (double)((const float *)values)[i] : ((const double *)values)[i];
}

/* The greatest magnitude of a component. */
static double field_greatest(const struct bw_snapshot_field *f)
{
    const struct bw_domain_info *d = f->info->domain;
    const size_t n = (size_t)(d->tile[0] * d->tile[1] * d->tile[2]);
    double greatest = 0;
    for (int64_t t = 0; t < f->n_tiles; t++)
        for (int c = 0; c < 3; c++)
            for (size_t i = 0; f->tile[c] && i < n; i++)
                greatest = fmax(greatest, fabs(value_at(f->tile[c][t], f->info->precision, i)));
    return greatest;
}

static void field_print(struct bw_exporter *e, const struct bw_frame *frame, const struct bw_snapshot_field *f)
{
    struct state *s = e->state;
    fprintf(s->file, "%" PRId64 " %s.%s %" PRId64 " tiles %016" PRIx64 " to %.3g\n", frame->number,
            f->info->domain->name, f->info->name, f->n_tiles, field_hash(f), field_greatest(f));
}

static enum bw_status init(struct bw_exporter *e)
{
    struct state *s = e->state;
    s->path = e->host->output_begin(e, "grids.txt");
    if (!s->path) return BW_ERR_IO;
    s->file = fopen(s->path, "w");
    return s->file ? BW_OK : e->host->fail(e, BW_ERR_IO, "grids.txt can't be written");
}

static enum bw_status frame_write(struct bw_exporter *e, const struct bw_frame *frame)
{
    struct state *s = e->state;
    for (uint32_t i = 0; i < frame->n_fields; i++) field_print(e, frame, &frame->fields[i]);
    for (uint32_t i = 0; i < frame->n_others; i++) field_print(e, frame, &frame->others[i]);
    for (uint32_t i = 0; i < frame->n_particles; i++) {
        const struct bw_snapshot_particles *p = &frame->particles[i];
        uint64_t h = 0xcbf29ce484222325ull;
        for (uint32_t a = 0; a < p->n_attributes; a++) {
            const struct bw_attribute *row = &p->attributes[a];
            h = hash_bytes(h, p->data[a], (size_t)p->count * row->comps * (row->precision == BW_F32 ? 4 : 8));
        }
        fprintf(s->file, "%" PRId64 " %s %" PRId64 " particles %016" PRIx64 "\n", frame->number, p->name, p->count, h);
    }
    return BW_OK;
}

static enum bw_status finish(struct bw_exporter *e, int complete)
{
    struct state *s = e->state;
    int bad = fclose(s->file);
    s->file = NULL;
    if (!complete || bad) return e->host->output_discard(e, s->path), BW_OK;
    return e->host->output_commit(e, s->path);
}

static void uninit(struct bw_exporter *e)
{
    struct state *s = e->state;
    if (s->file) fclose(s->file);
}

static const struct bw_exporter_desc exporter = {
    .id = "grids",
    .version = "1.0",
    .brief = "Hashes of all fields' bits, for tests.",
    .state_size = sizeof(struct state),
    .init = init,
    .frame = frame_write,
    .finish = finish,
    .uninit = uninit,
};
static const struct bw_exporter_desc *const exporters[] = {&exporter};

BW_EXPORT const struct bw_module billow_module = BW_MODULE_EXPORTERS(exporters);
