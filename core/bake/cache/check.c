// SPDX-License-Identifier: Apache-2.0
/* Is a finished cache whole: every frame there, every file readable to its end, the same grids in each. */
#include "record/record.h"
#include "session/session.h"

#include <common/openvdb/bwvdb.h>
#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct frame_file {
    char *path, *stem; /* stem: the path up to the number */
    long long number;
};

struct cache {
    struct frame_file *file;
    size_t n;
    json_t *sequences, *problems;
};

static void cache_add(struct cache *c, const char *folder, const char *name)
{
    size_t n = strlen(name), digits = 0;
    if (n < 5 || strcmp(name + n - 4, ".vdb") || name[0] == '.') return;
    while (digits < n - 4 && name[n - 5 - digits] >= '0' && name[n - 5 - digits] <= '9') digits++;
    struct frame_file *grown = digits ? bw_realloc(c->file, (c->n + 1) * sizeof *grown) : NULL;
    if (!grown) return;
    c->file = grown;
    c->file[c->n++] =
        (struct frame_file){bw_printf("%s/%s", folder, name), bw_printf("%s/%.*s", folder, (int)(n - 4 - digits), name),
                            strtoll(name + n - 4 - digits, NULL, 10)};
}

static void cache_scan(struct cache *c, const char *folder)
{
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir));) cache_add(c, folder, e->d_name);
    if (dir) closedir(dir);
}

static int frame_compare(const void *a, const void *b)
{
    const struct frame_file *x = a, *y = b;
    int stem = strcmp(x->stem, y->stem);
    return stem ? stem : (x->number > y->number) - (x->number < y->number);
}

static void cache_complain(struct cache *c, const char *format, ...)
{
    char text[1200];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    json_array_append_new(c->problems, json_bytes(text));
}

/* Every grid is loaded: a file cut short fails here, not in the host. `names`: the first file's grids. */
static void file_check(struct cache *c, const struct frame_file *f, char **names)
{
    struct bwvdb_error why = {{0}};
    struct bwvdb_file *file = NULL;
    if (bwvdb_open(f->path, &file, &why) != BWVDB_OK) {
        cache_complain(c, "%s", why.text);
        return;
    }
    for (int32_t g = 0; g < bwvdb_count(file); g++) {
        if (bwvdb_grid_info(file, g)->comps && bwvdb_load(file, g, &why) != BWVDB_OK) {
            cache_complain(c, "%s", why.text);
            break;
        }
    }
    if (!*names) *names = bw_strdup(bwvdb_names(file));
    else if (strcmp(*names, bwvdb_names(file)))
        cache_complain(c, "%s: has other grids than the first frame: %s", f->path, bwvdb_names(file));
    bwvdb_close(file);
}

static void sequence_check(struct cache *c, size_t begin, size_t end)
{
    char *names = NULL;
    long long missing = 0;
    for (size_t i = begin; i < end; i++) {
        long long gap = i > begin ? c->file[i].number - c->file[i - 1].number - 1 : 0;
        if (gap > 0) {
            cache_complain(c, "%s####.vdb: frames %lld-%lld are missing", c->file[i].stem, c->file[i - 1].number + 1,
                           c->file[i].number - 1);
            missing += gap;
        }
        if (gap < 0) cache_complain(c, "%s: is frame %lld, as another file is", c->file[i].path, c->file[i].number);
        file_check(c, &c->file[i], &names);
    }
    json_array_append_new(c->sequences,
                          json_pack("{s:o, s:I, s:I, s:I, s:I, s:o}", "stem", json_bytes(c->file[begin].stem), "first",
                                    (json_int_t)c->file[begin].number, "last", (json_int_t)c->file[end - 1].number,
                                    "files", (json_int_t)(end - begin), "missing", (json_int_t)missing, "grids",
                                    json_bytes(names ? names : "")));
    bw_free(names);
}

/* Against bake.json: what was promised. */
static void promise_check(struct cache *c, const char *folder)
{
    char *path = bw_printf("%s/bake.json", folder);
    json_t *note = path ? json_load_file(path, 0, NULL) : NULL, *frames = json_object_get(note, "frames");
    if (note && !json_is_true(json_object_get(note, "complete"))) {
        cache_complain(c, "%s: %s", folder, "the bake did not come to its end");
    }
    if (frames && c->n) {
        long long first = json_integer_value(json_array_get(frames, 0)),
                  last = json_integer_value(json_array_get(frames, 1));
        for (size_t i = 0; i < c->n; i++) {
            int starts = !i || strcmp(c->file[i].stem, c->file[i - 1].stem) != 0;
            int ends = i + 1 == c->n || strcmp(c->file[i].stem, c->file[i + 1].stem) != 0;
            if (starts && c->file[i].number != first)
                cache_complain(c, "%s: %s", c->file[i].stem, "the first frames are missing");
            if (ends && c->file[i].number != last)
                cache_complain(c, "%s: %s", c->file[i].stem, "the last frames are missing");
        }
    }
    json_decref(note);
    bw_free(path);
}

/* Against the sizes and sums that the bake noted. */
static void files_check(struct cache *c, const char *folder)
{
    struct bake_record r = record_read(folder);
    json_t *bad = record_verify(&r, folder, true), *one;
    size_t i;
    json_array_foreach (bad, i, one) {
        char *file = bw_printf("%s/%s", folder, json_string_value(json_object_get(one, "name")));
        if (file) cache_complain(c, "%s: %s", file, json_string_value(json_object_get(one, "words")));
        bw_free(file);
    }
    json_decref(bad);
    record_free(&r);
}

static json_t *folder_check(const char *folder)
{
    struct cache c = {.sequences = json_array(), .problems = json_array()};
    char *below = bw_printf("%s/vdb", folder);
    cache_scan(&c, folder);
    if (below) cache_scan(&c, below);
    bw_free(below);
    if (c.n) qsort(c.file, c.n, sizeof *c.file, frame_compare);
    else cache_complain(&c, "%s: %s", folder, "holds no numbered .vdb file, nor does its folder vdb");
    for (size_t begin = 0, i = 1; c.n && i <= c.n; i++) {
        if (i < c.n && !strcmp(c.file[i].stem, c.file[begin].stem)) continue;
        sequence_check(&c, begin, i);
        begin = i;
    }
    promise_check(&c, folder);
    files_check(&c, folder);
    for (size_t i = 0; i < c.n; i++) {
        bw_free(c.file[i].path);
        bw_free(c.file[i].stem);
    }
    bw_free(c.file);
    return json_pack("{s:o, s:o}", "sequences", c.sequences, "problems", c.problems);
}

char *bw_cache_check(const char *folder)
{
    struct door door;
    door_enter(&door);
    if (!folder) bw_diag_error(&door.d, NULL, BW_ERR_USAGE, "bw_cache_check wants a folder");
    char *text = folder ? json_text(folder_check(folder), JSON_INDENT(1), &door.d) : NULL;
    door_leave(&door);
    return text;
}
