// SPDX-License-Identifier: Apache-2.0
/* The plugin header alone from C++: every row macro is positional and its member's type is checked. WRONG is another
 * type for a member: that must not compile. */
#include <billow/plugin.h>

struct inner {
    double x;
};
struct variant {
    int32_t which;
    inner one;
};
struct options {
    int32_t on;
    int64_t count;
#ifdef WRONG
    WRONG length;
#else
    double length;
#endif
    bw_vec3 where, tint;
    const char *words, *file, *field;
    int32_t mode;
    struct inner inner;
    struct variant variant;
    bw_list list, amounts;
};

static const bw_param inner_rows[] = {BW_F64(inner, x, "x", "1", 0, 1, "m", "x")};
static const bw_param variant_rows[] = {BW_GROUP(variant, one, inner, "one", inner_rows, "x")};
static const bw_param params[] = {
    BW_BOOL(options, on, "on", "true", "x"),
    BW_INT(options, count, "count", "1", 0, 9, "x"),
    BW_F64(options, length, "length", "1 m", 0, 9, "m", "x"),
    BW_VEC3(options, where, "where", "[0, 0, 0]", "m", "x"),
    BW_COLOUR(options, tint, "tint", "[1, 1, 1]", "x"),
    BW_STRING(options, words, "words", "", "x"),
    BW_PATH(options, file, "file", "x"),
    BW_CHOICE(options, mode, "mode", "soft", "soft|hard", "x"),
    BW_FIELD(options, field, "field", "density", "x"),
    BW_GROUP(options, inner, struct inner, "inner", inner_rows, "x"),
    BW_VARIANT(options, variant, struct variant, "variant", "one", variant_rows, "x"),
    BW_LIST(options, list, struct inner, "list", inner_rows, "x"),
    BW_AMOUNTS(options, amounts, "x"),
};

static bw_status step(bw_stage *s) { return bw_port_field(s, 0) ? BW_OK : BW_ERR; }

static bw_port port()
{
    bw_port p = {};
    p.name = "density";
    p.kind = BW_SCALAR;
    p.access = BW_UPDATE;
    p.doc = "x";
    return p;
}
static const bw_port ports[] = {port()};

static bw_stage_desc stage()
{
    bw_stage_desc s = {};
    s.id = "cxx";
    s.version = "1";
    s.brief = "x";
    s.params = params;
    s.n_params = BW_COUNT(params);
    s.params_size = sizeof(options);
    s.ports = ports;
    s.n_ports = 1;
    s.step = step;
    return s;
}
static const bw_stage_desc only = stage();
static const bw_stage_desc *const stages[] = {&only};
BW_EXPORT const bw_module billow_module;
BW_EXPORT const bw_module billow_module = BW_MODULE(stages);
