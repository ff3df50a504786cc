// SPDX-License-Identifier: Apache-2.0
/* Exporter `vdb`: one OpenVDB file a frame, vdb/NAME_0001.vdb, all grids in it, as Blender and Houdini expect them.
 * Exporter `nvdb`: the same file, then read back and written as NanoVDB, nvdb/NAME_0001.nvdb.
 *
 * File metadata: creator ("Billow …"; a creator that begins with "Houdini" makes Blender turn the object), preset,
 * preset_hash, fps, frame, time (s), units, scale (units a metre), up_axis, seed, simd; with `blend` also `domain` and
 * `blend`; where it is not as computed, `larger` and `slower`. Grid metadata: unit; for temperature `temperature`
 * (blender, excess, normalized, plain), `kelvin` (K above ambient for a stored 1) and `ambient` (K). */
#include "vdb.h"
#include <common/nest.h>
#include <common/outputs.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define VOXEL_LEAST 1.45e-5 ///< edge; OpenVDB takes voxels of less than 3e-15 in volume for none

static const struct bw_param field_row[] = {
    {.type = BW_PARAM_FIELD,
     .offset = BW_OFFSET(struct vdb_field_name, name, const char *),
     .doc = "A field's name.",
     .flags = BW_PARAM_STATIC},
};

static const struct bw_param points_row[] = {
    {.type = BW_PARAM_FIELD,
     .offset = BW_OFFSET(struct vdb_field_name, name, const char *),
     .doc = "Such as vortons or tracers.",
     .flags = BW_PARAM_STATIC | BW_PARAM_PARTICLES},
};

static const struct bw_param precision_rows[] = {
    BW_CHOICE(struct vdb_precision, bits, "bits", "half", "half|float", "16 or 32 bits a value."),
    BW_AMOUNTS(struct vdb_precision, errors,
               "How far a field's values may be off: they are rounded so that they pack well."),
};

/// What both exporters take.
#define COMMON_ROWS                                                                                                    \
    BW_CHOICE(struct vdb_params, host, "for", "none", "none|" VDB_HOSTS,                                               \
              "Who reads the files: what is not given here is as that program asks for."),                             \
        BW_LIST(struct vdb_params, fields, struct vdb_field_name, "fields", field_row,                                 \
                "Fields to write; by default what is advected, and what renderers read: density, temperature, flame, " \
                "dye, vel, solid, age."),                                                                              \
        BW_STRING(struct vdb_params, name, "name", NULL,                                                               \
                  "File name without the number, which follows as _0001; a run of # at its end says how many digits. " \
                  "Default: the preset's name, with the domain's unless that is the preset's first."),                 \
        BW_CHOICE(struct vdb_params, up, "up", "auto", "auto|z|y",                                                     \
                  "World axis that points up: z for Blender, y for Houdini. auto: as `for` wants it, else z."),        \
        BW_AUTO(struct vdb_params, scale, "scale", 1e-6, 1e6, NULL,                                                    \
                "Lengths are multiplied by it: transform, vel and distances (100: a scene in centimetres). auto: as "  \
                "`for` wants it, else 1."),                                                                            \
        LARGER_ROWS(struct vdb_params),                                                                                \
        BW_CHOICE(struct vdb_params, velocity, "velocity", "collocated", "collocated|staggered|coarse",                \
                  "vel at cell centres, which every host reads, on the low faces, or the mean of eight cells: enough " \
                  "for motion blur, an eighth of the size."),                                                          \
        BW_STRING(struct vdb_params, blend, "blend", NULL,                                                             \
                  "Another domain that overlaps, exported with the same: the finer one fades out towards its sides "   \
                  "and the coarser one is left out inside it, so that both shown at once have no seam. Velocities "    \
                  "stay whole."),                                                                                      \
        BW_F64(struct vdb_params, edge, "edge", "8", 0, 1e4, NULL,                                                     \
               "Cells of the finer domain over which `blend` fades."),                                                 \
        BW_AUTO(struct vdb_params, velocity_pad, "velocity_pad", 0, 64, NULL,                                          \
                "Cells around the smoke where vel is written too. auto: 4; with a host that blurs by it, as far as "   \
                "the frame's fastest gas moves in its shutter, too."),                                                 \
        BW_F64(struct vdb_params, threshold, "threshold", "1e-4", 0, 1e6, NULL,                                        \
               "Values this near to the background are not written (temperature: thousands of K)."),                   \
        BW_CHOICE(struct vdb_params, temperature, "temperature", "auto", "auto|blender|excess|normalized|plain",       \
                  "(T - ambient)/1000, kelvin above ambient, 1 at normalized_at, or as it is, in nobody knows what "   \
                  "unit: of others' caches. auto: as `for` wants it, else blender."),                                  \
        BW_F64(struct vdb_params, normalized_at, "normalized_at", "1000 K", 1e-3, 1e6, "K",                            \
               "Kelvin above ambient that `normalized` writes as 1.")

