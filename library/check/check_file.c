// SPDX-License-Identifier: Apache-2.0
/* Check of a file: readable to its end, the same grids with the same transform as in the sequence's first file, and no
 * NaN or infinity. Hosts report none of that. */
#include "check.h"

#include "session/session.h"
#include <common/openvdb/contents/contents.h>
#include <common/openvdb/contents/identity.h>
#include <math.h>
#include <string.h>

#define AGAIN "billow resume makes the files of a bake again that are damaged or missing"

static const struct finding_kind unreadable = {"unreadable", true, AGAIN};
static const struct finding_kind damaged = {"damaged", true, AGAIN ": the file is not as it was written"};
static const struct finding_kind no_grids = {"no-grids", true, "export some with `vdb: {fields: [density, vel]}`"};
static const struct finding_kind other_grids = {"other-grids", true, AGAIN ": hosts take the first file's grids"};
static const struct finding_kind twins = {"twins", true, "give the grids names of their own: hosts go by them"};
static const struct finding_kind nan_values = {
    "nan", true, "hosts show it black or not at all: simulate with smaller steps (time.cfl) and bake again"};
static const struct finding_kind background = {"background", true,
                                               "hosts fill all space with it: write a background of 0"};
static const struct finding_kind voxels = {
    "voxels", true, "the files are of two bakes: put each into a folder of its own, or bake again with --force"};
static const struct finding_kind bakes = {
    "bakes", true, "the files are of two presets: put each into a folder of its own, or bake again with --force"};
static const struct finding_kind renamed = {
    "renamed", true,
    "hosts go by the name: give the file the number of its frame, or the number that the host is to show"};
static const struct finding_kind rate = {"rate", true, "the files are of two bakes: bake again with --force"};
static const struct finding_kind units = {"units", true,
                                          "say the units in the host; files of ours have them: bake again"};
static const struct finding_kind staggered = {"staggered", false,
                                              "Blender shows it half a voxel off: export with `velocity: collocated`"};
static const struct finding_kind padding = {"padding", false,
                                            "motion blur ends where the smoke does: export with `velocity_pad: 4`"};
static const struct finding_kind empty = {"empty", false, "it renders nothing, and no host says so"};
static const struct finding_kind all_empty = {
    "all-empty", true, "it renders nothing: does the preset emit, and do its exported fields name what it emits?"};
static const struct finding_kind unnamed = {
    "names", false, "hosts look for density, temperature, flame and vel: name the grids in the host's material"};

/* ---- predicates ---- */

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (!strcmp(name, *names)) return true;
    return false;
}

static bool is_flow(const struct bwvdb_info *g)
{
    static const char *const names[] = {BWVDB_FLOW_NAMES, NULL};
    return g->comps == 3 && is_one_of(g->name, names);
}

/* "STEM grid": a key, unique among sequences. New memory; NULL: out of memory. */
static char *about_grid(const struct sequence_facts *s, const char *name) { return bw_printf("%s %s", s->stem, name); }

/* ---- a grid ---- */

static struct grid_facts *grid_get(struct sequence_facts *s, const struct bwvdb_info *g)
{
    for (int32_t i = 0; i < s->n_grids; i++)
        if (!strcmp(s->grid[i].name, g->name)) return &s->grid[i];
    struct grid_facts *grown = bw_realloc(s->grid, (size_t)(s->n_grids + 1) * sizeof *grown);
    if (!grown) return NULL;
    s->grid = grown;
    grown[s->n_grids] = (struct grid_facts){.name = bw_strdup(g->name), .type = bw_strdup(g->type)};
    memcpy(grown[s->n_grids].matrix, g->matrix, sizeof g->matrix);
    if (!grown[s->n_grids].name || !grown[s->n_grids].type) return NULL;
    return &grown[s->n_grids++];
}

static void values_check(struct sequence_facts *s, const char *path, const struct bwvdb_file *f, int32_t g,
                         const char *about)
{
    const struct bwvdb_info *info = bwvdb_grid_info(f, g);
    struct vdb_contents c;
    if (vdb_contents_find(f, g, &c, NULL)) return;
    if (c.bad)
        finding_add(s->findings, &nan_values, about,
                    "%s: grid %s holds %lld values that are no finite numbers, one at voxel (%d, %d, %d)", path,
                    info->name, (long long)c.bad, c.bad_at[0], c.bad_at[1], c.bad_at[2]);
    const double *b = info->background;
    bool surface = info->grid_class == BWVDB_CLASS_LEVEL_SET, nothing = !b[0] && !b[1] && !b[2];
    if (surface ? !(b[0] > 0) : !nothing)
        finding_add(s->findings, &background, about, "%s: the background of grid %s is %g, not %s", path, info->name,
                    b[0], surface ? "above 0" : "0");
}

