// SPDX-License-Identifier: Apache-2.0
/* What a chain that cannot work is told, and where; and how a run ends that cannot go on. */
#include "support.h"
#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD                                                                                                           \
    "billow: 1\nname: c\ndomain: {size: [16, 16, 16], voxel: 1}\ntime: {fps: 10, frames: 1-4, substeps: 1}\nstages:\n"

/* ---- stages that make and want fields in every way ---- */

static enum bw_status nothing(struct bw_stage *s)
{
    (void)s;
    return BW_OK;
}

#define MAKER(name_, kind_, precision_, access_, lifetime_, unit_)                                                     \
    {                                                                                                                  \
        {                                                                                                              \
            .name = name_, .kind = kind_, .precision = precision_, .access = access_, .lifetime = lifetime_,           \
            .unit = unit_, .doc = "x"                                                                                  \
        }                                                                                                              \
    }
static const struct bw_port read_ports[] = MAKER("heat", BW_SCALAR, BW_F32, BW_READ, BW_STATE, "K");
static const struct bw_port update_ports[] = MAKER("heat", BW_SCALAR, BW_F32, BW_UPDATE, BW_STATE, "K");
static const struct bw_port write_ports[] = MAKER("heat", BW_SCALAR, BW_F32, BW_WRITE, BW_STATE, "K");
static const struct bw_port vector_ports[] = MAKER("heat", BW_VECTOR, BW_F32, BW_READ, BW_STATE, "K");
static const struct bw_port vector_make_ports[] = MAKER("heat", BW_VECTOR, BW_F32, BW_UPDATE, BW_STATE, "K");
static const struct bw_port f64_ports[] = MAKER("heat", BW_SCALAR, BW_F64P, BW_READ, BW_STATE, "K");
static const struct bw_port unit_ports[] = MAKER("heat", BW_SCALAR, BW_F32, BW_READ, BW_STATE, "kg");
static const struct bw_port step_make_ports[] = MAKER("push", BW_MAC, BW_F32, BW_UPDATE, BW_STEP, "m/s^2");
static const struct bw_port step_read_ports[] = MAKER("push", BW_MAC, BW_F32, BW_READ, BW_STEP, "m/s^2");
static const struct bw_port optional_update_ports[] = {{.name = "heat",
                                                        .kind = BW_SCALAR,
                                                        .access = BW_UPDATE,
                                                        .unit = "K",
                                                        .doc = "x",
                                                        .flags = BW_PORT_OPTIONAL | BW_PORT_NO_CREATE}};
static const struct bw_attribute thick[] = {{"pos", BW_F64P, 3, "m"}, {"size", BW_F32, 1, "m"}};
static const struct bw_attribute thin[] = {{"pos", BW_F64P, 3, "m"}, {"colour", BW_F32, 3, "1"}};
static const struct bw_attribute flat[] = {{"pos", BW_F32, 3, "m"}};
static const struct bw_port dots_ports[] = {
    {.name = "dots", .kind = BW_PARTICLES, .access = BW_UPDATE, .doc = "x", .attributes = thick, .n_attributes = 2}};
static const struct bw_port dots_read_ports[] = {
    {.name = "dots", .kind = BW_PARTICLES, .access = BW_READ, .doc = "x", .attributes = thin, .n_attributes = 2}};
static const struct bw_port dots_flat_ports[] = {
    {.name = "dots", .kind = BW_PARTICLES, .access = BW_UPDATE, .doc = "x", .attributes = flat, .n_attributes = 1}};

struct options {
    double length;
    int32_t mode, flag;
    int64_t count;
};
static const struct bw_param params[] = {
    BW_F64(struct options, length, "length", "1 m", 0, 10, "m", "A length."),
    BW_CHOICE(struct options, mode, "mode", "soft", "soft|hard", "How."),
    BW_BOOL(struct options, flag, "flag", "false", "Whether."),
    BW_INT(struct options, count, "count", "1", 0, 9, "How many."),
};

/* ---- stages that fail ---- */

