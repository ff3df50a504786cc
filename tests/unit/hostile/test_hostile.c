// SPDX-License-Identifier: Apache-2.0
/* Presets that nobody would write: what there is too much of is refused, or read in the time that its length asks for.
 * Readers whose time grew with the square of the length needed minutes for what is here: the programs' own limit of
 * time, which is far beyond what is needed, would end them. */
#include "base/alloc.h"
#include "base/file.h"
#include "preset/tree/names.h"
#include "preset/preset.h"
#include "preset/values/params.h"
#include "grid/grid.h"
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD "billow: 1\ndomain: {cells: [32, 32, 32], voxel: 1 cm}\n"

enum { MANY = 100000 };

/* ---- long texts ---- */

static char *text;
static size_t used, capacity;

static void add(const char *format, ...)
{
    va_list list;
    if (capacity - used < 4096) text = realloc(text, capacity = 2 * capacity + (1 << 20));
    cr_assert_not_null(text);
    va_start(list, format);
    used += (size_t)vsnprintf(text + used, capacity - used, format, list);
    va_end(list);
}

static void text_end(void)
{
    free(text);
    text = NULL;
    used = capacity = 0;
    cr_expect_eq(bw_alloc_live(), 0);
}

TestSuite(hostile, .fini = text_end, .timeout = 60);

static struct bw_diag load(struct bw_preset **p, const struct bw_preset_overrides *more)
{
    struct bw_diag d = {0};
    struct bw_preset_overrides o = {0};
    if (more) o = *more;
    o.text = text;
    *p = bw_preset_load("many.yaml", &o, &d);
    return d;
}

static void refused(const char *sentence)
{
    struct bw_preset *p;
    struct bw_diag d = load(&p, NULL);
    cr_expect_null(p, "accepted");
    cr_expect(d.status == BW_ERR_PRESET && d.first && strstr(d.first, sentence), "wanted: %s\ngot: %.300s", sentence,
              d.first);
    bw_preset_free(p);
    bw_diag_free(&d);
}

/* ---- much of one thing ---- */

Test(hostile, names_are_found_among_many)
{
    static char name[MANY][12];
    struct bw_names t = {0};
    for (int i = 0; i < MANY; i++) {
        snprintf(name[i], sizeof name[i], "n%d", i);
        cr_assert_eq(bw_names_put(&t, name[i], i), BW_OK);
    }
    int wrong = 0;
    for (int i = 0; i < MANY; i++) wrong += bw_names_get(&t, name[i]) != i;
    cr_expect_eq(wrong, 0);
    cr_expect_eq(bw_names_get(&t, "m1"), -1);
    bw_names_put(&t, name[7], 3);
    cr_expect(bw_names_get(&t, "n7") == 3 && t.count == MANY, "a name has one number, the last");
    bw_names_free(&t);
    cr_expect_eq(bw_names_get(&t, "n7"), -1);
}

Test(hostile, a_large_map_keeps_its_entries)
{
    struct bw_diag d = {0};
    for (int i = 0; i < 1000; i++) add("k%d: %d\n", i, i);
    struct bw_node *map = bw_node_parse(text, "map", &d), *copy = bw_node_copy(map);
    bw_node_put(map, "k500", NULL);
    bw_node_put(map, "k3", bw_node_new(BW_NODE_SCALAR, "new"));
    bw_node_put(map, "last", bw_node_new(BW_NODE_SCALAR, "new"));
    cr_expect_null(bw_node_get(map, "k500"));
    int wrong = 0;
    for (int32_t i = 0; i < map->count; i++) wrong += bw_node_get(map, map->child[i]->key) != map->child[i];
    cr_expect(wrong == 0 && map->count == 1000, "each of %d is found where it is", (int)map->count);
    cr_expect_str_eq(bw_node_get(map, "k3")->text, "new");
    cr_expect_str_eq(bw_node_get(copy, "k500")->text, "500");
    bw_node_free(map);
    bw_node_free(copy);
}

