// SPDX-License-Identifier: Apache-2.0
/* Light that a gas bends is caught by a filter, dark where none is bent and of two colours beside it, so that
 * slopes towards one side are amber, away from it blue (Settles 2001, Schlieren and Shadowgraph Techniques, colour
 * filters): shocks are lines, whichever way they run, and hot gas has a relief. We cheat twice. s^2/(1 + s^2) of a
 * slope s shows faint waves beside strong shocks, but lets them stay behind, far from what glows by its square, or
 * many waves of little strength would be a web. And what is thin, and so hot, glows from deep red over orange to
 * pale yellow, as a relief under a lamp at its upper left, in which lines are paler, and lights what is cold round
 * it. Lines beside it are of its colours, and what is hotter than the gas around it more so (an unsharp mask), for
 * within a room heat differs by little. Its colours near white by 1 - exp(-x): nothing is so hot that it is flat. */
#include "schlieren.h"
#include "blur.h"

#include <math.h>
#include <string.h>

#define FROM 2.2f     ///< radians anticlockwise from the right: slopes down towards there are amber
#define RELIEF 0.5f   ///< height of what glows, times its slope
#define SHADED 0.58f  ///< of its light that the relief shades
#define LIT 1.25f     ///< of flat gas's light, what slopes towards the lamp have at most
#define STEEP 6.0f    ///< times: thin gas changes little, but much by its ratio, and so heat does
#define PALE 12.0f    ///< lines in what glows: how soon they are pale …
#define FAINT 0.45f   ///< … and how much fainter
#define SPILL 1.2f    ///< of the light that spreads, what cold gas and floor send back
#define NEARER 0.022  ///< of the picture's height: how far half of it spreads …
#define FARTHER 0.085 ///< … and all of it
#define BEYOND 1.4f   ///< how far past the range's lower end what is thinner still gets brighter
#define WARM 5.0f     ///< times: how soon lines beside what glows are of its colours
#define BESIDE 0.008  ///< of the layer's height: how far beside
#define AROUND 0.03   ///< of it: how far around heat is compared …
#define FOLDS 0.8f    ///< … and how much of what differs from that is added …
#define INNER 4.0f    ///< … times, of its heat: in how hot gas all of that …
#define LEFT 0.6f     ///< … and what of the heat is left at least
#define RIM 0.6f      ///< of the way from ember to pale gold, lines beside what glows, on their pale side
#define PALER 0.7f    ///< of the way to that, lines in what glows
#define BEHIND 0.85f  ///< of the light that lines in the cold have at most, the fainter the less
#define NEAR 0.036f ///< of the layer's height: a change by the whole span on so short a way is half as bright as may be

/// 0 at the range's upper end, 1 at its lower one, more below that: by their ratio, as heat goes. A range that reaches
/// down to 0 is of smoke, or of all that was seen: it says of nothing that it is hot.
static float thin_at(float value, const double range[2])
{
    const float lo = (float)range[0], hi = (float)range[1];
    if (!(lo > 0)) return 0;
    return fminf(fmaxf(logf(hi / fmaxf(value, 0.1f * lo)) / logf(hi / lo), 0), BEYOND);
}

/// What glows, `thin` from 0 to BEYOND, where its heat's slopes are -x, -y: shaded whole, so that what is hottest, and
/// as bright as a picture may be, shows its folds too.
static void glow_show(float thin, float x, float y, float rgb[3])
{
    static const float lamp[3] = {-0.52f, 0.6f, 0.6f};
    const float dx = RELIEF * x, dy = RELIEF * y;
    const float lit = fmaxf(lamp[0] * dx + lamp[1] * dy + lamp[2], 0) / (lamp[2] * sqrtf(1 + dx * dx + dy * dy));
    const float shade = 1 - SHADED * (1 - fminf(lit / LIT, 1)), square = thin * thin;
    const float cube = square * thin, most = cube * cube;
    rgb[0] = shade * (1 - expf(-5 * square)), rgb[1] = 0.97f * shade * (1 - expf(-1.7f * cube - most));
    rgb[2] = 0.9f * shade * shade * (1 - expf(-2.0f * most * cube));
}

/// How thin gas is `cells` around: the mean of eight places, and the thinnest of them.
struct around {
    float mean, most;
};

static struct around thin_around(const struct bw_slice *s, double u, double v, const double range[2], double cells)
{
    enum { PLACES = 8 };
    static const double way[PLACES][2] = {{1, 0},  {0.7, 0.7},   {0, 1},  {-0.7, 0.7},
                                          {-1, 0}, {-0.7, -0.7}, {0, -1}, {0.7, -0.7}};
    struct around a = {0};
    for (int q = 0; q < PLACES; q++) {
        const float value = bw_slice_read(s, s->value[0], u + cells * way[q][0], v + cells * way[q][1]);
        const float thin = thin_at(value, range);
        a.most = fmaxf(a.most, thin), a.mean += thin / PLACES;
    }
    return a;
}

/// `thin`, and more than that where gas around is less so; at the rim of what glows nothing is.
static float folded(const struct bw_slice *s, double u, double v, const double range[2], float thin)
{
    if (!(thin > 0)) return 0;
    const float mean = thin_around(s, u, v, range, AROUND * s->n[1]).mean;
    const float more = FOLDS * (thin - mean) * fminf(INNER * fminf(thin, mean), 1);
    return fminf(fmaxf(thin + more, LEFT * thin), BEYOND);
}

