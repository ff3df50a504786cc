// SPDX-License-Identifier: Apache-2.0
/* billow preview: a movie, a contact sheet or a picture from any VDB sequence. What is written lies under a temporary
 * name until it is whole. */
#include "look.h"
#include <picture/movie/movie.h>
#include "preset/values/params.h"
#include <picture/movie/sheet.h>

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cli_option options[] = {
    {"out", "FILE", "NAME.mp4 (a movie) or NAME.png (a picture of one frame, a contact sheet of several)", 'o'},
    {"frames", "A-B", "only these frames", 'f'},
    {"view", "render|slice", "volume render, or a slice (default: what the bake's movie shows; slices of flat files)",
     'v'},
    {"field", "NAME", "the grid to show (default: density)", 'F'},
    {"size", "N", "height in pixels (default 720)", 's'},
    {"axis", "x|y|z", "slices: the axis across the slice (default: a flat file's thin one, else y)", 'a'},
    {"position", "LENGTH", "slices: where along it (default: the middle)", 'p'},
    {"vectors", BW_VECTORS_CHOICES, "slices: the flow drawn over it", 'V'},
    {"map", "NAME", "slices: colour map: " BW_MAP_CHOICES, 'm'},
    {"up", "y|z", "the files' up axis (default: what they say, else z)", 'u'},
    {"fps", "N", "frames a second (default: what the files say, else 24)", 'r'},
    {"thickness", "N", "renders: optical thickness, times the bake's own or the default", 't'},
    {"exposure", "N", "renders: brightness, likewise", 'e'},
    {"fire", "N", "renders: brightness of flames, likewise", 'b'},
    {"key", "N", "renders: strength of the lamps (0.1 for fire in the dark), likewise", 'k'},
};

static const struct cli_command command = {
    .name = "preview",
    .synopsis = "FIRST.vdb|FOLDER|PATTERN [options]",
    .brief = "Make a movie or pictures from any VDB sequence.",
    .details =
        "One file of a numbered sequence, the folder it lies in (or a bake's), or a pattern such as smoke_####.vdb.\n"
        "A bake of ours is shown as in its own movie.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
};

/// What the user asked for.
struct wish {
    const char *what, *out, *field;
    int64_t first, last;
    int slice, axis, vectors, map, y_up; ///< -1: not said
    long long size;
    double range[2]; ///< both 0: the values so far
    int64_t start;   ///< the frame at 0 s
    double position, fps, thickness, exposure, fire, key;
};

/// What a run keeps from frame to frame.
struct show {
    struct bw_tools tools;
    struct wish *wish;
    struct bw_vdb_view view;
    struct cli_look look;
    struct bw_scene scene;
    struct bw_movie *movie;
    struct bw_sheet sheet;
    struct bw_image last; ///< the only frame, for a picture
    int32_t size[2];
    double range[2];
    char why[1024];
};

/* ---- the command line ---- */

/// Index of `text` among the '|'-separated `choices`, or -1 after a sentence.
static int choice_parse(const char *option, const char *text, const char *choices)
{
    int index = 0;
    for (const char *c = choices; c; index++) {
        size_t n = strcspn(c, "|");
        if (strlen(text) == n && !strncmp(c, text, n)) return index;
        c = c[n] ? c + n + 1 : NULL;
    }
    cli_usage("--%s is %s; one of %s is wanted", option, text, choices);
    return -1;
}

static int number_parse(const char *option, const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    if (end != text && !*end && isfinite(*value) && *value > 0) return 1;
    cli_usage("--%s is %s; a number above 0 is wanted", option, text);
    return 0;
}

static int length_parse(const char *text, double *value)
{
    char why[256];
    int has_unit;
    if (!bw_parse_quantity(text, "m", value, &has_unit, why, sizeof why)) return 1;
    cli_usage("--position: %s", why);
    return 0;
}

