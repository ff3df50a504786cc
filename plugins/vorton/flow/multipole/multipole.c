// SPDX-License-Identifier: Apache-2.0
/* Fast multipole method (Greengard & Rokhlin 1987) on two adaptive octrees, of vortons and of points, with the
 * Cartesian expansions of expansion.h and the dual tree traversal of Dehnen (2002). A cell of points inherits from its
 * parent the source cells that were not well separated; adds well-separated ones to its local series (M2L), splits
 * larger ones, and hands the rest to its children; what is left at a leaf acts pair by pair (P2P).
 *
 * Two cells are well separated when the sum of their radii is below θ times their distance and no core reaches across:
 * there a vorton's kernel counts as a point's (moore: as the exact 1/sqrt(r² + σ²), softened by the cell's mean σ²).
 * The error of order p falls like θ^p; velocity.c measures it.
 *
 * Work is divided into subtrees of points; each one traverses from the root by itself, so results do not depend on the
 * number of threads; each rank traverses a part of them. Cost: O(N), about half of it in biot_savart.c's m2l, half in
 * its pairs. */
#include "multipole.h"
#include <common/ranks.h>
#include <math.h>
#include <string.h>

/* Distance in σ from which a vorton counts as a point: by a plan, over plan->core (algebraic: 1 - q = 5e-4 at 8σ;
 * moore's expansions are exact); where every pair is summed, for Gaussian cores the error is 1e-5 at 5.1σ. 0: never. */
static const double core_end[] = {1, 2, 0, 0.3}, point_end[] = {5.1, 0, 0, 1};

/* ---- the walk ---- */

/* What is the same for all workers. */
struct traversal {
    struct multipole *f;
    const struct tree *target;
    const struct point_cores *cores; ///< of the target's points
    const struct expansion_table *table;
    double theta, core;         ///< of the plan; θ = 0: nothing is far
    double reach;               ///< > 0: what is farther (tree units) does not count
    struct pair_sources smooth; ///< … and these Gaussian cores count too
    int32_t gradient;
    const int32_t *task; ///< target nodes
    double *velocity, *gradient_out;
    double *sample;  ///< instead of those: TREE_LEAF × 3 velocities a task, in the tree's order
    double *result;  ///< or: velocity, and gradient, of each point, in the tree's order
    double scale[2]; ///< of results: m/s, 1/s
    int32_t *lists;  ///< per worker: TREE_DEPTH + 3 lists of as many source nodes as there are
};

/* One worker's: source cells waiting to act on one target cell. */
struct batch {
    const float *moment[EXPANSION_BATCH];
    float d[3][EXPANSION_BATCH], soft2[EXPANSION_BATCH];
    int32_t count;
};

typedef float series[3 * EXPANSION_TERMS];

static void batch_flush(const struct traversal *w, struct batch *b, float *local)
{
    if (!b->count) return;
    for (int32_t i = b->count; i < EXPANSION_BATCH; i++) {
        for (int a = 0; a < 3; a++) b->d[a][i] = b->d[a][0];
        b->soft2[i] = 0;
    }
    w->f->pairs->m2l(w->table, b->count, b->moment, (const float(*)[EXPANSION_BATCH])b->d, b->soft2, local);
    b->count = 0;
}

static void batch_add(const struct traversal *w, struct batch *b, const struct tree_node *t, int32_t source,
                      float *local)
{
    const struct tree_node *s = &w->f->source.node[source];
    int32_t i = b->count++;
    b->moment[i] = w->f->moment + (size_t)source * 3 * (size_t)w->table->terms;
    for (int a = 0; a < 3; a++) b->d[a][i] = (float)(t->centre[a] - s->centre[a]);
    b->soft2[i] = w->f->kernel == PAIR_MOORE ? w->f->cores.spread[source] : 0;
    if (b->soft2[i] > 0 && w->cores->per2)
        b->soft2[i] = 0.5f * (b->soft2[i] + w->cores->node.spread[t - w->target->node]);
    if (b->count == EXPANSION_BATCH) batch_flush(w, b, local);
}

