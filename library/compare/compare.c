// SPDX-License-Identifier: Apache-2.0
#include "compare.h"

#include "session/session.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { DEPTH_MOST = 16 }; ///< folders below each other

/* ---- two files ---- */

/* 1: equal bytes; 0: *at is the first that differs; -1: one can't be read, which is reported. */
static int bytes_same(const struct file_pair *c, long long *at)
{
    static const size_t CHUNK = 65536;
    char *buffer = bw_calloc(2 * CHUNK);
    FILE *f[2] = {fopen(c->a, "rb"), fopen(c->b, "rb")};
    int same = f[0] && f[1] && buffer ? 1 : -1;
    if (same < 0) difference_add(c, "unreadable", NULL, "can't be read: %s", strerror(errno));
    *at = 0;
    for (size_t n = 1; same == 1 && n > 0;) {
        n = fread(buffer, 1, CHUNK, f[0]);
        size_t m = fread(buffer + CHUNK, 1, CHUNK, f[1]), i = 0;
        while (i < n && i < m && buffer[i] == buffer[CHUNK + i]) i++;
        *at += (long long)i;
        same = i == n && i == m;
    }
    for (int i = 0; i < 2; i++)
        if (f[i]) fclose(f[i]);
    bw_free(buffer);
    return same;
}

static const struct {
    const char *ending;
    void (*compare)(const struct file_pair *c);
} kinds[] = {{".vdb", compare_vdb}, {".png", compare_png}, {".exr", compare_exr}};

static bool is_link(const char *path)
{
    struct stat st;
    return !lstat(path, &st) && S_ISLNK(st.st_mode);
}

static void files_compare(const struct file_pair *c)
{
    long long at = 0;
    size_t before = json_array_size(c->differences), n = strlen(c->name);
    if (bytes_same(c, &at)) return;
    const bool quoted = !is_link(c->a) && !is_link(c->b); // who made the folder may not read what a link leads to
    for (size_t i = 0; quoted && i < sizeof kinds / sizeof *kinds; i++) {
        size_t e = strlen(kinds[i].ending);
        if (n < e || strcasecmp(c->name + n - e, kinds[i].ending)) continue;
        kinds[i].compare(c);
        break;
    }
    if (json_array_size(c->differences) == before)
        difference_add(c, "bytes", json_pack("{s:I}", "byte", (json_int_t)at + 1), "differs from byte %lld on", at + 1);
}

/* ---- two folders ---- */

/* Hidden files, and those that differ in every run, are left out. */
static bool is_compared(const char *name)
{
    static const char *const volatile_files[] = {"bake.json", "bake.log", "timings.csv", "bake.journal", "checkpoints"};
    for (size_t i = 0; i < sizeof volatile_files / sizeof *volatile_files; i++)
        if (!strcmp(name, volatile_files[i])) return false;
    return name[0] != '.';
}

/* Names of all files in `folder`, below it too, as keys; folders that are links are not entered. */
static void folder_list(json_t *names, const char *folder, const char *below, int depth)
{
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        struct stat st;
        char *path = bw_printf("%s/%s", folder, e->d_name), *name = bw_printf("%s%s", below, e->d_name);
        char *inside = bw_printf("%s/", name ? name : "");
        bool known = path && name && inside && is_compared(e->d_name) && !lstat(path, &st);
        if (known && S_ISDIR(st.st_mode) && depth < DEPTH_MOST) folder_list(names, path, inside, depth + 1);
        if (known && !S_ISDIR(st.st_mode) && !stat(path, &st) && S_ISREG(st.st_mode))
            json_object_set_new_nocheck(names, name, json_true());
        bw_free(path);
        bw_free(name);
        bw_free(inside);
    }
    if (dir) closedir(dir);
}

static int text_compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Keys of both, sorted, new memory. */
static const char **names_join(const json_t *a, json_t *b, size_t *n)
{
    const char *key, **list = bw_calloc((json_object_size(a) + json_object_size(b) + 1) * sizeof *list);
    json_t *value;
    *n = 0;
    json_object_foreach ((json_t *)a, key, value)
        if (list) list[(*n)++] = key;
    json_object_foreach (b, key, value)
        if (list && !json_object_get(a, key)) list[(*n)++] = key;
    if (list) qsort(list, *n, sizeof *list, text_compare);
    return list;
}

static void name_compare(const char *a, const char *b, const char *name, bool in_a, bool in_b, json_t *differences)
{
    char *path_a = bw_printf("%s/%s", a, name), *path_b = bw_printf("%s/%s", b, name);
    struct file_pair c = {name, path_a, path_b, differences};
    if (in_a && in_b && path_a && path_b) files_compare(&c);
    else if (in_a) difference_add(&c, "only-a", NULL, "is in %s alone", a);
    else difference_add(&c, "only-b", NULL, "is in %s alone", b);
    bw_free(path_a);
    bw_free(path_b);
}

/* Returns how many files were compared. */
static size_t folders_compare(const char *a, const char *b, json_t *differences)
{
    json_t *in_a = json_object(), *in_b = json_object();
    size_t n = 0;
    folder_list(in_a, a, "", 0);
    folder_list(in_b, b, "", 0);
    const char **names = names_join(in_a, in_b, &n);
    for (size_t i = 0; i < n; i++)
        name_compare(a, b, names[i], json_object_get(in_a, names[i]), json_object_get(in_b, names[i]), differences);
    bw_free(names);
    json_decref(in_a);
    json_decref(in_b);
    return n;
}

/* ---- the call ---- */

/* 0: a file, 1: a folder, -1: neither, with an error in `d`. */
static int path_kind(const char *path, struct bw_diag *d)
{
    struct stat st;
    if (stat(path, &st)) return bw_diag_error(d, NULL, BW_ERR_USAGE, "%s: %s", path, strerror(errno)), -1;
    if (S_ISDIR(st.st_mode)) return 1;
    if (S_ISREG(st.st_mode)) return 0;
    return bw_diag_error(d, NULL, BW_ERR_USAGE, "%s is no file and no folder", path), -1;
}

static char *cache_compare(const char *a, const char *b, struct bw_diag *d)
{
    int kind_a = path_kind(a, d), kind_b = kind_a < 0 ? -1 : path_kind(b, d);
    if (kind_a < 0 || kind_b < 0) return NULL;
    if (kind_a != kind_b)
        return bw_diag_error(d, NULL, BW_ERR_USAGE, "%s is a folder, %s a file: compare two of a kind", kind_a ? a : b,
                             kind_a ? b : a),
               NULL;
    json_t *differences = json_array();
    size_t files = 1;
    const char *slash = strrchr(b, '/');
    if (kind_a) files = folders_compare(a, b, differences);
    else files_compare(&(struct file_pair){slash ? slash + 1 : b, a, b, differences});
    return json_text(json_pack("{s:o, s:o, s:b, s:I, s:o}", "a", json_bytes(a), "b", json_bytes(b), "equal",
                               json_array_size(differences) == 0, "files", (json_int_t)files, "differences",
                               differences),
                     JSON_INDENT(1), d);
}

char *bw_cache_compare(const char *a, const char *b)
{
    struct api_call api;
    api_enter(&api);
    if (!a || !b) bw_diag_error(&api.d, NULL, BW_ERR_USAGE, "bw_cache_compare wants two folders, or two files");
    char *text = a && b ? cache_compare(a, b, &api.d) : NULL;
    api_leave(&api);
    return text;
}
