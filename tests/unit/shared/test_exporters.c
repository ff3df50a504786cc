// SPDX-License-Identifier: Apache-2.0
/* Exporters that are killed after every frame and resumed from what they saved write the files of those that are not:
 * each twice in one bake, once as it is, once behind a relay that ends its instance and makes another. The smoke moves
 * and fades in a domain without a box, so that camera, size and colours depend on what was seen. */
#include "support.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <support/memory_archive.h>

static const char *const files[] = {"png/png.so", "exr/exr.so", "mp4/mp4.so",
                                    "ply/ply.so", "vdb/vdb.so", "bodies/bodies_motion.so"};
enum { RELAYS = sizeof files / sizeof *files };

static struct relay {
    struct bw_exporter_desc desc; ///< the real one's, with calls that come through here
    const struct bw_exporter_desc *real;
    char id[32];
    int resumed;
} relays[RELAYS];

static struct relay *relay_of(const struct bw_exporter *e)
{
    for (int i = 0; i < RELAYS; i++)
        if (!strcmp(relays[i].id, e->desc->id)) return &relays[i];
    return NULL;
}

/// Another instance, of what this one saved.
static enum bw_status relay_resume(struct relay *r, struct bw_exporter *e)
{
    struct memory_archive a;
    memory_archive_init(&a);
    enum bw_status status = r->real->checkpoint ? r->real->checkpoint(e, &a.pub) : BW_OK;
    if (r->real->uninit) r->real->uninit(e);
    memset(e->state, 0, r->real->state_size);
    if (!status && r->real->init) status = r->real->init(e);
    memory_archive_rewind(&a);
    if (!status && r->real->checkpoint) status = r->real->checkpoint(e, &a.pub);
    if (!status && !memory_archive_emptied(&a)) status = BW_ERR;
    memory_archive_free(&a);
    r->resumed++;
    return status;
}

/// Before its first frame there is nothing to save, and that comes back too.
static enum bw_status relay_init(struct bw_exporter *e)
{
    struct relay *r = relay_of(e);
    enum bw_status status = r->real->init ? r->real->init(e) : BW_OK;
    return status ? status : relay_resume(r, e);
}

static enum bw_status relay_frame(struct bw_exporter *e, const struct bw_frame *frame)
{
    struct relay *r = relay_of(e);
    enum bw_status status = r->real->frame(e, frame);
    return status ? status : relay_resume(r, e);
}

/// The exporter of the build.
static const struct bw_exporter_desc *real_open(const char *file)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/exporters/%s", getenv("BILLOW_TEST_BUILD"), file);
    void *so = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    cr_assert(so, "%s", dlerror());
    const struct bw_module *m = dlsym(so, "billow_module");
    return m->exporters[0];
}

static void relays_make(const struct bw_exporter_desc *list[RELAYS])
{
    for (int i = 0; i < RELAYS; i++) {
        struct relay *r = &relays[i];
        r->real = real_open(files[i]);
        snprintf(r->id, sizeof r->id, "relay.%s", r->real->id);
        r->desc = *r->real;
        r->desc.id = r->id;
        r->desc.init = relay_init;
        r->desc.frame = relay_frame;
        list[i] = &r->desc;
    }
}

/// A preset up to its exports.
#define PRESET(frames)                                                                                                 \
    "billow: 1\nname: puff\ntime: {fps: 10, frames: " frames "}\ndomain: {voxel: 0.1, size: none}\nstages:\n"          \
    "  - emit: {shape: {sphere: {center: [\"=-2+6*t\", 0, 1], radius: 0.4}}, mode: max, density: \"=1.5-t\"}\n"        \
    "  - dissipate: {density: 10 1/s}\n"                                                                               \
    "  - tracers: {shape: {sphere: {radius: 3}}, count: 10}\n"                                                         \
    "  - body: {shape: {sphere: {center: [0, 0, 3], radius: 0.4}}}\n"                                                  \
    "  - bodies: {ground: no}\n"                                                                                       \
    "export:\n"

/// Options that make the most depend on earlier frames.
static const char *const options[][2] = {
    {"png", "view: slice, field: density, position: 1 cm, size: 96"},
    {"png", "view: render, size: 96, every: 2"},
    {"exr", "size: 96, every: 3"},
    {"mp4", "view: render, size: 96"},
    {"mp4", "view: slice, field: density, position: 1 cm, size: 96, fps: 24, crf: \"=19+10*t\""},
    {"ply", "every: 5"},
    {"vdb", "points: [tracers]"},
    {"bodies", ""}};

