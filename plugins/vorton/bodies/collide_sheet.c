// SPDX-License-Identifier: Apache-2.0
/* vorton.collide, method sheet. In each step, for each body:
 *   1  what vortons nearer than a third of a shed core hold becomes the sheet's, and they are put out along the normal,
 *      empty. Put out as they are they would stay for ever where the flow meets the body, and be stretched there
 *      without end: air that is pressed against a wall takes the place of other air, whose vorticity ends up in the
 *      thin layer that the sheet is
 *   2  the sheet is shed: when the flow has advected it by a displacement d from the body, the fraction 1 - exp(-d /
 *      release spacing) of it becomes free, a vorton a node, at the advected place. All of it at once would jolt the
 *      body, and be a layer too sparse to hold together.
 *   3  a new sheet makes the flow at the surface the body's motion V = (U, Ω), for a V that is solved for with it:
 *          m U + ρ(P - V_b U) and J Ω + ρ(A - J_f Ω)   are after it what they were before
 *      P = ½Σ x × α, A = ⅓Σ r × (r × α) of all vorticity that the body and the fluid within it stand for. P is linear
 *      in V through the sheets of unit motions: a 6 × 6 system, with the body's added mass in it: stable however light
 *      it is.
 * What a body is given is what the vorticity lost, to rounding. Forces between sheet and flow come in because the
 * sheet's grains move with the flow like any vortons (vorton.advect) before they are put back: P changes by what that
 * has moved. At its first step a body is as it is, someone having pushed it. Several bodies: their sheets are found in
 * turns. */
#include "collide.h"
#include "flow/kernel.h"
#include "vortex_sheet.h"
#include <common/vec3.h>

enum { SHAPES = 256, TURNS = 3 };
#define GRAIN_BITS 16777216.0 // 2^24
#define OVERLAP 1.3           // shed cores over the nodes' spacing: what is shed stays one layer as it is stretched
#define GAP 0.35 // in shed cores: how far outside they stay; further out they would hold more impulse than the sheet

struct state {
    struct sheet *sheet[SHAPES];
    int32_t count;
};
_Static_assert(sizeof(struct state) <= COLLIDE_STATE, "the stage's state is too small");

/* One body's part. Vectors of six: linear, then angular about its centre, world axes, per density of the fluid. */
struct member {
    const struct sheet *sh;
    int64_t body, *slot; ///< particles of its grains, the last one's is in the middle
    double scale, axis[3][3], core;
    struct pose pose;
    double before[6], after[6]; ///< of what was touched, the new sheet apart
    double displacement;        ///< rms displacement of the sheet by the flow in this step, m
    double closing[3];          ///< strength that the new sheet and what is inside must have together
    double motion[6];           ///< velocity and spin before
    bw_vec3 *flow;              ///< of others, at the nodes' points
    double *x;                  ///< the sheet
    double slip, speed;         ///< root mean squares
};

struct job {
    struct bw_stage *s;
    struct collide_arrays c;
    struct member *m;
};

static void to_world(const struct member *m, const double v[3], double out[3])
{
    for (int a = 0; a < 3; a++) out[a] = vec3_turned(m->axis, v, a);
}

static void to_body(const struct member *m, const double v[3], double out[3])
{
    for (int k = 0; k < 3; k++) out[k] = vec3_dot(m->axis[k], v);
}

/// World place of a place on the body of unit size.
static void place_of(const struct job *j, const struct member *m, const double at[3], double out[3])
{
    to_world(m, at, out);
    for (int a = 0; a < 3; a++) out[a] = j->c.b.pos[m->body][a] + m->scale * out[a];
}

/* ---- sheets and members ---- */

