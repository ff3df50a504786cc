// SPDX-License-Identifier: Apache-2.0
/* A host that rounds upwards, with less precision, and traps: the bits are the same, and its modes are its own again.
 * The last line is "N passed, N failed". */
#define _GNU_SOURCE /* feenableexcept */
#include "check.h"
#include <fenv.h>

static const char puff[] =
    "billow: 1\n"
    "name: puff\n"
    "domain: {size: [0.32, 0.32, 0.64], voxel: 2 cm}\n"
    "time: {frames: 1-6, seed: 7}\n"
    "stages:\n"
    "  - mac.advect: {}\n"
    "  - emit: {shape: {sphere: {center: [0, 0, 0.1], radius: 6 cm}}, density: '=0.1 + 0.3*t', temperature: 200}\n"
    "  - mac.forces: {buoyancy: 1}\n"
    "  - mac.project: {}\n";

enum { CELLS = 16 * 16 * 32 };
static const struct bw_box all = {.n = {16, 16, 32}};

static volatile double third = 3; // volatile: divided as the program runs

/* ---- the host's modes ---- */

static void precision_set(unsigned short word)
{
#if defined(__x86_64__)
    __asm__ volatile("fldcw %0" : : "m"(word));
#else
    (void)word;
#endif
}

static unsigned precision_get(void)
{
    unsigned short word = 0;
#if defined(__x86_64__)
    __asm__ volatile("fnstcw %0" : "=m"(word));
#endif
    return word;
}

/* Precision first: the others change the same word. */
static void modes_odd(void)
{
    precision_set(0x27f);
    fesetround(FE_UPWARD);
    feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW | FE_UNDERFLOW | FE_INEXACT);
}

static void modes_plain(void) { fesetenv(FE_DFL_ENV); }

/* ---- bakes ---- */

static uint64_t hash;

static void frame_hash(struct bw_bake *bake, struct bw_snapshot *s, void *user)
{
    static float values[CELLS];
    struct bw_snapshot_facts f = {.size = sizeof f};
    (void)bake, (void)user;
    fenv_t host;
    feholdexcept(&host); // what a check prints may trap
    CHECK(bw_snapshot_facts(s, &f) == BW_OK && f.n_grids > 1);
    for (uint32_t g = 0; g < f.n_grids; g++) {
        for (uint32_t c = 0; c < f.grids[g].comps; c++) {
            CHECK(bw_snapshot_read(s, g, c, &all, 1, values) == BW_OK);
            for (size_t i = 0; i < sizeof values; i++) hash = (hash ^ ((unsigned char *)values)[i]) * 0x100000001b3u;
        }
    }
    fesetenv(&host);
}

/* A hash of all that the bake makes, opened and run with these modes. */
static uint64_t bits(void (*opened)(void), void (*run)(void))
{
    struct bw_bake_options o = {.size = sizeof o, .preset = "puff", .text = puff, .threads = 2, .on_frame = frame_hash};
    struct bw_bake *bake = NULL;
    hash = 0xcbf29ce484222325u;
    opened();
    int good = bw_bake_open(session, &o, &bake) == BW_OK;
    run();
    good = good && bw_bake_start(bake) == BW_OK && bw_bake_wait(bake, -1) == BW_OK;
    int round = fegetround(), traps = fegetexcept();
    unsigned precision = precision_get();
    run();
    int same = round == fegetround() && traps == fegetexcept() && precision == precision_get();
    modes_plain();
    CHECK(good);
    CHECK(same);
    bw_bake_close(bake);
    return hash;
}

int main(void)
{
    struct bw_session_options so = {.size = sizeof so};
    CHECK(bw_session_open(&so, &session) == BW_OK);
    fesetround(FE_UPWARD);
    CHECK(1 / third > 0.333333333333333315); // the mode is one that matters
    modes_plain();
    uint64_t plain = bits(modes_plain, modes_plain);
    CHECK(plain == bits(modes_odd, modes_odd));
    CHECK(plain == bits(modes_odd, modes_plain));
    CHECK(plain == bits(modes_plain, modes_odd));
    bw_session_close(session);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