static int uninit_calls;
static void uninit_count(struct bw_stage *s)
{
    (void)s;
    uninit_calls++;
}
static enum bw_status init_fail(struct bw_stage *s)
{
    cr_assert_not_null(s->host->alloc(s, 100));
    return s->host->fail(s, BW_ERR_PLUGIN, "no %s today", "luck");
}
static enum bw_status silent_fail(struct bw_stage *s)
{
    (void)s;
    return BW_ERR_IO;
}
static enum bw_status nonsense(struct bw_stage *s)
{
    (void)s;
    return (enum bw_status)42;
}

static void nan_body(const struct bw_block *b, void *user)
{
    if (b->lo[0] == 0 && b->lo[1] == 0 && b->lo[2] == 0)
        *(float *)((char *)b->view[0].data[0] + sizeof(float) * (size_t)(3 + 4 * b->view[0].sy + 5 * b->view[0].sz)) =
            *(float *)user;
}
static enum bw_status nan_step(struct bw_stage *s)
{
    float bad = s->step == 2 ? NAN : 1;
    struct bw_access a = {bw_port_field(s, 0), BW_UPDATE, 0};
    s->host->sweep(s, &(struct bw_sweep){.access = &a, .n_access = 1, .body = nan_body, .user = &bad});
    return BW_OK; /* careless: the host must not be */
}

static void rim_body(const struct bw_block *b, void *user)
{
    (void)user;
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < b->n[2] + (c == 2); k++)
            for (int j = 0; j < b->n[1] + (c == 1); j++)
                for (int i = 0; i < b->n[0] + (c == 0); i++)
                    bw_f32(&b->view[0], c)[i + j * b->view[0].sy + k * b->view[0].sz] =
                        c == 1 && j == b->n[1] ? INFINITY : 0;
}
static enum bw_status rim_step(struct bw_stage *s)
{
    struct bw_access a = {bw_port_field(s, 0), BW_WRITE, 0};
    return s->host->sweep(s, &(struct bw_sweep){.access = &a, .n_access = 1, .body = rim_body});
}
static const struct bw_port flow_ports[] = MAKER("flow", BW_MAC, BW_F32, BW_WRITE, BW_STATE, "m/s");

static enum bw_status lost_step(struct bw_stage *s)
{
    const struct bw_particles_api *api = s->host->extension(BW_PARTICLES_API);
    int64_t first;
    enum bw_status st = api->add(s->ports[0].particles, 3, &first);
    if (st == BW_OK && s->step == 2) ((float *)api->attribute(s->ports[0].particles, "size"))[4] = NAN;
    return st;
}

static _Atomic int stop;
static enum bw_status stop_step(struct bw_stage *s)
{
    const char *path = s->host->output(s, "stopped.txt", 1);
    FILE *f = path ? fopen(path, "w") : NULL;
    if (f) fclose(f);
    stop = s->step == 2;
    return BW_OK;
}

/* Grows by a layer of tiles a step. */
static enum bw_status grow(struct bw_stage *s)
{
    double lo[3] = {-1e3, -1e3, 0}, hi[3] = {1e3, 1e3, 16. * (double)s->step + 1};
    return s->host->activate(s, lo, hi);
}

#define STAGE(id_, ports_, ...)                                                                                        \
    &(const struct bw_stage_desc)                                                                                      \
    {                                                                                                                  \
        .id = id_, .version = "1", .brief = "x", BW_PORTS(ports_), .step = nothing, __VA_ARGS__                        \
    }
