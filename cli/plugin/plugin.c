// SPDX-License-Identifier: Apache-2.0
/* `billow plugin new|validate|cflags`: for those who write stages. `validate` loads a plugin as a bake would and
 * then reads its tables with a stricter eye: what users see must be there and make sense. */
#include "cli.h"

#include "base/alloc.h"
#include "preset/values/params.h"
#include "plugin_new.h"
#include <getopt.h>
#include <string.h>

static const struct cli_option options[] = {{"force", NULL, "new: overwrite the files that are there", 'f'}};

const struct cli_command command_plugin = {
    .name = "plugin",
    .synopsis = "new NAME | validate FILE.so | cflags",
    .brief = "Start a plugin of your own, or check one.",
    .details = "  billow plugin new swirl            writes swirl/swirl.c and swirl/Makefile, ready to build\n"
               "  make -C swirl\n"
               "  billow plugin validate swirl/swirl.so\n"
               "  billow bake my.yaml --plugin-path swirl\n\n"
               "`cflags` prints what the compiler needs to find billow/plugin.h, where pkg-config does not know.\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = cmd_plugin,
};

/* ---- one table of parameters ---- */

struct table {
    const char *owner;
    const struct bw_param *rows;
    uint32_t n, stride, size;
    int exclusive; /* groups of a variant lie over each other */
    struct bw_diag *d;
};

static void complain(const struct table *t, const char *key, const char *what)
{
    bw_diag_error(t->d, NULL, BW_ERR_PLUGIN, "%s.%s: %s", t->owner, key, what);
}

static void row_compare(const struct table *t, const struct bw_param *a, const struct bw_param *b, const char *key)
{
    if (a->key && b->key && !strcmp(a->key, b->key)) complain(t, key, "this key is there twice");
    if (t->exclusive) return;
    if (a->offset < b->offset + bw_row_bytes(b) && b->offset < a->offset + bw_row_bytes(a)) {
        complain(t, key, "its member overlaps that of another row");
    }
}

static void table_check(const struct table *t);

static void row_check(const struct table *t, const struct bw_param *p, const char *key)
{
    char why[160];
    double value;
    int has_unit;
    if (!p->doc || !*p->doc) complain(t, key, "has no doc; say in one sentence what it does");
    if (p->type > BW_PARAM_MAP) complain(t, key, "has a type that this Billow does not know");
    if ((uint64_t)p->offset + bw_row_bytes(p) > t->size)
        complain(t, key, "its member lies beyond the parameter struct");
    if (p->unit && bw_parse_quantity("1", p->unit, &value, &has_unit, why, sizeof why) != BW_OK) complain(t, key, why);
    if (p->min > p->max) complain(t, key, "its range is upside down");
    if (p->type == BW_PARAM_CHOICE && (!p->choices || !*p->choices)) complain(t, key, "has no choices");
    if ((p->type == BW_PARAM_GROUP || p->type == BW_PARAM_VARIANT) && !p->n_sub)
        complain(t, key, "has no rows of its own");
    if (p->n_sub && p->sub) {
        char owner[160];
        snprintf(owner, sizeof owner, "%s.%s", t->owner, key);
        struct table below = {owner, p->sub, p->n_sub, t->stride, p->sub_size, p->type == BW_PARAM_VARIANT, t->d};
        table_check(&below);
    }
}

static void table_check(const struct table *t)
{
    for (uint32_t i = 0; i < t->n; i++) {
        struct bw_param p = cli_param(t->rows, i, t->stride);
        char key[64];
        snprintf(key, sizeof key, "%s", p.key ? p.key : "item");
        row_check(t, &p, key);
        for (uint32_t k = 0; k < i; k++) {
            struct bw_param before = cli_param(t->rows, k, t->stride);
            row_compare(t, &p, &before, key);
        }
    }
}

/* The defaults go through the same reader as a preset's values; what must be given has none. */
static void defaults_check(const struct table *t)
{
    struct bw_params_context c = {.owner = t->owner, .fps = 24, .first = 1};
    for (uint32_t i = 0; i < t->n; i++) {
        if (cli_param(t->rows, i, t->stride).flags & BW_PARAM_REQUIRED) return;
    }
    bw_params_free(bw_params_compile(t->rows, t->n, t->stride, t->size, NULL, &c, t->d));
}

