// SPDX-License-Identifier: Apache-2.0
/* `billow info`: a stage or exporter with its parameters and ports, a section of presets with its keys, a preset with
 * its chain, or a .vdb file. What it says of plugins comes from their tables, the same rows that the preset reader uses. */
#include "cli.h"

#include "base/alloc.h"
#include <getopt.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

static const struct cli_option options[] = {
    {"json", NULL, "JSON on stdout (a .vdb file)", 'j'},
    CLI_PATH_OPTIONS,
};

const struct cli_command command_info = {
    .name = "info",
    .synopsis = "STAGE|EXPORTER|SECTION|PRESET|FILE.vdb",
    .brief = "Explain a stage, an exporter, a section of presets, a preset, or a VDB file.",
    .details =
        "  billow info mac.project\n  billow info domain\n  billow info plume\n  billow info out/plume/vdb/plume_0001.vdb\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = cmd_info,
};

/* ---- parameters ---- */

static void range_print(const struct bw_param *p)
{
    int open = p->flags & BW_PARAM_MIN_OPEN;
    if (p->min == 0 && p->max == 0 && !open) return;
    const char *below = open ? "above " : "";
    if (p->type == BW_PARAM_LIST || p->type == BW_PARAM_MAP) {
        printf(p->min == p->max ? ", %g" : ", %g to %g", p->min, p->max);
        return;
    }
    if (p->max >= 1e18 || (open && p->max <= p->min)) printf(", %s%g%s", below, p->min, *below ? "" : " or more");
    else if (p->min <= -1e30) printf(", %g or less", p->max);
    else printf(", %s%g to %g", below, p->min, p->max);
}

static void choices_print(const char *choices)
{
    fputs(": ", stdout);
    for (const char *c = choices ? choices : ""; *c; c++) {
        if (*c == '|') fputs(", ", stdout);
        else fputc(*c, stdout);
    }
}

static void params_print(const struct bw_param *rows, uint32_t n, uint32_t stride, int indent);

/* `last`: the row before, whose table is not said again. */
static void param_print(const struct bw_param *p, const struct bw_param *last, uint32_t stride, int indent)
{
    const char *key = p->type == BW_PARAM_AMOUNTS ? "FIELD" : p->key ? p->key : "-";
    printf("%*s%s:", indent, "", key);
    if (p->def) printf(" %s", p->def);
    struct bw_param item = p->n_sub ? cli_param(p->sub, 0, stride) : (struct bw_param){0};
    int plain_list = (p->type == BW_PARAM_LIST || p->type == BW_PARAM_MAP) && p->n_sub && !item.key;
    printf("%*s# %s", p->def ? 2 : 1, "", cli_param_type(p));
    if (plain_list) printf(" of %ss", cli_param_type(&item));
    if (p->type == BW_PARAM_CHOICE) choices_print(p->choices);
    else range_print(p);
    if (p->type != BW_PARAM_CHOICE && p->choices) printf(", or %s", p->choices);
    if (p->soft_min != 0 || p->soft_max != 0) printf(", usually %g to %g", p->soft_min, p->soft_max);
    if (p->unit && strcmp(p->unit, "1")) printf(", %s", p->unit);
    if (p->flags & BW_PARAM_REQUIRED) fputs(", must be given", stdout);
    printf("\n%*s%s\n", indent + 4, "", p->doc ? p->doc : "");
    if (!p->n_sub || plain_list) return;
    if (p->sub == last->sub) printf("%*sas in %s\n", indent + 4, "", last->key);
    else params_print(p->sub, p->n_sub, stride, indent + 4);
}

static void params_print(const struct bw_param *rows, uint32_t n, uint32_t stride, int indent)
{
    struct bw_param last = {0};
    for (uint32_t i = 0; i < n; i++) {
        struct bw_param p = cli_param(rows, i, stride);
        param_print(&p, &last, stride, indent);
        if (p.sub != last.sub) last = p;
    }
}

/* ---- stages and exporters ---- */