static enum bw_status sheet_of(struct bw_stage *s, enum pair_kernel kernel, const struct body_arrays *b, int64_t i,
                               struct member *m)
{
    const struct collide_params *p = s->params;
    struct state *st = s->state;
    m->scale = b->size[i][0];
    for (int32_t k = 0; k < st->count; k++) {
        const struct sheet *sh = st->sheet[k];
        double off = 0;
        for (int a = 0; a < 3; a++) off += fabs(sh->half[a] - b->size[i][a] / m->scale);
        m->sh = sh;
        if (sh->kind == (int32_t)b->shape[i] && off < 1e-12) return BW_OK;
    }
    if (st->count == SHAPES) return s->host->fail(s, BW_ERR_LIMIT, "bodies have more than %d shapes", SHAPES);
    struct sheet *sh = st->sheet[st->count++] = s->host->alloc(s, sizeof *sh);
    if (!sh) return BW_ERR_MEMORY;
    *sh = (struct sheet){.kind = (int32_t)b->shape[i], .kernel = kernel, .wanted = p->nodes, .fine = p->fine};
    for (int a = 0; a < 3; a++) sh->half[a] = b->size[i][a] / m->scale;
    m->sh = sh;
    return sheet_make(s, sh);
}

static enum bw_status member_make(struct job *j, enum pair_kernel kernel, int64_t i)
{
    struct member *m = &j->m[i];
    const struct body_arrays *b = &j->c.b;
    *m = (struct member){.body = i, .pose = body_pose(b, i)};
    enum bw_status st = sheet_of(j->s, kernel, b, i, m);
    if (st) return st;
    body_axes(b, i, m->axis);
    m->core = OVERLAP * m->sh->spacing * m->scale;
    memcpy(m->motion, b->velocity[i], 24);
    memcpy(m->motion + 3, b->spin[i], 24);
    m->slot = j->s->host->scratch(j->s, (size_t)(m->sh->grains + 1) * sizeof *m->slot);
    m->flow = j->s->host->scratch(j->s, (size_t)m->sh->nodes * sizeof *m->flow);
    m->x = j->s->host->scratch(j->s, 2 * (size_t)m->sh->nodes * sizeof *m->x);
    if (!m->slot || !m->flow || !m->x) return BW_ERR_MEMORY;
    for (int64_t k = 0; k <= m->sh->grains; k++) m->slot[k] = -1;
    return BW_OK;
}

/// Finds the bodies' grains among the vortons; those that are not there are made.
static enum bw_status grains_find(struct job *j)
{
    struct bw_particles *p = j->s->ports[COLLIDE_VORTONS].particles;
    int64_t missing = 0, first = 0;
    for (int64_t i = 0; i < j->c.v.count; i++) {
        if (!(j->c.bound[i] > 0)) continue;
        int64_t body = (int64_t)((j->c.bound[i] - 1) / GRAIN_BITS),
                grain = (int64_t)(j->c.bound[i] - 1 - GRAIN_BITS * (double)body);
        if (body < j->c.b.count && grain <= j->m[body].sh->grains) j->m[body].slot[grain] = i;
    }
    for (int64_t k = 0; k < j->c.b.count; k++)
        for (int64_t g = 0; g <= j->m[k].sh->grains; g++) missing += j->m[k].slot[g] < 0;
    if (particles_of(j->s)->add(p, missing, &first)) return BW_ERR_MEMORY;
    j->c = collide_arrays(j->s);
    for (int64_t k = 0; k < j->c.b.count; k++)
        for (int64_t g = 0; g <= j->m[k].sh->grains; g++) {
            if (j->m[k].slot[g] >= 0) continue;
            memcpy(j->c.v.pos[first], j->c.b.pos[k], sizeof *j->c.v.pos);
            j->c.v.radius[first] = j->m[k].scale * j->m[k].sh->sigma;
            j->c.bound[first] = 1 + GRAIN_BITS * (double)k + (double)g;
            j->m[k].slot[g] = first++;
        }
    return BW_OK;
}

/* ---- what was there before ---- */

