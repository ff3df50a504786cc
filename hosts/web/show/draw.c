// SPDX-License-Identifier: Apache-2.0
#include "draw.h"

#include "jpeg.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { GOOD = 200, STALE = 204, GONE = 404, UNABLE = 500 };

static double clock_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct drawn drawn_words(unsigned code, const char *words)
{
    struct drawn out = {.code = code, .type = "text/plain; charset=utf-8", .bytes = strdup(words)};
    out.size = out.bytes ? strlen(out.bytes) : 0;
    return out;
}

struct drawn drawn_failure(struct source *s, int64_t frame)
{
    const struct bw_error *e = bw_error_last();
    const int absent = e->status == BW_ERR_IO || e->status == BW_ERR_USAGE;
    struct drawn out = drawn_words(absent ? GONE : UNABLE, *e->sentence ? e->sentence : "there is no such frame");
    if (s->is_bake && source_has(s, frame)) source_refresh(s); // it may have begun anew
    if (!s->is_bake || source_has(s, frame)) return out;
    free(out.bytes);
    return (struct drawn){.code = STALE};
}

/// Ten numbers: eye, target, up, angle.
static void eye_tell(const struct bw_eye *e, char out[280])
{
    const double *const each[] = {e->at, e->target, e->up};
    int n = 0;
    for (int i = 0; i < 9; i++) n += snprintf(out + n, 280 - (size_t)n, "%.17g,", each[i / 3][i % 3]);
    snprintf(out + n, 280 - (size_t)n, "%.17g", e->angle);
}

const struct bw_eye *draw_eye(const struct open_view *o, const struct wish *w, struct bw_eye *movies)
{
    const double own = (double)o->facts.width / o->facts.height, aspect = (double)w->width / w->height;
    *movies = o->facts.eye;
    if (w->has_eye) return &w->eye;
    if (aspect >= own * 0.999) return NULL;
    movies->angle = 2 * atan(tan(0.5 * movies->angle) * own / aspect);
    return movies;
}

static enum bw_status render_draw(struct views *v, struct source *s, const struct wish *w, struct bw_pixels *out,
                                  struct drawn *told)
{
    struct open_view *o = w->rest == 2 ? views_pass(v, s, w->frame) : views_take(v, s, w->frame);
    if (!o) return bw_error_last()->status ? bw_error_last()->status : BW_ERR;
    struct bw_eye movies;
    const struct bw_eye *eye = draw_eye(o, w, &movies);
    enum bw_status status = bw_view_picture(o->view, eye, w->width, w->height, w->coarse, out);
    if (!w->has_eye) eye_tell(&movies, told->eye);
    told->empty = 1;
    for (int c = 0; c < 3; c++) told->empty &= !(o->facts.seen_lo[c] < o->facts.seen_hi[c]);
    views_give(v, o);
    return status;
}

/// Of files those of that domain, if they are there; the snapshot is given up for it.
static struct bw_snapshot *other_choose(struct source *s, const struct wish *w, struct bw_snapshot *own, int *found)
{
    struct other_frame other[OTHERS];
    *found = 0;
    for (int n = source_others(s, w->frame, other); n-- > 0;) {
        const int wanted = !strcmp(other[n].label, w->domain);
        bw_snapshot_close(wanted ? own : other[n].snapshot);
        if (wanted) own = other[n].snapshot;
        *found |= wanted;
    }
    return own;
}

enum bw_status draw_cut(struct source *s, const struct wish *w, struct bw_snapshot **cut, struct wish *look)
{
    struct bw_snapshot_facts f = {.size = sizeof f};
    enum bw_status status = source_snapshot(s, w->frame, cut);
    *look = *w;
    if (status || !*w->domain || bw_snapshot_facts(*cut, &f)) return status;
    int found = 0;
    if (domains_count(&f) < 2) *cut = other_choose(s, w, *cut, &found);
    if (!found) wish_domain(look); // of a bake its own; files that have no such domain refuse it, in words
    return BW_OK;
}

static enum bw_status slice_draw(struct source *s, const struct wish *w, struct bw_pixels *out, struct drawn *told)
{
    struct bw_snapshot *snapshot;
    struct wish look;
    enum bw_status status = draw_cut(s, w, &snapshot, &look);
    if (status) return status;
    status = bw_snapshot_picture(snapshot, look.look, 0, out);
    bw_snapshot_close(snapshot);
    if (status) return status;
    memcpy(told->range, out->range, sizeof told->range);
    memcpy(told->box[0], out->lo, sizeof told->box[0]);
    memcpy(told->box[1], out->hi, sizeof told->box[1]);
    return status;
}

static struct drawn picture_draw(struct views *v, struct source *s, const struct wish *w)
{
    struct bw_pixels pixels = {0};
    const double start = clock_seconds();
    struct drawn out = {.code = GOOD, .type = "image/jpeg"};
    if (w->slice ? slice_draw(s, w, &pixels, &out) : render_draw(v, s, w, &pixels, &out))
        return drawn_failure(s, w->frame);
    out.bytes = jpeg_make(&pixels, w->quality, &out.size);
    bw_pixels_free(&pixels);
    out.seconds = clock_seconds() - start;
    return out.bytes ? out : drawn_words(UNABLE, "out of memory for a picture");
}

/// It was taken down since it was asked for: a try that another one came after.
static struct drawn nothing_there(void) { return (struct drawn){.code = STALE}; }

struct drawn draw_picture(struct views *v, struct shelf *shelf, const struct wish *w)
{
    struct source *s = shelf_take(shelf, w->of);
    struct drawn out = s ? picture_draw(v, s, w) : nothing_there();
    shelf_give(shelf, s);
    return out;
}

static json_t *triple(const double x[3]) { return json_pack("[f, f, f]", x[0], x[1], x[2]); }

static struct drawn scene_draw(struct views *v, struct source *s, int64_t frame)
{
    struct open_view *o = views_take(v, s, frame);
    if (!o) return drawn_failure(s, frame);
    const struct bw_view_facts *f = &o->facts;
    json_t *scene = json_pack(
        "{s:I, s:b, s:f, s:i, s:i, s:o, s:o, s:o, s:o, s:f, s:O, s:f, s:f, s:{s:o, s:o, s:o, s:f}}", "frame",
        (json_int_t)frame, "renders", f->renders, "metre", f->metre, "width", f->width, "height", f->height, "lo",
        triple(f->lo), "hi", triple(f->hi), "seen_lo", triple(f->seen_lo), "seen_hi", triple(f->seen_hi), "voxel",
        f->voxel, "fields", o->fields, "time", o->time, "fps", o->fps, "eye", "at", triple(f->eye.at), "target",
        triple(f->eye.target), "up", triple(f->eye.up), "angle", f->eye.angle);
    views_give(v, o);
    char *text = scene ? json_dumps(scene, JSON_COMPACT) : NULL;
    json_decref(scene);
    if (!text) return drawn_words(UNABLE, "out of memory");
    return (struct drawn){.code = GOOD, .type = "application/json", .bytes = text, .size = strlen(text)};
}

struct drawn draw_scene(struct views *v, struct shelf *shelf, const struct wish *w)
{
    struct source *s = shelf_take(shelf, w->of);
    struct drawn out = s ? scene_draw(v, s, w->frame) : nothing_there();
    shelf_give(shelf, s);
    return out;
}