static const struct bw_param params[] = {
    COMMON_ROWS,
    BW_LIST(struct vdb_params, points, struct vdb_field_name, "points", points_row,
            "Particles to write as OpenVDB points: P, v, pscale, Cd, id, and their other attributes."),
    BW_GROUP(struct vdb_params, precision, struct vdb_precision, "precision", precision_rows,
             "half or float, or how exact: {density: 1/255, temperature: 2 K}.", BW_PARAM_SHORT),
    BW_CHOICE(struct vdb_params, compression, "compression", "blosc", "blosc|zip|none", "How values are packed."),
};

static const struct bw_param nano_params[] = {
    COMMON_ROWS,
    BW_CHOICE(struct vdb_params, nano, "precision", "fp32", "fp32|fp16|fp8",
              "Of numbers, vectors are always whole: exact, or in 65535 or 255 steps between the least and the largest "
              "of 8x8x8 voxels."),
    BW_CHOICE(struct vdb_params, compression, "compression", "none", "blosc|zip|none",
              "How grids are packed; none: a renderer reads them where they lie."),
};

/* The first domain's files are called as the preset, another's as the preset and the domain. */
static void name_default(const struct bw_exporter *e, char out[256])
{
    snprintf(out, 256, "%.120s%s%.120s", e->bake->name, e->domain ? "_" : "",
             e->domain ? e->domains[e->domain]->name : "");
}

static const char *name_given(const struct bw_exporter *e, char usual[256])
{
    const struct vdb_params *p = e->params;
    name_default(e, usual);
    return p->name && *p->name ? p->name : usual;
}

/// Without the run of # at the end of a given name: in the preset's # is a letter.
static size_t stem_length(const struct bw_exporter *e, const char *name)
{
    const struct vdb_params *p = e->params;
    size_t n = strlen(name);
    while (name == p->name && n && name[n - 1] == '#') n--;
    return n;
}

static void file_name(const struct bw_exporter *e, const char *kind, int64_t number, char out[256])
{
    char usual[256];
    const char *name = name_given(e, usual);
    const size_t stem = stem_length(e, name), asked = strlen(name) - stem;
    const int digits = asked > 4 ? (int)asked : 4; // fewer make hosts lose the order
    snprintf(out, 256, "%s/%.*s%s%0*" PRId64 ".%s", kind, (int)stem, name, asked ? "" : "_", digits, number, kind);
}

static void vdb_outputs(const struct bw_exporter *e, const struct bw_frame *frame, bw_output_name_fn say, void *user)
{
    char name[256];
    file_name(e, "vdb", frame->number, name);
    say(name, user);
}

static void nano_outputs(const struct bw_exporter *e, const struct bw_frame *frame, bw_output_name_fn say, void *user)
{
    char name[256];
    file_name(e, "nvdb", frame->number, name);
    say(name, user);
}

