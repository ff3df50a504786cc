// SPDX-License-Identifier: Apache-2.0
/* Each pixel has one ray, from the lens's middle, whose parts (surfaces, smoke, what is behind) are spread over discs
 * as wide as their circles of confusion (Potmesil and Chakravarty 1981), sorted into layers by these, and laid behind
 * one another. In a layer lies the share of the lens that its discs cover. Layers in front come first, until nothing
 * of the lens is left: what is visible from the lens's middle shares it out, so that shares of layers are added. What
 * is left after all looks past edges, at what the middle does not see: it is taken for more of the last layer.
 *
 * Rows of the picture are made one by one. A disc adds a span to each, as what begins at its one end and ceases at the
 * other: a sum along the row fills it in. */
#include "layers.h"
#include <picture/volume/rays/jitter.h>

#include <math.h>
#include <string.h>

enum { BAND = 4, MARGIN = 8, LANES = 5 }; ///< rows a task; a picture is wider than its margin; {rgb, share, cover}
#define LEAST 0.5f                        ///< pixels: smaller discs are as wide
#define MOST 500.0f                       ///< pixels: larger ones are no wider
#define RUN 6.0f                          ///< pixels: larger discs may stand for two pixels of a row, …
#define LONG_RUN 13.0f                    ///< … for four, …
#define ALIKE 0.25f                       ///< … whose radii differ by less
#define PRESENT 0.02 ///< of the lens: a layer that covers less tells nothing of what is behind edges

/// Radii of confusion where layers end, pixels; those before the focus are as far apart.
static const float ends[] = {0.75f, 1.5f, 2.5f, 4, 6, 9, 13, 19, 27, 40, 60};
enum { ENDS = sizeof ends / sizeof *ends, LAYERS = 2 * ENDS + 1 };

/// A part of a pixel, in its layer and row.
struct disc {
    float lanes[LANES]; ///< a pixel's
    float radius;
    int32_t x, end; ///< the pixels that it stands for
};

struct layers {
    const struct bw_take *m;
    int32_t w, h;              ///< with the margin
    struct bw_lens_part *part; ///< BW_LENS_PARTS a pixel
    uint8_t *n;                ///< of each pixel's
    uint32_t *first;           ///< of each layer's rows, one after another: the first of their discs
    uint32_t *end;             ///< likewise, the one after the last
    struct disc *disc;         ///< sorted by layer and row
    float widest[LAYERS];      ///< radius of each layer's discs
    double *line;              ///< of each row's task: LANES a pixel and two more, then what is seen
};

/* ---- what is seen ---- */

static void band_trace(int64_t band, void *user)
{
    const struct layers *l = user;
    const struct bw_take *m = l->m;
    for (int j = (int)band * BAND; j < l->h && j < (int)(band + 1) * BAND; j++)
        for (int i = 0; i < l->w; i++) {
            const size_t at = (size_t)j * (size_t)l->w + (size_t)i;
            const int x = i - m->margin, y = j - m->margin;
            struct bw_camera_ray s = {
                .x = x, .y = y, .transmittance = BW_CLEAR, .jitter = bw_jitter(x, y, 0) - 0.5f, .studio = &m->studio};
            l->n[at] = (uint8_t)bw_camera_ray_parts(m, &s, l->part + BW_LENS_PARTS * at);
        }
}

/* ---- sorting ---- */

static int layer_of(float blur)
{
    int i = 0;
    while (i < ENDS && fabsf(blur) >= ends[i]) i++;
    return blur < 0 ? ENDS - i : ENDS + i;
}

/// Half the width of a disc, `off` pixels from its middle: the mean over a row.
static inline float chord(float radius, float off)
{
    const float r2 = radius * radius, lo = off - 0.2887f, hi = off + 0.2887f;
    return 0.5f * (sqrtf(bw_most(r2 - lo * lo, 0)) + sqrtf(bw_most(r2 - hi * hi, 0)));
}

static float area_of(float radius)
{
    float area = 0;
    const int rows = (int)(radius + 1);
    for (int q = -rows; q <= rows; q++) area += 2 * chord(radius, (float)q);
    return area;
}

/// A pixel's lanes become those of a place in it.
static void disc_thin(struct disc *d)
{
    const float area = area_of(d->radius);
    for (int c = 0; c < LANES; c++) d->lanes[c] /= area;
}

/// How many pixels of a row a disc may stand for.
static int32_t run_of(float radius) { return radius > LONG_RUN ? 4 : radius > RUN ? 2 : 1; }