static const struct bw_stage_desc *const stages[] = {
    STAGE("c.read", read_ports, .flags = 0),
    STAGE("c.update", update_ports, .flags = 0),
    STAGE("c.write", write_ports, .flags = 0),
    STAGE("c.vector", vector_ports, .flags = 0),
    STAGE("c.vector_make", vector_make_ports, .flags = 0),
    STAGE("c.f64", f64_ports, .flags = 0),
    STAGE("c.unit", unit_ports, .flags = 0),
    STAGE("c.push", step_make_ports, .flags = 0),
    STAGE("c.pushed", step_read_ports, .flags = 0),
    STAGE("c.maybe", optional_update_ports, .flags = 0),
    STAGE("c.dots", dots_ports, .flags = 0),
    STAGE("c.dots_read", dots_read_ports, .flags = 0),
    STAGE("c.dots_flat", dots_flat_ports, .flags = 0),
    STAGE("c.grow", update_ports, .activate = grow),
    &(const struct bw_stage_desc){.id = "c.options",
                                  .version = "1",
                                  .brief = "x",
                                  BW_PARAMS(params),
                                  .params_size = sizeof(struct options),
                                  .step = nothing},
    &(const struct bw_stage_desc){
        .id = "c.unlucky", .version = "1", .brief = "x", .step = nothing, .init = init_fail, .uninit = uninit_count},
    &(const struct bw_stage_desc){.id = "c.silent", .version = "1", .brief = "x", .step = silent_fail},
    &(const struct bw_stage_desc){.id = "c.nonsense", .version = "1", .brief = "x", .step = nonsense},
    &(const struct bw_stage_desc){
        .id = "c.nan", .version = "1", .brief = "x", BW_PORTS(update_ports), .step = nan_step},
    &(const struct bw_stage_desc){.id = "c.rim", .version = "1", .brief = "x", BW_PORTS(flow_ports), .step = rim_step},
    &(const struct bw_stage_desc){
        .id = "c.lost", .version = "1", .brief = "x", BW_PORTS(dots_ports), .step = lost_step},
    &(const struct bw_stage_desc){.id = "c.stop", .version = "1", .brief = "x", .step = stop_step},
};
static const struct bw_module module = BW_MODULE(stages);

/* ---- a chain that cannot be: `place` is "LINE:COLUMN" ---- */

static void refuse(const char *lines, const char *place, const char *words)
{
    char *yaml = bw_printf(HEAD "%s", lines), at[64];
    struct test_run r =
        test_start(yaml, &(struct test_options){.simd = UINT32_MAX, .module = &module, .plugins = "", .only_check = 1});
    snprintf(at, sizeof at, ".yaml:%s: ", place);
    cr_assert_eq(r.status, BW_ERR_PRESET, "%s: %d", words, r.status);
    cr_assert(r.diag.first && strstr(r.diag.first, words), "wanted \"%s\", said: %s", words, r.diag.text);
    cr_assert(strstr(r.diag.first, at), "wanted place %s, said: %s", place, r.diag.first);
    bw_free(yaml);
    test_end(&r);
}

Test(chain, unknown_names)
{
    refuse("  - c.raed: {}\n", "6:5", "unknown stage \"c.raed\"; did you mean \"c.read\"?");
    refuse("  - c.update: {}\nexport:\n  - vbd: {}\n", "8:5", "unknown exporter \"vbd\"");
    refuse("  - c.update: {domain: elsewhere}\n", "6:24", "elsewhere");
    refuse("  - c.update: {bind: {haet: dye}}\n", "6:23", "c.update has no port \"haet\"; did you mean \"heat\"?");
    refuse("  - c.options: {lenght: 3 m}\n", "6:17", "unknown key \"lenght\"; did you mean \"length\"?");
    refuse("  - c.options: {mode: sotf}\n", "6:23", "did you mean \"soft\"?");
    refuse("  - c.options: {id: a}\n  - c.options: {id: a}\n", "7:21", "id \"a\" is given twice");
}

Test(chain, wrong_values)
{
    refuse("  - c.options: {length: 3 kg}\n", "6:25", "mass");
    refuse("  - c.options: {length: 11 m}\n", "6:25", "out of range");
    refuse("  - c.options: {length: [1, 2]}\n", "6:25", "length");
    refuse("  - c.options: {flag: perhaps}\n", "6:23", "flag");
    refuse("  - c.options: {count: 1.5}\n", "6:24", "count");
    refuse("  - c.options: {count: 10}\n", "6:24", "out of range");
}

