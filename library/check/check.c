// SPDX-License-Identifier: Apache-2.0
/* Check of a finished cache for what hosts expect: no missing frames, undamaged files, the same grids in each. */
#include "check.h"

#include "convert/convert.h"
#include "record/record.h"
#include "session/session.h"

#include <common/openvdb/hosts/hosts.h>
#include <dirent.h>
#include <picture/view/vdb_view.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static const struct finding_kind gap = {
    "gap", true, "hosts show nothing from there on: bake again with --force, or number the files anew"};
static const struct finding_kind twice = {"twice", true, "hosts show one of them: remove the other"};
static const struct finding_kind widths = {"widths", true,
                                           "hosts see two sequences: write all numbers with as many digits"};
static const struct finding_kind endings = {
    "endings", true, "hosts show the first file for ever: the number must end the name, as in smoke_0001.vdb"};
static const struct finding_kind nothing = {"nothing", true, "is it the folder that you mean?"};

struct frame_file {
    char *path, *stem; ///< stem: the path up to the number
    int64_t number;
    size_t digits;
};

struct check {
    struct frame_file *file;
    size_t n;
    struct range *range; ///< of each sequence
    size_t n_ranges;
    json_t *sequences;
    const char *what, *host; ///< as they were named; host NULL: none
    const char *folder;      ///< NULL: files were named
    const struct bake_record *record;
    struct findings findings;
};

/* ---- which files ---- */

static void file_add(struct check *c, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t n = strlen(name), digits = 0, end = n < 5 ? 0 : n - 4;
    if (!end || strcasecmp(name + end, ".vdb") || name[0] == '.') return;
    while (digits < end && digits < 18 && name[end - 1 - digits] >= '0' && name[end - 1 - digits] <= '9') digits++;
    struct frame_file *grown = bw_realloc(c->file, (c->n + 1) * sizeof *grown);
    if (!grown) return;
    c->file = grown;
    grown[c->n] = (struct frame_file){.path = bw_strdup(path),
                                      .stem = bw_printf("%.*s", (int)(strlen(path) - 4 - digits), path),
                                      .number = strtoll(name + end - digits, NULL, 10),
                                      .digits = digits};
    if (grown[c->n].path && grown[c->n].stem) c->n++;
}

static void folder_scan(struct check *c, const char *folder)
{
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        char *path = bw_printf("%s/%s", folder, e->d_name);
        if (path) file_add(c, path);
        bw_free(path);
    }
    if (dir) closedir(dir);
}

static int frame_compare(const void *a, const void *b)
{
    const struct frame_file *x = a, *y = b;
    int stem = strcmp(x->stem, y->stem);
    if (stem || x->number != y->number) return stem ? stem : (x->number > y->number) - (x->number < y->number);
    return (x->digits > y->digits) - (x->digits < y->digits);
}

/* ---- a sequence ---- */

/* Returns how many frames are missing before file i. */
static int64_t gap_check(struct check *c, size_t i)
{
    const struct frame_file *f = &c->file[i], *before = f - 1;
    int64_t between = f->number - before->number - 1;
    if (between > 0)
        finding_add(&c->findings, &gap, NULL, "%s####.vdb: frames %lld-%lld are missing", f->stem,
                    (long long)before->number + 1, (long long)f->number - 1);
    if (between < 0)
        finding_add(&c->findings, &twice, NULL, "%s: is frame %lld, as %s is", f->path, (long long)f->number,
                    before->path);
    int padded = f->path[strlen(f->stem)] == '0' || before->path[strlen(f->stem)] == '0';
    if (f->digits != before->digits && padded)
        finding_add(&c->findings, &widths, f->stem, "%s: its number has %zu digits, that of %s %zu", f->path, f->digits,
                    before->path, before->digits);
    return between > 0 ? between : 0;
}

/* The recorded hash, if the sequence is the bake's own; NULL: other files. */
static const char *hash_recorded(const struct check *c, const struct frame_file *first)
{
    const bool ours = c->folder && json_object_get(c->record->files, first->path + strlen(c->folder) + 1);
    return ours ? record_preset_hash(c->record) : NULL;
}

