// SPDX-License-Identifier: Apache-2.0
/* `billow info`: a stage or exporter with its parameters and ports, a section of presets with its keys, one key
 * wherever it stands, a field with its users, a preset with its chain, or a .vdb file. */
#include "cli.h"

#include <getopt.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

static const struct cli_option options[] = {
    {"json", NULL, "JSON on stdout", 'j'},
    CLI_PATH_OPTIONS,
};

const struct cli_command command_info = {
    .name = "info",
    .synopsis = "STAGE|EXPORTER|SECTION|KEY|FIELD|PRESET|FILE.vdb",
    .brief = "Explain a stage, an exporter, a section or a key of presets, a field, a preset, or a VDB file.",
    .details = "  billow info mac.project\n  billow info domain\n  billow info wind\n  billow info mp4.look\n"
               "  billow info plume\n  billow info out/plume/vdb/plume_0001.vdb\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = cmd_info,
};

/* ---- parameters ---- */

static void range_print(const json_t *p, const char *type)
{
    if (!json_object_get(p, "min")) return;
    double min = cli_number(p, "min"), max = cli_number(p, "max");
    int open = json_object_get(p, "above_min") != NULL;
    const char *below = open ? "above " : "";
    if (!strcmp(type, "list") || !strcmp(type, "map")) printf(min == max ? ", %g" : ", %g to %g", min, max);
    else if (max >= 1e18 || (open && max <= min)) printf(", %s%g%s", below, min, open ? "" : " or more");
    else if (min <= -1e30) printf(", %g or less", max);
    else printf(", %s%g to %g", below, min, max);
}

static void choices_print(const json_t *choices)
{
    size_t i;
    json_t *c;
    fputs(": ", stdout);
    json_array_foreach (choices, i, c) printf("%s%s", i ? ", " : "", json_string_value(c));
}

static void params_print(const json_t *rows, int indent);

static void param_print(const json_t *p, int indent)
{
    const char *type = cli_text(p, "type"), *def = cli_text(p, "default"), *unit = cli_text(p, "unit"),
               *key = cli_text(p, "key"), *items = cli_text(p, "items"), *other = cli_text(p, "or"),
               *as = cli_text(p, "rows_as");
    printf("%*s%s:", indent, "", !strcmp(type, "amounts") ? "FIELD" : *key ? key : "-");
    if (json_object_get(p, "default")) printf(" %s", def);
    printf("%*s# %s", json_object_get(p, "default") ? 2 : 1, "", type);
    if (*items) printf(" of %ss", items);
    if (json_object_get(p, "choices")) choices_print(json_object_get(p, "choices"));
    else range_print(p, type);
    if (*other) printf(", or %s", other);
    if (json_object_get(p, "usual"))
        printf(", usually %g to %g", cli_number_at(p, "usual", 0), cli_number_at(p, "usual", 1));
    if (*unit) printf(", %s", unit);
    if (json_object_get(p, "required")) fputs(", must be given", stdout);
    printf("\n%*s%s\n", indent + 4, "", cli_text(p, "doc"));
    if (*as) printf("%*sas in %s\n", indent + 4, "", as);
    else params_print(json_object_get(p, "rows"), indent + 4);
}

static void params_print(const json_t *rows, int indent)
{
    size_t i;
    json_t *p;
    json_array_foreach (rows, i, p) param_print(p, indent);
}

/* Is it listed in a group at the end? For `info look`, keys of the group "look" are not. */
static bool is_grouped(const json_t *p, bool look)
{
    const char *group = cli_text(p, "group");
    return *group && !(look && !strcmp(group, "look"));
}

/* A row's key, or that it is a group's, as one of several in lines of readable length. */
static void word_print(const char *word, int *column)
{
    const int more = *column ? 2 : 0, length = (int)strlen(word);
    const bool full = *column + more + length > 100;
    if (full) puts(",");
    if (full || !*column) printf("%*s%s", 6, "", word), *column = 6 + length;
    else printf(", %s", word), *column += more + length;
}

static void group_print(const char *name, const char *doc, const json_t *rows, const char *group)
{
    size_t i;
    int column = 0;
    json_t *p;
    printf("  %s: %s\n", name, doc);
    json_array_foreach (rows, i, p)
        if (!group || !strcmp(cli_text(p, "group"), group)) word_print(cli_text(p, "key"), &column);
    putchar('\n');
}

