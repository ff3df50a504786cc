// SPDX-License-Identifier: Apache-2.0
/* A movie, a contact sheet or pictures from any VDB sequence. */
#include "movie.h"

#include "cache/look.h"
#include "cache/obstacles/obstacles.h"
#include "cache/particles.h"
#include "cache/seen.h"
#include "deliver.h"
#include "options.h"
#include "view/picture_tools.h"
#include "preset/preset.h"
#include "view/bake_look.h"
#include "wish.h"
#include <picture/volume/sky/sky.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// What a run keeps from frame to frame.
struct show {
    struct bw_tools tools;
    struct cache *cache;
    int one; ///< a single frame of a sequence, of which all files are looked at once
    struct wish *wish;
    struct bw_vdb_view view;
    struct cache_look look;
    struct cache_slice own; ///< what the bake's own pictures show
    struct bw_scene scene;
    struct bw_sky *sky;       ///< the scene's
    struct bw_shapes *shapes; ///< obstacles of the frame
    struct bw_preset *said;   ///< whose look counts, with what the wish says of it; NULL: it says nothing
    struct delivery to;
    int32_t frames; ///< how many are shown
    int bare;       ///< it was said that particles lack
    int coarse;     ///< … or that obstacles are cells
    int32_t size[2];
    double range[2];
    int32_t shown[2]; ///< the first that is drawn, and the one behind the last
    double cut[2][3]; ///< of the last slice: the box of its cells, m
    char why[1024];
    struct api_call *api; ///< warnings
    int32_t (*on_frame)(int32_t done, int32_t total, void *user);
    void *user;
};

/* ---- frames ---- */

/// Stage and look as they are at a frame; the pictures' size is the first one's.
static enum bw_status render_begin(struct show *s, int64_t frame)
{
    const struct wish *w = s->wish;
    struct bw_diag unheard = {0}; // what can't be had was told with the first look
    struct cache_look now = s->look;
    if (!s->view.field || s->said) cache_look_at(&now, s->cache, s->said, &s->view, frame, &unheard);
    bw_diag_free(&unheard);
    memcpy(now.size, s->look.size, sizeof now.size);
    s->look = now;
    s->scene = now.scene;
    memcpy(s->size, now.size, sizeof s->size);
    s->scene.extinction *= w->thickness;
    s->scene.exposure *= w->exposure;
    s->scene.look.fire *= w->fire;
    s->scene.look.key *= w->key;
    enum bw_status status = bw_sky_follow(&s->tools, &s->look.sky, &s->sky, s->why, sizeof s->why);
    s->scene.look.sky = s->sky;
    return status;
}

/// A picture without them is worth more than none.
static void sparks_add(struct show *s, int64_t frame, struct bw_volume *v)
{
    struct bw_diag d = {0};
    if (cache_sparks(s->cache, frame, &s->look.sparks, &s->view, v, &d))
        api_warn(s->api, "particles are not drawn: %s", d.first);
    else if (s->look.sparks.which == BW_SHOW_LIGHT && !v->n_sparks && !s->bare++)
        api_warn(s->api, "its own pictures show particles, and none lie beside it: exporter ply keeps them");
    bw_diag_free(&d);
}

static void obstacles_add(struct show *s, int64_t frame, struct bw_volume *v, float **memory)
{
    struct bw_diag d = {0};
    if (!s->view.field) cache_obstacles(s->cache, s->said, &s->view, frame, &s->tools, &s->shapes, v, memory, &d);
    if (d.first && !s->coarse++) api_warn(s->api, "obstacles are drawn as cells know them: %s", d.first);
    bw_diag_free(&d);
}

/// As light, with the exposure, where the picture is to be that: 3D programs' film comes later.
static enum bw_status light_make(struct show *s, const struct bw_volume *v, struct bw_image *img, float **alpha)
{
    const size_t pixels = (size_t)img->w * (size_t)img->h;
    *alpha = s->tools.alloc(s->tools.ctx, pixels * sizeof **alpha);
    const enum bw_status status = *alpha ? bw_render_linear(&s->tools, v, &s->scene, img, *alpha) : BW_ERR_MEMORY;
    for (size_t i = 0; !status && i < 3 * pixels; i++) img->px[i] *= (float)s->scene.exposure;
    return status;
}

