// SPDX-License-Identifier: Apache-2.0
/* bw_cache_sky: what is far off round a cache, as its movie shows it, as one picture of the whole sphere. */
#include "cache/cache.h"
#include "cache/look.h"
#include "cache/preview/picture_output.h"
#include "view/picture_tools.h"
#include <picture/volume/sky/sky.h>
#include <picture/volume/studio/studio.h>

#include <math.h>
#include <stdio.h>

enum { WIDE = 4096 };
#define PI 3.14159265358979

struct sphere {
    const struct bw_scene *scene;
    struct bw_image *img;
};

/// As Blender's and USD's environments are laid out: -y is in the middle of Blender's, and the top row is overhead.
static void row_draw(int64_t j, void *user)
{
    const struct sphere *s = user;
    const double pixel = 2 * PI / s->img->w, up = PI * (0.5 - ((double)j + 0.5) / s->img->h);
    float *rgb = s->img->px + 3 * (size_t)j * (size_t)s->img->w;
    for (int i = 0; i < s->img->w; i++, rgb += 3) {
        const double round = PI - pixel * (i + 0.5);
        bw_studio_far(s->scene, pixel, (double[3]){cos(up) * cos(round), cos(up) * sin(round), sin(up)}, rgb);
    }
}

/// The picture into `o`.
static enum bw_status sky_draw(struct picture_output *o, const struct bw_scene *scene)
{
    struct bw_image img;
    enum bw_status status = picture_output_parse(o, o->out, 1);
    if (!status) status = picture_output_begin(o);
    if (status) return status;
    status = bw_image_init(&img, o->tools, WIDE, WIDE / 2);
    if (status) snprintf(o->why, o->why_size, "out of memory for a sky");
    else o->tools->parallel(o->tools->ctx, img.h, row_draw, &(struct sphere){scene, &img});
    if (!status) status = picture_output_frame(o, 0, 0, &img, NULL);
    bw_image_free(&img);
    return picture_output_end(o, status);
}

static enum bw_status sky_write(struct cache *c, const char *path, int32_t *written, struct bw_diag *d)
{
    struct bw_tools tools = picture_tools();
    struct bw_vdb_view view = {.tools = &tools, .y_up = -1};
    struct cache_look look;
    struct bw_sky *sky = NULL;
    char why[1024];
    enum bw_status status = bw_vdb_view_open(&view, &c->files, why, sizeof why);
    if (status) return bw_diag_error(d, NULL, status, "%s", why);
    struct bw_diag ignored = {0}; // told with the scene
    status = cache_look_find(&look, c, NULL, &view, 0, &ignored);
    bw_diag_free(&ignored);
    if (status) return out_of_memory(d);
    status = bw_sky_follow(&tools, &look.sky, &sky, why, sizeof why);
    look.scene.look.sky = sky;
    *written = !status && (sky || bw_studio_is_far(&look.scene.look));
    struct picture_output o = {.tools = &tools, .out = path, .as_it_is = 1, .why = why, .why_size = sizeof why};
    if (*written) status = sky_draw(&o, &look.scene);
    if (sky) tools.release(tools.ctx, sky);
    return status ? bw_diag_error(d, NULL, status, "%s", why) : BW_OK;
}

enum bw_status bw_cache_sky(struct bw_cache *cache, const char *path, int32_t *written)
{
    struct api_call api;
    int32_t ignored;
    api_enter(&api);
    struct cache *c = cache_acquire(cache, &api.d);
    if (c && !path) bw_diag_error(&api.d, NULL, BW_ERR_USAGE, "bw_cache_sky wants a file's name");
    else if (c) sky_write(c, path, written ? written : &ignored, &api.d);
    if (c) object_unref(&c->o);
    return api_leave(&api);
}
