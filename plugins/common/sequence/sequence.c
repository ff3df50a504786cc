// SPDX-License-Identifier: Apache-2.0
/* Numbered files; sequence.h says what it does. */
#include "sequence.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

size_t sequence_hashes(const char *path, size_t *at)
{
    const char *slash = strrchr(path, '/'), *end = strrchr(slash ? slash : path, '#');
    if (!end) return 0;
    const char *begin = end;
    while (begin > path && begin[-1] == '#') begin--;
    *at = (size_t)(begin - path);
    return (size_t)(end - begin) + 1;
}

/* The number that `name` carries between `head` and `tail`, or -1. */
static int64_t name_number(const char *name, const char *head, size_t n_head, const char *tail)
{
    size_t n = strlen(name), n_tail = strlen(tail);
    if (n <= n_head + n_tail || strncmp(name, head, n_head) || strcmp(name + n - n_tail, tail)) return -1;
    size_t digits = strspn(name + n_head, "0123456789");
    return digits == n - n_head - n_tail && digits < 18 ? strtoll(name + n_head, NULL, 10) : -1;
}

enum bw_status sequence_scan(struct bw_stage *s, const char *path, struct sequence *q)
{
    size_t at = 0, run = sequence_hashes(path, &at);
    const char *slash = strrchr(path, '/'), *head = slash ? slash + 1 : path;
    char folder[SEQUENCE_PATH];
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 2, slash ? path : "./");
    q->first = INT64_MAX, q->last = -1;
    DIR *d = opendir(folder);
    if (!d) return s->host->fail(s, BW_ERR_IO, "cannot open the folder of %s", path);
    for (struct dirent *entry; (entry = readdir(d));) {
        int64_t n = name_number(entry->d_name, head, at - (size_t)(head - path), path + at + run);
        if (n >= 0 && n < q->first) q->first = n;
        if (n > q->last) q->last = n;
    }
    closedir(d);
    return q->last < 0 ? s->host->fail(s, BW_ERR_IO, "no file is called %s with a number for the #", path) : BW_OK;
}

int64_t sequence_number(const struct bw_stage *s, const struct sequence *q, double frame, int nearest)
{
    double begin = round(s->frame - (s->time + s->dt) * s->fps); // frame at t = 0
    int64_t n = (int64_t)floor(begin + (frame - begin) * q->speed + (nearest ? 0.5 : 0) + 1e-6) + q->offset;
    int64_t span = q->last - q->first + 1, turn = (n - q->first) % span;
    if (n >= q->first && n <= q->last) return n;
    if (q->outside == SEQUENCE_BLANK) return -1;
    if (q->outside == SEQUENCE_HOLD) return n < q->first ? q->first : q->last;
    return q->first + (turn < 0 ? turn + span : turn);
}

int sequence_path(const char *path, int64_t number, char out[SEQUENCE_PATH])
{
    size_t at = 0, run = sequence_hashes(path, &at);
    int length =
        run ? snprintf(out, SEQUENCE_PATH, "%.*s%0*" PRId64 "%s", (int)at, path, (int)run, number, path + at + run)
            : snprintf(out, SEQUENCE_PATH, "%s", path);
    return length >= 0 && length < SEQUENCE_PATH;
}

enum bw_status sequence_file(struct bw_stage *s, const struct sequence *q, const char *path, int64_t number, int needed,
                             char out[SEQUENCE_PATH])
{
    if (!sequence_path(path, number, out)) return s->host->fail(s, BW_ERR_PRESET, "the path %.60s… is too long", path);
    if (!q || !access(out, F_OK)) return BW_OK;
    if (needed)
        return s->host->fail(s, BW_ERR_IO, "frame %g needs %s, which is not there; the sequence runs from %lld to %lld",
                             round(s->frame * 100) / 100, out, (long long)q->first, (long long)q->last);
    out[0] = 0;
    return BW_OK;
}
