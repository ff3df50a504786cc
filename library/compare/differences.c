// SPDX-License-Identifier: Apache-2.0
/* The list of differences, and statistics over pairs of numbers. */
#include "compare.h"

#include "session/session.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

void difference_add(const struct file_pair *c, const char *what, json_t *numbers, const char *format, ...)
{
    char text[1200];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    json_t *one = json_pack("{s:o, s:s, s:o}", "file", json_bytes(c->name), "what", what, "text", json_bytes(text));
    if (one && numbers) json_object_update(one, numbers);
    json_decref(numbers);
    json_array_append_new(c->differences, one);
}

void deviation_add(struct deviation *s, double a, double b, size_t at)
{
    s->n++;
    if (a == b || (isnan(a) && isnan(b))) return;
    double d = fabs(a - b);
    if (!isfinite(d)) d = HUGE_VAL;
    s->differ++;
    s->sum += d;
    if (d <= s->most) return;
    s->most = d;
    s->a = a;
    s->b = b;
    s->at = at;
}

double deviation_mean(const struct deviation *s) { return s->n ? s->sum / (double)s->n : 0; }

json_t *json_finite(double x) { return isfinite(x) ? json_real(x) : json_null(); }