static float radius_of(const struct bw_lens_part *p) { return bw_least(bw_most(fabsf(p->blur), LEAST), MOST); }

/// A part joins the last disc of its layer, or it can't.
static int disc_join(const struct bw_lens_part *p, int32_t x, struct disc *d)
{
    const float radius = radius_of(p);
    if (x - d->x >= run_of(radius) || fabsf(radius - d->radius) > ALIKE) return 0;
    for (int c = 0; c < 3; c++) d->lanes[c] += p->rgb[c];
    d->lanes[3] += p->share, d->lanes[4] += p->cover, d->end = x;
    return 1;
}

/// Counts of discs in `first` become places.
static enum bw_status discs_sort(const struct bw_tools *tools, struct layers *l)
{
    const size_t rows = (size_t)LAYERS * (size_t)l->h, pixels = (size_t)l->w * (size_t)l->h;
    l->first = tools->alloc(tools->ctx, (rows + 1) * sizeof *l->first);
    l->end = tools->alloc(tools->ctx, rows * sizeof *l->end);
    if (!l->first || !l->end) return BW_ERR_MEMORY;
    for (size_t at = 0; at < pixels; at++)
        for (int q = 0; q < l->n[at]; q++) {
            const int layer = layer_of(l->part[BW_LENS_PARTS * at + (size_t)q].blur);
            l->first[(size_t)layer * (size_t)l->h + at / (size_t)l->w + 1]++;
        }
    for (size_t i = 0; i < rows; i++) l->first[i + 1] += l->first[i];
    l->disc = tools->alloc(tools->ctx, ((size_t)l->first[rows] + 1) * sizeof *l->disc);
    return l->disc ? BW_OK : BW_ERR_MEMORY;
}

/// The discs of a row, each into its layer.
static void row_sort(int64_t j, void *user)
{
    const struct layers *l = user;
    uint32_t *end[LAYERS];
    for (int k = 0; k < LAYERS; k++) {
        const size_t row = (size_t)k * (size_t)l->h + (size_t)j;
        end[k] = &l->end[row], *end[k] = l->first[row];
    }
    for (int i = 0; i < l->w; i++) {
        const size_t at = (size_t)j * (size_t)l->w + (size_t)i;
        for (int q = 0; q < l->n[at]; q++) {
            const struct bw_lens_part *p = &l->part[BW_LENS_PARTS * at + (size_t)q];
            const int k = layer_of(p->blur);
            const uint32_t first = l->first[(size_t)k * (size_t)l->h + (size_t)j];
            if (*end[k] > first && disc_join(p, i, &l->disc[*end[k] - 1])) continue;
            l->disc[(*end[k])++] =
                (struct disc){{p->rgb[0], p->rgb[1], p->rgb[2], p->share, p->cover}, radius_of(p), i, i};
        }
    }
    for (int k = 0; k < LAYERS; k++)
        for (uint32_t i = l->first[(size_t)k * (size_t)l->h + (size_t)j]; i < *end[k]; i++) disc_thin(&l->disc[i]);
}

static void layers_measure(struct layers *l)
{
    for (int k = 0; k < LAYERS; k++) {
        for (size_t row = (size_t)k * (size_t)l->h; row < (size_t)(k + 1) * (size_t)l->h; row++)
            for (uint32_t i = l->first[row]; i < l->end[row]; i++)
                l->widest[k] = bw_most(l->widest[k], l->disc[i].radius);
    }
}

/* ---- spreading ---- */

/// Lanes change by `by` at x, or, between two pixels, by a share at each.
static inline void step_add(double *line, int w, float x, const float lanes[LANES], float by)
{
    const float in = bw_least(bw_most(x, 0), (float)w), whole = floorf(in);
    const float share = in - whole;
    double *at = line + LANES * (int)whole;
    for (int c = 0; c < LANES; c++) {
        at[c] += (double)(by * (1 - share) * lanes[c]);
        at[LANES + c] += (double)(by * share * lanes[c]);
    }
}

