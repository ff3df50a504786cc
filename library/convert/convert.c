// SPDX-License-Identifier: Apache-2.0
/* bw_cache_convert: each file of a sequence is read, changed and written beside its place, frames in parallel; for
 * NanoVDB such a file is written first. The original is only read; a file gets its name when it is whole. */
#include "convert.h"

#include "options.h"
#include "preset/values/params.h"
#include "run/output/files.h"
#include "view/picture_tools.h"

#include <common/openvdb/contents/contents.h>
#include <common/openvdb/hosts/hosts.h>
#include <errno.h>
#include <math.h>
#include <picture/view/vdb_view.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct convert_options {
    const char *host, *out;
    int32_t force, proxy, format, precision, compression;
};

static const struct bw_param rows[] = {
    BW_STRING(struct convert_options, host, "for", NULL, "Who reads the files."),
    BW_STRING(struct convert_options, out, "out", NULL, "The folder; default: the cache's name and the host's."),
    BW_BOOL(struct convert_options, force, "force", "false", "Replace files of the same names."),
    BW_BOOL(struct convert_options, proxy, "proxy", "false", "Voxels twice as wide, for viewports."),
    BW_CHOICE(struct convert_options, format, "format", "vdb", "vdb|nvdb", "OpenVDB's files, or NanoVDB's."),
    BW_CHOICE(struct convert_options, precision, "precision", "fp32", "fp32|fp16|fp8", "Of NanoVDB's numbers."),
    BW_CHOICE(struct convert_options, compression, "compression", "none", "blosc|zip|none", "Of NanoVDB's files."),
};

/// All that a call works with.
struct work {
    struct conversion c;
    struct convert_options options;
    struct bw_sequence files;
    double densest;
    bool placed; ///< c.lo, c.hi are known
};

static bool has_failed(struct conversion *c)
{
    pthread_mutex_lock(&c->lock);
    const bool failed = c->d->status != BW_OK;
    pthread_mutex_unlock(&c->lock);
    return failed;
}

/* ---- all frames, before the first is written ---- */

static void frame_survey(struct work *w, struct bwvdb_file *f)
{
    struct bwvdb_error why;
    struct vdb_contents in = {0};
    const int32_t smoke = bwvdb_find_known(f, bw_density_names, 1);
    const struct bwvdb_info *g = smoke >= 0 ? bwvdb_grid_info(f, smoke) : NULL;
    const bool dense = g && vdb_rule_of(w->c.host, VDB_DENSITY);
    if (dense && bwvdb_load(f, smoke, &why)) conversion_fail(&w->c, BW_ERR_IO, "%s", why.text);
    else if (dense) vdb_contents_find(f, smoke, &in, NULL);
    pthread_mutex_lock(&w->c.lock);
    w->densest = fmax(w->densest, in.most);
    pthread_mutex_unlock(&w->c.lock);
}

/* The place of an empty frame's voxel is that of the first frame with one: the same for any number of threads. */
static void place_find(struct work *w)
{
    for (int32_t i = 0; i < w->files.count && !w->placed && vdb_rule_of(w->c.host, VDB_FILLED); i++) {
        struct bwvdb_file *f;
        if (bwvdb_open(w->files.path[i], &f, NULL)) continue;
        for (int32_t g = 0; g < bwvdb_count(f) && !w->placed; g++) {
            const struct bwvdb_info *info = bwvdb_grid_info(f, g);
            if (!info->active || !info->comps) continue;
            memcpy(w->c.lo, info->lo, sizeof w->c.lo);
            memcpy(w->c.hi, info->lo, sizeof w->c.hi);
            w->placed = true;
        }
        bwvdb_close(f);
    }
}

static void survey_task(int64_t i, void *user)
{
    struct work *w = user;
    struct bwvdb_file *f;
    struct bwvdb_error why;
    if (has_failed(&w->c)) return;
    const enum bwvdb_status bad = bwvdb_open(w->files.path[i], &f, &why);
    if (bad) {
        conversion_fail(&w->c, (enum bw_status)bad, "%s", why.text);
        return;
    }
    frame_survey(w, f);
    bwvdb_close(f);
}

static void survey(struct work *w, const struct bw_tools *tools)
{
    const double most = vdb_rule_number(w->c.host, VDB_DENSITY, 0);
    if (most > 0) tools->parallel(tools->ctx, w->files.count, survey_task, w);
    w->c.density_gain = most > 0 && w->densest > most ? most / w->densest : 1;
    place_find(w);
}

/* ---- a frame ---- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The file's own name, with NanoVDB's ending where it becomes one; for hosts that read ASCII alone, other bytes become
 * underscores. New memory, or NULL. */
