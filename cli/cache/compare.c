// SPDX-License-Identifier: Apache-2.0
/* `billow compare`: in what two caches, or two files, differ. */
#include "cli.h"

#include <getopt.h>

static const struct cli_option options[] = {
    {"json", NULL, "JSON on stdout", 'j'},
};

const struct cli_command command_compare = {
    .name = "compare",
    .synopsis = "A B [options]",
    .brief = "Say in what two caches, or two files, differ.",
    .details =
        "A and B are two bakes' folders, or two files. Where the bytes differ, VDB files are compared by grid and\n"
        "voxel, PNG and EXR by pixel, others by the first byte. In folders bake.json, bake.log, timings.csv and\n"
        "hidden files are left out: they differ in every run. Exit code 0: all bytes are the same; 1: they differ.\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = cmd_compare,
};

static void differences_print(const json_t *all)
{
    const json_t *one;
    size_t i;
    char files[48];
    json_array_foreach (json_object_get(all, "differences"), i, one)
        cli_print_line(stdout, "%-28s %s", cli_text(one, "file"), cli_text(one, "text"));
    bw_number_words(cli_number(all, "files"), "file", files);
    if (!i) printf("%s: the same\n", files);
}

int cmd_compare(int argc, char **argv)
{
    int code, json = 0;
    while ((code = cli_option_next(&command_compare, argc, argv)) != CLI_END) {
        if (code < 0) return code == CLI_HELP ? EXIT_CODE_OK : EXIT_CODE_USAGE;
        json |= code == 'j';
    }
    if (argc - optind != 2) return cli_usage("compare wants two things: billow compare %s", command_compare.synopsis);
    char *text = bw_cache_compare(argv[optind], argv[optind + 1]);
    json_t *all = json ? cli_json_plain(text) : cli_json(text);
    if (!all) return cli_library_error();
    if (json) {
        cli_json_print(all, JSON_INDENT(1));
    } else {
        differences_print(all);
    }
    code = json_is_true(json_object_get(all, "equal")) ? EXIT_CODE_OK : EXIT_CODE_FAILURE;
    json_decref(all);
    return code;
}
