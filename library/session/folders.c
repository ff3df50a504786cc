// SPDX-License-Identifier: Apache-2.0
/* Folders of plugins and presets, relative to this library's own path, so that neither a moved installation nor a build
 * tree needs an environment variable. In a build tree, Meson's meson-info names the source tree. */
#define _GNU_SOURCE /* dladdr */
#include "session.h"

#include "base/alloc.h"
#include <dlfcn.h>
#include <glob.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Append `folder` to a colon-separated list; takes the list, returns the new one (NULL: out of memory). */
static char *list_append(char *list, const char *folder)
{
    if (!folder || !*folder) return list ? list : bw_strdup("");
    char *grown = list && *list ? bw_printf("%s:%s", list, folder) : bw_strdup(folder);
    bw_free(list);
    return grown;
}

/* Every folder that the pattern, which ends in a slash, finds. */
static char *list_append_glob(char *list, const char *root, const char *pattern)
{
    glob_t found;
    char *path = bw_printf("%s/%s", root, pattern);
    if (path && glob(path, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc && list; i++) {
            found.gl_pathv[i][strlen(found.gl_pathv[i]) - 1] = '\0';
            list = list_append(list, found.gl_pathv[i]);
        }
        globfree(&found);
    }
    bw_free(path);
    return list;
}

static const char anchor; ///< lies in the library

/* The file that this code was loaded from. */
static char *library_path(void)
{
    Dl_info info;
    char *real = dladdr(&anchor, &info) && info.dli_fname ? realpath(info.dli_fname, NULL) : NULL;
    char *path = bw_strdup(real);
    free(real);
    return path;
}

/* The folder `up` levels above the library's own. */
static char *library_folder(const char *library, int up)
{
    char *folder = bw_strdup(library);
    for (int i = 0; folder && i <= up; i++) {
        char *slash = strrchr(folder, '/');
        if (slash) *slash = '\0';
    }
    return folder;
}

/* Source tree of a build tree, by Meson's notes; NULL when `build` is none. */
static char *source_folder(const char *build)
{
    char *path = bw_printf("%s/meson-info/meson-info.json", build);
    json_t *notes = path ? json_load_file(path, 0, NULL) : NULL;
    const char *source = json_string_value(json_object_get(json_object_get(notes, "directories"), "source"));
    char *copy = bw_strdup(source);
    json_decref(notes);
    bw_free(path);
    return copy;
}

static char *user_folder(void)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    if (data && *data) return bw_printf("%s/billow/plugins", data);
    return home && *home ? bw_printf("%s/.local/share/billow/plugins", home) : NULL;
}

/* 1: `build` is a build tree, and the folders are its own. */
static int folders_in_build_tree(struct folders *f, const char *build)
{
    char *source = build ? source_folder(build) : NULL;
    if (!source) return 0;
    f->own = list_append_glob(bw_strdup(""), build, "plugins/*/");
    f->own = list_append_glob(f->own, build, "exporters/*/");
    f->probe = bw_printf("%s/library/billow-probe", build);
    f->presets = bw_printf("%s/presets", source);
    f->include = bw_printf("%s/core/include", source);
    bw_free(source);
    return 1;
}

/* BW_TO_… lead from the folder of the library to the others, "billow/plugins". */
static void folders_installed(struct folders *f)
{
    char *own = library_folder(f->library, 0);
    char *plugins = own ? bw_printf("%s/%s", own, BW_TO_PLUGINS) : NULL;
    f->own = list_append(NULL, plugins);
    f->probe = own ? bw_printf("%s/%s", own, BW_TO_PROBE) : NULL;
    f->presets = own ? bw_printf("%s/%s", own, BW_TO_PRESETS) : NULL;
    f->include = own ? bw_printf("%s/%s", own, BW_TO_INCLUDE) : NULL;
    bw_free(plugins);
    bw_free(own);
}

int folders_find(struct folders *f, const char *plugin_path)
{
    memset(f, 0, sizeof *f);
    char *user = user_folder(), *build;
    f->library = library_path();
    f->plugins = list_append(NULL, plugin_path);
    if (f->plugins) f->plugins = list_append(f->plugins, getenv("BILLOW_PLUGIN_PATH"));
    if (f->plugins) f->plugins = list_append(f->plugins, user);
    bw_free(user);
    if (!f->library || !f->plugins) return 0;
    build = library_folder(f->library, 1); // BUILD/library/libbillow.so
    if (!folders_in_build_tree(f, build)) folders_installed(f);
    bw_free(build);
    if (f->own) f->plugins = list_append(f->plugins, f->own);
    return f->own && f->probe && f->plugins && f->presets && f->include;
}

void folders_free(struct folders *f)
{
    bw_free(f->plugins);
    bw_free(f->presets);
    bw_free(f->include);
    bw_free(f->library);
    bw_free(f->own);
    bw_free(f->probe);
    memset(f, 0, sizeof *f);
}
