// SPDX-License-Identifier: Apache-2.0
/* Gradient noise in space and time (Perlin 1985, with the quintic fade of Perlin 2002), hashed with bw_rng on a
 * lattice that is fixed in the world: neither tiles nor the place where a domain starts show in it.
 *
 * Four-dimensional noise at one instant is three-dimensional noise whose gradients, and a constant beside them, are
 * blended between two time slices:  n(x,t) = Σ_corners w(x) (G·d + C),  G = (1-w_t) g0 + w_t g1,
 * C = (1-w_t) γ0 f + w_t γ1 (f-1),  f = fraction of the time slice, γ = time part of the gradient.
 * So the lattice round a block is made once a step, and a value costs eight corners. */
#ifndef BILLOW_NOISE_H
#define BILLOW_NOISE_H

#include "rng.h"
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define BW_NOISE_OCTAVES 8

/// Lattice values of one octave round a block. `g` holds Gx, Gy, Gz, C for each point, x fastest.
struct bw_noise_lattice {
    double size;     ///< edge of a lattice cell, m
    double shift[3]; ///< lattice cells: keeps the zeros of the octaves apart
    int64_t lo[3];
    int32_t n[3];
    float *g;
};

static inline double bw_noise_fade(double f) { return f * f * f * (f * (f * 6 - 15) + 10); }

/* Four numbers in [-1, 1) from one hash, of a place along z and a time; `column`: the hash of x and y. */
static inline void bw_noise_gradient(uint64_t column, int64_t z, int64_t time, double g[4])
{
    uint64_t b = bw_rng(column, ((uint64_t)z << 32) ^ ((uint64_t)time & 0xffffffffu));
    for (int i = 0; i < 4; i++) g[i] = (double)(int16_t)(b >> (16 * i)) / 32768; // exact
}

/// Prepare the lattice for positions in [lo, hi] (m). Returns the bytes that `g` needs.
static inline size_t bw_noise_place(struct bw_noise_lattice *l, uint64_t seed, double size, const double lo[3],
                                    const double hi[3])
{
    size_t points = 1;
    l->size = size;
    for (int i = 0; i < 3; i++) {
        l->shift[i] = bw_rng_unit(seed, (uint64_t)i);
        l->lo[i] = (int64_t)floor(lo[i] / size + l->shift[i]);
        l->n[i] = (int32_t)((int64_t)floor(hi[i] / size + l->shift[i]) - l->lo[i]) + 2;
        points *= (size_t)l->n[i];
    }
    return points * 4 * sizeof(float);
}

/// Fill the lattice for the time coordinate `time` (lattice cells).
static inline void bw_noise_fill(struct bw_noise_lattice *l, uint64_t seed, double time)
{
    double slice = fmin(fmax(floor(time), -4e18), 4e18), f = fmin(fmax(time - slice, 0), 1), w = bw_noise_fade(f);
    for (int32_t j = 0; j < l->n[1]; j++)
        for (int32_t i = 0; i < l->n[0]; i++) {
            const uint64_t x = (uint64_t)(l->lo[0] + i), y = (uint64_t)(l->lo[1] + j);
            const uint64_t column = bw_rng(seed, (x << 32) ^ (y & 0xffffffffu));
            float *g = l->g + 4 * (i + (ptrdiff_t)l->n[0] * j);
            for (int32_t k = 0; k < l->n[2]; k++, g += 4 * (ptrdiff_t)l->n[0] * l->n[1]) {
                double a[4], b[4];
                bw_noise_gradient(column, l->lo[2] + k, (int64_t)slice, a);
                bw_noise_gradient(column, l->lo[2] + k, (int64_t)slice + 1, b);
                for (int c = 0; c < 3; c++) g[c] = (float)((1 - w) * a[c] + w * b[c]);
                g[3] = (float)((1 - w) * a[3] * f + w * b[3] * (f - 1));
            }
        }
}

typedef double bw_noise_pair __attribute__((vector_size(16)));
typedef double bw_noise_pairs __attribute__((vector_size(32)));
typedef float bw_noise_point __attribute__((vector_size(16)));

/* Gx, Gy, Gz, C of two lattice points beside each other along x. */
static inline void bw_noise_edge(const float *at, bw_noise_pair g[4])
{
    bw_noise_point low, high;
    memcpy(&low, at, sizeof low);
    memcpy(&high, at + 4, sizeof high);
    const bw_noise_point xy = __builtin_shufflevector(low, high, 0, 4, 1, 5),
                         zc = __builtin_shufflevector(low, high, 2, 6, 3, 7);
    const bw_noise_pairs a = __builtin_convertvector(xy, bw_noise_pairs),
                         b = __builtin_convertvector(zc, bw_noise_pairs);
    memcpy(g, &a, sizeof a);
    memcpy(g + 2, &b, sizeof b);
}

/// The noise at a world position inside what bw_noise_place was told; about -1 … 1, mean 0.
static inline double bw_noise_at(const struct bw_noise_lattice *l, const double x[3])
{
    double f[3], w[3];
    ptrdiff_t base = 0, stride[3] = {4, 4 * (ptrdiff_t)l->n[0], 4 * (ptrdiff_t)l->n[0] * l->n[1]};
    for (int i = 0; i < 3; i++) {
        double u = x[i] / l->size + l->shift[i], cell = floor(u);
        f[i] = u - cell;
        w[i] = bw_noise_fade(f[i]);
        base += (ptrdiff_t)((int64_t)cell - l->lo[i]) * stride[i];
    }
    const bw_noise_pair fx = {f[0], f[0] - 1}, wx = {1 - w[0], w[0]};
    double sum = 0;
    for (int edge = 0; edge < 4; edge++) {
        const int b = edge & 1, c = edge >> 1;
        bw_noise_pair g[4];
        bw_noise_edge(l->g + base + b * stride[1] + c * stride[2], g);
        const bw_noise_pair weight = wx * (b ? w[1] : 1 - w[1]) * (c ? w[2] : 1 - w[2]),
                            part = weight * (g[0] * fx + g[1] * (f[1] - b) + g[2] * (f[2] - c) + g[3]);
        sum += part[0];
        sum += part[1];
    }
    return sum;
}

