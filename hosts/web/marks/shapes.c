// SPDX-License-Identifier: Apache-2.0
#include "shapes.h"

#include "columns.h"
#include <math.h>
#include <string.h>

enum { SEGMENTS = 48, MERIDIANS = 4 };
static const double TURN = 6.283185307179586;

/// Where a form is, and how it is turned: axis[2] is that of round forms.
struct form {
    const struct paint *p;
    struct ink ink;
    double center[3], axis[3][3];
};

static int triple_read(const json_t *o, const char *key, double scale, double out[3])
{
    const json_t *list = json_object_get(o, key);
    for (size_t a = 0; a < 3; a++) out[a] = scale * json_number_value(json_array_get(list, a));
    return json_array_size(list) == 3;
}

static double length_read(const json_t *o, const char *key, double metre)
{
    return metre * json_number_value(json_object_get(o, key));
}

/* ---- forms ---- */

/// (x, y, z) along the form's own axes.
static void place(const struct form *f, double x, double y, double z, double out[3])
{
    for (int a = 0; a < 3; a++) out[a] = f->center[a] + x * f->axis[0][a] + y * f->axis[1][a] + z * f->axis[2][a];
}

/// A circle across the form's axis `normal`, at `height` along it.
static void circle(const struct form *f, int normal, double radius, double height)
{
    double corner[SEGMENTS][3];
    for (int i = 0; i < SEGMENTS; i++) {
        double at[3];
        at[normal] = height;
        at[(normal + 1) % 3] = radius * cos(TURN * i / SEGMENTS);
        at[(normal + 2) % 3] = radius * sin(TURN * i / SEGMENTS);
        place(f, at[0], at[1], at[2], corner[i]);
    }
    paint_loop(f->p, SEGMENTS, corner, &f->ink);
}

static void ball(const struct form *f, double radius)
{
    for (int a = 0; a < 3; a++) circle(f, a, radius, 0);
}

static void cylinder(const struct form *f, double radius, double height)
{
    for (int end = -1; end <= 1; end += 2) circle(f, 2, radius, 0.5 * end * height);
    for (int i = 0; i < MERIDIANS; i++) {
        double from[3], to[3];
        const double x = radius * cos(TURN * i / MERIDIANS), y = radius * sin(TURN * i / MERIDIANS);
        place(f, x, y, -0.5 * height, from);
        place(f, x, y, 0.5 * height, to);
        paint_line(f->p, from, to, &f->ink);
    }
}

static void torus(const struct form *f, double radius, double tube)
{
    for (int side = -1; side <= 1; side += 2) {
        circle(f, 2, radius + side * tube, 0);
        circle(f, 2, radius, side * tube);
    }
    for (int i = 0; i < MERIDIANS; i++) {
        double corner[SEGMENTS][3];
        for (int k = 0; k < SEGMENTS; k++) {
            const double r = radius + tube * cos(TURN * k / SEGMENTS), at = TURN * i / MERIDIANS;
            place(f, r * cos(at), r * sin(at), tube * sin(TURN * k / SEGMENTS), corner[k]);
        }
        paint_loop(f->p, SEGMENTS, corner, &f->ink);
    }
}

static void block(const struct form *f, const double half[3])
{
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < 4; i++) {
            double from[3], to[3], x[3], y[3];
            const int b = (a + 1) % 3, c = (a + 2) % 3;
            x[a] = -half[a], y[a] = half[a];
            x[b] = y[b] = i & 1 ? half[b] : -half[b];
            x[c] = y[c] = i & 2 ? half[c] : -half[c];
            place(f, x[0], x[1], x[2], from);
            place(f, y[0], y[1], y[2], to);
            paint_line(f->p, from, to, &f->ink);
        }
}

/// What has no form of its own: where it is.
static void spot(const struct form *f, double size)
{
    for (int a = 0; a < 3; a++) {
        double from[3], to[3];
        memcpy(from, f->center, sizeof from);
        memcpy(to, f->center, sizeof to);
        from[a] -= size;
        to[a] += size;
        paint_line(f->p, from, to, &f->ink);
    }
}

/* ---- how they are turned ---- */

static void axes_upright(struct form *f)
{
    memset(f->axis, 0, sizeof f->axis);
    for (int a = 0; a < 3; a++) f->axis[a][a] = 1;
}

/// The third axis along `to`.
static void axes_along(struct form *f, const double to[3])
{
    const double length = sqrt(to[0] * to[0] + to[1] * to[1] + to[2] * to[2]);
    double *z = f->axis[2], *x = f->axis[0], *y = f->axis[1], size = 0;
    if (!(length > 0)) return;
    for (int a = 0; a < 3; a++) z[a] = to[a] / length;
    const int least = fabs(z[0]) < fabs(z[1]) ? (fabs(z[0]) < fabs(z[2]) ? 0 : 2) : fabs(z[1]) < fabs(z[2]) ? 1 : 2;
    for (int a = 0; a < 3; a++) x[a] = (a == least) - z[least] * z[a];
    for (int a = 0; a < 3; a++) size += x[a] * x[a];
    for (int a = 0; a < 3; a++) x[a] /= sqrt(size);
    for (int a = 0; a < 3; a++) y[a] = z[(a + 1) % 3] * x[(a + 2) % 3] - z[(a + 2) % 3] * x[(a + 1) % 3];
}

