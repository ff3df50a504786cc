// SPDX-License-Identifier: Apache-2.0
/* `billow preview`: a movie, a contact sheet or pictures from any VDB sequence. */
#include "preview_options.h"

#include "cache/look.h"
#include "options.h"
#include "picture_output.h"
#include "preset/preset.h"
#include "view/bake_look.h"
#include "view/picture_tools.h"
#include <picture/volume/shape/shapes.h>
#include <picture/volume/spots.h>
#include <picture/volume/sky/sky.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// State of a run over all frames.
struct preview {
    struct bw_tools tools;
    struct cache *cache;
    int single; ///< one frame for the host, with the cache's stored bounds
    struct preview_options *options;
    struct bw_vdb_view view;
    struct cache_look look;
    struct cache_slice baked_slice; ///< the slice of the bake's own pictures
    struct bw_scene scene;
    struct bw_sky *sky;       ///< the scene's
    struct bw_shapes *shapes; ///< obstacles of the frame
    struct bw_spots spots;    ///< of what stands still, from frame to frame
    struct bw_preset *preset; ///< with the options' `set` applied; NULL: there is none, the bake's own look counts
    struct picture_output output;
    int32_t frames;                         ///< how many are shown
    int warned_particles, warned_obstacles; ///< each warning once
    int32_t size[2];
    double range[2];
    int32_t drawn[2]; ///< the first frame that is drawn, and the one after the last
    double cut[2][3]; ///< of the last slice: the box of its cells, m
    char why[1024];
    struct api_call *api; ///< warnings
    int32_t (*on_frame)(int32_t done, int32_t total, void *user);
    void *user;
};

/* ---- frames ---- */

/// Stage and look at a frame; the size stays that of the first.
static enum bw_status render_begin(struct preview *s, int64_t frame)
{
    const struct preview_options *w = s->options;
    struct bw_diag ignored = {0}; // reported with the first look
    struct cache_look now = s->look;
    if (!s->view.field || s->preset) cache_look_at(&now, s->cache, s->preset, &s->view, frame, &ignored);
    bw_diag_free(&ignored);
    memcpy(now.size, s->look.size, sizeof now.size);
    s->look = now;
    s->scene = now.scene;
    memcpy(s->size, now.size, sizeof s->size);
    s->scene.extinction *= w->thickness;
    s->scene.exposure *= w->exposure;
    s->scene.look.fire *= w->fire;
    s->scene.look.key *= w->key;
    enum bw_status status = bw_sky_follow(&s->tools, &s->look.sky, &s->sky, s->why, sizeof s->why);
    s->scene.look.sky = s->sky, s->scene.spots = &s->spots;
    return status;
}

/// Particles; a picture is drawn even if they can't be read.
static void sparks_add(struct preview *s, int64_t frame, struct bw_volume *v)
{
    struct bw_diag d = {0};
    if (cache_sparks(s->cache, frame, &s->look.sparks, &s->view, v, &d))
        api_warn(s->api, "particles are not drawn: %s", d.first);
    else if (s->look.sparks.which == BW_SHOW_LIGHT && !v->n_sparks && !s->warned_particles++)
        api_warn(s->api, "its own pictures preview particles, and none lie beside it: exporter ply keeps them");
    bw_diag_free(&d);
}

static void obstacles_add(struct preview *s, int64_t frame, struct bw_volume *v, float **memory)
{
    struct bw_diag d = {0};
    if (!s->view.field) cache_obstacles(s->cache, s->preset, &s->view, frame, &s->tools, &s->shapes, v, memory, &d);
    if (d.first && !s->warned_obstacles++) api_warn(s->api, "obstacles are drawn as cells know them: %s", d.first);
    bw_diag_free(&d);
}

/// Linear light with the exposure and without tone mapping, for .exr.
static enum bw_status linear_light_render(struct preview *s, const struct bw_volume *v, struct bw_image *img,
                                          float **alpha)
{
    const size_t pixels = (size_t)img->w * (size_t)img->h;
    *alpha = s->tools.alloc(s->tools.ctx, pixels * sizeof **alpha);
    const enum bw_status status = *alpha ? bw_render_linear(&s->tools, v, &s->scene, img, *alpha) : BW_ERR_MEMORY;
    for (size_t i = 0; !status && i < 3 * pixels; i++) img->px[i] *= (float)s->scene.exposure;
    return status;
}

