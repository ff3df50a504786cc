// SPDX-License-Identifier: Apache-2.0
/* Motion blur, where the cells are: each becomes the mean of the medium along the way that its own flow takes while
 * the shutter is open, f(x) = 1/n Σ f(x - u(x) τ), -½ … ½ of that time, a sample a cell of the way. No noise, no ray
 * more, and what it costs goes with the cells that move. We cheat here: light is that of the frame's time, ways are
 * straight, and what is averaged is the medium, not the pictures of it: the same where smoke is thin. Flames count by
 * how much they burn, for the air beside them, which is cold, does not glow. */
#include "shutter.h"
#include <picture/volume/rays/step/read.h>
#include <picture/volume/scene/fast_math.h>

#include <math.h>
#include <string.h>

#define STILL 0.3f ///< cells: shorter ways are not seen
enum { LONGEST = 24 };

struct smear {
    const struct bw_lit *lit;
    float *const *vel;
    float cells; ///< of way a m/s
    float *rgbs, *fire, *roots;
};

/// Where a place of the box is read linearly.
static struct taps place(const struct bw_dense *b, const float p[3])
{
    float at[3];
    for (int a = 0; a < 3; a++) at[a] = bw_least(bw_most(p[a], 0), (float)(b->n[a] - 1));
    return taps_at(b, at, 0);
}

/// Add {flame, flame · kelvin}.
static void fire_add(const float *fire, const struct taps *t, float sum[2])
{
    for (int c = 0; c < 8; c++) {
        const size_t x = c & 1, y = c >> 1 & 1, z = c >> 2;
        const float *p = fire + 2 * (t->first + x + y * t->next[1] + z * t->next[2]);
        const float w = t->w[0][x] * t->w[1][y] * t->w[2][z] * p[0];
        sum[0] += w;
        sum[1] += w * p[1];
    }
}

static void cell_smear(const struct smear *s, const int at[3], size_t cell)
{
    const struct bw_dense *b = &s->lit->box;
    float way[3], p[3], fire[2] = {0, 0};
    for (int a = 0; a < 3; a++) way[a] = s->cells * s->vel[a][cell];
    const float length = sqrtf(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
    if (!(length > STILL)) return;
    const int n = length < LONGEST - 1 ? 1 + (int)ceilf(length) : LONGEST;
    struct lanes sum = {{0}};
    float shines = 0;
    for (int q = 0; q < n; q++) {
        for (int a = 0; a < 3; a++) p[a] = (float)at[a] - way[a] * (((float)q + 0.5f) / (float)n - 0.5f);
        const struct taps t = place(b, p);
        struct lanes one = linear_four(s->lit->rgbs, &t);
        if (s->lit->logs) one.v *= (struct lanes){{one.v[3], one.v[3], one.v[3], 1}}.v;
        sum.v += one.v;
        if (s->fire) fire_add(s->lit->fire, &t, fire);
        if (s->roots) shines += linear_one(s->lit->roots, &t);
    }
    if (s->lit->logs && sum.v[3] > 0) sum.v /= (struct lanes){{sum.v[3], sum.v[3], sum.v[3], (float)n}}.v;
    else if (s->lit->logs) sum = lanes_load(s->lit->rgbs + 4 * cell);
    else sum.v /= (float)n;
    memcpy(s->rgbs + 4 * cell, &sum, sizeof sum);
    if (s->roots) s->roots[cell] = shines / (float)n;
    if (!s->fire) return;
    s->fire[2 * cell] = fire[0] / (float)n;
    if (fire[0] > 0) s->fire[2 * cell + 1] = fire[1] / fire[0];
}

static void layer_smear(int64_t k, void *user)
{
    const struct smear *s = user;
    const int32_t *n = s->lit->box.n;
    const size_t layer = (size_t)n[0] * (size_t)n[1], first = (size_t)k * layer;
    memcpy(s->rgbs + 4 * first, s->lit->rgbs + 4 * first, 4 * layer * sizeof *s->rgbs);
    if (s->fire) memcpy(s->fire + 2 * first, s->lit->fire + 2 * first, 2 * layer * sizeof *s->fire);
    if (s->roots) memcpy(s->roots + first, s->lit->roots + first, layer * sizeof *s->roots);
    for (int j = 0; j < n[1]; j++)
        for (int i = 0; i < n[0]; i++)
            cell_smear(s, (int[3]){i, j, (int)k}, first + (size_t)j * (size_t)n[0] + (size_t)i);
}

enum bw_status bw_shutter_open(const struct bw_tools *tools, const struct bw_volume *v, double seconds,
                               struct bw_medium *m)
{
    const size_t cells = bw_dense_cells(&v->box);
    for (int a = 0; a < 3; a++)
        if (v->box.n[a] < 2) return BW_OK;
    if (!v->vel[0] || !(seconds > 0) || !m->lit.rgbs) return BW_OK;
    m->moved = tools->alloc(tools->ctx, (m->lit.roots ? 7 : m->lit.fire ? 6 : 4) * cells * sizeof(float));
    if (!m->moved) return BW_ERR_MEMORY;
    struct smear s = {&m->lit,
                      v->vel,
                      (float)(seconds / v->box.h),
                      m->moved,
                      m->lit.fire ? m->moved + 4 * cells : NULL,
                      m->lit.roots ? m->moved + 6 * cells : NULL}; // where there is fire alone
    tools->parallel(tools->ctx, v->box.n[2], layer_smear, &s);
    m->lit.rgbs = s.rgbs;
    m->lit.fire = s.fire;
    m->lit.roots = s.roots;
    return BW_OK;
}