static int frames_parse(const char *text, struct wish *w)
{
    if (!bw_parse_frames(text, &w->first, &w->last)) return 1;
    cli_usage("--frames is %s; A-B or one number is wanted", text);
    return 0;
}

/// One option; 0 after a sentence.
static int option_take(struct wish *w, int code, const char *arg)
{
    switch (code) {
    case 'o': w->out = arg; return 1;
    case 'F': w->field = arg; return 1;
    case 'f': return frames_parse(arg, w);
    case 'v': return (w->slice = choice_parse("view", arg, "render|slice")) >= 0;
    case 'a': return (w->axis = choice_parse("axis", arg, "x|y|z")) >= 0;
    case 'V': return (w->vectors = choice_parse("vectors", arg, BW_VECTORS_CHOICES)) >= 0;
    case 'm': return (w->map = choice_parse("map", arg, BW_MAP_CHOICES)) >= 0;
    case 'u': return (w->y_up = choice_parse("up", arg, "z|y")) >= 0;
    case 's': return cli_integer("--size", arg, 16, 8192, &w->size);
    case 'p': return length_parse(arg, &w->position);
    case 'r': return number_parse("fps", arg, &w->fps);
    case 't': return number_parse("thickness", arg, &w->thickness);
    case 'b': return number_parse("fire", arg, &w->fire);
    case 'k': return number_parse("key", arg, &w->key);
    default: return number_parse("exposure", arg, &w->exposure);
    }
}

static int is_png(const char *name)
{
    size_t n = strlen(name);
    return n > 4 && !strcmp(name + n - 4, ".png");
}

/* ---- frames ---- */

static void render_begin(struct show *s)
{
    const struct wish *w = s->wish;
    s->scene = s->look.scene;
    memcpy(s->size, s->look.size, sizeof s->size);
    s->scene.extinction *= w->thickness;
    s->scene.exposure *= w->exposure;
    s->scene.look.fire *= w->fire;
    s->scene.look.key *= w->key;
}

static enum bw_status render_frame(struct show *s, const char *path, struct bw_image *img)
{
    struct bw_volume v;
    float *memory;
    if (!s->size[0]) render_begin(s);
    enum bw_status status = bw_vdb_volume(&s->view, path, &v, &memory, s->why, sizeof s->why);
    if (status) return status;
    status = bw_image_init(img, &s->tools, s->size[0], s->size[1]);
    if (!status) status = bw_render(&s->tools, &v, &s->scene, img);
    if (status) snprintf(s->why, sizeof s->why, "out of memory for the picture of %s", path);
    free(memory);
    return status;
}

static enum bw_status slice_frame(struct show *s, const char *path, int64_t frame, double fps, struct bw_image *img)
{
    const struct wish *w = s->wish;
    struct bw_slice slice;
    double now[2];
    float *memory;
    enum bw_status status =
        bw_vdb_slice(&s->view, path, w->axis, w->position, w->vectors, &slice, &memory, s->why, sizeof s->why);
    if (status) return status;
    slice.field = w->field ? w->field : "density";
    slice.frame = frame;
    slice.time = (double)(frame - w->start) / fps;
    bw_slice_range(&slice, now); // colours follow all values so far, so that they do not flicker
    s->range[0] = fmin(s->range[0], now[0]);
    s->range[1] = fmax(s->range[1], now[1]);
    if (w->range[0] < w->range[1]) memcpy(s->range, w->range, sizeof s->range);
    struct bw_slice_style style = {(enum bw_map)w->map, (uint32_t)w->vectors, {s->range[0], s->range[1]}, 1};
    if (!(style.range[0] < style.range[1])) style.range[1] = style.range[0] + 1;
    if (!s->size[0]) bw_slice_size(slice.n, (int32_t)w->size, s->size);
    status = bw_image_init(img, &s->tools, s->size[0], s->size[1]);
    if (!status) status = bw_slice_draw(&s->tools, &slice, &style, img);
    if (status) snprintf(s->why, sizeof s->why, "out of memory for the picture of %s", path);
    free(memory);
    return status;
}