/// `alpha`: receives the coverage for .exr.
static enum bw_status render_frame(struct preview *s, const char *path, int64_t frame, struct bw_image *img,
                                   float **alpha)
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
    if (!status)
        status = s->output.light ? linear_light_render(s, &v, img, alpha) : bw_render(&s->tools, &v, &s->scene, img);
    if (status) snprintf(s->why, sizeof s->why, "out of memory for the picture of %s", path);
    free(memory);
    s->tools.release(s->tools.ctx, v.spark);
    return status;
}

/* `img` NULL: only update the colour range and the size. */
static enum bw_status slice_frame(struct preview *s, const char *path, int64_t frame, double fps, struct bw_image *img)
{
    const struct preview_options *w = s->options;
    struct bw_slice slice;
    double now[2];
    float *memory;
    enum bw_status status = bw_vdb_slice(&s->view, path, w->slice.axis, w->position, w->slice.vectors, &slice, &memory,
                                         s->why, sizeof s->why);
    if (status) return status;
    memcpy(s->cut[0], slice.lo, sizeof slice.lo);
    memcpy(s->cut[1], slice.hi, sizeof slice.hi);
    slice.field = w->slice.field ? w->slice.field : s->view.grid;
    slice.frame = frame;
    slice.time = (double)(frame - w->start) / fps;
    slice.fps = fps;
    bw_slice_range(&slice, now); // colours follow all values so far, so that they do not flicker
    s->range[0] = fmin(s->range[0], now[0]);
    s->range[1] = fmax(s->range[1], now[1]);
    if (w->range[0] < w->range[1]) memcpy(s->range, w->range, sizeof s->range);
    struct bw_slice_style style = {(enum bw_map)w->slice.map,
                                   (uint32_t)w->slice.vectors,
                                   {s->range[0], s->range[1]},
                                   w->slice.labels,
                                   w->slice.relief};
    if (!(style.range[0] < style.range[1])) style.range[1] = style.range[0] + 1;
    if (!s->size[0]) bw_slice_size(slice.n, (int32_t)w->size, s->size);
    if (img) status = bw_image_init(img, &s->tools, s->size[0], s->size[1]);
    if (img && !status) status = bw_slice_draw(&s->tools, &slice, &style, img);
    if (status) snprintf(s->why, sizeof s->why, "out of memory for the picture of %s", path);
    free(memory);
    return status;
}

/* The frames of a part: whole GOPs of the movie, so that joined parts have the same bytes as a movie at once. */
static enum bw_status part_choose(struct preview *s, const struct bw_sequence *q, double fps)
{
    const struct preview_options *w = s->options;
    s->drawn[1] = q->count;
    if (!w->parts) return BW_OK;
    enum bw_status status = w->view ? slice_frame(s, q->path[0], q->frame[0], fps, NULL) : render_begin(s, q->frame[0]);
    if (status) return status;
    const int64_t group = bw_movie_group(&(struct bw_movie_options){s->size[0], s->size[1], fps, 19}),
                  groups = (q->count + group - 1) / group;
    for (int e = 0; e < 2; e++) {
        const int64_t at = groups * (w->part - 1 + e) / w->parts * group;
        s->drawn[e] = (int32_t)(at < q->count ? at : q->count);
    }
    s->frames = s->drawn[1] - s->drawn[0];
    return BW_OK;
}

/* Draw frame *i, and repeat it for those after it that it stands in for. */
static enum bw_status frame_make(struct preview *s, const struct bw_sequence *q, int32_t *i, double fps)
{
    const int64_t frame = q->frame[*i];
    struct bw_image img = {.tools = &s->tools};
    float *alpha = NULL;
    enum bw_status status = s->options->view ? slice_frame(s, q->path[*i], frame, fps, &img)
                                             : render_frame(s, q->path[*i], frame, &img, &alpha);
    for (; !status && *i < s->drawn[1] && q->frame[*i] == frame; ++*i)
        status = picture_output_frame(&s->output, frame, fps, &img, alpha);
    bw_image_free(&img);
    s->tools.release(s->tools.ctx, alpha);
    return status;
}

static enum bw_status frames_make(struct preview *s, const struct bw_sequence *q)
{
    const double fps = s->options->fps > 0 ? s->options->fps : s->look.fps;
    enum bw_status status = part_choose(s, q, fps);
    for (int32_t i = 0; i < s->drawn[0] && !status && s->frames && s->options->view; i++)
        status = slice_frame(s, q->path[i], q->frame[i], fps, NULL);
    for (int32_t i = s->drawn[0]; i < s->drawn[1] && !status;) {
        status = frame_make(s, q, &i, fps);
        if (!status && s->on_frame && !s->on_frame(i - s->drawn[0], s->frames, s->user)) status = BW_ERR_CANCELLED;
    }
    return status;
}