static double distance(const struct tree_node *t, const struct tree_node *s)
{
    double x = t->centre[0] - s->centre[0], y = t->centre[1] - s->centre[1], z = t->centre[2] - s->centre[2];
    return sqrt(x * x + y * y + z * z);
}

/// Largest σ between vortons of a node and points of another.
static double reach_between(const struct traversal *w, const struct tree_node *t, int32_t source)
{
    const double own = (double)w->f->cores.reach[source];
    return w->cores->per2 ? fmax(own, (double)w->cores->node.reach[t - w->target->node]) : own;
}

/// Between the boxes.
static double gap(const struct tree_node *t, const struct tree_node *s)
{
    double sum = 0;
    for (int a = 0; a < 3; a++) {
        double d = fmax(fabs(t->centre[a] - s->centre[a]) - t->half[a] - s->half[a], 0);
        sum += d * d;
    }
    return sqrt(sum);
}

/// Nearer than this (in tree units) expansions would leave single precision's range.
#define NEAREST 1e-3
/// Pairs below which they are cheaper than a translation.
#define FEW_PAIRS 512

static int is_well_separated(const struct traversal *w, const struct tree_node *t, int32_t source)
{
    const struct tree_node *s = &w->f->source.node[source];
    double d = distance(t, s);
    if (!(w->theta > 0) || t->radius + s->radius >= w->theta * d || d < NEAREST) return 0;
    if (tree_is_leaf(t) && s->count * t->count < FEW_PAIRS && tree_is_leaf(s)) return 0;
    return gap(t, s) >= w->core * core_end[w->f->kernel] * reach_between(w, t, source);
}

/// Take far cells of `in` into the local series; the others, split until none is larger than t, go to `out`. A leaf
/// t splits them all the way.
static int32_t sources_classify(const struct traversal *w, int32_t at, const int32_t *in, int32_t n_in, int32_t *out,
                                float *local)
{
    const struct tree_node *t = &w->target->node[at], *source = w->f->source.node;
    struct batch b = {.count = 0};
    int32_t stack[8 * (TREE_DEPTH + 2)], n_out = 0;
    for (int32_t i = 0; i < n_in; i++) {
        int32_t depth = 0;
        stack[depth++] = in[i];
        while (depth) {
            int32_t s = stack[--depth];
            const struct tree_node *n = &source[s];
            if (w->reach > 0 && gap(t, n) > w->reach) continue;
            if (is_well_separated(w, t, s)) batch_add(w, &b, t, s, local);
            else if (tree_is_leaf(n) || (!tree_is_leaf(t) && n->radius <= t->radius)) out[n_out++] = s;
            else
                for (int32_t c = n->children; c > 0; c--) stack[depth++] = n->child + c - 1;
        }
    }
    batch_flush(w, &b, local);
    return n_out;
}

/// Near source leaves act on up to TREE_LEAF points of a leaf.
static void pairs_run(const struct traversal *w, const struct tree_node *t, const int32_t *near, int32_t n_near,
                      const struct pair_points *p)
{
    struct multipole *f = w->f;
    const pair_fn act = w->gradient ? f->pairs->gradient : f->pairs->velocity;
    const double end = w->theta > 0 ? w->core * core_end[f->kernel] : point_end[f->kernel];
    struct pair_points smoothed = *p;
    smoothed.per2 = NULL;
    for (int32_t i = 0; i < n_near; i++) {
        const struct tree_node *s = &f->source.node[near[i]];
        int point = end > 0 && gap(t, s) > end * reach_between(w, t, near[i]);
        const float shift[3] = {(float)(s->centre[0] - t->centre[0]), (float)(s->centre[1] - t->centre[1]),
                                (float)(s->centre[2] - t->centre[2])};
        act(point ? PAIR_FAR : f->kernel, &f->sorted, s->first, s->count, shift, p);
        if (w->reach > 0) act(PAIR_GAUSSIAN, &w->smooth, s->first, s->count, shift, &smoothed);
    }
}

