// SPDX-License-Identifier: Apache-2.0
/* Parameters of stages: every type from text to struct, values in time, and the sentence for each kind of mistake. */
#include "base/alloc.h"
#include "preset/values/params.h"
#include <billow/param.h>
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sphere {
    bw_vec3 center;
    double radius;
};

struct box {
    bw_vec3 size;
};

struct shape {
    int32_t kind;
    union {
        struct sphere sphere;
        struct box box;
    } u;
};

struct noise {
    double amount;
    int64_t octaves;
};

struct slice {
    const char *field;
    double at;
};

struct options {
    int32_t on, mode;
    int64_t count;
    double rate, angle;
    bw_vec3 wind, colour;
    const char *text, *path, *field;
    struct noise noise;
    struct shape shape;
    struct bw_list fields, slices, amounts;
};

static const struct bw_param sphere_rows[] = {
    BW_VEC3(struct sphere, center, "center", "[0, 0, 0]", "m", "Centre."),
    BW_F64(struct sphere, radius, "radius", "10 cm", 0, 100, "m", "Radius."),
};
static const struct bw_param box_rows[] = {
    BW_VEC3(struct box, size, "size", "[1, 1, 1]", "m", "Edges."),
};
static const struct bw_param shape_rows[] = {
    BW_GROUP(struct shape, u.sphere, struct sphere, "sphere", sphere_rows, "A ball."),
    BW_GROUP(struct shape, u.box, struct box, "box", box_rows, "A box."),
};
static const struct bw_param noise_rows[] = {
    BW_F64(struct noise, amount, "amount", "0.5", 0, 1, NULL, "Share."),
    BW_INT(struct noise, octaves, "octaves", "3", 1, 8, "Octaves."),
};
static const struct bw_param name_row[] = {
    {.type = BW_PARAM_FIELD},
};
static const struct bw_param slice_rows[] = {
    BW_FIELD(struct slice, field, "field", "density", "Field."),
    BW_F64(struct slice, at, "at", "0", 0, 0, "m", "Position."),
};
static const struct bw_param rows[] = {
    BW_BOOL(struct options, on, "on", "true", "Switch."),
    BW_CHOICE(struct options, mode, "mode", "max", "max|set|add", "How."),
    BW_INT(struct options, count, "count", "4", 0, 100, "How many."),
    BW_F64(struct options, rate, "rate", "0.3", 0, 10, "1/s", "Rate."),
    BW_F64(struct options, angle, "angle", NULL, 0, 0, "rad", "Angle."),
    BW_VEC3(struct options, wind, "wind", "[0, 0, 1]", "m/s", "Wind."),
    BW_COLOUR(struct options, colour, "colour", "#ffffff", "Colour."),
    BW_STRING(struct options, text, "text", NULL, "Text."),
    BW_PATH(struct options, path, "path", "File."),
    BW_FIELD(struct options, field, "field", "density", "Field."),
    BW_GROUP(struct options, noise, struct noise, "noise", noise_rows, "Break-up."),
    BW_VARIANT(struct options, shape, struct shape, "shape", "sphere", shape_rows, "Shape."),
    BW_LIST(struct options, fields, const char *, "fields", name_row, "Names."),
    BW_LIST(struct options, slices, struct slice, "slices", slice_rows, "Slices."),
    BW_AMOUNTS(struct options, amounts, "What to emit."),
};

static const char *const ignored[] = {"id", "frames"};

static struct bw_params *compile(const char *yaml, struct bw_diag *d)
{
    struct bw_params_context c = {
        .owner = "test", .fps = 24, .first = 1001, .seed = 7, .ignore = ignored, .n_ignore = 2};
    struct bw_node *n = yaml ? bw_node_parse(yaml, "test.yaml", d) : NULL;
    struct bw_params *p = d->status ? NULL : bw_params_compile(rows, BW_COUNT(rows), sizeof(struct options), n, &c, d);
    bw_node_free(n); /* the set has to stand on its own */
    return p;
}

