// SPDX-License-Identifier: Apache-2.0
/* Vortex lines cut into vortons.
 *
 * A line of circulation Γ gives vortons of strength Γ·ds, ds apart, σ/ds = 1.4 for a sum without ripples (1e-16 for the
 * Gaussian). With layers, the core's Gaussian of deviation c is made of lines, spread by a Gaussian, and vortons of σ =
 * 1.4 distances between lines, whose squares add to c²: circles k = 1 … n of 6k lines, each with the circulation that
 * its annulus holds. Without, σ = c. A vorton's volume is such that α/volume is the vorticity at the line's middle: V =
 * 2πc²·ds. */
#include "emit.h"
#include <common/number/whole.h>
#include <common/vec3.h>
#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846
#define OVERLAP 1.4
#define VORTONS_MOST 1e9
#define EDGE 2.8 ///< the outermost lines end here, in deviations

/// Unit vectors: w along `axis`, u and v across. 0: the axis has no length.
static int frame_make(const double *axis, double u[3], double v[3], double w[3])
{
    double n = vec3_length(axis);
    if (!(n > 0)) return 0;
    for (int a = 0; a < 3; a++) w[a] = axis[a] / n;
    vec3_across(w, u);
    n = vec3_length(u);
    for (int a = 0; a < 3; a++) u[a] /= n;
    vec3_cross(w, u, v);
    return 1;
}

/// Standard normal, from two uniform numbers (Box & Muller).
static double normal(uint64_t seed, uint64_t counter)
{
    double r = sqrt(-2 * log(1 - bw_rng_unit(seed, 2 * counter)));
    return r * cos(2 * PI * bw_rng_unit(seed, 2 * counter + 1));
}

/* ---- the lines of a core ---- */

struct core {
    double sigma; ///< of each vorton
    int64_t layers, lines;
    double step, total; ///< between circles; of the lines' weights
    double spread;      ///< deviation of the lines
};

static struct core core_make(double size, int64_t layers)
{
    struct core c = {.sigma = size, .layers = layers, .lines = 1 + 3 * layers * (layers + 1), .total = 1};
    if (!layers) return c;
    double steps = EDGE / ((double)layers + 0.5); // deviations from circle to circle
    c.spread = size / sqrt(1 + OVERLAP * OVERLAP * steps * steps);
    c.step = steps * c.spread;
    c.sigma = OVERLAP * c.step;
    c.total = 1 - exp(-0.5 * EDGE * EDGE);
    return c;
}

/// Place (in the section, m) and fraction of the circulation of line i.
static void core_line(const struct core *c, int64_t i, double at[2], double *fraction)
{
    int64_t k = 0, first = 0;
    for (; i >= first + (k ? 6 * k : 1); k++) first += k ? 6 * k : 1;
    double in = k ? ((double)k - 0.5) * c->step : 0, out = ((double)k + 0.5) * c->step;
    double held =
        c->layers ? (exp(-0.5 * in * in / (c->spread * c->spread)) - exp(-0.5 * out * out / (c->spread * c->spread))) /
                        c->total
                  : 1;
    double n = k ? 6 * (double)k : 1, angle = 2 * PI * (double)(i - first) / n + (k & 1 ? PI / n : 0);
    at[0] = (double)k * c->step * cos(angle);
    at[1] = (double)k * c->step * sin(angle);
    *fraction = held / n;
}

/* ---- wobble ---- */

/// Displacement across a line at the fraction t of its length: three random waves, 2 … waves of them; whole ones, so
/// that rings close.
static void wobble(const struct emit_params *p, uint64_t seed, double t, double out[3])
{
    out[0] = out[1] = out[2] = 0;
    for (uint64_t k = 0; p->wobble > 0 && k < 6; k++) {
        double n = 2 + floor(bw_rng_unit(seed, 3 * k) * (double)(p->waves - 1)),
               phase = 2 * PI * bw_rng_unit(seed, 3 * k + 1);
        for (int a = 0; a < 3; a++)
            out[a] += p->wobble / sqrt(6) *
                      cos(2 * PI * n * t + phase + 2 * PI * bw_rng_unit(seed, 100 + 3 * k + (uint64_t)a));
    }
}

static enum bw_status brood_make(struct bw_stage *s, struct brood *b, int64_t count)
{
    const struct emit_params *p = s->params;
    b->item = s->host->scratch(s, (size_t)count * sizeof *b->item + 1);
    b->count = count;
    for (int64_t i = 0; i < count && b->item; i++) {
        b->item[i].density = p->density;
        b->item[i].temperature = p->temperature;
    }
    return b->item ? BW_OK : s->host->fail(s, BW_ERR_MEMORY, "out of memory for %lld vortons", (long long)count);
}

static enum bw_status axis_fail(struct bw_stage *s, const char *what)
{
    return s->host->fail(s, BW_ERR_PRESET, "%s has no length", what);
}

