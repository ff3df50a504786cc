// SPDX-License-Identifier: Apache-2.0
/* vorton.collide, method gourlay (Gourlay, Fluid Simulation for Video Games, part 4). A vorton inside a body touches it
 * at the nearest point P of the surface, with normal n. There the flow without its own part, less the body's motion, is
 * u. With ω̂ ∥ û × n, b̂ = ω̂ × û and |b| its radius, it is put to P + b and given the strength with which its own flow
 * at P is -u:
 *     α = -4π b² |u| / q(b/σ) ω̂         (q = 1 for Gourlay's kernel: his ω = 4πr²u/V)
 * One vorton at a time, as if all others stayed. Where u is along n any ω̂ across will do. `above`: b along n, against
 * the tangential part of u. The vorton then moves with the body (inelastic).
 *
 * The body gets what momentum that takes from the vorton, by one of two books: the impulse of vorticity ρ ½ x × α, ρ ⅓
 * r × (r × α) about the body's centre; or Gourlay's, balls of mass (ρ + ρ')V with velocity v and spin ω/2: m v, r × m
 * v + ⅖ m σ² ω/2. */
#include "collide.h"
#include "flow/kernel.h"
#include "vortex_sheet.h"
#include <common/vec3.h>

#define PI 3.14159265358979323846

struct contact {
    int64_t vorton;
    double point[3], normal[3];
};
/* One body's. */
struct touch {
    struct bw_stage *s;
    struct collide_arrays c;
    enum pair_kernel kernel;
    int64_t body, count;
    struct contact *contact;
    bw_vec3 *at, *flow;
    double worst; ///< what is left of the velocity at a contact, relative
};

static enum bw_status contacts_find(struct touch *t)
{
    const struct pose pose = body_pose(&t->c.b, t->body);
    const struct vorton_arrays *v = &t->c.v;
    t->contact = t->s->host->scratch(t->s, (size_t)v->count * sizeof *t->contact + 1);
    if (!t->contact) return BW_ERR_MEMORY;
    for (int64_t i = 0; i < v->count; i++) {
        double d = pose_distance(&pose, v->pos[i]);
        if (!(d < 0)) continue;
        struct contact *c = &t->contact[t->count++];
        c->vorton = i;
        collide_normal(&pose, t->c.b.size[t->body][0], v->pos[i], c->normal);
        for (int a = 0; a < 3; a++) c->point[a] = v->pos[i][a] - d * c->normal[a];
    }
    t->at = t->s->host->scratch(t->s, (size_t)t->count * sizeof *t->at + 1);
    t->flow = t->s->host->scratch(t->s, (size_t)t->count * sizeof *t->flow + 1);
    if (!t->at || !t->flow) return BW_ERR_MEMORY;
    for (int64_t k = 0; k < t->count; k++) memcpy(t->at[k], t->contact[k].point, sizeof *t->at);
    return t->count ? flow_at(t->s, &(struct flow){0}, t->count, (const bw_vec3 *)t->at, t->flow[0], NULL) : BW_OK;
}

/// A vorton's momentum and angular momentum about the body's centre, added.
static void momentum_add(const struct touch *t, int64_t i, double times, double out[6])
{
    const struct collide_params *p = t->s->params;
    const struct vorton_arrays *v = &t->c.v;
    double r[3], own[3], turn[3], mass = (p->density + v->density[i]) * v->volume[i];
    for (int a = 0; a < 3; a++) r[a] = v->pos[i][a] - t->c.b.pos[t->body][a];
    if (p->books == COLLIDE_IMPULSE) {
        sheet_impulse(r, v->strength[i], times * p->density, out);
        return;
    }
    for (int a = 0; a < 3; a++) own[a] = mass * (double)v->velocity[3 * i + a];
    vec3_cross(r, own, turn);
    for (int a = 0; a < 3; a++) {
        double spin = v->volume[i] > 0 ? 0.5 * v->strength[i][a] / v->volume[i] : 0;
        out[a] += times * own[a];
        out[3 + a] += times * (turn[a] + 0.4 * mass * v->radius[i] * v->radius[i] * spin);
    }
}

