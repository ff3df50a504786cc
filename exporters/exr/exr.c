// SPDX-License-Identifier: Apache-2.0
/* Numbered renders as light: exr/NAME_0001.exr, linear, half floats, before film and bloom. Smoke, flames and obstacles
 * alone with the share that they cover as alpha, to be laid over anything; or with the studio behind them. */
#include <picture/image/exr_file.h>
#include <picture/picture.h>
#include <common/outputs.h>

#include <stdio.h>
#include <string.h>

struct options {
    struct bw_picture_params picture;
    const char *name;
    int64_t every;
    int32_t studio;
};

static const struct bw_param params[] = {
    BW_STRING(struct options, name, "name", 0, "First part of the file names; the preset's name when absent."),
    BW_INT(struct options, every, "every", "1", 1, 1000000, "Write one frame of so many."),
    BW_BOOL(struct options, studio, "studio", "false",
            "With floor and wall behind the smoke, opaque; else with alpha, over nothing."),
    BW_PICTURE_PARAMS(struct options, picture)};

struct state {
    struct bw_picture picture;
    int32_t announced; ///< anew after a resume: whoever resumes wants to know too
};

static enum bw_status init(struct bw_exporter *e)
{
    const struct options *p = e->params;
    struct state *s = e->state;
    if (p->picture.view == BW_VIEW_SLICE)
        return e->host->fail(e, BW_ERR_PRESET, "view is slice; exr writes light: png draws slices");
    if (e->domains[e->domain]->thin >= 0)
        return e->host->fail(e, BW_ERR_PRESET, "a domain one cell thick can't be rendered; png draws slices");
    bw_picture_begin(&s->picture, e);
    e->host->want_outlines(e);
    const enum bw_status status = bw_picture_files(&s->picture, &p->picture);
    return status ? status : output_name_check(e, p->name);
}

static enum bw_status file_write(struct bw_exporter *e, const struct bw_image *img, const float *alpha,
                                 const char *name)
{
    struct state *s = e->state;
    char why[512];
    const char *path = e->host->output_begin(e, name);
    if (!path) return BW_ERR_IO;
    enum bw_status status = exr_file_write(img, alpha, path, e->bake->version, why, sizeof why);
    return output_end(e, path, name, status, why, "picture", &s->announced);
}

static int is_written(const struct options *p, const struct bw_frame *frame)
{
    return (frame->number - frame->first) % p->every == 0;
}

static void outputs(const struct bw_exporter *e, const struct bw_frame *frame, bw_output_name_fn say, void *user)
{
    const struct options *p = e->params;
    char name[512];
    output_picture_name(e, frame, p->name, "exr", name, sizeof name);
    if (is_written(p, frame)) say(name, user);
}

static enum bw_status frame_write(struct bw_exporter *e, const struct bw_frame *frame)
{
    const struct options *p = e->params;
    struct state *s = e->state;
    struct bw_image img;
    float *alpha = NULL;
    char name[512];
    if (!is_written(p, frame)) return BW_OK;
    enum bw_status status = bw_picture_light(&s->picture, e, frame, &p->picture, &img, p->studio ? NULL : &alpha);
    if (status) return status;
    output_picture_name(e, frame, p->name, "exr", name, sizeof name);
    status = file_write(e, &img, alpha, name);
    bw_image_free(&img);
    e->host->release(e, alpha);
    return status;
}

static enum bw_status checkpoint(struct bw_exporter *e, struct bw_archive *a)
{
    return bw_picture_checkpoint(&((struct state *)e->state)->picture, a);
}

static const struct bw_exporter_desc exporter = {
    .id = "exr",
    .version = "1.0",
    .brief = "Numbered volume renders in linear light with alpha, half floats.",
    BW_PARAMS(params),
    .params_size = sizeof(struct options),
    .state_size = sizeof(struct state),
    .flags = BW_EXPORTER_RENDERS,
    .init = init,
    .frame = frame_write,
    .outputs = outputs,
    .checkpoint = checkpoint,
};
static const struct bw_exporter_desc *const exporters[] = {&exporter};

BW_EXPORT const struct bw_module billow_module = BW_MODULE_EXPORTERS(exporters);
