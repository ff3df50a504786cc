// SPDX-License-Identifier: Apache-2.0
/* Differences between two caches. Files of equal bytes are not opened. VDB grids and pictures are compared by values,
 * other files by bytes. */
#ifndef COMPARE_H
#define COMPARE_H

#include <billow/status.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/// Two files of one name.
struct file_pair {
    const char *name, *a, *b; ///< the name for messages; both paths
    json_t *differences;      ///< [{"file", "what", "text", and numbers}]
};

/* By format: each adds the differences, or that a file can't be read. */

void compare_vdb(const struct file_pair *c);
/* compare_pictures.c */
void compare_png(const struct file_pair *c);
void compare_exr(const struct file_pair *c);

/* ---- differences.c ---- */

/// Add a difference; takes `numbers`, an object of further members, or NULL.
void difference_add(const struct file_pair *c, const char *what, json_t *numbers, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/// Statistics of |a - b| over many pairs of numbers.
struct deviation {
    double most, sum, a, b; ///< maximum; a and b there
    size_t n, differ, at;   ///< pairs; that differ; index of the maximum
};
/// Two NaN are equal.
void deviation_add(struct deviation *s, double a, double b, size_t at);
double deviation_mean(const struct deviation *s);
/// A JSON number, or null for NaN and infinities.
json_t *json_finite(double x);

#endif
