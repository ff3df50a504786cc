// SPDX-License-Identifier: Apache-2.0
/* Obstacles where no gas is: a snapshot for pictures has their distance as it would stand in active tiles, the run has
 * no tile more for it, and a VDB file no voxel. */
#define _XOPEN_SOURCE 700 // nftw
#include "physics/physics.h"
#include "run/writer/obstacle_tiles.h"
#include <common/openvdb/bwvdb.h>
#include <ftw.h>

#define TOWER                                                                                                          \
    "billow: 1\n"                                                                                                      \
    "domain: {cells: [24, 16, 80], voxel: 0.5, floor: 0}\n"                                                            \
    "time: {fps: 10, frames: 1-2, substeps: 1}\n"                                                                      \
    "stages:\n%s"                                                                                                      \
    "  - emit: {mode: max, density: 1, shape: {sphere: {center: [0, 0, 3], radius: 1.5}}}\n"                           \
    "%s  - mac.advect: {}\n  - mac.project: {}\n"
/* Still and moving, thick and thinner than a cell, one of them cut by the box, one gone by then. */
#define OBSTACLES                                                                                                      \
    "  - collide: {shape: {sphere: {center: {keys: {1: [0, 0, 30], 9: [0, 0, 26]}}, radius: 3}}, wake: never}\n"       \
    "  - collide: {shape: {box: {center: [3, 0, 20], size: [9, 9, 0.1]}}}\n"                                           \
    "  - collide: {frames: 1-1, shape: {box: {center: [0, 0, 38], size: [2, 2, 2]}}}\n"

static struct bw_snapshot_field solid_of(const struct chain_snapshot *s)
{
    for (uint32_t i = 0; i < s->frame.n_fields; i++)
        if (!strcmp(s->field[i].info->name, "solid")) return s->field[i];
    cr_assert_fail("no solid");
    return (struct bw_snapshot_field){0};
}

/// The whole box's distances as a picture sees them, with how many tiles are there for it alone.
static float *picture_of(struct test_run *r, int64_t *outlines)
{
    struct chain_snapshot *s = snapshot_take(r->chain, 2);
    cr_assert_not_null(s);
    cr_assert_eq(obstacle_tiles_add(r->chain, s), BW_OK);
    struct bw_snapshot_field solid = solid_of(s);
    const int32_t *n = solid.info->domain->n;
    float *out = bw_calloc((size_t)n[0] * (size_t)n[1] * (size_t)n[2] * sizeof *out);
    snapshot_read(&solid, 0, (int32_t[3]){0}, n, out);
    *outlines = 0;
    for (int64_t t = 0; t < solid.n_tiles; t++) *outlines += solid.outline && solid.outline[t];
    cr_assert_eq(solid.n_tiles - *outlines, bw_chain_tiles(r->chain), "a tile of the run's is missing");
    snapshot_free(s);
    return out;
}

static void as_if_awake(const char *obstacles)
{
    int64_t none, some;
    struct test_run awake = run(TOWER, KEEP_VEL, obstacles), asleep = run(TOWER, "", obstacles);
    struct test_run bare = run(TOWER, "", "");
    cr_assert_eq(bw_chain_tiles(asleep.chain), bw_chain_tiles(bare.chain), "the obstacles woke tiles");
    float *want = picture_of(&awake, &none), *have = picture_of(&asleep, &some);
    cr_assert_eq(none, 0);
    cr_assert_gt(some, 0, "every tile was awake, nothing was tried");
    int64_t inside = 0;
    for (int i = 0; i < 24 * 16 * 80; i++) {
        inside += want[i] < 0;
        if (fabsf(want[i]) >= 1.5f) continue; /* beyond 3 cells nobody promises a distance … */
        cr_assert_eq(have[i], want[i], "cell %d: %g, not %g", i, (double)have[i], (double)want[i]);
    }
    for (int i = 0; i < 24 * 16 * 80; i++) cr_assert((have[i] < 0) == (want[i] < 0)); /* … but a side */
    cr_assert_gt(inside, 100);
    bw_free(want);
    bw_free(have);
    test_end(&awake);
    test_end(&asleep);
    test_end(&bare);
}

Test(outline, is_as_if_awake) { as_if_awake(OBSTACLES); }

/* Obstacles as they are: one that moves where it is at that time, one that has ended not at all, a field that anybody
 * else writes to unknown. */
Test(outline, has_shapes)
{
    for (int foreign = 0; foreign < 2; foreign++) {
        struct test_run r =
            run(TOWER, foreign ? "  - set: {field: solid, value: solid, when: always}\n" : "", OBSTACLES);
        struct chain_snapshot *s = snapshot_take(r.chain, 2);
        cr_assert_not_null(s);
        cr_assert_eq(obstacle_tiles_add(r.chain, s), BW_OK);
        const struct bw_snapshot_field solid = solid_of(s);
        cr_assert_eq(s->frame.n_shapes, foreign ? 3 : 2, "%u shapes", s->frame.n_shapes);
        for (uint32_t i = 0; i < s->frame.n_shapes; i++) cr_assert_eq(s->frame.shapes[i].field, solid.info);
        const struct bw_shape *ball = &s->frame.shapes[foreign].shape, *box = &s->frame.shapes[foreign + 1].shape;
        cr_assert_eq(ball->kind, BW_SHAPE_BALL);
        cr_assert_float_eq(ball->center[2], 29.5, 1e-9, "at %g", ball->center[2]);
        cr_assert_eq(box->kind, BW_SHAPE_BOX);
        cr_assert_float_eq(box->scale[2], 0.05, 1e-12);
        if (foreign) cr_assert_eq(s->frame.shapes[0].shape.kind, BW_SHAPE_UNKNOWN);
        snapshot_free(s);
        test_end(&r);
    }
}

