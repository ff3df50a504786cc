// SPDX-License-Identifier: Apache-2.0
/* billow preview: a movie, a contact sheet or a picture from any VDB sequence. */
#define _GNU_SOURCE /* asprintf */
#include "cli.h"
#include "farm/farm.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct cli_option options[] = {
    {"out", "FILE",
     "NAME.mp4 (a movie), NAME.png (a picture of one frame, a contact sheet of several), NAME.exr (light with "
     "alpha); NAME_####.png, NAME_####.exr: a picture of each frame",
     'o'},
    {"frames", "A-B", "only these frames", 'f'},
    {"view", "render|slice", "volume render, or a slice (default: what the bake's movie shows; slices of flat files)",
     'v'},
    {"field", "NAME", "the grid to show (default: density)", 'F'},
    {"size", "N", "height in pixels (default: the bake's own, else 720)", 's'},
    {"axis", "x|y|z", "slices: the axis across the slice (default: a flat file's thin one, else y)", 'a'},
    {"position", "LENGTH", "slices: where along it (default: the middle)", 'p'},
    {"vectors", "none|arrows|streamlines", "slices: the flow drawn over it", 'V'},
    {"map", "auto|smoke|fire|viridis|diverging|grey|ink|schlieren", "slices: the colour map", 'm'},
    {"up", "y|z", "the files' up axis (default: what they say, else z)", 'u'},
    {"fps", "N", "frames a second (default: what the files say, else 24)", 'r'},
    {"thickness", "N", "renders: optical thickness, times the bake's own or the default", 't'},
    {"exposure", "N", "renders: brightness, likewise", 'e'},
    {"fire", "N", "renders: brightness of flames, likewise", 'b'},
    {"key", "N", "renders: strength of the lamps (0.1 for fire in the dark), likewise", 'L'},
    {"set", "LOOK", "renders: look.KEY=VALUE or camera.KEY=VALUE, over what the bake says; again for more", 'S'},
    FARM_OPTIONS,
    FARM_TASKS,
};

const struct cli_command command_preview = {
    .name = "preview",
    .synopsis = "FILE.vdb|FOLDER|PATTERN [options]",
    .brief = "Make a movie or pictures from any VDB sequence.",
    .details =
        "A file gives its picture, NAME_0040.png; the folder it lies in (or a bake's), or a pattern such as\n"
        "smoke_####.vdb a movie, as --frames and --out NAME.mp4 do. A bake of ours is shown as in its own movie,\n"
        "with the particles that it wrote as ply.\n"
        "--on slurm --tasks N draws a movie in N parts, kept in NAME.parts/, and puts them behind one another.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = cmd_preview,
};

/* ---- the command line, as the library's options ---- */

/* One of the choices of the option's help. */
static int choice_parse(json_t *o, const struct cli_option *option, const char *text)
{
    for (const char *c = option->argument; c;) {
        size_t n = strcspn(c, "|");
        if (strlen(text) == n && !strncmp(c, text, n)) return !json_object_set_new(o, option->name, json_string(text));
        c = c[n] ? c + n + 1 : NULL;
    }
    cli_usage("--%s is %s; one of %s is wanted", option->name, text, option->argument);
    return 0;
}

static int number_parse(json_t *o, const char *option, const char *text)
{
    double value;
    return cli_positive(option, text, &value) && !json_object_set_new(o, option, json_real(value));
}

static int size_parse(json_t *o, const char *text)
{
    long long size;
    return cli_integer("--size", text, 16, 8192, &size) && !json_object_set_new(o, "size", json_integer(size));
}

static int set_parse(json_t *o, const char *text)
{
    json_t *all = json_object_get(o, "set");
    if (!all) json_object_set_new(o, "set", all = json_array());
    return !json_array_append_new(all, json_string(text));
}

/// One option; 0 after an error message.
static int option_parse(json_t *o, int code, const char *arg)
{
    const char *name = cli_option_of(&command_preview, code)->name;
    switch (code) {
    case 'v':
    case 'a':
    case 'V':
    case 'm':
    case 'u': return choice_parse(o, cli_option_of(&command_preview, code), arg);
    case 's': return size_parse(o, arg);
    case 'S': return set_parse(o, arg);
    case 'F':
    case 'f':
    case 'p': return !json_object_set_new(o, name, json_string(arg));
    default: return number_parse(o, name, arg);
    }
}

/* ---- frames ---- */

static int32_t on_frame(int32_t done, int32_t total, void *user)
{
    (void)user;
    if (isatty(STDERR_FILENO)) cli_terminal("\r");
    if (isatty(STDERR_FILENO)) fprintf(stderr, "frame %d/%d %s", done, total, done == total ? "\n" : "");
    else if (done == total) fprintf(stderr, "%d of %d frames\n", done, total);
    return 1;
}

/// Print the output's name; the library's default without --out.
static int output_name_print(const char *out, struct bw_cache *cache, const json_t *o)
{
    json_t *all = out ? NULL : cli_json(bw_cache_describe(cache, 0));
    const char *frames = cli_text(o, "frames"), *dash = strchr(frames, '-');
    int one = *frames && (!dash || !strncmp(frames, dash + 1, (size_t)(dash - frames)));
    if (out) cli_print_line(stdout, "%s", out);
    else cli_print_line(stdout, "%s.%s", cli_text(all, "name"), cli_number(all, "count") > 1 && !one ? "mp4" : "png");
    json_decref(all);
    return EXIT_CODE_OK;
}