static char *name_of(const struct conversion *c, const char *path)
{
    const char *base = base_name(path);
    const size_t stem = strlen(base) - strlen(".vdb");
    char *name = c->to_nano ? bw_printf("%.*s.nvdb", (int)stem, base) : bw_strdup(base);
    for (char *s = name; s && *s && vdb_rule_of(c->host, VDB_ASCII); s++)
        if (*s & 0x80) *s = '_';
    return name;
}

static void meta_copy(const struct conversion *c, const struct bwvdb_file *f, struct bwvdb_writer *w)
{
    uint32_t n;
    struct vdb_facts facts;
    const struct bwvdb_meta *m = bwvdb_file_meta(f, &n);
    vdb_facts_read(f, &facts);
    const char up[2] = {(char)vdb_rule_number(c->host, VDB_UP, facts.y_up ? 'y' : 'z'), '\0'};
    const struct bwvdb_meta own[] = {
        {.key = "scale", .type = BWVDB_DOUBLE, .number = vdb_rule_number(c->host, VDB_SCALE, facts.scale)},
        {.key = "up_axis", .string = up},
        {.key = "for", .string = c->host}};
    const uint32_t n_own = BW_COUNT(own) - !c->host;
    for (uint32_t i = 0; i < n; i++)
        if (!bwvdb_meta_find(own, n_own, m[i].key)) bwvdb_writer_meta(w, &m[i], NULL);
    for (uint32_t i = 0; i < n_own; i++) bwvdb_writer_meta(w, &own[i], NULL);
}

static void file_write(struct conversion *c, struct bwvdb_writer *w, const char *path)
{
    struct bwvdb_error why;
    struct file_facts facts;
    char *name = name_of(c, path), *half = name ? file_temporary(name) : NULL,
         *place = half ? bw_printf("%s/%s", c->out, half) : NULL;
    if (!place) {
        conversion_fail(c, BW_ERR_MEMORY, "out of memory");
    } else if (bwvdb_writer_write(w, place, &why)) {
        conversion_fail(c, BW_ERR_IO, "%s", why.text);
    } else if (c->to_nano && bwvdb_nano_write(place, place, &c->nano, &why)) {
        conversion_fail(c, BW_ERR_IO, "%s: %s", path, why.text);
    } else if (!file_settle(c->folder, half, &facts) || !file_rename(c->folder, half, name)) {
        conversion_fail(c, BW_ERR_IO, "%s/%s: can't be written: %s", c->out, name, strerror(errno));
        unlinkat(c->folder, half, 0);
    }
    bw_free(place);
    bw_free(half);
    bw_free(name);
}

static void frame_task(int64_t i, void *user)
{
    struct work *w = user;
    struct conversion *c = &w->c;
    struct bwvdb_file *f = NULL;
    struct bwvdb_writer *to = NULL;
    struct bwvdb_error why;
    if (has_failed(c)) return;
    enum bwvdb_status bad = bwvdb_open(w->files.path[i], &f, &why);
    const struct bwvdb_options plain = {.compression = BWVDB_NONE};
    if (!bad) bad = bwvdb_writer_create(c->to_nano ? &plain : NULL, &to, &why);
    if (bad) conversion_fail(c, (enum bw_status)bad, "%s", why.text);
    if (!bad && grids_convert(c, f, to)) {
        meta_copy(c, f, to);
        file_write(c, to, w->files.path[i]);
    }
    bwvdb_writer_free(to);
    bwvdb_close(f);
}

/* ---- where to ---- */

static bool is_ascii(const char *text)
{
    for (; *text; text++)
        if (*text & 0x80) return false;
    return true;
}

/* out/plume to out/plume_unreal; files of a folder likewise. New memory, or NULL. */
static char *folder_default(const struct work *w, const char *what)
{
    struct stat st;
    const bool folder = !stat(what, &st) && S_ISDIR(st.st_mode);
    size_t n = folder ? strlen(what) : (size_t)(base_name(what) - what);
    while (n > 1 && what[n - 1] == '/') n--;
    if (n && what[n - 1] == '.' && (n == 1 || what[n - 2] == '/' || what[n - 2] == '.')) { // "." has no name to add to
        char *whole = realpath(what, NULL), *out = whole ? folder_default(w, whole) : NULL;
        free(whole);
        return out;
    }
    const char *host = w->c.host ? w->c.host : "nvdb", *more = w->options.proxy ? "_proxy" : "";
    return n ? bw_printf("%.*s_%s%s", (int)n, what, host, more) : bw_printf("%s%s", host, more);
}