/// `alpha`: gets what is covered where pictures are light.
static enum bw_status render_frame(struct show *s, const char *path, int64_t frame, struct bw_image *img, float **alpha)
{
    struct bw_volume v;
    float *memory;
    enum bw_status status = render_begin(s, frame);
    if (status) return status;
    s->view.moves = bw_scene_moves(&s->scene);
    s->view.roots = bw_scene_roots(&s->scene);
    s->scene.frame = (double)frame;
    status = bw_vdb_volume_whole(&s->view, path, &v, &memory, s->why, sizeof s->why);
    if (status) return status;
    sparks_add(s, frame, &v);
    if (s->look.particles_alone && v.n_sparks) s->scene.extinction = 0;
    obstacles_add(s, frame, &v, &memory);
    status = bw_image_init(img, &s->tools, s->size[0], s->size[1]);
    if (!status && s->shapes) status = bw_shapes_shutter(&s->tools, s->scene.shutter, s->shapes);
    if (!status) status = s->to.light ? light_make(s, &v, img, alpha) : bw_render(&s->tools, &v, &s->scene, img);
    if (status) snprintf(s->why, sizeof s->why, "out of memory for the picture of %s", path);
    free(memory);
    s->tools.release(s->tools.ctx, v.spark);
    return status;
}

/* `img` NULL: only for what it makes of the colours of those after it, and of their size. */
static enum bw_status slice_frame(struct show *s, const char *path, int64_t frame, double fps, struct bw_image *img)
{
    const struct wish *w = s->wish;
    struct bw_slice slice;
    double now[2];
    float *memory;
    enum bw_status status =
        bw_vdb_slice(&s->view, path, w->axis, w->position, w->vectors, &slice, &memory, s->why, sizeof s->why);
    if (status) return status;
    memcpy(s->cut[0], slice.lo, sizeof slice.lo);
    memcpy(s->cut[1], slice.hi, sizeof slice.hi);
    slice.field = w->field ? w->field : s->view.grid;
    slice.frame = frame;
    slice.time = (double)(frame - w->start) / fps;
    slice.fps = fps;
    bw_slice_range(&slice, now); // colours follow all values so far, so that they do not flicker
    s->range[0] = fmin(s->range[0], now[0]);
    s->range[1] = fmax(s->range[1], now[1]);
    if (w->range[0] < w->range[1]) memcpy(s->range, w->range, sizeof s->range);
    struct bw_slice_style style = {
        (enum bw_map)w->map, (uint32_t)w->vectors, {s->range[0], s->range[1]}, w->labels, w->relief};
    if (!(style.range[0] < style.range[1])) style.range[1] = style.range[0] + 1;
    if (!s->size[0]) bw_slice_size(slice.n, (int32_t)w->size, s->size);
    if (img) status = bw_image_init(img, &s->tools, s->size[0], s->size[1]);
    if (img && !status) status = bw_slice_draw(&s->tools, &slice, &style, img);
    if (status) snprintf(s->why, sizeof s->why, "out of memory for the picture of %s", path);
    free(memory);
    return status;
}

/* Whole groups of the movie, so that parts behind one another are the same bytes as all at once. */
static enum bw_status part_choose(struct show *s, const struct bw_sequence *q, double fps)
{
    const struct wish *w = s->wish;
    s->shown[1] = q->count;
    if (!w->parts) return BW_OK;
    enum bw_status status =
        w->slice ? slice_frame(s, q->path[0], q->frame[0], fps, NULL) : render_begin(s, q->frame[0]);
    if (status) return status;
    const int64_t group = bw_movie_group(&(struct bw_movie_options){s->size[0], s->size[1], fps, 19}),
                  groups = (q->count + group - 1) / group;
    for (int e = 0; e < 2; e++) {
        const int64_t at = groups * (w->part - 1 + e) / w->parts * group;
        s->shown[e] = (int32_t)(at < q->count ? at : q->count);
    }
    s->frames = s->shown[1] - s->shown[0];
    return BW_OK;
}

