// SPDX-License-Identifier: Apache-2.0
/* What strangers' stages may do (odd_stages.h), and what they may not: particles splatted to a grid, one domain copied
 * into another, f64 storage, a projection called twice, scratch, teams, metrics, evaluators, outputs. */
#include "odd_stages.h"
#include "run/chain.h"
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD "billow: 1\nname: t\n"
#define BOX "domain: {size: [32, 32, 32], voxel: 1, center: [16, 16]}\n"
#define TIME "time: {fps: 10, frames: 1-3, substeps: 2}\n"

static struct test_run run(const char *yaml, uint32_t threads, const char *out)
{
    return test_start(yaml, &(struct test_options){
                                .threads = threads, .simd = UINT32_MAX, .module = &module, .plugins = "", .out = out});
}

static void expect_failure(const char *stage, enum bw_status want, const char *words)
{
    char *yaml = bw_printf(HEAD BOX TIME "stages:\n  - t.count: {}\n  - %s: {}\n", stage);
    struct test_run r = run(yaml, 2, NULL);
    bw_free(yaml);
    cr_assert_eq(r.status, want, "%s: %d %s", stage, r.status, r.diag.text);
    cr_assert(r.diag.first && strstr(r.diag.first, words), "%s: %s", stage, r.diag.text);
    cr_assert_eq(r.diag.errors, 1, "%s", r.diag.text);
    test_end(&r);
}

Test(stages, splat_conserves_weight_with_equal_bits_on_any_number_of_threads)
{
    uint64_t hash[3];
    for (uint32_t threads = 1; threads <= 3; threads++) {
        struct test_run r =
            run(HEAD BOX TIME "stages:\n  - t.seed: {}\n  - t.drop: {}\n  - t.splat: {}\n", threads, NULL);
        cr_assert_eq(r.status, BW_OK, "%s", r.diag.text);
        cr_assert_float_eq(bw_chain_metric(r.chain, "t.splat.grid"), bw_chain_metric(r.chain, "t.splat.grains"), 1e-3);
        cr_assert_eq(bw_chain_metric(r.chain, "t.drop.kept"), 4 * 200);
        cr_assert_gt(bw_chain_metric(r.chain, "t.splat.grid"), 800);
        hash[threads - 1] = test_hash(&r, "heap");
        test_end(&r);
    }
    cr_assert(hash[0] == hash[1] && hash[0] == hash[2] && hash[0]);
}

Test(stages, two_domains_of_other_voxels)
{
    struct test_run r =
        run(HEAD "domains:\n  main: {size: [16, 16, 16], voxel: 1}\n  fine: {size: [8, 8, 8], voxel: 0.5}\n" TIME
                 "stages:\n  - t.ramp: {slope: 2}\n  - t.copy: {domain: fine, bind: {from: main.ramp}}\n",
            2, NULL);
    cr_assert_eq(r.status, BW_OK, "%s", r.diag.text);
    const struct bw_field *f = bw_chain_field(r.chain, "fine.copy");
    cr_assert(f && f->info.precision == BW_F64P && f->info.domain->n[0] == 16);
    double v[16];
    bw_chain_read(r.chain, f, 0, (int32_t[3]){0, 5, 7}, (int32_t[3]){16, 1, 1}, v);
    for (int i = 0; i < 16; i++) /* exact in f64: f32 would lose the 1e-12 */
        cr_assert_float_eq(v[i], 2 * (f->info.domain->origin[0] + (i + .5) * .5) + 1e-12, 2e-15 * 16, "%d: %.17g", i,
                           v[i]);
    test_end(&r);
}

Test(stages, a_chain_that_projects_twice)
{
    struct test_run r =
        run(HEAD BOX TIME "stages:\n  - t.halve: {}\n  - t.halve: {id: other}\n  - t.twice: {}\n", 2, NULL);
    cr_assert_eq(r.status, BW_OK, "%s", r.diag.text);
    int32_t n[3];
    double *v = test_field(&r, "vel", 1, n);
    cr_assert_eq(v[n[0] * (n[1] * 3 + 5) + 4], .25);
    bw_free(v);
    cr_assert_eq(bw_chain_metric(r.chain, "t.halve.calls"), 4, "2 substeps, 2 calls each");
    cr_assert_float_eq(bw_chain_metric(r.chain, "t.halve.dt"), .025, 1e-12);
    cr_assert_eq(bw_chain_metric(r.chain, "t.twice.u"), 8, "two evaluators add up");
    cr_assert_eq(bw_chain_metric(r.chain, "t.twice.du_dy"), 2);
    test_end(&r);
}

