// SPDX-License-Identifier: Apache-2.0
/* Submit a wedge: a job array with a task for each member that is not done, then a task for sheet, movie and table. */
#include "farm.h"

#include "wedge/wedge.h"

#include <stdlib.h>
#include <string.h>

/* "1-4,7": members to bake, as sbatch has them; NULL: none. */
static char *array_ranges(const struct wedge_run *r, const json_t *plan)
{
    const json_t *members = json_object_get(plan, "members");
    const size_t count = json_array_size(members);
    char *text = NULL;
    size_t size, found = 0;
    FILE *f = open_memstream(&text, &size);
    for (size_t i = 0; f && i < count; i++) {
        size_t last = i;
        while (last < count && (r->force || strcmp(member_state(r->out, json_array_get(members, last), NULL), "done")))
            last++;
        if (last == i) continue;
        fprintf(f, last - i > 1 ? "%s%zu-%zu" : "%s%zu", found++ ? "," : "", i + 1, last);
        i = last;
    }
    if (f) fclose(f);
    if (found) return text;
    free(text);
    return NULL;
}

static void maxima_find(struct farm_task *t, const json_t *plan)
{
    const json_t *one;
    size_t i;
    json_array_foreach (json_object_get(plan, "members"), i, one) {
        const double frames = cli_number(one, "before") + cli_number(one, "last") - cli_number(one, "first") + 1;
        if (cli_number(one, "memory") > t->memory) t->memory = cli_number(one, "memory");
        if (cli_number(one, "cells") > t->cells) t->cells = cli_number(one, "cells");
        if (frames > t->frames) t->frames = frames;
    }
}

static char *command_make(const struct wedge_run *r, const json_t *site, int collect)
{
    const char *const value[] = {r->plugin_path, r->preset_path, collect ? r->look : NULL, collect ? r->frame : NULL};
    static const char *const name[] = {"plugin-path", "preset-path", "look", "frame"};
    char *text = NULL, *folder = farm_absolute(r->out), *quoted = folder ? farm_quote(site, folder) : NULL;
    size_t size;
    FILE *f = quoted ? open_memstream(&text, &size) : NULL;
    if (!f) return NULL;
    fprintf(f, "wedge %s", quoted);
    if (collect) fprintf(f, " --collect%s", r->still ? " --still" : "");
    else fputs(" --member \"$SLURM_ARRAY_TASK_ID\" --requeue --threads \"$SLURM_CPUS_PER_TASK\"", f);
    if (!collect && r->force) fputs(" $([ \"${SLURM_RESTART_COUNT:-0}\" = 0 ] && echo --force)", f);
    for (size_t i = 0; i < 4; i++) {
        char *word = value[i] ? farm_quote(site, value[i]) : NULL;
        if (word) fprintf(f, " --%s %s", name[i], word);
        free(word);
    }
    fclose(f);
    free(folder);
    free(quoted);
    return text;
}

/* The array, then what follows it. */
static int wedge_submit(const struct wedge_run *r, const json_t *site, const json_t *plan, const char *array)
{
    const size_t count = json_array_size(json_object_get(plan, "members"));
    char *job = NULL, *collect = NULL;
    struct farm_task t = {.out = r->out, .script = "members.sbatch", .name = cli_text(plan, "name"), .array = array};
    t.log = count > 999 ? "%4a.log" : "%3a.log";
    t.command = command_make(r, site, 0);
    maxima_find(&t, plan);
    int code = t.command ? farm_script_write(site, &t) : 7;
    if (!code) code = farm_submit(r->out, t.script, &job);
    free(t.command);
    if (code) return code;
    struct farm_task after = {.out = r->out, .script = "collect.sbatch", .name = cli_text(plan, "name"), .after = job};
    after.log = "farm/collect.log";
    after.command = command_make(r, site, 1);
    after.cells = t.cells;
    after.frames = (double)count;
    code = after.command ? farm_script_write(site, &after) : 7;
    if (!code) code = farm_submit(r->out, after.script, &collect);
    free(after.command);
    const int noted = farm_job_write(r->out, job, collect);
    if (!code) code = noted;
    char *word = cli_quote_path(r->out);
    farm_job_print(job);
    fprintf(stderr,
            "%s: job %s, members %s, by %s/farm/members.sbatch\nnext:\n  billow status %s --follow\n"
            "  billow cancel %s\n",
            r->out, job, array, r->out, word ? word : "", word ? word : "");
    free(word);
    free(job);
    free(collect);
    return code;
}

int farm_wedge(const struct farm_options *w, const struct wedge_run *r, const json_t *plan)
{
    int code;
    json_t *site = farm_site(w, &code);
    char *array = array_ranges(r, plan);
    if (!code && farm_ranks(site) > 1)
        code = cli_usage("ranks=%d is for one bake: a member of an array is one process, of as many cores as --ask "
                         "cores says",
                         farm_ranks(site));
    if (!code) code = farm_busy(r->out);
    if (!code && !array) fprintf(stderr, "%s: all members are done\n", r->out);
    else if (!code) code = wedge_submit(r, site, plan, array);
    free(array);
    json_decref(site);
    return code;
}