static enum bw_status blend_find(struct bw_exporter *e)
{
    const struct vdb_params *p = e->params;
    struct vdb_state *st = e->state;
    if (!p->blend) return BW_OK;
    const struct bw_domain_info *found = nest_find(e->domains, e->n_domains, p->blend);
    if (!found) return e->host->fail(e, BW_ERR_PRESET, "there is no domain \"%s\" to blend with", p->blend);
    while (!st->blend || e->domains[st->blend - 1] != found) st->blend++;
    if (found->h == e->domains[e->domain]->h)
        return e->host->fail(e, BW_ERR_PRESET, "domain %s is no finer and no coarser: nothing tells which one fades",
                             p->blend);
    return BW_OK;
}

/* OpenVDB and TBB, with all that they load and make at first use, are there before the first step: exit() in the middle
 * of a first frame would destroy their statics under it. */
static enum bw_status openvdb_begin(struct bw_exporter *e)
{
    struct bwvdb_writer *w;
    struct bwvdb_error error;
    const enum bwvdb_status made = bwvdb_writer_create(NULL, &w, &error);
    bwvdb_writer_free(w);
    return made ? e->host->fail(e, (enum bw_status)made, "%s", error.text) : BW_OK;
}

static int is_ascii(const char *text)
{
    while (*text && !(*text & 0x80)) text++;
    return !*text;
}

static enum bw_status vdb_init(struct bw_exporter *e)
{
    const struct vdb_params *p = e->params;
    char usual[256];
    const char *name = name_given(e, usual);
    const size_t length = strlen(name), stem = stem_length(e, name);
    if (strchr(name, '/') || (name == p->name && memchr(name, '#', stem)))
        return e->host->fail(e, BW_ERR_PRESET, "name \"%s\" must hold no '/', and '#' only at its end", name);
    if (stem > 180) return e->host->fail(e, BW_ERR_PRESET, "name of %zu characters is too long: 180 at most", stem);
    if (length - stem > 12) return e->host->fail(e, BW_ERR_PRESET, "name \"%s\" asks for more than 12 digits", name);
    if (e->bake->first < 0)
        return e->host->fail(e, BW_ERR_PRESET, "frame %" PRId64 " is negative, and no host reads such file names",
                             e->bake->first);
    if (vdb_y_up(p) && p->velocity == VDB_STAGGERED)
        return e->host->fail(e, BW_ERR_PRESET,
                             "`velocity: staggered` holds only with `up: z`: turned faces have no place in a VDB grid");
    if (e->domains[e->domain]->h * vdb_length(p) < VOXEL_LEAST)
        return e->host->fail(e, BW_ERR_PRESET,
                             "voxels of %g are finer than the %g that VDB files can have: `scale: 1000` makes lengths "
                             "in them millimetres",
                             e->domains[e->domain]->h * vdb_length(p), VOXEL_LEAST);
    const struct bw_amount *exact = p->precision.errors.items;
    for (int64_t i = 0; i < p->precision.errors.count; i++)
        if (exact[i].comps != 1 || exact[i].rate || !(exact[i].value[0] > 0))
            return e->host->fail(e, BW_ERR_PRESET, "precision of %s must be one number above 0", exact[i].field);
    if (vdb_rule_of(vdb_host(p), VDB_ASCII) && !is_ascii(name))
        return e->host->fail(e, BW_ERR_PRESET, "%s reads no files called \"%s\": its names are ASCII", vdb_host(p),
                             name);
    if (p->points.count) e->host->want_motion(e);
    const enum bw_status chosen = e->planned ? vdb_choice_check(e, e->planned) : BW_OK;
    if (chosen) return chosen;
    const enum bw_status begun = e->bake->checks ? BW_OK : openvdb_begin(e);
    return begun ? begun : blend_find(e);
}

static enum bw_status nano_init(struct bw_exporter *e)
{
    ((struct vdb_state *)e->state)->nano = 1;
    return vdb_init(e);
}