Test(chain, fields_that_do_not_meet)
{
    refuse("  - c.read: {}\n", "6:5", "c.read needs scalar \"heat\"; no stage makes it");
    refuse("  - c.update: {}\n  - c.read: {bind: {heat: cold}}\n", "7:5",
           "c.read needs scalar \"cold\"; no stage makes it");
    refuse("  - c.write: {}\n  - c.write: {id: again}\n", "7:5", "again and c.write both write \"heat\"");
    refuse("  - c.update: {}\n  - c.write: {}\n", "7:5", "discard what c.update did");
    refuse("  - c.maybe: {}\n  - c.write: {}\n", "6:5", "c.maybe updates \"heat\", but c.write, which comes later");
    refuse("  - c.update: {}\n  - c.vector: {}\n", "7:5",
           "c.vector wants vector \"heat\", but c.update makes it a scalar");
    refuse("  - c.update: {}\n  - c.vector_make: {}\n", "7:5",
           "c.vector_make makes vector \"heat\", but c.update made it a scalar");
    refuse("  - c.update: {}\n  - c.f64: {}\n", "7:5", "c.f64 wants \"heat\" in f64, but c.update makes it f32");
    refuse("  - c.update: {}\n  - c.unit: {}\n", "7:5", "c.unit wants \"heat\" in kg, but c.update makes it in K");
    refuse("  - c.pushed: {}\n  - c.push: {}\n", "6:5", "made later, by c.push: move c.push before it");
    refuse("  - c.dots: {}\n  - c.dots_read: {}\n", "7:5",
           "wants attribute \"colour\" of particles \"dots\" as 3 × f32; no stage makes it so");
    refuse("  - c.dots: {}\n  - c.dots_flat: {}\n", "7:5",
           "wants attribute \"pos\" of particles \"dots\" as 3 × f32; another stage");
}

Test(chain, every_stage_is_told_at_once)
{
    struct test_run r =
        test_start(HEAD "  - c.raed: {}\n  - c.options: {length: 3 kg}\n  - c.wirte: {}\n",
                   &(struct test_options){.simd = UINT32_MAX, .module = &module, .plugins = "", .only_check = 1});
    cr_assert_eq(r.diag.errors, 3, "%s", r.diag.text);
    test_end(&r);
}

/* ---- a run that cannot go on ---- */

static struct test_run run(const char *lines)
{
    char *yaml = bw_printf(HEAD "%s", lines);
    struct test_run r = test_start(yaml, &(struct test_options){.simd = UINT32_MAX, .module = &module, .plugins = ""});
    bw_free(yaml);
    return r;
}

static void fails(const char *lines, enum bw_status status, const char *words)
{
    struct test_run r = run(lines);
    cr_assert_eq(r.status, status, "%s: %d %s", words, r.status, r.diag.text);
    cr_assert(r.diag.first && strstr(r.diag.first, words), "wanted \"%s\", said: %s", words, r.diag.text);
    cr_assert_eq(r.diag.errors, 1, "%s", r.diag.text);
    test_end(&r);
}

Test(chain, failing_callbacks)
{
    uninit_calls = 0;
    fails("  - c.update: {}\n  - c.unlucky: {}\n", BW_ERR_PLUGIN, ":7:5: c.unlucky: no luck today");
    cr_assert_eq(uninit_calls, 1, "uninit follows a failed init");
    fails("  - c.silent: {}\n", BW_ERR_IO, "c.silent: step failed without saying why");
    fails("  - c.nonsense: {}\n", BW_ERR_PLUGIN, "c.nonsense: step returned 42, which is no status");
}

Test(chain, not_a_number)
{
    fails("  - c.nan: {}\n", BW_ERR_DIVERGED, "frame 3: c.nan: field \"heat\" is not a number at cell (3, 4, 5)");
    fails("  - c.rim: {}\n", BW_ERR_DIVERGED, "frame 2: c.rim: field \"flow\" is not a number at cell (0, 16, 0)");
    fails("  - c.lost: {}\n", BW_ERR_DIVERGED, "frame 3: c.lost: \"size\" of particle 4 of \"dots\" is not a number");
}

static int64_t whole_frames;
static void frame_count(const struct bw_progress *p, void *user)
{
    (void)user;
    whole_frames = p->frame;
}