/// What the discs of a layer add to row y of the picture; 0: nothing.
static int line_fill(const struct layers *l, int layer, int y, double *line)
{
    const int w = l->m->img->w, margin = l->m->margin, reach = (int)(l->widest[layer] + 1);
    int some = 0;
    for (int j = y + margin - reach; j <= y + margin + reach; j++) {
        if (j < 0 || j >= l->h) continue;
        const size_t row = (size_t)layer * (size_t)l->h + (size_t)j;
        for (uint32_t i = l->first[row]; i < l->end[row]; i++) {
            const struct disc *d = &l->disc[i];
            const float half = chord(d->radius, (float)(j - y - margin)),
                        x = 0.5f * (float)(d->x + d->end + 1) - (float)margin;
            if (!(half > 0)) continue;
            if (!some) memset(line, 0, LANES * (size_t)(w + 2) * sizeof *line);
            some = 1;
            step_add(line, w, x - half, d->lanes, 1), step_add(line, w, x + half, d->lanes, -1);
        }
    }
    return some;
}

/// What is seen of a pixel so far.
struct seen {
    double lanes[LANES], last[LANES]; ///< the share is that of the lens that is left
};

/// A layer behind what is seen of a row.
static void line_add(const double *line, int w, struct seen *seen)
{
    double sum[LANES] = {0};
    for (int x = 0; x < w; x++) {
        for (int c = 0; c < LANES; c++) sum[c] += line[LANES * x + c];
        struct seen *s = &seen[x];
        const double share = fmax(sum[3], 0), left = fmax(s->lanes[3], 0), take = fmin(left / fmax(share, PRESENT), 1);
        for (int c = 0; c < LANES; c++) s->lanes[c] += (c == 3 ? -1 : 1) * take * (c == 3 ? share : sum[c]);
        for (int c = 0; c < LANES && share > PRESENT; c++) s->last[c] = sum[c] / share;
    }
}

static void band_spread(int64_t band, void *user)
{
    const struct layers *l = user;
    const struct bw_take *m = l->m;
    const int w = m->img->w;
    const size_t line_size = LANES * (size_t)(w + 2);
    double *line = l->line + (size_t)band * (line_size + (size_t)w * sizeof(struct seen) / sizeof(double));
    struct seen *seen = (struct seen *)(line + line_size);
    for (int y = (int)band * BAND; y < m->img->h && y < (int)(band + 1) * BAND; y++) {
        for (int x = 0; x < w; x++) seen[x] = (struct seen){.lanes = {0, 0, 0, 1, 0}};
        for (int k = 0; k < LAYERS; k++)
            if (line_fill(l, k, y, line)) line_add(line, w, seen);
        for (int x = 0; x < w; x++) {
            const size_t at = (size_t)y * (size_t)w + (size_t)x;
            const struct seen *s = &seen[x];
            for (int c = 0; c < 3; c++)
                m->img->px[3 * at + (size_t)c] = (float)fmax(s->lanes[c] + s->lanes[3] * s->last[c], 0);
            if (m->alpha) m->alpha[at] = (float)fmin(fmax(s->lanes[4] + s->lanes[3] * s->last[4], 0), 1);
        }
    }
}

/* ---- all ---- */

int32_t bw_layers_margin(const struct bw_camera *c, int32_t w, int32_t h)
{
    const double most = c->aperture / c->focus / (2 * c->tan_y / h); // of what is far
    return (int32_t)fmin(ceil(most), (w < h ? w : h) / MARGIN);
}

enum bw_status bw_layers_march(const struct bw_tools *tools, const struct bw_take *m)
{
    struct layers l = {.m = m, .w = m->img->w + 2 * m->margin, .h = m->img->h + 2 * m->margin};
    const size_t pixels = (size_t)l.w * (size_t)l.h, w = (size_t)m->img->w;
    const int64_t bands = (m->img->h + BAND - 1) / BAND;
    l.part = tools->alloc(tools->ctx, BW_LENS_PARTS * pixels * sizeof *l.part);
    l.n = tools->alloc(tools->ctx, pixels);
    l.line = tools->alloc(tools->ctx, (size_t)bands * (LANES * (w + 2) * sizeof(double) + w * sizeof(struct seen)));
    enum bw_status status = l.part && l.n && l.line ? BW_OK : BW_ERR_MEMORY;
    if (!status) tools->parallel(tools->ctx, (l.h + BAND - 1) / BAND, band_trace, &l);
    if (!status) status = discs_sort(tools, &l);
    if (!status) tools->parallel(tools->ctx, l.h, row_sort, &l);
    if (!status) layers_measure(&l);
    if (!status) tools->parallel(tools->ctx, bands, band_spread, &l);
    void *const owned[] = {l.part, l.n, l.line, l.first, l.end, l.disc};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        if (owned[i]) tools->release(tools->ctx, owned[i]);
    return status;
}
