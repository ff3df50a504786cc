// SPDX-License-Identifier: Apache-2.0
/* billow blender: a finished cache as a scene. Beside it come NAME_blender.py, which builds the scene in Blender with
 * material, light and camera of the preview, and NAME.usda for everybody who reads USD. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "blender.h"

#include "base/alloc.h"
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cli_option options[] = {
    {"open", NULL, "start Blender with it", 'O'},
    {"blender", "PROGRAM", "what to start (default: blender)", 'b'},
    {"out", "DIR", "write there instead; the cache is then named by its full path", 'o'},
};

const struct cli_command command_blender = {
    .name = "blender",
    .synopsis = "CACHE [options]",
    .brief = "Write a scene for a finished cache: a Blender script, and USD.",
    .details =
        "CACHE is a bake's folder, a folder of numbered VDB files, one of them, or a pattern such as smoke_####.vdb.\n"
        "NAME_blender.py and NAME.usda go into the bake's folder, or beside the files.\n\n"
        "  billow blender out/campfire --open\n"
        "  blender -b --python out/campfire/campfire_blender.py -o //frame_ -F PNG -a\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = cmd_blender,
};

static int say(int code, const char *text)
{
    fprintf(stderr, "billow: %s\n", text);
    return code;
}

/* ---- where things go ---- */

/// Folder of the files, `in`, and the one for what is written, `out`; from there the files are in `way`.
struct places {
    char *in, *out, *way;
};

static int places_find(struct places *p, const char *file, const char *wanted)
{
    const char *slash = strrchr(file, '/');
    p->in = slash ? bw_printf("%.*s", slash == file ? 1 : (int)(slash - file), file) : bw_strdup(".");
    if (!p->in) return say(7, "out of memory");
    char *last = strrchr(p->in, '/'), *notes = NULL;
    const char *name = last ? last + 1 : p->in;
    if (!strcmp(name, "vdb"))
        notes = last ? bw_printf("%.*s/resolved.yaml", (int)(last - p->in), p->in) : bw_strdup("resolved.yaml");
    if (wanted) { // away from the cache only its full name holds
        char *real = realpath(p->in, NULL);
        p->out = bw_strdup(wanted);
        p->way = bw_strdup(real);
        free(real);
    } else if (notes && access(notes, R_OK) == 0) { // a bake's folder
        p->out = last ? bw_printf("%.*s", (int)(last - p->in), p->in) : bw_strdup(".");
        p->way = bw_strdup("vdb");
    } else {
        p->out = bw_strdup(p->in);
        p->way = bw_strdup(".");
    }
    bw_free(notes);
    return p->out && p->way ? EXIT_CODE_OK : say(7, "out of memory");
}

static void places_free(struct places *p)
{
    bw_free(p->in);
    bw_free(p->out);
    bw_free(p->way);
}

/* ---- what the cache is ---- */

static const char *grid_named(const struct bwvdb_file *f, const char *const *names, uint32_t comps)
{
    for (; *names; names++) {
        int32_t g = bwvdb_find(f, *names);
        if (g >= 0 && bwvdb_grid_info(f, g)->comps == comps) return *names;
    }
    return NULL;
}

static double meta_number(const struct bwvdb_info *g, const char *key, double otherwise)
{
    for (uint32_t i = 0; i < g->n_meta; i++)
        if (!strcmp(g->meta[i].key, key) && g->meta[i].number > 0) return g->meta[i].number;
    return otherwise;
}

static void grids_find(const struct bwvdb_file *f, struct blender_grids *g)
{
    *g = (struct blender_grids){grid_named(f, bw_density_names, 1),
                                grid_named(f, bw_flame_names, 1),
                                grid_named(f, bw_temperature_names, 1),
                                grid_named(f, bw_dye_names, 3),
                                grid_named(f, bw_velocity_names, 3),
                                bwvdb_find(f, "solid") >= 0 ? "solid" : NULL,
                                1000,
                                293.15};
    if (!g->temperature) return;
    const struct bwvdb_info *t = bwvdb_grid_info(f, bwvdb_find(f, g->temperature));
    g->kelvin = meta_number(t, "kelvin", g->kelvin);
    g->ambient = meta_number(t, "ambient", g->ambient);
}

