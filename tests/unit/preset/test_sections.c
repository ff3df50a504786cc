// SPDX-License-Identifier: Apache-2.0
/* Parameters of the preset's own sections: the types that only they have, and the sentence for each kind of mistake. */
#include "base/alloc.h"
#include "preset/values/params.h"
#include <billow/param.h>
#include <criterion/criterion.h>
#include <string.h>

/* What the preset's own sections are made of. */
struct part {
    const char *name;
    double weight;
};
struct link {
    const char *name, *to;
};
struct section {
    struct bw_frames frames;
    int64_t big;
    bw_vec3 size, background;
    struct bw_list steps, parts, links;
    struct {
        int32_t kind;
        const char *file, *other;
    } source;
    double memory;
    int32_t mode;
};

static const struct bw_param step_row[] = {{.type = BW_PARAM_INT, .min = 1, .max = 10}};
static const struct bw_param part_rows[] = {
    BW_F64(struct part, weight, "weight", "2", 0, 9, "kg", "Weight."),
};
static const struct bw_param link_row[] = {
    {.type = BW_PARAM_FIELD, .offset = BW_OFFSET(struct link, to, const char *)},
};
static const struct bw_param source_rows[] = {
    {.key = "file", .type = BW_PARAM_STRING, .offset = 8},
    {.key = "other", .type = BW_PARAM_STRING, .offset = 16},
};
// clang-format off
#define SECTION(m, T) .offset = BW_OFFSET(struct section, m, T)
static const struct bw_param section_rows[] = {
    {.key = "frames", .type = BW_PARAM_FRAMES, SECTION(frames, struct bw_frames), .def = "1-100"},
    {.key = "big", .type = BW_PARAM_INT, SECTION(big, int64_t)},
    {.key = "size", .type = BW_PARAM_VEC3, SECTION(size, bw_vec3), .choices = "none|all", .flags = BW_PARAM_MIN_OPEN},
    {.key = "background", .type = BW_PARAM_VEC3, SECTION(background, bw_vec3), .flags = BW_PARAM_SPREAD},
    {.key = "steps", .type = BW_PARAM_LIST, SECTION(steps, struct bw_list), .def = "auto", .min = 1, .max = 2,
     .choices = "auto", .n_sub = 1, .sub = step_row, .sub_size = sizeof(int64_t)},
    {.key = "parts", .type = BW_PARAM_MAP, SECTION(parts, struct bw_list), .max = 2, .n_sub = 1, .sub = part_rows,
     .sub_size = sizeof(struct part)},
    {.key = "links", .type = BW_PARAM_MAP, SECTION(links, struct bw_list), .n_sub = 1, .sub = link_row,
     .sub_size = sizeof(struct link)},
    {.key = "source", .type = BW_PARAM_VARIANT, .offset = offsetof(struct section, source), .flags = BW_PARAM_SHORT,
     .n_sub = 2, .sub = source_rows, .sub_size = 24},
    {.key = "memory", .type = BW_PARAM_F64, SECTION(memory, double), .unit = "B", .was = "storage|room"},
    {.key = "mode", .type = BW_PARAM_CHOICE, SECTION(mode, int32_t), .choices = "euler|mass_flow",
     .was = "modern=euler|seed=mass_flow"},
};
// clang-format on

static struct bw_params *section(const char *yaml, struct section *s, struct bw_diag *d)
{
    struct bw_params_context c = {.owner = "preset", .sections = 1};
    struct bw_node *n = bw_node_parse(yaml, "test.yaml", d);
    struct bw_params *p = bw_params_compile(section_rows, BW_COUNT(section_rows), sizeof *s, n, &c, d);
    bw_node_free(n);
    if (p) cr_assert_eq(bw_params_eval(p, 0, 0, s, d), BW_OK, "%s", d->text);
    return p;
}

Test(sections, every_type)
{
    struct bw_diag d = {0};
    struct section s;
    struct bw_params *p =
        section("{frames: 7, big: 9007199254740993, size: none, background: 3, steps: 4,\n"
                " parts: {arm: {}, leg: {weight: 500 g}}, links: {a: b}, source: x.vdb, memory: 2 KiB}",
                &s, &d);
    cr_assert_not_null(p, "%s", d.text);
    const int64_t *steps = s.steps.items;
    const struct part *parts = s.parts.items;
    const struct link *links = s.links.items;
    cr_expect(s.frames.first == 7 && s.frames.last == 7 && s.big == 9007199254740993 && s.memory == 2048);
    cr_expect(s.size[0] == 0 && s.background[0] == 3 && s.background[2] == 3);
    cr_assert(s.steps.count == 1 && s.parts.count == 2 && s.links.count == 1);
    cr_expect(steps[0] == 4 && !strcmp(parts[1].name, "leg") && parts[0].weight == 2 && parts[1].weight == 0.5);
    cr_expect(!strcmp(links[0].name, "a") && !strcmp(links[0].to, "b"));
    cr_expect(s.source.kind == 0 && !strcmp(s.source.file, "x.vdb"));
    struct bw_node *n = bw_params_resolved(p);
    cr_expect(!strcmp(bw_node_get(n, "size")->text, "none"));
    cr_expect_str_eq(bw_node_get(bw_node_get(bw_node_get(n, "parts"), "arm"), "weight")->text, "2");
    cr_expect_str_eq(bw_node_get(bw_node_get(n, "source"), "file")->text, "x.vdb");
    bw_node_free(n);
    bw_params_free(p);
    p = section("{}", &s, &d);
    cr_expect(p && s.frames.last == 100 && !s.steps.count && s.source.kind == -1);
    n = bw_params_resolved(p);
    cr_expect_str_eq(bw_node_get(n, "steps")->text, "auto");
    bw_node_free(n);
    bw_params_free(p);
    cr_expect_eq(bw_alloc_live(), 0);
}

