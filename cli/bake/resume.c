// SPDX-License-Identifier: Apache-2.0
/* `billow resume FOLDER`: resume the bake in a folder by its resolved.yaml, which has all its values. */
#include "bake.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ADDED = 5, MOST = 600 };

const struct cli_command command_resume = {
    .name = "resume",
    .synopsis = "FOLDER [options]",
    .brief = "Go on with a bake that was stopped or killed, to the same bits.",
    .details = "FOLDER is what the bake wrote to, out/plume. The newest checkpoint whose files are all good is taken;\n"
               "where there is none, the bake begins anew. Options are those of `bake`:\n\n"
               "  billow resume out/plume\n"
               "  billow resume out/plume --frames 1-240\n"
               "  billow resume out/plume --from-frame 40 --set stages.mac.forces.confinement=0.5\n",
    .run = cmd_resume,
    .several = 1,
};

static int folder_resume(const char *folder, int n, char **options)
{
    char word[][16] = {"bake", "--out", "--resume"}, *argv[MOST + ADDED + 1];
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/') length--;
    char *out = cli_printf("%.*s", (int)length, folder),
         *preset = cli_printf("%.*s/resolved.yaml", (int)length, folder);
    int argc = 0, code = 7;
    if (n > MOST) return free(out), free(preset), cli_usage("resume takes %d options at most", MOST);
    const int fd = out && bw_folder_has(out, "resolved.yaml") ? bw_folder_open(out, "resolved.yaml") : -2;
    if (fd >= 0) close(fd);
    if (fd == -2) {
        code = cli_usage("%s holds no bake that can be resumed: there is no %s", out, preset);
    } else if (fd < 0) {
        code = cli_library_error();
    } else if (preset && out) {
        argv[argc++] = word[0], argv[argc++] = preset;
        argv[argc++] = word[1], argv[argc++] = out;
        argv[argc++] = word[2];
        for (int i = 0; i < n; i++) argv[argc++] = options[i];
        argv[argc] = NULL;
        optind = 0; // getopt begins anew
        code = command_bake.run(argc, argv);
    }
    free(out);
    free(preset);
    return code;
}

int cmd_resume(int argc, char **argv)
{
    struct cli_command resume = command_resume;
    int code;
    resume.options = command_bake.options;
    resume.n_options = command_bake.n_options;
    while ((code = cli_option_next(&resume, argc, argv)) != CLI_END) {
        if (code == CLI_HELP) return EXIT_CODE_OK;
        if (code == CLI_BAD) return EXIT_CODE_USAGE;
    }
    const char *folder = cli_operand(&resume, argc, argv, "a folder that a bake wrote");
    return folder ? folder_resume(folder, optind - 1, argv + 1) : EXIT_CODE_USAGE;
}
