// SPDX-License-Identifier: Apache-2.0
/* bake.json: what a bake was made from, whether it came to its end, and which files it wrote. The next bake into the
 * folder reads it: the same facts mean "up to date", others are refused until the user says what to do. */
#include "bake.h"

#include "base/alloc.h"
#include <dirent.h>
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

struct bake_record record_read(const char *out)
{
    struct bake_record r = {0};
    char *path = bw_printf("%s/bake.json", out);
    if (path) r.root = json_load_file(path, 0, NULL);
    r.complete = json_is_true(json_object_get(r.root, "complete"));
    bw_free(path);
    return r;
}

void record_free(struct bake_record *r)
{
    json_decref(r->root);
    memset(r, 0, sizeof *r);
}

/* ---- the files of a bake ---- */

/* Calls visit(path below `root`, facts, user) for every plain file. */
struct walk {
    const char *root;
    void (*visit)(const char *name, const struct stat *st, void *user);
    void *user;
};

static void folder_walk(const struct walk *w, const char *below, int depth)
{
    char *path = bw_printf("%s/%s", w->root, below);
    DIR *dir = path ? opendir(path) : NULL;
    for (struct dirent *e; dir && (e = readdir(dir));) {
        struct stat st;
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
        char *name = bw_printf("%s%s%s", below, *below ? "/" : "", e->d_name);
        char *full = name ? bw_printf("%s/%s", w->root, name) : NULL;
        if (full && lstat(full, &st) == 0) {
            if (S_ISDIR(st.st_mode) && depth < 4) folder_walk(w, name, depth + 1);
            else if (S_ISREG(st.st_mode)) w->visit(name, &st, w->user);
        }
        bw_free(full);
        bw_free(name);
    }
    if (dir) closedir(dir);
    bw_free(path);
}

struct collect {
    json_t *list;
    struct timespec since;
};

static int is_temporary(const char *name)
{
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    size_t n = strlen(base);
    return base[0] == '.' && n > 5 && !strcmp(base + n - 5, ".part");
}

static void file_collect(const char *name, const struct stat *st, void *user)
{
    const struct collect *c = user;
    int younger = st->st_mtim.tv_sec > c->since.tv_sec ||
                  (st->st_mtim.tv_sec == c->since.tv_sec && st->st_mtim.tv_nsec >= c->since.tv_nsec);
    if (younger && !is_temporary(name)) json_array_append_new(c->list, json_string(name));
}

static int name_compare(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static json_t *list_sorted(json_t *list)
{
    size_t n = json_array_size(list);
    const char **name = bw_calloc((n + 1) * sizeof *name);
    json_t *sorted = name ? json_array() : NULL;
    for (size_t i = 0; sorted && i < n; i++) name[i] = json_string_value(json_array_get(list, i));
    if (sorted) qsort(name, n, sizeof *name, name_compare);
    for (size_t i = 0; sorted && i < n; i++) json_array_append_new(sorted, json_string(name[i]));
    bw_free(name);
    if (!sorted) return list;
    json_decref(list);
    return sorted;
}

static json_t *files_since(const char *out, const char *since)
{
    struct stat st;
    char *path = bw_printf("%s/%s", out, since);
    struct collect c = {json_array(), {0, 0}};
    if (path && stat(path, &st) == 0) {
        c.since = st.st_mtim;
        folder_walk(&(struct walk){out, file_collect, &c}, "", 0);
    }
    bw_free(path);
    return list_sorted(c.list);
}

/* ---- writing ---- */

static const char *path_below(const char *out, const char *path)
{
    size_t n = strlen(out);
    return path && !strncmp(path, out, n) && path[n] == '/' ? path + n + 1 : path;
}

int record_write(const struct bake_facts *f, const struct bake_progress *p, const char *since, int complete,
                 struct bw_diag *d)
{
    json_t *announced = json_object(), *root;
    for (int32_t i = 0; i < p->n_outputs; i++) {
        json_object_set_new(announced, p->output[i].what, json_string(path_below(f->out, p->output[i].path)));
    }
    root = json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:[I,I], s:b, s:o, s:o}", "billow", 1, "version", BW_VERSION,
                     "preset", f->name, "hash", f->hash, "build", f->build, "simd", f->simd, "frames",
                     (json_int_t)f->first, (json_int_t)f->last, "complete", complete, "outputs", announced, "files",
                     files_since(f->out, since));
    char *text = root ? json_dumps(root, JSON_INDENT(1)) : NULL;
    char *path = bw_printf("%s/bake.json", f->out);
    int good =
        text && path ? cli_write_file(path, text, d) : (bw_diag_error(d, NULL, BW_ERR_MEMORY, "out of memory"), 0);
    bw_free(path);
    free(text);
    json_decref(root);
    return good;
}