/* bwvdb builds leaves on the host's threads. */
static void host_parallel(void *user, int64_t n, void (*fn)(int64_t, void *), void *fn_user)
{
    struct bw_exporter *e = user;
    e->host->parallel_for(e, n, fn, fn_user);
}

/* What waits to be written counts as the bake's memory. */
static void *host_alloc(void *user, size_t bytes)
{
    struct bw_exporter *e = user;
    return e->host->alloc(e, bytes);
}

static void host_release(void *user, void *memory)
{
    struct bw_exporter *e = user;
    e->host->release(e, memory);
}

static enum bw_status file_meta(struct bw_exporter *e, const struct bw_frame *frame, struct bwvdb_writer *w)
{
    static const char *const levels[] = {"baseline", "avx2", "avx512"};
    const struct vdb_params *p = e->params;
    const struct bw_bake_info *b = e->bake;
    char seed[24];
    snprintf(seed, sizeof seed, "%" PRIu64, b->seed); // text: 64 bits without a sign
    const struct bwvdb_meta rows[] = {
        {.key = "creator", .string = b->version},
        {.key = "preset", .string = b->name},
        {.key = "preset_hash", .string = b->preset_hash},
        {.key = "fps", .type = BWVDB_DOUBLE, .number = frame->fps / vdb_slower(e)},
        {.key = "frame", .type = BWVDB_INT64, .integer = frame->number},
        {.key = "time", .type = BWVDB_DOUBLE, .number = frame->time * vdb_slower(e) + 0.0},
        {.key = "units", .string = "m, s, K"},
        {.key = "scale", .type = BWVDB_DOUBLE, .number = vdb_scale(p)},
        {.key = "larger", .type = BWVDB_DOUBLE, .number = p->larger},
        {.key = "slower", .type = BWVDB_DOUBLE, .number = vdb_slower(e)},
        {.key = "up_axis", .string = vdb_y_up(p) ? "y" : "z"},
        {.key = "seed", .string = seed},
        {.key = "simd", .string = levels[b->simd < BW_COUNT(levels) ? b->simd : 0]},
        {.key = "flame_kelvin", .type = BWVDB_DOUBLE, .number = frame->flame_kelvin},
        {.key = "for", .string = vdb_host(p)},
        {.key = "domain", .string = e->domains[e->domain]->name},
        {.key = "blend", .string = p->blend ? p->blend : ""},
    };
    // half of something that is shown at once says of what; whole files are as they ever were
    const uint32_t n = BW_COUNT(rows) - (p->blend && *p->blend ? 0 : 2);
    struct bwvdb_error error;
    for (uint32_t i = 0; i < n; i++) {
        const int times = !strcmp(rows[i].key, "larger") || !strcmp(rows[i].key, "slower");
        if (times && rows[i].number == 1) continue;
        if (!strcmp(rows[i].key, "for") && !p->host) continue;
        if (!strcmp(rows[i].key, "flame_kelvin") && !(rows[i].number > 0)) continue;
        enum bwvdb_status s = bwvdb_writer_meta(w, &rows[i], &error);
        if (s) return e->host->fail(e, (enum bw_status)s, "%s", error.text);
    }
    return BW_OK;
}

static enum bwvdb_status nano_write(const struct vdb_params *p, const char *path, struct bwvdb_error *error)
{
    const struct bwvdb_nano nano = {.precision = (uint32_t)p->nano, .compression = (uint32_t)p->compression};
    return bwvdb_nano_write(path, path, &nano, error);
}

