// SPDX-License-Identifier: Apache-2.0
#define _XOPEN_SOURCE 700
#include "since.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- values ---- */

static int64_t earlier(int64_t a, int64_t b) { return a < b ? a : b; }

/// "A-B" or "A"; 0: it is neither.
static int frames_read(const json_t *v, int64_t out[2])
{
    const char *text = json_string_value(v);
    char *end;
    if (!text) return 0;
    out[0] = out[1] = strtoll(text, &end, 10);
    if (end == text) return 0;
    if (*end == '-') out[1] = strtoll(text = end + 1, &end, 10);
    return end != text && !*end;
}

/// Frames of a stage or of all: they begin alike, and are alike until the first of both ends.
static int64_t frames_since(const json_t *a, const json_t *b)
{
    int64_t x[2], y[2];
    if (!frames_read(a, x) || !frames_read(b, y) || x[0] != y[0]) return INT64_MIN;
    return earlier(x[1], y[1]);
}

struct key {
    double frame;
    const json_t *value;
};

static int key_order(const void *x, const void *y)
{
    const struct key *a = x, *b = y;
    return a->frame < b->frame ? -1 : a->frame > b->frame;
}

/// In the order of frames, then one of NULL; new memory.
static struct key *keys_of(const json_t *curve)
{
    json_t *keys = json_object_get(curve, "keys"), *v;
    const char *name;
    size_t n = 0;
    struct key *out = calloc(json_object_size(keys) + 1, sizeof *out);
    if (out)
        json_object_foreach (keys, name, v) out[n++] = (struct key){strtod(name, NULL), v};
    if (out) qsort(out, n, sizeof *out, key_order);
    return out;
}

/// Between two keys each has its say, so that a curve changes after the last key that both have. A frame earlier than
/// that: what moves has a velocity, too.
static int64_t keys_since(const struct key *a, const struct key *b)
{
    int i = 0;
    while (a[i].value && b[i].value && a[i].frame == b[i].frame && json_equal(a[i].value, b[i].value)) i++;
    if (!a[i].value && !b[i].value) return INT64_MAX;
    return i ? (int64_t)floor(a[i - 1].frame) : INT64_MIN;
}

static int64_t curve_since(const json_t *a, const json_t *b)
{
    struct key *x = keys_of(a), *y = keys_of(b);
    const int alike =
        x && y && json_object_size(a) == json_object_size(b) &&
        (!json_object_get(a, "ease") || json_equal(json_object_get(a, "ease"), json_object_get(b, "ease")));
    const int64_t since = alike ? keys_since(x, y) : INT64_MIN;
    free(x);
    free(y);
    return since;
}

static int64_t values_since(const char *key, const json_t *a, const json_t *b);

static int64_t objects_since(const json_t *a, const json_t *b)
{
    const char *key;
    json_t *v;
    int64_t since = INT64_MAX;
    if (json_object_get(a, "keys") && json_object_get(b, "keys")) return curve_since(a, b);
    if (json_object_size(a) != json_object_size(b)) return INT64_MIN;
    json_object_foreach ((json_t *)(uintptr_t)a, key, v)
        since = earlier(since, values_since(key, v, json_object_get(b, key)));
    return since;
}

static int64_t values_since(const char *key, const json_t *a, const json_t *b)
{
    int64_t since = INT64_MAX;
    if (a && b && json_equal(a, b)) return INT64_MAX;
    if (json_is_object(a) && json_is_object(b)) return objects_since(a, b);
    if (!strcmp(key, "frames")) return frames_since(a, b);
    if (!json_is_array(a) || !json_is_array(b) || json_array_size(a) != json_array_size(b)) return INT64_MIN;
    for (size_t i = 0; i < json_array_size(a); i++)
        since = earlier(since, values_since("", json_array_get(a, i), json_array_get(b, i)));
    return since;
}

int64_t since_frame(const json_t *before, const json_t *after)
{
    static const char *const apart[] = {"export", "look", "camera", "name"}; // no part of the flow
    json_t *a = json_copy((json_t *)(uintptr_t)before), *b = json_copy((json_t *)(uintptr_t)after);
    for (size_t i = 0; i < sizeof apart / sizeof *apart; i++) {
        json_object_del(a, apart[i]);
        json_object_del(b, apart[i]);
    }
    const int64_t since = a && b ? objects_since(a, b) : INT64_MIN;
    json_decref(a);
    json_decref(b);
    return since;
}

/* ---- folders ---- */

static int file_copy(int from, int to, const char *name)
{
    char block[1 << 14];
    const int in = openat(from, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    const int out = in < 0 ? -1 : openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    ssize_t n = out < 0 ? -1 : 1;
    while (n > 0 && (n = read(in, block, sizeof block)) > 0)
        if (write(out, block, (size_t)n) != n) n = -1;
    if (in >= 0) close(in);
    if (out >= 0) close(out);
    return !n;
}

/// Tables and notes are copied; what lies in a folder inside is large, and written once.
static int entries_take(int from, int to, int deep)
{
    DIR *dir = fdopendir(dup(from));
    int good = dir != NULL;
    for (const struct dirent *e; good && (e = readdir(dir));) {
        struct stat st;
        if (*e->d_name == '.' || fstatat(from, e->d_name, &st, AT_SYMLINK_NOFOLLOW)) continue;
        if (S_ISREG(st.st_mode)) {
            good = deep ? !linkat(from, e->d_name, to, e->d_name, 0) : file_copy(from, to, e->d_name);
        } else if (S_ISDIR(st.st_mode) && !deep) {
            const int below = openat(from, e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
            const int made =
                mkdirat(to, e->d_name, 0777) ? -1 : openat(to, e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
            good = below >= 0 && made >= 0 && entries_take(below, made, 1);
            if (below >= 0) close(below);
            if (made >= 0) close(made);
        }
    }
    if (dir) closedir(dir);
    return good;
}

int since_folder(const char *from, const char *to)
{
    const int a = open(from, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int b = a < 0 || mkdir(to, 0777) ? -1 : open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int good = b >= 0 && entries_take(a, b, 0);
    if (a >= 0) close(a);
    if (b >= 0) close(b);
    return good;
}