Test(chain, memory_limit)
{
    char path[] = "/tmp/billow-limit-XXXXXX.yaml";
    int fd = mkstemps(path, 5);
    FILE *f = fdopen(fd, "w");
    fputs("billow: 1\nname: c\ndomain: {size: [128, 128, 512], voxel: 1}\nlimits: {memory: 24 MiB}\n"
          "time: {fps: 10, frames: 1-40, substeps: 1}\nstages:\n  - c.grow: {}\n",
          f);
    fclose(f);
    struct bw_diag d = {0};
    struct bw_preset_overrides over = {0};
    struct bw_preset *p = bw_preset_load(path, &over, &d);
    struct bw_registry *r = bw_registry_open("");
    bw_registry_add(r, &module, "test", &d);
    struct bw_run_options o = {.threads = 2, .on_frame = frame_count};
    struct bw_chain *c = p ? bw_chain_create(p, r, &o, &d) : NULL;
    cr_assert_not_null(c, "%s", d.text);
    cr_assert_eq(bw_chain_run(c, &d), BW_ERR_LIMIT, "%s", d.text);
    char frame[64];
    snprintf(frame, sizeof frame, "frame %lld: out of memory for ", (long long)whole_frames + 1);
    cr_assert_gt(whole_frames, 3);
    cr_assert(strstr(d.first, frame), "%s", d.first);
    cr_assert(strstr(d.first, "a voxel of "), "%s", d.first);
    double h = strtod(strstr(d.first, "a voxel of ") + 11, NULL);
    cr_assert(h > 1 && h < 4, "%s", d.first);
    bw_chain_free(c);
    bw_registry_close(r);
    bw_preset_free(p);
    bw_diag_free(&d);
    remove(path);
}

/* Inside its second frame one bake runs another, from first to last. */
struct nested {
    const char *inner; /* its limit, and frames */
    enum bw_status status;
};

static enum bw_status limited_run(const char *limit, int frames, struct nested *inside);

static void frame_nest(const struct bw_progress *p, void *user)
{
    struct nested *n = user;
    if (n && p->done == 20) n->status = limited_run(n->inner, 12, NULL);
}

static enum bw_status limited_run(const char *limit, int frames, struct nested *inside)
{
    char path[] = "/tmp/billow-limits-XXXXXX.yaml";
    FILE *f = fdopen(mkstemps(path, 5), "w");
    fprintf(f,
            "billow: 1\nname: c\ndomain: {size: [128, 128, 512], voxel: 1}\nlimits: {memory: %s}\n"
            "time: {fps: 10, frames: 1-%d, substeps: 1}\nstages:\n  - c.grow: {}\n",
            limit, frames);
    fclose(f);
    struct bw_diag d = {0};
    struct bw_preset *p = bw_preset_load(path, &(struct bw_preset_overrides){0}, &d);
    struct bw_registry *r = bw_registry_open("");
    bw_registry_add(r, &module, "test", &d);
    struct bw_run_options o = {.threads = 2, .on_frame = frame_nest, .user = inside};
    struct bw_chain *c = p ? bw_chain_create(p, r, &o, &d) : NULL;
    enum bw_status status = c ? bw_chain_run(c, &d) : BW_ERR;
    bw_chain_free(c);
    bw_registry_close(r);
    bw_preset_free(p);
    bw_diag_free(&d);
    remove(path);
    return status;
}

/* A layer is 64 tiles, 1 MiB: 12 frames fit into 24 MiB, 30 do not, whoever else has how much. */
Test(chain, limits_are_a_bakes_own)
{
    struct nested limited = {"24 MiB", BW_ERR}, free = {"1 TiB", BW_ERR};
    cr_assert_eq(limited_run("1 TiB", 30, &limited), BW_OK);
    cr_assert_eq(limited.status, BW_OK, "the other bake's memory is not its own");
    cr_assert_eq(limited_run("24 MiB", 30, &free), BW_ERR_LIMIT, "the other bake's end does not lift the limit");
    cr_assert_eq(free.status, BW_OK);
}

