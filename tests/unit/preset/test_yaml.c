// SPDX-License-Identifier: Apache-2.0
/* Habits of those who write YAML for other programs: taken where YAML 1.2 or 1.1 has them, else called by name. */
#include "base/alloc.h"
#include "preset/tree/node.h"
#include "preset/values/params.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct bw_node *parse(const char *text)
{
    struct bw_diag d = {0};
    struct bw_node *n = bw_node_parse(text, "a.yaml", &d);
    cr_assert_not_null(n, "%s\n%s", text, d.text);
    return n;
}

/* As bw_node_write() has it; free(). */
static char *written(const char *text)
{
    char *out = NULL;
    size_t size;
    FILE *f = open_memstream(&out, &size);
    struct bw_node *n = parse(text);
    bw_node_write(n, f);
    bw_node_free(n);
    fclose(f);
    return out;
}

static void same(const char *text, const char *as)
{
    char *a = written(text), *b = written(as);
    cr_expect_str_eq(a, b, "%s", text);
    free(a);
    free(b);
    cr_expect_eq(bw_alloc_live(), 0);
}

static void refused(const char *text, const char *sentence)
{
    struct bw_diag d = {0};
    struct bw_node *n = bw_node_parse(text, "a.yaml", &d);
    cr_expect_null(n, "%s", text);
    cr_expect(d.first && strstr(d.first, sentence), "%s\ngot: %s\nwanted: %s", text, d.first, sentence);
    bw_node_free(n);
    bw_diag_free(&d);
    cr_expect_eq(bw_alloc_live(), 0);
}

Test(yaml, directives)
{
    same("%YAML 1.2\n---\na: 1\n", "a: 1\n");
    same("# a remark\n\n%YAML 1.1\n%TAG !e! tag:example.org,2026:\n--- # begins\na: 1\n...\n", "a: 1\n");
    same("%YAML 1.2\r\n---\r\na: 1\r\n", "a: 1\n");
    refused("%YAML 2.0\n---\na: 1\n", "a.yaml:1:1: YAML of that version is not known: 1.2 and 1.1 are");
    refused("%FOO bar\n---\na: 1\n", "a.yaml:1:1: a line can't begin with %");
    refused("a: 1\n%YAML 1.2\n---\nb: 1\n", "a.yaml:2:1: a line can't begin with %");
    refused("%YAML 1.2\n---\na: [1\n", "a.yaml:4:1: not readable as YAML");
    refused("%YAML 1.2 \xff\n---\na: 1\n", "a.yaml:1:11: a character that is no UTF-8 text");
}

Test(yaml, one_document_whose_texts_do_not_end_in_the_middle)
{
    same("a: 1\n...\n# no more\n", "a: 1\n");
    refused("a: 1\n---\nb: 2\n", "a.yaml:2:1: one document a file, please: a second one begins here");
    refused("a: 1\n...\n\nb: 2\n", "a.yaml:4:1: one document a file, please: a second one begins here");
    refused("a: [1, \"b\\0c\"]\n", "a.yaml:1:9: a text with a null character in it");
    refused("\"a\\0b\": 1\n", "a.yaml:1:2: a text with a null character in it");
}