static int traversal_rows(const struct traversal *w) { return w->gradient ? 12 : 3; }

static void results_store(const struct traversal *w, int64_t first, int32_t count, const struct pair_points *p)
{
    const int rows = traversal_rows(w);
    for (int32_t i = 0; i < count; i++)
        for (int c = 0; c < rows; c++) w->result[rows * (first + i) + c] = w->scale[c > 2] * p->out[c * p->stride + i];
}

static void points_finish(const struct traversal *w, int64_t first, int32_t count, const struct pair_points *p)
{
    for (int32_t i = 0; i < 3 * count && w->sample; i++) w->sample[i] = w->scale[0] * p->out[i % 3 * p->stride + i / 3];
    if (w->sample) return;
    if (w->result) {
        results_store(w, first, count, p);
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        int64_t to = w->target->from[first + i];
        for (int c = 0; c < 3; c++) w->velocity[3 * to + c] += w->scale[0] * p->out[c * p->stride + i];
        for (int c = 0; w->gradient && c < 9; c++)
            w->gradient_out[9 * to + c] += w->scale[1] * p->out[(3 + c) * p->stride + i];
    }
}

static void leaf_run(const struct traversal *w, int32_t at, const int32_t *near, int32_t n_near, const float *local)
{
    const struct tree_node *t = &w->target->node[at];
    float pos[3][TREE_LEAF] __attribute__((aligned(64))), per2[TREE_LEAF] __attribute__((aligned(64)));
    double out[12 * TREE_LEAF];
    int64_t end = w->sample && t->count > TREE_LEAF ? t->first + TREE_LEAF : t->first + t->count;
    for (int64_t first = t->first; first < end; first += TREE_LEAF) {
        int32_t n = (int32_t)(end - first < TREE_LEAF ? end - first : TREE_LEAF);
        int32_t padded = (n + PAIR_GROUP - 1) / PAIR_GROUP * PAIR_GROUP;
        for (int a = 0; a < 3; a++)
            for (int32_t i = 0; i < padded; i++) pos[a][i] = w->target->pos[a][first + (i < n ? i : n - 1)];
        for (int32_t i = 0; i < padded && w->cores->per2; i++) per2[i] = w->cores->per2[first + (i < n ? i : n - 1)];
        struct pair_points p = {{pos[0], pos[1], pos[2]}, w->cores->per2 ? per2 : NULL, out, TREE_LEAF, padded};
        memset(out, 0, sizeof out);
        if (w->theta > 0) w->f->pairs->evaluate(w->table, local, &p, w->gradient);
        pairs_run(w, t, near, n_near, &p);
        points_finish(w, first, n, &p);
    }
}

static void local_l2l(const struct traversal *w, int32_t from, int32_t to, const float *parent, float *child)
{
    const struct tree_node *p = &w->target->node[from], *c = &w->target->node[to];
    const float step[3] = {(float)(c->centre[0] - p->centre[0]), (float)(c->centre[1] - p->centre[1]),
                           (float)(c->centre[2] - p->centre[2])};
    memset(child, 0, 3 * (size_t)w->table->terms * sizeof *child);
    expansion_l2l(w->table, parent, step, child);
}

static void node_run(const struct traversal *w, int32_t at, int32_t *list, int32_t n, const float *local);

/// Child `to` of `from`: its own series and list, from what the parent has.
static int32_t child_enter(const struct traversal *w, int32_t from, int32_t to, int32_t *list, int32_t n,
                           const float *parent, float *local)
{
    if (w->theta > 0) local_l2l(w, from, to, parent, local);
    return sources_classify(w, to, list, n, list + w->f->source.nodes, local);
}

