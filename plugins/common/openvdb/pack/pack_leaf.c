// SPDX-License-Identifier: Apache-2.0
/* One leaf; pack.h says what. First all values are put into the file's order, then rows of eight voxels along z are
 * judged and stored one after another: what is inactive is stored too, and written over by what follows. */
#include "pack.h"

#include <math.h>
#include <string.h>
#if defined(__F16C__)
#include <immintrin.h>
#else
#include <Imath/half.h>
#endif

#define PACK_NAME(name) PACK_NAME_(name, BW_LEVEL)
#define PACK_NAME_(name, level) PACK_NAME__(name, level)
#define PACK_NAME__(name, level) name##_##level

enum { ROW = 8, ROWS = VDB_LEAF / ROW };

/* ---- what a level has instructions for ---- */

#if defined(__AVX2__)
/* Eight rows of eight, `step` apart, turned about: out[i] is column i. */
static inline void turn_about(const float *in, size_t step, float *out, size_t out_step)
{
    __m256 a[8], b[8];
    for (int k = 0; k < 8; k++) a[k] = _mm256_loadu_ps(in + step * (size_t)k);
    for (int k = 0; k < 8; k += 2) {
        b[k] = _mm256_unpacklo_ps(a[k], a[k + 1]);
        b[k + 1] = _mm256_unpackhi_ps(a[k], a[k + 1]);
    }
    for (int k = 0; k < 8; k += 4)
        for (int i = 0; i < 2; i++) {
            a[k + 2 * i] = _mm256_shuffle_ps(b[k + i], b[k + 2 + i], 0x44);
            a[k + 2 * i + 1] = _mm256_shuffle_ps(b[k + i], b[k + 2 + i], 0xee);
        }
    for (int i = 0; i < 4; i++) {
        _mm256_storeu_ps(out + out_step * (size_t)i, _mm256_permute2f128_ps(a[i], a[i + 4], 0x20));
        _mm256_storeu_ps(out + out_step * (size_t)(i + 4), _mm256_permute2f128_ps(a[i], a[i + 4], 0x31));
    }
}

static inline uint32_t bits_above(const float size[ROW], float threshold)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(size), _mm256_set1_ps(threshold), _CMP_GT_OQ));
}
#else
static inline void turn_about(const float *in, size_t step, float *out, size_t out_step)
{
    for (size_t k = 0; k < 8; k++)
        for (size_t i = 0; i < 8; i++) out[out_step * i + k] = in[step * k + i];
}

static inline uint32_t bits_above(const float size[ROW], float threshold)
{
    uint32_t bits = 0;
    for (int z = 0; z < ROW; z++) bits |= (uint32_t)(size[z] > threshold) << z;
    return bits;
}
#endif

#if defined(__F16C__)
static inline void halves(const float in[ROW], uint16_t out[ROW])
{
    _mm_storeu_si128((__m128i *)(void *)out, _mm256_cvtps_ph(_mm256_loadu_ps(in), _MM_FROUND_TO_NEAREST_INT));
}
#else
static inline void halves(const float in[ROW], uint16_t out[ROW])
{
    for (int z = 0; z < ROW; z++) out[z] = imath_float_to_half(in[z]);
}
#endif

/* ---- rows ---- */

/* Active values of a row behind what is there; room for one more than there are. Returns where the next go. */
static inline unsigned char *halves_store(float row[3][ROW], uint32_t comps, uint32_t on, unsigned char *to)
{
    uint16_t h[3][ROW];
    for (uint32_t c = 0; c < comps; c++) halves(row[c], h[c]);
    if (comps == 1 && on == 0xff) {
        memcpy(to, h[0], sizeof h[0]);
        return to + sizeof h[0];
    }
    for (int z = 0; z < ROW; z++) {
        uint64_t word = h[0][z];
        if (comps == 3) word |= (uint64_t)h[1][z] << 16 | (uint64_t)h[2][z] << 32;
        memcpy(to, &word, sizeof word);
        to += (on >> z & 1) * 2 * comps;
    }
    return to;
}

static inline unsigned char *floats_store(float row[3][ROW], uint32_t comps, uint32_t on, unsigned char *to)
{
    for (int z = 0; z < ROW; z++) {
        const float v[3] = {row[0][z], row[1][z], row[2][z]};
        memcpy(to, v, sizeof *v * comps);
        to += (on >> z & 1) * sizeof *v * comps;
    }
    return to;
}