static struct bw_params *good(const char *yaml, double t, struct options *o)
{
    struct bw_diag d = {0};
    struct bw_params *p = compile(yaml, &d);
    cr_assert_not_null(p, "%s", d.text);
    cr_assert_eq(bw_params_eval(p, t, 0, o, &d), BW_OK, "%s", d.text);
    bw_diag_free(&d);
    return p;
}

static void refused(const char *yaml, const char *sentence)
{
    struct bw_diag d = {0};
    struct bw_params *p = compile(yaml, &d);
    cr_expect_null(p, "accepted: %s", yaml);
    cr_expect(d.first && strstr(d.first, sentence), "%s\ngot: %s\nwanted: %s", yaml, d.first, sentence);
    cr_expect_eq(d.status, BW_ERR_PRESET);
    bw_params_free(p);
    bw_diag_free(&d);
    cr_expect_eq(bw_alloc_live(), 0);
}

Test(params, defaults)
{
    struct options o;
    struct bw_params *p = good(NULL, 0, &o);
    cr_expect(o.on == 1 && o.mode == 0 && o.count == 4 && o.rate == 0.3 && o.angle == 0);
    cr_expect(o.wind[2] == 1 && o.colour[0] == 1 && !o.text && !o.path && !strcmp(o.field, "density"));
    cr_expect(o.noise.amount == 0.5 && o.noise.octaves == 3 && o.shape.kind == 0);
    cr_expect_float_eq(o.shape.u.sphere.radius, 0.1, 1e-15);
    cr_expect(o.fields.count == 0 && o.slices.count == 0 && o.amounts.count == 0);
    cr_expect_not(bw_params_animated(p));
    bw_params_free(p);
    cr_expect_eq(bw_alloc_live(), 0);
}

Test(params, every_type)
{
    struct options o;
    struct bw_params *p =
        good("{id: x, on: off, mode: add, count: 7, rate: 3 1/min, angle: 90 deg, wind: [1, 20 cm/s, '=1+1'],"
             " colour: '#ff0080', text: hi, path: a/b.obj, field: fuel, noise: {octaves: 2},"
             " shape: {box: {size: [1 m, 2, 30 mm]}}, fields: [a, b], slices: [{at: 5 mm}, {field: v}],"
             " density: 0.4 1/s, temperature: 900 K, dye: [1, 0, 0.5]}",
             0, &o);
    cr_expect(o.on == 0 && o.mode == 2 && o.count == 7 && fabs(o.rate - 0.05) < 1e-15);
    cr_expect_float_eq(o.angle, 1.5707963267948966, 1e-15);
    cr_expect(o.wind[0] == 1 && fabs(o.wind[1] - 0.2) < 1e-15 && o.wind[2] == 2);
    cr_expect(o.colour[0] == 1 && o.colour[1] == 0 && fabs(o.colour[2] - 0.21586050) < 1e-7);
    cr_expect(!strcmp(o.text, "hi") && o.path[0] == '/' && strstr(o.path, "/a/b.obj") && !strcmp(o.field, "fuel"));
    cr_expect(o.noise.octaves == 2 && o.noise.amount == 0.5 && o.shape.kind == 1);
    cr_expect_float_eq(o.shape.u.box.size[2], 0.03, 1e-15);
    cr_assert_eq(o.fields.count, 2);
    cr_expect_str_eq(((const char *const *)o.fields.items)[1], "b");
    const struct slice *s = o.slices.items;
    cr_assert_eq(o.slices.count, 2);
    cr_expect(s[0].at == 0.005 && !strcmp(s[0].field, "density") && !strcmp(s[1].field, "v"));
    const struct bw_amount *a = o.amounts.items;
    cr_assert_eq(o.amounts.count, 3);
    cr_expect(!strcmp(a[0].field, "density") && a[0].rate == 1 && a[0].value[0] == 0.4 && a[0].comps == 1);
    cr_expect(!strcmp(a[1].field, "temperature") && a[1].rate == 0 && a[1].value[2] == 900);
    cr_expect(a[2].comps == 3 && a[2].value[2] == 0.5);
    uint32_t n;
    const char *const *files = bw_params_files(p, &n);
    cr_expect(n == 1 && !strcmp(files[0], o.path));
    bw_params_free(p);
}

