// SPDX-License-Identifier: Apache-2.0
/* Every output has one owner: two exporters, stages, or the bake itself that want one file are refused, before a bake
 * where the exporter says its names, else when the second one begins the file; the first one's stays whole. */
#include "run/chain.h"
#include "support.h"
#include <criterion/criterion.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- an exporter that says nothing beforehand, and a stage: both write their own id into NAME ---- */

struct options {
    const char *name;
};

static const struct bw_param params[] = {BW_STRING(struct options, name, "name", "same.txt", "The file.")};

static enum bw_status text_write(const char *path, const char *text)
{
    FILE *f = path ? fopen(path, "w") : NULL;
    if (!f) return BW_ERR_IO;
    fputs(text, f);
    return fclose(f) ? BW_ERR_IO : BW_OK;
}

static atomic_bool blind_has;

static enum bw_status blind_frame(struct bw_exporter *e, const struct bw_frame *frame)
{
    (void)frame;
    const char *path = e->host->output_begin(e, ((const struct options *)e->params)->name);
    enum bw_status st = text_write(path, e->id);
    atomic_store(&blind_has, true);
    return st == BW_OK ? e->host->output_commit(e, path) : st;
}

/* Exporters write while the next frame is computed: the stage is second only if it waits. */
static enum bw_status note_step(struct bw_stage *s)
{
    for (int ms = 0; ms < 20000 && !atomic_load(&blind_has); ms++) usleep(1000);
    return text_write(s->host->output(s, ((const struct options *)s->params)->name, 0), s->id);
}

static const struct bw_stage_desc note = {.id = "t.note",
                                          .version = "1",
                                          .brief = "x",
                                          BW_PARAMS(params),
                                          .params_size = sizeof(struct options),
                                          .step = note_step};
static const struct bw_stage_desc *const stages[] = {&note};
static const struct bw_exporter_desc blind = {.id = "t.blind",
                                              .version = "1",
                                              .brief = "x",
                                              BW_PARAMS(params),
                                              .params_size = sizeof(struct options),
                                              .frame = blind_frame};
static const struct bw_exporter_desc *const exporters[] = {&blind};
static const struct bw_module module = {BW_MODULE_HEAD, 1, 1, stages, exporters};

/* ---- presets: line 4 is the first exporter's ---- */

#define HEAD "billow: 1\nname: puff\nexport:\n"
#define REST                                                                                                           \
    "time: {fps: 10, frames: %s}\n"                                                                                    \
    "domains: {near: {cells: [16, 16, 16], voxel: 1}, far: {cells: [16, 16, 16], voxel: 1, center: [40, 0]}}\n"        \
    "stages:\n"                                                                                                        \
    "  - set: {field: density, value: 1, keep: true}\n"                                                                \
    "  - set: {field: density, value: 1, keep: true, domain: far}\n"                                                   \
    "  - tracers: {shape: {sphere: {radius: 3}}, count: 10}\n"                                                         \
    "  - vorton.emit: {source: {tube: {from: [0, 0, -5], to: [0, 0, 5], core: 2, circulation: 1, layers: 1}}}\n"       \
    "  - body: {shape: {sphere: {radius: 2}}}\n"                                                                       \
    "  - bodies: {ground: no}\n"

static struct test_run start(const char *exports, const char *frames, const char *more, const char *out)
{
    char *rest = bw_printf(REST, frames), *yaml = bw_printf(HEAD "%s%s%s", exports, rest, more);
    struct test_run r =
        test_start(yaml, &(struct test_options){.simd = UINT32_MAX, .module = &module, .out = out, .only_check = !out});
    bw_free(yaml);
    bw_free(rest);
    return r;
}

static void refused(struct test_run *r, const char *exports, const char *place, const char *words)
{
    char at[64];
    snprintf(at, sizeof at, ".yaml:%s: ", place);
    cr_assert_eq(r->status, BW_ERR_PRESET, "%s: %d, %s", exports, r->status, r->diag.text ? r->diag.text : "taken");
    cr_assert(strstr(r->diag.first, at), "wanted place %s, said: %s", place, r->diag.first);
    cr_assert(strstr(r->diag.first, words), "wanted %s, said: %s", words, r->diag.first);
    cr_assert_eq(r->diag.errors, 1, "once is enough: %s", r->diag.text);
}

/// Refused by `billow check`: the second one's place, and words of the sentence.
static void check_refuses(const char *exports, const char *frames, const char *place, const char *words)
{
    struct test_run r = start(exports, frames, "", NULL);
    refused(&r, exports, place, words);
    test_end(&r);
}

static void check_takes(const char *exports, const char *frames)
{
    struct test_run r = start(exports, frames, "", NULL);
    cr_assert_eq(r.status, BW_OK, "%s: %s", exports, r.diag.text);
    test_end(&r);
}