/* All rows; those in groups by key alone, at the end. `of`: the name before the group in `billow info`. */
static void params_print_short(const json_t *rows, const char *of, bool look)
{
    size_t i;
    json_t *p;
    bool apart = false, looks = false;
    json_array_foreach (rows, i, p) {
        if (!is_grouped(p, look)) param_print(p, 2);
        apart |= is_grouped(p, look), looks |= !look && !strcmp(cli_text(p, "group"), "look");
    }
    if (apart) printf("\nMore of them, in groups: billow info %s%sGROUP\n", look ? "" : of, look ? "" : ".");
    if (looks) group_print("look", "How pictures look, and slices.", rows, "look");
    json_array_foreach (rows, i, p)
        if (is_grouped(p, look) && strcmp(cli_text(p, "group"), "look") != 0)
            group_print(cli_text(p, "key"), cli_text(p, "doc"), json_object_get(p, "rows"), NULL);
}

/* ---- stages and exporters ---- */

static void field_print(const json_t *f)
{
    const char *unit = cli_text(f, "unit");
    printf("  %-12s %s %s%s%s%s%s\n", cli_text(f, "name"), cli_text(f, "access"), cli_text(f, "kind"),
           strcmp(cli_text(f, "precision"), "f64") ? "" : " f64", *unit ? ", " : "", unit,
           json_object_get(f, "optional") ? ", optional" : "");
    printf("  %-12s   %s\n", "", cli_text(f, "doc"));
}

static void entry_print(const json_t *e, const char *what)
{
    const char *references = cli_text(e, "references"), *hides = cli_text(e, "shadows");
    const json_t *parameters = json_object_get(e, "parameters"), *fields = json_object_get(e, "fields");
    size_t i;
    json_t *f;
    printf("%s %s, %s\n%s\nplugin: %s\n", cli_text(e, "id"), cli_text(e, "version"), what, cli_text(e, "brief"),
           cli_text(e, "path"));
    if (*hides) printf("hides: %s\n", hides);
    if (*references) printf("references: %s\n", references);
    if (json_array_size(parameters)) puts("\nParameters, as a preset gives them, with their defaults");
    params_print_short(parameters, cli_text(e, "id"), false);
    if (json_array_size(fields)) puts("\nFields");
    json_array_foreach (fields, i, f) field_print(f);
}

static void section_print(const json_t *s)
{
    const json_t *rows = json_object_get(s, "parameters");
    printf("%s, %s\n\nKeys, as a preset gives them, with their defaults\n", cli_text(s, "name"), cli_text(s, "doc"));
    if (json_array_size(rows) > 1) params_print_short(rows, cli_text(s, "name"), true);
    else params_print(rows, 2);
}

/* ---- words that are keys or fields ---- */

static void key_print(const json_t *k, const char *word)
{
    const json_t *also = json_object_get(k, "also"), *row = json_object_get(k, "parameter");
    size_t i;
    json_t *path;
    printf("%s, a parameter: %s", word, cli_text(k, "in"));
    json_array_foreach (also, i, path) printf(", %s", json_string_value(path));
    putchar('\n');
    param_print(row, 2);
    putchar('\n');
}

static void users_print(const json_t *users, const char *word)
{
    size_t i;
    json_t *u;
    if (json_array_size(users)) printf("%s, a field, which these stages take:\n", word);
    json_array_foreach (users, i, u) {
        const json_t *f = json_object_get(u, "field");
        printf("  %-14s %-7s %s\n", cli_text(u, "stage"), cli_text(f, "access"), cli_text(f, "doc"));
    }
    if (json_array_size(users)) putchar('\n');
}

/* ---- presets ---- */

static void domain_print(const json_t *d)
{
    char text[48];
    double n[3], h = cli_number(d, "voxel");
    for (size_t a = 0; a < 3; a++) n[a] = cli_number_at(d, "cells", a);
    printf("domain %s: ", cli_text(d, "name"));
    if (n[0] * n[1] * n[2] > 0) {
        printf("%.0f x %.0f x %.0f cells (%s) of %g m, %g x %g x %g m from (%g, %g, %g)\n", n[0], n[1], n[2],
               bw_number_words(n[0] * n[1] * n[2], "", text), h, n[0] * h, n[1] * h, n[2] * h,
               cli_number_at(d, "origin", 0), cli_number_at(d, "origin", 1), cli_number_at(d, "origin", 2));
    } else {
        printf("no box, cells of %g m\n", h);
    }
}

static void links_print(const json_t *list)
{
    size_t i;
    json_t *l;
    json_array_foreach (list, i, l) {
        printf("  %-14s %s%s\n", cli_text(l, "id"), cli_text(l, "brief"),
               json_is_true(json_object_get(l, "enabled")) ? "" : " [off]");
    }
}