/* To whole multiples of `step`, by a number whose last bit is 1; what is as large has no such bits. */
static inline void row_round(float row[ROW], float background, float step, float inverse)
{
    const float whole = 0x1.8p23f, most = 0x1p22f;
    for (int z = 0; z < ROW; z++) {
        const float x = (row[z] - background) * inverse, near = (x + whole) - whole;
        row[z] = fabsf(x) < most ? background + near * step : row[z];
    }
}

/* How far values are from the background, and the largest component so far; `never` gathers a number that is none from
 * one that is not finite. */
static inline void row_measure(float row[3][ROW], uint32_t comps, const float background[3], float size[ROW],
                               float peak[ROW], float never[ROW])
{
    for (int z = 0; z < ROW; z++) {
        const float x = row[0][z] - background[0];
        size[z] = fabsf(x);
        for (uint32_t c = 0; c < comps; c++) {
            const float a = fabsf(row[c][z]);
            peak[z] = a > peak[z] ? a : peak[z];
            never[z] += a * 0;
        }
        if (comps == 3) {
            const float y = row[1][z] - background[1], w = row[2][z] - background[2];
            size[z] = sqrtf(x * x + y * y + w * w);
        }
    }
}

/* `gain` of each component; the rest of `rule` has been seen to, or is a constant here. */
static inline void rows_pack(struct vdb_pack_leaf *leaf, const struct vdb_pack_rule *rule, const float gain[3],
                             uint32_t comps, uint32_t half, uint32_t given)
{
    const float threshold = rule->threshold;
    const float background[3] = {rule->background[0], rule->background[1], rule->background[2]};
    float peak[ROW] = {0}, never[ROW] = {0}, size[ROW], row[3][ROW];
    unsigned char *to = leaf->packed;
    for (int r = 0; r < ROWS; r++) {
        uint32_t on = given ? leaf->mask[r >> 3] >> 8 * (r & 7) & 0xff : 0;
        if (given && !on) continue;
        for (uint32_t c = 0; c < comps; c++)
            for (int z = 0; z < ROW; z++) row[c][z] = leaf->sorted[c][ROW * r + z] * gain[c];
        for (uint32_t c = 0; c < comps && given && on != 0xff; c++)
            for (int z = 0; z < ROW; z++) row[c][z] = on >> z & 1 ? row[c][z] : 0;
        for (uint32_t c = 0; c < comps && rule->step > 0; c++)
            row_round(row[c], background[c], rule->step, 1 / rule->step);
        row_measure(row, comps, background, size, peak, never);
        if (!given) {
            on = bits_above(size, threshold);
            leaf->mask[r >> 3] |= (uint64_t)on << 8 * (r & 7);
        }
        if (on) to = half ? halves_store(row, comps, on, to) : floats_store(row, comps, on, to);
    }
    leaf->bytes = (uint32_t)(to - leaf->packed);
    leaf->peak = 0;
    for (int z = 0; z < ROW; z++) {
        if (leaf->peak < peak[z]) leaf->peak = peak[z];
        if (never[z] != 0) leaf->peak = NAN;
        if (leaf->peak != leaf->peak) break;
    }
}

void PACK_NAME(vdb_pack)(struct vdb_pack_leaf *leaf, const struct vdb_pack_rule *rule, uint32_t given)
{
    const uint32_t source[3] = {0, rule->turn ? 2 : 1, rule->turn ? 1 : 2};
    const float gain[3] = {rule->gain, rule->gain, rule->turn ? -rule->gain : rule->gain};
    for (uint32_t c = 0; c < rule->comps; c++)
        for (size_t j = 0; j < 8; j++) turn_about(leaf->v[source[c]] + 8 * j, 64, leaf->sorted[c] + 8 * j, 64);
    if (!given) memset(leaf->mask, 0, sizeof leaf->mask);
    if (rule->comps == 3 && rule->half) rows_pack(leaf, rule, gain, 3, 1, given);
    else if (rule->comps == 3) rows_pack(leaf, rule, gain, 3, 0, given);
    else rows_pack(leaf, rule, gain, 1, rule->half, given);
}