/// The noise at any place, lobes of size 1, for one value at a time: what `noise(x, y, z)` is in expressions.
/// Beyond 1e9 the lattice has no more room in its integers.
static inline double bw_noise(double x, double y, double z)
{
    const double at[3] = {x, y, z};
    float g[2 * 2 * 2 * 4];
    struct bw_noise_lattice l;
    l.g = g;
    if (!(fabs(x) < 1e9 && fabs(y) < 1e9 && fabs(z) < 1e9)) return 0;
    bw_noise_place(&l, 0, 1, at, at);
    bw_noise_fill(&l, 0, 0);
    return bw_noise_at(&l, at);
}

/// Where a coordinate lies in its lattice cell.
struct bw_noise_step {
    int32_t cell; ///< from the lattice's first
    double f, w;  ///< fraction, faded fraction
};

static inline struct bw_noise_step bw_noise_locate(const struct bw_noise_lattice *l, int axis, double x)
{
    double u = x / l->size + l->shift[axis], cell = floor(u);
    struct bw_noise_step step = {(int32_t)((int64_t)cell - l->lo[axis]), u - cell, bw_noise_fade(u - cell)};
    return step;
}

enum { BW_NOISE_COLUMNS = 80 };

/// A row of up to BW_NOISE_COLUMNS positions along x: those in lattice column c are begin[c] … begin[c+1]-1.
struct bw_noise_row {
    int32_t columns, begin[BW_NOISE_COLUMNS + 1], cell[BW_NOISE_COLUMNS];
    float f[BW_NOISE_COLUMNS], w[BW_NOISE_COLUMNS], fw[BW_NOISE_COLUMNS]; ///< fraction, faded fraction, their product
};

/// Add position i, which lies at x or further than all before, m.
static inline void bw_noise_row_add(struct bw_noise_row *r, const struct bw_noise_lattice *l, int32_t i, double x)
{
    const struct bw_noise_step s = bw_noise_locate(l, 0, x);
    if (i == 0) r->columns = 0;
    if (r->columns == 0 || r->cell[r->columns - 1] != s.cell) {
        r->cell[r->columns] = s.cell;
        r->begin[r->columns++] = i;
    }
    r->begin[r->columns] = i + 1;
    r->f[i] = (float)s.f;
    r->w[i] = (float)s.w;
    r->fw[i] = (float)(s.f * s.w);
}

/* Within a lattice column the noise is a + b f + c w + d f w: no gathers. */
static inline void bw_noise_column_add(const float *__restrict f, const float *__restrict w, const float *__restrict fw,
                                       int32_t n, const float at[4], float *__restrict out)
{
    const float a = at[0], b = at[1], c = at[2], d = at[3];
    for (int32_t i = 0; i < n; i++) out[i] += a + b * f[i] + (c * w[i] + d * fw[i]);
}

/// The lattice between two of its planes, for rows at one z, times `factor`: three numbers a point of n[0] × n[1], the
/// gradient along x, along y, and the rest.
static inline void bw_noise_plane(const struct bw_noise_lattice *l, const struct bw_noise_step *z, double factor,
                                  double *plane)
{
    const ptrdiff_t points = (ptrdiff_t)l->n[0] * l->n[1];
    const float *g = l->g + 4 * points * z->cell, *h = g + 4 * points;
    const double low = factor * (1 - z->w), high = factor * z->w;
    for (ptrdiff_t i = 0; i < points; i++, g += 4, h += 4, plane += 3) {
        plane[0] = low * g[0] + high * h[0];
        plane[1] = low * g[1] + high * h[1];
        plane[2] = low * (g[2] * z->f + g[3]) + high * (h[2] * (z->f - 1) + h[3]);
    }
}

/// out[i] += noise at (x[i], y, z of the plane): as bw_noise_at, but what a row or a plane has in common is summed
/// once. The lattice has at most BW_NOISE_COLUMNS points along x.
static inline void bw_noise_add_row(const struct bw_noise_lattice *l, const struct bw_noise_row *r,
                                    const struct bw_noise_step *y, const double *plane, float *out)
{
    double rest[BW_NOISE_COLUMNS], slope[BW_NOISE_COLUMNS];
    const double *p = plane + 3 * (ptrdiff_t)l->n[0] * y->cell, *q = p + 3 * (ptrdiff_t)l->n[0];
    for (int32_t i = 0; i < l->n[0]; i++, p += 3, q += 3) {
        slope[i] = (1 - y->w) * p[0] + y->w * q[0];
        rest[i] = (1 - y->w) * (p[1] * y->f + p[2]) + y->w * (q[1] * (y->f - 1) + q[2]);
    }
    for (int32_t c = 0; c < r->columns; c++) {
        const int32_t at = r->cell[c], i = r->begin[c];
        const float value[4] = {(float)rest[at], (float)slope[at], (float)(rest[at + 1] - slope[at + 1] - rest[at]),
                                (float)(slope[at + 1] - slope[at])};
        bw_noise_column_add(r->f + i, r->w + i, r->fw + i, r->begin[c + 1] - i, value, out + i);
    }
}
#endif