static void names_check(struct work *w)
{
    struct conversion *c = &w->c;
    char *here = realpath(c->out, NULL);
    if (here && vdb_rule_of(c->host, VDB_ASCII) && !is_ascii(here))
        conversion_fail(c, BW_ERR_USAGE, "%s reads no files below %s, whose name is not ASCII: give another with --out",
                        c->host, here);
    for (int32_t i = 0; i < w->files.count && !c->d->status; i++) {
        const char *path = w->files.path[i];
        char *folder = bw_printf("%.*s.", (int)(base_name(path) - path), path), *there = realpath(folder, NULL),
             *name = name_of(c, path);
        if (here && there && !strcmp(here, there))
            conversion_fail(c, BW_ERR_USAGE, "%s holds the cache, which is not changed: give another folder with --out",
                            c->out);
        else if (name && !w->options.force && !faccessat(c->folder, name, F_OK, 0))
            conversion_fail(c, BW_ERR_USAGE, "%s/%s is there already: --force replaces it", c->out, name);
        bw_free(folder);
        free(there);
        bw_free(name);
    }
    free(here);
}

/* ---- the call ---- */

static void options_read(struct work *w, const char *text, struct bw_params **params, struct bw_diag *d)
{
    struct bw_params_context ctx = {.owner = "convert", .fps = 24, .ambient = 293.15};
    struct bw_node *node = options_parse(text ? text : "{}", "options", d);
    *params = node ? bw_params_compile(rows, BW_COUNT(rows), sizeof w->options, node, &ctx, d) : NULL;
    if (*params) bw_params_eval(*params, 0, 0, &w->options, d);
    bw_node_free(node);
    w->c.host = w->options.host;
    w->c.to_nano = w->options.format != 0;
    w->c.nano = (struct bwvdb_nano){(uint32_t)w->options.precision, (uint32_t)w->options.compression};
    if (d->status) return;
    if (w->c.host && !vdb_host_known(w->c.host)) host_unknown(w->c.host, d);
    else if (!w->c.host && !w->c.to_nano)
        bw_diag_error(d, NULL, BW_ERR_USAGE, "convert wants a host, like `for: unreal`, or `format: nvdb`");
    else if (!w->c.to_nano && (w->options.precision || w->options.compression != BWVDB_NONE))
        bw_diag_error(d, NULL, BW_ERR_USAGE, "`precision` and `compression` are of `format: nvdb`");
}

static json_t *convert(struct work *w, const char *what, struct bw_diag *d)
{
    char why[1024];
    const struct bw_tools tools = picture_tools();
    enum bw_status status = bw_sequence_find(&w->files, what, INT64_MIN, INT64_MAX, why, sizeof why);
    if (status) return bw_diag_error(d, NULL, status, "%s", why), NULL;
    char *out = w->options.out && *w->options.out ? bw_strdup(w->options.out) : folder_default(w, what);
    w->c.out = out ? out : "";
    w->c.proxy = w->options.proxy;
    w->c.folder = out ? file_root_open(out) : -1;
    if (w->c.folder < 0) conversion_fail(&w->c, BW_ERR_IO, "%s: can't be made: %s", w->c.out, strerror(errno));
    else names_check(w);
    if (!d->status) survey(w, &tools);
    if (!d->status) tools.parallel(tools.ctx, w->files.count, frame_task, w);
    json_t *made = d->status ? NULL
                             : json_pack("{s:s, s:o, s:I, s:f, s:O}", "for", w->c.host ? w->c.host : "NanoVDB", "out",
                                         json_bytes(w->c.out), "files", (json_int_t)w->files.count, "density_gain",
                                         w->c.density_gain, "left_out", w->c.left_out);
    if (w->c.folder >= 0) close(w->c.folder);
    bw_sequence_free(&w->files);
    bw_free(out);
    return made;
}

char *bw_cache_convert(const char *what, const char *options)
{
    struct api_call api;
    struct bw_params *params = NULL;
    api_enter(&api);
    struct work w = {.c = {.folder = -1, .d = &api.d, .left_out = json_object()}};
    pthread_mutex_init(&w.c.lock, NULL);
    if (!what) bw_diag_error(&api.d, NULL, BW_ERR_USAGE, "bw_cache_convert wants a folder, or files");
    else options_read(&w, options, &params, &api.d);
    json_t *made = api.d.status ? NULL : convert(&w, what, &api.d);
    char *text = made ? json_text(made, JSON_INDENT(1), &api.d) : NULL;
    bw_params_free(params);
    json_decref(w.c.left_out);
    pthread_mutex_destroy(&w.c.lock);
    api_leave(&api);
    return text;
}
