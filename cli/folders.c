// SPDX-License-Identifier: Apache-2.0
/* Where plugins and presets lie, found from where this executable lies, so that neither a moved installation nor the
 * build tree needs a variable. In a build tree Meson's own notes (meson-info) say where the source tree is. */
#include "cli.h"

#include "base/alloc.h"
#include <glob.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Append `folder` to a colon-separated list; takes the list, answers the new one (NULL: out of memory). */
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

static char *program_path(void)
{
    char buffer[4096];
    ssize_t n = readlink("/proc/self/exe", buffer, sizeof buffer - 1);
    if (n <= 0) return NULL;
    buffer[n] = '\0';
    return bw_strdup(buffer);
}

/* The folder `up` levels above the executable's own. */
static char *program_folder(const char *program, int up)
{
    char *folder = bw_strdup(program);
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

static void folders_in_build_tree(struct cli_folders *f, const char *build, const char *source)
{
    f->in_build_tree = 1;
    f->plugins = list_append_glob(f->plugins, build, "plugins/*/");
    f->plugins = list_append_glob(f->plugins, build, "exporters/*/");
    f->presets = bw_printf("%s/presets", source);
    f->include = bw_printf("%s/core/include", source);
}

/* BW_TO_… lead from the folder of the executable to the installed ones, "../lib/billow/plugins". */
static void folders_installed(struct cli_folders *f)
{
    char *bin = program_folder(f->program, 0);
    char *plugins = bin ? bw_printf("%s/%s", bin, BW_TO_PLUGINS) : NULL;
    f->plugins = list_append(f->plugins, plugins);
    f->presets = bin ? bw_printf("%s/%s", bin, BW_TO_PRESETS) : NULL;
    f->include = bin ? bw_printf("%s/%s", bin, BW_TO_INCLUDE) : NULL;
    bw_free(plugins);
    bw_free(bin);
}

int cli_folders_find(struct cli_folders *f, const char *plugin_path)
{
    memset(f, 0, sizeof *f);
    char *user = user_folder(), *build, *source;
    f->program = program_path();
    f->plugins = list_append(NULL, plugin_path);
    if (f->plugins) f->plugins = list_append(f->plugins, getenv("BILLOW_PLUGIN_PATH"));
    if (f->plugins) f->plugins = list_append(f->plugins, user);
    bw_free(user);
    if (!f->program || !f->plugins) return 0;
    build = program_folder(f->program, 1);
    source = build ? source_folder(build) : NULL;
    if (source) folders_in_build_tree(f, build, source);
    else folders_installed(f);
    bw_free(source);
    bw_free(build);
    return f->plugins && f->presets && f->include;
}

void cli_folders_free(struct cli_folders *f)
{
    bw_free(f->plugins);
    bw_free(f->presets);
    bw_free(f->include);
    bw_free(f->program);
    memset(f, 0, sizeof *f);
}

struct bw_registry *cli_registry_open(const char *plugin_path)
{
    struct cli_folders folders;
    struct bw_registry *r = NULL;
    if (cli_folders_find(&folders, plugin_path)) r = bw_registry_open(folders.plugins);
    if (!r) fputs("billow: out of memory\n", stderr);
    for (int32_t i = 0; r && i < r->n_broken; i++) {
        fprintf(stderr, "warning: %s: %s\n", r->broken[i].path, r->broken[i].why);
    }
    cli_folders_free(&folders);
    return r;
}

struct bw_preset *cli_preset_load(const char *name, const char *preset_path, const struct bw_preset_overrides *o,
                                  struct bw_diag *d)
{
    struct cli_folders folders;
    struct bw_preset *p = NULL;
    if (!cli_folders_find(&folders, NULL)) bw_diag_error(d, NULL, BW_ERR_MEMORY, "out of memory");
    char *path = d->status ? NULL : bw_preset_find(name, preset_path, folders.presets, d);
    if (path) p = bw_preset_load(path, o, d);
    bw_free(path);
    cli_folders_free(&folders);
    return p;
}
