// SPDX-License-Identifier: Apache-2.0
/* `billow list`: every stage, exporter and preset that can be used, and every plugin that cannot, with the reason. */
#include "cli.h"

#include <getopt.h>
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

/* The plugin's base name without ending, the heading of its stages. */
static int plugin_name(const json_t *entry, const char **name)
{
    const char *path = cli_text(entry, "path"), *slash = strrchr(path, '/');
    *name = slash ? slash + 1 : path;
    return (int)strcspn(*name, ".");
}

static int entry_compare(const void *a, const void *b)
{
    const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
    const char *one, *other;
    int n = plugin_name(x, &one), m = plugin_name(y, &other), plugin = strncmp(one, other, (size_t)(n > m ? n : m));
    return plugin ? plugin : strcmp(cli_text(x, "id"), cli_text(y, "id"));
}

/* Sorted by plugin, then by name; the caller frees it. */
static json_t **entries_sorted(const json_t *list)
{
    size_t n = json_array_size(list);
    json_t **sorted = calloc(n + 1, sizeof *sorted);
    for (size_t i = 0; sorted && i < n; i++) sorted[i] = json_array_get(list, i);
    if (sorted) qsort(sorted, n, sizeof *sorted, entry_compare);
    return sorted;
}

/* `groups`: under the names of their plugins. */
static void entries_print(const json_t *list, const char *title, int groups, int paths)
{
    json_t **sorted = entries_sorted(list);
    const char *name, *last = "";
    int last_n = 0;
    printf("%s\n", title);
    for (size_t i = 0; sorted && sorted[i]; i++) {
        const json_t *e = sorted[i];
        int n = plugin_name(e, &name);
        if (groups && (n != last_n || strncmp(name, last, (size_t)n))) printf("  %.*s\n", n, name);
        last = name, last_n = n;
        const char *indent = groups ? "    " : "  ", *shadows = cli_text(e, "shadows");
        printf("%s%-*s %s\n", indent, groups ? 18 : 14, cli_text(e, "id"), cli_text(e, "brief"));
        if (paths) cli_print_line(stdout, "%s%-14s %s", indent, "", cli_text(e, "path"));
        if (*shadows) cli_print_line(stdout, "%s%-14s hides the one in %s", indent, "", shadows);
    }
    if (!json_array_size(list)) fputs("  none\n", stdout);
    free(sorted);
}

static void presets_print(const json_t *list, int paths)
{
    size_t i;
    json_t *p;
    puts("Presets");
    json_array_foreach (list, i, p) {
        printf("  %-14s %s\n", cli_text(p, "name"), cli_text(p, "brief"));
        if (paths) cli_print_line(stdout, "  %-14s %s", "", cli_text(p, "path"));
    }
}

static int list_print(struct bw_session *session, int paths, int json)
{
    char *text = bw_session_list(session);
    if (!text) return cli_library_error();
    if (json) {
        fprintf(cli_out(), "%s\n", text);
        bw_text_free(text);
        return EXIT_CODE_OK;
    }
    json_t *all = cli_json(text);
    entries_print(json_object_get(all, "stages"), "Stages", 1, paths);
    entries_print(json_object_get(all, "exporters"), "Exporters", 0, paths);
    presets_print(json_object_get(all, "presets"), paths);
    json_decref(all);
    return EXIT_CODE_OK;
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
    struct bw_session *session = cli_session_open(plugin_path, preset_path);
    if (!session) return 7;
    code = list_print(session, paths, json);
    bw_session_close(session);
    return code;
}
