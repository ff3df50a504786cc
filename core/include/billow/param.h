// SPDX-License-Identifier: Apache-2.0
/* Parameters: one table row is the single source for parsing, range checks, `billow info`, the JSON Schema,
 * completion and docs. A stage declares a plain struct and a table of rows that point into it; the host
 * fills the struct before `init` and again before each step, so a kernel reads plain numbers.
 *
 * Every number, vector and colour may be given in a preset as a constant, as keyframes, or as an expression
 * of time; the host evaluates those at the end of the step that is being made (rows flagged BW_PARAM_STATIC:
 * only once). Values may carry units; the struct always holds SI (angles: radians). */
#ifndef BILLOW_PARAM_H
#define BILLOW_PARAM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef double bw_vec3[3]; ///< x, y, z; or linear r, g, b

/// A list parameter: `count` items of the row's `sub_size` bytes each. The host owns the memory.
struct bw_list {
    const void *items;
    int64_t count;
};

/// A range of frames, both ends included.
struct bw_frames {
    int64_t first, last;
};

/// One `FIELD: AMOUNT` pair of an amounts parameter. The host owns the name.
struct bw_amount {
    const char *field; ///< the field's name as the preset writes it
    bw_vec3 value;     ///< SI; a single number fills all three
    int32_t comps;     ///< numbers given: 1 or 3
    int32_t rate;      ///< 1: given per second (unit `1/s`), 0: a target or a plain amount
};

/// The kinds of parameter, with the C type of the struct member each one fills.
enum bw_param_type {
    BW_PARAM_BOOL,    ///< int32_t, 0 or 1
    BW_PARAM_INT,     ///< int64_t
    BW_PARAM_F64,     ///< double
    BW_PARAM_VEC3,    ///< bw_vec3
    BW_PARAM_COLOUR,  ///< bw_vec3, linear RGB; presets may write [r,g,b] or "#rrggbb" (sRGB)
    BW_PARAM_STRING,  ///< const char *, NULL when absent
    BW_PARAM_PATH,    ///< const char *, made absolute from the preset's folder; NULL when absent
    BW_PARAM_CHOICE,  ///< int32_t, index into the `|`-separated `choices`
    BW_PARAM_FIELD,   ///< const char *, a field's name
    BW_PARAM_LIST,    ///< struct bw_list; `sub` has one keyless row (plain items) or named rows (tables)
    BW_PARAM_GROUP,   ///< a nested struct; `sub` describes it, offsets from the nested struct's start
    BW_PARAM_VARIANT, ///< a nested struct whose first member is int32_t: which of `sub`'s groups was given
    BW_PARAM_AMOUNTS, ///< struct bw_list of struct bw_amount: takes every key that no other row takes
    BW_PARAM_FRAMES,  ///< struct bw_frames: "1-100", or "7" for one
    /// {NAME: {…}, …}: struct bw_list; `sub` as in a list, an item's first member is its const char * name.
    BW_PARAM_MAP,
};

enum bw_param_flags {
    BW_PARAM_STATIC = 1,      ///< may not change with time, nor while a simulation runs: evaluated once, before init
    BW_PARAM_REQUIRED = 2,    ///< a preset must give it
    BW_PARAM_MIN_OPEN = 4,    ///< the value must be greater than `min`, not equal to it
    BW_PARAM_EXPRESSION = 8,  ///< a string that holds an expression of x, y, z, t (shown so in `info`)
    BW_PARAM_SPREAD = 16,     ///< a vector that may be given as one number, which then fills all three
    BW_PARAM_SHORT = 32,      ///< a group or variant that may be given as just the value of its first row
    BW_PARAM_AUTO = 128,      ///< of a double: a word in place of the number leaves NaN, not zero
    BW_PARAM_LOOK = 64,       ///< of how pictures look: `info` lists it apart, under "look", a group under its own key
    BW_PARAM_PARTICLES = 256, ///< of a field's name: particles are meant
};

