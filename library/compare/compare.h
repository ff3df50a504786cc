// SPDX-License-Identifier: Apache-2.0
/* In what two caches differ. Files that are the same bytes are not looked into; of grids and pictures it is told
 * what differs in them, of others from which byte on. */
#ifndef COMPARE_H
#define COMPARE_H

#include <billow/status.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/// Two files of one name.
struct compared {
    const char *name, *a, *b; ///< the name as it is told; both paths
    json_t *differences;      ///< [{"file", "what", "text", and numbers}]
};

/* Readers: each adds what differs, or that one of the two can't be read. */

void compare_vdb(const struct compared *c);
/* compare_pictures.c */
void compare_png(const struct compared *c);
void compare_exr(const struct compared *c);

/* ---- tell.c ---- */

/// Add a difference; takes `numbers`, an object of its members besides, or NULL.
void compare_add(const struct compared *c, const char *what, json_t *numbers, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/// The differences of many pairs of numbers.
struct spread {
    double most, sum, a, b; ///< largest; the two numbers there
    size_t n, differ, at;   ///< pairs; that differ; the first of the largest
};
/// Two that are no number are the same.
void spread_add(struct spread *s, double a, double b, size_t at);
double spread_mean(const struct spread *s);
/// null where JSON knows no such number.
json_t *compare_number(double x);

#endif
