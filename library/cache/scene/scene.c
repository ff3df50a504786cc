// SPDX-License-Identifier: Apache-2.0
/* bw_cache_scene: a cache as a scene for Blender or USD, with its grids, lights and camera. */
#include "scene.h"

#include "cache/cache.h"
#include "view/picture_tools.h"
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

/// A format's name: "blender", "usd", and of a whole scene "blender-scene", "usd-scene".
static bool format_is(const char *format, const char *kind)
{
    const size_t n = strlen(kind);
    return !strncmp(format, kind, n) && (!format[n] || !strcmp(format + n, "-scene"));
}

static char *scene_make(const struct cache *c, const char *format, const char *folder, struct api_call *api)
{
    struct bw_tools tools = picture_tools();
    struct bw_vdb_view view = {.tools = &tools, .y_up = -1};
    struct bwvdb_file *file = NULL;
    struct bwvdb_error error;
    struct bw_diag why = {0};
    char text[1024], *scene = NULL;
    enum bw_status status = bw_vdb_view_open(&view, &c->files, text, sizeof text);
    if (status) return bw_diag_error(&api->d, NULL, status, "%s", text), NULL;
    status = (enum bw_status)bwvdb_open(c->files.path[view.fullest], &file, &error);
    if (status) return bw_diag_error(&api->d, NULL, status, "%s", error.text), NULL;
    struct scene_facts f = {.sequence = &c->files, .view = &view, .file = file, .folder = folder};
    f.whole = strchr(format, '-') != NULL;
    grids_find(file, &f.grids);
    if (view.twins > 1)
        api_warn(api, "the files hold %u grids called \"%s\": other programs show one of them", view.twins, view.grid);
    const enum bw_status look = cache_look_find(&f.look, c, NULL, &view, 0, &why);
    if (why.first) api_warn(api, "%s", why.first);
    const char *path = NULL;
    bool usd = format_is(format, "usd"), named = !usd || scene_usd_names(&f, &path);
    if (look) out_of_memory(&api->d);
    else if (!named)
        bw_diag_error(&api->d, NULL, BW_ERR_USAGE,
                      "%s: no USD stage can name it: names may hold no @@@, no @ at their end, no control characters, "
                      "and nothing but UTF-8",
                      path);
    else if (!(scene = usd ? scene_usd_text(&f) : scene_blender_text(&f))) out_of_memory(&api->d);
    bw_diag_free(&why);
    bwvdb_close(file);
    return scene;
}

char *bw_cache_scene(struct bw_cache *cache, const char *format, const char *files)
{
    struct api_call api;
    char *text = NULL;
    api_enter(&api);
    struct cache *c = cache_acquire(cache, &api.d);
    if (c && (!format || !files || (!format_is(format, "blender") && !format_is(format, "usd"))))
        bw_diag_error(
            &api.d, NULL, BW_ERR_USAGE,
            "a scene is wanted for \"blender\", \"blender-scene\", \"usd\" or \"usd-scene\", and the files' folder");
    else if (c) text = scene_make(c, format, files, &api);
    if (c) object_unref(&c->o);
    api_leave(&api);
    return text;
}