/* *i, and those after it that it stands for. */
static enum bw_status frame_make(struct show *s, const struct bw_sequence *q, int32_t *i, double fps)
{
    const int64_t frame = q->frame[*i];
    struct bw_image img = {.tools = &s->tools};
    float *alpha = NULL;
    enum bw_status status = s->wish->slice ? slice_frame(s, q->path[*i], frame, fps, &img)
                                           : render_frame(s, q->path[*i], frame, &img, &alpha);
    for (; !status && *i < s->shown[1] && q->frame[*i] == frame; ++*i)
        status = deliver_frame(&s->to, frame, fps, &img, alpha);
    bw_image_free(&img);
    s->tools.release(s->tools.ctx, alpha);
    return status;
}

static enum bw_status frames_make(struct show *s, const struct bw_sequence *q)
{
    const double fps = s->wish->fps > 0 ? s->wish->fps : s->look.fps;
    enum bw_status status = part_choose(s, q, fps);
    for (int32_t i = 0; i < s->shown[0] && !status && s->frames && s->wish->slice; i++)
        status = slice_frame(s, q->path[i], q->frame[i], fps, NULL);
    for (int32_t i = s->shown[0]; i < s->shown[1] && !status;) {
        status = frame_make(s, q, &i, fps);
        if (!status && s->on_frame && !s->on_frame(i - s->shown[0], s->frames, s->user)) status = BW_ERR_CANCELLED;
    }
    return status;
}

/// Slices of a bake that showed slices: of the same field across the same axis, where nothing else was said.
static int slice_as_baked(struct show *s)
{
    struct wish *w = s->wish;
    const struct cache_slice *own = &s->own;
    w->start = s->cache->files.frame[0]; // of all, whichever are shown
    if (w->slice == 0 || !cache_look_slice(&s->own, s->cache)) return 0;
    w->slice = 1;
    w->start = own->first;
    if (w->axis < 0) w->axis = own->axis;
    if (isnan(w->position)) w->position = own->position;
    if (w->vectors < 0) w->vectors = own->vectors;
    if (w->field && strcmp(w->field, own->field)) return 1; // of another field colours say something else
    if (*own->field) w->field = own->field;
    if (w->map < 0) w->map = own->map;
    if (w->relief < 0) w->relief = own->relief;
    if (!w->size) w->size = own->height;
    if (!w->asked.count) memcpy(w->range, own->range, sizeof w->range);
    return 1;
}

/// What nobody has said; files one cell thick are sliced across that axis.
static void slice_default(struct wish *w, const struct bw_vdb_view *v)
{
    for (int a = 0; a < 3; a++) {
        if (v->hi[a] - v->lo[a] > 1.5 * v->voxel) continue;
        if (w->slice < 0) w->slice = 1;
        if (w->axis < 0) w->axis = a;
    }
    if (w->slice < 0) w->slice = v->arrows;
    w->slice = w->slice > 0;
    if (w->axis < 0) w->axis = 1;
    if (w->vectors < 0) w->vectors = 0;
    if (w->map < 0) w->map = 0;
    w->relief = fmax(w->relief, 0);
    if (w->slice && !w->size) w->size = 720;
}

/// Into all files; for a single picture once and for all.
static enum bw_status files_look(struct show *s, const struct bw_sequence *q)
{
    struct bw_diag *d = &s->api->d;
    if (!s->one || s->wish->frames || s->view.y_up >= 0) return bw_vdb_view_open(&s->view, q, s->why, sizeof s->why);
    const struct bw_tools *tools = s->view.tools;
    if (cache_seen(s->cache, s->view.field, &s->view, d)) return d->status;
    s->view.tools = tools;
    return BW_OK;
}

/// What is to be seen, and how, in all files.
static enum bw_status show_look(struct show *s, const struct bw_sequence *q)
{
    const int baked = slice_as_baked(s);
    s->view.field = s->wish->field;
    enum bw_status status = files_look(s, q);
    if (s->said && s->view.fps > 0) s->said->time.fps = s->view.fps;
    if (!status) slice_default(s->wish, &s->view);
    for (int a = 0; baked && s->own.hi[0] > s->own.lo[0] && a < 3; a++) {
        s->view.lo[a] = s->own.lo[a] * s->view.scale;
        s->view.hi[a] = s->own.hi[a] * s->view.scale;
    }
    if (!status) {
        struct bw_diag why = {0};
        status = cache_look_find(&s->look, s->cache, s->said, &s->view, s->wish->size, &why);
        if (status) snprintf(s->why, sizeof s->why, "out of memory for a look");
        else if (why.first && s->said) status = bw_diag_error(&s->api->d, NULL, BW_ERR_PRESET, "%s", why.first);
        else if (why.first) api_warn(s->api, "%s", why.first);
        bw_diag_free(&why);
    }
    return status;
}

