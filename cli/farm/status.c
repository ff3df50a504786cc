// SPDX-License-Identifier: Apache-2.0
/* `billow status FOLDER`: state of a submitted bake or wedge, from Slurm's queue and from its folder. */
#include "farm.h"

#include "wedge/wedge.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct cli_option options[] = {
    {"follow", NULL, "again every few seconds, until nothing of it is in the queue", 'f'},
    {"json", NULL, "JSON on stdout", 'j'},
};

const struct cli_command command_status = {
    .name = "status",
    .synopsis = "FOLDER [options]",
    .brief = "How far a bake or a wedge is that was submitted to a farm.",
    .details =
        "FOLDER is that of the bake or wedge, out/plume. Exit code 0: done, or on its way; 1: something failed or\n"
        "was stopped, and is not in the queue.\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = cmd_status,
};

/// Status of one member, or of the bake.
struct status_row {
    const char *state;     ///< "done", "failed", "stopped", "waiting", "running", "queued"
    int frames, total;     ///< made and to make
    char *message, *where; ///< new memory, or NULL
};

/* The last "frame 37/120" in the log's tail, warm-up included; metrics.csv lags behind. */
static void frames_from_log(struct status_row *s, const char *out, const char *log)
{
    char tail[4097];
    FILE *f = record_open_text(out, log, SIZE_MAX);
    size_t n = 0;
    if (f && !fseek(f, 0, SEEK_END)) {
        const long end = ftell(f);
        fseek(f, end > 4096 ? end - 4096 : 0, SEEK_SET);
        n = fread(tail, 1, sizeof tail - 1, f);
    }
    tail[n] = '\0';
    for (const char *line = tail; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        sscanf(line, "frame %d/%d ", &s->frames, &s->total);
    }
    if (f) fclose(f);
}

static const json_t *row_of(const json_t *queue, const char *job, int task)
{
    const json_t *row;
    size_t i;
    json_array_foreach (queue, i, row) {
        const char *id = cli_text(row, "id");
        if (!strncmp(id, job, strlen(job)) && (!id[strlen(job)] || id[strlen(job)] == '_') &&
            (int)cli_number(row, "task") == task)
            return row;
    }
    return NULL;
}

static void status_from_queue(struct status_row *s, const json_t *row)
{
    if (!row) return;
    const char *state = cli_text(row, "state"), *reason = cli_text(row, "reason"), *node = cli_text(row, "node");
    s->state = !strcmp(state, "PENDING") ? "queued" : "running";
    s->where = !strcmp(state, "PENDING") ? strdup(reason) : strdup(node);
    free(s->message);
    s->message = NULL;
}

static void status_row_print(const struct status_row *s, const char *name, const char *words, json_t *list)
{
    if (list) {
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:i, s:i, s:s?, s:s?}", "name", name, "words", words,
                                              "state", s->state, "frames", s->frames, "of", s->total, "message",
                                              s->message, "where", s->where));
        return;
    }
    printf("%-6s %-8s %d/%d  %s%s%s%s%s\n", name, s->state, s->frames, s->total, words, s->where ? "  " : "",
           s->where ? s->where : "", s->message ? ": " : "", s->message ? s->message : "");
}

static int is_bad(const struct status_row *s) { return !strcmp(s->state, "failed") || !strcmp(s->state, "stopped"); }

static int wedge_status_print(const char *out, const json_t *plan, const json_t *job, const json_t *queue, json_t *list)
{
    const json_t *member;
    size_t i;
    int bad = 0;
    json_array_foreach (json_object_get(plan, "members"), i, member) {
        struct status_row s = {.total = (int)(cli_number(member, "last") - cli_number(member, "first")) + 1};
        char *log = cli_printf("%s.log", cli_text(member, "folder")), *words = member_label(plan, member, " ");
        s.state = member_state(out, member, &s.message);
        if (log) frames_from_log(&s, out, log);
        status_from_queue(&s, row_of(queue, cli_text(job, "job"), (int)i + 1));
        // killed without a word, and not in the queue: it will not go on by itself
        if (!strcmp(s.state, "waiting"))
            s.state = s.frames ? "stopped" : "failed", s.message = strdup("it ended without a status");
        status_row_print(&s, cli_text(member, "folder"), words ? words : "", list);
        bad += is_bad(&s);
        free(log);
        free(words);
        free(s.message);
        free(s.where);
    }
    return bad;
}

static int bake_status_print(const char *out, const json_t *job, const json_t *queue, json_t *list)
{
    json_t *record;
    if (record_read(out, "bake.json", &record)) return 1;
    struct status_row s = {.state = json_is_true(json_object_get(record, "complete")) ? "done" : "stopped"};
    const double total = cli_number_at(record, "frames", 1) - cli_number_at(record, "frames", 0) + (record != NULL);
    s.total = total > 0 && total < 1e9 ? (int)total : 0;
    frames_from_log(&s, out, "farm/bake.log");
    status_from_queue(&s, row_of(queue, cli_text(job, "job"), 0));
    status_row_print(&s, cli_text(job, "job"), out, list);
    const int bad = is_bad(&s);
    json_decref(record);
    free(s.where);
    return bad;
}

/* Once: *left gets how much of it is in the queue. An exit code. */
static int status_print(const char *out, int json, size_t *left)
{
    json_t *job, *plan = NULL;
    int code = farm_job_read(out, &job);
    if (!code) code = wedge_record_read(out, &plan);
    json_t *queue = job && !code ? farm_queue(job) : NULL, *list = json ? json_array() : NULL;
    *left = json_array_size(queue);
    if (code) {
    } else if (!job) code = cli_usage("%s was not submitted to a farm: there is no %s/farm/job.json", out, out);
    else if (!queue) code = EXIT_CODE_FAILURE;
    else if (plan ? wedge_status_print(out, plan, job, queue, list) : bake_status_print(out, job, queue, list))
        code = EXIT_CODE_FAILURE;
    if (list && queue) cli_json_print(list, JSON_INDENT(1));
    json_decref(list);
    json_decref(job);
    json_decref(plan);
    json_decref(queue);
    return code;
}

int cmd_status(int argc, char **argv)
{
    const struct timespec moment = {5, 0};
    int code, follow = 0, json = 0;
    size_t left;
    while ((code = cli_option_next(&command_status, argc, argv)) != CLI_END) {
        if (code < 0) return code == CLI_HELP ? EXIT_CODE_OK : EXIT_CODE_USAGE;
        follow |= code == 'f';
        json |= code == 'j';
    }
    const char *out = cli_operand(&command_status, argc, argv, "a folder that was submitted");
    if (!out) return EXIT_CODE_USAGE;
    for (;;) {
        code = status_print(out, json, &left);
        if (!follow || !left) return code;
        fflush(cli_out());
        nanosleep(&moment, NULL);
        if (!json) puts("");
    }
}
