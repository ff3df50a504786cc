// SPDX-License-Identifier: Apache-2.0
#include "overlay.h"

#include "active_tiles.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_POINTS = 50000 }; ///< of more only every n-th is sent

/// A JSON string; a file's name may hold any character.
static void string_write(FILE *out, const char *text)
{
    json_t *o = json_string(text);
    char *quoted = o ? json_dumps(o, JSON_ENCODE_ANY) : NULL;
    fputs(quoted ? quoted : "\"\"", out);
    free(quoted);
    json_decref(o);
}

/// The i-th number of an attribute.
static double number_read(const void *data, uint32_t precision, int64_t i)
{
    if (precision == BW_F32) return (double)((const float *)data)[i];
    return precision == BW_F64P ? ((const double *)data)[i] : (double)((const int64_t *)data)[i];
}

/// An attribute's numbers; JSON has no NaN.
static void attribute_write(FILE *out, const struct bw_snapshot_points *p, uint32_t a)
{
    const uint32_t comps = p->attributes[a].comps;
    const int64_t step = 1 + p->count / MAX_POINTS;
    const char *before = "";
    fputc(',', out);
    string_write(out, p->attributes[a].name);
    fputs(":[", out);
    for (int64_t i = 0; i < p->count; i += step)
        for (uint32_t c = 0; c < comps; c++, before = ",") {
            const double x = number_read(p->data[a], p->attributes[a].precision, i * comps + c);
            fprintf(out, "%s%.5g", before, isfinite(x) ? x : 0);
        }
    fputc(']', out);
}

/// Does the page draw by this attribute?
static int is_drawn(const char *attribute)
{
    static const char *const response[] = {"pos", "strength", "radius", "colour", "turn", "turn_w", "shape", "size"};
    for (size_t i = 0; i < sizeof response / sizeof *response; i++)
        if (!strcmp(response[i], attribute)) return 1;
    return 0;
}

static void points_write(FILE *out, struct bw_snapshot *snapshot)
{
    struct bw_snapshot_facts f = {.size = sizeof f};
    if (!snapshot || bw_snapshot_facts(snapshot, &f)) f.n_points = 0;
    fputs(",\"points\":[", out);
    for (uint32_t i = 0; i < f.n_points; i++) {
        const struct bw_snapshot_points *p = &f.points[i];
        fprintf(out, "%s{\"count\":%lld,\"name\":", i ? "," : "", (long long)p->count);
        string_write(out, p->name);
        for (uint32_t a = 0; a < p->n_attributes; a++)
            if (p->data[a] && is_drawn(p->attributes[a].name)) attribute_write(out, p, a);
        fputc('}', out);
    }
    fputc(']', out);
}

static uint32_t points_count(struct bw_snapshot *snapshot)
{
    struct bw_snapshot_facts f = {.size = sizeof f};
    return bw_snapshot_facts(snapshot, &f) ? 0 : f.n_points;
}

/// Points of a frame that is still in memory, else those of its files.
static void points_choose(FILE *out, struct source *s, int64_t frame, struct bw_snapshot *own)
{
    struct bw_snapshot *files = NULL;
    const int has = points_count(own) > 0;
    if (!has && source_points(s, frame, &files) && s->cache) {
        fputs(",\"why\":", out);
        string_write(out, bw_error_last()->sentence);
    }
    points_write(out, has ? own : files);
    if (files) bw_snapshot_close(files);
}

static void tiles_write(FILE *out, struct bw_snapshot *snapshot)
{
    struct tiles tiles;
    tiles_collect(&tiles, snapshot);
    fputs(",\"tiles\":[", out);
    for (int i = 0; i < tiles.n; i++) {
        const struct tile_set *t = &tiles.set[i];
        fprintf(out, "%s{\"origin\":[%.9g,%.9g,%.9g],\"edge\":[%.9g,%.9g,%.9g],\"at\":[", i ? "," : "", t->origin[0],
                t->origin[1], t->origin[2], t->edge[0], t->edge[1], t->edge[2]);
        for (int64_t k = 0; k < t->n; k++)
            fprintf(out, "%s%d,%d,%d", k ? "," : "", t->coord[k][0], t->coord[k][1], t->coord[k][2]);
        fputs("]}", out);
    }
    fputc(']', out);
    tiles_free(&tiles);
}

static void overlay_write(FILE *out, struct source *s, const struct query *q, const struct bw_view_facts *f)
{
    struct bw_snapshot *snapshot;
    fprintf(out, "{\"metre\":%.9g,\"y_up\":%s", f->metre, f->y_up ? "true" : "false");
    if (q->overlay & (OVERLAY_OUTLINES | OVERLAY_DOMAIN)) {
        char *outlines = source_outlines(s, q->frame);
        fprintf(out, ",\"outlines\":%s", outlines ? outlines : "null");
        bw_text_free(outlines);
    }
    if (q->overlay & ~OVERLAY_DOMAIN && !source_snapshot(s, q->frame, &snapshot)) {
        if (q->overlay & (OVERLAY_PARTICLES | OVERLAY_OUTLINES)) points_choose(out, s, q->frame, snapshot);
        if (q->overlay & OVERLAY_TILES) tiles_write(out, snapshot);
        bw_snapshot_close(snapshot);
    }
    fputc('}', out);
}

struct response overlay_response(struct view_cache *v, struct source *s, const struct query *q)
{
    char *text = NULL;
    size_t size;
    struct cached_view *o = q->priority == PRIORITY_IDLE ? view_cache_acquire_transient(v, s, q->frame, q->look)
                                                         : view_cache_acquire(v, s, q->frame, q->look);
    if (!o) return frame_error_response(s, q->frame);
    FILE *out = open_memstream(&text, &size);
    if (out) overlay_write(out, s, q, &o->facts);
    view_cache_release(v, o);
    const int bad = !out || ferror(out);
    if ((out && fclose(out)) || bad) {
        free(text);
        text = NULL;
    }
    return json_response(text);
}
