// SPDX-License-Identifier: Apache-2.0
/* Submit a bake. Each frame depends on the one before it, so it is one job, of one process or several
 * (`--ask ranks=4`). */
#include "farm.h"

#include <stdlib.h>
#include <string.h>

/* Refuse now what the job would refuse later. -1: up to date. */
static int folder_check(const struct farm_bake *b, const char *out, const json_t *folder)
{
    const int holds = json_is_true(json_object_get(folder, "holds")),
              same = json_is_true(json_object_get(folder, "same")),
              complete = json_is_true(json_object_get(folder, "complete"));
    if (b->mode == BW_BAKE_REPLACE) return EXIT_CODE_OK;
    if (holds && same && complete && !json_array_size(json_object_get(folder, "damaged"))) {
        fprintf(stderr, "%s is up to date (--force bakes it again)\n", out);
        return -1;
    }
    if (holds && !same && !b->from_frame) {
        fprintf(stderr,
                "%s holds a different bake\n%s--force replaces it, --new bakes beside it, --out DIR elsewhere\n", out,
                cli_text(folder, "differences"));
        return EXIT_CODE_USAGE;
    }
    if (holds && b->mode != BW_BAKE_RESUME)
        return cli_usage("%s holds an unfinished bake of this preset: --resume goes on with it, --force bakes it anew",
                         out);
    if (!holds && cli_number(folder, "strangers") > 0)
        return cli_usage("%s holds files in its way that no record lists: --force takes their names", out);
    return EXIT_CODE_OK;
}

static void option_print(FILE *f, const json_t *site, const char *name, const char *value)
{
    if (!value) return;
    char *quoted = farm_quote(site, value);
    fprintf(f, " --%s %s", name, quoted ? quoted : "");
    free(quoted);
}

/* The first run may use --force; a requeued one resumes. */
static char *command_make(const struct farm_bake *b, const json_t *site, const char *out)
{
    char *text = NULL, *folder = farm_absolute(out), *preset = cli_printf("%s/farm/preset.yaml", folder),
         *quoted = farm_quote(site, preset);
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f || !quoted) return NULL;
    fprintf(f, "bake %s", quoted);
    option_print(f, site, "out", folder);
    if (b->mode == BW_BAKE_REPLACE)
        fputs(" $([ \"${SLURM_RESTART_COUNT:-0}\" = 0 ] && echo --force || echo --resume)", f);
    else fputs(" --resume", f);
    if (b->overcommit) fputs(" --overcommit", f);
    fputs(" --requeue --threads \"$SLURM_CPUS_PER_TASK\"", f);
    option_print(f, site, "frames", b->frames);
    option_print(f, site, "from-frame", b->from_frame);
    option_print(f, site, "memory", b->memory);
    option_print(f, site, "simd", b->simd);
    option_print(f, site, "plugin-path", b->plugin_path);
    option_print(f, site, "preset-path", b->preset_path);
    fclose(f);
    free(folder);
    free(preset);
    free(quoted);
    return text;
}

/// Without its command.
static struct farm_task task_of(const json_t *site, const struct bw_bake_facts *facts, const json_t *all)
{
    return (struct farm_task){.out = facts->out,
                              .script = "bake.sbatch",
                              .name = facts->name,
                              .log = "farm/bake.log",
                              .cells = cli_number(all, "cells"),
                              .frames = cli_number(all, "before") + (double)(facts->last - facts->first + 1),
                              .memory = facts->memory,
                              .ranks = farm_ranks(site),
                              .whole = *cli_text(all, "whole_on_ranks") != '\0'};
}

static int bake_submit(const struct farm_bake *b, const json_t *site, const struct bw_bake_facts *facts,
                       const json_t *all)
{
    char *preset = cli_printf("%s/farm/preset.yaml", facts->out), *job = NULL;
    struct farm_task t = task_of(site, facts, all);
    t.command = command_make(b, site, facts->out);
    int code = preset && t.command ? cli_write_file(preset, cli_text(all, "resolved")) : 7;
    if (!code) code = farm_script_write(site, &t);
    if (!code) code = farm_submit(facts->out, t.script, &job);
    if (!code) code = farm_job_write(facts->out, job, NULL);
    if (!code) {
        farm_job_print(job);
        char *word = cli_quote_path(facts->out);
        fprintf(stderr, "%s: job %s, by %s/farm/bake.sbatch\nnext:\n  billow status %s\n  billow cancel %s\n",
                facts->out, job, facts->out, word ? word : "", word ? word : "");
        free(word);
    }
    free(preset);
    free(t.command);
    free(job);
    return code;
}

int farm_dry_run(const struct farm_options *w, struct bw_bake *bake)
{
    struct bw_bake_facts facts = {.size = sizeof facts};
    int code;
    json_t *site = farm_site(w, &code);
    if (!site) return code;
    json_t *all = bw_bake_facts(bake, &facts) ? NULL : cli_json(bw_bake_describe(bake));
    if (all) {
        const struct farm_task t = task_of(site, &facts, all);
        farm_resources_print(stdout, site, &t);
    } else code = cli_library_error();
    json_decref(all);
    json_decref(site);
    return code;
}

int farm_submit_bake(const struct farm_options *w, const struct farm_bake *b)
{
    struct bw_bake_facts facts = {.size = sizeof facts};
    int code;
    json_t *site = farm_site(w, &code);
    if (!site) return code;
    json_t *all = bw_bake_facts(b->bake, &facts) ? NULL : cli_json(bw_bake_describe(b->bake));
    if (!all) code = cli_library_error();
    if (!code) code = folder_check(b, facts.out, json_object_get(all, "folder"));
    if (!code && b->tasks > 1) {
        code = farm_split(w, b, &facts, all);
        json_decref(all);
        json_decref(site);
        return code;
    }
    if (!code) code = cli_folder_make(facts.out);
    if (!code) code = farm_busy(facts.out);
    if (!code) code = bake_submit(b, site, &facts, all);
    json_decref(all);
    json_decref(site);
    return code < 0 ? EXIT_CODE_OK : code;
}
