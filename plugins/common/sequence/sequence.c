// SPDX-License-Identifier: Apache-2.0
/* Numbered files; sequence.h says what it does. */
#include "sequence.h"
#include "numbered.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A path with # is a pattern, unless a file is called just so. */
static bool is_pattern(const char *path, struct numbered *as)
{
    return numbered_pattern(name_of(path), as) && access(path, F_OK) != 0;
}

/// The files of a folder.
struct finding {
    struct bw_stage *stage;
    const char *path;
    struct numbered as;
    struct sequence *q;
    int64_t room;
    char other[256]; ///< one whose number is not as wide as the #
    bool memory;     ///< out of it
};

static bool number_add(struct finding *f, int64_t number)
{
    struct sequence *q = f->q;
    if (q->count == f->room) {
        const int64_t room = f->room ? 2 * f->room : 256;
        int64_t *grown = f->stage->host->alloc(f->stage, (size_t)room * sizeof *grown);
        if (!grown) return false;
        if (q->count) memcpy(grown, q->number, (size_t)q->count * sizeof *grown);
        f->stage->host->release(f->stage, q->number);
        q->number = grown, f->room = room;
    }
    q->number[q->count++] = number;
    return true;
}

static void file_find(const char *name, int64_t number, void *user)
{
    struct finding *f = user;
    const struct numbered *as = &f->as;
    char wanted[SEQUENCE_PATH];
    snprintf(wanted, sizeof wanted, "%.*s%0*" PRId64 "%s", (int)as->head, as->name, (int)as->digits, number,
             as->name + as->head + as->digits);
    if (strcmp(wanted, name) != 0) snprintf(f->other, sizeof f->other, "%s", name);
    else if (!number_add(f, number)) f->memory = true;
}

static int number_order(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static enum bw_status none_fail(struct bw_stage *s, const struct finding *f)
{
    if (!f->other[0]) return s->host->fail(s, BW_ERR_IO, "no file is called %s with a number for the #", f->path);
    return s->host->fail(s, BW_ERR_IO, "no file is called %s with a number as wide as the #; there is %s", f->path,
                         f->other);
}

static void gaps_tell(struct bw_stage *s, const char *path, const struct sequence *q)
{
    char first[SEQUENCE_PATH], more[40] = "";
    const int64_t missing = q->last - q->first + 1 - q->count;
    int64_t i = 1;
    if (missing <= 0) return;
    while (q->number[i] == q->number[i - 1] + 1) i++;
    sequence_path(path, q->number[i - 1] + 1, first);
    if (missing > 1) snprintf(more, sizeof more, ", and %lld more", (long long)(missing - 1));
    s->host->log(s, BW_LOG_WARNING, "%s is missing%s: %s", first, more,
                 q->outside == SEQUENCE_BLANK ? "nothing stands in" : "the file before stands in");
}

static double files_a_second(const struct bw_stage *s)
{
    const struct bw_span_api *span = s->host->extension ? s->host->extension(BW_SPAN) : NULL;
    return span ? span->files(s) : s->fps;
}

enum bw_status sequence_begin(struct bw_stage *s, const char *path, struct sequence *q)
{
    q->files = files_a_second(s);
    char folder[SEQUENCE_PATH];
    struct finding f = {.stage = s, .path = path, .q = q};
    const int length = (int)(name_of(path) - path);
    snprintf(folder, sizeof folder, "%.*s", length ? length : 2, length ? path : "./");
    q->numbered = is_pattern(path, &f.as);
    if (!q->numbered) return BW_OK;
    if (!numbered_walk(folder, &f.as, file_find, &f))
        return s->host->fail(s, BW_ERR_IO, "cannot open the folder of %s", path);
    if (f.memory) return BW_ERR_MEMORY;
    if (!q->count) return none_fail(s, &f);
    qsort(q->number, (size_t)q->count, sizeof *q->number, number_order);
    q->first = q->number[0], q->last = q->number[q->count - 1];
    gaps_tell(s, path, q);
    return BW_OK;
}

/* The last number that is there and not above n. */
static int64_t number_before(const struct sequence *q, int64_t n)
{
    int64_t lo = 0, hi = q->count;
    while (hi - lo > 1) {
        const int64_t middle = (lo + hi) / 2;
        if (q->number[middle] <= n) lo = middle;
        else hi = middle;
    }
    return q->number[lo];
}

double sequence_wanted(const struct bw_stage *s, const struct sequence *q, double frame)
{
    const double begin = round(s->frame - (s->time + s->dt) * s->fps); // frame at t = 0
    return begin + (frame - begin) * (q->files / s->fps) * q->speed + (double)q->offset;
}

int64_t sequence_number(const struct bw_stage *s, const struct sequence *q, double frame, int nearest)
{
    if (!q->numbered) return 0;
    int64_t n = (int64_t)floor(sequence_wanted(s, q, frame) + (nearest ? 0.5 : 0) + 1e-6);
    int64_t span = q->last - q->first + 1, turn = (n - q->first) % span;
    if (n < q->first || n > q->last) {
        if (q->outside == SEQUENCE_BLANK) return -1;
        if (q->outside == SEQUENCE_HOLD) return n < q->first ? q->first : q->last;
        n = q->first + (turn < 0 ? turn + span : turn);
    }
    const int64_t before = number_before(q, n);
    return before != n && q->outside == SEQUENCE_BLANK ? -1 : before;
}

int sequence_path(const char *path, int64_t number, char out[SEQUENCE_PATH])
{
    struct numbered as;
    const int length = is_pattern(path, &as)
                           ? snprintf(out, SEQUENCE_PATH, "%.*s%0*" PRId64 "%s", (int)(as.name - path) + (int)as.head,
                                      path, (int)as.digits, number, as.name + as.head + as.digits)
                           : snprintf(out, SEQUENCE_PATH, "%s", path);
    return length >= 0 && length < SEQUENCE_PATH;
}

enum bw_status sequence_file(struct bw_stage *s, const struct sequence *q, const char *path, int64_t number, int needed,
                             char out[SEQUENCE_PATH])
{
    if (!sequence_path(path, number, out)) return s->host->fail(s, BW_ERR_PRESET, "the path %.60s… is too long", path);
    if (!q->numbered || !access(out, F_OK)) return BW_OK;
    if (needed)
        return s->host->fail(s, BW_ERR_IO, "frame %g needs %s, which is not there; the sequence runs from %lld to %lld",
                             round(s->frame * 100) / 100, out, (long long)q->first, (long long)q->last);
    out[0] = 0;
    return BW_OK;
}
