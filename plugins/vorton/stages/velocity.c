// SPDX-License-Identifier: Apache-2.0
/* vorton.velocity: the flow that vortons induce in unbounded space (Biot & Savart), for whoever asks by
 * billow.velocity/1.
 *
 *     u(x) = Σ α × (x - x_p) q(|x - x_p|/σ) / (4π |x - x_p|³)
 *
 * At vortons that are moved (vorton.cores/1), and whose radii differ, σ² is the mean of both: unlike cores then keep
 * the impulse as like ones do.
 *
 * `direct` sums every pair. `fast` is multipole.c's method, whose order is raised until its error against the direct
 * sum, measured at 384 of the points asked for, is below `error`, and which gives way to the direct sum where none is
 * good enough. `mesh` gives the far field to particle_mesh.c, as that of Gaussian cores wider than a step of the mesh,
 * and what is near to pairs: their own kernel less that Gaussian; where all cores are Gaussian and of one size they are
 * the mesh's, and no pair is left. Its error is measured in the same way; `fast` stands in where it is too large, and
 * for moore's kernel, whose far field is its own. `auto` takes what is
 * likely to be faster.
 * The stage holds no state but memory: what it answers depends on the vortons alone, not on what was asked before. */
#include "flow/particle_mesh.h"
#include "velocity.h"
#include "flow/influence_tree.h"
#include "vorton.h"
#include <common/vec3.h>
#include <math.h>
#include <string.h>

enum method { METHOD_AUTO, METHOD_DIRECT, METHOD_FAST, METHOD_MESH, METHOD_TREE };

struct params {
    int32_t method, kernel;
    double error;
};

struct state {
    struct multipole multipole;
    struct particle_mesh mesh;
    struct buffer memory, own; ///< of mesh_plan_make and mesh_error; what the mesh method found
    struct influence_tree tree;
    int32_t said; ///< method that the log has told, + 1
    int32_t order;
    double error;
};

static const struct bw_param params[] = {
    {.key = "method",
     .type = BW_PARAM_CHOICE,
     .offset = BW_OFFSET(struct params, method, int32_t),
     .def = "auto",
     .choices = "auto|direct|fast|mesh|influence_tree",
     .doc = "direct: every pair; fast: multipoles; mesh: Fourier transforms, and pairs that are near; both within "
            "`error`; auto: whichever is faster; influence_tree: Gourlay's, an error of a tenth.",
     .flags = BW_PARAM_STATIC,
     .was = "seed=influence_tree"},
    {.key = "kernel",
     .type = BW_PARAM_CHOICE,
     .offset = BW_OFFSET(struct params, kernel, int32_t),
     .def = "gaussian",
     .choices = "gaussian|algebraic|moore|gourlay",
     .doc =
         "How vorticity is spread over a vorton's core: a Gaussian; Winckelmans and Leonard's; Rosenhead and Moore's; "
         "Gourlay's.",
     .flags = BW_PARAM_STATIC,
     .was = "seed=gourlay"},
    {.key = "error",
     .type = BW_PARAM_F64,
     .offset = BW_OFFSET(struct params, error, double),
     .def = "1e-3",
     .min = 1e-5,
     .max = 0.1,
     .doc = "Largest error of `fast` and `mesh`, root mean square over root mean square of the velocity."},
};

static const struct bw_port ports[] = {
    {.name = "vortons",
     .kind = BW_PARTICLES,
     .access = BW_READ,
     .doc = "The vortons.",
     .attributes = vorton_attributes,
     .n_attributes = BW_COUNT(vorton_attributes)},
};

/* Orders of expansion and opening angles, each about half as wrong as the one before. */
static const struct multipole_plan plans[] = {{1, 3, 0.65, 3.4}, {1, 4, 0.65, 3.4}, {1, 5, 0.65, 3.4}, {1, 6, 0.65, 4},
                                              {1, 7, 0.65, 4.5}, {1, 8, 0.65, 5.1}, {1, 8, 0.5, 5.1},  {1, 8, 0.4, 6}};
/// Where the search for a good enough plan begins: what was good enough for clouds and rings.
static uint32_t plan_first(double error)
{
    return error >= 2e-2 ? 0 : error >= 5e-3 ? 1 : error >= 1e-3 ? 2 : error >= 3e-4 ? 3 : 4;
}

/// What samples show against what may be: theirs is a guess.
#define SAFETY 0.7

/// Pairs in favour of the direct sum up to this many vortons, both sides being equal.
#define DIRECT_MOST 8000.0