/// One row of a parameter table. Trailing members may be left zero.
struct bw_param {
    const char *key;           ///< the preset's key, lower case; NULL in a list of plain items
    uint32_t type;             ///< enum bw_param_type
    uint32_t offset;           ///< of the member; use BW_OFFSET so that a wrong type does not compile
    const char *def;           ///< default as a preset would write it ("0.3", "10 cm", "[0, 0, 1]"); NULL: zero/absent
    double min, max;           ///< hard range in SI, both 0: unbounded; of each component of a vector; of a list's or
                               ///< map's number of items
    double soft_min, soft_max; ///< usual range in SI, both 0: none said; `info` and the schema tell it
    const char *unit;          ///< SI unit ("m", "m/s", "1/s", "K", "B", "1"); NULL: a pure number
    const char *choices;       ///< "semi-lagrangian|maccormack" for BW_PARAM_CHOICE; in other rows words that may stand
                               ///< in place of a value and leave the member zero: "auto", "none" (BW_PARAM_AUTO: NaN)
    const char *doc;           ///< one sentence, shown by `billow info`
    uint32_t flags;            ///< enum bw_param_flags
    uint32_t n_sub;            ///< rows in `sub`
    const struct bw_param *sub; ///< rows of a list, group or variant
    uint32_t sub_size;          ///< bytes of one list item
    uint32_t reserved;
    /// Old words, answered with "did you mean": "OLD|…" for the key, "OLD=NEW|…" for choices and kinds.
    const char *was;
};

/// A BW_AUTO number: what the preset gave, or what the stage has found.
static inline double bw_given_or(double given, double found) { return given != given ? found : given; }

/* BW_OFFSET(struct, member, type): offset of a member whose type is checked by the compiler.
 * C11 and C++ refuse any other type; C99 checks the size. */
