// SPDX-License-Identifier: Apache-2.0
/* Particles that were drawn out by a flow lie in sheets and along lines. The covariance of a particle's nearest
 * neighbours is flat in a sheet and long in a line (G. Yu, G. Turk: Reconstructing surfaces of particle-based fluids
 * using anisotropic kernels, 2013): a Gaussian of that covariance fills the gaps along the sheet and leaves it as thin
 * as it is. Neighbours are of one kind, so that a film keeps its own spacing where it is wound about a dense core. They
 * are found in k-d trees, one a kind: a node is the middle particle of its range, along the range's longest side. */
#include "spread.h"

#include <math.h>
#include <string.h>

enum { LEAF = 8, KINDS = 64, BATCH = 256 }; ///< more kinds than that: all are one

struct kd_tree {
    const struct bw_spark *spark;
    int32_t *at;   ///< particles, each kind's by themselves, in the order of its k-d tree
    uint8_t *axis; ///< of the node in the middle of a range
    int64_t n;
    int64_t first[KINDS + 1]; ///< of each kind in `at`
    int kinds, neighbours;
    struct bw_spread *out;
};

static double place(const struct kd_tree *t, int64_t i, int axis) { return t->spark[t->at[i]].at[axis]; }

static int kind_find(const uint32_t *kind, int n, uint32_t k)
{
    for (int i = 0; i < n; i++)
        if (kind[i] == k) return i;
    return n;
}

/// Each kind's particles side by side, in their own order.
static void kinds_sort(struct kd_tree *t)
{
    uint32_t kind[KINDS];
    int64_t fill[KINDS];
    for (int64_t i = 0; i < t->n && t->kinds <= KINDS; i++) {
        const int k = kind_find(kind, t->kinds, t->spark[i].kind);
        if (k < t->kinds) t->first[k + 1]++;
        else if (t->kinds++ < KINDS) kind[k] = t->spark[i].kind, t->first[k + 1] = 1;
    }
    if (t->kinds > KINDS) {
        t->kinds = 1, t->first[1] = t->n;
        for (int64_t i = 0; i < t->n; i++) t->at[i] = (int32_t)i;
        return;
    }
    for (int k = 0; k < t->kinds; k++) fill[k] = t->first[k], t->first[k + 1] += t->first[k];
    for (int64_t i = 0; i < t->n; i++) t->at[fill[kind_find(kind, t->kinds, t->spark[i].kind)]++] = (int32_t)i;
}

static int longest(const struct kd_tree *t, int64_t lo, int64_t hi)
{
    double least[3], most[3];
    int best = 0;
    for (int a = 0; a < 3; a++) least[a] = HUGE_VAL, most[a] = -HUGE_VAL;
    for (int64_t i = lo; i < hi; i++)
        for (int a = 0; a < 3; a++) least[a] = fmin(least[a], place(t, i, a)), most[a] = fmax(most[a], place(t, i, a));
    for (int a = 1; a < 3; a++)
        if (most[a] - least[a] > most[best] - least[best]) best = a;
    return best;
}

static void swap(struct kd_tree *t, int64_t i, int64_t j)
{
    const int32_t one = t->at[i];
    t->at[i] = t->at[j], t->at[j] = one;
}

/// Quickselect: what is before `mid` in [lo, hi) is not above it, what is behind not below.
static void middle_select(struct kd_tree *t, int64_t lo, int64_t hi, int64_t mid, int axis)
{
    for (hi--; lo < hi;) {
        const double pivot = place(t, lo + (hi - lo) / 2, axis);
        int64_t i = lo, j = hi;
        while (i <= j) {
            while (place(t, i, axis) < pivot) i++;
            while (place(t, j, axis) > pivot) j--;
            if (i <= j) swap(t, i++, j--);
        }
        if (mid <= j) hi = j;
        else if (mid >= i) lo = i;
        else return;
    }
}

static void range_build(struct kd_tree *t, int64_t lo, int64_t hi)
{
    while (hi - lo > LEAF) {
        const int64_t mid = lo + (hi - lo) / 2;
        t->axis[mid] = (uint8_t)longest(t, lo, hi);
        middle_select(t, lo, hi, mid, t->axis[mid]);
        range_build(t, lo, mid);
        lo = mid + 1;
    }
}

/// The nearest so far, the farthest of them first: a heap.
struct nearest {
    double p[3], far2[BW_SPREAD_MOST];
    int64_t at[BW_SPREAD_MOST];
    int n, most;
};

