// SPDX-License-Identifier: Apache-2.0
#include "march_segment.h"
#include <common/simd.h>
#include <picture/volume/detail/move.h>
#include <picture/volume/flames/crisp.h>
#include <picture/volume/scene/flame.h>
#include <picture/volume/scene/fast_math.h>

/// Of the light of smoke that was moved: what counts where it is now, for one of where it came from.
#define LIGHT 2.0f
#define MOVED 0.25f ///< of the light from there gets out, or more: places are moved

/// Of optical depth in a step where something burns: in more, what is white stands beside what is black within the
/// step, and the jitter would speckle, …
#define THICK 0.3f
#define GLEAMS 0.02f ///< … where flames so bright would be seen, were nothing else in the step
enum { PARTS = 4 };  ///< of such a step, and of the one before

/// Flames at a place p of the box, {flame, kelvin}: sheets stand out from what is round them, the more the brighter.
INLINE void sheets_draw(const struct bw_lit *lit, const float p[3], float fire[2])
{
    float rgb[3];
    if (!lit->wide || fire[0] <= BW_FIRE_FAINT) return;
    const struct taps t = taps_at(&lit->box, p, 0);
    bw_emission(lit->blackbody, fire, rgb);
    const float wide = bw_most(linear_one(lit->wide, &t), 0);
    const float times = powf((rgb[0] + rgb[1] + BW_GLOW_FAINT) / (wide + BW_GLOW_FAINT), lit->sheets);
    fire[0] *= times * (1 + BW_STANDS_OUT) / (times + BW_STANDS_OUT);
}

/// By how much flames hide what is behind them, times the default, of {flame, kelvin} and of what they send out. A deep
/// one is never darker than BW_FLAME_SHINES, wherever it hides.
INLINE float fire_hides(const struct bw_lit *lit, const float fire[2], const float rgb[3])
{
    if (lit->hides == 0) return 1;
    const float *most_rgb = lit->blackbody->white;
    const float most = 1 + lit->hides, least = most > 1 ? 1 / most : 1, clear = least * least * least;
    const float white = fire[0] * (most_rgb[0] + most_rgb[1]), bright = bw_least(rgb[0] + rgb[1], white);
    const float shines = bright * (1 + BW_FLAME_SHINES) / (bright + BW_FLAME_SHINES * white);
    const float glows = bw_least(bw_most((fire[1] - BW_FLAME_GLOWS) * (1 / BW_FLAME_GLOWS_OVER), 0), 1);
    const float by_light = clear + shines * (most - clear), by_heat = least + glows * (most - least);
    return by_light + lit->black * (by_heat - by_light);
}

/// Add {j, s} of flames, {flame, kelvin}, `share` of them.
INLINE void fire_add(const struct bw_lit *lit, const float fire[2], float share, struct lanes *js)
{
    float rgb[3];
    if (fire[0] <= BW_FIRE_FAINT) return;
    bw_emission(lit->blackbody, fire, rgb);
    const float gain = share * lit->gain, soot = share * lit->soot * fire[0] * fire_hides(lit, fire, rgb);
    js->v += (struct lanes){{gain * rgb[0], gain * rgb[1], gain * rgb[2], soot}}.v;
}

/// A place on a ray along d, in the middle of a step of `length` cells.
struct middle {
    const float *p, *d;
    float length;
};

/// What flames add over a step, from `from` on average: they are thinner than that.
INLINE void fire_step(const struct bw_march_medium *m, int cubic, const float from[3], const struct middle *step,
                      float drawn, struct lanes *js)
{
    const struct bw_dense *b = &m->lit->box;
    for (int q = 0; q < m->steps.fine; q++) {
        const float t = step->length * (((float)q + 0.5f) / (float)m->steps.fine - 0.5f);
        float at[3], fire[2];
        for (int a = 0; a < 3; a++) at[a] = bw_least(bw_most(from[a] + t * step->d[a], 0), (float)(b->n[a] - 1));
        const struct taps taps = taps_at(b, at, cubic);
        if (cubic) cubic_two(m->lit->fire, &taps, fire);
        else linear_two(m->lit->fire, &taps, fire);
        sheets_draw(m->lit, at, fire);
        fire[0] *= drawn;
        fire_add(m->lit, fire, 1 / (float)m->steps.fine, js);
    }
}