static void port_print(const struct bw_port *p)
{
    static const char *const kind[] = {"scalar", "vector", "mac", "particles"};
    static const char *const access[] = {"", "reads", "updates", "writes"};
    int list = (p->flags & BW_PORT_LIST) != 0;
    printf("  %-12s %s %s%s%s%s%s\n", p->name, access[p->access < 4 ? p->access : 0],
           list ? "fields" : kind[p->kind < 5 ? p->kind : 0], p->precision == BW_F64P ? " f64" : "",
           p->unit && strcmp(p->unit, "1") ? ", " : "", p->unit && strcmp(p->unit, "1") ? p->unit : "",
           p->flags & BW_PORT_OPTIONAL ? ", optional" : "");
    printf("  %-12s   %s\n", "", p->doc ? p->doc : "");
}

static void entry_head(const struct bw_entry *e, const char *what, const char *version, const char *brief)
{
    printf("%s %s, %s\n%s\nplugin: %s\n", e->id, version ? version : "", what, brief ? brief : "", e->path);
    if (e->shadows) printf("hides: %s\n", e->shadows);
}

static int stage_info(const struct bw_entry *e)
{
    const struct bw_stage_desc *s = e->stage;
    entry_head(e, "a stage", s->version, s->brief);
    if (s->references) printf("references: %s\n", s->references);
    if (s->n_params) puts("\nParameters, as a preset gives them, with their defaults");
    params_print(s->params, s->n_params, e->param_stride, 2);
    if (s->n_ports) puts("\nFields");
    for (uint32_t i = 0; i < s->n_ports; i++) {
        struct bw_port p = cli_port(s->ports, i, e->port_stride);
        port_print(&p);
    }
    return EXIT_CODE_OK;
}

static int exporter_info(const struct bw_entry *e)
{
    const struct bw_exporter_desc *x = e->exporter;
    entry_head(e, "an exporter", x->version, x->brief);
    if (x->n_params) puts("\nParameters, as a preset gives them, with their defaults");
    params_print(x->params, x->n_params, e->param_stride, 2);
    return EXIT_CODE_OK;
}

/* ---- sections of a preset ---- */

static int rows_info(const char *what, const char *doc, const struct bw_param *rows, uint32_t n)
{
    printf("%s, %s\n", what, doc);
    puts("\nKeys, as a preset gives them, with their defaults");
    params_print(rows, n, sizeof *rows, 2);
    return EXIT_CODE_OK;
}

/* -1: it is none. */
static int section_info(const char *name)
{
    if (!strcmp(name, "preset"))
        return rows_info(name, "all of it, but for stages and export", bw_preset_rows, bw_preset_n_rows);
    if (!strcmp(name, "stages")) return rows_info(name, "what each takes", bw_stage_rows, bw_stage_n_rows);
    if (!strcmp(name, "export")) return rows_info(name, "what each takes", bw_export_rows, bw_export_n_rows);
    for (uint32_t i = 0; i < bw_preset_n_rows; i++) {
        const struct bw_param *p = &bw_preset_rows[i];
        if (strcmp(p->key, name)) continue;
        return rows_info(name, "a section of a preset", p, 1);
    }
    return -1;
}

/* ---- presets ---- */

static void domain_print(const struct bw_preset_domain *d)
{
    char cells[24];
    double n = (double)d->info.n[0] * d->info.n[1] * d->info.n[2];
    printf("domain %s: ", d->name);
    if (n > 0) {
        printf("%d x %d x %d cells (%s) of %g m, %g x %g x %g m from (%g, %g, %g)\n", d->info.n[0], d->info.n[1],
               d->info.n[2], cli_count(n, cells), d->info.h, d->info.n[0] * d->info.h, d->info.n[1] * d->info.h,
               d->info.n[2] * d->info.h, d->info.origin[0], d->info.origin[1], d->info.origin[2]);
    } else {
        printf("no box, cells of %g m\n", d->info.h);
    }
}