static void impulse_add(const struct job *j, const struct member *m, int64_t i, double out[6])
{
    double r[3];
    for (int a = 0; a < 3; a++) r[a] = j->c.v.pos[i][a] - j->c.b.pos[m->body][a];
    sheet_impulse(r, j->c.v.strength[i], 1, out);
}

/// ∫ r² - x² over the body about its axes.
static double second_moment(const struct job *j, int64_t body, int k)
{
    return j->c.b.inertia[body][k] / j->c.b.mass[body] * j->c.b.volume[body];
}

/// Impulse of the sheet after advection, and of what is inside; the sheet's displacement.
static void sheet_count(struct job *j, struct member *m)
{
    double displacement = 0, inside[3], lost[3];
    for (int64_t g = 0; g <= m->sh->grains; g++) {
        int64_t i = m->slot[g];
        double at[3];
        impulse_add(j, m, i, m->before);
        for (int a = 0; a < 3; a++) m->closing[a] += j->c.v.strength[i][a];
        if (g == m->sh->grains) break;
        place_of(j, m, m->sh->grain[g], at);
        displacement += vec3_distance2(at, j->c.v.pos[i]) / (double)m->sh->grains;
    }
    to_body(m, j->c.v.strength[m->slot[m->sh->grains]], inside);
    for (int k = 0; k < 3; k++) inside[k] *= -2. / 3 * second_moment(j, m->body, k) / (2 * j->c.b.volume[m->body]);
    to_world(m, inside, lost);
    for (int a = 0; a < 3; a++) m->before[3 + a] += lost[a];
    m->displacement = sqrt(displacement);
}

/// Free vortons too near are put out; the sheet takes what they hold.
static int64_t vortons_eject(struct job *j, struct member *m)
{
    double gap = GAP * m->core;
    int64_t n = 0;
    for (int64_t i = 0; i < j->c.v.count; i++) {
        double normal[3], d;
        if (j->c.bound[i] > 0 || !((d = pose_distance(&m->pose, j->c.v.pos[i])) < gap)) continue;
        collide_normal(&m->pose, m->scale, j->c.v.pos[i], normal);
        impulse_add(j, m, i, m->before);
        for (int a = 0; a < 3; a++) {
            m->closing[a] += j->c.v.strength[i][a];
            j->c.v.strength[i][a] = 0;
            j->c.v.pos[i][a] += (gap - d) * normal[a];
        }
        n++;
    }
    return n;
}

/* ---- shedding ---- */

/// Sheds the fraction `fraction` of one node's grains as a free vorton `to`.
static void node_free(struct job *j, struct member *m, int64_t to, double fraction, const double sum[8])
{
    const struct collide_params *p = j->s->params;
    struct vorton_arrays *v = &j->c.v;
    double normal[3], d, gap = GAP * m->core, size = m->sh->spacing * m->scale;
    for (int a = 0; a < 3; a++) {
        v->strength[to][a] = fraction * sum[a];
        v->pos[to][a] = sum[3 + a] / sum[6];
        m->closing[a] -= fraction * sum[a];
    }
    d = pose_distance(&m->pose, v->pos[to]);
    collide_normal(&m->pose, m->scale, v->pos[to], normal);
    for (int a = 0; a < 3 && d < gap; a++) v->pos[to][a] += (gap - d) * normal[a];
    v->radius[to] = m->core;
    v->volume[to] = size * size * size;
    v->born[to] = fraction * vec3_length(sum);
    v->life[to] = (float)p->life;
    impulse_add(j, m, to, m->after);
}

