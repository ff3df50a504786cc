// SPDX-License-Identifier: Apache-2.0
/* From a table of rows and a preset's node to a filled parameter struct: units, ranges, choices, keyframes and
 * expressions. Compiled once, evaluated at any time. */
#ifndef BW_PARAMS_H
#define BW_PARAMS_H

#include "preset/tree/node.h"
#include <billow/param.h>

/// Besides enum bw_param_flags, for rows of the preset's own: parts of frames are accepted, as by bw_parse_span().
enum { BW_PARAM_PARTS = 1 << 16 };

struct bw_params; ///< a compiled set of values for one stage or exporter

/// What surrounds a parameter set.
struct bw_params_context {
    const char *owner; ///< "mac.project", for messages
    double fps;
    int64_t first;             ///< frame number at t = 0: keyframes are given in frames
    uint64_t seed;             ///< value of `seed` in expressions
    double ambient;            ///< K: that of `ambient`
    const char *const *fields; ///< names that an AMOUNTS row accepts besides the standard ones; NULL: any name
    uint32_t n_fields;
    const char *const *ignore; ///< keys that another reader takes
    uint32_t n_ignore;
    const struct bw_param *common; ///< rows whose keys the preset reader takes itself (id, enabled, frames, bind, …)
    uint32_t n_common;
    int32_t partial;  ///< 1: unknown keys are another reader's
    int32_t sections; ///< 1: tables inside speak for themselves: "domain: …", not "preset: …"
};

/// Compile `node` (a map, or NULL for all defaults) against `rows`. Every mistake becomes a sentence with
/// file:line:column in `d`: unknown key (with "did you mean"), wrong type or unit, out of range, missing, unknown
/// choice, broken expression, keyframes out of order. NULL after an error.
struct bw_params *bw_params_compile(const struct bw_param *rows, uint32_t n_rows, uint32_t struct_size,
                                    const struct bw_node *node, const struct bw_params_context *c, struct bw_diag *d);
/// `path` as it stands in `file` (NULL, or no path of a folder: from the current one), new memory or NULL.
char *bw_path_absolute(const char *path, const char *file);
void bw_params_free(struct bw_params *p);
/// Fill `dst` (struct_size bytes) for time t seconds (frame = first + t·fps). Pointers in it belong to `p` or, for
/// lists whose values change with time, to `dst`'s own storage inside `p` slot `slot` (0 … 3, so that several
/// evaluations coexist). Values out of range at that time: BW_ERR_PRESET with a sentence in `d`.
enum bw_status bw_params_eval(struct bw_params *p, double t, uint32_t slot, void *dst, struct bw_diag *d);
/// Bytes that a row's value takes in its struct.
uint32_t bw_row_bytes(const struct bw_param *row);
/// 1 when any value changes with time.
int bw_params_animated(const struct bw_params *p);
/* params_live.c */
/// May the values of a set that runs be exchanged for those of another one of the same rows? 0: `key` tells the first
/// that may not ("shape.sphere").
int bw_params_may_exchange(struct bw_params *now, struct bw_params *next, char *key, size_t size);
/// Exchange what may change, if bw_params_may_exchange. Pointers that `now` has filled in stay valid.
void bw_params_exchange(struct bw_params *now, struct bw_params *next);

/* params_eval.c */
/// A map node with every value, defaults included, as a preset would write it (for resolved.yaml).
struct bw_node *bw_params_resolved(const struct bw_params *p);
/// The paths of external files that values name, for hashing; *n of them, owned by `p`.
const char *const *bw_params_files(const struct bw_params *p, uint32_t *n);

/* units.c */
/// A number with an optional unit → SI. `unit`: the row's SI unit or NULL. *given: the unit as typed or NULL when none.
/// Errors: BW_ERR_PRESET, and *why gets a static or `buffer` sentence ("\"3 kg\" is a mass; metres are wanted").
enum bw_status bw_parse_quantity(const char *text, const char *unit, double *value, int *has_unit, char *why,
                                 size_t why_size);
/// "A-B" or "A" → frame range. BW_ERR_PRESET when it is none.
enum bw_status bw_parse_frames(const char *text, int64_t *first, int64_t *last);
/// The same with parts of frames: frame f is the time from f - 1 to f, so "3.5-5" lasts from 2.5 to 5.
enum bw_status bw_parse_span(const char *text, double *first, double *last);
/// "12 GiB", "900MB", "1e9" → bytes.
enum bw_status bw_parse_bytes(const char *text, double *bytes);

#endif
