// SPDX-License-Identifier: Apache-2.0
/* Bakes and wedges on a render farm, by Slurm's own commands. OUT/farm/ beside the cache has the submitted script,
 * which can be edited, and job.json with the job's number. */
#ifndef BW_CLI_FARM_H
#define BW_CLI_FARM_H

#include "cli.h"

struct wedge_run;

/// The command line's options for a farm.
struct farm_options {
    const char *on, *site;
    json_t *ask; ///< {"time": "2:00:00", …}: before the site's, and those before the estimate's
};

// clang-format off
#define FARM_OPTIONS                                                                                               \
    {"on", "slurm", "submit it to Slurm instead of running it here", 'O'},                                         \
    {"site", "FILE", "the farm's paths, modules, container and limits (see docs/farm.md)", 'T'},                   \
    {"ask", "KEY=VALUE", "time, memory, cores, ranks, partition …, instead of the site's or the estimate", 'K'}
#define FARM_TASKS {"tasks", "N", "with --on slurm: N tasks over the frames, where each of these stands alone", 'k'}
// clang-format on

/* ---- farm_site.c ---- */

/// Take an option of FARM_OPTIONS; an exit code, after an error message unless 0.
int farm_option(struct farm_options *w, int code, const char *text);
void farm_options_free(struct farm_options *w);
/// Is --site or --ask given where nothing is submitted? An exit code.
int farm_options_check(const struct farm_options *w);
/// The site file with the options' own on top: {"billow", "modules", "setup", "container", "paths", "ask"}; NULL after
/// an error message, with its exit code in *code.
json_t *farm_site(const struct farm_options *w, int *code);

/// Processes ("ranks") that one bake is asked to be made by; 1: as ever.
int farm_ranks(const json_t *site);

/* ---- farm_script.c ---- */

/// What a task is to do, and what that may cost.
struct farm_task {
    const char *out;                        ///< folder of the cache, as the user wrote it
    const char *script;                     ///< file name in OUT/farm
    const char *name, *array, *after, *log; ///< array, after: NULL, or as sbatch has them; log: below OUT
    char *command;                          ///< the program's words, as a shell reads them
    double cells, frames, memory;           ///< of a task
    int ranks;                              ///< processes that make it together; 0 and 1: one
    int whole;                              ///< 1: stages run whole on each of them
};

/// Words for a shell: quoted, and by the site's paths where they are absolute; new memory.
char *farm_quote(const json_t *site, const char *text);
/// Where a file or folder lies, from the root on; new memory, or NULL: there is none.
char *farm_absolute(const char *path);
/// What a task asks for, as lines of its script.
void farm_resources_print(FILE *f, const json_t *site, const struct farm_task *t);
/// Write OUT/farm/SCRIPT; an exit code.
int farm_script_write(const json_t *site, const struct farm_task *t);

/* ---- farm_slurm.c ---- */

/// Run a command of Slurm's; its output is in *output (new memory). Its exit code; -1: it is not installed.
int farm_command(const char *const *line, char **output);
/// Submit OUT/farm/SCRIPT; *job gets its number (new memory). An exit code, after an error message unless 0.
int farm_submit(const char *out, const char *script, char **job);
/// Rows of squeue for the jobs of OUT: a list of {"id", "task", "state", "reason", "node"}. NULL after an error
/// message.
json_t *farm_queue(const json_t *job);
/// OUT/farm/job.json; 0 and NULL: there is none. Else an exit code after an error message.
int farm_job_read(const char *out, json_t **job);
/// Print its number.
void farm_job_print(const char *job);
int farm_job_write(const char *out, const char *job, const char *collect);
/// A submitted job of OUT still is in the queue, or can't be asked for: an exit code, after an error message unless 0.
int farm_busy(const char *out);
/// In a task that was stopped with a checkpoint: back into the queue, unless it was cancelled.
void farm_requeue(const char *out);

/* ---- farm_bake.c, farm_wedge.c ---- */

/// A bake that has been opened and is to be submitted.
struct farm_bake {
    struct bw_session *session;
    struct bw_bake *bake;
    uint32_t mode;   ///< enum bw_bake_mode
    long long tasks; ///< over which its frames go; 0: one
    const char *frames, *memory, *simd, *from_frame, *plugin_path, *preset_path;
    uint32_t overcommit;
};
int farm_submit_bake(const struct farm_options *w, const struct farm_bake *b);
/// Print what a bake, in one task, would ask Slurm for; an exit code, after an error message unless 0.
int farm_dry_run(const struct farm_options *w, struct bw_bake *bake);
int farm_wedge(const struct farm_options *w, const struct wedge_run *r, const json_t *plan);

/* ---- farm_split.c, gather.c: one bake over several tasks ---- */

int farm_split(const struct farm_options *w, const struct farm_bake *b, const struct bw_bake_facts *facts,
               const json_t *all);
/// What the tasks have made, in OUT; an exit code.
int farm_gather(const char *out, const json_t *plan);

int cmd_status(int argc, char **argv); /* status.c */
int cmd_cancel(int argc, char **argv); /* cancel.c */

/* ---- farm_movie.c: a movie over several tasks ---- */

/// What preview asks for.
struct farm_movie {
    const char *out; ///< NAME.mp4
    json_t *options;
    long long tasks;
};
/// `cache`: what bw_cache_describe says of it, inside too.
int farm_movie(const struct farm_options *w, const struct farm_movie *m, const json_t *cache);
/// One part; an exit code, *message (new memory): its error.
int movie_member(const json_t *plan, const json_t *member, const char *out, char **message);
int movie_gather(const char *out, const json_t *plan);

#endif