/// Sheds a fraction of the sheet.
static enum bw_status sheet_shed(struct job *j, struct member *m, double fraction)
{
    int64_t first = 0, n = m->sh->nodes;
    double(*sum)[8] = j->s->host->scratch(j->s, (size_t)n * sizeof *sum);
    if (!sum) return BW_ERR_MEMORY;
    memset(sum, 0, (size_t)n * sizeof *sum);
    for (int64_t g = 0; g < m->sh->grains; g++)
        for (int k = 0; k < SHEET_NEAR && m->sh->near[g][k] >= 0; k++) {
            const double *x = j->c.v.pos[m->slot[g]], *alpha = j->c.v.strength[m->slot[g]];
            double *to = sum[m->sh->near[g][k]], w = m->sh->weight[g][k] * (double)m->sh->grains / (double)n;
            double weight = w * (vec3_length(alpha) + 1e-300);
            for (int a = 0; a < 3; a++) {
                to[a] += w * alpha[a];
                to[3 + a] += weight * x[a];
            }
            to[6] += weight;
        }
    if (particles_of(j->s)->add(j->s->ports[COLLIDE_VORTONS].particles, n, &first)) return BW_ERR_MEMORY;
    j->c = collide_arrays(j->s);
    for (int64_t i = 0; i < n; i++) node_free(j, m, first + i, fraction, sum[i]);
    return BW_OK;
}

/* ---- the new sheet ---- */

/// Gauss's elimination of six equations with the largest pivots; 0: singular.
static int solve6(double a[6][7])
{
    for (int c = 0; c < 6; c++) {
        int p = c;
        for (int r = c + 1; r < 6; r++)
            if (fabs(a[r][c]) > fabs(a[p][c])) p = r;
        if (!(fabs(a[p][c]) > 0)) return 0;
        for (int k = 0; k < 7; k++) {
            double t = a[c][k];
            a[c][k] = a[p][k];
            a[p][k] = t;
        }
        for (int r = 0; r < 6; r++) {
            double f = r == c ? 0 : a[r][c] / a[c][c];
            for (int k = c; k < 7; k++) a[r][k] -= f * a[c][k];
        }
    }
    for (int c = 0; c < 6; c++) a[c][6] /= a[c][c];
    return 1;
}

/// The motion after which body and fluid have together what they had; body axes, spin times scale.
static int motion_find(const struct job *j, const struct member *m, const double base[6], double motion[6])
{
    const struct collide_params *p = j->s->params;
    const struct body_arrays *b = &j->c.b;
    const struct sheet *sh = m->sh;
    const double L = m->scale, *had[2] = {m->motion, m->motion + 3};
    const double *met[2] = {j->c.met[m->body], j->c.met_spin[m->body]};
    double a[6][7];
    for (int h = 0; h < 2; h++) {
        double touched[3], is[3], was[3], unit = h ? L * L * L * L : L * L * L;
        for (int k = 0; k < 3; k++) touched[k] = m->before[3 * h + k] - m->after[3 * h + k];
        to_body(m, (const double[3]){touched[0], touched[1], touched[2]}, touched);
        to_body(m, had[h], is);
        to_body(m, met[h], was);
        for (int k = 0; k < 3; k++) {
            double own = (h ? b->inertia[m->body][k] : b->mass[m->body]) / p->density;
            double fluid = h ? second_moment(j, m->body, k) : b->volume[m->body];
            for (int c = 0; c < 6; c++) a[3 * h + k][c] = sh->unit_impulse[c][3 * h + k];
            a[3 * h + k][3 * h + k] += (own - fluid) / (unit * (h ? L : 1));
            a[3 * h + k][6] = (own * is[k] - fluid * was[k] + touched[k]) / unit - base[3 * h + k];
        }
    }
    int good = solve6(a);
    for (int k = 0; k < 6; k++) motion[k] = a[k][6];
    return good;
}

/// How far the flow at the points is from the body's motion.
static void slip_measure(struct member *m, const bw_vec3 *wanted, const double closing[3])
{
    int64_t n = m->sh->nodes;
    double miss = 0, all = 0;
    for (int64_t r = 0; r < 3 * n; r++) {
        double w = wanted[r / 3][r % 3], u = vec3_dot(m->sh->middle[r], closing);
        for (int64_t k = 0; k < 2 * n; k++) u += m->sh->influence[2 * n * r + k] * m->x[k];
        miss += (u - w) * (u - w) / (double)n;
        all += w * w / (double)n;
    }
    m->slip = sqrt(miss);
    m->speed = sqrt(all);
}

