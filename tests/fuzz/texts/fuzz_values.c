// SPDX-License-Identifier: Apache-2.0
/* Values of any bytes for a row of each type: keyframes, expressions, vectors, colours, lists, maps, kinds; then their
 * evaluation at some times, and the way back to text. */
#include "fuzz.h"
#include "preset/values/params.h"

#include "base/alloc.h"
#include <stdlib.h>
#include <string.h>

struct kind {
    int32_t which;
    double radius;
};

struct all {
    double number, open;
    bw_vec3 vector, colour, spread;
    int64_t whole;
    int32_t yes, choice;
    const char *word, *path, *field;
    struct bw_frames frames;
    struct bw_list list, amounts;
    struct kind kind;
    struct bw_list map;
};

static const struct bw_param item[] = {{.type = BW_PARAM_F64, .unit = "m"}};
static const struct bw_param ball[] = {BW_F64(struct kind, radius, "radius", "1 m", 0, 10, "m", "x")};
static const struct bw_param kinds[] = {
    {.key = "ball", .type = BW_PARAM_GROUP, .n_sub = 1, .sub = ball, .sub_size = sizeof(struct kind), .doc = "x"},
    {.key = "none", .type = BW_PARAM_GROUP, .doc = "x"},
};

// clang-format off
#define ROW(name, kind_) .key = name, .type = kind_, .doc = "x"
static const struct bw_param rows[] = {
    BW_F64(struct all, number, "number", "1", -1e6, 1e6, "m/s", "x"),
    {ROW("open", BW_PARAM_F64), .offset = offsetof(struct all, open), .flags = BW_PARAM_MIN_OPEN},
    BW_VEC3(struct all, vector, "vector", "[0, 0, 0]", "m", "x"),
    BW_COLOUR(struct all, colour, "colour", "[1, 1, 1]", "x"),
    {ROW("spread", BW_PARAM_VEC3), .offset = offsetof(struct all, spread), .flags = BW_PARAM_SPREAD},
    BW_INT(struct all, whole, "whole", "3", 0, 1e9, "x"),
    BW_BOOL(struct all, yes, "yes", "no", "x"),
    BW_CHOICE(struct all, choice, "choice", "a", "a|b|c", "x"),
    BW_STRING(struct all, word, "word", NULL, "x"),
    BW_PATH(struct all, path, "path", "x"),
    {ROW("frames", BW_PARAM_FRAMES), .offset = offsetof(struct all, frames)},
    {ROW("list", BW_PARAM_LIST), .offset = offsetof(struct all, list), .n_sub = 1, .sub = item,
     .sub_size = sizeof(double)},
    {ROW("amounts", BW_PARAM_AMOUNTS), .offset = offsetof(struct all, amounts)},
    {ROW("kind", BW_PARAM_VARIANT), .offset = offsetof(struct all, kind), .n_sub = 2, .sub = kinds,
     .sub_size = sizeof(struct kind)},
};
// clang-format on

static void values_use(struct bw_params *p)
{
    struct all a;
    for (int i = 0; i < 3; i++) {
        struct bw_diag d = {0};
        if (bw_params_eval(p, 0.7 * i, (uint32_t)i, &a, &d) && !d.first) abort();
        bw_diag_free(&d);
    }
    bw_node_free(bw_params_resolved(p));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct bw_diag d = {0};
    struct bw_params_context c = {.owner = "fuzz", .fps = 24, .first = 1, .seed = 7, .ambient = 293.15};
    char *text = malloc(n + 1);
    if (!text) return 0;
    memcpy(text, bytes, n);
    text[n] = '\0';
    struct bw_node *map = bw_node_parse(text, "fuzz.yaml", &d);
    struct bw_params *p = map ? bw_params_compile(rows, BW_COUNT(rows), sizeof(struct all), map, &c, &d) : NULL;
    if (!p && (!d.first || !d.status)) abort(); // refused without a word
    if (p) values_use(p);
    bw_params_free(p);
    bw_node_free(map);
    bw_diag_free(&d);
    free(text);
    if (bw_alloc_live()) abort();
    return 0;
}
