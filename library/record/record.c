// SPDX-License-Identifier: Apache-2.0
/* bake.json: the facts a bake was made from, whether it finished, and the files it wrote. The next bake into the folder
 * compares: equal facts mean "up to date", others are refused until the user decides. */
#include "record.h"

#include "base/alloc.h"
#include "run/output/inside.h"
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

static int name_compare(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* The complete ones, sorted; without a checksum, as an empty object. */
static json_t *files_list(json_t *files)
{
    const char **name = bw_calloc((json_object_size(files) + 1) * sizeof *name), *key;
    json_t *list = name ? json_object() : NULL, *file;
    size_t n = 0;
    json_object_foreach (files, key, file) {
        if (list && file_entry_is_whole(file)) name[n++] = key;
    }
    if (list) qsort(name, n, sizeof *name, name_compare);
    for (size_t i = 0; i < n; i++) {
        file = json_object_get(files, name[i]);
        json_object_set_new(list, name[i], json_is_object(file) ? json_copy(file) : json_object());
    }
    bw_free(name);
    return list;
}

/* Names come from an untrusted file: none may lead out of the folder. */
static void file_list_add(struct bake_record *r, const char *name, const struct file_facts *whole)
{
    if (file_name_is_inside(name)) json_object_set_new(r->files, name, file_entry_json(whole));
}

/* An array of names is an older version's format. */
static void files_parse(struct bake_record *r, json_t *files)
{
    static const struct file_facts unknown = {.bytes = FILE_UNKNOWN};
    const char *name;
    json_t *file;
    size_t i;
    json_array_foreach (files, i, file) file_list_add(r, json_string_value(file), &unknown);
    json_object_foreach (files, name, file) {
        struct file_facts f = file_entry_facts(file);
        file_list_add(r, name, &f);
    }
}

static void journal_merge(struct bake_record *r, json_t *journal)
{
    const char *name;
    json_t *file;
    json_object_foreach (journal, name, file) {
        if (r->lost && !strcmp(name, "bake.json")) continue;
        bool newer = !r->complete || !json_object_get(r->files, name);
        if (file_name_is_inside(name) && newer) json_object_set(r->files, name, file);
    }
}

/* NULL: *why says why. */
static json_t *bake_json_read(const char *out, const char **why)
{
    char *text = file_inside_read(out, "bake.json", INSIDE_RECORD_MOST, NULL, why);
    json_t *root = text ? json_loads(text, 0, NULL) : NULL;
    if (text && !root) *why = "it is no JSON";
    bw_free(text);
    return root;
}

struct bake_record record_read(const char *out)
{
    struct bake_record r = {.files = json_object()};
    json_t *journal = journal_read(out);
    r.root = bake_json_read(out, &r.why);
    const bool there = file_inside_exists(out, "bake.json");
    r.lost = !json_is_object(r.root) && (journal || there);
    if (!there) r.why = "it is gone";
    else if (r.lost && !r.why) r.why = "it is no record of a bake";
    if (r.lost) json_decref(r.root), r.root = json_object();
    r.complete = json_is_true(json_object_get(r.root, "complete"));
    files_parse(&r, json_object_get(r.root, "files"));
    journal_merge(&r, journal);
    json_decref(journal);
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

static const char *path_below(const char *out, const char *path)
{
    size_t n = strlen(out);
    return path && !strncmp(path, out, n) && path[n] == '/' ? path + n + 1 : path;
}

int record_write(const struct bake_facts *f, const struct bake_outputs *o, struct bake_journal *j, int complete,
                 struct bw_diag *d)
{
    json_t *all = journal_files(j), *announced = json_object(), *files = files_list(all), *root;
    json_decref(all);
    if (!all) {
        bw_diag_error(d, NULL, BW_ERR_IO, "%s/bake.journal: can't be read", f->out);
        json_decref(announced);
        json_decref(files);
        return 0;
    }
    json_object_set_new(files, "bake.json", json_object()); // its own sum it can't hold
    for (int32_t i = 0; i < o->n; i++) {
        json_object_set_new(announced, o->list[i].what, json_string(path_below(f->out, o->list[i].path)));
    }
    root = json_pack("{s:i, s:s, s:s, s:[I,I], s:b, s:b, s:O*, s:o, s:o}", "billow", 1, "version", BW_VERSION, "preset",
                     f->name, "frames", (json_int_t)f->first, (json_int_t)f->last, "quick", f->quick, "complete",
                     complete, "changes", f->changes, "outputs", announced, "files", files);
    bake_facts_put(root, f);
    char *text = root ? json_dumps(root, JSON_INDENT(1)) : NULL;
    int good =
        text ? metadata_write(j, "bake.json", text, d) : (bw_diag_error(d, NULL, BW_ERR_MEMORY, "out of memory"), 0);
    if (good) fsync(j->root);
    free(text);
    json_decref(root);
    return good;
}

/* ---- comparing ---- */

/* Has `there` all members of `here`, with equal values? `new`: members that it lacks are allowed. */
static bool members_same(const json_t *there, json_t *here, bool new)
{
    const char *name;
    json_t *one;
    json_object_foreach (here, name, one) {
        const json_t *then = json_object_get(there, name);
        if ((then || !new) && !json_equal(then, one)) return false;
    }
    return json_is_object(there);
}

static bool text_same(const json_t *then, const char *key, const char *here)
{
    const char *there = json_string_value(json_object_get(then, key));
    return there && !strcmp(there, here);
}

enum facts_difference bake_facts_compare(const json_t *then, const struct bake_facts *f)
{
    const json_t *parts = json_object_get(then, "parts");
    if (!text_same(then, "simd", f->simd)) return FACTS_SIMD;
    const bool same = text_same(then, "hash", f->hash); // else a stage of another plugin may have come
    if (!text_same(then, "build", f->build) && !members_same(json_object_get(then, "builds"), f->builds, !same))
        return FACTS_BUILD;
    if (same) return FACTS_SAME;
    const bool flow = json_equal(json_object_get(parts, "preset_hash"), json_object_get(f->parts, "preset_hash"));
    return flow && members_same(json_object_get(parts, "exports"), json_object_get(f->parts, "exports"), false)
               ? FACTS_SAME
               : FACTS_VALUES;
}

/* If a resume changed values, the hash before that. */
const char *record_preset_hash(const struct bake_record *r)
{
    const json_t *changes = json_object_get(r->root, "changes"),
                 *flows = json_object_get(json_array_get(changes, 0), "flows");
    return json_string_value(json_array_size(changes)
                                 ? json_array_get(flows, 0)
                                 : json_object_get(json_object_get(r->root, "parts"), "preset_hash"));
}

void bake_facts_put(json_t *to, const struct bake_facts *f)
{
    json_object_set_new(to, "hash", json_string(f->hash));
    json_object_set_new(to, "build", json_string(f->build));
    json_object_set(to, "builds", f->builds);
    json_object_set_new(to, "simd", json_string(f->simd));
    json_object_set(to, "parts", f->parts);
}

int record_matches(const struct bake_record *r, const struct bake_facts *f)
{
    return bake_facts_compare(r->root, f) == FACTS_SAME;
}

bool file_is_metadata(const char *name)
{
    static const char *const note[] = {"resolved.yaml", "bake.log", "bake.json", "metrics.csv", "timings.csv"};
    for (size_t k = 0; k < sizeof note / sizeof *note; k++)
        if (!strcmp(name, note[k])) return true;
    return file_is_checkpoint(name);
}

/* Do metrics.csv's rows count as a result? Not if other files were begun and none is complete: then the first frame is
 * incomplete. */
static bool metrics_are_result(const struct bake_record *r)
{
    const char *name;
    json_t *file;
    bool begun = false, whole = false;
    json_object_foreach (r->files, name, file) {
        if (file_is_metadata(name)) continue;
        whole |= file_entry_is_whole(file);
        begun |= !file_entry_is_whole(file);
    }
    return whole || !begun;
}

int32_t record_count_whole(const struct bake_record *r, const char *out, int32_t *left)
{
    const char *name;
    json_t *file;
    int32_t n = 0;
    const bool metrics = metrics_are_result(r);
    *left = 0;
    json_object_foreach (r->files, name, file) {
        struct file_facts found;
        bool worth = file_is_checkpoint(name) || (metrics && !strcmp(name, "metrics.csv")),
             note = file_is_metadata(name);
        if ((note && !worth) || !file_entry_is_whole(file)) continue;
        enum file_fault fault = file_fault(out, name, file, false, &found);
        n += !note && fault == FILE_GOOD;
        *left += found.bytes > 0;
    }
    return n;
}

json_t *record_verify(const struct bake_record *r, const char *out, bool deep)
{
    return files_verify(r->files, out, deep);
}

bool record_same_first_frame(const struct bake_record *r, const struct bake_facts *f)
{
    return json_integer_value(json_array_get(json_object_get(r->root, "frames"), 0)) == f->first;
}

bool record_has_frames(const struct bake_record *r, const struct bake_facts *f)
{
    const json_t *frames = json_object_get(r->root, "frames");
    return record_same_first_frame(r, f) && json_integer_value(json_array_get(frames, 1)) == f->last;
}

bool record_has_more_frames(const struct bake_record *r, const struct bake_facts *f)
{
    const json_t *frames = json_object_get(r->root, "frames");
    return record_matches(r, f) && json_integer_value(json_array_get(frames, 0)) <= f->first &&
           json_integer_value(json_array_get(frames, 1)) > f->last;
}

int record_up_to_date(const struct bake_record *r, const struct bake_facts *f)
{
    if (!r->root || !r->complete || !json_object_size(r->files) || !record_matches(r, f)) return 0;
    if (!record_has_frames(r, f)) return 0;
    json_t *bad = record_verify(r, f->out, false);
    int good = bad && !json_array_size(bad);
    json_decref(bad);
    return good;
}

static int32_t build_explain(const struct bake_record *r, const struct bake_facts *f, FILE *to)
{
    const json_t *builds = json_object_get(r->root, "builds"), *then;
    int32_t n = 0;
    const char *name;
    json_t *now;
    if (strcmp(record_text(r, "simd"), f->simd)) n++, fprintf(to, "  simd: %s → %s\n", record_text(r, "simd"), f->simd);
    if (strcmp(record_text(r, "version"), BW_VERSION))
        return fprintf(to, "  Billow: %s → %s\n", record_text(r, "version"), BW_VERSION), n + 1;
    json_object_foreach (f->builds, name, now) {
        if (!(then = json_object_get(builds, name)) || json_equal(then, now)) continue;
        n++, fprintf(to, "  %s has been built anew since\n", name);
    }
    if (!json_is_object(builds) && strcmp(record_text(r, "build"), f->build))
        n++, fputs("  Billow or a plugin has been built anew since\n", to);
    return n;
}

/* Input files whose contents have changed. */
static int32_t inputs_explain(const struct bake_record *r, const struct bake_facts *f, FILE *to)
{
    const json_t *then = json_object_get(json_object_get(r->root, "parts"), "inputs"),
                 *now = json_object_get(f->parts, "inputs"), *one;
    int32_t n = 0;
    size_t i, k;
    json_array_foreach (now, i, one) {
        const char *name = json_string_value(json_array_get(one, 0));
        bool there = false, same = false;
        const json_t *other;
        json_array_foreach (then, k, other) {
            if (!json_equal(json_array_get(other, 0), json_array_get(one, 0))) continue;
            there = true, same |= json_equal(other, one);
        }
        if (there && !same && name) n++, fprintf(to, "  %s: the file holds something else than it did\n", name);
    }
    return n;
}

void record_explain(const struct bake_record *r, const struct bake_facts *f, const struct bw_node *resolved, FILE *to)
{
    struct bw_diag ignored = {0};
    int32_t printed = 0;
    char *path = bw_printf("%s/resolved.yaml", f->out), *text = file_inside_text(f->out, "resolved.yaml", &ignored);
    struct bw_node *before = path && text ? bw_node_parse(text, path, &ignored) : NULL;
    if (before && resolved) printed = preset_diff_print(to, before, resolved, DIFFERENCES_SHOWN);
    if (r->lost) printed++, fprintf(to, "  bake.json, its record, is gone or can't be read: %s\n", r->why);
    else printed += build_explain(r, f, to) + inputs_explain(r, f, to);
    if (!printed && r->root && bake_facts_compare(r->root, f) != FACTS_SAME)
        fputs("  its record, bake.json, has other values than its resolved.yaml\n", to);
    bw_node_free(before);
    bw_free(text);
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
        const char *why;
        int fd = file_inside_open(out, name, &why);
        if (fd >= 0 && !fstat(fd, &st)) sum += (double)st.st_size;
        if (fd >= 0) close(fd);
    }
    return sum;
}