/* ---- a stage, an exporter, a plugin ---- */

static void ports_check(const struct bw_entry *e, struct bw_diag *d)
{
    for (uint32_t i = 0; i < e->stage->n_ports; i++) {
        struct bw_port p = cli_port(e->stage->ports, i, e->port_stride);
        const char *name = p.name ? p.name : "(no name)";
        if (!p.doc || !*p.doc) bw_diag_error(d, NULL, BW_ERR_PLUGIN, "%s, field %s: has no doc", e->id, name);
        if (!p.unit && p.kind <= BW_MAC && !(p.flags & BW_PORT_LIST)) {
            bw_diag_error(d, NULL, BW_ERR_PLUGIN, "%s, field %s: has no unit (\"1\" when it is a pure number)", e->id,
                          name);
        }
        for (uint32_t k = 0; k < i; k++) {
            struct bw_port before = cli_port(e->stage->ports, k, e->port_stride);
            if (before.name && p.name && !strcmp(before.name, p.name) && before.access == p.access) {
                bw_diag_error(d, NULL, BW_ERR_PLUGIN, "%s, field %s: is there twice", e->id, name);
            }
        }
    }
}

static void entry_check(const struct bw_entry *e, struct bw_diag *d)
{
    const char *brief = e->stage ? e->stage->brief : e->exporter->brief;
    const char *version = e->stage ? e->stage->version : e->exporter->version;
    struct table t = {.owner = e->id, .stride = e->param_stride, .d = d};
    t.rows = e->stage ? e->stage->params : e->exporter->params;
    t.n = e->stage ? e->stage->n_params : e->exporter->n_params;
    t.size = e->stage ? e->stage->params_size : e->exporter->params_size;
    if (!brief || !*brief)
        bw_diag_error(d, NULL, BW_ERR_PLUGIN, "%s: has no brief; say in one line what it does", e->id);
    if (!version || !*version) bw_diag_error(d, NULL, BW_ERR_PLUGIN, "%s: has no version", e->id);
    int before = d->errors;
    table_check(&t);
    if (d->errors == before) defaults_check(&t);
    if (e->stage) ports_check(e, d);
}

static int plugin_validate(const char *path)
{
    struct bw_diag d = {0};
    struct bw_registry *r = bw_registry_open("");
    if (!r) return 7;
    char *here = strchr(path, '/') ? bw_strdup(path) : bw_printf("./%s", path);
    if (here && bw_registry_load(r, here, &d) == BW_OK) {
        for (int32_t i = 0; i < r->n_entries; i++) entry_check(&r->entry[i], &d);
        for (int32_t i = 0; i < r->n_entries && !d.errors; i++) {
            printf("%s %s: good\n", r->entry[i].stage ? "stage" : "exporter", r->entry[i].id);
        }
    }
    bw_free(here);
    int code = cli_report(&d);
    bw_registry_close(r);
    return code;
}

static int cflags_print(void)
{
    struct cli_folders folders;
    if (!cli_folders_find(&folders, NULL)) return 7;
    printf("-I%s\n", folders.include);
    cli_folders_free(&folders);
    return EXIT_CODE_OK;
}

int cmd_plugin(int argc, char **argv)
{
    static const char *const verbs[] = {"new", "validate", "cflags"};
    int code, force = 0;
    while ((code = cli_option_next(&command_plugin, argc, argv)) != CLI_END) {
        if (code < 0) return code == CLI_HELP ? EXIT_CODE_OK : EXIT_CODE_USAGE;
        force |= code == 'f';
    }
    if (optind == argc) return cli_usage("plugin wants a verb: billow plugin %s", command_plugin.synopsis);
    const char *verb = argv[optind++];
    if (!strcmp(verb, "cflags")) return cflags_print();
    if (strcmp(verb, "new") && strcmp(verb, "validate")) {
        const char *near = bw_did_you_mean(verb, verbs, 3);
        return cli_usage("plugin does not know \"%s\"%s%s", verb, near ? "; did you mean " : "", near ? near : "");
    }
    const char *name = cli_operand(&command_plugin, argc, argv, "a name");
    if (!name) return EXIT_CODE_USAGE;
    return strcmp(verb, "new") ? plugin_validate(name) : plugin_new(name, force);
}