static int preset_info(const struct bw_preset *p, const struct bw_registry *r)
{
    printf("%s, a preset\n%s\nfile: %s\n", p->name, p->comment ? p->comment : "", p->path);
    for (int32_t i = 0; i < p->n_domains; i++) domain_print(&p->domain[i]);
    printf("frames: %lld-%lld at %g a second", (long long)p->time.first, (long long)p->time.last, p->time.fps);
    if (p->time.warmup) printf(", after %lld of warm-up", (long long)p->time.warmup);
    puts("\n\nStages, in the order they run");
    for (int32_t i = 0; i < p->n_stages; i++) {
        const struct bw_preset_stage *s = &p->stage[i];
        const struct bw_entry *e = bw_registry_stage(r, s->type);
        printf("  %-14s %s%s\n", s->id, e && e->stage->brief ? e->stage->brief : "(no such stage)",
               s->enabled ? "" : " [off]");
    }
    if (p->n_exports) puts("\nExports");
    for (int32_t i = 0; i < p->n_exports; i++) {
        const struct bw_entry *e = bw_registry_exporter(r, p->export[i].type);
        printf("  %-14s %s%s\n", p->export[i].id, e && e->exporter->brief ? e->exporter->brief : "(no such exporter)",
               p->export[i].enabled ? "" : " [off]");
    }
    return EXIT_CODE_OK;
}

/* ---- the command ---- */

static int ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && !strcmp(text + n - m, end);
}

/* Neither a stage nor a preset: the nearest name of all of them. */
static int nothing_found(const char *name, const struct bw_registry *r, struct bw_diag *d)
{
    const char **names = bw_calloc(((size_t)r->n_entries + bw_preset_n_rows) * sizeof *names);
    for (int32_t i = 0; names && i < r->n_entries; i++) names[i] = r->entry[i].id;
    for (uint32_t i = 0; names && i < bw_preset_n_rows; i++) names[(uint32_t)r->n_entries + i] = bw_preset_rows[i].key;
    const char *near = names ? bw_did_you_mean(name, names, (uint32_t)r->n_entries + bw_preset_n_rows) : NULL;
    int code =
        near ? cli_usage("there is no stage, exporter or preset \"%s\"; did you mean %s?", name, near) : cli_report(d);
    bw_free(names);
    bw_diag_free(d);
    return code;
}

static int name_info(const char *name, const struct bw_registry *r, const char *preset_path)
{
    struct bw_diag d = {0};
    struct cli_folders folders;
    const struct bw_entry *e = bw_registry_stage(r, name);
    if (e) return stage_info(e);
    e = bw_registry_exporter(r, name);
    if (e) return exporter_info(e);
    int code = section_info(name);
    if (code >= 0) return code;
    if (!cli_folders_find(&folders, NULL)) return 7;
    char *path = bw_preset_find(name, preset_path, folders.presets, &d);
    cli_folders_free(&folders);
    if (!path) return nothing_found(name, r, &d);
    struct bw_preset *p = bw_preset_load(path, NULL, &d);
    bw_free(path);
    code = p ? preset_info(p, r) : cli_report(&d);
    bw_preset_free(p);
    bw_diag_free(&d);
    return code;
}

int cmd_info(int argc, char **argv)
{
    const char *plugin_path = NULL, *preset_path = NULL;
    int code, json = 0;
    while ((code = cli_option_next(&command_info, argc, argv)) != CLI_END) {
        if (code < 0) return code == CLI_HELP ? EXIT_CODE_OK : EXIT_CODE_USAGE;
        if (code == 'P') plugin_path = optarg;
        if (code == 'R') preset_path = optarg;
        json |= code == 'j';
    }
    const char *name = cli_operand(&command_info, argc, argv, "a name");
    if (!name) return EXIT_CODE_USAGE;
    if (ends_with(name, ".vdb")) return vdb_info_print(name, json);
    if (json)
        return cli_usage("info --json is for VDB files; `billow schema` has the parameters of all stages as JSON");
    struct bw_registry *r = cli_registry_open(plugin_path);
    if (!r) return 7;
    code = name_info(name, r, preset_path);
    bw_registry_close(r);
    return code;
}
