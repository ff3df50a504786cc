// SPDX-License-Identifier: Apache-2.0
/* billow convert: a finished cache written anew by the rules of the program that reads it, or as NanoVDB. */
#include "cli.h"

#include <getopt.h>
#include <stdlib.h>

static const struct cli_option options[] = {
    {"for", "HOST", "blender, houdini, unreal, unreal-nano, arnold, redshift, vray, octane or omniverse", 'w'},
    {"out", "DIR", "the new files' folder (default: CACHE_HOST)", 'o'},
    {"proxy", NULL, "voxels twice as wide, without vectors: for viewports", 'p'},
    {"format", "FORMAT", "vdb, or nvdb: NanoVDB's files, with or without --for", 'm'},
    {"precision", "PRECISION", "of NanoVDB's numbers: fp32, fp16 or fp8 (default: fp32)", 'P'},
    {"compression", "KIND", "of NanoVDB's files: none, zip or blosc (default: none)", 'c'},
    {"force", NULL, "replace files of the same names", 'F'},
    {"json", NULL, "JSON on stdout", 'j'},
};

const struct cli_command command_convert = {
    .name = "convert",
    .synopsis = "CACHE --for HOST|--format nvdb [options]",
    .brief = "Write a finished cache anew by the rules of the program that reads it, or as NanoVDB.",
    .details =
        "CACHE as for upres. Units, axes, names, bounds and what else `billow check --for HOST` names; nothing is\n"
        "simulated, and CACHE stays as it is.\n\n"
        "  billow convert out/campfire --for unreal\n"
        "  billow convert out/plume --for blender --proxy\n"
        "  billow convert out/plume --format nvdb --precision fp16\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = cmd_convert,
};

static void result_print(const json_t *made)
{
    const char *name;
    const json_t *why;
    json_object_foreach ((json_t *)json_object_get(made, "left_out"), name, why)
        cli_print_line(stderr, "note: grid %s is left out: %s", name, json_string_value(why));
    if (cli_number(made, "density_gain") != 1)
        cli_print_line(stderr, "note: density is %.4g times what it was, so that it fits: thicken the material by %.4g",
                       cli_number(made, "density_gain"), 1 / cli_number(made, "density_gain"));
    cli_print_line(stdout, "%s: %.0f file%s for %s", cli_text(made, "out"), cli_number(made, "files"),
                   cli_number(made, "files") == 1 ? "" : "s", cli_text(made, "for"));
}

static int cache_convert(const char *what, const json_t *wish, int json)
{
    char *options_text = json_dumps(wish, 0);
    if (!options_text) return cli_usage("a name that is not UTF-8, or out of memory");
    char *text = bw_cache_convert(what, options_text);
    json_t *made = json ? cli_json_plain(text) : cli_json(text);
    free(options_text);
    if (!made) return cli_library_error();
    if (json) cli_json_print(made, JSON_INDENT(1));
    else result_print(made);
    json_decref(made);
    return EXIT_CODE_OK;
}

int cmd_convert(int argc, char **argv)
{
    json_t *wish = json_object();
    int code, json = 0;
    while ((code = cli_option_next(&command_convert, argc, argv)) >= 0) {
        if (code == 'w') json_object_set_new(wish, "for", json_string(optarg));
        if (code == 'o') json_object_set_new(wish, "out", json_string(optarg));
        if (code == 'p') json_object_set_new(wish, "proxy", json_true());
        if (code == 'm') json_object_set_new(wish, "format", json_string(optarg));
        if (code == 'P') json_object_set_new(wish, "precision", json_string(optarg));
        if (code == 'c') json_object_set_new(wish, "compression", json_string(optarg));
        if (code == 'F') json_object_set_new(wish, "force", json_true());
        if (code == 'j') json = 1;
    }
    int answer = code == CLI_HELP ? EXIT_CODE_OK : EXIT_CODE_USAGE;
    const char *what = code == CLI_END ? cli_operand(&command_convert, argc, argv, "a cache") : NULL;
    if (what && !json_object_get(wish, "for") && !json_object_get(wish, "format"))
        cli_usage("convert wants --for HOST, like --for unreal, or --format nvdb");
    else if (what) answer = cache_convert(what, wish, json);
    json_decref(wish);
    return answer;
}