Test(stages, step_fields_scratch_params_and_metrics)
{
    struct test_run r = run(HEAD BOX TIME "stages:\n  - t.count: {id: c, level: \"=100*t\"}\n", 3, NULL);
    cr_assert_eq(r.status, BW_OK, "%s", r.diag.text);
    int32_t n[3];
    double *once = test_field(&r, "once", 0, n), *ever = test_field(&r, "c.ever", 0, n);
    cr_assert_eq(once[100], 10, "cleared before every step, then exchanged with ten times itself");
    cr_assert_eq(ever[100], 4, "kept over 4 steps");
    bw_free(once);
    bw_free(ever);
    cr_assert_float_eq(bw_chain_metric(r.chain, "c.now"), 20, 1e-9);
    cr_assert_float_eq(bw_chain_metric(r.chain, "c.then"), 15, 1e-9);
    cr_assert_float_eq(bw_chain_metric(r.chain, "c.later"), 1000, 1e-9);
    cr_assert_eq(bw_chain_metric(r.chain, "c.last"), 4);
    cr_assert_eq(bw_chain_metric(r.chain, "c.sum"), 3 + 4);
    cr_assert_eq(bw_chain_metric(r.chain, "c.max"), -3);
    cr_assert_eq(bw_chain_metric(r.chain, "c.cost"), 4, "two substeps");
    cr_assert(isnan(metrics_last(&r.chain->metrics, "c.cost")), "the machine's are apart");
    test_end(&r);
}

Test(stages, misuse_is_named)
{
    expect_failure("t.early", BW_ERR_PLUGIN, "activate outside");
    expect_failure("t.meek", BW_ERR_IO, "said but not answered");
    expect_failure("t.poke", BW_ERR_PLUGIN, "only read");
    expect_failure("t.halo", BW_ERR_PLUGIN, "contradict");
    expect_failure("t.unwritten", BW_ERR_PLUGIN, "contradict");
}

Test(stages, set_and_emit_keep_the_digits_of_an_f64_field)
{
    struct test_options o = {.simd = UINT32_MAX};
    struct test_run r =
        test_start("billow: 1\n"
                   "domain: {cells: [16, 16, 16], voxel: 1, sides: {rest: closed}}\n"
                   "time: {fps: 10, frames: 1-2, dt: 0.1}\n"
                   "fields: {q: {kind: scalar, precision: f64}}\n"
                   "stages:\n"
                   "  - set: {field: q, value: \"1/3\"}\n"
                   "  - set: {id: more, field: q, value: \"1e-12\", mode: add}\n"
                   "  - emit: {mode: add, q: 1e-11, shape: {box: {center: [0, 0, 8], size: [40, 40, 40]}}}\n"
                   "  - stats: {fields: [q]}\n",
                   &o);
    cr_assert_eq(r.status, BW_OK, "%s", r.diag.text);
    double least = bw_chain_metric(r.chain, "stats.min_q"), most = bw_chain_metric(r.chain, "stats.max_q");
    cr_assert_eq(least, most);
    cr_assert_float_eq(most, 1. / 3 + 2e-12, 1e-15, "%.17g", most);
    test_end(&r);
}

Test(stages, a_step_length_that_is_none)
{
    struct test_run r = run(HEAD BOX "time: {fps: 10, frames: 1-3}\nstages:\n  - t.bad_dt: {}\n", 2, NULL);
    cr_assert_eq(r.status, BW_ERR_PLUGIN);
    cr_assert(strstr(r.diag.first, "max_dt"), "%s", r.diag.first);
    test_end(&r);
}