static int is_direct(double vortons, double points)
{
    return vortons * points <= 0.5 * DIRECT_MOST * (vortons + points);
}

/// The first vorton that cannot be evaluated, or -1.
static int64_t vorton_invalid(const struct vorton_arrays *v)
{
    for (int64_t i = 0; i < v->count; i++) {
        double sum = 0;
        for (int a = 0; a < 3; a++) sum += fabs(v->pos[i][a]) + fabs(v->strength[i][a]);
        if (!(sum < 1e100) || !(v->radius[i] > 0) || !(v->radius[i] < 1e100)) return i;
    }
    return -1;
}

/// The first plan whose error at some of the points is small enough, or the last; *error is what was measured.
static enum bw_status plan_choose(struct bw_stage *s, double wanted, const struct flow_points *at, uint32_t *plan,
                                  double *error)
{
    struct state *st = s->state;
    enum bw_status status = BW_OK;
    for (uint32_t p = plan_first(wanted); status == BW_OK && p < BW_COUNT(plans); p++) {
        *plan = p;
        status = multipole_error(s, &st->multipole, &plans[p], at, error);
        if (*error <= SAFETY * wanted) break;
    }
    return status;
}

/* ---- particle-mesh ---- */

/// A mesh, and how far pairs have to be corrected, m; 0: not at all.
struct mesh_plan {
    double h, core, reach, seconds;
};

/// Where a core counts as a point, σ; 0: never.
static const double point_from[] = {[PAIR_GAUSSIAN] = 4.3, [PAIR_ALGEBRAIC] = 7, [PAIR_MOORE] = 0, [PAIR_GOURLAY] = 1};

/// Processor seconds of a node of the mesh (transforms of three components of the doubled mesh), of a vorton or point
/// there, and of a corrected pair; of a vorton by multipoles. What a machine makes of them differs less than what they
/// are compared for.
#define SECONDS_NODE 1.0e-7
#define SECONDS_PLACE 3.5e-7
#define SECONDS_PAIR 0.7e-9
#define SECONDS_FAST 5.5e-6
enum { LOOKS = 2000, BINS_MOST = 1 << 22 };

/// Vortons and points: their box, and the vortons' radii.
struct extent {
    double lo[3], hi[3], least, most; ///< m
};

static struct extent extent_of(const struct vortons *v, int64_t count, const bw_vec3 *pos)
{
    struct extent e = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, HUGE_VAL, 0};
    for (int64_t i = 0; i < v->count + count; i++) {
        const double *x = i < v->count ? v->pos[i] : pos[i - v->count];
        for (int a = 0; a < 3; a++) {
            e.lo[a] = fmin(e.lo[a], x[a]);
            e.hi[a] = fmax(e.hi[a], x[a]);
        }
        if (i < v->count) e.least = fmin(e.least, v->radius[i]), e.most = fmax(e.most, v->radius[i]);
    }
    return e;
}

/// About how many vortons are within `reach` of a point, on the mean; negative: out of memory.
static double near_count(struct bw_stage *s, const struct extent *e, const struct vortons *v, int64_t count,
                         const bw_vec3 *pos, double reach)
{
    struct state *st = s->state;
    double cell = reach, sum = 0;
    int64_t n[3], bins = BINS_MOST + 1;
    for (; bins > BINS_MOST; cell *= 1.25) {
        for (int a = 0; a < 3; a++) n[a] = (int64_t)fmin((e->hi[a] - e->lo[a]) / cell, 1e5) + 1;
        bins = n[0] * n[1] * n[2];
        if (bins <= BINS_MOST) break;
    }
    int32_t *in = buffer_need(s, &st->memory, (size_t)bins * sizeof *in);
    if (!in) return -1;
    memset(in, 0, (size_t)bins * sizeof *in);
    for (int64_t i = 0; i < v->count; i++) {
        int64_t at[3];
        for (int a = 0; a < 3; a++) at[a] = (int64_t)((v->pos[i][a] - e->lo[a]) / cell);
        in[at[0] + n[0] * (at[1] + n[1] * at[2])]++;
    }
    int64_t looks = count < LOOKS ? count : LOOKS;
    for (int64_t l = 0; l < looks; l++) {
        int64_t at[3], i = l * count / looks;
        for (int a = 0; a < 3; a++) at[a] = (int64_t)((pos[i][a] - e->lo[a]) / cell);
        for (int q = 0; q < 27; q++) {
            const int64_t x = at[0] + q % 3 - 1, y = at[1] + q / 3 % 3 - 1, z = at[2] + q / 9 - 1;
            if (x >= 0 && y >= 0 && z >= 0 && x < n[0] && y < n[1] && z < n[2]) sum += in[x + n[0] * (y + n[1] * z)];
        }
    }
    return sum / (double)looks;
}