/* Frames between the first and the last that lack: as many times more the one before them, so that a movie keeps its
 * pace. Numbers that have nothing to do with each other make no movie of their own. */
static enum bw_status gaps_hold(struct show *s, struct bw_sequence *q)
{
    enum { MOST = 100000 };
    const int64_t all = q->frame[q->count - 1] - q->frame[0] + 1, missing = all - q->count;
    char more[40] = "";
    int32_t n = 0;
    if (missing <= 0) return BW_OK;
    for (int32_t i = 0; !n; i++) n = q->frame[i + 1] > q->frame[i] + 1 ? i + 1 : 0;
    const bool held = s->to.kind == DELIVER_MOVIE && missing < MOST;
    if (missing > 1) snprintf(more, sizeof more, ", and %lld more", (long long)(missing - 1));
    api_warn(s->api, "frame %lld is missing%s%s", (long long)(q->frame[n - 1] + 1), more,
             held ? ": the frame before stands in" : "");
    if (!held) return BW_OK;
    char **path = bw_calloc((size_t)all * sizeof *path);
    int64_t *frame = bw_calloc((size_t)all * sizeof *frame);
    for (int32_t i = n = 0; path && frame && n < all; n++) {
        if (i + 1 < q->count && q->frame[i + 1] - q->frame[0] <= n) i++;
        path[n] = q->path[i], frame[n] = q->frame[i];
    }
    if (path && frame) {
        bw_free(q->path);
        bw_free(q->frame);
        q->path = path, q->frame = frame, q->count = n;
        s->frames = n;
        return BW_OK;
    }
    bw_free(path);
    bw_free(frame);
    return out_of_memory(&s->api->d);
}

static void twins_tell(const struct show *s)
{
    if (s->view.twins > 1)
        api_warn(s->api, "the files hold %u grids called \"%s\": the first is shown; \"%s[1]\" is the next",
                 s->view.twins, s->view.grid, s->view.grid);
}

static enum bw_status show_run(struct show *s, struct bw_sequence *q)
{
    if (s->wish->parts && s->to.kind != DELIVER_MOVIE) {
        snprintf(s->why, sizeof s->why, "part is of a movie; a picture is made as a whole");
        return BW_ERR_USAGE;
    }
    enum bw_status status = deliver_begin(&s->to);
    if (!status) status = show_look(s, q);
    if (!status) twins_tell(s);
    if (!status) status = gaps_hold(s, q);
    if (!status && s->to.light && s->wish->slice) {
        snprintf(s->why, sizeof s->why, "%s is light, and a slice is none; .png draws it", s->to.out);
        status = BW_ERR_USAGE;
    }
    if (!status) status = frames_make(s, q);
    return deliver_end(&s->to, status);
}

/* ---- bake.h ---- */

/* The files of the sequence that are wanted: borrowed, the array itself is not. */
static enum bw_status files_choose(const struct cache *c, const struct wish *w, struct bw_sequence *q,
                                   struct bw_diag *d)
{
    int32_t n = 0;
    *q = (struct bw_sequence){.name = c->files.name,
                              .path = bw_calloc(((size_t)c->files.count + 1) * sizeof *q->path),
                              .frame = bw_calloc(((size_t)c->files.count + 1) * sizeof *q->frame)};
    if (!q->path || !q->frame) return out_of_memory(d);
    for (int32_t i = 0; i < c->files.count; i++) {
        if (c->files.frame[i] < w->first || c->files.frame[i] > w->last) continue;
        q->path[n] = c->files.path[i];
        q->frame[n++] = c->files.frame[i];
    }
    q->count = n;
    return n ? BW_OK : bw_diag_error(d, NULL, BW_ERR_IO, "%s has no frame in %s", c->pattern, w->frames);
}