/// exp(-x) of x from 0 on, to a thousandth as far as 16.
INLINE struct lanes lanes_exp_neg(struct lanes x)
{
    struct lanes y = {x.v * (1 / 32.0f)};
    y.v = 1 / (1 + y.v * (1 + y.v * (0.5f + y.v * (0.16666667f + y.v * 0.041666667f))));
    for (int q = 0; q < 5; q++) y.v *= y.v;
    return y;
}

/// {j, s} of smoke.
INLINE struct lanes smoke_read(const struct bw_lit *lit, const struct taps *t, int cubic)
{
    struct lanes s = cubic ? cubic_four(lit->rgbs, t) : linear_four(lit->rgbs, t);
    for (int c = 0; c < 4; c++) s.v[c] = bw_most(s.v[c], 0); // sharpened cells go below 0 beside an edge
    if (!lit->logs) return s;
    const float dense = s.v[3];
    s.v = BW_BRIGHTEST * dense * lanes_exp_neg(s).v;
    s.v[3] = dense;
    return s;
}

/// Light of flames' roots, which hide nothing.
INLINE void roots_add(const struct bw_lit *lit, const struct taps *t, int cubic, struct lanes *s)
{
    const float bright = bw_most(cubic ? cubic_one(lit->roots, t) : linear_one(lit->roots, t), 0), *rgb = lit->root_rgb;
    s->v += (struct lanes){{bright * rgb[0], bright * rgb[1], bright * rgb[2], 0}}.v;
}

/// Smoke that was moved has the light of where it is now, as far as there is smoke there: what stands out is lit, and
/// what lies deep is dark. Light is smooth: read linearly.
INLINE void light_stay(const struct bw_march_medium *m, const float p[3], struct lanes *s)
{
    const struct taps t = taps_at(&m->lit->box, p, 0);
    const struct lanes here = smoke_read(m->lit, &t, 0);
    const float dense = s->v[3], share = dense / (LIGHT * here.v[3] + dense);
    s->v = (LIGHT * here.v + s->v) * share;
    s->v[3] = dense;
}

/// {j, s} of a step, and the part of j that is flames'.
INLINE struct lanes medium_at(const struct bw_march_medium *m, int holds, int cubic, const struct middle *step,
                              float *glow)
{
    const float *p = step->p;
    struct lanes s = {{0}};
    const struct bw_detail *detail = holds & BW_HOLDS_MOVED ? m->detail : NULL;
    const int moves = detail && detail->displacement > 0,
              draws = detail && detail->filaments > 0 && holds & BW_HOLDS_FIRE;
    float fire[2], from[3] = {p[0], p[1], p[2]}, rms = 0;
    vec4 flow = {0};
    if (moves || draws) flow = flow_at(detail, p);
    if (moves) {
        const vec4 displacement = displacement_at(detail, p, flow, &rms);
        for (int a = 0; a < 3; a++)
            from[a] = bw_least(bw_most(p[a] + displacement[a], 0), (float)(m->lit->box.n[a] - 1));
    }
    const struct taps t = taps_at(&m->lit->box, from, cubic);
    if (holds & BW_HOLDS_MEDIUM) {
        s = smoke_read(m->lit, &t, cubic);
        if (rms > 0 && s.v[3] > 0) light_stay(m, p, &s);
        if (m->lit->roots) roots_add(m->lit, &t, cubic, &s);
    }
    if (!(holds & BW_HOLDS_FIRE)) return s;
    const float drawn = draws ? filaments_at(detail, p, flow) : 1;
    const struct lanes smoke = s;
    if (m->steps.fine > 1) {
        fire_step(m, cubic, from, step, drawn, &s);
    } else {
        if (cubic) cubic_two(m->lit->fire, &t, fire);
        else linear_two(m->lit->fire, &t, fire);
        sheets_draw(m->lit, from, fire);
        fire[0] *= drawn;
        fire_add(m->lit, fire, 1, &s);
    }
    for (int c = 0; c < 3; c++) *glow = bw_most(*glow, s.v[c] - smoke.v[c]);
    return s;
}

/// Beer–Lambert of a step of optical depth `depth`, `ds` metres long: its transmittance, {rgb, grey}, and
/// ∫ exp(-s x) dx.
INLINE void step_transmittance(const float more[3], float depth, float ds, struct lanes *keep, struct lanes *way)
{
    const float grey = bw_exp_neg(depth), even = depth > 1e-4f ? (1 - grey) / depth * ds : ds;
    keep->v = (struct lanes){{grey, grey, grey, grey}}.v;
    way->v = (struct lanes){{even, even, even, ds}}.v;
    for (int c = 0; c < 3; c++) {
        if (more[c] == 1) continue;
        const float own = more[c] * depth;
        keep->v[c] = bw_exp_neg(own);
        way->v[c] = own > 1e-4f ? (1 - keep->v[c]) / own * ds : ds;
    }
}