/// The quickest mesh. `core`: σ on the mesh, in steps. Where all cores are Gaussian and of one size, they are the
/// mesh's.
static enum bw_status mesh_plan_make(struct bw_stage *s, const struct vortons *v, int64_t count, const bw_vec3 *pos,
                                     double core, struct mesh_plan *plan)
{
    static const double steps[] = {0.5, 0.7, 1, 1.4, 2, 2.8, 4, 5.6};
    const enum pair_kernel kernel = (enum pair_kernel)((const struct params *)s->params)->kernel;
    const struct extent e = extent_of(v, count, pos);
    const double places = SECONDS_PLACE * (double)(v->count + count);
    *plan = (struct mesh_plan){.seconds = HUGE_VAL};
    if (!(point_from[kernel] > 0)) return BW_OK;
    if (kernel == PAIR_GAUSSIAN && e.most <= e.least * (1 + 1e-9)) {
        const double h = e.most / core;
        *plan = (struct mesh_plan){h, core, 0, SECONDS_NODE * particle_mesh_nodes(e.lo, e.hi, h) + places};
    }
    for (size_t i = 0; i < BW_COUNT(steps); i++) {
        const double h = steps[i] * sqrt(e.least * e.most), reach = fmax(4.3 * core * h, point_from[kernel] * e.most);
        const double mesh = SECONDS_NODE * particle_mesh_nodes(e.lo, e.hi, h) + places;
        if (mesh >= plan->seconds) continue;
        const double near = near_count(s, &e, v, count, pos, reach);
        if (near < 0) return BW_ERR_MEMORY;
        const double seconds = mesh + SECONDS_PAIR * near * (double)count;
        if (seconds < plan->seconds) *plan = (struct mesh_plan){h, core, reach, seconds};
    }
    return BW_OK;
}

/// Error at some of the points, root mean square over root mean square.
static enum bw_status mesh_error(struct bw_stage *s, const struct flow_points *p, const double *velocity, double *error)
{
    struct state *st = s->state;
    enum { CHECKED = 256 };
    const int64_t count = p->count, n = count < CHECKED ? count : CHECKED;
    double *at = buffer_need(s, &st->memory, (size_t)n * 7 * sizeof *at), *want = at + 3 * n, *radius = want + 3 * n;
    double wrong = 0, all = 0;
    if (!at) return BW_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        memcpy(at + 3 * i, p->pos[i * count / n], 24);
        if (p->radius) radius[i] = p->radius[i * count / n];
    }
    const struct flow_points checked = {n, (const bw_vec3 *)at, p->radius ? radius : NULL};
    enum bw_status status = multipole_check(s, &st->multipole, &checked, want);
    for (int64_t i = 0; i < 3 * n; i++) {
        const double is = velocity[3 * (i / 3 * count / n) + i % 3];
        wrong += (is - want[i]) * (is - want[i]);
        all += want[i] * want[i];
    }
    *error = all > 0 ? sqrt(wrong / all) : 0;
    return status;
}

/// Mesh and pairs, added.
static enum bw_status mesh_add(struct bw_stage *s, const struct vortons *v, const struct flow_points *at,
                               const struct mesh_plan *plan, double *velocity, double *gradient)
{
    struct state *st = s->state;
    enum bw_status status =
        particle_mesh_evaluate(s, &st->mesh, v, plan->h, plan->core, at->count, at->pos, velocity, gradient);
    if (status || !(plan->reach > 0)) return status;
    status = multipole_points(s, &st->multipole, at, 1);
    return status ? status
                  : multipole_correct(s, &st->multipole, plan->core * plan->h, plan->reach, velocity, gradient);
}

/// Wider cores on the mesh err less: what was enough for rings and clouds, then what is.
static const double mesh_cores[] = {1.2, 1.5, 2};
static size_t mesh_first(const struct bw_stage *s) { return ((const struct params *)s->params)->error < 3e-4; }