/* ---- comparing ---- */

static int files_exist(const struct bake_record *r, const char *out)
{
    size_t i;
    json_t *name, *files = json_object_get(r->root, "files");
    int all = 1;
    json_array_foreach (files, i, name) {
        char *path = bw_printf("%s/%s", out, json_string_value(name));
        all = all && path && access(path, R_OK) == 0;
        bw_free(path);
    }
    return all && json_array_size(files) > 0;
}

int record_matches(const struct bake_record *r, const struct bake_facts *f)
{
    return !strcmp(record_text(r, "hash"), f->hash) && !strcmp(record_text(r, "build"), f->build) &&
           !strcmp(record_text(r, "simd"), f->simd);
}

int record_has_outputs(const struct bake_record *r)
{
    static const char *const note[] = {"resolved.yaml", "bake.log", "bake.json", "metrics.csv"};
    size_t i;
    json_t *name;
    json_array_foreach (json_object_get(r->root, "files"), i, name) {
        int is_note = 0;
        for (int k = 0; k < 4; k++) is_note |= !strcmp(json_string_value(name), note[k]);
        if (!is_note) return 1;
    }
    return 0;
}

int record_up_to_date(const struct bake_record *r, const struct bake_facts *f)
{
    return r->root && r->complete && record_matches(r, f) && files_exist(r, f->out);
}

void record_explain(const struct bake_record *r, const struct bake_facts *f, const struct bw_node *resolved)
{
    struct bw_diag ignored = {0};
    char *path = bw_printf("%s/resolved.yaml", f->out);
    struct bw_node *before = path && access(path, R_OK) == 0 ? bw_node_load(path, &ignored) : NULL;
    if (before && resolved) difference_print(stderr, before, resolved, DIFFERENCES_SHOWN);
    if (strcmp(record_text(r, "simd"), f->simd)) fprintf(stderr, "  simd: %s → %s\n", record_text(r, "simd"), f->simd);
    if (strcmp(record_text(r, "version"), BW_VERSION)) {
        fprintf(stderr, "  Billow: %s → %s\n", record_text(r, "version"), BW_VERSION);
    } else if (strcmp(record_text(r, "build"), f->build)) {
        fputs("  Billow or a plugin has been built anew since\n", stderr);
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
    size_t i;
    json_t *name;
    double sum = 0;
    json_array_foreach (json_object_get(r->root, "files"), i, name) {
        struct stat st;
        char *path = bw_printf("%s/%s", out, json_string_value(name));
        if (path && stat(path, &st) == 0) sum += (double)st.st_size;
        bw_free(path);
    }
    return sum;
}

/* ---- clearing ---- */

static int path_is_inside(const char *name) { return name && *name && *name != '/' && !strstr(name, ".."); }

/* A killed bake had no time to list its frames: NAME_0001.vdb and the like are known by their names. */
static void leftover_remove(const char *name, const struct stat *st, void *user)
{
    const struct bake_facts *f = user;
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    size_t n = strlen(f->name);
    (void)st;
    int frame = !strncmp(base, f->name, n) && base[n] == '_';
    if (frame) {
        size_t digits = strspn(base + n + 1, "0123456789");
        frame = digits > 0 && (!strcmp(base + n + 1 + digits, ".vdb") || !strcmp(base + n + 1 + digits, ".png"));
    }
    if (!frame && !is_temporary(name)) return;
    char *path = bw_printf("%s/%s", f->out, name);
    if (path) unlink(path);
    bw_free(path);
}

void record_clear(const struct bake_record *r, const struct bake_facts *f)
{
    size_t i;
    json_t *name;
    json_array_foreach (json_object_get(r->root, "files"), i, name) {
        const char *text = json_string_value(name);
        char *path = path_is_inside(text) ? bw_printf("%s/%s", f->out, text) : NULL;
        if (path) unlink(path);
        bw_free(path);
    }
    struct bake_facts copy = *f;
    if (r->root) folder_walk(&(struct walk){f->out, leftover_remove, &copy}, "", 0);
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

void build_hash(const struct bw_preset *p, const struct bw_registry *r, char out[24])
{
    uint64_t h = file_hash(0xcbf29ce484222325ull, "/proc/self/exe");
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
