// SPDX-License-Identifier: Apache-2.0
/* One member of a wedge in this process: what local runs start, and a farm's array tasks. */
#include "wedge.h"

#include "bake/bake.h"
#include "farm/farm.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A preset that was edited since would make a member that belongs to no wedge. */
static int hash_check(const struct wedge_run *r, const json_t *plan, size_t i, char **message)
{
    const json_t *member = json_array_get(json_object_get(plan, "members"), i);
    struct bw_session *session = cli_session_open(r->plugin_path, r->preset_path);
    struct bw_bake *bake = NULL;
    struct bw_bake_facts f = {.size = sizeof f};
    int code = session ? plan_open(session, plan, i, r->out, &bake) : 7;
    if (code) *message = strdup(bw_error_last()->sentence);
    if (!code && bw_bake_facts(bake, &f)) code = cli_library_error();
    if (!code && strcmp(f.hash, cli_text(member, "hash"))) {
        *message = cli_printf("%s has changed since the wedge was begun", cli_text(plan, "preset"));
        fprintf(stderr, "%s\n", *message ? *message : "the preset has changed");
        code = EXIT_CODE_USAGE;
    }
    bw_bake_close(bake);
    bw_session_close(session);
    return code;
}

static void option_add(char **line, int *argc, const char *name, const char *value)
{
    line[(*argc)++] = strdup(name);
    if (value) line[(*argc)++] = strdup(value);
}

static int member_bake(const struct wedge_run *r, const json_t *plan, size_t i, char **message)
{
    int argc = 0;
    char **line = plan_arguments(plan, i, r->out, &argc), threads[32];
    if (!line) return 7;
    snprintf(threads, sizeof threads, "%lld", r->threads);
    option_add(line, &argc, r->force ? "--force" : "--resume", NULL);
    if (r->threads) option_add(line, &argc, "--threads", threads);
    if (r->plugin_path) option_add(line, &argc, "--plugin-path", r->plugin_path);
    if (r->preset_path) option_add(line, &argc, "--preset-path", r->preset_path);
    optind = 0; // getopt begins anew
    const int code = bake_run_arguments(argc, line, message);
    plan_arguments_free(line);
    return code;
}

int wedge_member(const struct wedge_run *r, const json_t *plan, long long number, int requeue)
{
    const json_t *members = json_object_get(plan, "members"), *member = json_array_get(members, (size_t)number - 1);
    char *message = NULL, *path = member ? member_path(r->out, member, ".json") : NULL;
    if (!member) return cli_usage("%s has members 1 to %zu, not %lld", r->out, json_array_size(members), number);
    if (path) unlink(path); // a run that is killed leaves none
    const double begun = cli_clock_seconds();
    const int movie = *cli_text(plan, "movie") != 0;
    int code = movie ? movie_member(plan, member, r->out, &message) : hash_check(r, plan, (size_t)number - 1, &message);
    if (!code && !movie) code = member_bake(r, plan, (size_t)number - 1, &message);
    member_exit_write(r->out, member, code, message, cli_clock_seconds() - begun);
    if (requeue && code == 75) farm_requeue(r->out);
    free(message);
    free(path);
    return code;
}