static void node_run(const struct traversal *w, int32_t at, int32_t *list, int32_t n, const float *local)
{
    const struct tree_node *t = &w->target->node[at];
    if (tree_is_leaf(t)) {
        leaf_run(w, at, list, n, local);
        return;
    }
    series child;
    for (int32_t c = t->child; c < t->child + t->children; c++) {
        int32_t m = child_enter(w, at, c, list, n, local, child);
        node_run(w, c, list + w->f->source.nodes, m, child);
    }
}

/// A task walks from the root down to its node, then through all below it.
static void task_run(int64_t i, uint32_t worker, void *user)
{
    struct traversal own = *(const struct traversal *)user, *w = &own;
    if (own.sample) own.sample += i * 3 * TREE_LEAF;
    int32_t path[TREE_DEPTH + 2], depth = 0, nodes = w->f->source.nodes;
    for (int32_t at = w->task[i]; at >= 0; at = w->target->node[at].parent) path[depth++] = at;
    int32_t *list = w->lists + (size_t)worker * (TREE_DEPTH + 3) * (size_t)nodes, n;
    series local[2] = {{0}};
    int now = 0;
    list[0] = 0;
    n = sources_classify(w, 0, list, 1, list + nodes, local[0]);
    list += nodes;
    for (int32_t at = path[--depth]; depth; at = path[--depth], now = !now, list += nodes)
        n = child_enter(w, at, path[depth - 1], list, n, local[now], local[!now]);
    node_run(w, path[0], list, n, local[now]);
}

/* ---- one evaluation ---- */

/// Nodes with few enough points, none below another; returns how many.
static int32_t tasks_list(const struct tree *t, int32_t at, int64_t most, int32_t *task, int32_t n)
{
    const struct tree_node *node = &t->node[at];
    if (tree_is_leaf(node) || node->count <= most) {
        task[n] = at;
        return n + 1;
    }
    for (int32_t c = node->child; c < node->child + node->children; c++) n = tasks_list(t, c, most, task, n);
    return n;
}

/// A tree of points, and their cores.
static enum bw_status points_build(struct bw_stage *s, struct multipole *f, const struct flow_points *at, int flat,
                                   struct tree *t, struct point_cores *c)
{
    enum bw_status st = tree_build(s, t, at->count, at->pos, flat, &f->source, 0);
    c->per2 = NULL;
    if (st || !at->radius) return st;
    float *m = buffer_need(s, &c->memory, ((size_t)at->count + 2 * (size_t)t->nodes) * sizeof *m);
    if (!m) return BW_ERR_MEMORY;
    c->per2 = m;
    c->node = (struct node_cores){m + at->count, m + at->count + t->nodes};
    for (int64_t i = 0; i < at->count; i++) {
        const double per = 1 / (at->radius[t->from[i]] * f->source.scale);
        m[i] = (float)(per * per);
    }
    node_cores_sum(t, c->per2, &c->node);
    return BW_OK;
}

enum bw_status multipole_points(struct bw_stage *s, struct multipole *f, const struct flow_points *at, int fast)
{
    f->target.count = 0;
    return at->count && f->source.count ? points_build(s, f, at, !fast, &f->target, &f->target_cores) : BW_OK;
}

/// A walk over `target` without tasks or results.
static enum bw_status traversal_begin(struct bw_stage *s, struct multipole *f, const struct tree *target,
                                      const struct multipole_plan *plan, struct traversal *w)
{
    double scale = f->source.scale, back = scale * scale / f->strength_scale;
    enum bw_status st = plan->fast ? multipole_moments(s, f, plan->order) : BW_OK;
    *w = (struct traversal){.f = f,
                            .target = target,
                            .cores = target == &f->check ? &f->check_cores : &f->target_cores,
                            .table = &f->table[plan->fast ? plan->order : 0],
                            .theta = plan->fast ? plan->theta : 0,
                            .core = plan->core,
                            .scale = {back, back * scale}};
    w->lists =
        buffer_need(s, &f->memory[4], s->host->workers * (TREE_DEPTH + 3) * (size_t)f->source.nodes * sizeof *w->lists);
    return st ? st : w->lists ? BW_OK : BW_ERR_MEMORY;
}