/// Blender plays numbers at the very end of a name, and stops at the first that is not there.
static int sequence_check(const struct bw_sequence *s)
{
    const char *dot = strrchr(s->path[0], '.');
    if (s->count > 1 && dot && !isdigit((unsigned char)dot[-1])) {
        fprintf(stderr, "billow: Blender shows a sequence only if the number ends the name, which it does not in %s\n",
                s->path[0]);
        return EXIT_CODE_FAILURE;
    }
    for (int32_t i = 1; i < s->count; i++)
        if (s->frame[i] != s->frame[i - 1] + 1) {
            fprintf(stderr, "billow: frame %lld is missing; Blender shows nothing where there is no file\n",
                    (long long)s->frame[i - 1] + 1);
            break;
        }
    return EXIT_CODE_OK;
}

/// 0 after a sentence.
static int text_write(const char *folder, const char *name, const char *ending, char *text, char **path)
{
    struct bw_diag d = {0};
    *path = bw_printf("%s/%s%s", folder, name, ending);
    int good = text && *path && cli_write_file(*path, text, &d);
    if (good) printf("%s\n", *path);
    if (d.status) cli_report(&d);
    else if (!good) say(7, "out of memory");
    free(text);
    return good;
}

static int facts_write(const struct blender_facts *f, const char *out, char **script)
{
    char *stage = NULL;
    const char *name = f->sequence->name;
    int good = text_write(out, name, "_blender.py", blender_script_text(f), script) &&
               text_write(out, name, ".usda", blender_usd_text(f), &stage);
    bw_free(stage);
    return good ? EXIT_CODE_OK : cli_exit_code(BW_ERR_IO);
}

/// Write both files of the sequence; *script: the name of the first.
static int cache_write(const struct bw_sequence *s, const char *wanted, char **script)
{
    struct bw_tools tools = cli_tools();
    struct bw_vdb_view view = {.tools = &tools, .y_up = -1};
    struct bwvdb_file *file = NULL;
    struct bwvdb_error error;
    struct places places = {0};
    char why[1024];
    int code = sequence_check(s);
    if (code) return code;
    enum bw_status status = bw_vdb_view_open(&view, s, why, sizeof why);
    if (status) return say(cli_exit_code(status), why);
    enum bwvdb_status bad = bwvdb_open(s->path[0], &file, &error);
    if (bad) return say(cli_exit_code((enum bw_status)bad), error.text);
    code = places_find(&places, s->path[0], wanted);
    if (!code) {
        struct blender_facts f = {.sequence = s, .view = &view, .file = file, .folder = places.way};
        grids_find(file, &f.grids);
        cli_look_find(&f.look, s, &view, 0);
        code = facts_write(&f, places.out, script);
    }
    places_free(&places);
    bwvdb_close(file);
    return code;
}

/* ---- the command ---- */

static int blender_start(const char *program, const char *script)
{
    fflush(stdout);
    execlp(program, program, "--python", script, (char *)NULL);
    fprintf(stderr, "billow: %s can't be started: %s\n", program, strerror(errno));
    return EXIT_CODE_FAILURE;
}

int cmd_blender(int argc, char **argv)
{
    const char *program = "blender", *out = NULL;
    char why[1024], *script = NULL;
    struct bw_sequence s;
    int code, open = 0;
    while ((code = cli_option_next(&command_blender, argc, argv)) != CLI_END) {
        if (code < 0) return code == CLI_HELP ? EXIT_CODE_OK : EXIT_CODE_USAGE;
        if (code == 'O') open = 1;
        if (code == 'b') program = optarg;
        if (code == 'o') out = optarg;
    }
    const char *what = cli_operand(&command_blender, argc, argv, "a cache");
    if (!what) return EXIT_CODE_USAGE;
    enum bw_status status = bw_sequence_find(&s, what, INT64_MIN, INT64_MAX, why, sizeof why);
    if (status) return say(cli_exit_code(status), why);
    code = cache_write(&s, out, &script);
    bw_sequence_free(&s);
    if (!code && open) code = blender_start(program, script);
    bw_free(script);
    return code;
}
