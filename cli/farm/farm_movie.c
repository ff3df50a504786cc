// SPDX-License-Identifier: Apache-2.0
/* A movie over several tasks. Each draws and encodes a range of frames; a task after them joins the parts, to the same
 * bytes as one task makes. The parts are members of a wedge in NAME.parts/. */
#include "farm.h"

#include "wedge/wedge.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- submitting ---- */

static json_t *members_make(const json_t *cache, long long tasks)
{
    json_t *members = json_array();
    const double count = cli_number(cache, "count");
    double cells = 1;
    for (size_t a = 0; a < 3; a++)
        cells *= cli_number_at(cache, "last_voxel", a) - cli_number_at(cache, "first_voxel", a) + 1;
    for (long long i = 0; i < tasks; i++) {
        char folder[24], part[64];
        snprintf(folder, sizeof folder, tasks > 999 ? "%04lld" : "%03lld", i + 1);
        snprintf(part, sizeof part, "%lld/%lld", i + 1, tasks);
        json_array_append_new(members, json_pack("{s:I, s:s, s:{s:s}, s:i, s:f, s:f, s:f}", "number", (json_int_t)i + 1,
                                                 "folder", folder, "values", "part", part, "first", 1, "last",
                                                 ceil(count / (double)tasks), "cells", cells, "memory", 40 * cells));
    }
    return members;
}

static json_t *plan_make(const struct farm_movie *m, const json_t *cache, const char *what, const char *out)
{
    char *name = cli_name(cli_text(cache, "name"));
    json_t *plan = json_pack("{s:i, s:b, s:s, s:s, s:s, s:O, s:[s], s:o}", "billow", 1, "split", 1, "preset", what,
                             "name", name ? name : "", "movie", out, "options", m->options, "keys", "part", "members",
                             members_make(cache, m->tasks));
    free(name);
    return plan;
}

/* Other options mean another movie, which is refused; finished parts of the same movie are kept. */
static int plan_store(const char *folder, const json_t *plan)
{
    json_t *old;
    int code = wedge_record_read(folder, &old);
    char *path = cli_printf("%s/wedge.json", folder), *text = json_dumps(plan, JSON_INDENT(1));
    if (!path || !text) code = 7;
    if (!code && old && !json_equal(old, plan))
        code = cli_usage("%s holds the parts of another movie: remove it, or name another one with --out", folder);
    if (!code) code = cli_write_file(path, text);
    json_decref(old);
    free(path);
    free(text);
    return code;
}

/* In what folder a path lies, from the root on, and its name there. */
static char *path_whole(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? cli_printf("%.*s", (int)(slash - path + 1), path) : strdup("."),
         *whole = folder ? farm_absolute(folder) : NULL,
         *out = whole ? cli_printf("%s/%s", whole, slash ? slash + 1 : path) : NULL;
    free(folder);
    free(whole);
    return out;
}

int farm_movie(const struct farm_options *w, const struct farm_movie *m, const json_t *cache)
{
    char *out = path_whole(m->out), *what = path_whole(cli_text(cache, "pattern")),
         *parts = cli_printf("%.*s.parts", (int)strlen(m->out) - 4, m->out), *folder = cli_printf("%s/farm", parts);
    json_t *plan = out && what ? plan_make(m, cache, what, out) : NULL;
    const struct wedge_run run = {.out = parts};
    int code = plan ? cli_folder_make(folder) : cli_usage("%s: there is no such folder", m->out);
    if (!code) code = farm_busy(parts);
    if (!code) code = plan_store(parts, plan);
    if (!code) code = farm_wedge(w, &run, plan);
    json_decref(plan);
    free(folder);
    free(parts);
    free(what);
    free(out);
    return code;
}

/* ---- in a task ---- */

static char *part_path(const char *out, const json_t *member) { return member_path(out, member, ".mp4"); }

static int32_t on_frame(int32_t done, int32_t total, void *user)
{
    (void)user;
    fprintf(stderr, "frame %d/%d \n", done, total);
    return 1;
}

int movie_member(const json_t *plan, const json_t *member, const char *out, char **message)
{
    json_t *o = json_copy(json_object_get(plan, "options"));
    json_object_set(o, "part", json_object_get(json_object_get(member, "values"), "part"));
    char *options = json_dumps(o, JSON_REAL_PRECISION(17)), *path = part_path(out, member);
    struct bw_session *session = cli_session_open(NULL, NULL);
    struct bw_cache *cache = NULL;
    const struct bw_movie_wish wish = {.size = sizeof wish, .options = options, .out = path, .on_frame = on_frame};
    int code = session && path ? EXIT_CODE_OK : 7;
    if (!code && (bw_cache_open(session, cli_text(plan, "preset"), &cache) || bw_cache_movie(cache, &wish))) {
        *message = strdup(bw_error_last()->sentence);
        code = cli_library_error();
    }
    bw_cache_close(cache);
    bw_session_close(session);
    json_decref(o);
    free(options);
    free(path);
    return code;
}

/* ---- after them ---- */

/* NAME.mp4 beside NAME.parts: where the record says it lies may be anywhere. New memory; NULL: these are no parts. */
static char *movie_path(const char *out)
{
    char *whole = farm_absolute(out), *path = NULL;
    const size_t n = whole ? strlen(whole) : 0, ending = strlen(".parts");
    if (n > ending && !strcmp(whole + n - ending, ".parts")) path = cli_printf("%.*s.mp4", (int)(n - ending), whole);
    if (!path) cli_usage("%s: the parts of a movie lie in NAME.parts beside NAME.mp4", out);
    free(whole);
    return path;
}

int movie_gather(const char *out, const json_t *plan)
{
    const json_t *members = json_object_get(plan, "members"), *member;
    char *to = movie_path(out);
    if (!to) return EXIT_CODE_USAGE;
    char **part = calloc(json_array_size(members) + 1, sizeof *part), *fresh = cli_printf("%s/movie.mp4", out);
    int32_t n = 0;
    size_t i;
    int code = part && fresh ? EXIT_CODE_OK : 7;
    json_array_foreach (members, i, member) {
        struct stat st;
        if (strcmp(member_state(out, member, NULL), "done")) code = code ? code : EXIT_CODE_FAILURE;
        if (!code && !(part[n] = part_path(out, member))) code = 7;
        // of more parts than there is for, some are empty
        if (!code && !lstat(part[n], &st) && S_ISREG(st.st_mode) && st.st_size > 0) n++;
        else if (part) free(part[n]), part[n] = NULL;
    }
    if (!code) unlink(fresh);
    if (!code && bw_film_join((const char *const *)part, n, fresh)) code = cli_library_error();
    if (!code && rename(fresh, to)) {
        fprintf(stderr, "%s: can't be written: %s\n", to, strerror(errno));
        code = cli_exit_code(BW_ERR_IO);
    }
    if (!code) fprintf(stderr, "%s\n", to);
    while (part && n > 0) free(part[--n]);
    free(part);
    free(fresh);
    free(to);
    return code;
}
