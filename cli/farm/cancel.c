// SPDX-License-Identifier: Apache-2.0
/* `billow cancel FOLDER`: remove the job from the queue; a running one writes a checkpoint first. */
#include "farm.h"

#include "record/record.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

const struct cli_command command_cancel = {
    .name = "cancel",
    .synopsis = "FOLDER",
    .brief = "Take a bake or a wedge that was submitted out of the queue.",
    .details = "What runs is stopped and keeps a checkpoint: the command that submitted it, with --resume, goes on.\n",
    .options = (const struct cli_option[]){{NULL, NULL, NULL, 0}},
    .n_options = 0,
    .run = cmd_cancel,
};

static int job_cancel(const char *out, const json_t *job)
{
    const char *collect = cli_text(job, "collect");
    const char *const line[] = {"scancel", "--", cli_text(job, "job"), *collect ? collect : NULL, NULL};
    char *note = cli_printf("%s/farm/cancelled", out), *output = NULL;
    int code = note ? record_folder(out, "farm") : 7;
    if (!code) code = cli_write_file(note, ""); // tasks that are stopped do not go back into the queue
    if (!code && (code = farm_command(line, &output))) {
        if (code < 0) fputs("billow: there is no Slurm here: scancel can't be run\n", stderr);
        else fprintf(stderr, "billow: Slurm has refused it: %s", output ? output : "\n");
        code = EXIT_CODE_FAILURE;
    }
    if (!code) fprintf(stderr, "%s: job %s is cancelled\n", out, cli_text(job, "job"));
    free(note);
    free(output);
    return code;
}

int cmd_cancel(int argc, char **argv)
{
    int code;
    while ((code = cli_option_next(&command_cancel, argc, argv)) != CLI_END)
        if (code < 0) return code == CLI_HELP ? EXIT_CODE_OK : EXIT_CODE_USAGE;
    const char *out = cli_operand(&command_cancel, argc, argv, "a folder that was submitted");
    json_t *job;
    if (!out) return EXIT_CODE_USAGE;
    if ((code = farm_job_read(out, &job))) return code;
    if (!job) return cli_usage("%s was not submitted to a farm: there is no %s/farm/job.json", out, out);
    code = job_cancel(out, job);
    json_decref(job);
    return code;
}