/// Options that are not given come from the bake's own slices, if it has any. 1: it has.
static int slice_from_bake(struct preview *s)
{
    struct preview_options *w = s->options;
    const struct cache_slice *own = &s->baked_slice;
    w->start = s->cache->files.frame[0]; // of all, whichever are shown
    if (w->view == 0 || !cache_look_slice(&s->baked_slice, s->cache)) return 0;
    w->view = 1;
    w->start = own->first;
    if (w->slice.axis < 0) w->slice.axis = own->axis;
    if (isnan(w->position)) w->position = own->position;
    if (w->slice.vectors < 0) w->slice.vectors = own->vectors;
    if (w->slice.field && strcmp(w->slice.field, own->field))
        return 1; // the bake's colours don't apply to another field
    if (*own->field) w->slice.field = own->field;
    if (w->slice.map < 0) w->slice.map = own->map;
    if (w->slice.relief < 0) w->slice.relief = own->relief;
    if (!w->size) w->size = own->height;
    if (!w->slice.range.count) memcpy(w->range, own->range, sizeof w->range);
    return 1;
}

/// Defaults; files one cell thick are sliced across that axis.
static void slice_default(struct preview_options *w, const struct bw_vdb_view *v)
{
    for (int a = 0; a < 3; a++) {
        if (v->hi[a] - v->lo[a] > 1.5 * v->voxel) continue;
        if (w->view < 0) w->view = 1;
        if (w->slice.axis < 0) w->slice.axis = a;
    }
    if (w->view < 0) w->view = v->arrows;
    w->view = w->view > 0;
    if (w->slice.axis < 0) w->slice.axis = 1;
    if (w->slice.vectors < 0) w->slice.vectors = 0;
    if (w->slice.map < 0) w->slice.map = 0;
    w->slice.relief = fmax(w->slice.relief, 0);
    if (w->view && !w->size) w->size = 720;
}

/// Bounds and facts of all files; the stored ones for a single picture.
static enum bw_status files_open(struct preview *s, const struct bw_sequence *q)
{
    struct bw_diag *d = &s->api->d;
    if (!s->single || s->options->frames || s->view.y_up >= 0)
        return bw_vdb_view_open(&s->view, q, s->why, sizeof s->why);
    const struct bw_tools *tools = s->view.tools;
    if (cache_bounds_get(s->cache, s->view.field, &s->view, d)) return d->status;
    s->view.tools = tools;
    return BW_OK;
}

/// Open the sequence: bounds, view or slice, look.
static enum bw_status preview_open(struct preview *s, const struct bw_sequence *q)
{
    const int baked = slice_from_bake(s);
    s->view.field = s->options->slice.field;
    enum bw_status status = files_open(s, q);
    if (s->preset && s->view.fps > 0) s->preset->time.fps = s->view.fps;
    if (!status) slice_default(s->options, &s->view);
    for (int a = 0; baked && s->baked_slice.hi[0] > s->baked_slice.lo[0] && a < 3; a++) {
        s->view.lo[a] = s->baked_slice.lo[a] * s->view.scale;
        s->view.hi[a] = s->baked_slice.hi[a] * s->view.scale;
    }
    if (!status) {
        struct bw_diag why = {0};
        status = cache_look_find(&s->look, s->cache, s->preset, &s->view, s->options->size, &why);
        if (status) snprintf(s->why, sizeof s->why, "out of memory for a look");
        else if (why.first && s->preset) status = bw_diag_error(&s->api->d, NULL, BW_ERR_PRESET, "%s", why.first);
        else if (why.first) api_warn(s->api, "%s", why.first);
        bw_diag_free(&why);
    }
    return status;
}

/* Missing frames: a movie repeats the frame before them, to keep its pace, unless so many are missing that the numbers
 * can't be frames of one sequence. */
