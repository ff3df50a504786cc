// SPDX-License-Identifier: Apache-2.0
/* bw_cache_scene: a cache as a scene for Blender or USD, with its grids, lights and camera. */
#include "scene.h"

#include "cache/cache.h"
#include "view/picture_tools.h"
#include <picture/volume/sky/sky.h>
#include <stdlib.h>
#include <string.h>

static const char *grid_named(const struct bwvdb_file *f, const char *const *names, uint32_t comps)
{
    const int32_t g = bwvdb_find_known(f, names, comps);
    return g >= 0 ? bwvdb_grid_info(f, g)->name : NULL;
}

static void grids_find(const struct bwvdb_file *f, struct scene_grids *g)
{
    *g = (struct scene_grids){grid_named(f, bw_density_names, 1),
                              grid_named(f, bw_flame_names, 1),
                              grid_named(f, bw_temperature_names, 1),
                              grid_named(f, bw_dye_names, 3),
                              grid_named(f, bw_velocity_names, 3),
                              bwvdb_find(f, "solid") >= 0 ? "solid" : NULL,
                              1000,
                              293.15};
    if (!g->temperature) return;
    const struct bwvdb_info *t = bwvdb_grid_info(f, bwvdb_find(f, g->temperature));
    g->kelvin = bwvdb_grid_number(t, "kelvin", g->kelvin);
    g->ambient = bwvdb_grid_number(t, "ambient", g->ambient);
}

/// A format: "blender", "usd", of a whole scene "blender-scene", "usd-scene", and what belongs to the first of these.
enum format { FORMAT_BLENDER, FORMAT_BLENDER_SCENE, FORMAT_BLENDER_DATA, FORMAT_USD, FORMAT_USD_SCENE, FORMATS };
static const char *const formats[FORMATS] = {"blender", "blender-scene", "blender-data", "usd", "usd-scene"};

static enum format format_find(const char *name)
{
    int i = 0;
    while (i < FORMATS && strcmp(name, formats[i]) != 0) i++;
    return (enum format)i;
}

static char *text_make(struct scene_facts *f, struct cache *c, enum format format)
{
    if (format == FORMAT_BLENDER_DATA) return scene_data_text(f, c);
    return format >= FORMAT_USD ? scene_usd_text(f, c) : scene_blender_text(f);
}

/// Look, and of a whole scene the sky and what changes, with the fire's `lights`. Errors: in `d`.
static enum bw_status look_fill(struct scene_facts *f, const struct cache *c, bool lights, struct bw_sky **sky,
                                struct api_call *api)
{
    struct bw_diag why = {0};
    char text[1024];
    enum bw_status status = cache_look_find(&f->look, c, NULL, f->view, 0, &why);
    if (why.first) api_warn(api, "%s", why.first);
    bw_diag_free(&why);
    if (!status && f->whole) status = shot_make(c, f->view, &f->look, lights, &f->shot);
    if (status) return out_of_memory(&api->d);
    if (f->whole) status = bw_sky_follow(f->view->tools, &f->look.sky, sky, text, sizeof text);
    f->look.scene.look.sky = *sky;
    return status ? bw_diag_error(&api->d, NULL, status, "%s", text) : BW_OK;
}

static char *scene_make(struct cache *c, enum format format, const char *folder, struct api_call *api)
{
    struct bw_tools tools = picture_tools();
    struct bw_vdb_view view = {.tools = &tools, .y_up = -1};
    struct bwvdb_file *file = NULL;
    struct bwvdb_error error;
    struct bw_sky *sky = NULL;
    char text[1024], *scene = NULL;
    enum bw_status status = bw_vdb_view_open(&view, &c->files, text, sizeof text);
    if (status) return bw_diag_error(&api->d, NULL, status, "%s", text), NULL;
    status = (enum bw_status)bwvdb_open(c->files.path[view.fullest], &file, &error);
    if (status) return bw_diag_error(&api->d, NULL, status, "%s", error.text), NULL;
    struct scene_facts f = {.sequence = &c->files, .view = &view, .file = file, .folder = folder};
    f.whole = format != FORMAT_BLENDER && format != FORMAT_USD;
    grids_find(file, &f.grids);
    if (view.twins > 1)
        api_warn(api, "the files hold %u grids called \"%s\": other programs show one of them", view.twins, view.grid);
    const char *path = NULL;
    if (look_fill(&f, c, format == FORMAT_BLENDER_SCENE, &sky, api)) path = NULL;
    else if (format >= FORMAT_USD && !scene_usd_names(&f, &path))
        bw_diag_error(&api->d, NULL, BW_ERR_USAGE,
                      "%s: no USD stage can name it: names may hold no @@@, no @ at their end, no control characters, "
                      "and nothing but UTF-8",
                      path);
    else if (!(scene = text_make(&f, c, format))) out_of_memory(&api->d);
    if (sky) tools.release(tools.ctx, sky);
    shot_free(&f.shot);
    bwvdb_close(file);
    return scene;
}

char *bw_cache_scene(struct bw_cache *cache, const char *format, const char *files)
{
    struct api_call api;
    char *text = NULL;
    api_enter(&api);
    struct cache *c = cache_acquire(cache, &api.d);
    const enum format which = format ? format_find(format) : FORMATS;
    if (c && (which == FORMATS || !files))
        bw_diag_error(&api.d, NULL, BW_ERR_USAGE,
                      "wanted are \"blender\", \"blender-scene\", \"blender-data\", \"usd\" or \"usd-scene\", and the "
                      "files' folder");
    else if (c) text = scene_make(c, which, files, &api);
    if (c) object_unref(&c->o);
    api_leave(&api);
    return text;
}
