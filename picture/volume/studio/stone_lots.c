// SPDX-License-Identifier: Apache-2.0
#include "stone_lots.h"
#include "noise.h"
#include <picture/volume/scene/fast_math.h>

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { NEAR = 4, SLOTS = 1 << 16, TRIES = 8, WINDOW = 512 };
#define CLEAR 2.2    ///< widths of the stage from its middle, within which there are no rocks
#define FARTHEST 1e8 ///< squares from the origin: farther ones are not kept

/// The last two are rocks, that lie round the stage only.
static const struct size {
    double square; ///< m
    float share;   ///< of squares that have one, where stones lie densest
} sizes[BW_STONE_SIZES] = {{0.17, 0.22f}, {0.065, 0.5f}, {0.024, 0.7f}, {0.009, 0.8f}, {0.75, 0.2f}, {2.6, 0.14f}};

/// Flags of a slot beside its square.
enum { BUSY = 1, BARE = 2, FLAGS = BUSY | BARE };

struct bw_stone_lots {
    atomic_int users;
    double middle[2], wide;       ///< the field's
    _Atomic uint64_t slot[SLOTS]; ///< square and flags; 0: it is free
    struct bw_stone_lot lot[SLOTS];
    double first[BW_STONE_SIZES][2];                       ///< squares of the windows round the middle: most have none
    _Atomic uint8_t bare[BW_STONE_SIZES][WINDOW * WINDOW]; ///< 1: has none; 0: look
};

double bw_stone_square(const struct bw_stones_field *f, int size)
{
    return size < NEAR ? sizes[size].square : fmin(sizes[size].square, (size == NEAR ? 0.08 : 0.26) * f->wide);
}

/// Of any whole number, however far from the origin.
static int32_t wrapped(double i) { return (int32_t)(uint32_t)(i - 4294967296.0 * floor(i / 4294967296.0)); }

static void cut_draw(uint32_t *seed, double plane[3], double *off)
{
    const double z = 0.1 + 0.7 * (double)bw_noise_draw(seed), turn = 6.283185307179586 * (double)bw_noise_draw(seed);
    const double r = sqrt(1 - z * z);
    plane[0] = r * cos(turn), plane[1] = r * sin(turn), plane[2] = z;
    *off = 0.62 + 0.33 * (double)bw_noise_draw(seed);
}

static void lot_draw(uint32_t seed, struct bw_stone_lot *s)
{
    s->large = bw_noise_draw(&seed);
    const double turn = 6.283185307179586 * (double)bw_noise_draw(&seed);
    for (int a = 0; a < 2; a++) s->aside[a] = bw_noise_draw(&seed);
    s->cosine = cos(turn), s->sine = sin(turn);
    s->round = bw_noise_draw(&seed), s->flat = bw_noise_draw(&seed);
    uint32_t which = seed;
    s->which = bw_noise_draw(&which);
    for (int n = 0; n < BW_STONE_CUTS; n++) cut_draw(&seed, s->plane[n], &s->off[n]);
}

/// The stone that a square has which drew `lot`; 0: there is none.
static int lot_make(const struct bw_stones_field *f, int size, double i, double j, float lot, uint32_t seed,
                    struct bw_stone_lot *s)
{
    const double square = bw_stone_square(f, size), x = (i + 0.5) * square, y = (j + 0.5) * square;
    if (lot > bw_most(3 * bw_noise(x / 0.55, y / 0.55) - 0.95f, 0.05f)) return 0; // they lie in heaps
    if (size >= NEAR && hypot(x - f->middle[0], y - f->middle[1]) < CLEAR * f->wide) return 0;
    lot_draw(seed, s);
    return 1;
}

/// A square's number, of which no two are alike; none is 0 or has flags.
static uint64_t square_key(int size, double i, double j)
{
    return ((uint64_t)(int64_t)(i + FARTHEST) << 35) | ((uint64_t)(int64_t)(j + FARTHEST) << 6) |
           (uint64_t)(size + 1) << 2;
}

