// SPDX-License-Identifier: Apache-2.0
/* A small bake of each family with every allocation that is made through the core failed in turn: "out of memory" in a
 * sentence, nothing lost, nothing kept. BILLOW_SLOW=1 walks through all of them, else a stride keeps the walk short. */
#include "base/alloc.h"
#include "base/memory/pool.h"
#include "run/run.h"
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdlib.h>
#include <string.h>

enum { QUICK = 150 };

#define HEAD "billow: 1\nname: f\n"
#define BOX HEAD "domain: {size: [12, 12, 20], voxel: 1, sides: {bottom: closed, rest: open}}\n"
#define TIME "time: {fps: 10, frames: 1-2, substeps: 1}\nstages:\n"
#define BALL "{sphere: {center: [0, 0, 6], radius: 3}}"

static const struct family {
    char name[16], yaml[1100];
} families[] = {
    {"fire", BOX TIME "  - emit: {shape: " BALL ", fuel: 1, temperature: 800, noise: {amount: 0.5, size: 2}}\n"
                      "  - mac.advect: {scheme: maccormack}\n  - fire: {}\n"
                      "  - force: {kind: {turbulence: {strength: 1, size: 3}}}\n"
                      "  - mac.forces: {buoyancy: 1, confinement: 0.5}\n  - mac.diffuse: {viscosity: 0.1}\n"
                      "  - mac.project: {tolerance: 1e-2}\n  - stats\n"},
    {"vortons", BOX TIME "  - vorton.emit: {source: {ring: {center: [0, 0, 8], radius: 3, core: 1, segments: 24}}}\n"
                         "  - tracers: {shape: " BALL ", count: 200}\n  - vorton.velocity\n  - vorton.stretch\n"
                         "  - vorton.advect\n  - vorton.remesh: {split: 2}\n"
                         "  - vorton.diffuse: {viscosity: 0, eddy: 0.3}\n"
                         "  - to_grid: {velocity: vel}\n"},
    {"bodies", BOX TIME "  - body: {shape: " BALL ", velocity: [1, 0, 0]}\n  - bodies: {gravity: [0, 0, -1]}\n"
                        "  - body.solid\n  - emit: {density: 1, shape: " BALL "}\n  - mac.advect\n"
                        "  - mac.project: {tolerance: 1e-2}\n"},
    {"flux", BOX TIME "  - emit: {mass: 1.5, energy: 20000, shape: " BALL
                      "}\n  - flux: {sound_speed: 50 m/s, drain: 0.1 1/s}\n"},
    {"baroclinic", BOX TIME "  - vorton.emit: {temperature: 85 K, source: {fill: {shape: " BALL ", spacing: 1.5 m}}}\n"
                            "  - vorton.velocity\n  - vorton.advect\n  - baroclinic: {expansion: 3.41e-3}\n"},
    {"potential", BOX TIME "  - emit: {density: 1, shape: " BALL "}\n  - collide: {shape: " BALL "}\n"
                           "  - potential\n  - mac.advect: {only: [density]}\n"},
    {"domains",
     HEAD "domains:\n  wide: {size: [32, 32, 32], voxel: 2, sides: {bottom: closed, rest: open}}\n"
          "  near: {size: [12, 12, 16], voxel: 1, sides: {bottom: closed, rest: open}}\n" TIME
          "  - emit: {domain: near, density: 1, temperature: 30, shape: " BALL "}\n"
          "  - mac.advect: {id: wa, domain: wide}\n  - mac.forces: {id: wf, domain: wide}\n"
          "  - mac.advect: {id: na, domain: near}\n  - mac.forces: {id: nf, domain: near}\n"
          "  - transfer: {id: up, domain: wide, from: near, fields: [density, temperature, vel]}\n"
          "  - mac.project: {id: wp, domain: wide, tolerance: 1e-2}\n"
          "  - transfer: {id: back, domain: near, from: wide, mode: large, fields: [vel]}\n"
          "  - transfer: {id: rim, domain: near, from: wide, region: rim, blend: 4, fields: [density, vel]}\n"
          "  - mac.project: {id: np, domain: near, tolerance: 1e-2}\n"},
    {"upres", HEAD "frames_from: %s/f_####.vdb\n"
                   "domain: {size: [6, 6, 8], voxel: 0.5, sides: {bottom: closed, rest: open}}\n"
                   "time: {fps: 10, frames: 1-1, substeps: 1}\nstages:\n"
                   "  - upres.flow: {strength: 2}\n  - mac.advect: {scheme: maccormack, only: [density]}\n"
                   "  - upres.match: {fields: [density]}\n"},
};

