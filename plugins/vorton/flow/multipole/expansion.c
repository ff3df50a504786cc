// SPDX-License-Identifier: Apache-2.0
#include "expansion.h"
#include <string.h>

static int32_t term_find(const struct expansion_table *t, int x, int y, int z)
{
    for (int32_t k = 0; k < t->terms; k++)
        if (t->power[k][0] == x && t->power[k][1] == y && t->power[k][2] == z) return k;
    return -1;
}

static double choose(int n, int k)
{
    double c = 1;
    for (int i = 1; i <= k; i++) c = c * (n - k + i) / i;
    return c;
}

static void terms_list(struct expansion_table *t)
{
    int32_t k = 0;
    for (int degree = 0; degree <= t->order; degree++)
        for (int x = degree; x >= 0; x--)
            for (int y = degree - x; y >= 0; y--, k++) {
                t->power[k][0] = (int8_t)x;
                t->power[k][1] = (int8_t)y;
                t->power[k][2] = (int8_t)(degree - x - y);
            }
    for (k = 0; k < t->terms; k++)
        for (int a = 0; a < 3; a++) {
            int p[3] = {t->power[k][0], t->power[k][1], t->power[k][2]};
            p[a]--;
            t->lower[k][a] = (int16_t)term_find(t, p[0], p[1], p[2]);
            p[a]--;
            t->lower2[k][a] = (int16_t)term_find(t, p[0], p[1], p[2]);
        }
}

enum bw_status expansion_make(struct bw_stage *s, struct expansion_table *t, int32_t order)
{
    t->order = order;
    t->terms = expansion_terms(order);
    terms_list(t);
    struct expansion_term *product = s->host->alloc(s, (size_t)t->terms * (size_t)t->terms * sizeof *product);
    int32_t *begin = s->host->alloc(s, (size_t)(t->terms + 1) * sizeof *begin);
    if (!product || !begin) return BW_ERR_MEMORY;
    for (int32_t n = 0; n < t->terms; n++) {
        begin[n] = t->products;
        for (int32_t m = 0; m < t->terms; m++) {
            const int8_t *p = t->power[n], *q = t->power[m];
            int32_t by = term_find(t, p[0] + q[0], p[1] + q[1], p[2] + q[2]);
            if (by < 0) continue;
            double times = choose(p[0] + q[0], p[0]) * choose(p[1] + q[1], p[1]) * choose(p[2] + q[2], p[2]);
            product[t->products++] =
                (struct expansion_term){.to = (int16_t)n, .from = (int16_t)m, .by = (int16_t)by, .times = (float)times};
        }
    }
    begin[t->terms] = t->products;
    t->product = product;
    t->begin = begin;
    return BW_OK;
}

static void powers(const struct expansion_table *t, const float x[3], float *power)
{
    power[0] = 1;
    for (int32_t k = 1; k < t->terms; k++) {
        int a = t->lower[k][0] >= 0 ? 0 : t->lower[k][1] >= 0 ? 1 : 2;
        power[k] = power[t->lower[k][a]] * x[a];
    }
}

void expansion_p2m(const struct expansion_table *t, const float from_centre[3], const float alpha[3], float *moment)
{
    float power[EXPANSION_TERMS];
    powers(t, from_centre, power);
    for (int32_t k = 0; k < t->terms; k++)
        for (int c = 0; c < 3; c++) moment[3 * k + c] += power[k] * alpha[c];
}

void expansion_m2m(const struct expansion_table *t, const float *child, const float step[3], float *parent)
{
    float power[EXPANSION_TERMS];
    powers(t, step, power);
    for (int32_t q = 0; q < t->products; q++) {
        const struct expansion_term *p = &t->product[q];
        float w = p->times * power[p->to];
        for (int c = 0; c < 3; c++) parent[3 * p->by + c] += w * child[3 * p->from + c];
    }
}

void expansion_l2l(const struct expansion_table *t, const float *parent, const float step[3], float *child)
{
    float power[EXPANSION_TERMS];
    powers(t, step, power);
    for (int32_t q = 0; q < t->products; q++) {
        const struct expansion_term *p = &t->product[q];
        float w = p->times * power[p->from];
        for (int c = 0; c < 3; c++) child[3 * p->to + c] += w * parent[3 * p->by + c];
    }
}
