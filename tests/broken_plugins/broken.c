// SPDX-License-Identifier: Apache-2.0
/* Plugins that are broken on purpose, one for each value of CASE (see meson.build): what the loader must refuse in one
 * line, and one that it must take: one whose id is taken already. */
#include <billow/plugin.h>

#define GOOD 0
#define WRONG_MAGIC 1
#define OTHER_MAJOR 2
#define NEWER_MINOR 3
#define OLDER 4
#define NO_SYMBOL 5
#define UNDEFINED 6
#define PARAM_OUTSIDE 7
#define PARAM_TWICE 8
#define NULL_STEP 9
#define BAD_ID 10
#define NULL_STAGES 11
#define NULL_PARAMS 12
#define SIZES 13
#define EMPTY 14
#define LATER_SAME_ID 15
#define PARAM_HALF_OUTSIDE 16
#define BAD_PORT 17
#define SUB_OUTSIDE 18
#define ID_TWICE 19
#define NULL_ATTRIBUTES 20
#define SELF_NESTED 21
#define NULL_FRAME 22
#define SYMBOL_IS_CODE 23
#define NULL_STAGE 24

struct options {
    double rate;
    double more;
};

#if CASE == PARAM_OUTSIDE
static const struct bw_param params[] = {{.key = "rate", .type = BW_PARAM_F64, .offset = 4000, .doc = "Far away."}};
#elif CASE == PARAM_HALF_OUTSIDE
static const struct bw_param params[] = {{.key = "rate", .type = BW_PARAM_VEC3, .offset = 8, .doc = "Begins inside."}};
#elif CASE == PARAM_TWICE
static const struct bw_param params[] = {BW_F64(struct options, rate, "rate", "1", 0, 9, 0, "Once."),
                                         BW_F64(struct options, more, "rate", "1", 0, 9, 0, "Twice.")};
#elif CASE == SUB_OUTSIDE
static const struct bw_param rows[] = {{.key = "x", .type = BW_PARAM_F64, .offset = 12, .doc = "Beyond the group."}};
static const struct bw_param params[] = {
    {.key = "group", .type = BW_PARAM_GROUP, .offset = 0, .doc = "A group.", .n_sub = 1, .sub = rows, .sub_size = 16}};
#elif CASE == SELF_NESTED
extern const struct bw_param params[];
__attribute__((visibility("hidden"))) const struct bw_param params[] = {{.key = "group",
                                                                         .type = BW_PARAM_GROUP,
                                                                         .offset = 0,
                                                                         .doc = "Holds itself.",
                                                                         .n_sub = 1,
                                                                         .sub = params,
                                                                         .sub_size = 16}};
#else
static const struct bw_param params[] = {BW_F64(struct options, rate, "rate", "0.5", 0, 9, "1/s", "Once.")};
#endif

#if CASE == BAD_PORT
static const struct bw_port ports[] = {{.name = "density", .kind = 77, .access = BW_READ}};
#elif CASE == NULL_ATTRIBUTES
static const struct bw_port ports[] = {
    {.name = "grains", .kind = BW_PARTICLES, .access = BW_UPDATE, .n_attributes = 3}};
#else
static const struct bw_port ports[] = {
    {.name = "density", .kind = BW_SCALAR, .access = BW_UPDATE, .unit = "1", .doc = "Smoke."}};
#endif

#if CASE == UNDEFINED
int nobody_defines_this(void);
#endif

static enum bw_status step(struct bw_stage *s)
{
#if CASE == UNDEFINED
    return nobody_defines_this() ? BW_ERR : BW_OK;
#endif
    s->host->metric(s, "rate", ((const struct options *)s->params)->rate, BW_METRIC_LAST);
    return BW_OK;
}

#if CASE == NULL_FRAME
static const struct bw_exporter_desc exporter = {.id = "broken", .version = "1", .brief = "x"};
static const struct bw_exporter_desc *const exporters[] = {&exporter};
#else
static const struct bw_stage_desc stage = {.id = CASE == BAD_ID                          ? "Not An Id"
                                                 : CASE == GOOD || CASE == LATER_SAME_ID ? "broken.same"
                                                                                         : "broken",
                                           .version = "1",
                                           .brief = "x",
                                           .params = CASE == NULL_PARAMS ? 0 : params,
                                           .ports = ports,
                                           .n_params = BW_COUNT(params),
                                           .n_ports = 1,
                                           .params_size = sizeof(struct options),
                                           .step = CASE == NULL_STEP ? 0 : step};
static const struct bw_stage_desc *const stages[] = {
    &stage,
#if CASE == ID_TWICE
    &(const struct bw_stage_desc){.id = "broken", .version = "1", .brief = "x", .step = step},
#elif CASE == NULL_STAGE
    0,
#endif
};
#endif

#if CASE == NO_SYMBOL
BW_EXPORT const void *nobody_asks_for_this(void) { return stages; }
#elif CASE == SYMBOL_IS_CODE
BW_EXPORT const void *billow_module(void) { return stages; }
#elif CASE == NULL_FRAME
BW_EXPORT const struct bw_module billow_module = BW_MODULE_EXPORTERS(exporters);
#else
BW_EXPORT const struct bw_module billow_module = {CASE == WRONG_MAGIC ? 0x12345678u : BW_MAGIC,
                                                  CASE == OTHER_MAJOR ? BW_ABI_MAJOR + 1 : BW_ABI_MAJOR,
                                                  CASE == NEWER_MINOR ? BW_ABI_MINOR + 1
                                                  : CASE == OLDER     ? BW_ABI_MINOR - 1
                                                                      : BW_ABI_MINOR,
                                                  sizeof(struct bw_module),
                                                  CASE == SIZES ? 4 : sizeof(struct bw_stage_desc),
                                                  sizeof(struct bw_exporter_desc),
                                                  sizeof(struct bw_param),
                                                  sizeof(struct bw_port),
                                                  CASE == EMPTY ? 0 : BW_COUNT(stages),
                                                  0,
                                                  CASE == NULL_STAGES ? 0 : stages,
                                                  0};
#endif