/// By a mesh if one is good enough: *good says so. `plan`: one for the first of mesh_cores that will do.
static enum bw_status mesh_evaluate(struct bw_stage *s, const struct vortons *v, const struct flow_points *at,
                                    struct mesh_plan plan, double *velocity, double *gradient, int *good)
{
    const double wanted = ((const struct params *)s->params)->error;
    struct state *st = s->state;
    const int64_t count = at->count;
    const size_t n = (gradient ? 12 : 3) * (size_t)count;
    double *own = buffer_need(s, &st->own, n * sizeof *own), error = HUGE_VAL;
    enum bw_status status = own ? BW_OK : BW_ERR_MEMORY;
    *good = 0;
    for (size_t i = mesh_first(s); i < BW_COUNT(mesh_cores) && !status && !*good; i++) {
        if (i > mesh_first(s)) status = mesh_plan_make(s, v, count, at->pos, mesh_cores[i], &plan);
        if (status || !(plan.seconds < HUGE_VAL)) return status;
        memset(own, 0, n * sizeof *own);
        status = mesh_add(s, v, at, &plan, own, gradient ? own + 3 * count : NULL);
        if (!status) status = mesh_error(s, at, own, &error);
        *good = !status && error <= wanted;
    }
    if (!*good) return status;
    st->error = fmax(st->error, error);
    for (int64_t i = 0; i < 3 * count; i++) velocity[i] += own[i];
    for (int64_t i = 0; i < 9 * count && gradient; i++) gradient[i] += own[3 * count + i];
    return BW_OK;
}

/// What `auto` takes; and a plan where a mesh may be meant.
static enum bw_status method_choose(struct bw_stage *s, const struct vortons *v, int64_t count, const bw_vec3 *pos,
                                    enum method *m, struct mesh_plan *plan)
{
    const int open = *m == METHOD_AUTO;
    if (open && is_direct((double)v->count, (double)count)) *m = METHOD_DIRECT;
    if (*m != METHOD_AUTO && *m != METHOD_MESH) return BW_OK;
    enum bw_status status = mesh_plan_make(s, v, count, pos, mesh_cores[mesh_first(s)], plan);
    if (open) *m = plan->seconds < 0.5 * SECONDS_FAST * (double)(v->count + count) ? METHOD_MESH : METHOD_FAST;
    return status;
}

static void method_log(struct bw_stage *s, enum method m, int64_t vortons, int64_t points)
{
    static const char *const words[] = {"", "every pair", "the multipole method", "a mesh, and pairs that are near",
                                        "the influence tree"};
    struct state *st = s->state;
    if (st->said == (int32_t)m + 1) return;
    st->said = (int32_t)m + 1;
    s->host->log(s, BW_LOG_INFO, "%lld vortons at %lld points: %s", (long long)vortons, (long long)points, words[m]);
}

static enum bw_status fast_evaluate(struct bw_stage *s, const struct flow_points *at, double *velocity,
                                    double *gradient)
{
    const struct params *p = s->params;
    struct state *st = s->state;
    uint32_t plan = 0;
    double error = 0;
    enum bw_status status = multipole_points(s, &st->multipole, at, 1);
    if (!status) status = plan_choose(s, p->error, at, &plan, &error);
    if (status) return status;
    if (error > p->error) { // never worse than it says
        s->host->log(s, BW_LOG_INFO, "the multipole method would be off by %.2g here: every pair instead", error);
        status = multipole_points(s, &st->multipole, at, 0);
        return status ? status : multipole_evaluate(s, &st->multipole, &(struct multipole_plan){0}, velocity, gradient);
    }
    st->error = fmax(st->error, error);
    st->order = plans[plan].order;
    return multipole_evaluate(s, &st->multipole, &plans[plan], velocity, gradient);
}

static enum bw_status points_evaluate(struct bw_stage *s, const struct flow_points *at, double *velocity,
                                      double *gradient)
{
    const struct params *p = s->params;
    struct state *st = s->state;
    struct vorton_arrays v = vorton_arrays(s, s->ports[0].particles);
    const bw_vec3 *pos = at->pos;
    int64_t bad = vorton_invalid(&v), count = at->count;
    if (bad >= 0)
        return s->host->fail(s, BW_ERR_DIVERGED,
                             "vorton %lld at (%g, %g, %g) m, strength (%g, %g, %g) m^3/s, radius %g m, cannot be",
                             (long long)bad, v.pos[bad][0], v.pos[bad][1], v.pos[bad][2], v.strength[bad][0],
                             v.strength[bad][1], v.strength[bad][2], v.radius[bad]);
    if (!v.count || !count) return BW_OK;
    struct vortons all = {v.count, (const bw_vec3 *)v.pos, (const bw_vec3 *)v.strength, v.radius};
    enum method m = (enum method)p->method;
    struct mesh_plan plan;
    enum bw_status status = method_choose(s, &all, count, pos, &m, &plan);
    if (status) return status;
    method_log(s, m, v.count, count);
    if (m == METHOD_TREE) {
        status = influence_tree_build(s, &st->tree, &all, (enum pair_kernel)p->kernel, count, pos);
        if (!status) influence_tree_evaluate(s, &st->tree, count, pos, velocity, gradient);
        return status;
    }
    status = multipole_sources(s, &st->multipole, &all, (enum pair_kernel)p->kernel);
    if (!status && m == METHOD_MESH) {
        int good = 0;
        status = mesh_evaluate(s, &all, at, plan, velocity, gradient, &good);
        if (status || good) return status;
        s->host->log(s, BW_LOG_INFO, "no mesh is within %.2g here: multipoles instead", p->error);
        m = METHOD_FAST;
    }
    if (!status && m == METHOD_FAST) return fast_evaluate(s, at, velocity, gradient);
    if (!status) status = multipole_points(s, &st->multipole, at, 0);
    return status ? status : multipole_evaluate(s, &st->multipole, &(struct multipole_plan){0}, velocity, gradient);
}