/* ---- rings ---- */

/// Segments so that vortons of σ overlap along `length`.
static int64_t segments_of(int64_t given, double length, double sigma)
{
    double n = ceil(length * OVERLAP / sigma);
    return given > 0 ? given : n < 8 ? 8 : n > 1e7 ? (int64_t)1e7 : (int64_t)n;
}

struct circle {
    double center[3], u[3], v[3], w[3], radius, circulation, core;
    int64_t segments;
};

/// One line of a ring's core: strengths are chords of a circle of the right area, so that Γ and R hold.
static void circle_write(const struct emit_params *p, uint64_t seed, const struct circle *c, const struct core *core,
                         int64_t line, struct newborn *out)
{
    double at[2], fraction, turn = 2 * PI / (double)c->segments;
    core_line(core, line, at, &fraction);
    double radius = c->radius + at[0];
    for (int64_t i = 0; i < c->segments; i++) {
        double t = ((double)i + 0.5 * (double)(line & 1)) / (double)c->segments, off[3], ds = turn * radius;
        double cs = cos(2 * PI * t), sn = sin(2 * PI * t);
        wobble(p, seed, t, off);
        for (int a = 0; a < 3; a++) {
            out[i].pos[a] = c->center[a] + radius * (cs * c->u[a] + sn * c->v[a]) + at[1] * c->w[a] + off[a];
            out[i].strength[a] = c->circulation * fraction * ds * (cs * c->v[a] - sn * c->u[a]);
        }
        out[i].radius = core->sigma;
        out[i].volume = 2 * PI * c->core * c->core * ds * fraction;
    }
}

static enum bw_status ring_make(struct bw_stage *s, const struct emit_params *p, struct brood *b)
{
    const struct emit_ring *r = &p->source.ring;
    struct core core = core_make(r->core, r->layers);
    struct circle c = {.radius = r->radius, .circulation = r->circulation, .core = r->core};
    memcpy(c.center, r->center, sizeof c.center);
    if (!frame_make(r->axis, c.u, c.v, c.w)) return axis_fail(s, "the ring's axis");
    if ((double)core.layers * core.step >= r->radius)
        return s->host->fail(s, BW_ERR_PRESET, "a core of %g m does not fit into a ring of radius %g m", r->core,
                             r->radius);
    c.segments = segments_of(r->segments, 2 * PI * (r->radius + (double)core.layers * core.step), core.sigma);
    enum bw_status st = brood_make(s, b, core.lines * c.segments);
    for (int64_t i = 0; i < core.lines && !st; i++) circle_write(p, s->seed, &c, &core, i, b->item + i * c.segments);
    return st;
}

static enum bw_status tube_make(struct bw_stage *s, const struct emit_params *p, struct brood *b)
{
    const struct emit_tube *t = &p->source.tube;
    struct core core = core_make(t->core, t->layers);
    double axis[3], u[3], v[3], w[3];
    for (int a = 0; a < 3; a++) axis[a] = t->to[a] - t->from[a];
    double length = vec3_length(axis);
    if (!frame_make(axis, u, v, w)) return axis_fail(s, "the tube");
    int64_t n = segments_of(t->segments, length, core.sigma);
    enum bw_status st = brood_make(s, b, core.lines * n);
    for (int64_t i = 0; i < core.lines * n && !st; i++) {
        double at[2], fraction, off[3], along = ((double)(i % n) + 0.5) / (double)n, ds = length / (double)n;
        core_line(&core, i / n, at, &fraction);
        wobble(p, s->seed, along, off);
        struct newborn *o = &b->item[i];
        for (int a = 0; a < 3; a++) {
            o->pos[a] = t->from[a] + along * axis[a] + at[0] * u[a] + at[1] * v[a] + off[a];
            o->strength[a] = t->circulation * fraction * ds * w[a];
        }
        o->radius = core.sigma;
        o->volume = 2 * PI * t->core * t->core * ds * fraction;
    }
    return st;
}

/* ---- what goes on ---- */

/// How many of `rate` a second fall into this step: the same whatever the steps. *first: number of the first of them.
static int64_t events(const struct bw_stage *s, double rate, int64_t *first)
{
    *first = whole_below(s->time * rate);
    return whole_below((s->time + s->dt) * rate) - *first;
}