static bool matrix_same(const double a[12], const double b[12])
{
    for (int i = 0; i < 12; i++)
        if (!(fabs(a[i] - b[i]) <= 1e-6 * fmax(fabs(a[i % 4 == 3 ? 0 : i]), 1e-30) + 1e-9 * fabs(a[i]))) return false;
    return true;
}

static void place_check(struct sequence_facts *s, const char *path, const struct bwvdb_info *g, struct grid_facts *seen,
                        const char *about)
{
    seen->files++;
    seen->empty += g->active == 0;
    if (g->active) seen->gaps += seen->since, seen->since = 0;
    else seen->since += seen->empty < seen->files; // leading and trailing empty files are no gap
    if (!matrix_same(seen->matrix, g->matrix))
        finding_add(s->findings, &voxels, about, "%s: voxels of grid %s are %g wide and lie elsewhere; before, %g",
                    path, g->name, g->voxel[0], fabs(seen->matrix[0]));
    if (strcmp(seen->type, g->type))
        finding_add(s->findings, &other_grids, about, "%s: grid %s is %s; before, %s", path, g->name, g->type,
                    seen->type);
}

static void grid_check(struct sequence_facts *s, const char *path, struct bwvdb_file *f, int32_t g, bool ours)
{
    struct bwvdb_error why = {{0}};
    const struct bwvdb_info *info = bwvdb_grid_info(f, g);
    char *about = about_grid(s, info->name);
    struct grid_facts *seen = grid_get(s, info);
    if (info->twins > 1 && !info->twin)
        finding_add(s->findings, &twins, about, "%s: holds %s grids called %s", path,
                    info->twins > 2 ? "several" : "two", info->name);
    if (seen) place_check(s, path, info, seen, about);
    if (info->comps && bwvdb_load(f, g, &why) != BWVDB_OK) finding_add(s->findings, &unreadable, NULL, "%s", why.text);
    else if (info->comps) values_check(s, path, f, g, about);
    if (info->grid_class == BWVDB_CLASS_STAGGERED && is_flow(info))
        finding_add(s->findings, &staggered, about, "%s: grid %s is staggered", path, info->name);
    const char *key = strcmp(info->name, "temperature") ? "unit" : "kelvin";
    if (ours && info->comps && !bwvdb_meta_find(info->meta, info->n_meta, key) &&
        !bwvdb_meta_find(info->meta, info->n_meta, "unit")) // others' temperatures are of no unit that is known
        finding_add(s->findings, &units, about, "%s: grid %s does not say its %s", path, info->name, key);
    bw_free(about);
}

/* ---- a file ---- */

/* Velocity should extend a little beyond the smoke, for motion blur; impossible in a domain full of smoke. */
static void padding_check(struct sequence_facts *s, const char *path, const struct bwvdb_file *f)
{
    int32_t smoke = bwvdb_find(f, "density"), flow = -1;
    for (int32_t g = 0; g < bwvdb_count(f); g++)
        if (is_flow(bwvdb_grid_info(f, g))) flow = g;
    if (smoke < 0 || flow < 0) return;
    const struct bwvdb_info *d = bwvdb_grid_info(f, smoke), *v = bwvdb_grid_info(f, flow);
    double box = 1;
    for (int a = 0; a < 3; a++) box *= (double)d->hi[a] - d->lo[a] + 1;
    const double wider = v->voxel[0] / d->voxel[0], cells = (double)v->active * wider * wider * wider;
    if (d->active > 0 && (double)d->active < box && cells <= (double)d->active)
        finding_add(s->findings, &padding, s->stem, "%s: %s is known in %lld voxels, density in %lld", path, v->name,
                    (long long)v->active, (long long)d->active);
}

static void names_check(struct sequence_facts *s, const char *path, const struct bwvdb_file *f)
{
    static const char *const usual[] = {"density", "temperature", "flame", "solid",          "dye",
                                        "color",   "Cd",          "heat",  BWVDB_FLOW_NAMES, NULL};
    bool known = false;
    for (int32_t g = 0; g < bwvdb_count(f); g++) known |= is_one_of(bwvdb_grid_info(f, g)->name, usual);
    if (!bwvdb_count(f)) finding_add(s->findings, &no_grids, s->stem, "%s: holds no grid", path);
    else if (!known) finding_add(s->findings, &unnamed, s->stem, "%s: holds grids %s", path, bwvdb_names(f));
    if (!s->names) s->names = bw_strdup(bwvdb_names(f));
    else if (strcmp(s->names, bwvdb_names(f)))
        finding_add(s->findings, &other_grids, s->stem, "%s: holds grids %s; before, %s", path, bwvdb_names(f),
                    s->names);
}

