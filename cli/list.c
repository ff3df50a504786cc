// SPDX-License-Identifier: Apache-2.0
/* `billow list`: every stage, exporter and preset that can be used, and every plugin that cannot, with the reason. */
#include "cli.h"

#include "base/alloc.h"
#include <getopt.h>
#include <glob.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_option options[] = {
    {"paths", NULL, "also name the file of each plugin", 'p'},
    {"json", NULL, "JSON on stdout", 'j'},
    CLI_PATH_OPTIONS,
};

const struct cli_command command_list = {
    .name = "list",
    .synopsis = "[options]",
    .brief = "Name all stages, exporters and presets.",
    .details = "`billow info NAME` tells more about any of them. Plugins are looked for in --plugin-path,\n"
               "BILLOW_PLUGIN_PATH, ~/.local/share/billow/plugins and the installed folder; the first one wins.\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = cmd_list,
};

static const char *entry_brief(const struct bw_entry *e)
{
    const char *brief = e->stage ? e->stage->brief : e->exporter->brief;
    return brief ? brief : "";
}

static int entry_compare(const void *a, const void *b)
{
    return strcmp((*(const struct bw_entry *const *)a)->id, (*(const struct bw_entry *const *)b)->id);
}

static void entries_print(const struct bw_registry *r, int stages, int paths)
{
    const struct bw_entry **sorted = bw_calloc(((size_t)r->n_entries + 1) * sizeof *sorted);
    size_t n = 0;
    for (int32_t i = 0; sorted && i < r->n_entries; i++) {
        if (!r->entry[i].stage == !stages) sorted[n++] = &r->entry[i];
    }
    if (n) qsort(sorted, n, sizeof *sorted, entry_compare);
    printf("%s\n", stages ? "Stages" : "Exporters");
    for (size_t i = 0; i < n; i++) {
        printf("  %-14s %s\n", sorted[i]->id, entry_brief(sorted[i]));
        if (paths) printf("  %-14s %s\n", "", sorted[i]->path);
        if (sorted[i]->shadows) printf("  %-14s hides the one in %s\n", "", sorted[i]->shadows);
    }
    if (!n) fputs("  none\n", stdout);
    bw_free(sorted);
}

/* First sentence of the opening comment, or "". New memory. */
static char *preset_brief(const char *path)
{
    struct bw_diag ignored = {0};
    struct bw_preset *p = bw_preset_load(path, NULL, &ignored);
    char *brief = bw_strdup(p && p->comment ? p->comment : ignored.first ? "(can't be read; see billow check)" : "");
    if (brief) {
        char *end = strstr(brief, ". ");
        if (end) end[1] = '\0';
        brief[strcspn(brief, "\n")] = '\0';
    }
    bw_preset_free(p);
    bw_diag_free(&ignored);
    return brief;
}

static void folder_visit(const char *folder, void (*visit)(const char *name, const char *path, void *user), void *user)
{
    glob_t found;
    char *pattern = bw_printf("%s/*.yaml", folder);
    if (pattern && glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            const char *slash = strrchr(found.gl_pathv[i], '/');
            char *name = bw_strdup(slash ? slash + 1 : found.gl_pathv[i]);
            if (name) {
                name[strlen(name) - strlen(".yaml")] = '\0';
                visit(name, found.gl_pathv[i], user);
            }
            bw_free(name);
        }
        globfree(&found);
    }
    bw_free(pattern);
}

static void presets_visit(const char *preset_path, void (*visit)(const char *name, const char *path, void *user),
                          void *user)
{
    struct cli_folders folders;
    char *rest = bw_strdup(preset_path ? preset_path : ""), *save = NULL;
    for (char *one = rest ? strtok_r(rest, ":", &save) : NULL; one; one = strtok_r(NULL, ":", &save)) {
        folder_visit(one, visit, user);
    }
    if (cli_folders_find(&folders, NULL)) folder_visit(folders.presets, visit, user);
    cli_folders_free(&folders);
    bw_free(rest);
}

static void preset_print(const char *name, const char *path, void *user)
{
    char *brief = preset_brief(path);
    printf("  %-14s %s\n", name, brief ? brief : "");
    if (*(int *)user) printf("  %-14s %s\n", "", path);
    bw_free(brief);
}

static void preset_json(const char *name, const char *path, void *user)
{
    char *brief = preset_brief(path);
    json_array_append_new(user, json_pack("{s:s, s:s, s:s}", "name", name, "path", path, "brief", brief ? brief : ""));
    bw_free(brief);
}

static void json_print(const struct bw_registry *r, const char *preset_path)
{
    json_t *stages = json_array(), *exporters = json_array(), *broken = json_array(), *presets = json_array();
    for (int32_t i = 0; i < r->n_entries; i++) {
        const struct bw_entry *e = &r->entry[i];
        json_array_append_new(e->stage ? stages : exporters,
                              json_pack("{s:s, s:s, s:s, s:s?}", "id", e->id, "brief", entry_brief(e), "path", e->path,
                                        "shadows", e->shadows));
    }
    for (int32_t i = 0; i < r->n_broken; i++) {
        json_array_append_new(broken, json_pack("{s:s, s:s}", "path", r->broken[i].path, "why", r->broken[i].why));
    }
    presets_visit(preset_path, preset_json, presets);
    json_t *all = json_pack("{s:i, s:o, s:o, s:o, s:o}", "billow", 1, "stages", stages, "exporters", exporters,
                            "presets", presets, "broken", broken);
    json_dumpf(all, stdout, JSON_INDENT(1));
    fputc('\n', stdout);
    json_decref(all);
}

int cmd_list(int argc, char **argv)
{
    const char *plugin_path = NULL, *preset_path = NULL;
    int code, paths = 0, json = 0;
    while ((code = cli_option_next(&command_list, argc, argv)) != CLI_END) {
        if (code < 0) return code == CLI_HELP ? EXIT_CODE_OK : EXIT_CODE_USAGE;
        if (code == 'P') plugin_path = optarg;
        if (code == 'R') preset_path = optarg;
        paths |= code == 'p';
        json |= code == 'j';
    }
    if (optind < argc) return cli_usage("list takes no names; did you mean billow info %s?", argv[optind]);
    struct bw_registry *r = cli_registry_open(plugin_path);
    if (!r) return 7;
    if (json) {
        json_print(r, preset_path);
    } else {
        entries_print(r, 1, paths);
        entries_print(r, 0, paths);
        puts("Presets");
        presets_visit(preset_path, preset_print, &paths);
    }
    bw_registry_close(r);
    return EXIT_CODE_OK;
}