Test(yaml, merge_keys)
{
    same("base: &b {x: 1, y: 2}\nown: {<<: *b, y: 3}\n", "base: {x: 1, y: 2}\nown: {y: 3, x: 1}\n");
    same("own:\n  y: 3\n  <<: {x: 1, y: 2}\n  z: 4\n", "own: {y: 3, z: 4, x: 1}\n");
    same("a: &a {x: 1}\nb: &b {x: 2, y: 2}\nc: {<<: [*a, *b]}\n", "a: {x: 1}\nb: {x: 2, y: 2}\nc: {x: 1, y: 2}\n");
    same("a: &a {x: {p: 1}}\nb: &b {<<: *a, y: 2}\nc: {<<: *b, x: {q: 1}}\n",
         "a: {x: {p: 1}}\nb: {y: 2, x: {p: 1}}\nc: {x: {q: 1}, y: 2}\n");
    same("a: {<<: {}}\n", "a: {}\n");
    refused("a: {<<: 1}\n", "a.yaml:1:9: << takes over a map that was marked &NAME");
    refused("a: [1]\nb:\n  <<: [x]\n", "a.yaml:3:8: << takes over a map");
    refused("a: &a {<<: *a}\n", "\"*a\" names nothing that was marked");
    char bomb[4000], *at = bomb + sprintf(bomb, "m0: &m0 {a: [1, 1, 1, 1, 1, 1, 1, 1]}\n");
    for (int i = 1; i < 9; i++)
        at += sprintf(at, "m%d: &m%d {a: [*m%d, *m%d, *m%d, *m%d, *m%d, *m%d, *m%d, *m%d]}\n", i, i, i - 1, i - 1,
                      i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
    refused(bomb, "too many values");
    at = bomb + sprintf(bomb, "m: &m {a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1], b: *a, c: *a, d: *a, e: *a, f: *a}\nl:\n");
    char *many = malloc(4000 + 30 * 20000), *end = many + sprintf(many, "%s", bomb);
    for (int i = 0; i < 20000; i++) end += sprintf(end, "- {<<: *m}\n");
    refused(many, "a.yaml:");
    free(many);
}

Test(yaml, colours_without_quotes)
{
    refused("look: {colour: #102030}\n", "a.yaml:1:16: # begins a comment here: quote the colour: '#102030'");
    refused("a:\n  - {colour: #fc0, size: 1}\nb: 1\n",
            "a.yaml:2:14: # begins a comment here: quote the colour: '#fc0'");
    refused("a: [#ff8000, 2]\nb: 1\n", "a.yaml:1:5: # begins a comment here: quote the colour: '#ff8000'");
    refused("a: [1, #facade is what it is\nb: 1\n", "quote the colour: '#facade'");
    refused("a: [1, #bad\nb: {\n", "not readable as YAML");
    same("a: 1 #102030\n", "a: 1\n");
    char what[64];
    struct bw_node *n = parse("keys:\n  1: #80ff00\n  2: # 80ff00\n  3: '#80ff00'\n");
    const struct bw_node *keys = bw_node_get(n, "keys");
    cr_expect_str_eq(bw_node_describe(keys->child[0], what),
                     "nothing: # begins a comment; quote the colour: '#80ff00'");
    cr_expect_str_eq(bw_node_describe(keys->child[1], what), "nothing");
    cr_expect_str_eq(bw_node_describe(keys->child[2], what), "\"#80ff00\"");
    bw_node_free(n);
}

Test(yaml, numbers)
{
    static const struct {
        const char *text;
        double value;
    } good[] = {{"0x1F", 31},       {"0o17", 15},          {"-0x10", -16},
                {"1_000", 1000},    {"1_000.5 m", 1000.5}, {"12_34.5_6e1 m", 12345.6},
                {"017 m", 17},      {"1/4", .25},          {"3/1_000 m", .003},
                {"-1/8 m", -.125},  {"+.5", .5},           {"1e3", 1000},
                {"8\u00a0cm", .08}, {"5 \u00b5m", 5e-6},   {"5 \u03bcm", 5e-6}};
    static const char *const bad[] = {"0x",   "0xfg",  "0o8",  "1__0",  "_1",   "1_",  "1/0",      "1/",        "1/-4",
                                      ".inf", "-.INF", ".nan", "0x1 m", "1:30", "0,2", "1 \u00b5", "1 \u00b5kg"};
    char why[200];
    double value;
    for (size_t i = 0; i < BW_COUNT(good); i++) {
        value = 0;
        cr_expect_eq(bw_parse_quantity(good[i].text, "m", &value, NULL, why, sizeof why), BW_OK, "%s", good[i].text);
        cr_expect_float_eq(value, good[i].value, 1e-9, "%s is %g", good[i].text, value);
    }
    for (size_t i = 0; i < BW_COUNT(bad); i++)
        cr_expect_eq(bw_parse_quantity(bad[i], "m", &value, NULL, why, sizeof why), BW_ERR_PRESET, "%s", bad[i]);
}

struct switches {
    int32_t on[8], off[8];
};

Test(yaml, truths)
{
    static const char *const on[] = {"true", "True", "TRUE", "yes", "Yes", "ON", "y", "Y"}, *const off[] = {
                                                                                                "false", "False",
                                                                                                "FALSE", "no",
                                                                                                "NO",    "Off",
                                                                                                "n",     "N"};
    static const struct bw_param rows[] = {BW_BOOL(struct switches, on[0], "a", "false", "On."),
                                           BW_BOOL(struct switches, off[0], "b", "true", "Off.")};
    struct bw_params_context c = {.owner = "t"};
    for (size_t i = 0; i < BW_COUNT(on); i++) {
        char text[64];
        struct switches s = {0};
        struct bw_diag d = {0};
        snprintf(text, sizeof text, "{a: %s, b: %s}\n", on[i], off[i]);
        struct bw_node *n = parse(text);
        struct bw_params *p = bw_params_compile(rows, BW_COUNT(rows), sizeof s, n, &c, &d);
        cr_assert_not_null(p, "%s", d.text);
        cr_assert_eq(bw_params_eval(p, 0, 0, &s, &d), BW_OK);
        cr_expect(s.on[0] == 1 && s.off[0] == 0, "%s", text);
        bw_params_free(p);
        bw_node_free(n);
    }
    same("a: Null\nb: NULL\nc: ~\nd:\n", "a: null\nb: null\nc: null\nd: null\n");
    same("a: 'Null'\n", "a: \"Null\"\n");
}