/// What blocks and cells hold at p.
INLINE uint8_t holds_at(const struct bw_march_medium *m, const float p[3], int *block)
{
    const int32_t *cells = m->lit->box.n, *n = m->blocks->n;
    const int at[3] = {(int)p[0], (int)p[1], (int)p[2]};
    const uint8_t holds = m->blocks->busy[(at[2] / BW_BLOCK * n[1] + at[1] / BW_BLOCK) * n[0] + at[0] / BW_BLOCK];
    *block = holds;
    if (!holds) return 0;
    return holds &
           m->blocks->near[((size_t)at[2] * (size_t)cells[1] + (size_t)at[1]) * (size_t)cells[0] + (size_t)at[0]];
}

/// Radiance along a ray so far, and its transmittance.
struct gathered {
    struct lanes sum, transmittance;
    float far; ///< cells from the ray's start, by the share of `transmittance` that is lost there
};

/// On along way[0] … way[1], cells, by what is in the middle of a step of `length`. Answers its optical depth, 0 where
/// nothing burns, -1 where there is nothing; `skip`: cells to the end of a block that is empty; `gleams`: how bright
/// its flames would be alone.
INLINE float step_march(const struct bw_march_medium *m, const struct bw_ray *r, const float way[2], float length,
                        struct gathered *g, float *skip, float *gleams)
{
    const float t = 0.5f * (way[0] + way[1]), ds = (way[1] - way[0]) * (float)m->lit->box.h;
    float p[3];
    int block;
    for (int a = 0; a < 3; a++) p[a] = bw_most(r->o[a] + t * r->d[a], 0);
    const uint8_t near = holds_at(m, p, &block);
    float glow = 0;
    *skip = block ? 0 : bw_block_exit(p, r->d);
    *gleams = 0;
    if (!near) return -1;
    const int cubic = m->steps.cubic && g->transmittance.v[3] > m->steps.deep;
    const int holds = g->transmittance.v[3] > MOVED ? near : near & ~BW_HOLDS_MOVED;
    const struct middle middle = {p, r->d, length};
    const struct lanes s = medium_at(m, holds, cubic, &middle, &glow);
    struct lanes keep, metres;
    step_transmittance(m->more, s.v[3] * ds, ds, &keep, &metres);
    const float before = g->transmittance.v[3];
    g->sum.v += s.v * (g->transmittance.v * metres.v);
    g->transmittance.v *= keep.v;
    g->far += (before - g->transmittance.v[3]) * t;
    *gleams = glow > 0 && s.v[3] > 0 ? before * glow / s.v[3] : 0;
    return near & BW_HOLDS_FIRE ? s.v[3] * ds : 0;
}

struct lanes SIMD_NAME(bw_march_segment)(const struct bw_march_medium *m, const struct bw_ray *r, float jitter,
                                         float seen[4])
{
    struct gathered g = {{{0}}, {{1, 1, 1, 1}}, 0}, before = g; // the last step
    float start = -1, gleamed = 0; // where that began, if it may be taken in parts; how bright its flames
    const float step = m->steps.length, least = m->blocks->seen;
    for (int n = 0; ((float)n + jitter - 0.5f) * step < r->length && g.transmittance.v[3] > least;) {
        const struct gathered now = g;
        const float middle = ((float)n + jitter) * step;
        const float way[2] = {bw_most(middle - 0.5f * step, 0), bw_least(middle + 0.5f * step, r->length)};
        float skip, gleams;
        const float depth = step_march(m, r, way, step, &g, &skip, &gleams);
        n += 1 + (int)(skip / step);
        if (depth > THICK && gleams + gleamed > GLEAMS) { // once more, and the step before, in which it may have begun
            const float from = start >= 0 ? start : way[0], part = (way[1] - from) / (start >= 0 ? 2 * PARTS : PARTS);
            g = start >= 0 ? before : now;
            for (float at = from; at < way[1] - 0.5f * part; at += part)
                step_march(m, r, (float[2]){at, at + part}, part, &g, &skip, &gleams);
            start = -1, gleamed = 0;
        } else {
            start = depth < 0 ? -1 : way[0], gleamed = gleams, before = now;
        }
    }
    for (int c = 0; c < 3; c++) seen[c] = g.sum.v[c];
    seen[3] = g.far;
    return g.transmittance;
}