Test(params, keys_and_expressions)
{
    struct bw_diag d = {0};
    struct options o, later;
    struct bw_params *p =
        good("{rate: {keys: {1001: 0, 1025: 2}, ease: linear}, count: {keys: {1001: 1, 1010: 5}, ease: hold},"
             " wind: {keys: {1001: [0, 0, 0], 1025: [0, 0, 8]}, ease: smooth},"
             " fuel: '=frame - 1000 + fps*t + seed', temperature: {keys: {1001: 0 K/s, 1025: 1 K/s}}}",
             0.25, &o);
    cr_expect(bw_params_animated(p));
    cr_expect_float_eq(o.rate, 0.5, 1e-12);
    cr_expect_eq(o.count, 1);
    cr_expect_float_eq(o.wind[2], 8 * 0.25 * 0.25 * (3 - 0.5), 1e-12);
    const struct bw_amount *a = o.amounts.items;
    cr_expect_float_eq(a[0].value[0], 7 + 6 + 7, 1e-12);
    cr_expect(a[1].rate == 1 && fabs(a[1].value[0] - 0.25) < 1e-12);
    cr_assert_eq(bw_params_eval(p, 10, 1, &later, &d), BW_OK);
    cr_expect(later.rate == 2 && later.count == 5 && later.wind[2] == 8);
    cr_expect_float_eq(a[0].value[0], 20, 1e-12, "another slot left this one alone");
    bw_params_free(p);
}

Test(params, range_when_evaluated)
{
    struct bw_diag d = {0};
    struct options o;
    struct bw_params *p = compile("{rate: '=20*t'}", &d);
    cr_assert_not_null(p);
    cr_expect_eq(bw_params_eval(p, 0.5, 0, &o, &d), BW_OK);
    cr_expect_eq(bw_params_eval(p, 1, 0, &o, &d), BW_ERR_PRESET);
    cr_expect(strstr(d.first, "test.yaml:1:9: test: rate at frame 1025") && strstr(d.first, "at most 10"), "%s",
              d.first);
    bw_params_free(p);
    bw_diag_free(&d);
}

Test(params, refusals)
{
    refused("{noise: {amonut: 1}}", "test.yaml:1:10: test: unknown key \"amonut\"; did you mean \"amount\"?");
    refused("rate: -1", "test.yaml:1:7: test: rate: -1 1/s is out of range: at least 0");
    refused("rate: 3 kg", "\"3 kg\" is a mass (kg); wanted is a rate (1/s)");
    refused("rate: 3 furlongs", "no unit that is known here");
    refused("angle: -55", "\"-55\" without a unit is in radians, more than a turn; write -55 deg, or -55 rad");
    refused("rate: [1, 2, 3]", "rate wants a number, not a list of 3");
    refused("rate: nan", "rate wants a number, not \"nan\"");
    refused("rate: 0x10", "rate: 16 1/s is out of range");
    refused("rate: '=2*foo'", "expression \"2*foo\": there is no \"foo\"; t, frame, seed, fps, ambient, pi and e are");
    refused("rate: '=2*farme'", "did you mean \"frame\"?");
    refused("rate: '=2*(3'", "expression \"2*(3\": ");
    refused("rate: '=1, 2'", "several values");
    refused("rate: '=1/0'", "no finite value");
    refused("rate:", "rate has no value");
    refused("rate: {keys: {5: 1, 3: 2}}", "ascending");
    refused("rate: {keys: {5: 1}, ease: in}", "linear, smooth or hold");
    refused("rate: {keys: {5: 11}}", "at most 10");
    refused("rate: {keys: [1]}", "map {FRAME: VALUE");
    refused("wind: 3", "wind wants three numbers");
    refused("wind: [1, 2]", "wind wants three numbers");
    refused("colour: '#ff00'", "a colour like");
    refused("colour: #ff0000", "colour has no value: # begins a comment; quote the colour: '#ff0000'");
    refused("on: maybe", "on wants true or false");
    refused("count: 1.5", "count wants a whole number");
    refused("mode: mix", "mode can't be \"mix\"; it is one of max|set|add; did you mean \"max\"?");
    refused("shape: {sphere: {}, box: {}}", "exactly one kind");
    refused("wind: {axis: 1}", "wind wants three numbers [x, y, z], or {keys: {FRAME: VALUE, ...}}, not");
    refused("shape: {spere: {}}", "did you mean \"sphere\"");
    refused("shape: {sphere: {radius: 1 s}}", "is a time (s)");
    refused("noise: 3", "options have to be a map {KEY: VALUE, ...}, like {");
    refused("density: {1: 0, 5: 1}", "keys want a name before them: {keys: {FRAME: VALUE, ...}}");
    refused("shape: {sphere: {radius: 1 inch}}",
            "\"inch\" is no unit that is known here; a length (m) may be in m, cm,");
    refused("fields: {a: 1}", "fields wants a list");
    refused("slices: [3]", "options have to be a map");
    refused("density: {keys: {1: 1, 2: 3 K, 3: 1/s}}", "is a rate (1/s); wanted is a temperature (K)");
    refused("density: {keys: {1: 2 K, 2: 3 1/s}}", "is a rate (1/s)");
    refused("density: max", "density wants a number, not \"max\"");
}