/* Errors of this command begin with the program's name; options get their dashes. */
static int library_error_print(void)
{
    const struct bw_error *e = bw_error_last();
    int option =
        e->status == BW_ERR_USAGE && (!strncmp(e->sentence, "frames is ", 10) || !strncmp(e->sentence, "out is ", 7) ||
                                      !strncmp(e->sentence, "position: ", 10));
    fprintf(stderr, "billow: %s%s\n", option ? "--" : "", e->sentence);
    return cli_exit_code(e->status);
}

/* One file is one picture: its frame alone is asked for, and the picture has its name. NULL: it is no numbered file, or
 * more is asked for. */
static char *picture_of_file(const char *what, const char *out, json_t *o)
{
    const char *slash = strrchr(what, '/'), *name = slash ? slash + 1 : what, *end = name + strlen(name);
    struct stat st;
    char frame[32], *picture = NULL;
    if (json_object_get(o, "frames") || (out && cli_has_ending(out, ".mp4")) || !cli_has_ending(name, ".vdb"))
        return NULL;
    if (stat(what, &st) || !S_ISREG(st.st_mode)) return NULL;
    const int stem = (int)(end - name) - 4;
    for (end -= 4; end > name && (end[-1] < '0' || end[-1] > '9');) end--;
    const char *first = end;
    while (first > name && first[-1] >= '0' && first[-1] <= '9') first--;
    if (first == end || end - first > 15) return NULL;
    snprintf(frame, sizeof frame, "%lld", strtoll(first, NULL, 10));
    json_object_set_new(o, "frames", json_string(frame));
    return asprintf(&picture, "%.*s.png", stem, name) < 0 ? NULL : picture;
}

/* `own`: the name for the picture of that file, in which # is a letter; NULL: there is none. */
static int preview_run(const char *what, const char *out, const char *own, const json_t *o)
{
    struct bw_session *session = cli_session_open(NULL, NULL);
    struct bw_cache *cache = NULL;
    char *text = json_dumps(o, JSON_REAL_PRECISION(17));
    struct bw_movie_wish request = {
        .size = sizeof request, .options = text, .out = out ? out : own, .on_frame = on_frame, .as_it_is = !out};
    int code = !session                                                                  ? 7
               : bw_cache_open(session, what, &cache) || bw_cache_movie(cache, &request) ? library_error_print()
                                                                                         : 0;
    if (!code) {
        const char *warnings = bw_error_last()->text;
        if (*warnings) fprintf(stderr, "billow: %s", warnings);
        code = output_name_print(request.out, cache, o);
    }
    free(text);
    bw_cache_close(cache);
    bw_session_close(session);
    return code;
}

/* Pictures stand alone, so a movie may be made in parts; a picture, or a sheet of some, is one task's at once. */
static int preview_submit(const struct farm_options *w, const char *what, struct farm_movie *m)
{
    struct bw_session *session = cli_session_open(NULL, NULL);
    struct bw_cache *cache = NULL;
    json_t *all = NULL;
    char *name = NULL;
    int code = !session ? 7 : bw_cache_open(session, what, &cache) ? library_error_print() : 0;
    if (!code && !(all = cli_json(bw_cache_describe(cache, 1))) && !(all = cli_json(bw_cache_describe(cache, 0))))
        code = library_error_print();
    if (!code && !m->out) m->out = name = cli_printf("%s.mp4", cli_text(all, "name"));
    if (!code && !cli_has_ending(m->out, ".mp4"))
        code = cli_usage("--on slurm makes a movie in parts, and %s is a picture: make that here", m->out);
    if (!code) code = farm_movie(w, m, all);
    json_decref(all);
    free(name);
    bw_cache_close(cache);
    bw_session_close(session);
    return code;
}

static int preview_local(const char *what, const char *out, json_t *o)
{
    char *picture = picture_of_file(what, out, o);
    const int code = preview_run(what, out, picture, o);
    free(picture);
    return code;
}

/// One option; an exit code.
static int preview_option_parse(struct farm_options *w, struct farm_movie *m, int code)
{
    if (strchr("OTK", code)) return farm_option(w, code, optarg);
    if (code == 'o') m->out = optarg;
    else if (code == 'k') return cli_integer("--tasks", optarg, 1, 1000, &m->tasks) ? EXIT_CODE_OK : EXIT_CODE_USAGE;
    else return option_parse(m->options, code, optarg) ? EXIT_CODE_OK : EXIT_CODE_USAGE;
    return EXIT_CODE_OK;
}

static int preview_start(const struct farm_options *w, struct farm_movie *m, const char *what)
{
    if (m->out && !cli_has_ending(m->out, ".png") && !cli_has_ending(m->out, ".mp4") && !cli_has_ending(m->out, ".exr"))
        return cli_usage("--out is %s; a name that ends in .mp4, .png or .exr is wanted", m->out);
    if (m->tasks && !w->on) return cli_usage("--tasks goes with --on slurm");
    const int code = farm_options_check(w);
    m->tasks = m->tasks ? m->tasks : 1;
    return code ? code : w->on ? preview_submit(w, what, m) : preview_local(what, m->out, m->options);
}

int cmd_preview(int argc, char **argv)
{
    struct farm_options w = {0};
    struct farm_movie m = {.options = json_object()};
    int code, answer = EXIT_CODE_OK;
    while (!answer && (code = cli_option_next(&command_preview, argc, argv)) != CLI_END)
        answer = code < 0 ? EXIT_CODE_USAGE : preview_option_parse(&w, &m, code);
    if (answer) answer = code == CLI_HELP ? EXIT_CODE_OK : answer;
    else {
        const char *what = cli_operand(&command_preview, argc, argv, "a .vdb file, a folder or a pattern");
        answer = what ? preview_start(&w, &m, what) : EXIT_CODE_USAGE;
    }
    farm_options_free(&w);
    json_decref(m.options);
    return answer;
}