static void sequence_check(struct check *c, size_t begin, size_t end)
{
    const struct frame_file *first = &c->file[begin], *last = &c->file[end - 1];
    struct sequence_facts seen = {.findings = &c->findings,
                                  .what = c->what,
                                  .host = c->host,
                                  .stem = first->stem,
                                  .hash = bw_strdup(hash_recorded(c, first))};
    int64_t absent = 0;
    if (c->folder) seen.changes = json_object_get(c->record->root, "changes");
    for (size_t i = begin; i < end; i++) {
        if (i > begin) absent += gap_check(c, i);
        file_check(&seen, c->file[i].path, c->file[i].number);
    }
    sequence_end(&seen);
    json_array_append_new(c->sequences,
                          json_pack("{s:o, s:s, s:I, s:I, s:I, s:I, s:o}", "stem", json_bytes(first->stem), "ending",
                                    first->path + strlen(first->path) - 4, "first", (json_int_t)first->number, "last",
                                    (json_int_t)last->number, "files", (json_int_t)(end - begin), "missing",
                                    (json_int_t)absent, "grids", json_bytes(seen.names ? seen.names : "")));
    c->range[c->n_ranges++] = (struct range){first->stem, first->number, last->number};
    sequence_free(&seen);
}

static bool has_digit(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strpbrk(slash ? slash : path, "0123456789") != NULL;
}

/* Files without a number at the end are looked at one by one. */
static void single_check(struct check *c, size_t i, size_t n)
{
    const struct frame_file *f = &c->file[i];
    if (n > 1 && has_digit(f->path))
        finding_add(&c->findings, &endings, "", "%s: its number does not end its name", f->path);
    sequence_check(c, i, i + 1);
}

static void all_check(struct check *c)
{
    size_t singles = 0;
    c->range = bw_calloc((c->n + 1) * sizeof *c->range);
    if (!c->range) return;
    if (c->n) qsort(c->file, c->n, sizeof *c->file, frame_compare);
    for (size_t i = 0; i < c->n; i++) singles += !c->file[i].digits;
    for (size_t begin = 0, i = 1; c->n && i <= c->n; i++) {
        bool same = i < c->n && !strcmp(c->file[i].stem, c->file[begin].stem);
        if (same && c->file[begin].digits) continue;
        if (c->file[begin].digits) sequence_check(c, begin, i);
        else single_check(c, begin, singles);
        begin = i;
    }
}

/* ---- a folder, or files ---- */

static void folder_check(struct check *c, const char *folder)
{
    char *below = bw_printf("%s/vdb", folder);
    struct bake_record r = record_read(folder);
    folder_scan(c, folder);
    if (below) folder_scan(c, below);
    bw_free(below);
    c->folder = folder, c->record = &r;
    all_check(c);
    c->folder = NULL, c->record = NULL;
    record_free(&r);
    if (!c->n) finding_add(&c->findings, &nothing, NULL, "%s: holds no .vdb file, nor does its folder vdb", folder);
    record_check(&c->findings, folder, c->range, c->n_ranges);
}

static void files_check(struct check *c, const char *what, struct bw_diag *d)
{
    struct bw_sequence s;
    char why[1024];
    enum bw_status status = bw_sequence_find(&s, what, INT64_MIN, INT64_MAX, why, sizeof why);
    if (status) bw_diag_error(d, NULL, status, "%s", why);
    for (int32_t i = 0; !status && i < s.count; i++) file_add(c, s.path[i]);
    if (!status) bw_sequence_free(&s);
    all_check(c);
}

static void check_free(struct check *c)
{
    for (size_t i = 0; i < c->n; i++) {
        bw_free(c->file[i].path);
        bw_free(c->file[i].stem);
    }
    bw_free(c->file);
    bw_free(c->range);
    json_decref(c->sequences);
    findings_free(&c->findings);
}

static char *cache_check(const char *what, const char *host, struct bw_diag *d)
{
    struct check c = {.sequences = json_array(), .what = what, .host = host};
    struct stat st;
    bool folder = stat(what, &st) == 0 && S_ISDIR(st.st_mode);
    if (folder) folder_check(&c, what);
    else files_check(&c, what, d);
    char *text = d->status
                     ? NULL
                     : json_text(json_pack("{s:O, s:o, s:o}", "sequences", c.sequences, "problems",
                                           findings_problems(&c.findings), "findings", findings_json(&c.findings)),
                                 JSON_INDENT(1), d);
    check_free(&c);
    return text;
}

char *bw_cache_check_for(const char *what, const char *host)
{
    struct api_call api;
    api_enter(&api);
    if (!what) bw_diag_error(&api.d, NULL, BW_ERR_USAGE, "bw_cache_check wants a folder, or files");
    else if (host && !vdb_host_known(host)) host_unknown(host, &api.d);
    char *text = api.d.status ? NULL : cache_check(what, host, &api.d);
    api_leave(&api);
    return text;
}

char *bw_cache_check(const char *what) { return bw_cache_check_for(what, NULL); }