static void nearest_sink(struct nearest *q, double far2, int64_t at)
{
    int i = 0;
    for (int child; (child = 2 * i + 1) < q->n; i = child) {
        if (child + 1 < q->n && q->far2[child + 1] > q->far2[child]) child++;
        if (!(q->far2[child] > far2)) break;
        q->far2[i] = q->far2[child], q->at[i] = q->at[child];
    }
    q->far2[i] = far2, q->at[i] = at;
}

static void nearest_offer(struct nearest *q, const struct kd_tree *t, int64_t at)
{
    double far2 = 0;
    for (int a = 0; a < 3; a++) far2 += (place(t, at, a) - q->p[a]) * (place(t, at, a) - q->p[a]);
    if (q->n == q->most) {
        if (far2 < q->far2[0]) nearest_sink(q, far2, at);
        return;
    }
    int i = q->n++;
    for (; i > 0 && q->far2[(i - 1) / 2] < far2; i = (i - 1) / 2)
        q->far2[i] = q->far2[(i - 1) / 2], q->at[i] = q->at[(i - 1) / 2];
    q->far2[i] = far2, q->at[i] = at;
}

static void range_search(const struct kd_tree *t, int64_t lo, int64_t hi, struct nearest *q)
{
    while (hi - lo > LEAF) {
        const int64_t mid = lo + (hi - lo) / 2;
        const int axis = t->axis[mid];
        const double off = q->p[axis] - place(t, mid, axis);
        nearest_offer(q, t, mid);
        range_search(t, off < 0 ? lo : mid + 1, off < 0 ? mid : hi, q);
        if (q->n == q->most && off * off >= q->far2[0]) return;
        if (off < 0) lo = mid + 1;
        else hi = mid;
    }
    for (int64_t i = lo; i < hi; i++) nearest_offer(q, t, i);
}

static struct bw_spread covariance(const struct kd_tree *t, const struct nearest *q)
{
    double sum[3] = {0}, square[6] = {0};
    for (int i = 0; i < q->n; i++) {
        double d[3];
        for (int a = 0; a < 3; a++) d[a] = place(t, q->at[i], a) - q->p[a], sum[a] += d[a] / q->n;
        for (int a = 0; a < 3; a++)
            square[a] += d[a] * d[a] / q->n, square[3 + a] += d[(a + 1) % 3] * d[(a + 2) % 3] / q->n;
    }
    for (int a = 0; a < 3; a++) square[a] -= sum[a] * sum[a], square[3 + a] -= sum[(a + 1) % 3] * sum[(a + 2) % 3];
    return (struct bw_spread){(float)square[0], (float)square[1], (float)square[2],
                              (float)square[3], (float)square[4], (float)square[5]};
}

static void batch_spread(int64_t batch, void *user)
{
    const struct kd_tree *t = user;
    int kind = 0;
    for (int64_t i = batch * BATCH; i < t->n && i < (batch + 1) * BATCH; i++) {
        struct nearest q = {.most = t->neighbours};
        while (i >= t->first[kind + 1]) kind++;
        for (int a = 0; a < 3; a++) q.p[a] = place(t, i, a);
        range_search(t, t->first[kind], t->first[kind + 1], &q);
        t->out[t->at[i]] = covariance(t, &q);
    }
}

enum bw_status bw_spread_make(const struct bw_tools *tools, const struct bw_spark *spark, int64_t n, int neighbours,
                              struct bw_spread *out)
{
    struct kd_tree t = {.spark = spark, .n = n, .neighbours = neighbours, .out = out};
    if (n < 1 || n > INT32_MAX) return n < 1 ? BW_OK : BW_ERR_MEMORY;
    t.at = tools->alloc(tools->ctx, (size_t)n * sizeof *t.at);
    t.axis = tools->alloc(tools->ctx, (size_t)n);
    const enum bw_status status = t.at && t.axis ? BW_OK : BW_ERR_MEMORY;
    if (!status) {
        kinds_sort(&t);
        for (int k = 0; k < t.kinds; k++) range_build(&t, t.first[k], t.first[k + 1]);
        tools->parallel(tools->ctx, (n + BATCH - 1) / BATCH, batch_spread, &t);
    }
    if (t.at) tools->release(tools->ctx, t.at);
    if (t.axis) tools->release(tools->ctx, t.axis);
    return status;
}