static enum bw_status evaluate(struct bw_stage *s, size_t n, const bw_vec3 *pos, double *velocity, double *gradient)
{
    return points_evaluate(s, &(struct flow_points){(int64_t)n, pos, NULL}, velocity, gradient);
}

static enum bw_status evaluate_cores(struct bw_stage *s, int64_t count, const bw_vec3 *pos, const double *radius,
                                     double *velocity, double *gradient)
{
    return points_evaluate(s, &(struct flow_points){count, pos, radius}, velocity, gradient);
}

/// What a run is judged by: Σα and the impulse ½ Σ x × α, both constant in unbounded flow.
static enum bw_status step(struct bw_stage *s)
{
    struct state *st = s->state;
    struct vorton_arrays v = vorton_arrays(s, s->ports[0].particles);
    double total[3] = {0}, impulse[3] = {0};
    for (int64_t i = 0; i < v.count; i++) {
        const double *x = v.pos[i], *a = v.strength[i];
        for (int c = 0; c < 3; c++) {
            total[c] += a[c];
            impulse[c] += 0.5 * (x[(c + 1) % 3] * a[(c + 2) % 3] - x[(c + 2) % 3] * a[(c + 1) % 3]);
        }
    }
    s->host->metric(s, "vortons", (double)v.count, BW_METRIC_LAST);
    s->host->metric(s, "strength", vec3_length(total), BW_METRIC_LAST);
    s->host->metric(s, "impulse_x", impulse[0], BW_METRIC_LAST);
    s->host->metric(s, "impulse_y", impulse[1], BW_METRIC_LAST);
    s->host->metric(s, "impulse_z", impulse[2], BW_METRIC_LAST);
    s->host->metric(s, "error", st->error, BW_METRIC_MAX);
    s->host->metric(s, "order", (double)st->order, BW_METRIC_MAX);
    st->error = 0;
    st->order = 0;
    return BW_OK;
}

static void uninit(struct bw_stage *s) { particle_mesh_free(&((struct state *)s->state)->mesh); }

static enum pair_kernel kernel_of(const struct bw_stage *s)
{
    return (enum pair_kernel)((const struct params *)s->params)->kernel;
}

static const void *extension(const char *id)
{
    static const struct bw_velocity_api api = {sizeof api, evaluate};
    static const struct vorton_kernel_api kernel = {kernel_of};
    static const struct vorton_cores_api cores = {evaluate_cores};
    if (!strcmp(id, VORTON_KERNEL)) return &kernel;
    if (!strcmp(id, VORTON_CORES)) return &cores;
    return strcmp(id, BW_VELOCITY) ? NULL : &api;
}

/* What was found since the last step told it: others ask in between. */
static enum bw_status checkpoint(struct bw_stage *s, struct bw_archive *a)
{
    struct state *st = s->state;
    a->bytes(a, "order", &st->order, sizeof st->order);
    return a->bytes(a, "error", &st->error, sizeof st->error);
}

const struct bw_stage_desc vorton_velocity_desc = {
    .id = "vorton.velocity",
    .version = "1.0",
    .brief = "The flow that vortons induce, anywhere: direct, or by multipoles within an error that is measured.",
    .references = "Winckelmans & Leonard 1993; Greengard & Rokhlin 1987; Dehnen 2002; Gourlay, parts 3, 4, 6",
    .params_size = sizeof(struct params),
    .state_size = sizeof(struct state),
    BW_PARAMS(params),
    BW_PORTS(ports),
    .step = step,
    .extension = extension,
    .uninit = uninit,
    .checkpoint = checkpoint,
    .flags = BW_STAGE_RANKS | BW_STAGE_SETUP,
};