Test(hostile, many_wrong_keys)
{
    add(HEAD);
    for (int i = 0; i < MANY; i++) add("wrong_%d: 1\n", i);
    struct bw_preset *p;
    struct bw_diag d = load(&p, NULL);
    cr_expect(!p && d.errors == MANY, "%d mistakes are counted", (int)d.errors);
    cr_expect(strstr(d.text, "wrong_99\"") && !strstr(d.text, "wrong_100\""), "the first hundred are said");
    cr_expect(strstr(d.text, "more mistakes"));
    bw_diag_free(&d);
}

Test(hostile, many_keyframes)
{
    add(HEAD "stages:\n  - mac.forces:\n      buoyancy:\n        keys:\n");
    for (int i = 0; i < MANY; i++) add("          %d: %d\n", i, i % 7);
    struct bw_preset *p;
    struct bw_diag d = load(&p, NULL);
    cr_assert_not_null(p, "%s", d.text);
    static const struct bw_param row[] = {{.key = "buoyancy", .type = BW_PARAM_F64}};
    struct bw_params_context c = {.owner = "x", .fps = 1, .partial = 1};
    struct bw_params *params = bw_params_compile(row, 1, sizeof(double), p->stage[0].node, &c, &d);
    cr_assert_not_null(params, "%s", d.text);
    double value;
    cr_expect(bw_params_eval(params, 13, 0, &value, &d) == BW_OK && value == 13 % 7);
    bw_params_free(params);
    bw_preset_free(p);
}

Test(hostile, many_anchors)
{
    add(HEAD "x:\n");
    for (int i = 0; i < MANY; i++) add(" - &a%d 1\n", i);
    for (int i = 0; i < MANY; i++) add(" - *a%d\n", i);
    refused("unknown key \"x\"");
}

Test(hostile, many_entries)
{
    add(HEAD "stages:\n");
    for (int i = 0; i < 1000; i++) add("  - emit\n");
    struct bw_preset *p;
    const char *set = "stages.emit_900.density=7";
    struct bw_diag d = load(&p, &(struct bw_preset_overrides){.set = &set, .n_set = 1});
    cr_assert_not_null(p, "%s", d.text);
    cr_expect_str_eq(p->stage[999].id, "emit_1000");
    cr_expect_str_eq(bw_node_get(p->stage[899].node, "density")->text, "7");
    bw_preset_free(p);
    for (int i = 0; i < MANY; i++) add("  - emit: {}\n");
    refused("stages has 101000 entries; 1000 are the most");
}

Test(hostile, many_fields)
{
    add(HEAD "fields:\n");
    for (int i = 0; i < MANY; i++) add("  f%d: {}\n", i);
    refused("fields wants 0 to 1000 values, not 100000");
}

/* ---- bombs ---- */

Test(hostile, aliases_of_aliases)
{
    add(HEAD "x0: &x0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n");
    for (int i = 1; i < 10; i++) {
        add("x%d: &x%d [", i, i);
        for (int k = 0; k < 10; k++) add("%s*x%d", k ? ", " : "", i - 1);
        add("]\n");
    }
    refused("too many values: more than 1000000");
}

Test(hostile, aliases_of_a_long_text)
{
    add(HEAD "x0: &x0 \"");
    for (int i = 0; i < 100000; i++) add("0123456789");
    add("\"\nx1:\n");
    for (int i = 0; i < 20000; i++) add(" - *x0\n");
    refused("what is repeated by name adds up to more than 64 MiB");
}

Test(hostile, depth)
{
    add(HEAD "x: ");
    for (int i = 0; i < MANY; i++) add("[");
    refused("nested too deeply");
    char set[400] = "";
    for (int i = 0; i < 60; i++) strcat(set, "a.");
    strcat(set, "b=1");
    const char *sets[] = {set};
    struct bw_preset *p;
    free(text);
    text = NULL, used = capacity = 0;
    add(HEAD);
    struct bw_diag d = load(&p, &(struct bw_preset_overrides){.set = sets, .n_set = 1});
    cr_expect(!p && strstr(d.first, "--set:1:97: nested too deeply"), "%s", d.first);
    bw_diag_free(&d);
}