#if defined(__cplusplus)
} // extern "C"
template <class A, class B> struct bw_same_type;
template <class A> struct bw_same_type<A, A> {
    enum { yes = 0 };
};
#define BW_OFFSET(S, m, T) ((uint32_t)(offsetof(S, m) + bw_same_type<decltype(((S *)0)->m), T>::yes))
extern "C" {
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define BW_OFFSET(S, m, T) ((uint32_t) _Generic(&((S *)0)->m, T * : offsetof(S, m)))
#else
#define BW_OFFSET(S, m, T) ((uint32_t)(offsetof(S, m) + 0 * sizeof(char[sizeof(((S *)0)->m) == sizeof(T) ? 1 : -1])))
#endif

/* Rows, short. Each fills the members that matter for its type; positional, so C++ takes them too. The last argument
 * is the row's sentence, and after it flags may follow: BW_F64(…, "m", "Its radius.", BW_PARAM_MIN_OPEN). */
// clang-format off
#define BW_DOC(...) BW_DOC_(__VA_ARGS__, 0, 0)
#define BW_DOC_(doc, flags, ...) doc, (flags)
#define BW_DOC_STATIC(...) BW_DOC_STATIC_(__VA_ARGS__, 0, 0)
#define BW_DOC_STATIC_(doc, flags, ...) doc, BW_PARAM_STATIC | (flags)
#define BW_BOOL(S, m, key, def, ...) \
    {key, BW_PARAM_BOOL, BW_OFFSET(S, m, int32_t), def, 0, 0, 0, 0, 0, 0, BW_DOC(__VA_ARGS__), 0, 0, 0, 0, 0}
#define BW_INT(S, m, key, def, min, max, ...) \
    {key, BW_PARAM_INT, BW_OFFSET(S, m, int64_t), def, min, max, 0, 0, 0, 0, BW_DOC(__VA_ARGS__), 0, 0, 0, 0, 0}
#define BW_F64(S, m, key, def, min, max, unit, ...) \
    {key, BW_PARAM_F64, BW_OFFSET(S, m, double), def, min, max, 0, 0, unit, 0, BW_DOC(__VA_ARGS__), 0, 0, 0, 0, 0}
/* A number that the stage finds by itself where the preset says nothing, or "auto": then it is NaN. */
#define BW_AUTO(S, m, key, min, max, unit, ...) \
    {key, BW_PARAM_F64, BW_OFFSET(S, m, double), "auto", min, max, 0, 0, unit, "auto", BW_DOC_AUTO(__VA_ARGS__), \
     0, 0, 0, 0, 0}
#define BW_DOC_AUTO(...) BW_DOC_AUTO_(__VA_ARGS__, 0, 0)
#define BW_DOC_AUTO_(doc, flags, ...) doc, BW_PARAM_AUTO | (flags)
#define BW_VEC3(S, m, key, def, unit, ...) \
    {key, BW_PARAM_VEC3, BW_OFFSET(S, m, bw_vec3), def, 0, 0, 0, 0, unit, 0, BW_DOC(__VA_ARGS__), 0, 0, 0, 0, 0}
#define BW_COLOUR(S, m, key, def, ...) \
    {key, BW_PARAM_COLOUR, BW_OFFSET(S, m, bw_vec3), def, 0, 0, 0, 0, 0, 0, BW_DOC(__VA_ARGS__), 0, 0, 0, 0, 0}
#define BW_STRING(S, m, key, def, ...) \
    {key, BW_PARAM_STRING, BW_OFFSET(S, m, const char *), def, 0, 0, 0, 0, 0, 0, \
     BW_DOC_STATIC(__VA_ARGS__), 0, 0, 0, 0, 0}
#define BW_PATH(S, m, key, ...) \
    {key, BW_PARAM_PATH, BW_OFFSET(S, m, const char *), 0, 0, 0, 0, 0, 0, 0, BW_DOC_STATIC(__VA_ARGS__), 0, 0, 0, 0, 0}
#define BW_CHOICE(S, m, key, def, choices, ...) \
    {key, BW_PARAM_CHOICE, BW_OFFSET(S, m, int32_t), def, 0, 0, 0, 0, 0, choices, \
     BW_DOC_STATIC(__VA_ARGS__), 0, 0, 0, 0, 0}
#define BW_FIELD(S, m, key, def, ...) \
    {key, BW_PARAM_FIELD, BW_OFFSET(S, m, const char *), def, 0, 0, 0, 0, 0, 0, \
     BW_DOC_STATIC(__VA_ARGS__), 0, 0, 0, 0, 0}
#define BW_GROUP(S, m, T, key, rows, ...) \
    {key, BW_PARAM_GROUP, BW_OFFSET(S, m, T), 0, 0, 0, 0, 0, 0, 0, \
     BW_DOC(__VA_ARGS__), BW_COUNT(rows), rows, sizeof(T), 0, 0}
#define BW_VARIANT(S, m, T, key, def, rows, ...) \
    {key, BW_PARAM_VARIANT, BW_OFFSET(S, m, T), def, 0, 0, 0, 0, 0, 0, \
     BW_DOC(__VA_ARGS__), BW_COUNT(rows), rows, sizeof(T), 0, 0}
#define BW_LIST(S, m, T, key, rows, ...) \
    {key, BW_PARAM_LIST, BW_OFFSET(S, m, struct bw_list), 0, 0, 0, 0, 0, 0, 0, \
     BW_DOC_STATIC(__VA_ARGS__), BW_COUNT(rows), rows, sizeof(T), 0, 0}
#define BW_AMOUNTS(S, m, doc) \
    {"*", BW_PARAM_AMOUNTS, BW_OFFSET(S, m, struct bw_list), 0, 0, 0, 0, 0, 0, 0, \
     doc, 0, 0, 0, sizeof(struct bw_amount), 0, 0}
// clang-format on

#define BW_COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

#ifdef __cplusplus
}
#endif
#endif