/// Each exporter, named aN, and where `relays`, its relay too, named bN.
static char *preset_make(const char *head, int with_relays)
{
    char *text = malloc(1 << 14);
    size_t n = (size_t)sprintf(text, "%s", head);
    for (int i = 0; i < (int)(sizeof options / sizeof *options); i++)
        for (int relay = 0; relay <= with_relays; relay++) {
            const char *what = options[i][0], *more = options[i][1];
            n += (size_t)sprintf(text + n, "  - %s%s: {id: %c%d, name: %c%d%s%s}\n", relay ? "relay." : "", what,
                                 relay ? 'b' : 'a', i, relay ? 'b' : 'a', i, *more ? ", " : "", more);
        }
    return text;
}

static void files_equal(const char *a, const char *b)
{
    FILE *f = fopen(a, "rb"), *g = fopen(b, "rb");
    cr_assert(f && g, "%s and %s", a, b);
    for (long at = 0, c = 0; c != EOF; at++) {
        c = getc(f);
        cr_assert_eq(c, getc(g), "%s differs at byte %ld", b, at);
    }
    fclose(f);
    fclose(g);
}

/// The files of the exporters named aN below `out`, which are as many as there must be.
static glob_t files_find(const char *out)
{
    glob_t found = {0};
    char pattern[64];
    snprintf(pattern, sizeof pattern, "%s/a[0-9]*", out);
    glob(pattern, 0, NULL, &found);
    snprintf(pattern, sizeof pattern, "%s/*/a[0-9]*", out);
    glob(pattern, GLOB_APPEND, NULL, &found);
    cr_assert_eq(found.gl_pathc, 4 + 12 + 6 + 4 + 6 + 12 + 2, "%zu files", found.gl_pathc);
    return found;
}

static void folder_remove(const char *out)
{
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", out);
    cr_assert_eq(system(command), 0);
}

Test(exporters, resumed_after_every_frame_write_the_same)
{
    char out[] = "/tmp/billow-exporters-XXXXXX", *yaml = preset_make(PRESET("3-14"), 1);
    const struct bw_exporter_desc *list[RELAYS];
    const struct bw_module module = {BW_MODULE_HEAD, 0, RELAYS, NULL, list};
    relays_make(list);
    cr_assert(mkdtemp(out));
    struct test_run r = test_start(yaml, &(struct test_options){.simd = UINT32_MAX, .out = out, .module = &module});
    cr_assert_eq(r.status, BW_OK, "%s", r.diag.first);
    test_end(&r);
    for (int i = 0; i < RELAYS; i++) cr_assert_geq(relays[i].resumed, 13, "%s", relays[i].id);
    glob_t found = files_find(out);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char *other = strdup(found.gl_pathv[i]);
        strrchr(other, '/')[1] = 'b';
        files_equal(found.gl_pathv[i], other);
        free(other);
    }
    globfree(&found);
    folder_remove(out);
    free(yaml);
}

/* ---- whole runs ---- */

/// A run in parts: each is stopped after some substeps, and the next goes on from its checkpoint.
struct part {
    const char *out;
    char resume[128]; ///< path of the newest checkpoint; "": none
    int left;         ///< substeps until it is stopped; 0: never
    _Atomic int stop;
    char said[512];
    const char *from, *to; ///< this text of the preset by that; NULL: none
};

/// `text`, which is freed, with each `from` as `to`.
static char *text_replace(char *text, const char *from, const char *to)
{
    char *out = malloc(1 << 14), *at = out;
    for (const char *c = text; *c;) {
        const int here = !strncmp(c, from, strlen(from));
        at += here ? sprintf(at, "%s", to) : sprintf(at, "%c", *c);
        c += here ? strlen(from) : 1;
    }
    *at = 0;
    free(text);
    return out;
}

static void part_substep(const struct bw_progress *p, void *user)
{
    struct part *part = user;
    (void)p;
    if (part->left && !--part->left) part->stop = 1;
}

static void part_checkpoint(const char *name, int64_t frame, void *user)
{
    struct part *part = user;
    (void)frame;
    snprintf(part->resume, sizeof part->resume, "%s/%s", part->out, name);
}