/// The same on several ranks: each evaluates a part of the points, in the tree's order, and gathers the others'
/// results.
static enum bw_status traversal_gather(struct bw_stage *s, struct multipole *f, struct traversal *w, int32_t tasks)
{
    const struct tree *t = w->target;
    const size_t row = (size_t)traversal_rows(w), count = (size_t)t->count;
    int32_t size, rank = ranks_rank(s, &size), task[BW_RANKS_MOST + 1] = {0};
    size_t bytes[BW_RANKS_MOST];
    for (int32_t r = 0; r < size; r++) {
        int64_t points = 0;
        int32_t i = task[r];
        for (; i < tasks && t->node[w->task[i]].first < t->count * (r + 1) / size; i++)
            points += t->node[w->task[i]].count;
        task[r + 1] = i;
        bytes[r] = (size_t)points * row * sizeof *w->result;
    }
    w->result = buffer_need(s, &f->memory[7], count * row * sizeof *w->result);
    if (!w->result) return BW_ERR_MEMORY;
    w->task += task[rank];
    s->host->parallel_for(s, task[rank + 1] - task[rank], task_run, w);
    ranks_allgatherv(s, w->result, bytes);
    for (size_t i = 0; i < count; i++) {
        const double *from = w->result + row * i;
        for (size_t c = 0; c < 3; c++) w->velocity[3 * t->from[i] + c] += from[c];
        for (size_t c = 3; c < row; c++) w->gradient_out[9 * t->from[i] + c - 3] += from[c];
    }
    return BW_OK;
}

static enum bw_status traversal_all(struct bw_stage *s, struct multipole *f, struct traversal *w)
{
    int32_t *task = buffer_need(s, &f->memory[3], (size_t)w->target->nodes * sizeof *task);
    if (!task) return BW_ERR_MEMORY;
    w->task = task;
    int32_t n = tasks_list(w->target, 0, w->target->count / 256 + TREE_LEAF, task, 0);
    if (ranks_many(s)) return traversal_gather(s, f, w, n);
    s->host->parallel_for(s, n, task_run, w);
    return BW_OK;
}

enum bw_status multipole_evaluate(struct bw_stage *s, struct multipole *f, const struct multipole_plan *plan,
                                  double *velocity, double *gradient)
{
    struct traversal w;
    if (!f->target.count) return BW_OK;
    enum bw_status st = traversal_begin(s, f, &f->target, plan, &w);
    w.velocity = velocity;
    w.gradient_out = gradient;
    w.gradient = gradient != NULL;
    return st ? st : traversal_all(s, f, &w);
}

/// The vortons with the other sign and Gaussian cores of one size.
static enum bw_status smooth_make(struct bw_stage *s, struct multipole *f, double smooth, struct pair_sources *to)
{
    const size_t pad = ((size_t)f->source.count + 32) & ~(size_t)15;
    const double per = 1 / (smooth * f->source.scale);
    float *m = buffer_need(s, &f->memory[6], 5 * pad * sizeof *m);
    if (!m) return BW_ERR_MEMORY;
    *to = (struct pair_sources){.per2 = m + 3 * pad, .per3 = m + 4 * pad};
    for (int a = 0; a < 3; a++) {
        to->pos[a] = f->sorted.pos[a];
        to->strength[a] = m + (size_t)a * pad;
        for (int64_t i = 0; i < f->source.count; i++) to->strength[a][i] = -f->sorted.strength[a][i];
    }
    for (int64_t i = 0; i < f->source.count; i++) {
        to->per2[i] = (float)(per * per);
        to->per3[i] = (float)(per * per * per);
    }
    return BW_OK;
}

