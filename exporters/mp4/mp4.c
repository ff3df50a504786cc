// SPDX-License-Identifier: Apache-2.0
/* A movie NAME.mp4 of the whole bake and a contact sheet NAME_sheet.png. A bake that stops early still gets a movie of
 * the frames that there are; one that is killed gets it when it is resumed. */
#include <picture/movie/movie.h>
#include <picture/picture.h>
#include <picture/movie/sheet.h>
#include <common/outputs.h>

#include <stdio.h>
#include <string.h>

struct options {
    struct bw_picture_params picture;
    const char *name;
    double fps, crf;
    int32_t sheet;
};

static const struct bw_param params[] = {
    BW_STRING(struct options, name, "name", 0, "File name without its ending; the preset's name when absent."),
    BW_F64(struct options, fps, "fps", "0", 0, 1000, 0, "Frames a second of the movie; 0: the bake's."),
    BW_F64(struct options, crf, "crf", "19", 0, 51, 0, "Constant rate factor: 15 is superb, 19 good, 28 small."),
    BW_BOOL(struct options, sheet, "sheet", "true", "A contact sheet of twelve frames as well."),
    BW_PICTURE_PARAMS(struct options, picture)};

struct state {
    struct bw_picture picture;
    struct bw_sheet sheet;
    struct bw_movie *movie;
    struct bw_movie_options options; ///< of the movie, while there is one
    int32_t told;                    ///< that the frame rate stays
};

/// A file of this bake: the given name, or the preset's, with the domain's unless that is the first.
static void file_name(const struct bw_exporter *e, const char *ending, char out[512])
{
    const struct options *p = e->params;
    const char *domain = e->domain && !p->name ? e->domains[e->domain]->name : "";
    snprintf(out, 512, "%.200s%s%.200s%s", p->name ? p->name : e->bake->name, *domain ? "_" : "", domain, ending);
}

static enum bw_status init(struct bw_exporter *e)
{
    const struct options *p = e->params;
    struct state *s = e->state;
    bw_picture_begin(&s->picture, e);
    e->host->want_outlines(e);
    const enum bw_status status = bw_picture_files(&s->picture, &p->picture);
    return status ? status : output_name_check(e, p->name);
}

static enum bw_status movie_begin(struct bw_exporter *e)
{
    struct state *s = e->state;
    char why[512];
    const char *encoder;
    enum bw_status status = bw_movie_open(&s->picture.tools, &s->options, &s->movie, &encoder, why, sizeof why);
    if (status) return e->host->fail(e, status, "%s", why);
    if (strcmp(encoder, "libx264"))
        e->host->log(e, BW_LOG_WARNING, "libx264 is not there; %s makes the movie%s", encoder,
                     strcmp(encoder, "mpeg4") ? "" : ", which players show but few browsers do");
    return BW_OK;
}

static double fps_asked(const struct bw_exporter *e)
{
    const struct options *p = e->params;
    return p->fps > 0 ? p->fps : e->bake->fps;
}

/// At the first frame, because only then the picture's size is known.
static enum bw_status movie_first(struct bw_exporter *e, const struct bw_image *img)
{
    const struct options *p = e->params;
    struct state *s = e->state;
    s->options = (struct bw_movie_options){img->w, img->h, fps_asked(e), p->crf};
    return movie_begin(e);
}

/// What is asked for now, which may be another thing than at first.
static void movie_follow(struct bw_exporter *e)
{
    const struct options *p = e->params;
    struct state *s = e->state;
    s->options.crf = p->crf;
    bw_movie_quality(s->movie, p->crf);
    if (fps_asked(e) != s->options.fps && !s->told++)
        e->host->log(e, BW_LOG_WARNING, "a movie has one frame rate: it stays %g, not %g", s->options.fps,
                     fps_asked(e));
}

static enum bw_status frame_add(struct bw_exporter *e, const struct bw_frame *frame)
{
    const struct options *p = e->params;
    struct state *s = e->state;
    struct bw_image img;
    char why[512];
    enum bw_status status = bw_picture_make(&s->picture, e, frame, &p->picture, &img);
    if (status) return status;
    if (!s->movie) status = movie_first(e, &img);
    if (!status) movie_follow(e);
    if (!status && (status = bw_movie_add(s->movie, &img, why, sizeof why))) e->host->fail(e, status, "%s", why);
    if (!status && p->sheet && (status = bw_sheet_add(&s->sheet, &s->picture.tools, frame->number, &img)))
        e->host->fail(e, status, "out of memory for the contact sheet");
    bw_image_free(&img);
    return status;
}