/// A cylindrical sheet of circulation U a metre leaves the edge at U/2; it is cut into rings `core` apart.
static enum bw_status jet_make(struct bw_stage *s, const struct emit_params *p, struct brood *b)
{
    const struct emit_jet *j = &p->source.jet;
    struct core core = core_make(j->core, 0);
    struct circle c = {.radius = j->radius, .circulation = j->speed * j->core, .core = j->core};
    double rate = 0.5 * j->speed / j->core;
    int64_t first, n = events(s, rate, &first);
    if (!frame_make(j->axis, c.u, c.v, c.w)) return axis_fail(s, "the jet's axis");
    c.segments = segments_of(j->segments, 2 * PI * j->radius, core.sigma);
    if ((double)n * (double)c.segments > VORTONS_MOST)
        return s->host->fail(s, BW_ERR_PRESET, "the jet sheds %g rings a second, more than can be made", rate);
    enum bw_status st = brood_make(s, b, n * c.segments);
    for (int64_t i = 0; i < n && !st; i++) {
        double late = s->time + s->dt - (double)(first + 1 + i) / rate;
        for (int a = 0; a < 3; a++) c.center[a] = j->center[a] + 0.5 * j->speed * late * c.w[a];
        circle_write(p, bw_rng(s->seed, (uint64_t)(first + 1 + i)), &c, &core, 0,
                     b->item + i * c.segments); // waves of its own
    }
    return st;
}

static enum bw_status sheet_make(struct bw_stage *s, const struct emit_params *p, struct brood *b)
{
    const struct emit_sheet *q = &p->source.sheet;
    double la = vec3_length(q->along), lc = vec3_length(q->across), n3[3];
    if (!(la > 0) || !(lc > 0)) return axis_fail(s, "an edge of the sheet");
    int64_t na = segments_of(0, la, q->core), nc = segments_of(0, lc, q->core);
    vec3_cross(q->along, q->across, n3);
    double area = vec3_length(n3) / (double)(na * nc);
    if (!(area > 0)) return s->host->fail(s, BW_ERR_PRESET, "along and across must not be parallel");
    enum bw_status st = brood_make(s, b, na * nc);
    for (int64_t i = 0; i < na * nc && !st; i++) {
        double x = ((double)(i % na) + 0.5) / (double)na - 0.5, y = ((double)(i / na) + 0.5) / (double)nc - 0.5, off[3];
        wobble(p, s->seed, x, off);
        struct newborn *o = &b->item[i];
        for (int a = 0; a < 3; a++) {
            o->pos[a] = q->center[a] + x * q->along[a] + y * q->across[a] + off[a];
            o->strength[a] = q->jump * area * q->across[a] / lc;
        }
        o->radius = q->core;
        o->volume = area * q->core * sqrt(2 * PI);
    }
    return st;
}

/// Random places in a ball, normal strengths; their mean is taken off.
static void cloud_write(const struct emit_cloud *q, uint64_t seed, struct newborn *out)
{
    double volume = 4. / 3 * PI * pow(q->radius, 3) / (double)q->count, mean[3] = {0};
    for (int64_t i = 0; i < q->count; i++) {
        uint64_t k = (uint64_t)i * 16;
        double z = 2 * bw_rng_unit(seed, k) - 1, turn = 2 * PI * bw_rng_unit(seed, k + 1),
               r = q->radius * cbrt(bw_rng_unit(seed, k + 2));
        const double dir[3] = {sqrt(1 - z * z) * cos(turn), sqrt(1 - z * z) * sin(turn), z};
        for (int a = 0; a < 3; a++) {
            out[i].pos[a] = q->center[a] + r * dir[a];
            out[i].strength[a] = q->vorticity / sqrt(3) * volume * normal(seed, k / 2 + 2 + (uint64_t)a);
            mean[a] += out[i].strength[a] / (double)q->count;
        }
        out[i].radius = q->core;
        out[i].volume = volume;
    }
    for (int64_t i = 0; i < q->count && q->count > 1; i++)
        for (int a = 0; a < 3; a++) out[i].strength[a] -= mean[a];
}

static enum bw_status cloud_make(struct bw_stage *s, const struct emit_params *p, int start, struct brood *b)
{
    const struct emit_cloud *q = &p->source.cloud;
    int64_t first = 0, n = q->rate > 0 ? events(s, q->rate, &first) : start;
    enum bw_status st = brood_make(s, b, n * q->count);
    for (int64_t i = 0; i < n && !st; i++)
        cloud_write(q, bw_rng(s->seed, (uint64_t)(first + i)), b->item + i * q->count);
    return st;
}

enum bw_status emit_brood(struct bw_stage *s, const struct emit_params *p, int start, struct brood *out)
{
    int32_t kind = p->source.kind;
    if (kind == EMIT_JET) return jet_make(s, p, out);
    if (kind == EMIT_CLOUD) return cloud_make(s, p, start, out);
    if (kind == EMIT_FILL) return emit_fill_make(s, p, start, out);
    if (!start) return BW_OK;
    return kind == EMIT_RING    ? ring_make(s, p, out)
           : kind == EMIT_TUBE  ? tube_make(s, p, out)
           : kind == EMIT_SHEET ? sheet_make(s, p, out)
                                : emit_file_read(s, p, out);
}
