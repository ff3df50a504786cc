// SPDX-License-Identifier: Apache-2.0
/* Shared by the physics tests: a preset from a format, a field as a dense array with its sizes, norms. */
#ifndef TEST_PHYSICS_H
#define TEST_PHYSICS_H

#include "support.h"
#include <criterion/criterion.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/* Every preset begins with this: the whole box active, one field kept so. */
#define KEEP_VEL "  - set: {id: keep, field: vel, value: [0, 0, 0], keep: true}\n"

/// One component of a field: value (i,j,k) is v[i + n[0]*(j + n[1]*k)].
struct grid {
    double *v;
    int32_t n[3];
};

__attribute__((format(printf, 2, 0))) static inline struct test_run run_list(const struct test_options *o,
                                                                             const char *format, va_list list)
{
    static char yaml[1 << 16];
    int n = vsnprintf(yaml, sizeof yaml, format, list);
    cr_assert(n > 0 && n < (int)sizeof yaml, "the preset does not fit");
    struct test_run r = test_start(yaml, o);
    cr_assert_eq(r.status, BW_OK, "%s\n%s", r.diag.text ? r.diag.text : "no sentence", yaml);
    return r;
}

/// Run a preset given as a printf format; the test fails unless the run succeeds.
__attribute__((format(printf, 1, 2))) static inline struct test_run run(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    struct test_run r = run_list(NULL, format, list);
    va_end(list);
    return r;
}

/// The same with options.
__attribute__((format(printf, 2, 3))) static inline struct test_run run_with(const struct test_options *o,
                                                                             const char *format, ...)
{
    va_list list;
    va_start(list, format);
    struct test_run r = run_list(o, format, list);
    va_end(list);
    return r;
}

/// A run that is looked at after each of its frames: what runs of one frame more each would show.
struct watched {
    struct test_run run;
    void (*see)(struct watched *w, const struct bw_progress *p);
};

static inline void watched_see(const struct bw_progress *p, void *user)
{
    struct watched *w = user;
    w->see(w, p);
}
static inline void watched_begin(struct bw_run_options *run, void *user)
{
    (void)user;
    run->on_frame = watched_see;
}

/// Run a preset given as a printf format, with `see` set.
__attribute__((format(printf, 2, 3))) static inline void run_watched(struct watched *w, const char *format, ...)
{
    const struct test_options o = {.simd = UINT32_MAX, .only_check = 1, .on_run = watched_begin, .user = w};
    va_list list;
    va_start(list, format);
    w->run = run_list(&o, format, list);
    va_end(list);
    cr_assert_eq(bw_chain_run(w->run.chain, &w->run.diag), BW_OK, "%s", w->run.diag.text);
}

/// A preset given as a printf format must be refused, in words that hold `sentence`.
__attribute__((format(printf, 2, 3))) static inline void run_refused(const char *sentence, const char *format, ...)
{
    char yaml[4096];
    va_list list;
    va_start(list, format);
    int n = vsnprintf(yaml, sizeof yaml, format, list);
    va_end(list);
    cr_assert(n > 0 && n < (int)sizeof yaml, "the preset does not fit");
    struct test_run r = test_start(yaml, NULL);
    cr_assert_neq(r.status, BW_OK, "taken, though %s:\n%s", sentence, yaml);
    cr_assert_not_null(r.diag.text);
    cr_assert(strstr(r.diag.text, sentence), "%s\n%s", r.diag.text, yaml);
    test_end(&r);
}

/// Component c of a field; free v with bw_free.
static inline struct grid grid_of(const struct test_run *r, const char *field, uint32_t c)
{
    struct grid g;
    g.v = test_field(r, field, c, g.n);
    cr_assert_not_null(g.v, "no field \"%s\"", field);
    return g;
}

static inline double at(const struct grid *g, int32_t i, int32_t j, int32_t k)
{
    return g->v[i + (size_t)g->n[0] * ((size_t)j + (size_t)g->n[1] * (size_t)k)];
}

static inline double metric(const struct test_run *r, const char *name)
{
    double v = bw_chain_metric(r->chain, name);
    cr_assert(isfinite(v), "no metric \"%s\"", name);
    return v;
}

static inline size_t grid_count(const struct grid *g) { return (size_t)g->n[0] * (size_t)g->n[1] * (size_t)g->n[2]; }

static inline double grid_max(const struct grid *g)
{
    double m = 0;
    for (size_t i = 0; i < grid_count(g); i++) m = fmax(m, fabs(g->v[i]));
    return m;
}

static inline double grid_sum(const struct grid *g)
{
    double s = 0;
    for (size_t i = 0; i < grid_count(g); i++) s += g->v[i];
    return s;
}

/// Observed order between errors on two grids, the second with cells half as large.
static inline double order(double coarse, double fine) { return log2(coarse / fine); }

#endif