static enum bw_status sheet_write(struct bw_exporter *e)
{
    struct state *s = e->state;
    struct bw_image img;
    char name[512], why[512] = "out of memory for the contact sheet";
    enum bw_status status = bw_sheet_draw(&s->sheet, &s->picture.tools, &img);
    if (status == BW_ERR_USAGE) return BW_OK; // no frame, no sheet
    if (status) return e->host->fail(e, status, "%s", why);
    file_name(e, "_sheet.png", name);
    const char *path = e->host->output_begin(e, name);
    status = path ? bw_image_write_png(&img, path, 8, why, sizeof why) : BW_ERR_IO;
    bw_image_free(&img);
    return path ? output_end(e, path, name, status, why, "picture", NULL) : status;
}

static enum bw_status movie_write(struct bw_exporter *e)
{
    struct state *s = e->state;
    char name[512], why[512];
    file_name(e, ".mp4", name);
    const char *path = e->host->output_begin(e, name);
    if (!path) return BW_ERR_IO;
    enum bw_status status = bw_movie_write(s->movie, path, why, sizeof why);
    return output_end(e, path, name, status, why, "movie", NULL);
}

static enum bw_status finish(struct bw_exporter *e, int complete)
{
    const struct options *p = e->params;
    const struct state *s = e->state;
    (void)complete; // a movie of what there is, also of a bake that stopped
    if (!s->movie) return BW_OK;
    enum bw_status status = movie_write(e);
    return !status && p->sheet ? sheet_write(e) : status;
}

/// Can that be asked of a movie? A checkpoint may be anybody's.
static int options_good(const struct bw_movie_options *o)
{
    return o->w > 0 && o->h > 0 && o->w < 1 << 16 && o->h < 1 << 16 && o->w % 2 == 0 && o->h % 2 == 0 && o->fps > 0 &&
           o->fps < 1e9 && o->crf >= 0 && o->crf <= 51;
}

static enum bw_status movie_checkpoint(struct bw_exporter *e, struct bw_archive *a)
{
    struct state *s = e->state;
    char why[512] = "";
    if (a->restoring ? a->stored(a, "movie") < 0 : !s->movie) return BW_OK; // no frame yet
    enum bw_status status = a->bytes(a, "movie", &s->options, sizeof s->options);
    if (!status && !options_good(&s->options)) return e->host->fail(e, BW_ERR_IO, "the movie so far is damaged");
    if (!status && a->restoring) status = movie_begin(e);
    if (!status) status = bw_movie_checkpoint(s->movie, a, why, sizeof why);
    return *why ? e->host->fail(e, status, "%s", why) : status;
}

static enum bw_status checkpoint(struct bw_exporter *e, struct bw_archive *a)
{
    struct state *s = e->state;
    enum bw_status status = bw_picture_checkpoint(&s->picture, a);
    if (status) return status;
    status = bw_sheet_checkpoint(&s->sheet, &s->picture.tools, a);
    if (status) return e->host->fail(e, status, "its contact sheet can't be %s", a->restoring ? "restored" : "saved");
    return movie_checkpoint(e, a);
}

static void uninit(struct bw_exporter *e)
{
    struct state *s = e->state;
    bw_movie_close(s->movie);
    if (s->picture.tools.ctx) bw_sheet_free(&s->sheet, &s->picture.tools);
}

static void outputs(const struct bw_exporter *e, const struct bw_frame *frame, bw_output_name_fn say, void *user)
{
    const struct options *p = e->params;
    char name[512];
    (void)frame;
    file_name(e, ".mp4", name);
    say(name, user);
    file_name(e, "_sheet.png", name);
    if (p->sheet) say(name, user);
}

static const struct bw_exporter_desc exporter = {
    .id = "mp4",
    .version = "1.0",
    .brief = "A movie that browsers play, and a contact sheet.",
    BW_PARAMS(params),
    .params_size = sizeof(struct options),
    .state_size = sizeof(struct state),
    .flags = BW_EXPORTER_MOVIE | BW_EXPORTER_RENDERS,
    .init = init,
    .frame = frame_add,
    .finish = finish,
    .uninit = uninit,
    .outputs = outputs,
    .checkpoint = checkpoint,
};
static const struct bw_exporter_desc *const exporters[] = {&exporter};

BW_EXPORT const struct bw_module billow_module = BW_MODULE_EXPORTERS(exporters);