/// About x, then y, then z.
static void axes_rotate(struct form *f, const double angle[3])
{
    for (int k = 0; k < 3; k++)
        for (int a = 0; a < 3; a++) {
            const int b = (a + 1) % 3, c = (a + 2) % 3;
            double *v = f->axis[k];
            const double u = v[b] * cos(angle[a]) - v[c] * sin(angle[a]);
            v[c] = v[b] * sin(angle[a]) + v[c] * cos(angle[a]);
            v[b] = u;
        }
}

/* ---- what is told ---- */

static void ink_choose(const json_t *shape, struct ink *ink)
{
    static const struct {
        const char *part;
        struct ink ink;
    } known[] = {{"collide", {{0.66f, 0.84f, 1}, 0.95f}}, {"body", {{0.66f, 0.84f, 1}, 0.95f}},
                 {"emit", {{1, 0.66f, 0.28f}, 0.95f}},    {"tracers", {{1, 0.66f, 0.28f}, 0.95f}},
                 {"fire", {{1, 0.66f, 0.28f}, 0.95f}},    {"", {{0.78f, 0.62f, 1}, 0.8f}}};
    const char *type = json_string_value(json_object_get(shape, "type"));
    size_t i = 0;
    while (!strstr(type ? type : "", known[i].part)) i++;
    *ink = known[i].ink;
    if (!json_is_true(json_object_get(shape, "on"))) ink->alpha *= 0.35f;
}

static void form_draw(struct form *f, const json_t *shape, double metre)
{
    double size[3], turn[3];
    const double radius = length_read(shape, "radius", metre), height = length_read(shape, "height", metre);
    const double tube = length_read(shape, "thickness", metre), core = length_read(shape, "core", metre);
    const char *kind = json_string_value(json_object_get(shape, "kind"));
    axes_upright(f);
    if (triple_read(shape, "axis", 1, turn)) axes_along(f, turn);
    if (triple_read(shape, "rotate", 1, turn)) axes_rotate(f, turn);
    if (kind && !strcmp(kind, "box") && triple_read(shape, "size", 0.5 * metre, size)) block(f, size);
    else if (height > 0) cylinder(f, radius, height);
    else if (tube > 0 && radius > 0) torus(f, radius, tube);
    else if (core > 0 && json_object_get(shape, "axis")) torus(f, radius, core);
    else if (radius > 0) ball(f, radius);
    else spot(f, 0.05 * metre);
}

int shapes_draw(const struct paint *p, const json_t *outlines, double metre)
{
    const json_t *shape;
    size_t i;
    int n = 0;
    json_array_foreach (json_object_get(outlines, "shapes"), i, shape) {
        struct form f = {.p = p};
        if (!triple_read(shape, "center", metre, f.center)) continue;
        ink_choose(shape, &f.ink);
        form_draw(&f, shape, metre);
        n++;
    }
    return n;
}

int domains_draw(const struct paint *p, const json_t *outlines, double metre)
{
    static const struct ink inks[2] = {{{0.72f, 0.76f, 0.8f}, 0.75f}, {{0.4f, 0.85f, 0.75f}, 0.85f}};
    const json_t *domain;
    size_t i;
    int n = 0;
    json_array_foreach (json_object_get(outlines, "domains"), i, domain) {
        double lo[3], hi[3];
        if (!triple_read(domain, "lo", metre, lo) || !triple_read(domain, "hi", metre, hi)) continue;
        paint_box(p, lo, hi, &inks[i > 0]);
        n++;
    }
    return n;
}

void bodies_draw(const struct paint *p, const struct bw_snapshot_points *bodies, double metre)
{
    const struct column pos = column_find(bodies, "pos"), turn = column_find(bodies, "turn"),
                        w = column_find(bodies, "turn_w"), shape = column_find(bodies, "shape"),
                        size = column_find(bodies, "size");
    if (!pos.data || !turn.data || !w.data || !shape.data || !size.data) return;
    for (int64_t i = 0; i < bodies->count; i++) {
        struct form f = {.p = p, .ink = {{0.66f, 0.84f, 1}, 0.95f}};
        double half[3], q[3];
        const double s = column_read(&w, i, 0);
        for (int a = 0; a < 3; a++) {
            f.center[a] = metre * column_read(&pos, i, a);
            half[a] = metre * column_read(&size, i, a);
            q[a] = column_read(&turn, i, a);
        }
        for (int k = 0; k < 3; k++) // of a unit quaternion: e + 2 s q×e + 2 q×(q×e)
            for (int a = 0; a < 3; a++) {
                const int b = (a + 1) % 3, c = (a + 2) % 3;
                const double e = a == k, cross = k == c ? q[b] : k == b ? -q[c] : 0;
                f.axis[k][a] = e + 2 * s * cross + 2 * (q[a] * q[k] - e * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2]));
            }
        if (column_read(&shape, i, 0) < 0.5) ball(&f, half[0]);
        else block(&f, half);
    }
}