/* Did a recorded resume change values before this frame (`--from-frame`)? */
static bool change_is_recorded(const struct sequence_facts *s, const char *to, int64_t number)
{
    size_t i;
    const json_t *change;
    json_array_foreach (s->changes, i, change) {
        const json_t *flows = json_object_get(change, "flows");
        const char *before = json_string_value(json_array_get(flows, 0)),
                   *after = json_string_value(json_array_get(flows, 1));
        if (before && after && !strcmp(before, s->hash) && !strcmp(after, to) &&
            number > json_integer_value(json_object_get(change, "after")))
            return true;
    }
    return false;
}

static void preset_check(struct sequence_facts *s, const char *path, const char *hash, int64_t number)
{
    if (s->hash && !strcmp(hash, s->hash)) return;
    if (s->hash && !change_is_recorded(s, hash, number)) {
        finding_add(s->findings, &bakes, s->stem, "%s: is of preset %s; %s, %s", path, hash,
                    s->names ? "before" : "its bake", s->hash);
        return;
    }
    bw_free(s->hash);
    s->hash = bw_strdup(hash);
}

/* Metadata of files written by Billow. */
static void facts_check(struct sequence_facts *s, const char *path, const struct bwvdb_file *f, int64_t number)
{
    uint32_t n;
    const struct bwvdb_meta *m = bwvdb_file_meta(f, &n), *hash = bwvdb_meta_find(m, n, "preset_hash"),
                            *fps = bwvdb_meta_find(m, n, "fps"), *frame = bwvdb_meta_find(m, n, "frame");
    if (hash) preset_check(s, path, hash->string, number);
    if (fps && !(s->fps > 0)) s->fps = fps->number;
    else if (fps && fps->number != s->fps)
        finding_add(s->findings, &rate, s->stem, "%s: has %g frames a second; before, %g", path, fps->number, s->fps);
    if (frame && frame->integer != number)
        finding_add(s->findings, &renamed, s->stem, "%s: is frame %lld by its metadata", path,
                    (long long)frame->integer);
}

void file_check(struct sequence_facts *s, const char *path, int64_t number)
{
    struct bwvdb_error why = {{0}};
    struct bwvdb_file *f = NULL;
    uint32_t n = 0;
    if (vdb_identity_check(path) == VDB_IDENTITY_DAMAGED) {
        finding_add(s->findings, &damaged, NULL, "%s: is damaged", path);
        return; // reading a damaged file is not safe
    }
    if (bwvdb_open(path, &f, &why) != BWVDB_OK) {
        finding_add(s->findings, &unreadable, NULL, "%s", why.text);
        return;
    }
    const struct bwvdb_meta *m = bwvdb_file_meta(f, &n), *creator = bwvdb_meta_find(m, n, "creator");
    bool ours = creator && !strncmp(creator->string, "Billow", 6);
    if (ours) facts_check(s, path, f, number);
    names_check(s, path, f);
    for (int32_t g = 0; g < bwvdb_count(f); g++) grid_check(s, path, f, g, ours);
    padding_check(s, path, f);
    if (s->host) host_check(s, path, f);
    bwvdb_close(f);
}

void sequence_end(struct sequence_facts *s)
{
    bool any = false;
    for (int32_t i = 0; i < s->n_grids; i++) any |= s->grid[i].empty < s->grid[i].files;
    if (s->n_grids && !any) finding_add(s->findings, &all_empty, NULL, "%s####.vdb: all grids are empty", s->stem);
    for (int32_t i = 0; any && i < s->n_grids; i++) {
        const struct grid_facts *g = &s->grid[i];
        if (g->empty == g->files)
            finding_add(s->findings, &empty, NULL, "%s####.vdb: grid %s is empty in all files", s->stem, g->name);
        else if (g->gaps)
            finding_add(s->findings, &empty, NULL, "%s####.vdb: grid %s is empty in %lld of %lld files, between others",
                        s->stem, g->name, (long long)g->gaps, (long long)g->files);
    }
}

void sequence_free(struct sequence_facts *s)
{
    for (int32_t i = 0; i < s->n_grids; i++) {
        bw_free(s->grid[i].name);
        bw_free(s->grid[i].type);
    }
    bw_free(s->grid);
    bw_free(s->names);
    bw_free(s->hash);
}
