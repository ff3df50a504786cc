// SPDX-License-Identifier: Apache-2.0
#include "picture.h"

#include "clock.h"
#include "jpeg.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct response text_response(unsigned code, const char *text)
{
    struct response out = {.code = code, .type = "text/plain; charset=utf-8", .bytes = strdup(text)};
    out.size = out.bytes ? strlen(out.bytes) : 0;
    return out;
}

struct response json_response(char *text)
{
    if (!text) return text_response(MHD_HTTP_INTERNAL_SERVER_ERROR, "out of memory");
    return (struct response){.code = MHD_HTTP_OK, .type = "application/json", .bytes = text, .size = strlen(text)};
}

struct response frame_error_response(struct source *s, int64_t frame)
{
    const struct bw_error *e = bw_error_last();
    const int not_found = e->status == BW_ERR_IO || e->status == BW_ERR_USAGE;
    struct response out = text_response(not_found ? MHD_HTTP_NOT_FOUND : MHD_HTTP_INTERNAL_SERVER_ERROR,
                                        *e->sentence ? e->sentence : "there is no such frame");
    if (s->is_bake && source_has_frame(s, frame)) source_refresh(s); // it may have been started again
    if (!s->is_bake || source_has_frame(s, frame)) return out;
    free(out.bytes);
    return (struct response){.code = MHD_HTTP_NO_CONTENT};
}

/// Ten numbers: position, target, up, angle.
static void camera_print(const struct bw_eye *e, char out[280])
{
    const double *const each[] = {e->at, e->target, e->up};
    int n = 0;
    for (int i = 0; i < 9; i++) n += snprintf(out + n, 280 - (size_t)n, "%.17g,", each[i / 3][i % 3]);
    snprintf(out + n, 280 - (size_t)n, "%.17g", e->angle);
}

const struct bw_eye *picture_camera(const struct cached_view *o, const struct query *q, struct bw_eye *movie)
{
    const double own = (double)o->facts.width / o->facts.height, aspect = (double)q->width / q->height;
    *movie = o->facts.eye;
    if (q->has_camera) return &q->camera;
    if (aspect >= own * 0.999) return NULL;
    movie->angle = 2 * atan(tan(0.5 * movie->angle) * own / aspect);
    return movie;
}

static enum bw_status volume_render(struct view_cache *v, struct source *s, const struct query *q,
                                    struct bw_pixels *out, struct response *r)
{
    struct cached_view *o = q->priority == PRIORITY_IDLE ? view_cache_acquire_transient(v, s, q->frame, q->look)
                                                         : view_cache_acquire(v, s, q->frame, q->look);
    if (!o) return bw_error_last()->status ? bw_error_last()->status : BW_ERR;
    struct bw_eye movie;
    const struct bw_eye *eye = picture_camera(o, q, &movie);
    enum bw_status status = bw_view_picture(o->view, eye, q->width, q->height, q->coarse, out);
    if (!q->has_camera) camera_print(&movie, r->camera);
    r->empty = 1;
    for (int c = 0; c < 3; c++) r->empty &= !(o->facts.seen_lo[c] < o->facts.seen_hi[c]);
    view_cache_release(v, o);
    return status;
}

/// Of a cache: the snapshot of the domain's own files, if there are any, in place of `own`.
static struct bw_snapshot *domain_choose(struct source *s, const struct query *q, struct bw_snapshot *own, int *found)
{
    struct other_domain_frame other[MAX_OTHER_DOMAINS];
    *found = 0;
    for (int n = source_other_domains(s, q->frame, other); n-- > 0;) {
        const int matches = !strcmp(other[n].name, q->domain);
        bw_snapshot_close(matches ? own : other[n].snapshot);
        if (matches) own = other[n].snapshot;
        *found |= matches;
    }
    return own;
}

enum bw_status slice_snapshot(struct source *s, const struct query *q, struct bw_snapshot **cut, struct query *slice)
{
    struct bw_snapshot_facts f = {.size = sizeof f};
    enum bw_status status = source_snapshot(s, q->frame, cut);
    *slice = *q;
    if (status || !*q->domain || bw_snapshot_facts(*cut, &f)) return status;
    int found = 0;
    if (domains_count(&f) < 2) *cut = domain_choose(s, q, *cut, &found);
    if (!found) query_apply_domain(slice); // of a bake: one of its own; files without that domain are an error
    return BW_OK;
}

static enum bw_status slice_render(struct source *s, const struct query *q, struct bw_pixels *out, struct response *r)
{
    struct bw_snapshot *snapshot;
    struct query slice;
    enum bw_status status = slice_snapshot(s, q, &snapshot, &slice);
    if (status) return status;
    status = bw_snapshot_picture(snapshot, slice.slice_json, 0, out);
    bw_snapshot_close(snapshot);
    if (status) return status;
    memcpy(r->range, out->range, sizeof r->range);
    memcpy(r->box[0], out->lo, sizeof r->box[0]);
    memcpy(r->box[1], out->hi, sizeof r->box[1]);
    return status;
}

struct response picture_response(struct view_cache *v, struct source *s, const struct query *q)
{
    struct bw_pixels pixels = {0};
    const double start = clock_seconds(CLOCK_MONOTONIC);
    struct response out = {.code = MHD_HTTP_OK, .type = "image/jpeg"};
    enum bw_status status = q->slice ? slice_render(s, q, &pixels, &out) : volume_render(v, s, q, &pixels, &out);
    if (status == BW_ERR_PRESET && *q->look) return text_response(MHD_HTTP_BAD_REQUEST, bw_error_last()->sentence);
    if (status) return frame_error_response(s, q->frame);
    out.bytes = jpeg_encode(&pixels, q->quality, &out.size);
    bw_pixels_free(&pixels);
    out.seconds = clock_seconds(CLOCK_MONOTONIC) - start;
    return out.bytes ? out : text_response(MHD_HTTP_INTERNAL_SERVER_ERROR, "out of memory for a picture");
}

static json_t *triple(const double x[3]) { return json_pack("[f, f, f]", x[0], x[1], x[2]); }

struct response scene_response(struct view_cache *v, struct source *s, const struct query *q)
{
    struct cached_view *o = view_cache_acquire(v, s, q->frame, q->look);
    if (!o) return frame_error_response(s, q->frame);
    const struct bw_view_facts *f = &o->facts;
    json_t *scene = json_pack(
        "{s:I, s:b, s:f, s:i, s:i, s:o, s:o, s:o, s:o, s:f, s:O, s:f, s:f, s:{s:o, s:o, s:o, s:f}}", "frame",
        (json_int_t)q->frame, "renders", f->renders, "metre", f->metre, "width", f->width, "height", f->height, "lo",
        triple(f->lo), "hi", triple(f->hi), "visible_lo", triple(f->seen_lo), "visible_hi", triple(f->seen_hi), "voxel",
        f->voxel, "fields", o->fields, "time", o->time, "fps", o->fps, "camera", "at", triple(f->eye.at), "target",
        triple(f->eye.target), "up", triple(f->eye.up), "angle", f->eye.angle);
    view_cache_release(v, o);
    char *text = scene ? json_dumps(scene, JSON_COMPACT) : NULL;
    json_decref(scene);
    return json_response(text);
}
