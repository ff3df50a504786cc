// SPDX-License-Identifier: Apache-2.0
/* Slurm's commands: sbatch, squeue, scancel, scontrol. */
#include "farm.h"

#include "record/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- commands ---- */

static char *pipe_read(int fd)
{
    char *text = NULL, piece[4096];
    size_t size;
    FILE *f = open_memstream(&text, &size);
    for (ssize_t n; f && ((n = read(fd, piece, sizeof piece)) > 0 || (n < 0 && errno == EINTR));)
        if (n > 0) fwrite(piece, 1, (size_t)n, f);
    if (f) fclose(f);
    return text;
}

int farm_command(const char *const *line, char **output)
{
    int pipes[2], status = 0;
    *output = NULL;
    if (pipe(pipes)) return -1;
    const pid_t pid = fork();
    if (!pid) {
        dup2(pipes[1], STDOUT_FILENO);
        dup2(pipes[1], STDERR_FILENO);
        close(pipes[0]);
        close(pipes[1]);
        execvp(line[0], (char *const *)line);
        _exit(127);
    }
    close(pipes[1]);
    if (pid > 0) *output = pipe_read(pipes[0]);
    close(pipes[0]);
    if (pid < 0) return -1;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    return code == 127 && (!*output || !**output) ? -1 : code;
}

/* Print the last line of its output, which has the reason. */
static int command_failed(int code, const char *name, char *output)
{
    if (code < 0) return fprintf(stderr, "billow: there is no Slurm here: %s can't be run\n", name), EXIT_CODE_FAILURE;
    size_t n = output ? strlen(output) : 0;
    while (n && output[n - 1] == '\n') output[--n] = '\0';
    const char *last = output ? strrchr(output, '\n') : NULL;
    fprintf(stderr, "billow: Slurm has refused it: %s\n", last ? last + 1 : output ? output : name);
    return EXIT_CODE_FAILURE;
}

static int is_number(const char *text) { return *text && strlen(text) < 20 && !text[strspn(text, "0123456789")]; }

int farm_submit(const char *out, const char *script, char **job)
{
    char *path = cli_printf("%s/farm/%s", out, script), *output = NULL;
    const char *const line[] = {"sbatch", "--parsable", "--", path, NULL};
    int code = path ? farm_command(line, &output) : -1;
    *job = NULL;
    if (code) code = command_failed(code, "sbatch", output);
    else {
        output[strcspn(output, ";\n")] = '\0'; // NUMBER;CLUSTER
        if (is_number(output)) *job = strdup(output);
        else
            code = (fprintf(stderr, "billow: sbatch answers \"%s\", which is no job's number\n", output),
                    EXIT_CODE_FAILURE);
    }
    free(output);
    free(path);
    return code;
}

/* ---- the queue ---- */

/* "12_7|RUNNING|None|n2", of an array that waits as a whole "12_[3-9]" unless -r takes it apart. */
static void row_add(json_t *rows, char *line)
{
    char *id = strsep(&line, "|"), *state = strsep(&line, "|"), *reason = strsep(&line, "|"), *node = line;
    if (!state || !reason || !node) return;
    const char *under = strchr(id, '_');
    json_array_append_new(rows, json_pack("{s:s, s:i, s:s, s:s, s:s}", "id", id, "task", under ? atoi(under + 1) : 0,
                                          "state", state, "reason", reason, "node", node));
}

json_t *farm_queue(const json_t *job)
{
    const char *collect = cli_text(job, "collect");
    char *list = cli_printf("--jobs=%s%s%s", cli_text(job, "job"), *collect ? "," : "", collect), *output;
    const char *const line[] = {"squeue", "--noheader", "--array", "--format=%i|%T|%r|%N", list, NULL};
    int code = farm_command(line, &output);
    json_t *rows = json_array();
    // one that is long gone is no mistake
    if (code && !(output && strstr(output, "Invalid job id"))) {
        command_failed(code, "squeue", output);
        json_decref(rows);
        rows = NULL;
    }
    for (char *rest = output, *one; rows && !code && rest && (one = strsep(&rest, "\n"));)
        if (*one) row_add(rows, one);
    free(output);
    free(list);
    return rows;
}

/* They become words of Slurm's commands. */
static int number_check(const char *out, const json_t *job, const char *key, int needed)
{
    const struct record_place place = {.folder = out, .name = "farm/job.json", .key = {key}, .depth = 1};
    const char *text = json_string_value(json_object_get(job, key));
    if (text ? is_number(text) || (!*text && !needed) : !json_object_get(job, key) && !needed) return EXIT_CODE_OK;
    return record_error(&place, "has to be a job's number, as a text");
}

int farm_job_read(const char *out, json_t **job)
{
    int code = record_read(out, "farm/job.json", job);
    if (*job && (number_check(out, *job, "job", 1) || number_check(out, *job, "collect", 0))) {
        code = cli_exit_code(BW_ERR_PRESET);
        json_decref(*job);
        *job = NULL;
    }
    return code;
}

void farm_job_print(const char *job)
{
    json_t *event = json_pack("{s:i, s:s, s:s}", "billow", 1, "event", "submitted", "job", job);
    if (!cli_is_json()) printf("%s\n", job);
    else if (event) cli_json_print(event, JSON_COMPACT);
    json_decref(event);
}

int farm_job_write(const char *out, const char *job, const char *collect)
{
    json_t *o = json_pack("{s:s, s:s}", "job", job, "collect", collect ? collect : "");
    char *path = cli_printf("%s/farm/job.json", out), *text = json_dumps(o, JSON_INDENT(1)),
         *cancelled = cli_printf("%s/farm/cancelled", out);
    const int code = path && text ? cli_write_file(path, text) : 7;
    if (cancelled) unlink(cancelled);
    json_decref(o);
    free(path);
    free(text);
    free(cancelled);
    return code;
}

int farm_busy(const char *out)
{
    json_t *job;
    int code = farm_job_read(out, &job);
    json_t *rows = job ? farm_queue(job) : NULL;
    if (job && !rows) code = EXIT_CODE_FAILURE;
    if (json_array_size(rows))
        code = cli_usage("%s: job %s is in the queue still: `billow status` shows it, `billow cancel` removes it", out,
                         cli_text(job, "job"));
    json_decref(job);
    json_decref(rows);
    return code ? code : record_folder(out, "farm");
}

void farm_requeue(const char *out)
{
    const char *job = getenv("SLURM_JOB_ID");
    char *cancelled = cli_printf("%s/farm/cancelled", out), *output = NULL;
    const char *const line[] = {"scontrol", "requeue", job, NULL};
    // where Slurm has requeued it already it says so, which is as good
    if (job && cancelled && access(cancelled, F_OK)) farm_command(line, &output);
    free(cancelled);
    free(output);
}
