// SPDX-License-Identifier: Apache-2.0
/* `billow doctor`: what this machine and this installation have, for the user and for bug reports. */
#include "bake/bake.h"

#include "base/alloc.h"
#include <billow/plugin.h>
#include <getopt.h>
#include <libavcodec/avcodec.h>
#include <libfyaml.h>
#include <png.h>
#include <string.h>
#include <unistd.h>

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

static void libraries_print(void)
{
    unsigned int av = avcodec_version();
    printf("libfyaml      %s\nlibpng        %s\njansson       %s\nlibavcodec    %u.%u.%u\n", fy_library_version(),
           png_get_libpng_ver(NULL), jansson_version_str(), av >> 16, av >> 8 & 255, av & 255);
    const AVCodec *h264 = avcodec_find_encoder_by_name("libx264");
    if (!h264) h264 = avcodec_find_encoder(AV_CODEC_ID_H264);
    if (!h264) h264 = avcodec_find_encoder(AV_CODEC_ID_MPEG4);
    printf("movie encoder %s\n", h264 ? h264->name : "none: movies can't be written");
}

static void machine_print(void)
{
    static const char *const level[] = {"baseline", "avx2", "avx512"};
    char text[2][24];
    printf("cores         %ld\nSIMD          %s\nmemory        %s\ndisk free     %s here\n",
           sysconf(_SC_NPROCESSORS_ONLN), level[bw_simd_best() < 3 ? bw_simd_best() : 0],
           cli_bytes(machine_memory(), text[0]), cli_bytes(disk_free("."), text[1]));
}

static void folders_print(char *list, const char *what)
{
    char *save = NULL;
    for (char *one = strtok_r(list, ":", &save); one; one = strtok_r(NULL, ":", &save)) {
        printf("%-13s %s%s\n", what, one, access(one, R_OK) ? " (not there)" : "");
    }
}

int cmd_doctor(int argc, char **argv)
{
    const char *plugin_path = NULL;
    struct cli_folders folders;
    int code, bad = 0;
    while ((code = cli_option_next(&command_doctor, argc, argv)) != CLI_END) {
        if (code < 0) return code == CLI_HELP ? EXIT_CODE_OK : EXIT_CODE_USAGE;
        if (code == 'P') plugin_path = optarg;
    }
    struct bw_registry *r = cli_registry_open(plugin_path);
    if (!r || !cli_folders_find(&folders, plugin_path)) return 7;
    printf("Billow        %s, plugin ABI %d.%d\n", BW_VERSION, BW_ABI_MAJOR, BW_ABI_MINOR);
    libraries_print();
    machine_print();
    folders_print(folders.plugins, "plugins");
    folders_print(folders.presets, "presets");
    printf("loaded        %d stages and exporters, %d plugins could not be\n", (int)r->n_entries, (int)r->n_broken);
    static const char *const needed[] = {"emit", "mac.advect", "mac.forces", "mac.project"};
    for (int i = 0; i < 4; i++) {
        if (bw_registry_stage(r, needed[i])) continue;
        fprintf(stderr, "the stage %s is missing: the installation is not whole\n", needed[i]);
        bad = 1;
    }
    if (!bw_registry_exporter(r, "vdb")) {
        fputs("the exporter vdb is missing: the installation is not whole\n", stderr);
        bad = 1;
    }
    bad |= r->n_broken > 0;
    cli_folders_free(&folders);
    bw_registry_close(r);
    return bad ? EXIT_CODE_FAILURE : EXIT_CODE_OK;
}