static const struct family cache = {
    "cache",
    BOX TIME "  - emit: {density: 1, temperature: 30, shape: " BALL "}\n  - mac.advect: {}\n"
             "  - mac.forces: {buoyancy: 1}\n  - mac.project: {}\nexport:\n  - vdb: {}\ncheckpoints: {every: 0}\n"};
static char folder[] = "/tmp/billow-starved-XXXXXX";

ParameterizedTestParameters(starved, every_allocation)
{
    return cr_make_param_array(struct family, (struct family *)families, sizeof families / sizeof *families);
}

struct outcome {
    enum bw_status status;
    int64_t made;
    char first[300];
};

/* One bake, with files where `out` is not NULL; after it all memory has come back. */
static struct outcome attempt(const struct family *f, const struct bw_registry *r, int64_t n, const char *out)
{
    struct bw_diag d = {0};
    char yaml[1200];
    snprintf(yaml, sizeof yaml, f->yaml, folder);
    const struct bw_preset_overrides over = {.text = yaml};
    const struct bw_run_options o = {.threads = 1, .out = out};
    int64_t live = bw_alloc_live(), pool = bw_pool_bytes();
    bw_alloc_fail(n);
    struct bw_preset *p = bw_preset_load("f.yaml", &over, &d);
    struct bw_chain *c = p ? bw_chain_create(p, r, &o, &d) : NULL;
    struct outcome x = {.status = c ? bw_chain_run(c, &d) : d.status};
    x.made = bw_alloc_made();
    bw_alloc_fail(-1);
    snprintf(x.first, sizeof x.first, "%s", d.first ? d.first : "");
    bw_chain_free(c);
    bw_preset_free(p);
    bw_diag_free(&d);
    cr_assert_eq(bw_alloc_live(), live, "%s: allocation %lld failed: %lld are lost (%s)", f->name, (long long)n,
                 (long long)(bw_alloc_live() - live), x.first);
    cr_assert_eq(bw_pool_bytes(), pool, "%s: allocation %lld failed: tiles are lost", f->name, (long long)n);
    return x;
}

/* What frames come from. */
static void cache_begin(const struct bw_registry *r)
{
    cr_assert(mkdtemp(folder));
    struct outcome made = attempt(&cache, r, -1, folder);
    cr_assert_eq(made.status, BW_OK, "%s", made.first);
    char from[80], to[80];
    for (int i = 1; i <= 2; i++) {
        snprintf(from, sizeof from, "%s/vdb/f_%04d.vdb", folder, i);
        snprintf(to, sizeof to, "%s/f_%04d.vdb", folder, i);
        cr_assert_eq(rename(from, to), 0);
    }
}

static void cache_end(void)
{
    static const char *const name[] = {"f_0001.vdb", "f_0002.vdb", "metrics.csv", "timings.csv", "vdb"};
    char path[80];
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, name[i]);
        cr_expect_eq(remove(path), 0, "%s", path);
    }
    cr_expect_eq(remove(folder), 0);
}

ParameterizedTest(struct family *f, starved, every_allocation, .timeout = 600)
{
    struct bw_registry *r = bw_registry_open(getenv("BILLOW_TEST_PLUGINS"));
    cr_assert(r && bw_registry_stage(r, "mac.project"), "the plugins of the build tree are there");
    bool from_files = strstr(f->yaml, "frames_from");
    if (from_files) cache_begin(r);
    struct outcome good = attempt(f, r, -1, NULL);
    cr_assert_eq(good.status, BW_OK, "%s: %s", f->name, good.first);
    const int64_t tries = from_files ? QUICK / 4 : QUICK; /* noise takes its time */
    int64_t stride = getenv("BILLOW_SLOW") ? 1 : 1 + good.made / tries, failed = 0;
    for (int64_t n = 0; n < good.made; n += stride) {
        struct outcome x = attempt(f, r, n, NULL);
        cr_assert(x.status == BW_OK || (x.status == BW_ERR_MEMORY && *x.first),
                  "%s: allocation %lld of %lld failed: status %d, \"%s\"", f->name, (long long)n, (long long)good.made,
                  x.status, x.first);
        failed += x.status != BW_OK;
    }
    cr_expect_gt(failed, tries / 3, "%s: only %lld", f->name, (long long)failed);
    if (from_files) cache_end();
    bw_registry_close(r);
}
