// SPDX-License-Identifier: Apache-2.0
/* The plugin header alone, every row macro, as C99, C11 and C17 (meson.build compiles it as each). WRONG is another
 * type for a member than its row says: that must not compile (C99: only when its size differs). */
#include <billow/plugin.h>

struct inner {
    double x;
};
struct variant {
    int32_t which;
    struct inner one;
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
    struct bw_list list, amounts;
};

static const struct bw_param inner_rows[] = {BW_F64(struct inner, x, "x", "1", 0, 1, "m", "x")};
static const struct bw_param variant_rows[] = {BW_GROUP(struct variant, one, struct inner, "one", inner_rows, "x")};
static const struct bw_param params[] = {
    BW_BOOL(struct options, on, "on", "true", "x"),
    BW_INT(struct options, count, "count", "1", 0, 9, "x"),
    BW_F64(struct options, length, "length", "1 m", 0, 9, "m", "x"),
    BW_VEC3(struct options, where, "where", "[0, 0, 0]", "m", "x"),
    BW_COLOUR(struct options, tint, "tint", "[1, 1, 1]", "x"),
    BW_STRING(struct options, words, "words", "", "x"),
    BW_PATH(struct options, file, "file", "x"),
    BW_CHOICE(struct options, mode, "mode", "soft", "soft|hard", "x"),
    BW_FIELD(struct options, field, "field", "density", "x"),
    BW_GROUP(struct options, inner, struct inner, "inner", inner_rows, "x"),
    BW_VARIANT(struct options, variant, struct variant, "variant", "one", variant_rows, "x"),
    BW_LIST(struct options, list, struct inner, "list", inner_rows, "x"),
    BW_AMOUNTS(struct options, amounts, "x"),
};
static const struct bw_port ports[] = {
    {.name = "density", .kind = BW_SCALAR, .access = BW_UPDATE, .unit = "1", .doc = "x"}};

static enum bw_status step(struct bw_stage *s)
{
    return bw_port_field(s, 0) && bw_rng_unit(s->seed, 1) < 1 ? BW_OK : BW_ERR;
}

static const struct bw_stage_desc stage = {.id = "c99",
                                           .version = "1",
                                           .brief = "x",
                                           BW_PARAMS(params),
                                           .params_size = sizeof(struct options),
                                           BW_PORTS(ports),
                                           .step = step};
static const struct bw_stage_desc *const stages[] = {&stage};
BW_EXPORT const struct bw_module billow_module;
BW_EXPORT const struct bw_module billow_module = BW_MODULE(stages);