/// Of a square near the middle, whether it is known to have none; NULL: it is far, or nothing is kept.
static _Atomic uint8_t *window_at(const struct bw_stones_field *f, int size, double i, double j)
{
    if (!f->lots) return NULL;
    const double x = i - f->lots->first[size][0], y = j - f->lots->first[size][1];
    if (!(x >= 0 && x < WINDOW && y >= 0 && y < WINDOW)) return NULL;
    return &f->lots->bare[size][(int)y * WINDOW + (int)x];
}

/// By the hash table, or anew.
static const struct bw_stone_lot *lot_find(const struct bw_stones_field *f, int size, double i, double j,
                                           struct bw_stone_lot *own)
{
    uint32_t seed = bw_noise_hash(wrapped(i), wrapped(j), 0x9e3779b9u * (uint32_t)(size + 1));
    const uint32_t first = seed;
    const float lot = bw_noise_draw(&seed) / sizes[size].share;
    if (lot > 1) return NULL;
    struct bw_stone_lots *all = fabs(i) < FARTHEST && fabs(j) < FARTHEST ? f->lots : NULL;
    const uint64_t key = all ? square_key(size, i, j) : 0;
    for (uint32_t n = 0; n < TRIES && all; n++) {
        const uint32_t at = (first + n) % SLOTS;
        uint64_t is = atomic_load_explicit(&all->slot[at], memory_order_acquire);
        if (!is && atomic_compare_exchange_strong(&all->slot[at], &is, key | BUSY)) {
            const int there = lot_make(f, size, i, j, lot, seed, &all->lot[at]);
            atomic_store_explicit(&all->slot[at], key | (there ? 0 : BARE), memory_order_release);
            return there ? &all->lot[at] : NULL;
        }
        if ((is & ~(uint64_t)FLAGS) != key) continue;
        if (is & BUSY) break;
        return is & BARE ? NULL : &all->lot[at];
    }
    return lot_make(f, size, i, j, lot, seed, own) ? own : NULL;
}

const struct bw_stone_lot *bw_stone_lot(const struct bw_stones_field *f, int size, double i, double j,
                                        struct bw_stone_lot *own)
{
    _Atomic uint8_t *bare = window_at(f, size, i, j);
    if (bare && atomic_load_explicit(bare, memory_order_relaxed)) return NULL;
    const struct bw_stone_lot *lot = lot_find(f, size, i, j, own);
    if (bare && !lot) atomic_store_explicit(bare, 1, memory_order_relaxed);
    return lot;
}

static struct bw_stone_lots *lots_make(const struct bw_tools *tools, const struct bw_stones_field *f)
{
    struct bw_stone_lots *s = tools->alloc(tools->ctx, sizeof *s);
    if (!s) return NULL;
    atomic_init(&s->users, 1);
    for (int size = 0; size < BW_STONE_SIZES; size++)
        for (int a = 0; a < 2; a++) s->first[size][a] = floor(f->middle[a] / bw_stone_square(f, size)) - 0.5 * WINDOW;
    s->wide = f->wide;
    memcpy(s->middle, f->middle, sizeof s->middle);
    return s;
}

int bw_stone_lots_are(const struct bw_stone_lots *s, const struct bw_stones_field *f)
{
    return s->wide == f->wide && s->middle[0] == f->middle[0] && s->middle[1] == f->middle[1];
}

void bw_stone_lots_keep(const struct bw_tools *tools, const struct bw_stones_field *f, struct bw_stone_lots **s)
{
    if (*s && bw_stone_lots_are(*s, f)) return;
    bw_stone_lots_free(tools, *s);
    *s = lots_make(tools, f);
}

struct bw_stone_lots *bw_stone_lots_hold(struct bw_stone_lots *s)
{
    atomic_fetch_add_explicit(&s->users, 1, memory_order_relaxed);
    return s;
}

void bw_stone_lots_free(const struct bw_tools *tools, struct bw_stone_lots *s)
{
    if (s && atomic_fetch_sub_explicit(&s->users, 1, memory_order_acq_rel) == 1) tools->release(tools->ctx, s);
}
