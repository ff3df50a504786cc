// SPDX-License-Identifier: Apache-2.0
/* Meshes are read by another program, billow-mesh, with bounded memory and time: files of others have crashed every
 * reader there is. This is our side of that wall. Whatever happens behind it is one sentence. */
#define _GNU_SOURCE // dladdr
#include "answer_read.h"
#include "read/answer.h"

#include <common/child/child.h>
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS_LEAST 60.
#define SECONDS_A_BYTE 2e-6

/* ---- the program ---- */

/* A path from the folder of the module that `address` is in; false: there is no program. */
static bool program_beside(const void *address, const char *tail, char out[SEQUENCE_PATH])
{
    Dl_info info;
    if (!dladdr(address, &info) || !info.dli_fname) return false;
    const char *slash = strrchr(info.dli_fname, '/');
    const int folder = slash ? (int)(slash - info.dli_fname) : 1;
    const int n = snprintf(out, SEQUENCE_PATH, "%.*s/%s", folder, slash ? info.dli_fname : ".", tail);
    return n > 0 && n < SEQUENCE_PATH && !access(out, X_OK);
}

/* As the environment says, beside the plugin that this is in, or beside the library that hosts it; each as it is built,
 * and as it is installed. */
static bool program_find(struct bw_stage *s, char out[SEQUENCE_PATH])
{
    const char *named = getenv("BILLOW_MESH_READER");
    const void *host, *own;
    bool (*const self)(struct bw_stage *, char[SEQUENCE_PATH]) = program_find;
    memcpy(&host, &s->host->alloc, sizeof host); // C does not cast functions to data
    memcpy(&own, &self, sizeof own);
    if (named && snprintf(out, SEQUENCE_PATH, "%s", named) < SEQUENCE_PATH) return true;
    return program_beside(own, "../common/shape/billow-mesh", out) || program_beside(own, BW_PLUGIN_TO_MESH, out) ||
           program_beside(host, "../../plugins/common/shape/billow-mesh", out) ||
           program_beside(host, BW_LIBRARY_TO_MESH, out);
}

/* ---- listening ---- */

struct wait {
    struct bw_stage *stage;
    struct child *child;
    double until;
};

static bool wait_stop(void *user)
{
    struct wait *w = user;
    return w->stage->host->cancelled && w->stage->host->cancelled(w->stage);
}

static bool wait_take(void *user, void *out, size_t n)
{
    struct wait *w = user;
    for (size_t got = 0; got < n;) {
        const ssize_t more = child_read(w->child, (char *)out + got, n - got, w->until, wait_stop, w);
        if (more <= 0) return false;
        got += (size_t)more;
    }
    return true;
}

/* ---- what went wrong ---- */

static enum bw_status end_tell(struct bw_stage *s, const char *path, const struct wait *w, enum answer_state state,
                               int status, double seconds)
{
    const int fatal = status != -1 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (w->child->late && wait_stop((void *)w)) return BW_ERR_CANCELLED;
    if (w->child->late || fatal == SIGXCPU)
        return s->host->fail(s, BW_ERR_LIMIT, "%s takes longer than %.3g s to read", path, seconds);
    if (state == ANSWER_GARBAGE)
        return s->host->fail(s, BW_ERR_IO, "%s cannot be read: the reader of meshes answers nonsense", path);
    if (fatal == SIGKILL)
        return s->host->fail(s, BW_ERR_LIMIT, "%s cannot be read: the reader of meshes was killed (memory?)", path);
    if (fatal)
        return s->host->fail(s, BW_ERR_IO, "%s cannot be read: the reader of meshes crashed (%s)", path,
                             strsignal(fatal));
    return s->host->fail(s, BW_ERR_IO, "%s cannot be read: the reader of meshes ended without an answer", path);
}

/* Points that no face names have no say in it. */
static void box_find(struct mesh_file *f)
{
    f->box = (struct box3){{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    for (int64_t t = 0; t < f->n_triangles; t++)
        for (int c = 0; c < 3; c++)
            for (int a = 0; a < 3; a++) {
                const double x = f->point[f->triangle[t][c]][a];
                f->box.lo[a] = fmin(f->box.lo[a], x);
                f->box.hi[a] = fmax(f->box.hi[a], x);
            }
}

enum bw_status mesh_read_by(struct bw_stage *s, const char *program, double seconds, const char *path, int32_t up,
                            struct mesh_file *f)
{
    char limit[16], axis[16];
    struct child child;
    struct wait w = {s, &child, child_now() + seconds};
    struct answer_source from = {wait_take, &w};
    enum bw_status status;
    snprintf(limit, sizeof limit, "%.0f", ceil(seconds));
    snprintf(axis, sizeof axis, "%d", (int)up);
    snprintf(f->path, sizeof f->path, "%s", path);
    const char *const argv[] = {program, limit, axis, path, NULL};
    const int bad = child_start(&child, (char *const *)argv);
    if (bad)
        return s->host->fail(s, BW_ERR_LIMIT, "%s cannot be read: %s cannot be started: %s", path, program,
                             strerror(bad));
    const enum answer_state state = answer_read(s, path, &from, f, &status);
    const int end = child_end(&child);
    if (state && !status) status = end_tell(s, path, &w, state, end, seconds);
    if (!status) box_find(f);
    return status;
}

enum bw_status mesh_read(struct bw_stage *s, const char *path, int32_t up, struct mesh_file *f)
{
    char program[SEQUENCE_PATH];
    struct stat st;
    const double bytes = stat(path, &st) ? 0 : (double)st.st_size;
    if (!program_find(s, program))
        return s->host->fail(s, BW_ERR, "%s cannot be read: billow-mesh, which reads meshes, is not where Billow is",
                             path);
    return mesh_read_by(s, program, SECONDS_LEAST + SECONDS_A_BYTE * bytes, path, up, f);
}