static void preset_print(const json_t *p)
{
    size_t i;
    json_t *d;
    printf("%s, a preset\n%s\nfile: %s\n", cli_text(p, "name"), cli_text(p, "comment"), cli_text(p, "path"));
    json_array_foreach (json_object_get(p, "domains"), i, d) domain_print(d);
    printf("frames: %.0f-%.0f at %g a second", cli_number(p, "first"), cli_number(p, "last"), cli_number(p, "fps"));
    if (cli_number(p, "warmup") > 0) printf(", after %.4g of warm-up", cli_number(p, "warmup"));
    puts("\n\nStages, in the order they run");
    links_print(json_object_get(p, "stages"));
    if (json_array_size(json_object_get(p, "exports"))) puts("\nExports");
    links_print(json_object_get(p, "exports"));
}

/* ---- VDB files ---- */

static void meta_print(const char *indent, const json_t *texts)
{
    const char *key;
    json_t *text;
    json_object_foreach ((json_t *)texts, key, text) printf("%s%-14s %s\n", indent, key, json_string_value(text));
}

static void numbers_print(const json_t *g, const char *key, const char *format)
{
    printf(format, cli_number_at(g, key, 0), cli_number_at(g, key, 1), cli_number_at(g, key, 2));
}

static void grid_print(const json_t *g)
{
    char text[48];
    const char *class = cli_text(g, "class");
    double active = cli_number(g, "active_voxels"), x = cli_number_at(g, "voxel", 0);
    size_t comps = json_array_size(json_object_get(g, "background"));
    printf("\n%s: %s%s%s%s\n", cli_text(g, "name"), cli_text(g, "type"),
           json_is_true(json_object_get(g, "half")) ? ", stored in half floats" : "", *class ? ", " : "", class);
    printf("  %-14s %s\n", "active voxels", bw_number_words(active, "", text));
    if (active > 0) {
        numbers_print(g, "first", "  voxels         [%.0f, %.0f, %.0f]");
        numbers_print(g, "last", " to [%.0f, %.0f, %.0f]\n");
        numbers_print(g, "low", "  world          (%g, %g, %g)");
        numbers_print(g, "high", " to (%g, %g, %g)\n");
    }
    if (x == cli_number_at(g, "voxel", 1) && x == cli_number_at(g, "voxel", 2)) printf("  %-14s %g\n", "voxel size", x);
    else numbers_print(g, "voxel", "  voxel size     %g × %g × %g\n");
    if (comps == 1) printf("  %-14s %g\n", "background", cli_number_at(g, "background", 0));
    if (comps == 3) {
        numbers_print(g, "background", "  background     (%g, %g, %g)\n");
        printf("  %-14s %s\n", "vectors", cli_text(g, "vector_type"));
    }
    meta_print("  ", json_object_get(g, "texts"));
}

static void file_print(const json_t *f)
{
    char size[48], count[48];
    size_t i;
    json_t *g;
    const json_t *grids = json_object_get(f, "grids");
    cli_print_line(stdout, "%s: %s, %s", cli_text(f, "file"), bw_number_words(cli_number(f, "bytes"), "B", size),
                   bw_number_words((double)json_array_size(grids), "grid", count));
    meta_print("  ", json_object_get(f, "texts"));
    json_array_foreach (grids, i, g) grid_print(g);
}

/* ---- the command ---- */

/* A stage and an exporter may have the same name: both are shown. */
static void all_print(const json_t *all, const char *name)
{
    size_t i;
    json_t *key;
    const json_t *stage = json_object_get(all, "stage"), *exporter = json_object_get(all, "exporter"),
                 *preset = json_object_get(all, "preset"), *file = json_object_get(all, "file"),
                 *section = json_object_get(all, "section");
    if (stage) entry_print(stage, "a stage");
    if (stage && exporter) putchar('\n');
    if (exporter) entry_print(exporter, "an exporter");
    if (section) section_print(section);
    if (preset) preset_print(preset);
    users_print(json_object_get(all, "users"), name);
    json_array_foreach (json_object_get(all, "keys"), i, key) key_print(key, name);
    if (file) file_print(file);
}

static void all_json_print(const json_t *all)
{
    const json_t *file = json_object_get(all, "file");
    cli_json_print(file ? file : all, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
}

static int info_print(struct bw_session *session, const char *name, int json)
{
    json_t *all = (json ? cli_json_plain : cli_json)(bw_session_describe(session, name));
    const struct bw_error *e = bw_error_last();
    if (!all && e->status == BW_ERR_USAGE) return cli_usage("%s", e->sentence);
    if (!all && cli_has_ending(name, ".vdb")) fputs("billow: ", stderr);
    if (!all) return cli_library_error();
    if (json) all_json_print(all);
    else all_print(all, name);
    json_decref(all);
    return EXIT_CODE_OK;
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
    struct bw_session *session = cli_session_open(plugin_path, preset_path);
    if (!session) return 7;
    code = info_print(session, name, json);
    bw_session_close(session);
    return code;
}