Test(hostile, expressions)
{
    struct bw_params_context c = {.owner = "x", .fps = 24, .ambient = 293};
    static const struct bw_param row[] = {{.key = "v", .type = BW_PARAM_F64}};
    static const char *const wrap[][3] = {{"(", "t", ")"},     {"sin(", "t", ")"}, {"-", "t", ""},
                                          {"t>0?", "1", ":0"}, {"2^", "t", ""},    {"max(1,", "t", ")"}};
    for (size_t k = 0; k < BW_COUNT(wrap); k++)
        for (int n = 10; n <= 20000; n *= 20) {
            add("v: \"=");
            for (int i = 0; i < n; i++) add("%s", wrap[k][0]);
            add("%s", wrap[k][1]);
            for (int i = 0; i < n; i++) add("%s", wrap[k][2]);
            add("\"\n");
            struct bw_diag d = {0};
            struct bw_node *map = bw_node_parse(text, "e", &d);
            struct bw_params *p = bw_params_compile(row, 1, sizeof(double), map, &c, &d);
            double v;
            if (p) bw_params_eval(p, 1, 0, &v, &d);
            cr_expect(p || (d.first && strlen(d.first) < 500), "%s x %d is read, or refused in a line", wrap[k][0], n);
            cr_expect(n < 5000 || !p);
            bw_params_free(p);
            bw_node_free(map);
            bw_diag_free(&d);
            used = 0;
        }
}

Test(hostile, a_sentence_is_text_and_ends)
{
    struct bw_diag d = {0};
    for (int i = 0; i < 100000; i++) add("0123456789");
    bw_diag_error(&d, NULL, BW_ERR_PRESET, "%s", text);
    cr_expect(strlen(d.first) < 7000 && strstr(d.first, "89..."), "%zu", strlen(d.first));
    bw_diag_free(&d);
    bw_diag_error(&d, NULL, BW_ERR_PRESET, "half a character \xc3, a command \x1b[31m, a whole \xc3\xa9");
    cr_expect_str_eq(d.first, "half a character ?, a command ?[31m, a whole \xc3\xa9");
    bw_diag_free(&d);
}

/* ---- what is no file ---- */

Test(hostile, what_is_no_file_is_not_waited_for)
{
    char folder[] = "/tmp/billow-fifo-XXXXXX", fifo[60];
    const char *why = NULL;
    cr_assert_not_null(mkdtemp(folder));
    snprintf(fifo, sizeof fifo, "%s/fifo", folder);
    cr_assert_eq(mkfifo(fifo, 0600), 0);
    cr_expect(!bw_file_open(fifo, &why) && strstr(why, "a pipe"), "%s", why);
    cr_expect(!bw_file_open("/dev/zero", &why) && strstr(why, "a device"), "%s", why);
    cr_expect(!bw_file_open("/tmp", &why) && strstr(why, "a folder"), "%s", why);
    cr_expect(!bw_file_open("/nowhere/at/all", &why) && *why);
    struct bw_diag d = {0};
    cr_expect(!bw_node_load(fifo, &d) && d.status == BW_ERR_IO && strstr(d.first, fifo), "%s", d.first);
    bw_diag_free(&d);
    unlink(fifo);
    rmdir(folder);
}

/* ---- more cells than can be ---- */

Test(hostile, a_box_of_tiles_without_end)
{
    static const int64_t lo[3] = {-1000000000, -1000000000, -1000000000}, hi[3] = {1000000000, 1000000000, 1000000000};
    struct bw_domain_info info = {.name = "far", .h = 1, .thin = -1, .tile = {16, 16, 16}};
    struct bw_domain *d = bw_domain_create(&info, 6);
    cr_assert_not_null(d);
    bw_domain_request_cells(d, lo, hi);
    cr_expect(d->full && d->n_requested == 0, "refused before %lld tiles", (long long)d->n_requested);
    cr_expect_eq(bw_domain_commit(d), BW_ERR_MEMORY);
    bw_domain_request_cells(d, (int64_t[3]){0, 0, 0}, (int64_t[3]){100, 100, 100});
    cr_expect(!d->full && d->n_requested == 343, "%lld", (long long)d->n_requested);
    bw_domain_destroy(d);
}
