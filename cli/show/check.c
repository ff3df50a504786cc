// SPDX-License-Identifier: Apache-2.0
/* `billow check`: a preset without running it (form, values, wiring), or a finished cache. */
#include "cli.h"

#include <getopt.h>
#include <string.h>
#include <sys/stat.h>

enum { SETS_MAX = 256 };

static const struct cli_option options[] = {
    {"set", "KEY=VALUE", "check with this value changed (any number of times)", 's'},
    {"for", "HOST", "a cache: what breaks in blender, houdini, unreal, unreal-nano, arnold, redshift, vray, …", 'w'},
    {"json", NULL, "JSON on stdout", 'j'},
    CLI_PATH_OPTIONS,
};

const struct cli_command command_check = {
    .name = "check",
    .synopsis = "PRESET|CACHE [options]",
    .brief = "Check a preset without running it, or a finished cache.",
    .details =
        "A preset: form, values and wiring, with file:line:column for each mistake.\n"
        "A cache is a bake's folder, any folder of VDB files, one of them, or a pattern such as smoke_####.vdb: no\n"
        "gap, each file as it was written, the same grids and voxels in each, numbers alone, and what hosts go by.\n"
        "What a host shows otherwise than one expects is a note, and no failure.\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = cmd_check,
};

/* ---- a cache ---- */

static void sequence_print(const json_t *one)
{
    const char *grids = cli_text(one, "grids");
    cli_print_line(stdout, "%s####%s: frames %.0f-%.0f, %.0f files, %.0f missing, grids %s", cli_text(one, "stem"),
                   cli_text(one, "ending"), cli_number(one, "first"), cli_number(one, "last"), cli_number(one, "files"),
                   cli_number(one, "missing"), *grids ? grids : "unknown");
}

static void finding_print(const json_t *one)
{
    cli_print_line(stderr, "%s%s: %s",
                   json_is_true(json_object_get(one, "problem")) ? "" : "note: ", cli_text(one, "text"),
                   cli_text(one, "advice"));
}

static int cache_check(const char *what, const char *host, int json)
{
    char *found = bw_cache_check_for(what, host);
    json_t *all = json ? cli_json_plain(found) : cli_json(found), *one;
    size_t i;
    if (!all) return cli_library_error();
    if (json) {
        cli_json_print(all, JSON_INDENT(1));
    } else {
        json_array_foreach (json_object_get(all, "findings"), i, one) finding_print(one);
        json_array_foreach (json_object_get(all, "sequences"), i, one) sequence_print(one);
    }
    int code = json_array_size(json_object_get(all, "problems")) ? EXIT_CODE_FAILURE : EXIT_CODE_OK;
    json_decref(all);
    return code;
}

/* A folder, a VDB file, or a pattern of such: anything else is a preset's name. */
static int is_cache(const char *name)
{
    struct stat st;
    if (stat(name, &st) == 0 && S_ISDIR(st.st_mode)) return 1;
    return cli_has_ending(name, ".vdb");
}

/* ---- a preset ---- */

static json_t *warnings_json(void)
{
    json_t *list = json_array();
    for (const char *line = bw_error_last()->text; *line;) {
        const size_t n = strcspn(line, "\n");
        json_array_append_new(list, json_stringn(line, n));
        line += n + (line[n] == '\n');
    }
    return list;
}

static void preset_print_json(const json_t *all)
{
    const json_t *preset = json_object_get(all, "preset");
    json_t *one = json_pack("{s:i, s:b, s:O, s:O, s:I, s:O, s:O, s:O, s:o}", "billow", 1, "good", 1, "preset",
                            json_object_get(preset, "path"), "name", json_object_get(preset, "name"), "stages",
                            (json_int_t)json_array_size(json_object_get(preset, "stages")), "first",
                            json_object_get(all, "first"), "last", json_object_get(all, "last"), "memory",
                            json_object_get(all, "memory"), "warnings", warnings_json());
    if (one) cli_json_print(one, JSON_INDENT(1));
    json_decref(one);
}

static void preset_print(const struct bw_bake_facts *f, const json_t *all)
{
    char frames[48], bytes[48];
    cli_print_line(stdout, "%s: good, %zu stages, %s, up to %s of memory", f->path,
                   json_array_size(json_object_get(json_object_get(all, "preset"), "stages")),
                   bw_number_words((double)(f->last - f->first + 1), "frame", frames),
                   bw_number_words(f->memory, "B", bytes));
}

static int bake_check(struct bw_bake *bake)
{
    struct bw_bake_facts f = {.size = sizeof f};
    json_t *all = bw_bake_facts(bake, &f) ? NULL : cli_json_plain(bw_bake_describe(bake));
    // files that another bake will make are not there
    if (!all || (!f.source && bw_bake_check(bake))) return json_decref(all), cli_library_error();
    cli_warn();
    if (cli_is_json()) preset_print_json(all);
    else preset_print(&f, all);
    json_decref(all);
    return EXIT_CODE_OK;
}

static int preset_check(const struct bw_bake_options *o, const char *plugin_path, const char *preset_path)
{
    struct bw_session *session = cli_session_open(plugin_path, preset_path);
    struct bw_bake *bake;
    if (!session) return 7;
    int code = bw_bake_open(session, o, &bake) ? cli_library_error() : bake_check(bake);
    bw_bake_close(bake);
    bw_session_close(session);
    return code;
}

int cmd_check(int argc, char **argv)
{
    const char *plugin_path = NULL, *preset_path = NULL, *host = NULL, *set[SETS_MAX];
    struct bw_bake_options o = {.size = sizeof o, .set = set, .out = ""};
    int code, json = 0;
    while ((code = cli_option_next(&command_check, argc, argv)) != CLI_END) {
        if (code < 0) return code == CLI_HELP ? EXIT_CODE_OK : EXIT_CODE_USAGE;
        if (code == 'P') plugin_path = optarg;
        if (code == 'R') preset_path = optarg;
        if (code == 'w') host = optarg;
        if (code == 'j') json = 1;
        if (code != 's') continue;
        if (o.n_set == SETS_MAX) return cli_usage("--set is given more than %d times", SETS_MAX);
        set[o.n_set++] = optarg;
    }
    const char *name = cli_operand(&command_check, argc, argv, "a preset or a cache");
    if (!name) return EXIT_CODE_USAGE;
    if (is_cache(name)) return cache_check(name, host, json);
    if (host) return cli_usage("--for is of caches, and %s is none", name);
    o.preset = name;
    return preset_check(&o, plugin_path, preset_path);
}