static void part_run(struct bw_run_options *run, void *user)
{
    struct part *part = user;
    run->stop = &part->stop;
    run->resume = *part->resume ? part->resume : NULL;
    run->on_substep = part_substep;
    run->on_checkpoint = part_checkpoint;
}

static enum bw_status part_bake(struct part *part, const char *head)
{
    char *yaml = preset_make(head, 0);
    if (part->from) yaml = text_replace(yaml, part->from, part->to);
    const struct test_options o = {.simd = UINT32_MAX, .out = part->out, .on_run = part_run, .user = part};
    part->stop = 0;
    struct test_run r = test_start(yaml, &o);
    const enum bw_status status = r.status;
    snprintf(part->said, sizeof part->said, "%s", r.diag.first ? r.diag.first : "");
    test_end(&r);
    free(yaml);
    return status;
}

/// Are the files of two folders the same?
static void folders_equal(const char *a, const char *b)
{
    glob_t found = files_find(a);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char other[256];
        snprintf(other, sizeof other, "%s%s", b, found.gl_pathv[i] + strlen(a));
        files_equal(found.gl_pathv[i], other);
    }
    globfree(&found);
}

Test(exporters, stopped_often_and_extended_write_the_same)
{
    char out[3][32] = {"/tmp/billow-straight-XXXXXX", "/tmp/billow-stopped-XXXXXX", "/tmp/billow-longer-XXXXXX"};
    for (int i = 0; i < 3; i++) cr_assert(mkdtemp(out[i]));
    struct part straight = {.out = out[0]}, stopped = {.out = out[1], .left = 3}, longer = {.out = out[2]};
    int parts = 1;
    cr_assert_eq(part_bake(&straight, PRESET("3-14")), BW_OK);
    for (; part_bake(&stopped, PRESET("3-14")) != BW_OK; parts++) {
        cr_assert(stopped.stop && *stopped.resume && parts < 100, "%s", stopped.said);
        stopped.left = 3;
    }
    cr_assert_gt(parts, 3);
    folders_equal(out[0], out[1]);
    cr_assert_eq(part_bake(&longer, PRESET("3-6")), BW_OK);
    cr_assert_eq(part_bake(&longer, PRESET("3-14")), BW_OK);
    folders_equal(out[0], out[2]);
    for (int i = 0; i < 3; i++) folder_remove(out[i]);
}

static long file_size(const char *folder, const char *name)
{
    char path[256];
    struct stat st;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return stat(path, &st) ? -1 : (long)st.st_size;
}

/// Height of a PNG.
static int png_height(const char *folder, const char *name)
{
    char path[256];
    uint8_t head[24];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "rb");
    cr_assert(f && fread(head, 1, sizeof head, f) == sizeof head, "%s", path);
    fclose(f);
    return head[22] << 8 | head[23];
}

/// Gone on with other values: each has its effect from there on, or is refused or told.
Test(exporters, other_values_later_have_effect)
{
    char out[] = "/tmp/billow-other-XXXXXX";
    cr_assert(mkdtemp(out));
    struct part part = {.out = out};
    cr_assert_eq(part_bake(&part, PRESET("3-6")), BW_OK, "%s", part.said);
    const long before = file_size(out, "a3.mp4");
    part.from = "view: slice, field: density, position: 1 cm, size: 96}";
    part.to = "view: slice, field: density, position: 1 cm, size: 64}";
    cr_assert_eq(part_bake(&part, PRESET("3-9")), BW_OK, "%s", part.said);
    cr_assert_eq(png_height(out, "png/a0_0006.png"), 96);
    cr_assert_eq(png_height(out, "png/a0_0007.png"), 64);
    cr_assert_gt(file_size(out, "a3.mp4"), before);
    part.from = "name: a3, view: render, size: 96";
    part.to = "name: a3, view: render, size: 96, crf: 51, fps: 5";
    cr_assert_eq(part_bake(&part, PRESET("3-12")), BW_OK, "%s", part.said);
    cr_assert_lt(file_size(out, "a3.mp4"), before, "worse, the movie is no smaller");
    part.to = "name: a3, view: render, size: 64";
    cr_assert_eq(part_bake(&part, PRESET("3-14")), BW_ERR_USAGE);
    cr_assert(strstr(part.said, "does not fit a movie of"), "%s", part.said);
    folder_remove(out);
}