/// What the sheet of a motion has to bring about at the points: the motion less the flow.
static void wanted_make(const struct member *m, const double motion[6], bw_vec3 *wanted)
{
    for (int64_t i = 0; i < m->sh->nodes; i++) {
        double flow[3], turn[3];
        to_body(m, m->flow[i], flow);
        vec3_cross(motion + 3, m->sh->point[i], turn);
        for (int a = 0; a < 3; a++) wanted[i][a] = motion[a] + turn[a] - flow[a];
    }
}

static void sheet_put(struct job *j, const struct member *m, const double closing[3])
{
    struct vorton_arrays *v = &j->c.v;
    double two = m->scale * m->scale;
    for (int64_t g = 0; g <= m->sh->grains; g++) {
        int64_t i = m->slot[g];
        double alpha[3];
        if (g == m->sh->grains) {
            sheet_middle(m->sh, m->x, closing, alpha);
            memcpy(v->pos[i], j->c.b.pos[m->body], sizeof *v->pos);
        } else {
            sheet_strength(m->sh, m->x, g, alpha);
            place_of(j, m, m->sh->grain[g], v->pos[i]);
        }
        to_world(m, alpha, v->strength[i]);
        for (int a = 0; a < 3; a++) v->strength[i][a] *= two;
        v->radius[i] = m->scale * (g == m->sh->grains ? m->sh->core : m->sh->sigma);
        v->volume[i] = 0;
        v->born[i] = vec3_length(v->strength[i]);
        v->age[i] = v->life[i] = 0;
    }
}

static enum bw_status sheet_find(struct job *j, struct member *m)
{
    const struct collide_params *p = j->s->params;
    struct body_arrays *b = &j->c.b;
    int64_t n = m->sh->nodes, k = m->body;
    double motion[6] = {0}, base[6] = {0}, closing[3], two = m->scale * m->scale;
    bw_vec3 *wanted = j->s->host->scratch(j->s, (size_t)n * sizeof *wanted);
    if (!wanted) return BW_ERR_MEMORY;
    to_body(m, m->closing, closing);
    for (int a = 0; a < 3; a++) closing[a] /= two;
    wanted_make(m, motion, wanted);
    sheet_solve(m->sh, (const bw_vec3 *)wanted, closing, m->x);
    sheet_impulse_sum(m->sh, m->x, closing, base);
    to_body(m, m->motion, motion);
    to_body(m, m->motion + 3, motion + 3);
    for (int a = 0; a < 3; a++) motion[3 + a] *= m->scale;
    int moves = j->c.known[k] > 0 && !(b->held[k] > 0) && p->density > 0;
    if (moves && !motion_find(j, m, base, motion))
        return j->s->host->fail(j->s, BW_ERR_DIVERGED, "body %lld has no mass, not even added", (long long)b->id[k]);
    for (int c = 0; c < 6; c++)
        for (int64_t i = 0; i < 2 * n; i++) m->x[i] += motion[c] * m->sh->unit[c * 2 * n + i];
    wanted_make(m, motion, wanted);
    slip_measure(m, (const bw_vec3 *)wanted, closing);
    sheet_put(j, m, closing);
    if (!moves) return BW_OK;
    to_world(m, motion, b->velocity[k]);
    to_world(m, motion + 3, b->spin[k]);
    for (int a = 0; a < 3; a++) b->spin[k][a] /= m->scale;
    return BW_OK;
}

