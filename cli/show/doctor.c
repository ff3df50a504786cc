// SPDX-License-Identifier: Apache-2.0
/* `billow doctor`: what this machine and this installation have, for the user and for bug reports. */
#include "cli.h"

#include <getopt.h>
#include <string.h>

static const struct cli_option options[] = {CLI_PATH_OPTIONS};

const struct cli_command command_doctor = {
    .name = "doctor",
    .synopsis = "[options]",
    .brief = "Tell what this machine and this installation have.",
    .details = "Answers 1 when something needed for a bake is missing or broken.\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = cmd_doctor,
};

static void libraries_print(const json_t *m)
{
    const json_t *l = json_object_get(m, "libraries");
    const char *encoder = cli_text(m, "movie_encoder");
    printf("libfyaml      %s\nlibpng        %s\njansson       %s\nlibavcodec    %s\n", cli_text(l, "libfyaml"),
           cli_text(l, "libpng"), cli_text(l, "jansson"), cli_text(l, "libavcodec"));
    printf("movie encoder %s\n", *encoder ? encoder : "none: movies can't be written");
}

static void machine_print(const json_t *m)
{
    char text[2][48];
    printf("cores         %.0f\nSIMD          %s\nmemory        %s\ndisk free     %s here\n", cli_number(m, "cores"),
           cli_text(m, "simd"), bw_number_words(cli_number(m, "memory"), "B", text[0]),
           bw_number_words(cli_number(m, "disk_free"), "B", text[1]));
}

static void folders_print(const json_t *list, const char *what)
{
    size_t i;
    json_t *one;
    json_array_foreach (list, i, one) {
        const char *missing = json_is_true(json_object_get(one, "there")) ? "" : " (not there)";
        cli_print_line(stdout, "%-13s %s%s", what, cli_text(one, "path"), missing);
    }
}

static int has_id(const json_t *list, const char *id)
{
    size_t i;
    json_t *e;
    json_array_foreach (list, i, e) {
        if (!strcmp(cli_text(e, "id"), id)) return 1;
    }
    return 0;
}

/* 1: something that a bake needs is missing or broken. */
static int installation_check(const json_t *all)
{
    static const char *const needed[] = {"emit", "mac.advect", "mac.forces", "mac.project"};
    const json_t *stages = json_object_get(all, "stages"), *exporters = json_object_get(all, "exporters"),
                 *broken = json_object_get(all, "broken");
    int bad = json_array_size(broken) > 0;
    printf("loaded        %d stages and exporters, %d plugins could not be\n",
           (int)(json_array_size(stages) + json_array_size(exporters)), (int)json_array_size(broken));
    for (int i = 0; i < 4; i++) {
        if (has_id(stages, needed[i])) continue;
        fprintf(stderr, "the stage %s is missing: the installation is not whole\n", needed[i]);
        bad = 1;
    }
    if (has_id(exporters, "vdb")) return bad;
    fputs("the exporter vdb is missing: the installation is not whole\n", stderr);
    return 1;
}

int cmd_doctor(int argc, char **argv)
{
    const char *plugin_path = NULL;
    int code;
    while ((code = cli_option_next(&command_doctor, argc, argv)) != CLI_END) {
        if (code < 0) return code == CLI_HELP ? EXIT_CODE_OK : EXIT_CODE_USAGE;
        if (code == 'P') plugin_path = optarg;
    }
    struct bw_session *session = cli_session_open(plugin_path, NULL);
    if (!session) return 7;
    json_t *m = cli_json(bw_session_machine(session, ".")), *all = m ? cli_json(bw_session_list(session)) : NULL;
    if (all) {
        printf("Billow        %s, plugin ABI %s\n", bw_version(), cli_text(m, "abi"));
        libraries_print(m);
        machine_print(m);
        folders_print(json_object_get(m, "plugins"), "plugins");
        folders_print(json_object_get(m, "presets"), "presets");
    }
    code = !all ? cli_library_error() : installation_check(all) ? EXIT_CODE_FAILURE : EXIT_CODE_OK;
    json_decref(m);
    json_decref(all);
    bw_session_close(session);
    return code;
}