static enum bw_status gaps_fill(struct preview *s, struct bw_sequence *q)
{
    enum { MOST = 100000 };
    const int64_t all = q->frame[q->count - 1] - q->frame[0] + 1, missing = all - q->count;
    char more[40] = "";
    int32_t n = 0;
    if (missing <= 0) return BW_OK;
    for (int32_t i = 0; !n; i++) n = q->frame[i + 1] > q->frame[i] + 1 ? i + 1 : 0;
    const bool held = s->output.kind == OUTPUT_MOVIE && missing < MOST;
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

static void duplicate_grids_warn(const struct preview *s)
{
    if (s->view.twins > 1)
        api_warn(s->api, "the files hold %u grids called \"%s\": the first is shown; \"%s[1]\" is the next",
                 s->view.twins, s->view.grid, s->view.grid);
}

static enum bw_status preview_run(struct preview *s, struct bw_sequence *q)
{
    if (s->options->parts && s->output.kind != OUTPUT_MOVIE) {
        snprintf(s->why, sizeof s->why, "part is of a movie; a picture is made as a whole");
        return BW_ERR_USAGE;
    }
    enum bw_status status = picture_output_begin(&s->output);
    if (!status) status = preview_open(s, q);
    if (!status) duplicate_grids_warn(s);
    if (!status) status = gaps_fill(s, q);
    if (!status && s->output.light && s->options->view) {
        snprintf(s->why, sizeof s->why, "%s is light, and a slice is none; .png draws it", s->output.out);
        status = BW_ERR_USAGE;
    }
    if (!status) status = frames_make(s, q);
    return picture_output_end(&s->output, status);
}

/* ---- bake.h ---- */

/* The files of the sequence that are wanted: borrowed, the array itself is not. */
static enum bw_status files_choose(const struct cache *c, const struct preview_options *w, struct bw_sequence *q,
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

static enum bw_status preview_begin(struct preview *s, const struct cache *c, const char *options,
                                    struct bw_tools *tools, struct bw_sequence *q, struct bw_params **params)
{
    enum bw_status status = preview_options_read(s->options, options, params, &s->api->d);
    if (status) return status;
    s->tools = *tools;
    s->view = (struct bw_vdb_view){.tools = &s->tools, .y_up = s->options->y_up};
    s->output = (struct picture_output){.tools = &s->tools, .api = s->api, .why = s->why, .why_size = sizeof s->why};
    const struct preview_options *w = s->options;
    if (w->set.count &&
        !(s->preset = cache_preset_with(c, w->slice.field, w->set.items, (int32_t)w->set.count, &s->api->d)))
        return s->api->d.status;
    return files_choose(c, s->options, q, &s->api->d);
}

static void preview_end(struct preview *s, struct bw_sequence *q, struct bw_params *params)
{
    if (s->sky) s->tools.release(s->tools.ctx, s->sky);
    bw_shapes_free(&s->tools, s->shapes);
    bw_spots_free(&s->tools, &s->spots);
    bw_free(q->path);
    bw_free(q->frame);
    bw_preset_free(s->preset);
    bw_params_free(params);
}

static void movie_write(struct cache *c, const struct bw_movie_wish *asked, struct api_call *api)
{
    struct preview_options options = {0};
    struct preview s = {.cache = c, .options = &options, .api = api, .on_frame = asked->on_frame, .user = asked->user};
    struct bw_tools tools = picture_tools();
    struct bw_sequence q = {0};
    struct bw_params *params = NULL;
    char name[4096];
    if (preview_begin(&s, c, asked->options, &tools, &q, &params) == BW_OK) {
        s.frames = q.count;
        snprintf(name, sizeof name, "%.3800s.%s", q.name, q.count > 1 ? "mp4" : "png");
        s.output.as_it_is = !asked->out || asked->as_it_is;
        enum bw_status status = picture_output_parse(&s.output, asked->out ? asked->out : name, q.count);
        if (!status) status = preview_run(&s, &q);
        if (status == BW_ERR_CANCELLED) api->d.status = status;
        else if (status && !api->d.status) bw_diag_error(&api->d, NULL, status, "%s", s.why);
    }
    preview_end(&s, &q, params);
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
    struct preview_options o = {0};
    struct preview s = {.cache = c, .single = 1, .options = &o, .api = api};
    struct bw_tools tools = picture_tools();
    struct bw_sequence q = {0};
    struct bw_params *params = NULL;
    struct bw_image img = {0};
    if (preview_begin(&s, c, options, &tools, &q, &params) == BW_OK) {
        enum bw_status status = preview_open(&s, &q);
        const char *path = NULL;
        for (int32_t i = 0; i < q.count; i++)
            if (q.frame[i] == frame) path = q.path[i];
        double fps = o.fps > 0 ? o.fps : s.look.fps;
        if (!status)
            status = o.view ? slice_frame(&s, path, frame, fps, &img) : render_frame(&s, path, frame, &img, NULL);
        if (!status) pixels_of_image(&img, out, &api->d);
        else if (!api->d.status) bw_diag_error(&api->d, NULL, status, "%s", s.why);
        memcpy(out->lo, s.cut[0], sizeof out->lo);
        memcpy(out->hi, s.cut[1], sizeof out->hi);
        if (o.view) memcpy(out->range, s.range, sizeof out->range);
        if (img.px) bw_image_free(&img);
    }
    preview_end(&s, &q, params);
    return api->d.status;
}
