// SPDX-License-Identifier: Apache-2.0
/* Flow on a slice: arrows on a lattice, as long as the fastest would travel a lattice cell; or streamlines by midpoint
 * steps of half a cell, started on a lattice wherever none has passed yet, so that they keep their distance. */
#include "lines.h"
#include <picture/image/draw.h>

#include <math.h>

static const float ink[3] = {0.93f, 0.95f, 0.97f};

/// Velocity at (u, v) in cells; answers its length.
static double flow_read(const struct bw_slice *s, const double p[2], double out[2])
{
    for (int a = 0; a < 2; a++) out[a] = (double)bw_slice_read(s, s->flow[a], p[0], p[1]);
    double speed = hypot(out[0], out[1]);
    return isfinite(speed) ? speed : 0;
}

static int solid_at(const struct bw_slice *s, const double p[2])
{
    return s->solid && bw_slice_read(s, s->solid, p[0], p[1]) < 0;
}

static double flow_fastest(const struct bw_slice *s)
{
    double top = 0, v[2];
    for (int j = 0; j < s->n[1]; j++)
        for (int i = 0; i < s->n[0]; i++) top = fmax(top, flow_read(s, (double[2]){i + 0.5, j + 0.5}, v));
    return top;
}

/// Cells to pixels.
static void to_pixel(const struct bw_slice *s, const struct bw_image *img, const double p[2], double out[2])
{
    out[0] = p[0] * img->w / s->n[0];
    out[1] = (s->n[1] - p[1]) * img->h / s->n[1];
}

static void arrow_draw(struct bw_image *img, const double at[2], double dx, double dy)
{
    const double tail[2] = {at[0] - 0.5 * dx, at[1] - 0.5 * dy}, head[2] = {at[0] + 0.5 * dx, at[1] + 0.5 * dy};
    bw_draw_line(img, tail, head, 1.2, ink, 0.75f);
    for (int side = -1; side <= 1; side += 2) {
        const double barb[2] = {head[0] - 0.3 * dx + side * 0.18 * dy, head[1] - 0.3 * dy - side * 0.18 * dx};
        bw_draw_line(img, head, barb, 1.2, ink, 0.75f);
    }
}

static void arrows_draw(const struct bw_slice *s, double gap, double fastest, struct bw_image *img)
{
    double cell = (double)img->w / s->n[0];
    for (double y = 0.5 * gap; y < s->n[1]; y += gap)
        for (double x = 0.5 * gap; x < s->n[0]; x += gap) {
            double p[2] = {x, y}, v[2], at[2], speed = flow_read(s, p, v);
            if (speed < 0.03 * fastest || solid_at(s, p)) continue;
            double k = 0.9 * gap * cell / fastest;
            to_pixel(s, img, p, at);
            arrow_draw(img, at, k * v[0], -k * v[1]);
        }
}

/// Which lattice cells (half a gap wide) a line has passed.
struct lattice {
    uint8_t *taken;
    int n[2];
    double cell;
};

static uint8_t *lattice_at(const struct lattice *l, const double p[2])
{
    int i = (int)(p[0] / l->cell), j = (int)(p[1] / l->cell);
    return p[0] >= 0 && p[1] >= 0 && i < l->n[0] && j < l->n[1] ? &l->taken[j * l->n[0] + i] : NULL;
}

/// One midpoint step of half a cell along ±flow to q; 0 in still air.
static double step_make(const struct bw_slice *s, double fastest, const double p[2], int sign, double q[2])
{
    double v[2], speed = flow_read(s, p, v), step = 0.5 * sign;
    if (speed < 0.02 * fastest) return 0;
    const double mid[2] = {p[0] + 0.5 * step * v[0] / speed, p[1] + 0.5 * step * v[1] / speed};
    speed = flow_read(s, mid, v);
    if (speed < 0.02 * fastest) return 0;
    for (int a = 0; a < 2; a++) q[a] = p[a] + step * v[a] / speed;
    return speed;
}

/// From `start` along ±flow until the border, an obstacle, still air or a neighbour's line; answers the steps made.
/// Without an image nothing is drawn or marked.
static int streamline_follow(const struct bw_slice *s, struct lattice *l, double fastest, const double start[2],
                             int sign, struct bw_image *img)
{
    double p[2] = {start[0], start[1]}, q[2], a[2], b[2], speed;
    uint8_t *here = lattice_at(l, p);
    int n = 0;
    for (; n < 2 * (s->n[0] + s->n[1]) && (speed = step_make(s, fastest, p, sign, q)) > 0; n++) {
        uint8_t *next = lattice_at(l, q);
        if (!next || solid_at(s, q) || (next != here && *next)) break;
        here = next;
        if (img) {
            *next = 1;
            to_pixel(s, img, p, a);
            to_pixel(s, img, q, b);
            bw_draw_line(img, a, b, 1.1, ink, 0.25f + 0.45f * (float)sqrt(speed / fastest));
        }
        p[0] = q[0];
        p[1] = q[1];
    }
    return n;
}

static enum bw_status streamlines_draw(const struct bw_tools *tools, const struct bw_slice *s, double gap,
                                       double fastest, struct bw_image *img)
{
    struct lattice l = {NULL, {0}, 0.5 * gap};
    for (int a = 0; a < 2; a++) l.n[a] = (int)(s->n[a] / l.cell) + 1;
    l.taken = tools->alloc(tools->ctx, (size_t)l.n[0] * (size_t)l.n[1]);
    if (!l.taken) return BW_ERR_MEMORY;
    for (double y = 0.5 * gap; y < s->n[1]; y += gap)
        for (double x = 0.5 * gap; x < s->n[0]; x += gap) {
            double p[2] = {x, y};
            uint8_t *here = lattice_at(&l, p);
            if (!here || *here || solid_at(s, p)) continue;
            int steps = streamline_follow(s, &l, fastest, p, 1, NULL) + streamline_follow(s, &l, fastest, p, -1, NULL);
            if (steps < 6 * gap) continue; // stubs between two lines say nothing
            *here = 1;
            streamline_follow(s, &l, fastest, p, 1, img);
            streamline_follow(s, &l, fastest, p, -1, img);
        }
    tools->release(tools->ctx, l.taken);
    return BW_OK;
}

enum bw_status bw_flow_draw(const struct bw_tools *tools, const struct bw_slice *s, uint32_t vectors,
                            struct bw_image *img)
{
    double fastest = flow_fastest(s), gap = fmax(s->n[0], s->n[1]) / 32.0;
    if (fastest <= 0) return BW_OK;
    if (vectors == BW_VECTORS_STREAMLINES) return streamlines_draw(tools, s, gap, fastest, img);
    arrows_draw(s, gap, fastest, img);
    return BW_OK;
}