Test(params, static_required_and_fields)
{
    struct plain {
        double a, b;
    };
    static const struct bw_param fixed[] = {
        {.key = "a", .type = BW_PARAM_F64, .offset = offsetof(struct plain, a), .flags = BW_PARAM_STATIC},
        {.key = "b", .type = BW_PARAM_F64, .offset = offsetof(struct plain, b), .flags = BW_PARAM_REQUIRED},
    };
    static const char *const texts[] = {"a: '=t'\nb: 1", "a: 1", "b: 1\nc: 2"};
    static const char *const sentences[] = {"a may not change with time", "b has to be given", "unknown key \"c\""};
    struct bw_params_context c = {.owner = "test", .fps = 24};
    for (int i = 0; i < 3; i++) {
        struct bw_diag d = {0};
        struct bw_node *n = bw_node_parse(texts[i], "test.yaml", &d);
        cr_expect_null(bw_params_compile(fixed, 2, sizeof(struct plain), n, &c, &d));
        cr_expect(d.first && strstr(d.first, sentences[i]), "%s", d.first);
        bw_node_free(n);
        bw_diag_free(&d);
    }
    struct bw_diag d = {0};
    cr_expect_null(bw_params_compile(fixed, 2, 8, NULL, &c, &d));
    bw_diag_free(&d);
    cr_expect_eq(bw_alloc_live(), 0);
}

Test(params, unknown_amount_is_named)
{
    static const struct bw_param amounts[] = {BW_AMOUNTS(struct options, amounts, "What.")};
    static const char *const known[] = {"dye"};
    struct bw_params_context c = {.owner = "emit", .fps = 24, .fields = known, .n_fields = 1};
    struct bw_diag d = {0};
    struct bw_node *n = bw_node_parse("{densty: 1, dye: 1, fuel: 2}", "test.yaml", &d);
    cr_expect_null(bw_params_compile(amounts, 1, sizeof(struct options), n, &c, &d));
    cr_expect_str_eq(d.first, "test.yaml:1:2: emit: unknown key \"densty\"; did you mean \"density\"?");
    cr_expect_eq(d.errors, 1);
    bw_node_free(n);
    bw_diag_free(&d);
}

static char *written(const struct bw_node *n)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    bw_node_write(n, f);
    fclose(f);
    return text;
}

