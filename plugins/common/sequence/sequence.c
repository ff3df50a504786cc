// SPDX-License-Identifier: Apache-2.0
/* Numbered files; sequence.h says what it does. */
#include "sequence.h"
#include "numbered.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
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

static void range_widen(const char *name, int64_t number, void *user)
{
    struct sequence *q = user;
    (void)name;
    if (number < q->first) q->first = number;
    if (number > q->last) q->last = number;
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
    struct numbered as;
    const int length = (int)(name_of(path) - path);
    snprintf(folder, sizeof folder, "%.*s", length ? length : 2, length ? path : "./");
    q->numbered = is_pattern(path, &as);
    if (!q->numbered) return BW_OK;
    q->first = INT64_MAX, q->last = -1;
    if (!numbered_walk(folder, &as, range_widen, q))
        return s->host->fail(s, BW_ERR_IO, "cannot open the folder of %s", path);
    return q->last < 0 ? s->host->fail(s, BW_ERR_IO, "no file is called %s with a number for the #", path) : BW_OK;
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
    if (n >= q->first && n <= q->last) return n;
    if (q->outside == SEQUENCE_BLANK) return -1;
    if (q->outside == SEQUENCE_HOLD) return n < q->first ? q->first : q->last;
    return q->first + (turn < 0 ? turn + span : turn);
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