Test(outputs, two_of_a_kind_are_refused)
{
    static const char *const kind[] = {"vdb", "png", "exr", "mp4", "ply", "bodies"};
    for (size_t i = 0; i < BW_COUNT(kind); i++) {
        char *usual = bw_printf("  - %s: {}\n  - %s: {}\n", kind[i], kind[i]);
        char *named =
            bw_printf("  - %s: {name: a}\n  - %s: {}\n  - %s: {name: a, domain: far}\n", kind[i], kind[i], kind[i]);
        char *apart = bw_printf("  - %s: {name: a}\n  - %s: {}\n  - %s: {name: b}\n", kind[i], kind[i], kind[i]);
        char *same = bw_printf("%s_2 would write \"", kind[i]);
        check_refuses(usual, "1-3", "5:5", same);
        check_refuses(usual, "1-3", "5:5", ".yaml:4:5) does");
        check_refuses(named, "1-3", "6:5", ".yaml:4:5) does");
        check_takes(apart, "1-3");
        bw_free(usual);
        bw_free(named);
        bw_free(apart);
        bw_free(same);
    }
}

Test(outputs, names_that_meet)
{
    check_takes("  - vdb: {}\n  - vdb: {domain: far}\n", "1-3");
    check_refuses("  - vdb: {name: puff_far}\n  - vdb: {domain: far}\n", "1-3", "5:5",
                  "\"vdb/puff_far_0001.vdb\", as vdb (");
    check_refuses("  - vdb: {name: a}\n  - vdb: {name: 'a_####'}\n", "1-3", "5:5", "\"vdb/a_0001.vdb\"");
    check_takes("  - vdb: {name: a}\n  - vdb: {name: 'a_#####'}\n", "1-3");
    check_refuses("  - vdb: {name: a}\n  - vdb: {name: 'a_#####'}\n", "1-10000", "5:5", "\"vdb/a_10000.vdb\"");
    check_refuses("  - png: {name: Shot}\n  - png: {name: shot}\n", "1-3", "5:5", "the same file to many file systems");
    check_refuses("  - ply: {particles: tracers}\n  - ply: {}\n", "1-3", "5:5", "\"ply/puff_tracers_0001.ply\"");
    check_takes("  - ply: {particles: tracers}\n  - ply: {particles: vortons}\n", "1-3");
    check_takes("  - png: {}\n  - exr: {}\n  - vdb: {}\n  - mp4: {}\n  - ply: {}\n  - bodies: {}\n", "1-3");
    check_takes("  - vdb: {}\n  - vdb: {enabled: false}\n", "1-3");
}

/* ---- those that say nothing ---- */

struct folder {
    char path[32];
};

static struct folder folder_make(void)
{
    struct folder f = {"/tmp/billow-out-XXXXXX"};
    cr_assert_not_null(mkdtemp(f.path));
    return f;
}

static void folder_remove(const struct folder *f)
{
    char command[64];
    snprintf(command, sizeof command, "rm -r '%s'", f->path);
    cr_assert_eq(system(command), 0);
}

/// Ends the folder; `name` in it holds `text`.
static void folder_end(const struct folder *f, const char *name, const char *text)
{
    char path[128], got[64] = "";
    snprintf(path, sizeof path, "%s/%s", f->path, name);
    FILE *file = fopen(path, "r");
    cr_assert(file && fgets(got, sizeof got, file), "no %s", path);
    fclose(file);
    cr_assert_str_eq(got, text);
    folder_remove(f);
}

static void bake_refuses(const char *exports, const char *more, const char *place, const char *words)
{
    struct folder f = folder_make();
    struct test_run r = start(exports, "1-2", more, f.path);
    refused(&r, exports, place, words);
    test_end(&r);
    folder_end(&f, "a/same.txt", "t.blind");
}

Test(outputs, the_first_one_keeps_its_file)
{
    static const char *const name[] = {"a/same.txt", "a//same.txt", "./a/same.txt", "a/././same.txt", "A/Same.TXT"};
    for (size_t i = 0; i < BW_COUNT(name); i++) {
        char *exports = bw_printf("  - t.blind: {name: a/same.txt}\n  - t.blind: {name: %s}\n", name[i]);
        check_takes(exports, "1-2");
        bake_refuses(exports, "", "5:5", "as t.blind (/tmp/");
        bw_free(exports);
    }
}

Test(outputs, a_stage_that_is_second)
{
    bake_refuses("  - t.blind: {name: a/same.txt}\n", "  - t.note: {name: a/same.txt}\n", "14:5", "t.note would write");
}

/* Again and again by the same one is its own affair; other names, and those that only look alike, are free. */
Test(outputs, others_are_let_be)
{
    struct folder f = folder_make();
    struct test_run r =
        start("  - t.blind: {name: a/same.txt}\n  - t.blind: {name: a/same.tx}\n"
              "  - t.blind: {name: a.same.txt}\n  - t.blind: {name: same.txt}\n  - t.blind: {name: .a}\n",
              "1-4", "", f.path);
    cr_assert_eq(r.status, BW_OK, "%s", r.diag.text);
    test_end(&r);
    folder_end(&f, "a/same.txt", "t.blind");
}

