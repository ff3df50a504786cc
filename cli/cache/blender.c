// SPDX-License-Identifier: Apache-2.0
/* billow blender: a finished cache for Blender. Beside it come NAME_blender.py, which adds it to a scene there, or
 * builds the movie's scene, and NAME.usda for everybody who reads USD. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "cli.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cli_option options[] = {
    {"scene", NULL, "camera, world, lights, film, floor and obstacles, too, as in the bake's movie", 's'},
    {"open", NULL, "start Blender with it", 'O'},
    {"blender", "PROGRAM", "what to start (default: blender)", 'b'},
    {"out", "DIR", "write there instead; the cache is then named by its full path", 'o'},
};

const struct cli_command command_blender = {
    .name = "blender",
    .synopsis = "CACHE [options]",
    .brief = "Write a script that brings a finished cache into Blender, and USD.",
    .details =
        "CACHE is a bake's folder, a folder of numbered VDB files, one of them, or a pattern such as smoke_####.vdb.\n"
        "NAME_blender.py and NAME.usda go into the bake's folder, or beside the files. In Blender the script adds\n"
        "the smoke to what is there, in a collection of its own; nothing else there changes without --scene.\n\n"
        "  billow blender out/campfire --scene --open\n"
        "  blender -b --python out/campfire/campfire_blender.py -o //frame_ -F PNG -a\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = cmd_blender,
};

static int error_print(int code, const char *text)
{
    fprintf(stderr, "billow: %s\n", text);
    return code;
}

/* ---- where things go ---- */

/// Folder of the files; folder for the scripts; the first as the scripts name it; a whole scene or smoke alone.
struct places {
    char *in, *out, *reference;
    bool whole;
};

static int places_find(struct places *p, const char *file, const char *wanted)
{
    const char *slash = strrchr(file, '/');
    p->in = slash ? cli_printf("%.*s", slash == file ? 1 : (int)(slash - file), file) : strdup(".");
    if (!p->in) return error_print(7, "out of memory");
    char *last = strrchr(p->in, '/'), *notes = NULL;
    const char *name = last ? last + 1 : p->in;
    if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0) // as its exporter calls it
        notes = last ? cli_printf("%.*s/resolved.yaml", (int)(last - p->in), p->in) : strdup("resolved.yaml");
    if (wanted) { // away from the cache only its full name holds
        char *real = realpath(p->in, NULL);
        p->out = strdup(wanted);
        p->reference = real;
    } else if (notes && access(notes, R_OK) == 0) { // a bake's folder
        p->out = last ? cli_printf("%.*s", (int)(last - p->in), p->in) : strdup(".");
        p->reference = strdup(name);
    } else {
        p->out = strdup(p->in);
        p->reference = strdup(".");
    }
    free(notes);
    return p->out && p->reference ? EXIT_CODE_OK : error_print(7, "out of memory");
}

static void places_free(struct places *p)
{
    free(p->in);
    free(p->out);
    free(p->reference);
}

/// Blender plays numbers at the very end of a name, and stops at the first that is not there.
static int sequence_check(const json_t *c)
{
    const char *file = cli_text(c, "file"), *dot = strrchr(file, '.');
    const json_t *missing = json_object_get(c, "missing");
    if (cli_number(c, "count") > 1 && dot && !isdigit((unsigned char)dot[-1])) {
        cli_print_line(
            stderr, "billow: Blender shows a sequence only if the number ends the name, which it does not in %s", file);
        return EXIT_CODE_FAILURE;
    }
    if (json_array_size(missing))
        fprintf(stderr, "billow: frame %lld is missing; Blender shows nothing where there is no file\n",
                (long long)json_integer_value(json_array_get(missing, 0)));
    return EXIT_CODE_OK;
}

/* ---- writing ---- */

static int library_error_print(void)
{
    const struct bw_error *e = bw_error_last();
    return error_print(cli_exit_code(e->status), e->sentence);
}

/// *path: the file's name.
static int text_write(const char *folder, const char *name, const char *ending, const char *text, char **path)
{
    *path = cli_printf("%s/%s%s", folder, name, ending);
    if (!*path) return error_print(7, "out of memory");
    int code = cli_write_file(*path, text);
    if (!code) cli_print_line(stdout, "%s", *path);
    return code;
}

/// Sky and obstacles of a whole scene.
static int surroundings_write(struct bw_cache *cache, const char *name, const struct places *p)
{
    char *data = bw_cache_scene(cache, "blender-data", p->reference), *path = NULL;
    int code = data ? text_write(p->out, name, "_scene.json", data, &path) : library_error_print(), written = 0;
    bw_text_free(data);
    free(path);
    path = code ? NULL : cli_printf("%s/%s_sky.exr", p->out, name);
    if (!code && !path) code = error_print(7, "out of memory");
    if (!code && bw_cache_sky(cache, path, &written)) code = library_error_print();
    if (!code && written) cli_print_line(stdout, "%s", path);
    free(path);
    return code;
}

static int scene_write(struct bw_cache *cache, const json_t *c, const struct places *p, char **script)
{
    const char *name = cli_text(c, "name");
    char *stage = NULL, *blender = bw_cache_scene(cache, p->whole ? "blender-scene" : "blender", p->reference);
    if (!blender) return library_error_print();
    if (*bw_error_last()->text) fprintf(stderr, "billow: %s", bw_error_last()->text);
    int code = text_write(p->out, name, "_blender.py", blender, script);
    char *usd = code ? NULL : bw_cache_scene(cache, p->whole ? "usd-scene" : "usd", p->reference);
    if (!code) code = usd ? text_write(p->out, name, ".usda", usd, &stage) : library_error_print();
    bw_text_free(blender);
    bw_text_free(usd);
    free(stage);
    return code || !p->whole ? code : surroundings_write(cache, name, p);
}

/// Write both files of the cache; *script: the name of the first.
static int cache_write(struct bw_cache *cache, const char *wanted, bool whole, char **script)
{
    struct places places = {.whole = whole};
    json_t *c = cli_json(bw_cache_describe(cache, 0));
    int code = c ? sequence_check(c) : library_error_print();
    if (!code) code = places_find(&places, cli_text(c, "file"), wanted);
    if (!code) code = scene_write(cache, c, &places, script);
    places_free(&places);
    json_decref(c);
    return code;
}

/* ---- the command ---- */

static int blender_start(const char *program, const char *script)
{
    fflush(stdout);
    execlp(program, program, "--python", script, (char *)NULL);
    cli_print_line(stderr, "billow: %s can't be started: %s", program, strerror(errno));
    return EXIT_CODE_FAILURE;
}

int cmd_blender(int argc, char **argv)
{
    const char *program = "blender", *out = NULL;
    char *script = NULL;
    struct bw_cache *cache = NULL;
    int code, open = 0, whole = 0;
    while ((code = cli_option_next(&command_blender, argc, argv)) != CLI_END) {
        if (code < 0) return code == CLI_HELP ? EXIT_CODE_OK : EXIT_CODE_USAGE;
        if (code == 'O') open = 1;
        if (code == 's') whole = 1;
        if (code == 'b') program = optarg;
        if (code == 'o') out = optarg;
    }
    const char *what = cli_operand(&command_blender, argc, argv, "a cache");
    if (!what) return EXIT_CODE_USAGE;
    struct bw_session *session = cli_session_open(NULL, NULL);
    if (!session) return 7;
    code = bw_cache_open(session, what, &cache) ? library_error_print() : cache_write(cache, out, whole, &script);
    bw_cache_close(cache);
    bw_session_close(session);
    if (!code && open) code = blender_start(program, script);
    free(script);
    return code;
}
