// SPDX-License-Identifier: Apache-2.0
/* `billow check`: a preset without running it (form, values, wiring), or a finished cache. */
#include "cli.h"

#include <getopt.h>
#include <string.h>
#include <sys/stat.h>

enum { SETS_MAX = 256 };

static const struct cli_option options[] = {
    {"set", "KEY=VALUE", "check with this value changed (any number of times)", 's'},
    CLI_PATH_OPTIONS,
};

const struct cli_command command_check = {
    .name = "check",
    .synopsis = "PRESET|FOLDER [options]",
    .brief = "Check a preset without running it, or a finished cache.",
    .details =
        "A preset: form, values and wiring, with file:line:column for each mistake.\n"
        "A folder that a bake wrote, or any folder with a VDB sequence: no gap, each file whole, the same grids.\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = cmd_check,
};

/* ---- a cache ---- */

static int cache_check(const char *folder)
{
    json_t *all = cli_json(bw_cache_check(folder)), *one;
    const json_t *problems = json_object_get(all, "problems");
    size_t i;
    if (!all) return cli_failed();
    json_array_foreach (problems, i, one) fprintf(stderr, "%s\n", json_string_value(one));
    json_array_foreach (json_object_get(all, "sequences"), i, one) {
        const char *grids = cli_text(one, "grids");
        printf("%s####.vdb: frames %.0f-%.0f, %.0f files, %.0f missing, grids %s\n", cli_text(one, "stem"),
               cli_number(one, "first"), cli_number(one, "last"), cli_number(one, "files"), cli_number(one, "missing"),
               *grids ? grids : "unknown");
    }
    int code = json_array_size(problems) ? EXIT_CODE_FAILURE : EXIT_CODE_OK;
    json_decref(all);
    return code;
}

/* ---- a preset ---- */

static int bake_check(struct bw_bake *bake)
{
    struct bw_bake_facts f = {.size = sizeof f};
    char frames[48], bytes[48];
    if (bw_bake_facts(bake, &f)) return cli_failed();
    if (!f.source && bw_bake_check(bake)) return cli_failed(); // files that another bake will make are not there
    cli_warn();
    json_t *all = cli_json(bw_bake_describe(bake));
    if (!all) return cli_failed();
    printf("%s: good, %zu stages, %s, up to %s of memory\n", f.path,
           json_array_size(json_object_get(json_object_get(all, "preset"), "stages")),
           bw_number_words((double)(f.last - f.first + 1), "frame", frames), bw_number_words(f.memory, "B", bytes));
    json_decref(all);
    return EXIT_CODE_OK;
}

static int preset_check(const struct bw_bake_options *o, const char *plugin_path, const char *preset_path)
{
    struct bw_session *session = cli_session_open(plugin_path, preset_path);
    struct bw_bake *bake;
    if (!session) return 7;
    int code = bw_bake_open(session, o, &bake) ? cli_failed() : bake_check(bake);
    bw_bake_close(bake);
    bw_session_close(session);
    return code;
}

int cmd_check(int argc, char **argv)
{
    const char *plugin_path = NULL, *preset_path = NULL, *set[SETS_MAX];
    struct bw_bake_options o = {.size = sizeof o, .set = set, .out = ""};
    struct stat st;
    int code;
    while ((code = cli_option_next(&command_check, argc, argv)) != CLI_END) {
        if (code < 0) return code == CLI_HELP ? EXIT_CODE_OK : EXIT_CODE_USAGE;
        if (code == 'P') plugin_path = optarg;
        if (code == 'R') preset_path = optarg;
        if (code != 's') continue;
        if (o.n_set == SETS_MAX) return cli_usage("--set is given more than %d times", SETS_MAX);
        set[o.n_set++] = optarg;
    }
    const char *name = cli_operand(&command_check, argc, argv, "a preset or a folder");
    if (!name) return EXIT_CODE_USAGE;
    if (stat(name, &st) == 0 && S_ISDIR(st.st_mode)) return cache_check(name);
    o.preset = name;
    return preset_check(&o, plugin_path, preset_path);
}