static enum bw_status show_begin(struct show *s, const struct cache *c, const char *options, struct bw_tools *tools,
                                 struct bw_sequence *q, struct bw_params **params)
{
    enum bw_status status = wish_read(s->wish, options, params, &s->api->d);
    if (status) return status;
    s->tools = *tools;
    s->view = (struct bw_vdb_view){.tools = &s->tools, .y_up = s->wish->y_up};
    s->to = (struct delivery){.tools = &s->tools, .api = s->api, .why = s->why, .why_size = sizeof s->why};
    const struct wish *w = s->wish;
    if (w->said.count && !(s->said = cache_preset_said(c, w->field, w->said.items, (int32_t)w->said.count, &s->api->d)))
        return s->api->d.status;
    return files_choose(c, s->wish, q, &s->api->d);
}

static void show_end(struct show *s, struct bw_sequence *q, struct bw_params *params)
{
    if (s->sky) s->tools.release(s->tools.ctx, s->sky);
    bw_shapes_free(&s->tools, s->shapes);
    bw_free(q->path);
    bw_free(q->frame);
    bw_preset_free(s->said);
    bw_params_free(params);
}

static void movie_write(struct cache *c, const struct bw_movie_wish *asked, struct api_call *api)
{
    struct wish wish = {0};
    struct show s = {.cache = c, .wish = &wish, .api = api, .on_frame = asked->on_frame, .user = asked->user};
    struct bw_tools tools = picture_tools();
    struct bw_sequence q = {0};
    struct bw_params *params = NULL;
    char name[4096];
    if (show_begin(&s, c, asked->options, &tools, &q, &params) == BW_OK) {
        s.frames = q.count;
        snprintf(name, sizeof name, "%.3800s.%s", q.name, q.count > 1 ? "mp4" : "png");
        s.to.as_it_is = !asked->out || asked->as_it_is;
        enum bw_status status = deliver_choose(&s.to, asked->out ? asked->out : name, q.count);
        if (!status) status = show_run(&s, &q);
        if (status == BW_ERR_CANCELLED) api->d.status = status;
        else if (status && !api->d.status) bw_diag_error(&api->d, NULL, status, "%s", s.why);
    }
    show_end(&s, &q, params);
}

enum bw_status bw_cache_movie(struct bw_cache *cache, const struct bw_movie_wish *wish)
{
    struct api_call api;
    struct bw_movie_wish asked;
    api_enter(&api);
    struct cache *c = cache_acquire(cache, &api.d);
    if (c && host_struct_copy(&asked, wish, sizeof asked, "bw_movie_wish", &api.d)) {
        movie_write(c, &asked, &api);
    }
    if (c) object_unref(&c->o);
    return api_leave(&api);
}

enum bw_status cache_picture(struct cache *c, int64_t frame, const char *options, struct bw_pixels *out,
                             struct api_call *api)
{
    struct wish wish = {0};
    struct show s = {.cache = c, .one = 1, .wish = &wish, .api = api};
    struct bw_tools tools = picture_tools();
    struct bw_sequence q = {0};
    struct bw_params *params = NULL;
    struct bw_image img = {0};
    if (show_begin(&s, c, options, &tools, &q, &params) == BW_OK) {
        enum bw_status status = show_look(&s, &q);
        const char *path = NULL;
        for (int32_t i = 0; i < q.count; i++)
            if (q.frame[i] == frame) path = q.path[i];
        double fps = wish.fps > 0 ? wish.fps : s.look.fps;
        if (!status)
            status = wish.slice ? slice_frame(&s, path, frame, fps, &img) : render_frame(&s, path, frame, &img, NULL);
        if (!status) pixels_of_image(&img, out, &api->d);
        else if (!api->d.status) bw_diag_error(&api->d, NULL, status, "%s", s.why);
        memcpy(out->lo, s.cut[0], sizeof out->lo);
        memcpy(out->hi, s.cut[1], sizeof out->hi);
        if (wish.slice) memcpy(out->range, s.range, sizeof out->range);
        if (img.px) bw_image_free(&img);
    }
    show_end(&s, &q, params);
    return api->d.status;
}