/// Axis of the vorticity that turns û away, a unit vector across û (and n): any, where û is along n.
static void axis_find(const double u[3], const double n[3], double axis[3])
{
    vec3_cross(u, n, axis);
    if (vec3_dot(axis, axis) < 1e-12) vec3_across(u, axis);
    const double length = vec3_length(axis);
    for (int a = 0; a < 3; a++) axis[a] /= length;
}

/// Puts and winds one vorton; `u`: what is to be cancelled at P.
static void vorton_assign(struct touch *t, const struct contact *c, double u[3])
{
    const struct collide_params *p = t->s->params;
    struct vorton_arrays *v = &t->c.v;
    int64_t i = c->vorton;
    double speed, axis[3], b[3], along = vec3_dot(u, c->normal), size = v->radius[i];
    for (int a = 0; a < 3 && p->place == COLLIDE_ABOVE; a++) u[a] -= along * c->normal[a];
    speed = vec3_length(u);
    for (int a = 0; a < 3; a++) {
        v->pos[i][a] = c->point[a] + size * c->normal[a];
        v->strength[i][a] = 0;
    }
    if (!(speed > 0)) return;
    for (int a = 0; a < 3; a++) u[a] /= speed;
    axis_find(u, c->normal, axis);
    vec3_cross(axis, u, b);
    for (int a = 0; a < 3; a++) {
        v->pos[i][a] = c->point[a] + size * b[a];
        v->strength[i][a] = -4 * PI * size * size * speed / kernel_q(t->kernel, 1) * axis[a];
    }
    double left[3], back[3] = {0};
    for (int a = 0; a < 3; a++) left[a] = c->point[a] - v->pos[i][a];
    kernel_add(t->kernel, v->strength[i], size, left, back);
    for (int a = 0; a < 3; a++) left[a] = back[a] / speed + u[a];
    t->worst = fmax(t->worst, vec3_length(left));
}

static void contact_solve(struct touch *t, int64_t k, double six[6])
{
    const struct contact *c = &t->contact[k];
    struct vorton_arrays *v = &t->c.v;
    double r[3], own[3] = {0}, body[3], u[3];
    for (int a = 0; a < 3; a++) r[a] = c->point[a] - v->pos[c->vorton][a];
    kernel_add(t->kernel, v->strength[c->vorton], v->radius[c->vorton], r, own);
    body_velocity(&t->c.b, t->body, c->point, body);
    for (int a = 0; a < 3; a++) u[a] = t->flow[k][a] - own[a] - body[a];
    momentum_add(t, c->vorton, 1, six);
    vorton_assign(t, c, u);
    for (int a = 0; a < 3; a++) v->velocity[3 * c->vorton + a] = (float)body[a];
    v->born[c->vorton] = vec3_length(v->strength[c->vorton]);
    momentum_add(t, c->vorton, -1, six);
}

static enum bw_status body_touch(struct touch *t)
{
    double six[6] = {0}, turn[3];
    struct body_arrays *b = &t->c.b;
    enum bw_status st = contacts_find(t);
    for (int64_t k = 0; k < t->count && !st; k++) contact_solve(t, k, six);
    if (st || b->held[t->body] > 0) return st;
    body_inertia(b, t->body, six + 3, 1, turn);
    for (int a = 0; a < 3; a++) {
        b->velocity[t->body][a] += six[a] / b->mass[t->body];
        b->spin[t->body][a] += turn[a];
    }
    return BW_OK;
}

enum bw_status collide_gourlay(struct bw_stage *s, enum pair_kernel kernel)
{
    struct touch t = {.s = s, .c = collide_arrays(s), .kernel = kernel};
    enum bw_status st = BW_OK;
    int64_t all = 0;
    for (t.body = 0; t.body < t.c.b.count && !st; t.body++) {
        t.count = 0;
        st = body_touch(&t);
        all += t.count;
    }
    s->host->metric(s, "ejected", (double)all, BW_METRIC_SUM);
    s->host->metric(s, "contact", t.worst, BW_METRIC_MAX);
    return st;
}
