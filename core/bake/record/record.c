// SPDX-License-Identifier: Apache-2.0
/* bake.json: what a bake was made from, whether it came to its end, and which files it wrote. The next bake into the
 * folder reads it: the same facts mean "up to date", others are refused until the user says what to do. */
#include "record.h"

#include "base/alloc.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const int32_t DIFFERENCES_SHOWN = 12;

static const char *record_text(const struct bake_record *r, const char *key)
{
    const char *text = json_string_value(json_object_get(r->root, key));
    return text ? text : "";
}

/* ---- the files of a bake ---- */

/* Names from a file that anybody may have written. */
static int path_is_inside(const char *name) { return name && *name && *name != '/' && !strstr(name, ".."); }

static int file_is_there(const char *out, const char *name)
{
    struct stat st;
    char *path = bw_printf("%s/%s", out, name);
    int there = path && stat(path, &st) == 0 && S_ISREG(st.st_mode);
    bw_free(path);
    return there;
}

static int name_compare(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* The whole ones, sorted. */
static json_t *files_list(json_t *files, const char *out)
{
    const char **name = bw_calloc((json_object_size(files) + 1) * sizeof *name), *key;
    json_t *list = name ? json_array() : NULL, *whole;
    size_t n = 0;
    json_object_foreach (files, key, whole) {
        if (list && json_is_true(whole) && file_is_there(out, key)) name[n++] = key;
    }
    if (list) qsort(name, n, sizeof *name, name_compare);
    for (size_t i = 0; i < n; i++) json_array_append_new(list, json_string(name[i]));
    bw_free(name);
    return list;
}

struct bake_record record_read(const char *out)
{
    struct bake_record r = {.files = json_object()};
    char *path = bw_printf("%s/bake.json", out);
    json_t *journal = journal_read(out), *listed, *whole;
    const char *name;
    size_t i;
    if (path) r.root = json_load_file(path, 0, NULL);
    if (!r.root && journal) r.root = json_object(); // the record is lost, the files are not
    r.complete = json_is_true(json_object_get(r.root, "complete"));
    json_array_foreach (json_object_get(r.root, "files"), i, listed) {
        name = json_string_value(listed);
        if (path_is_inside(name)) json_object_set_new(r.files, name, json_true());
    }
    json_object_foreach (journal, name, whole) {
        if (path_is_inside(name) && !json_object_get(r.files, name)) json_object_set(r.files, name, whole);
    }
    json_decref(journal);
    bw_free(path);
    return r;
}

void record_free(struct bake_record *r)
{
    json_decref(r->root);
    json_decref(r->files);
    memset(r, 0, sizeof *r);
}

/* ---- writing ---- */

void outputs_add(struct bake_outputs *o, const char *what, const char *path)
{
    struct bake_output *grown = bw_realloc(o->list, (size_t)(o->n + 1) * sizeof *grown);
    if (!grown) return;
    o->list = grown;
    grown[o->n] = (struct bake_output){bw_strdup(what), bw_strdup(path)};
    if (grown[o->n].what && grown[o->n].path) o->n++;
}

void outputs_free(struct bake_outputs *o)
{
    for (int32_t i = 0; i < o->n; i++) {
        bw_free(o->list[i].what);
        bw_free(o->list[i].path);
    }
    bw_free(o->list);
    *o = (struct bake_outputs){0};
}

int file_write(const char *path, const char *text, struct bw_diag *d)
{
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) + 1 : 0;
    char *temporary = bw_printf("%.*s.%s.part", folder, path, path + folder);
    if (!temporary) return bw_diag_error(d, NULL, BW_ERR_MEMORY, "out of memory"), 0;
    FILE *f = fopen(temporary, "w");
    int good = f != NULL;
    if (f) {
        good = fputs(text, f) >= 0 && fflush(f) == 0 && fsync(fileno(f)) == 0;
        good = fclose(f) == 0 && good;
        good = good && rename(temporary, path) == 0;
        if (!good) remove(temporary);
    }
    if (!good) bw_diag_error(d, NULL, BW_ERR_IO, "%s: can't be written: %s", path, strerror(errno));
    bw_free(temporary);
    return good;
}

static const char *path_below(const char *out, const char *path)
{
    size_t n = strlen(out);
    return path && !strncmp(path, out, n) && path[n] == '/' ? path + n + 1 : path;
}

int record_write(const struct bake_facts *f, const struct bake_outputs *o, const struct bake_journal *j, int complete,
                 struct bw_diag *d)
{
    json_t *announced = json_object(), *root;
    for (int32_t i = 0; i < o->n; i++) {
        json_object_set_new(announced, o->list[i].what, json_string(path_below(f->out, o->list[i].path)));
    }
    root = json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:[I,I], s:b, s:o, s:o}", "billow", 1, "version", BW_VERSION,
                     "preset", f->name, "hash", f->hash, "build", f->build, "simd", f->simd, "frames",
                     (json_int_t)f->first, (json_int_t)f->last, "complete", complete, "outputs", announced, "files",
                     files_list(j->files, f->out));
    char *text = root ? json_dumps(root, JSON_INDENT(1)) : NULL;
    char *path = bw_printf("%s/bake.json", f->out);
    int good = text && path ? file_write(path, text, d) : (bw_diag_error(d, NULL, BW_ERR_MEMORY, "out of memory"), 0);
    bw_free(path);
    free(text);
    json_decref(root);
    return good;
}

/* ---- comparing ---- */

static int files_exist(const struct bake_record *r, const char *out)
{
    const char *name;
    json_t *whole;
    int32_t n = 0;
    json_object_foreach (r->files, name, whole) {
        if (json_is_true(whole) && !file_is_there(out, name)) return 0;
        n += json_is_true(whole);
    }
    return n > 0;
}

