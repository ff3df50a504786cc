// SPDX-License-Identifier: Apache-2.0
/* Eddies by the age of smoke. A mixing layer's grow with it, at a share of the flow's speed; so do those of a front:
 *     l = R/3 + a sqrt(g R)/6, at most R
 * An octave of size s has the weight 1/2 + 1/(1 + (s/l - l/s)²): lobes are small where smoke has just come out, and
 * wide where it is old, by much the same acceleration in all. The age is the mean by mass of the 27 cells round each,
 * so that it has no edge where smoke has one. */
#include "aged.h"
#include <common/froude.h>
#include <common/simd.h>

#include <math.h>

#define YOUNG (1 / 3.0) // of l/R at the source
#define GROWTH 6.0      // of sqrt(g R)/(dl/da)

/* Sums of a row over three cells along each axis: of the smoke, and of that times its age. Cells -1 … n. */
static void row_sums(const struct bw_block *b, const struct bw_view *q, const struct bw_view *a, int j, int k,
                     float *restrict smoke, float *restrict weighed)
{
    const int n = b->n[0] + 2;
    for (int i = 0; i < n; i++) smoke[i] = weighed[i] = 0;
    for (int z = -1; z <= 1; z++)
        for (int y = -1; y <= 1; y++) {
            const float *s = bw_f32(q, 0) + (j + y) * q->sy + (k + z) * q->sz - 1;
            const float *t = bw_f32(a, 0) + (j + y) * a->sy + (k + z) * a->sz - 1;
            for (int i = 0; i < n; i++) smoke[i] += s[i - 1] + s[i] + s[i + 1];
            for (int i = 0; i < n; i++) weighed[i] += s[i - 1] * t[i - 1] + s[i] * t[i] + s[i + 1] * t[i + 1];
        }
}

/* out = share times the weight of an octave of `size` R where l/R is `grown`. */
static void row_weigh(const float *restrict share, const float *restrict grown, float size, int n, float *restrict out)
{
    for (int i = 0; i < n; i++) {
        const float apart = size / grown[i] - grown[i] / size;
        out[i] = share[i] * (0.5f + 1 / (1 + apart * apart));
    }
}

void SIMD_NAME(aged_row)(const struct aged *t, const struct bw_block *b, int j, int k, const float *share,
                         float *const of[])
{
    float smoke[AGED_CELLS], grown[AGED_CELLS], size = (float)(t->size / t->radius);
    const int n = b->n[0] + 2;
    const float rate = (float)(1 / (froude_time(t->radius) * GROWTH));
    row_sums(b, &b->view[t->smoke], &b->view[t->age], j, k, smoke, grown);
    for (int i = 0; i < n; i++) {
        const float size_now = (float)YOUNG + rate * grown[i] / (smoke[i] + 1e-20f);
        grown[i] = size_now < 1 ? size_now : 1;
    }
    for (int o = 0; o < t->octaves; o++, size /= 2) row_weigh(share, grown, size, n, of[o]);
}