/// The flow of all others at a body's points: its own sheet keeps silent.
static enum bw_status flow_find(struct job *j, struct member *m)
{
    int64_t n = m->sh->nodes;
    bw_vec3 *at = j->s->host->scratch(j->s, (size_t)n * sizeof *at);
    if (!at) return BW_ERR_MEMORY;
    for (int64_t g = 0; g <= m->sh->grains; g++) memset(j->c.v.strength[m->slot[g]], 0, sizeof *j->c.v.strength);
    for (int64_t i = 0; i < n; i++) place_of(j, m, m->sh->point[i], at[i]);
    return flow_at(j->s, &(struct flow){0}, n, (const bw_vec3 *)at, m->flow[0], NULL);
}

/* ---- the step ---- */

static void member_report(struct job *j, const struct member *m, double impulse[3])
{
    const struct collide_params *p = j->s->params;
    double now[6] = {0};
    int64_t k = m->body;
    for (int64_t g = 0; g <= m->sh->grains; g++) impulse_add(j, m, m->slot[g], now);
    for (int a = 0; a < 3; a++) {
        double fluid = p->density * j->c.b.volume[k] * (j->c.known[k] > 0 ? j->c.b.velocity[k][a] - j->c.met[k][a] : 0);
        impulse[a] += p->density * (m->before[a] - m->after[a] - now[a]) + fluid;
    }
    memcpy(j->c.met[k], j->c.b.velocity[k], sizeof *j->c.met);
    memcpy(j->c.met_spin[k], j->c.b.spin[k], sizeof *j->c.met_spin);
    j->c.known[k] = 1;
}

static void report(struct job *j, int64_t ejected, int64_t shed)
{
    double impulse[3] = {0}, slip = 0;
    for (int64_t k = 0; k < j->c.b.count; k++) {
        member_report(j, &j->m[k], impulse);
        if (j->m[k].speed > 0) slip = fmax(slip, j->m[k].slip / fmax(j->m[k].speed, vec3_length(j->m[k].motion)));
    }
    j->s->host->metric(j->s, "slip", slip, BW_METRIC_MAX);
    j->s->host->metric(j->s, "ejected", (double)ejected, BW_METRIC_SUM);
    j->s->host->metric(j->s, "shed", (double)shed, BW_METRIC_SUM);
    static const char *const names[] = {"impulse_x", "impulse_y", "impulse_z"};
    for (int a = 0; a < 3 && j->s->step > 0; a++) j->s->host->metric(j->s, names[a], impulse[a], BW_METRIC_SUM);
}

static enum bw_status members_make(struct job *j, enum pair_kernel kernel)
{
    enum bw_status st = BW_OK;
    j->c = collide_arrays(j->s);
    j->m = j->s->host->scratch(j->s, (size_t)j->c.b.count * sizeof *j->m + 1);
    if (!j->m) return BW_ERR_MEMORY;
    for (int64_t k = 0; k < j->c.b.count && !st; k++) st = member_make(j, kernel, k);
    return st ? st : grains_find(j);
}

enum bw_status collide_sheet(struct bw_stage *s, enum pair_kernel kernel)
{
    const struct collide_params *p = s->params;
    struct job j = {.s = s};
    int64_t ejected = 0, shed = 0;
    enum bw_status st = members_make(&j, kernel);
    if (st) return st;
    int64_t n = j.c.b.count;
    for (int64_t k = 0; k < n; k++) {
        sheet_count(&j, &j.m[k]);
        ejected += vortons_eject(&j, &j.m[k]);
    }
    for (int64_t k = 0; k < n && !st; k++) {
        if (!p->shed || !(j.c.known[k] > 0) || !(j.m[k].displacement > 0)) continue;
        st = sheet_shed(&j, &j.m[k], 1 - exp(-j.m[k].displacement / (p->release * j.m[k].sh->spacing * j.m[k].scale)));
        shed += j.m[k].sh->nodes;
    }
    for (int turn = 0; turn < (n > 1 ? TURNS : 1); turn++)
        for (int64_t k = 0; k < n && !st; k++) {
            st = flow_find(&j, &j.m[k]);
            if (!st) st = sheet_find(&j, &j.m[k]);
        }
    if (!st) report(&j, ejected, shed);
    return st;
}
