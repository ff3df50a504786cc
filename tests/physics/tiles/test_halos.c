// SPDX-License-Identifier: Apache-2.0
/* No stage's body reads beyond what its sweep fills: where other values lie round every view, NaN among them, all
 * fields, particles and metrics are the same bits. What looks into a tile in place must take the tile's strides: no
 * view has them then. */
#include "physics/resume_facts.h"
#include "physics/resume_presets.h"

#define SOURCE                                                                                                         \
    "  - emit: {density: 1, temperature: 300, fuel: 1, velocity: [0.4, 0.2, 1],\n"                                     \
    "          shape: {sphere: {center: [0, 0, 0.3], radius: 15 cm}}}\n"
#define LAST "  - mac.forces: {buoyancy: 1, confinement: 0.3}\n  - mac.project: {}\n  - stats: {}\n"

/* What test_resume.c's presets leave out: stages that keep nothing, other schemes, sides and sizes. */
static const char *const more[] = {
    BOX FRAMES "character: wild\nstages:\n" SOURCE
               "  - collide: {shape: {sphere: {center: [\"=0.3-3*t\", 0.05, 0.4], radius: 14 cm}}}\n"
               "  - mac.advect: {sweeps: symmetric, outside: clamp, velocity: quintic}\n"
               "  - force: {kind: {vortex: {}}}\n"
               "  - force: {id: pull, kind: {attractor: {}}}\n"
               "  - probe: {points: [{name: a, at: [0.11, 0.2, 0.5]}], fields: [density, vel]}\n" LAST,
    BOX FRAMES "stages:\n" SOURCE "  - mac.advect: {scheme: maccormack, velocity: cubic, trace: rk3}\n" LAST,
    BOX FRAMES "stages:\n" SOURCE
               "  - mac.advect: {scheme: cubic, velocity: semi-lagrangian, trace: euler, outside: keep}\n" LAST,
    "domain: {cells: [23, 37, 19], voxel: 5 cm, sides: {x-: periodic, x+: periodic, rest: closed}}\n" FRAMES
    "stages:\n" SOURCE "  - mac.advect: {}\n"
    "  - mac.diffuse: {viscosity: 1e-3 m^2/s, density: 1e-3 m^2/s}\n" LAST,
    "domain: {cells: [70, 1, 90], voxel: 2 cm, sides: {bottom: closed, rest: open}}\n" FRAMES "stages:\n" SOURCE
    "  - mac.advect: {}\n" LAST,
    BOX FRAMES "stages:\n  - dust: {}\n  - force: {kind: {wind: {velocity: [6, 0, 0]}}}\n  - mac.advect: {}\n" LAST,
    BOX FRAMES "stages:\n" SOURCE "  - vorton.emit: {source: {ring: {center: [0, 0, 0.4], segments: 30}}}\n"
               "  - vorton.velocity: {method: direct}\n"
               "  - mac.advect: {}\n"
               "  - vorton.confine: {}\n" LAST,
    "domain: {cells: [23, 18, 20], voxel: 5 cm, sides: {rest: open}}\n"
    "time: {fps: 24, frames: 1-2, substeps: 1}\n"
    "stages:\n"
    "  - emit: {mode: max, frames: 1, mass: 4, energy: 500000, density: 1, shape: {sphere: {center: [0, 0, 0.3],\n"
    "          radius: 20 cm}}}\n"
    "  - collide: {shape: {box: {center: [0.3, 0, 0.3], size: [0.2, 0.4, 0.5]}}}\n"
    "  - flux: {}\n",
    "frames_from: FOLDER/vdb/puff_####.vdb\n"
    "domain: {size: [0.8 m, 0.8 m, 0.8 m], center: [0, 0], voxel: 2.5 cm, sides: {bottom: closed, rest: open}}\n"
    "time: {fps: 24, frames: 1-3, substeps: 2, seed: 7}\n"
    "stages:\n"
    "  - resim: {}\n"
    "  - emit: {density: 1, shape: {sphere: {center: [0, 0, 0.4]}}}\n"
    "  - mac.advect: {only: [density]}\n",
};

static struct witness seen[2];

static void run_begin(struct bw_run_options *run, void *user) { run->guard = *(const float *)user; }

static void on_frame(const struct bw_progress *p, void *user) { frame_see(p, user); }

static void run_see(const char *yaml, float guard, struct witness *w)
{
    const struct test_options o = {.simd = UINT32_MAX, .only_check = 1, .on_run = run_begin, .user = &guard};
    struct test_run r = test_start(yaml, &o);
    cr_assert_eq(r.status, BW_OK, "%s\n%s", r.diag.text ? r.diag.text : "no sentence", yaml);
    *w = (struct witness){.chain = r.chain};
    r.chain->opt.on_frame = on_frame;
    r.chain->opt.user = w;
    cr_expect_eq(bw_chain_run(r.chain, &r.diag), BW_OK, "%s\n%s", r.diag.text ? r.diag.text : "no sentence", yaml);
    test_end(&r);
}

static void preset_try(const char *text)
{
    char yaml[8192];
    text_make(text, yaml);
    run_see(yaml, 0, &seen[0]);
    cr_expect_gt(seen[0].n, 10, "it shows nothing:\n%s", yaml);
    for (int huge = 0; huge < 2; huge++) {
        run_see(yaml, huge ? 1e30f : NAN, &seen[1]);
        const char *differs = facts_compare(&seen[0], &seen[1]);
        cr_expect_null(differs, "%s round its views: %s\n%s", huge ? "1e30" : "NaN", differs, yaml);
    }
}

Test(halos, nobody_reads_beyond_them)
{
    files_make();
    for (size_t i = 0; i < BW_COUNT(resume_presets) && !test_short(); i++) preset_try(resume_presets[i].text);
    for (size_t i = 0; i < BW_COUNT(more); i++) preset_try(more[i]);
    files_end();
}
