// SPDX-License-Identifier: Apache-2.0
/* Between units, curves and parameter sets: what a value looks like once compiled. */
#ifndef BW_PARAMS_PRIVATE_H
#define BW_PARAMS_PRIVATE_H

#include "preset/tree/node_private.h"
#include "expression.h"
#include "params.h"

enum { BW_SLOTS = 4 };

/// A unit as powers of the base units, and how many of those one of it is.
struct bw_unit {
    double scale;
    int32_t power[5]; ///< metre, kilogram, second, kelvin, radian
};

/* units.c */
/// "m/s^2" → unit. BW_ERR_PRESET when a word in it is no unit.
enum bw_status bw_unit_parse(const char *text, struct bw_unit *u);
/// Split "1.25 cm" into number and unit text ("" when there is none). BW_ERR_PRESET when it does not begin with a
/// number.
enum bw_status bw_quantity_split(const char *text, double *number, const char **unit);

enum bw_ease { BW_EASE_LINEAR, BW_EASE_SMOOTH, BW_EASE_HOLD };

/// One number in time: keyframes when n_keys > 0, else an expression, else a constant.
struct bw_channel {
    double value;
    struct bw_expression *expression; ///< of t and frame
    double *frame, *at;               ///< keyframes: frame numbers, ascending, and values
    int32_t n_keys, ease;
};

/// A number, vector or colour in time.
struct bw_curve {
    struct bw_channel channel[3];
    int32_t comps;    ///< 1 or 3
    int32_t animated; ///< changes with time
    int32_t rate;     ///< was given per second
};

/// What a curve has to be.
struct bw_curve_want {
    const char *key;
    const char *unit; ///< SI unit or NULL
    int32_t any_unit; ///< any unit will do, but the same everywhere (amounts)
    int32_t comps;    ///< 1, 3, or 0: either
    int32_t colour;   ///< "#rrggbb" will do as well
    const struct bw_params_context *context;
    struct bw_diag *diag;
};

/* curve.c */
/// Compile `n`; errors go to want->diag. The curve must be zeroed before and freed after, also on failure.
enum bw_status bw_curve_compile(struct bw_curve *curve, const struct bw_node *n, const struct bw_curve_want *want);
void bw_curve_free(struct bw_curve *curve);
/// Value of channel c at time t (s), frame number `frame`.
double bw_curve_eval(struct bw_curve *curve, int32_t c, uint32_t slot, double t, double frame);

struct bw_values;

/// One row with its value. Texts belong to the node.
struct bw_value {
    struct bw_param row;
    struct bw_node *node;    ///< as given, or the default; NULL: absent. Owned.
    struct bw_curve curve;   ///< INT, F64, VEC3, COLOUR, and each of AMOUNTS' entries
    int64_t number;          ///< BOOL, CHOICE, VARIANT (-1: absent); INT that does not change with time
    struct bw_frames frames; ///< FRAMES
    char *text;              ///< STRING, FIELD, PATH (absolute). Owned.
    struct bw_values *set;   ///< GROUP, VARIANT, AMOUNTS: one; LIST: one for each item
    int32_t n_sets;
    void *storage[BW_SLOTS]; ///< LIST, AMOUNTS: items as the stage sees them
};

/// A table's rows with their values; of a variant only the row that was chosen.
struct bw_values {
    struct bw_value *value;
    int32_t count;
};

struct bw_params {
    struct bw_values values;
    uint32_t struct_size;
    struct bw_params_context context; ///< only owner, fps, first and seed live on
    char *owner;
    const char **files; ///< texts of PATH values
    uint32_t n_files;
    int32_t animated;
};

/// What surrounds a value while it is compiled.
struct bw_compile {
    struct bw_params *params;
    const struct bw_params_context *context;
    struct bw_diag *diag;
    int32_t depth;    ///< of nested tables, so that a table that contains itself is found
    int32_t defaults; ///< > 0: reading a plugin's own default text: mistakes are the plugin's
};

/* params.c: tables, and the words about mistakes in them */
/// Compile table `rows` against `map` (NULL: all defaults); `size` bytes is what the rows may fill.
enum bw_status bw_values_compile(struct bw_compile *k, struct bw_values *values, const struct bw_param *rows,
                                 uint32_t n, uint32_t size, const struct bw_node *map);
/// A mistake in the preset, or in a default: then the plugin's.
enum bw_status bw_compile_error(struct bw_compile *k, const struct bw_place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
enum bw_status bw_compile_memory(struct bw_compile *k);
/// The present name of a renamed key `word` (row->was), or with `choice` of a renamed choice; in `buffer`, or NULL.
const char *bw_row_renamed(const struct bw_param *row, const char *word, int choice, char buffer[64]);

/* params_value.c: one row's value */
/// Fill v->row and compile `n` (NULL: the default) for it.
enum bw_status bw_value_compile(struct bw_compile *k, struct bw_value *v, uint32_t size, const struct bw_node *n,
                                const struct bw_node *parent);
/// NULL, or what is wrong with x for the row ("at least 0 is wanted"), in `buffer`.
const char *bw_row_range(const struct bw_param *row, double x, char *buffer, size_t size);

#endif
