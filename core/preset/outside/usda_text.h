// SPDX-License-Identifier: Apache-2.0
/* The text of a .usda file as prims with the numbers of their attributes. */
#ifndef PRESET_USDA_TEXT_H
#define PRESET_USDA_TEXT_H

#include "base/diag.h"

enum { USDA_NUMBERS = 16, USDA_OPS = 16, USDA_WORD = 128 };

/// An attribute of numbers: samples by time code, else one value, at code NAN.
struct usda_attribute {
    char name[USDA_WORD];
    struct usda_sample {
        double code, value[USDA_NUMBERS];
    } * sample;
    int32_t n, comps;
    struct usda_attribute *next;
};

struct usda_prim {
    const struct usda_prim *parent; ///< NULL: a root
    char type[USDA_WORD], name[USDA_WORD];
    struct usda_attribute *attribute;
    double *point;                ///< of curves: three numbers each
    int32_t n_points;             ///< numbers
    char op[USDA_OPS][USDA_WORD]; ///< xformOpOrder
    int32_t n_ops;
    double metres; ///< a unit's, of the layer
    int y_up;
};

/// Each prim, when all of it is read; its parents' attributes are there. 0: stop.
typedef int usda_prim_fn(const struct usda_prim *prim, void *user);
/// Walk through a text. Errors: BW_ERR_PRESET with the line, BW_ERR_MEMORY.
enum bw_status usda_walk(const char *text, const char *path, usda_prim_fn *tell, void *user, struct bw_diag *d);
/// An attribute of numbers, or NULL.
const struct usda_attribute *usda_attribute_of(const struct usda_prim *prim, const char *name);
/// Its value at a time code, linear between samples, in `value`; 0: `a` is NULL.
int usda_value(const struct usda_attribute *a, double code, double value[USDA_NUMBERS]);

#endif