/* The tables of a bake's frames; answers how many were there. */
static int csv_remove(const char *out)
{
    static const char *const name[] = {"metrics.csv", "timings.csv"};
    int n = 0;
    for (int i = 0; i < 2; i++) {
        char csv[64];
        snprintf(csv, sizeof csv, "%s/%s", out, name[i]);
        n += remove(csv) == 0;
    }
    return n;
}

Test(chain, cancelled)
{
    char path[] = "/tmp/billow-cancel-XXXXXX.yaml", out[] = "/tmp/billow-cancel-XXXXXX";
    int fd = mkstemps(path, 5);
    FILE *f = fdopen(fd, "w");
    fputs(HEAD "  - c.stop: {}\n  - c.nan: {}\ncheckpoints: {every: 0}\n", f);
    fclose(f);
    cr_assert_not_null(mkdtemp(out));
    struct bw_diag d = {0};
    struct bw_preset_overrides over = {0};
    struct bw_preset *p = bw_preset_load(path, &over, &d);
    struct bw_registry *r = bw_registry_open("");
    bw_registry_add(r, &module, "test", &d);
    struct bw_run_options o = {.threads = 2, .on_frame = frame_count, .cancel = &stop, .out = out};
    struct bw_chain *c = bw_chain_create(p, r, &o, &d);
    cr_assert_not_null(c, "%s", d.text);
    stop = 0;
    cr_assert_eq(bw_chain_run(c, &d), BW_ERR_CANCELLED, "%s", d.text);
    cr_assert_eq(whole_frames, 2);
    bw_chain_free(c);
    DIR *dir = opendir(out);
    for (struct dirent *e; (e = readdir(dir));)
        cr_assert(!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") || strstr(e->d_name, ".csv"), "%s was left",
                  e->d_name);
    closedir(dir);
    csv_remove(out);
    cr_assert_eq(remove(out), 0);
    remove(path);
    bw_registry_close(r);
    bw_preset_free(p);
    bw_diag_free(&d);
}

/* ---- files are told before they are there: both tables after the first frame, and at the end ---- */

struct told {
    const char *out;
    int calls, refuse; ///< refuse: which call answers ENOSPC
};

static int file_told(const char *name, const struct file_facts *whole, void *user)
{
    struct told *t = user;
    char final[64], half[64];
    snprintf(final, sizeof final, "%s/%s", t->out, name);
    snprintf(half, sizeof half, "%s/.%s.part", t->out, name);
    cr_assert_str_eq(name, t->calls & 2 ? "timings.csv" : "metrics.csv");
    cr_assert_eq(whole != NULL, t->calls % 2, "begun and whole take turns");
    cr_assert_eq(access(half, F_OK) == 0, whole != NULL);
    cr_assert_eq(access(final, F_OK) == 0, t->calls > 3, "call %d", t->calls);
    return ++t->calls == t->refuse ? ENOSPC : 0;
}

Test(chain, files_are_told)
{
    for (int refuse = 0; refuse < 3; refuse++) {
        char out[] = "/tmp/billow-told-XXXXXX";
        cr_assert_not_null(mkdtemp(out));
        struct told told = {.out = out, .refuse = refuse};
        struct test_run r = test_start(
            HEAD "  - c.update: {}\ncheckpoints: {every: 0}\n",
            &(struct test_options){
                .simd = UINT32_MAX, .module = &module, .plugins = "", .out = out, .on_file = file_told, .user = &told});
        cr_assert_eq(r.status, refuse ? BW_ERR_IO : BW_OK, "%s", r.diag.text);
        cr_assert(!refuse || strstr(r.diag.first, strerror(ENOSPC)), "%s", r.diag.first);
        cr_assert_eq(told.calls, refuse ? refuse : 8, "%d", told.calls);
        cr_assert_eq(csv_remove(out), refuse ? 0 : 2);
        cr_assert_eq(remove(out), 0, "something half-written is left");
        test_end(&r);
    }
}

Test(chain, description)
{
    struct test_run r = run("  - c.update: {}\n  - c.read: {id: reader}\n");
    char *text = bw_chain_describe(r.chain);
    cr_assert(strstr(text, "reader (c.read)") && strstr(text, "scalar:heat"), "%s", text);
    bw_free(text);
    test_end(&r);
}