/// A line's colour: `side` 0 … 1 from blue to amber in the cold, `warm` 0 … 1 beside what glows, `hot` in it.
static void line_colour(float side, float warm, float hot, float rgb[3])
{
    static const float amber[3] = {0.75f, 0.58f, 0.34f}, blue[3] = {0.16f, 0.45f, 1}, pale[3] = {1, 0.8f, 0.5f},
                       ember[3] = {1, 0.36f, 0.09f};
    for (int c = 0; c < 3; c++) {
        const float cold = blue[c] + side * (amber[c] - blue[c]), rim = ember[c] + RIM * side * (pale[c] - ember[c]);
        const float beside = cold + warm * (rim - cold);
        rgb[c] = beside + PALER * hot * (pale[c] - beside);
    }
}

void bw_schlieren_show(const struct bw_slice *s, double u, double v, const double range[2], float rgb[3])
{
    static const float ground[3] = {0.012f, 0.018f, 0.034f};
    const float *f = s->value[0], span = fmaxf((float)(range[1] - range[0]), 1e-30f);
    const float reach = NEAR * (float)s->n[1] / (2 * span);
    const float here = bw_slice_read(s, f, u, v), thin = thin_at(here, range);
    const float ratio = thin > 0 ? span / (fmaxf(here, 1e-30f) * logf((float)(range[1] / range[0]))) : 1;
    const float gain = reach * fminf(fmaxf(ratio, 1), STEEP);
    const float x = gain * (bw_slice_read(s, f, u + 1, v) - bw_slice_read(s, f, u - 1, v));
    const float y = gain * (bw_slice_read(s, f, u, v + 1) - bw_slice_read(s, f, u, v - 1));
    const float slope = sqrtf(x * x + y * y), power = slope * slope, light = power / (1 + power);
    const float side = slope > 0 ? 0.5f - 0.5f * (x * cosf(FROM) + y * sinf(FROM)) / slope : 0.5f;
    const float warm = fminf(WARM * thin_around(s, u, v, range, BESIDE * s->n[1]).most, 1);
    const float hot = fminf(PALE * thin * thin, 1);
    const float line = light * (warm + (1 - warm) * BEHIND * light) * (1 - FAINT * hot);
    float glow[3], colour[3];
    glow_show(folded(s, u, v, range, thin), x, y, glow);
    line_colour(side, warm, hot, colour);
    for (int c = 0; c < 3; c++) rgb[c] = fminf(ground[c] + glow[c] + line * colour[c], 1);
}

/// Light that spreads from what glows, and the picture that it falls on.
struct spill {
    struct bw_slice layer; ///< of fewer pixels: in value[0] what is near, in value[1] what is farther
    struct bw_image *img;
};

static void row_spill(int64_t y, void *user)
{
    static const float tint[3] = {1, 0.42f, 0.13f};
    const struct spill *s = user;
    const struct bw_slice *l = &s->layer;
    const double v = ((double)y + 0.5) * l->n[1] / s->img->h;
    for (int32_t x = 0; x < s->img->w; x++) {
        const double u = (x + 0.5) * l->n[0] / s->img->w;
        float *rgb = s->img->px + 3 * ((size_t)y * (size_t)s->img->w + (size_t)x);
        const float cold = 1 - fminf(fmaxf(rgb[0] - rgb[2], 0), 1);
        const float more = 0.5f * bw_slice_read(l, l->value[0], u, v) + bw_slice_read(l, l->value[1], u, v);
        for (int c = 0; c < 3; c++) rgb[c] += SPILL * more * cold * cold * tint[c] * (1 - rgb[c]);
    }
}

/// What glows in row y, from above, of n[0] by n[1] places, red more than blue, without its relief; each the mean of a
/// few.
static void row_glow(const struct bw_slice *s, const double range[2], int32_t y, const int32_t n[2], float *to)
{
    enum { PLACES = 3 };
    for (int32_t x = 0; x < n[0]; x++) {
        to[x] = 0;
        for (int q = 0; q < PLACES * PLACES; q++) {
            const double u = (x + (q % PLACES + 0.5) / PLACES) * s->n[0] / n[0];
            const double v = s->n[1] - (y + (q / PLACES + 0.5) / PLACES) * s->n[1] / n[1];
            float rgb[3];
            glow_show(thin_at(bw_slice_read(s, s->value[0], u, v), range), 0, 0, rgb);
            to[x] += fmaxf(rgb[0] - rgb[2], 0) / (PLACES * PLACES);
        }
    }
}

enum bw_status bw_schlieren_spill(const struct bw_tools *tools, const struct bw_slice *layer, const double range[2],
                                  struct bw_image *img)
{
    enum { SHRINK = 8 };
    const int32_t small[2] = {1 + img->w / SHRINK, 1 + img->h / SHRINK};
    const size_t n = (size_t)small[0] * (size_t)small[1];
    float *near = tools->alloc(tools->ctx, 3 * n * sizeof(float)), *far = near + n, *spare = far + n;
    struct spill s = {{.n = {small[0], small[1]}, .value = {near, far}}, img};
    if (!near) return BW_ERR_MEMORY;
    for (int32_t y = 0; y < small[1]; y++) row_glow(layer, range, y, small, near + (size_t)y * (size_t)small[0]);
    memcpy(far, near, n * sizeof *far);
    bw_layer_blur(near, spare, small[0], small[1], NEARER * small[1]);
    bw_layer_blur(far, spare, small[0], small[1], FARTHER * small[1]);
    tools->parallel(tools->ctx, img->h, row_spill, &s);
    tools->release(tools->ctx, near);
    return BW_OK;
}