/* When it is begun no more fields are read, and other processes go on. */
static enum bw_status file_write(struct bw_exporter *e, struct bwvdb_writer *w, int64_t number)
{
    struct vdb_state *st = e->state;
    char name[256];
    file_name(e, st->nano ? "nvdb" : "vdb", number, name);
    const char *path = e->host->output_begin(e, name);
    if (!path) return BW_ERR_IO;
    struct bwvdb_error error;
    enum bw_status lent = e->host->lend(e, NULL, NULL, 0);
    if (lent) return e->host->output_discard(e, path), lent;
    enum bwvdb_status failed = bwvdb_writer_write(w, path, &error);
    if (!failed && vdb_rule_of(vdb_host(e->params), VDB_BOUNDS)) failed = vdb_bounds_equalise(path, &error);
    if (!failed && st->nano) failed = nano_write(e->params, path, &error);
    return output_end(e, path, name, (enum bw_status)failed, error.text, st->nano ? "NanoVDB" : "cache", &st->said);
}

static enum bw_status vdb_frame(struct bw_exporter *e, const struct bw_frame *frame)
{
    const struct vdb_params *p = e->params;
    if (frame->number < 0) return e->host->fail(e, BW_ERR_PRESET, "frame %" PRId64 " is negative", frame->number);
    const struct vdb_state *st = e->state;
    struct bwvdb_options options = {.compression = st->nano ? BWVDB_NONE : (uint32_t)p->compression,
                                    .simd = e->bake->simd,
                                    .parallel_for = host_parallel,
                                    .parallel_user = e,
                                    .alloc = host_alloc,
                                    .release = host_release,
                                    .spool = e->bake->ranks > 1 ? e->bake->dir : NULL};
    struct bwvdb_writer *w;
    struct bwvdb_error error;
    enum bwvdb_status made = bwvdb_writer_create(&options, &w, &error);
    if (made) return e->host->fail(e, (enum bw_status)made, "%s", error.text);
    enum bw_status s = vdb_fields_add(e, frame, w);
    if (!s) s = vdb_points_add(e, frame, w);
    if (!s) s = file_meta(e, frame, w);
    if (!s) s = file_write(e, w, frame->number);
    ((struct vdb_state *)e->state)->frames++;
    ((struct vdb_state *)e->state)->filled = st->filled || p->points.count || !bwvdb_writer_empty(w);
    bwvdb_writer_free(w);
    return s;
}

/* Files without a voxel load everywhere, and show nothing: who waited for them is told. */
static enum bw_status vdb_finish(struct bw_exporter *e, int complete)
{
    const struct vdb_state *st = e->state;
    if (complete && st->frames && !st->filled)
        e->host->log(e, BW_LOG_WARNING,
                     "all grids of domain %s are empty in all of the %" PRId64 " frames that were written: does its "
                     "source lie outside of the domain, or in an obstacle?",
                     e->domains[e->domain]->name, st->frames);
    return BW_OK;
}

static const struct bw_exporter_desc exporter = {
    .id = "vdb",
    .version = "1.0",
    .brief = "OpenVDB cache for Blender, Houdini and others: one file a frame.",
    BW_PARAMS(params),
    .params_size = sizeof(struct vdb_params),
    .state_size = sizeof(struct vdb_state),
    .flags = BW_EXPORTER_REBUILT_STATE | BW_EXPORTER_RANKS | BW_EXPORTER_TURNS | BW_EXPORTER_CACHE,
    .init = vdb_init,
    .frame = vdb_frame,
    .finish = vdb_finish,
    .outputs = vdb_outputs,
};
static const struct bw_exporter_desc nano_exporter = {
    .id = "nvdb",
    .version = "1.0",
    .brief = "NanoVDB cache for renderers on GPUs: one file a frame, of the vdb exporter's grids.",
    BW_PARAMS(nano_params),
    .params_size = sizeof(struct vdb_params),
    .state_size = sizeof(struct vdb_state),
    .flags = BW_EXPORTER_REBUILT_STATE | BW_EXPORTER_RANKS | BW_EXPORTER_TURNS,
    .init = nano_init,
    .frame = vdb_frame,
    .finish = vdb_finish,
    .outputs = nano_outputs,
};
static const struct bw_exporter_desc *const exporters[] = {&exporter, &nano_exporter};

BW_EXPORT const struct bw_module billow_module = BW_MODULE_EXPORTERS(exporters);
