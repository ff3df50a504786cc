// SPDX-License-Identifier: Apache-2.0
/* Exporter `pgm`: pgm/NAME_0001.pgm, the middle slice of a field in shades of grey. Its flag says that it makes
 * pictures, and keys that are called as those of Billow's own pictures mean the same: so previews and the page show
 * them. */
#include <billow/plugin.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

struct camera {
    double azimuth, elevation;
};

struct options {
    const char *field;
    int32_t axis, map;
    int64_t size;
    double most;
    struct camera camera;
};

static const struct bw_param camera[] = {
    BW_F64(struct camera, azimuth, "azimuth", "24 deg", -1e6, 1e6, "rad", "Where from, in previews."),
    BW_F64(struct camera, elevation, "elevation", "7.5 deg", -1.5, 1.5, "rad", "How high, in previews."),
};
static const struct bw_param params[] = {
    BW_FIELD(struct options, field, "field", "density", "What is shown."),
    BW_CHOICE(struct options, axis, "axis", "y", "x|y|z", "Across the slice."),
    BW_CHOICE(struct options, map, "map", "grey", "grey|viridis", "Colours, in previews."),
    BW_INT(struct options, size, "size", "90", 16, 4096, "Height of previews."),
    BW_F64(struct options, most, "most", "1", 1e-9, 1e9, 0, "What is white."),
    BW_GROUP(struct options, camera, struct camera, "camera", camera, "Where previews are seen from."),
};

/// The cells in the middle of a box, across `axis`, as floats: n[0]·n[1]·n[2] of them, of which one n is 1.
static float *slice_read(struct bw_exporter *e, const struct bw_snapshot_field *f, int axis, int32_t n[3])
{
    const struct bw_domain_info *d = f->info->domain;
    int32_t lo[3] = {0, 0, 0};
    memcpy(n, d->n, sizeof d->n);
    lo[axis] = n[axis] / 2, n[axis] = 1;
    float *value = e->host->alloc(e, (size_t)n[0] * (size_t)n[1] * (size_t)n[2] * sizeof *value);
    if (value) e->host->read_box(f, 0, lo, n, value);
    return value;
}

static enum bw_status file_write(struct bw_exporter *e, const struct bw_frame *frame, const float *value, int w, int h)
{
    const struct options *o = e->params;
    char name[300];
    snprintf(name, sizeof name, "pgm/%.200s_%04lld.pgm", e->bake->name, (long long)frame->number);
    const char *path = e->host->output_begin(e, name);
    FILE *f = path ? fopen(path, "wb") : NULL;
    if (!f) return e->host->fail(e, BW_ERR_IO, "%s cannot be written", name);
    fprintf(f, "P5 %d %d 255\n", w, h);
    for (int y = h - 1; y >= 0; y--)
        for (int x = 0; x < w; x++) putc((int)lrint(255 * fmin(fmax((double)value[y * w + x] / o->most, 0), 1)), f);
    if (ferror(f) | fclose(f)) return e->host->fail(e, BW_ERR_IO, "%s cannot be written", name);
    const enum bw_status status = e->host->output_commit(e, path);
    if (!status) e->host->announce(e, "picture", name);
    return status;
}

static enum bw_status frame_write(struct bw_exporter *e, const struct bw_frame *frame)
{
    const struct options *o = e->params;
    const struct bw_snapshot_field *f = NULL;
    int32_t n[3];
    for (uint32_t i = 0; i < frame->n_fields; i++)
        if (!strcmp(frame->fields[i].info->name, o->field)) f = &frame->fields[i];
    if (!f) return e->host->fail(e, BW_ERR_PRESET, "there is no field \"%s\"", o->field);
    float *value = slice_read(e, f, o->axis, n);
    if (!value) return e->host->fail(e, BW_ERR_MEMORY, "out of memory for a slice");
    const enum bw_status status = file_write(e, frame, value, o->axis == 0 ? n[1] : n[0], o->axis == 2 ? n[1] : n[2]);
    e->host->release(e, value);
    return status;
}

static const struct bw_exporter_desc pgm = {
    .id = "pgm",
    .version = "1.0",
    .brief = "Slices in shades of grey.",
    BW_PARAMS(params),
    .params_size = sizeof(struct options),
    .flags = BW_EXPORTER_SLICES,
    .frame = frame_write,
};
static const struct bw_exporter_desc *const exporters[] = {&pgm};

BW_EXPORT const struct bw_module billow_module = BW_MODULE_EXPORTERS(exporters);