/// Where a finished frame goes: movie, sheet, or kept as the only one.
static enum bw_status frame_put(struct show *s, struct bw_image *img, const char *temporary, double fps, int movie,
                                int64_t frame)
{
    enum bw_status status = BW_OK;
    const char *encoder = "libx264";
    struct bw_movie_options o = {img->w, img->h, fps, 19, (int32_t)sysconf(_SC_NPROCESSORS_ONLN)};
    if (!movie) {
        if (s->sheet.first != s->sheet.last) {
            status = bw_sheet_add(&s->sheet, &s->tools, frame, img);
            if (status) snprintf(s->why, sizeof s->why, "out of memory for the contact sheet");
        } else {
            s->last = *img; // handed over
            img->px = NULL;
        }
        return status;
    }
    if (!s->movie) status = bw_movie_open(&s->tools, temporary, &o, &s->movie, &encoder, s->why, sizeof s->why);
    if (!status && strcmp(encoder, "libx264"))
        fprintf(stderr, "billow: libx264 is not there; %s makes the movie, which not every browser plays\n", encoder);
    return status ? status : bw_movie_add(s->movie, img, s->why, sizeof s->why);
}

static enum bw_status frames_make(struct show *s, const struct bw_sequence *q, const char *temporary, int movie)
{
    double fps = s->wish->fps > 0 ? s->wish->fps : s->look.fps;
    enum bw_status status = BW_OK;
    int live = isatty(STDERR_FILENO);
    for (int32_t i = 0; i < q->count && !status; i++) {
        struct bw_image img = {.tools = &s->tools};
        status =
            s->wish->slice ? slice_frame(s, q->path[i], q->frame[i], fps, &img) : render_frame(s, q->path[i], &img);
        if (!status) status = frame_put(s, &img, temporary, fps, movie, q->frame[i]);
        bw_image_free(&img);
        if (live && !status) fprintf(stderr, "\rframe %d/%d ", i + 1, q->count);
    }
    if (live) fputc('\n', stderr);
    else if (!status) fprintf(stderr, "%d of %d frames\n", q->count, q->count);
    return status;
}

/// Close the movie, or write the picture or sheet.
static enum bw_status show_finish(struct show *s, const char *temporary)
{
    struct bw_image sheet = {.tools = &s->tools};
    if (s->movie) {
        struct bw_movie *m = s->movie;
        s->movie = NULL;
        return bw_movie_close(m, s->why, sizeof s->why);
    }
    if (s->last.px) return bw_image_write_png(&s->last, temporary, 8, s->why, sizeof s->why);
    enum bw_status status = bw_sheet_draw(&s->sheet, &s->tools, &sheet);
    if (status) snprintf(s->why, sizeof s->why, "out of memory for the contact sheet");
    else status = bw_image_write_png(&sheet, temporary, 8, s->why, sizeof s->why);
    bw_image_free(&sheet);
    return status;
}

/// Slices of a bake that showed slices: of the same field across the same axis, where nothing else was said.
static int slice_as_baked(struct wish *w, const struct bw_sequence *q, struct cli_slice *own)
{
    w->start = q->frame[0];
    if (w->slice == 0 || !cli_look_slice(own, q)) return 0;
    w->slice = 1;
    w->start = own->first;
    if (w->axis < 0) w->axis = own->axis;
    if (isnan(w->position)) w->position = own->position;
    if (w->vectors < 0) w->vectors = own->vectors;
    if (w->field && strcmp(w->field, own->field)) return 1; // of another field colours say something else
    if (*own->field) w->field = own->field;
    if (w->map < 0) w->map = own->map;
    memcpy(w->range, own->range, sizeof w->range);
    return 1;
}