enum bw_status multipole_correct(struct bw_stage *s, struct multipole *f, double smooth, double reach, double *velocity,
                                 double *gradient)
{
    struct traversal w;
    if (!f->target.count) return BW_OK;
    enum bw_status st = traversal_begin(s, f, &f->target, &(struct multipole_plan){0}, &w);
    if (!st) st = smooth_make(s, f, smooth, &w.smooth);
    w.reach = reach * f->source.scale;
    w.velocity = velocity;
    w.gradient_out = gradient;
    w.gradient = gradient != NULL;
    return st ? st : traversal_all(s, f, &w);
}

/* ---- how good a plan is ---- */

enum bw_status multipole_check(struct bw_stage *s, struct multipole *f, const struct flow_points *at, double *velocity)
{
    struct traversal w;
    memset(velocity, 0, (size_t)at->count * 3 * sizeof *velocity);
    enum bw_status st = points_build(s, f, at, 1, &f->check, &f->check_cores);
    if (!st) st = traversal_begin(s, f, &f->check, &(struct multipole_plan){0}, &w);
    w.velocity = velocity;
    return st ? st : traversal_all(s, f, &w);
}

enum { LEAVES = 24, PER_LEAF = 16, CHECKED = LEAVES * PER_LEAF };

/// Some leaves, one from each share of all nodes; returns how many.
static int32_t leaves_pick(const struct tree *t, int32_t out[LEAVES])
{
    int32_t n = 0;
    for (int32_t i = 0; i < LEAVES; i++) {
        int32_t at = (int32_t)(((double)i + bw_rng_unit(1, (uint64_t)i)) / LEAVES * t->nodes);
        while (at < t->nodes && !tree_is_leaf(&t->node[at])) at++;
        if (at < t->nodes && (!n || at > out[n - 1])) out[n++] = at;
    }
    return n;
}

static double error_rms(const double *a, const double *b, int64_t n)
{
    double wrong = 0, all = 0;
    for (int64_t i = 0; i < n; i++) {
        wrong += (a[i] - b[i]) * (a[i] - b[i]);
        all += b[i] * b[i];
    }
    return all > 0 ? sqrt(wrong / all) : 0;
}

enum bw_status multipole_error(struct bw_stage *s, struct multipole *f, const struct multipole_plan *plan,
                               const struct flow_points *at, double *error)
{
    struct traversal w;
    int32_t leaf[LEAVES], n = leaves_pick(&f->target, leaf);
    double *all = buffer_need(s, &f->memory[5], (size_t)(3 * LEAVES * TREE_LEAF + 10 * CHECKED) * sizeof *all);
    if (!all) return BW_ERR_MEMORY;
    double *is = all + 3 * LEAVES * TREE_LEAF, *want = is + 3 * CHECKED, *place = want + 3 * CHECKED,
           *radius = place + 3 * CHECKED;
    enum bw_status st = traversal_begin(s, f, &f->target, plan, &w);
    if (st) return st;
    w.task = leaf;
    w.sample = all;
    s->host->parallel_for(s, n, task_run, &w);
    int64_t count = 0;
    for (int32_t i = 0; i < n; i++)
        for (int64_t k = 0; k < f->target.node[leaf[i]].count && k < PER_LEAF; k++, count++) {
            const int64_t from = f->target.from[f->target.node[leaf[i]].first + k];
            memcpy(place + 3 * count, at->pos[from], 24);
            if (at->radius) radius[count] = at->radius[from];
            memcpy(is + 3 * count, all + 3 * (i * TREE_LEAF + k), 24);
        }
    st = multipole_check(s, f, &(struct flow_points){count, (const bw_vec3 *)place, at->radius ? radius : NULL}, want);
    *error = error_rms(is, want, 3 * count);
    return st;
}