int record_matches(const struct bake_record *r, const struct bake_facts *f)
{
    return !strcmp(record_text(r, "hash"), f->hash) && !strcmp(record_text(r, "build"), f->build) &&
           !strcmp(record_text(r, "simd"), f->simd);
}

int32_t record_whole(const struct bake_record *r, const char *out)
{
    static const char *const note[] = {"resolved.yaml", "bake.log", "bake.json", "metrics.csv", "timings.csv"};
    const char *name;
    json_t *whole;
    int32_t n = 0;
    json_object_foreach (r->files, name, whole) {
        int is_note = 0;
        for (size_t k = 0; k < sizeof note / sizeof *note; k++) is_note |= !strcmp(name, note[k]);
        n += !is_note && json_is_true(whole) && file_is_there(out, name);
    }
    return n;
}

int record_up_to_date(const struct bake_record *r, const struct bake_facts *f)
{
    return r->root && r->complete && record_matches(r, f) && files_exist(r, f->out);
}

void record_explain(const struct bake_record *r, const struct bake_facts *f, const struct bw_node *resolved, FILE *to)
{
    struct bw_diag ignored = {0};
    char *path = bw_printf("%s/resolved.yaml", f->out);
    struct bw_node *before = path && access(path, R_OK) == 0 ? bw_node_load(path, &ignored) : NULL;
    if (before && resolved) difference_print(to, before, resolved, DIFFERENCES_SHOWN);
    if (strcmp(record_text(r, "simd"), f->simd)) fprintf(to, "  simd: %s → %s\n", record_text(r, "simd"), f->simd);
    if (strcmp(record_text(r, "version"), BW_VERSION)) {
        fprintf(to, "  Billow: %s → %s\n", record_text(r, "version"), BW_VERSION);
    } else if (strcmp(record_text(r, "build"), f->build)) {
        fputs("  Billow or a plugin has been built anew since\n", to);
    }
    bw_node_free(before);
    bw_free(path);
    bw_diag_free(&ignored);
}

char *record_output(const struct bake_record *r, const char *out, const char *what)
{
    const char *name = json_string_value(json_object_get(json_object_get(r->root, "outputs"), what));
    return name ? bw_printf("%s/%s", out, name) : NULL;
}

double record_bytes(const struct bake_record *r, const char *out)
{
    const char *name;
    json_t *whole;
    double sum = 0;
    json_object_foreach (r->files, name, whole) {
        struct stat st;
        char *path = bw_printf("%s/%s", out, name);
        if (path && stat(path, &st) == 0) sum += (double)st.st_size;
        bw_free(path);
    }
    return sum;
}

/* ---- clearing ---- */

/* The folder that `name` lies in, or -1. Links below `out` are not followed: what they lead to is not ours. */
static int folder_open(const char *out, const char *name)
{
    int fd = open(out, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (const char *slash; fd >= 0 && (slash = strchr(name, '/')); name = slash + 1) {
        char *part = bw_printf("%.*s", (int)(slash - name), name);
        int below = part ? openat(fd, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
        bw_free(part);
        close(fd);
        fd = below;
    }
    return fd;
}

static void file_remove(const char *out, const char *name, struct bw_diag *d)
{
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    struct stat st;
    int fd = folder_open(out, name);
    if (fd < 0) return;
    if (!fstatat(fd, base, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode) && unlinkat(fd, base, 0))
        bw_diag_error(d, NULL, BW_ERR_IO, "%s/%s: can't be removed: %s", out, name, strerror(errno));
    close(fd);
}

int record_clear(const struct bake_record *r, const char *out, struct bw_diag *d)
{
    const char *name;
    json_t *whole;
    json_object_foreach (r->files, name, whole) {
        const char *slash = strrchr(name, '/');
        int folder = slash ? (int)(slash - name) + 1 : 0;
        char *half = bw_printf("%.*s.%s.part", folder, name, name + folder);
        if (half) file_remove(out, half, d);
        bw_free(half);
        // the record goes last, when the next one takes its name: killed here, the rest is still known
        if (json_is_true(whole) && strcmp(name, "bake.json") != 0) file_remove(out, name, d);
        if (d->status) return 0;
    }
    return 1;
}

/* ---- the build ---- */

/* FNV-1a, 64 bits: no adversary here, only "is it the same file". */
static uint64_t file_hash(uint64_t h, const char *path)
{
    unsigned char buffer[65536];
    FILE *f = path ? fopen(path, "rb") : NULL;
    for (size_t n; f && (n = fread(buffer, 1, sizeof buffer, f)) > 0;) {
        for (size_t i = 0; i < n; i++) h = (h ^ buffer[i]) * 0x100000001b3ull;
    }
    if (f) fclose(f);
    return h;
}

static int entry_used(const struct bw_entry *e, const struct bw_preset *p)
{
    for (int32_t k = 0; e->stage && k < p->n_stages; k++) {
        if (!strcmp(p->stage[k].type, e->id)) return 1;
    }
    for (int32_t k = 0; e->exporter && k < p->n_exports; k++) {
        if (!strcmp(p->export[k].type, e->id)) return 1;
    }
    return 0;
}

void build_hash(const struct bw_preset *p, const struct bw_registry *r, const char *library, char out[24])
{
    uint64_t h = file_hash(0xcbf29ce484222325ull, library);
    for (int32_t i = 0; i < r->n_entries; i++) {
        int again = 0;
        if (!entry_used(&r->entry[i], p)) continue;
        for (int32_t k = 0; k < i; k++) {
            again |= entry_used(&r->entry[k], p) && !strcmp(r->entry[k].path, r->entry[i].path);
        }
        if (!again) h = file_hash(h, r->entry[i].path);
    }
    snprintf(out, 24, "%016llx", (unsigned long long)h);
}