Test(params, resolved_reproduces)
{
    struct options a, b;
    struct bw_params *p = good("{rate: {keys: {1001: 0, 1025: 2}}, shape: {box: {}}, fields: [x], slices: [{at: 1 cm}],"
                               " colour: '#ff8000', fuel: '=t', text: 'a: b', path: q.obj}",
                               0.5, &a);
    struct bw_node *n = bw_params_resolved(p);
    cr_assert_not_null(n);
    char *text = written(n);
    struct bw_params *q = good(text, 0.5, &b);
    struct bw_node *m = bw_params_resolved(q);
    char *again = written(m);
    cr_expect_str_eq(text, again);
    cr_expect(strstr(text, "octaves: 3") && strstr(text, "1025: 2") && strstr(text, "fuel: \"=t\""), "%s", text);
    cr_expect(a.rate == b.rate && a.shape.kind == b.shape.kind && a.colour[1] == b.colour[1] &&
              !strcmp(a.path, b.path));
    free(text);
    free(again);
    bw_node_free(n);
    bw_node_free(m);
    bw_params_free(p);
    bw_params_free(q);
    cr_expect_eq(bw_alloc_live(), 0);
}

Test(params, every_allocation_may_fail)
{
    static const char yaml[] =
        "{rate: '=t', shape: {box: {}}, fields: [x], slices: [{at: 1}], dye: {keys: {1: 2}}, path: x, mode: add}";
    int64_t live = bw_alloc_live();
    for (int64_t i = 0; i < 10000; i++) {
        struct bw_diag d = {0};
        struct options o;
        bw_alloc_fail(i);
        struct bw_params *p = compile(yaml, &d);
        enum bw_status status = p ? bw_params_eval(p, 0, 0, &o, &d) : d.status;
        struct bw_node *n = status ? NULL : bw_params_resolved(p);
        int reached = bw_alloc_made() > i;
        bw_alloc_fail(-1);
        cr_expect(!reached || !n || d.status == BW_OK);
        bw_node_free(n);
        bw_params_free(p);
        bw_diag_free(&d);
        cr_assert_eq(bw_alloc_live(), live, "allocation %lld", (long long)i);
        if (!reached) {
            cr_expect(i > 50 && n);
            return;
        }
    }
    cr_assert_fail("never got through");
}

Test(params, quantities)
{
    static const struct {
        const char *text, *unit;
        double value;
    } cases[] = {{"1.25 cm", "m", 0.0125},
                 {"9.81 m/s^2", "m/s²", 9.81},
                 {"1.2 kg/m³", "kg/m3", 1.2},
                 {"1e-4", "m", 1e-4},
                 {"2 1/min", "1/s", 2.0 / 60},
                 {"50 %", NULL, 0.5},
                 {"20 Hz", "1/s", 20},
                 {"-3mm", "m", -0.003},
                 {"1 N", "kg m/s^2", 1},
                 {"180°", "rad", 3.14159265358979323846},
                 {"60 rpm", "rad/s", 6.283185307179586}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char why[200] = "";
        double v = 0;
        int unit = 0;
        cr_expect_eq(bw_parse_quantity(cases[i].text, cases[i].unit, &v, &unit, why, sizeof why), BW_OK, "%s", why);
        cr_expect_float_eq(v, cases[i].value, 1e-14, "%s", cases[i].text);
    }
    double bytes;
    cr_expect(!bw_parse_bytes("12 GiB", &bytes) && bytes == 12.0 * (1 << 30));
    cr_expect(!bw_parse_bytes("900MB", &bytes) && bytes == 9e8 && !bw_parse_bytes("1e9", &bytes) && bytes == 1e9);
    cr_expect(!bw_parse_bytes("12G", &bytes) && bytes == 12.0 * (1 << 30) && bw_parse_bytes("12 Q", &bytes));
    int64_t a, b;
    cr_expect(!bw_parse_frames("1001-1096", &a, &b) && a == 1001 && b == 1096 && !bw_parse_frames("-5--2", &a, &b) &&
              b == -2);
    cr_expect(bw_parse_frames("9-2", &a, &b) && bw_parse_frames("x", &a, &b) && bw_parse_frames("1-", &a, &b));
}
