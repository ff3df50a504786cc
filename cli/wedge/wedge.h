// SPDX-License-Identifier: Apache-2.0
/* A wedge: variants of one preset, in a folder of their own.
 *
 *     out/plume_wedge/wedge.json     the plan: preset, options, a member for each variant; nothing else decides
 *     out/plume_wedge/007/           member 7, a bake like any other
 *     out/plume_wedge/007.json       how its last run ended; 007.log: its output
 *     out/plume_wedge/wedge.png …    results over all members: wedge.mp4, wedge.csv, wedge.svg
 *
 * The plan: {"preset", "name", "set", "mute", "frames", "quick", "simd", "memory", "columns", "keys", "members":
 * [{"number", "folder", "values": {KEY: TEXT}, "hash", "memory", "cells", "first", "last", "fps"}]}. */
#ifndef BW_CLI_WEDGE_H
#define BW_CLI_WEDGE_H

#include "record/record.h"

enum { WEDGE_MEMBERS_MOST = 1000 }; ///< Slurm's default limit of an array

/* ---- values.c: parser of value lists ---- */

/// "10cm,14cm", "1..4", "10cm..20cm/3" as a list of texts. NULL after an error message that begins with `place`.
json_t *values_of(const char *text, const char *place);
/// A + `part` (B - A) of "A..B"; an integer where both are, without a unit. NULL after an error message.
json_t *value_interpolate(const char *text, double part, const char *place);

/* ---- vary.c: --vary; vary_file.c: a file of it ---- */

/// An axis is a list of choices, a choice an object {KEY: TEXT}. Adds one for "KEY=VALUES", or those of a file; an exit
/// code, after an error message unless 0.
int vary_add(json_t *axes, const char *text);
int vary_file_add(json_t *axes, const char *path);
/// All combinations, the last axis running fastest, as objects {KEY: TEXT}. NULL after an error message: too many.
json_t *vary_combine(const json_t *axes);

/* ---- plan.c ---- */

/// Open member number `i` (from 0) of a plan as a bake into its folder of `out`. 0, or an exit code after an error
/// message.
int plan_open(struct bw_session *session, const json_t *plan, size_t i, const char *out, struct bw_bake **bake);
/// Arguments of `billow bake` for that member: {"bake", PRESET, "--out", …, NULL}; new memory.
char **plan_arguments(const json_t *plan, size_t i, const char *out, int *argc);
void plan_arguments_free(char **line);
/// Fill in the members' facts from the library: "hash", "memory" and more. An exit code.
int plan_fill(struct bw_session *session, json_t *plan, const char *out);
/// Its values: "radius=10cm seed=2".
char *member_label(const json_t *plan, const json_t *member, const char *between);
/// OUT/007 and an ending.
char *member_path(const char *out, const json_t *member, const char *ending);

/* ---- member_status.c: how members ended ---- */

/// Write its exit status.
void member_exit_write(const char *out, const json_t *member, int code, const char *message, double seconds);
/// {"code", "message", "seconds"}, or NULL: there is none.
json_t *member_exit_read(const char *out, const json_t *member);
/// "done", "failed", "stopped" or "waiting"; *message (may be NULL) gets new memory or NULL.
const char *member_state(const char *out, const json_t *member, char **message);
/// A line for each that is not done on stderr; how many.
int members_report(const char *out, const json_t *plan);

/* ---- local.c, member.c: running ---- */

/// How to run.
struct wedge_run {
    const char *out, *plugin_path, *preset_path;
    const char *look, *frame; ///< of sheet and movie
    long long jobs, threads;  ///< 0: limited by cores and memory
    int force, still;
};

/// Run the members that are not done, several at once; an exit code.
int wedge_local(const struct wedge_run *r, const json_t *plan, double cores, double memory);
/// One member in this process; an exit code.
int wedge_member(const struct wedge_run *r, const json_t *plan, long long number, int requeue);

/* ---- table.c, plots.c, sheet.c: results over all members ---- */

/// Columns of a metrics.csv; free with metrics_free.
struct metrics {
    char **name;
    double *value; ///< row by row; NAN: none
    int columns, rows;
};
int metrics_read(const char *out, const json_t *member, struct metrics *m);
void metrics_free(struct metrics *m);
int metrics_column(const struct metrics *m, const char *name); ///< -1: there is none

int table_write(const char *out, const json_t *plan); ///< wedge.csv; an exit code
int plots_write(const char *out, const json_t *plan); ///< wedge.svg; an exit code
/// wedge.png, and wedge.mp4 unless `still`; `look`: options of preview; `frame`: NULL, the last. An exit code.
int sheet_write(struct bw_session *session, const char *out, const json_t *plan, const char *look, const char *frame,
                int still);

int wedge_pick(int argc, char **argv); ///< pick.c
int cmd_wedge(int argc, char **argv);

#endif