Test(outputs, the_bake_keeps_its_own)
{
    static const char *const name[] = {"metrics.csv", "timings.csv", "resolved.yaml", "bake.log", "Bake.json"};
    for (size_t i = 0; i < BW_COUNT(name); i++) {
        char *exports = bw_printf("  - t.blind: {name: a/same.txt}\n  - t.blind: {name: %s}\n", name[i]);
        bake_refuses(exports, "", "5:5", "as the bake itself does");
        bw_free(exports);
    }
}

/* ---- what ours say is what they write ---- */

static int name_count(const char *dir)
{
    char command[128];
    int n = 0;
    snprintf(command, sizeof command, "find '%s' -type f | wc -l", dir);
    FILE *f = popen(command, "r");
    cr_assert(f && fscanf(f, "%d", &n) == 1);
    pclose(f);
    return n;
}

struct said {
    const char *dir;
    int new, missing;
};

static void name_look(const char *name, void *user)
{
    struct said *said = user;
    char path[256];
    snprintf(path, sizeof path, "%s/%s", said->dir, name);
    said->missing += access(path, R_OK) != 0;
    said->new += unlink(path) == 0;
}

/* Every name is that of a file, and every file but metrics.csv and timings.csv has been named. */
Test(outputs, all_that_ours_write_is_said_before)
{
    struct folder f = folder_make();
    struct test_run r =
        start("  - vdb: {name: 'a_######'}\n  - vdb: {domain: far, fields: [density]}\n"
              "  - png: {size: 64}\n  - png: {size: 64, domain: far}\n  - png: {size: 64, name: own, every: 2}\n"
              "  - exr: {size: 64}\n  - mp4: {size: 64, view: slice}\n"
              "  - mp4: {size: 64, view: slice, name: own, sheet: no}\n"
              "  - ply: {}\n  - ply: {particles: tracers, name: own}\n  - bodies: {}\ncheckpoints: {every: 0}\n",
              "1-2", "", f.path);
    cr_assert_eq(r.status, BW_OK, "%s", r.diag.text);
    struct bw_snapshot_particles particles[8] = {0};
    struct bw_frame frame = {.size = sizeof frame, .first = 1, .last = 2, .fps = 10, .particles = particles};
    for (int32_t i = 0; i < r.chain->fields.n; i++)
        if (r.chain->fields.field[i].particles) particles[frame.n_particles++].name = r.chain->fields.field[i].name;
    cr_assert_geq(frame.n_particles, 2);
    struct said said = {.dir = f.path};
    int files = name_count(f.path);
    for (int32_t i = 0; i < r.chain->exporters.n; i++) {
        const struct bw_exporter *e = &r.chain->exporters.exporter[i].pub;
        int before = said.new;
        for (frame.number = 1; frame.number <= 2; frame.number++) {
            struct said one = {.dir = f.path};
            e->desc->outputs(e, &frame, name_look, &one);
            said.new += one.new;
            if (frame.number == 1) said.missing += one.missing; /* in the second frame movies are gone already */
        }
        cr_assert_gt(said.new, before, "%s says nothing", e->id);
    }
    cr_assert_eq(said.missing, 0, "%d names without a file", said.missing);
    cr_assert_eq(said.new, files - 2, "%d files, %d said", files, said.new);
    test_end(&r);
    folder_remove(&f);
}

/* ---- sequences ---- */

static void claim_count(const char *name, void *n)
{
    cr_expect(*name);
    ++*(int *)n;
}

Test(outputs, a_sequence_is_one_claim_whatever_its_length)
{
    struct run_log log;
    struct bw_diag d = {0};
    struct claims claims = {.log = &log};
    const struct bw_place place[2] = {{0}, {0}};
    int64_t frame;
    struct output_owner a = {"a", &place[0], &frame}, b = {"b", &place[1], &frame};
    char name[40];
    int n = 0;
    log_init(&log, NULL, NULL);
    log.diag = &d;
    for (frame = 1; frame <= 1000; frame++) {
        snprintf(name, sizeof name, "dir/x_%04d.mp4", (int)frame);
        cr_assert_eq(claims_take(&claims, a, name), BW_OK);
        cr_assert_eq(claims_take(&claims, b, "other_7.png"), BW_OK);
    }
    claims_each(&claims, claim_count, &n);
    cr_assert_leq(n, 3, "%d claims", n); /* "other_7" was a frame's once: the seventh's */
    cr_assert_eq(claims_take(&claims, b, "dir/y_0005.mp4"), BW_OK, "another sequence");
    cr_assert_eq(claims_take(&claims, b, "dir/x_0005.mp4"), BW_ERR_PRESET);
    cr_assert(strstr(d.first, "\"dir/x_0005.mp4\", as a does with \"dir/x_0001.mp4\" and what follows it"), "%s",
              d.first);
    frame = 8;
    cr_assert_eq(claims_take(&claims, a, "other_8.png"), BW_OK);
    frame = 7;
    cr_assert_eq(claims_take(&claims, a, "other_7.png"), BW_ERR_PRESET, "it is b's");
    claims_free(&claims);
    log_free(&log);
    bw_diag_free(&d);
}