/* With a fixed number of substeps no stage is asked for its max_dt. */
Test(stages, fixed_substeps_ask_no_stage)
{
    struct test_run r = run(HEAD BOX "time: {fps: 10, frames: 1-3, substeps: 2}\nstages:\n  - t.bad_dt: {}\n", 2, NULL);
    cr_assert_eq(r.status, BW_OK, "%s", r.diag.first);
    test_end(&r);
}

Test(stages, lists_of_fields)
{
    struct test_run r =
        run(HEAD BOX TIME "fields: {dye: {kind: vector, advect: true}, still: {kind: scalar, advect: false}}\n"
                          "stages:\n  - t.list: {density: 1, fuel: 2, still: 3, only: [still, dye, fuel]}\n",
            2, NULL);
    cr_assert_eq(r.status, BW_OK, "%s", r.diag.text);
    cr_assert_eq(bw_chain_metric(r.chain, "t.list.made"), 3);
    cr_assert_eq(bw_chain_metric(r.chain, "t.list.named"), 3);
    cr_assert_eq(bw_chain_metric(r.chain, "t.list.carried"), 2, "advected scalars: density, fuel");
    test_end(&r);
}

static int exists(const char *dir, const char *name)
{
    char path[256];
    struct stat s;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return !stat(path, &s);
}

static void folder_remove(const char *dir)
{
    char command[256];
    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    cr_assert_eq(system(command), 0);
}

Test(stages, outputs_are_whole_or_absent)
{
    char dir[] = "/tmp/billow-out-XXXXXX";
    cr_assert_not_null(mkdtemp(dir));
    struct test_run r = run(HEAD BOX "time: {fps: 10, frames: 1-4, substeps: 2}\nstages:\n  - t.file: {}\n", 2, dir);
    cr_assert_eq(r.status, BW_ERR, "%s", r.diag.text);
    test_end(&r);
    for (int i = 1; i <= 5; i++) { /* steps 1 … 4 are frames 2 and 3; step 5 fails within frame 4 */
        char name[64];
        snprintf(name, sizeof name, "sub/frame_%04d.txt", i);
        cr_assert_eq(exists(dir, name), i < 5, "%s", name);
        snprintf(name, sizeof name, "sub/kept_%04d.txt", i);
        cr_assert_not(exists(dir, name), "%s was for a bake that ends well", name);
        snprintf(name, sizeof name, "sub/.kept_%04d.txt.part", i);
        cr_assert_not(exists(dir, name), "%s", name);
        snprintf(name, sizeof name, "sub/.frame_%04d.txt.part", i);
        cr_assert_not(exists(dir, name), "%s", name);
    }
    r = run(HEAD BOX "time: {fps: 10, frames: 1-2, substeps: 2}\nstages:\n  - t.file: {}\n", 2, dir);
    cr_assert_eq(r.status, BW_OK, "%s", r.diag.text);
    test_end(&r);
    cr_assert(exists(dir, "sub/kept_0001.txt"));
    r = run(HEAD BOX TIME "stages:\n  - t.escape: {}\n", 2, dir);
    cr_assert_neq(r.status, BW_OK);
    cr_assert(strstr(r.diag.first, "does not lie in the output folder"), "%s", r.diag.text);
    test_end(&r);
    folder_remove(dir);
}

Test(stages, a_chain_runs_once)
{
    struct test_run r = run(HEAD BOX TIME "stages:\n  - t.count: {}\n", 1, NULL);
    struct bw_diag d = {0};
    cr_assert_eq(bw_chain_run(r.chain, &d), BW_ERR_USAGE);
    cr_assert_not_null(d.first);
    bw_diag_free(&d);
    test_end(&r);
}

Test(stages, nothing_is_left_behind)
{
    int64_t live = bw_alloc_live(), pool = bw_pool_bytes();
    struct test_run r = run(HEAD BOX TIME "stages:\n  - t.seed: {}\n  - t.splat: {}\n  - t.count: {}\n", 2, NULL);
    cr_assert_eq(r.status, BW_OK, "%s", r.diag.text);
    test_end(&r);
    cr_assert_eq(bw_alloc_live(), live);
    cr_assert_eq(bw_pool_bytes(), pool);
}