static int warned;

static void warning_see(int level, const char *who, const char *text, void *user)
{
    (void)who, (void)user;
    warned += level == BW_LOG_WARNING && strstr(text, "span too much to be drawn");
}

/* A plain of a hundred kilometres has more tiles than anybody's memory: it is drawn where gas is, and that is said. */
Test(outline, has_an_end)
{
    struct test_run r = run_with(&(struct test_options){.on_log = warning_see},
                                 "billow: 1\ndomain: {size: none, voxel: 0.5}\ntime: {fps: 10, frames: 1-1}\nstages:\n"
                                 "  - emit: {density: 1, shape: {sphere: {center: [0, 0, 1], radius: 1.5}}}\n"
                                 "  - collide: {shape: {box: {center: [0, 0, -1], size: [1e5, 1e5, 2]}}}\n"
                                 "  - mac.advect: {}\n  - mac.project: {}\n");
    struct chain_snapshot *s = snapshot_take(r.chain, 1);
    cr_assert_not_null(s);
    cr_assert_eq(obstacle_tiles_add(r.chain, s), BW_OK);
    cr_assert_eq(solid_of(s).n_tiles, bw_chain_tiles(r.chain));
    cr_assert_eq(warned, 1);
    snapshot_free(s);
    test_end(&r);
}

static int entry_remove(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    return remove(path);
}

static int64_t exporters_saw;

static enum bw_status outlines_count(struct bw_exporter *e, const struct bw_frame *frame)
{
    (void)e;
    for (uint32_t i = 0; i < frame->n_fields; i++)
        for (int64_t t = 0; frame->fields[i].outline && t < frame->fields[i].n_tiles; t++)
            exporters_saw += frame->fields[i].outline[t];
    return BW_OK;
}

static enum bw_status outlines_want(struct bw_exporter *e)
{
    e->host->want_outlines(e);
    return BW_OK;
}

static const struct bw_exporter_desc ask = {
    .id = "ask", .version = "1", .brief = "Asks.", .init = outlines_want, .frame = outlines_count};
static const struct bw_exporter_desc see = {.id = "see", .version = "1", .brief = "Sees.", .frame = outlines_count};
static const struct bw_exporter_desc *const onlookers[] = {&ask, &see};
static const struct bw_module onlooker_module = BW_MODULE_EXPORTERS(onlookers);

/* Their distances cost time, so that they are only there when somebody asked. */
Test(outline, comes_to_exporters_that_ask)
{
    for (int asked = 0; asked < 2; asked++) {
        char folder[] = "/tmp/billow-outline-XXXXXX";
        cr_assert(mkdtemp(folder));
        struct test_run r = run_with(&(struct test_options){.out = folder, .module = &onlooker_module},
                                     TOWER "name: t\nexport: [%s: {}]\n", "", OBSTACLES, asked ? "ask" : "see");
        if (asked) cr_assert_gt(exporters_saw, 0);
        else cr_assert_eq(exporters_saw, 0);
        test_end(&r);
        nftw(folder, entry_remove, 8, FTW_DEPTH | FTW_PHYS);
    }
}

Test(outline, is_not_in_vdb_files)
{
    char folder[] = "/tmp/billow-outline-XXXXXX", path[128];
    struct bwvdb_file *f;
    struct bwvdb_error error;
    cr_assert(mkdtemp(folder));
    struct test_run r = run_with(&(struct test_options){.out = folder, .module = &onlooker_module},
                                 TOWER "name: t\nexport: [ask: {}, vdb: {fields: [density, solid]}]\n", "",
                                 "  - collide: {shape: {sphere: {center: [0, 0, 4], radius: 0.7}}}\n" OBSTACLES);
    snprintf(path, sizeof path, "%s/vdb/t_0002.vdb", folder);
    cr_assert_eq(bwvdb_open(path, &f, &error), BWVDB_OK, "%s", error.text);
    cr_assert_geq(bwvdb_find(f, "solid"), 0);
    const struct bwvdb_info *solid = bwvdb_grid_info(f, bwvdb_find(f, "solid"));
    cr_assert_gt(solid->active, 0);
    cr_assert_lt(solid->hi[2], 32, "the file has an obstacle at cell %d, where no gas is", solid->hi[2]);
    bwvdb_close(f);
    test_end(&r);
    nftw(folder, entry_remove, 8, FTW_DEPTH | FTW_PHYS);
}