Test(sections, refusals)
{
    static const struct {
        const char *yaml, *sentence;
    } cases[] = {
        {"{frames: 9-2}", "test.yaml:1:10: preset: frames wants FIRST-LAST, like 1-100, not \"9-2\""},
        {"{frames: 1-2000000000}", "frames lie between -1000000000 and 1000000000"},
        {"{big: 9223372036854775808}", "big wants a whole number"},
        {"{size: nine}", "size wants three numbers"},
        {"{size: [1, 0, 1]}", "test.yaml:1:12: preset: size: 0 is out of range: more than 0 is wanted"},
        {"{steps: [1, 2, 3]}", "steps wants 1 to 2 values, not a list of 3"},
        {"{steps: 11}", "steps: 11 is out of range: at most 10"},
        {"{parts: {a: {}, b: {}, c: {}}}", "parts wants 0 to 2 values"},
        {"{parts: {a: {wieght: 1}}}", "test.yaml:1:14: a: unknown key \"wieght\"; did you mean \"weight\"?"},
        {"{links: {a: [1]}}", "links wants a text, not a list of 1"},
        {"{source: {file: a, other: b}}", "source wants exactly one kind"},
        {"{memory: 3 kg}", "memory: \"3 kg\" is no amount of memory"},
        {"{storage: 3}", "unknown key \"storage\"; did you mean \"memory\"?"},
        {"{room: 3}", "did you mean \"memory\"?"},
        {"{mode: seed}", "mode can't be \"seed\"; it is one of euler|mass_flow; did you mean \"mass_flow\"?"},
        {"{mode: modern}", "did you mean \"euler\"?"},
        {"{modern: 1}", "unknown key \"modern\""},
        {"{memory: {keys: {1: 2, 3: 4}}}", "memory may not change with time"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bw_diag d = {0};
        struct section s;
        cr_expect_null(section(cases[i].yaml, &s, &d), "accepted: %s", cases[i].yaml);
        cr_expect(d.first && strstr(d.first, cases[i].sentence), "got: %s\nwanted: %s", d.first, cases[i].sentence);
        bw_diag_free(&d);
        cr_expect_eq(bw_alloc_live(), 0);
    }
}

/* ---- where things stand ---- */

/// A plain text stands where the tree says, quotes and all; maps in braces from brace to brace.
static void spans_check(const struct bw_node *n, const char *text)
{
    if (n->to < 0) return;
    cr_assert(n->from <= n->to && n->to <= (int64_t)strlen(text));
    if (n->type == BW_NODE_SCALAR) {
        cr_assert_eq(strncmp(text + n->from + (n->quoted != 0), n->text, strlen(n->text)), 0, "%s", n->text);
        cr_assert_eq(n->to - n->from, (int64_t)strlen(n->text) + 2 * (n->quoted != 0), "%s", n->text);
    }
    if (n->flow) cr_assert(strchr("[{", text[n->from]) && strchr("]}", text[n->to - 1]));
    for (int32_t i = 0; i < n->count; i++) {
        const struct bw_node *c = n->child[i];
        if (n->type == BW_NODE_MAP && c->to >= 0) cr_assert_eq(strncmp(text + c->key_from, c->key, strlen(c->key)), 0);
        spans_check(c, text);
    }
}

Test(sections, where_things_stand)
{
    static const char text[] =
        "a: plain é text # said\n\"b\": {c: [1 m, 'x'], \"d\": , e: \"=1 + t\"}\nlist:\n  - bare\n"
        "  - empty:\n  - f: &x {g: 1}\n    h: *x\nlines: |\n  one\n  two\n";
    struct bw_diag d = {0};
    struct bw_node *n = bw_node_parse(text, "text", &d);
    cr_assert(n);
    const struct bw_node *b = bw_node_get(n, "b"), *list = bw_node_get(n, "list");
    spans_check(bw_node_get(n, "a"), text);
    spans_check(b, text);
    spans_check(list, text);
    cr_assert(b->flow && !list->flow && bw_node_get(list->child[2], "f")->flow);
    cr_assert_eq(text[bw_node_get(b, "d")->from - 1], ':'); // nothing, behind its colon
    cr_assert_eq(text[bw_node_get(list->child[1], "empty")->from - 1], ':');
    cr_assert_eq(bw_node_get(list->child[2], "h")->to, -1); // it stands elsewhere
    cr_assert_eq(bw_node_get(n, "lines")->to, -1);
    bw_node_free(n);
    bw_diag_free(&d);
}