/// What nobody has said; files one cell thick are sliced across that axis.
static void slice_default(struct wish *w, const struct bw_vdb_view *v)
{
    for (int a = 0; a < 3; a++) {
        if (v->hi[a] - v->lo[a] > 1.5 * v->voxel) continue;
        if (w->slice < 0) w->slice = 1;
        if (w->axis < 0) w->axis = a;
    }
    w->slice = w->slice > 0;
    if (w->axis < 0) w->axis = 1;
    if (w->vectors < 0) w->vectors = 0;
    if (w->map < 0) w->map = 0;
}

/// Everything under the temporary name, then the final one.
static enum bw_status show_run(struct show *s, const struct bw_sequence *q, const char *out)
{
    char temporary[4200];
    snprintf(temporary, sizeof temporary, "%.4000s.part-%ld", out, (long)getpid());
    struct cli_slice own;
    const int baked = slice_as_baked(s->wish, q, &own);
    s->view.field = s->wish->field;
    enum bw_status status = bw_vdb_view_open(&s->view, q, s->why, sizeof s->why);
    if (!status) slice_default(s->wish, &s->view);
    for (int a = 0; baked && own.hi[0] > own.lo[0] && a < 3; a++) {
        s->view.lo[a] = own.lo[a] * s->view.scale;
        s->view.hi[a] = own.hi[a] * s->view.scale;
    }
    if (!status) cli_look_find(&s->look, q, &s->view, s->wish->size);
    if (!status) status = frames_make(s, q, temporary, !is_png(out));
    if (!status) status = show_finish(s, temporary);
    if (s->movie) {
        char ignored[64];
        bw_movie_close(s->movie, ignored, sizeof ignored);
    }
    if (!status && rename(temporary, out)) {
        snprintf(s->why, sizeof s->why, "cannot write %s", out);
        status = BW_ERR_IO;
    }
    if (status) remove(temporary);
    bw_sheet_free(&s->sheet);
    bw_image_free(&s->last);
    return status;
}

static int preview_run(struct wish *w)
{
    struct bw_sequence q;
    char name[4096];
    struct show s = {.tools = cli_tools(), .wish = w, .range = {0, 0}};
    enum bw_status status = bw_sequence_find(&q, w->what, w->first, w->last, s.why, sizeof s.why);
    if (!status) {
        s.view = (struct bw_vdb_view){.tools = &s.tools, .y_up = w->y_up};
        s.last.tools = &s.tools;
        bw_sheet_init(&s.sheet, q.frame[0], q.frame[q.count - 1]);
        snprintf(name, sizeof name, "%.3800s.%s", q.name, q.count > 1 ? "mp4" : "png");
        const char *out = w->out ? w->out : name;
        status = show_run(&s, &q, out);
        if (!status) printf("%s\n", out);
        bw_sequence_free(&q);
    }
    if (status) fprintf(stderr, "billow: %s\n", s.why);
    return cli_exit_code(status);
}

int cmd_preview(int argc, char **argv)
{
    struct wish w = {.first = INT64_MIN,
                     .last = INT64_MAX,
                     .slice = -1,
                     .axis = -1,
                     .vectors = -1,
                     .map = -1,
                     .y_up = -1,
                     .size = 720,
                     .position = NAN,
                     .thickness = 1,
                     .exposure = 1,
                     .fire = 1,
                     .key = 1};
    int code;
    while ((code = cli_option_next(&command, argc, argv)) != CLI_END) {
        if (code == CLI_HELP) return EXIT_CODE_OK;
        if (code == CLI_BAD || !option_take(&w, code, optarg)) return EXIT_CODE_USAGE;
    }
    w.what = cli_operand(&command, argc, argv, "a .vdb file, a folder or a pattern");
    if (!w.what) return EXIT_CODE_USAGE;
    if (w.out && !is_png(w.out) && (strlen(w.out) < 5 || strcmp(w.out + strlen(w.out) - 4, ".mp4")))
        return cli_usage("--out is %s; a name that ends in .mp4 or .png is wanted", w.out);
    return preview_run(&w);
}
