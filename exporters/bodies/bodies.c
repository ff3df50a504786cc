// SPDX-License-Identifier: Apache-2.0
/* Exporter `bodies`: the motion of rigid bodies, so that meshes can be parented to it. bodies/NAME.csv, a line a frame
 * and body, in metres, z up; bodies/NAME.usda, an Xform a body with translation and orientation as time samples and its
 * shape as a child, frame numbers as time codes, in the scene's axes and units. Both are written when the bake ends,
 * also when it stops early.
 *
 * Y up: (x, y, z) becomes (x, z, -y), and so do a quaternion's vector and a box's extents; lengths are times
 * `scale`. */
#include <billow/plugin.h>
#include <common/larger/larger.h>
#include <common/outputs.h>

#include <stdio.h>
#include <string.h>

struct options {
    const char *particles, *name;
    int32_t up;
    double scale, larger, fps;
};

static const struct bw_param params[] = {
    BW_FIELD(struct options, particles, "particles", "bodies", "Which ones.", BW_PARAM_PARTICLES),
    BW_STRING(struct options, name, "name", NULL, "Of the files; the preset's name when absent."),
    BW_CHOICE(struct options, up, "up", "z", "z|y", "Axis that points up in the .usda."),
    BW_F64(struct options, scale, "scale", "1", 0, 1e6, NULL,
           "Lengths are multiplied by it: 100 for a scene in centimetres.", BW_PARAM_STATIC | BW_PARAM_MIN_OPEN),
    LARGER_ROWS(struct options),
};

/* One body at one frame. */
struct sample {
    int64_t frame, id;
    double time, pos[3], turn[3], turn_w, velocity[3], spin[3], size[3], mass, shape;
};
struct state {
    struct sample *sample;
    int64_t count, capacity;
};

static enum bw_status room_make(struct bw_exporter *e, int64_t more)
{
    struct state *s = e->state;
    if (s->count + more <= s->capacity) return BW_OK;
    int64_t capacity = 2 * s->capacity + more + 64;
    struct sample *grown = e->host->alloc(e, (size_t)capacity * sizeof *grown);
    if (!grown) return e->host->fail(e, BW_ERR_MEMORY, "out of memory for %lld samples of motion", (long long)capacity);
    if (s->count) memcpy(grown, s->sample, (size_t)s->count * sizeof *grown);
    e->host->release(e, s->sample);
    s->sample = grown;
    s->capacity = capacity;
    return BW_OK;
}

/// One body's values of an attribute, or, of planned particles, nothing; 0: there is none such in double precision.
static int value_take(const struct bw_snapshot_particles *p, const char *name, uint32_t comps, int64_t i, double *out)
{
    for (uint32_t a = 0; a < p->n_attributes; a++) {
        const struct bw_attribute *at = &p->attributes[a];
        if (strcmp(at->name, name) || at->precision != BW_F64P || at->comps != comps) continue;
        if (p->data) memcpy(out, (const double *)p->data[a] + (size_t)i * comps, comps * sizeof *out);
        return 1;
    }
    return 0;
}

static int sample_take(const struct bw_snapshot_particles *p, int64_t i, struct sample *to)
{
    for (uint32_t a = 0; a < p->n_attributes; a++)
        if (p->data && !strcmp(p->attributes[a].name, "id")) to->id = ((const int64_t *)p->data[a])[i];
    return value_take(p, "pos", 3, i, to->pos) && value_take(p, "turn", 3, i, to->turn) &&
           value_take(p, "turn_w", 1, i, &to->turn_w) && value_take(p, "velocity", 3, i, to->velocity) &&
           value_take(p, "spin", 3, i, to->spin) && value_take(p, "size", 3, i, to->size) &&
           value_take(p, "mass", 1, i, &to->mass) && value_take(p, "shape", 1, i, &to->shape);
}

/* A body so many times as large, of the same stuff. */
static void sample_enlarge(struct sample *s, double larger, double times)
{
    for (int a = 0; a < 3; a++) {
        s->pos[a] *= larger, s->size[a] *= larger;
        s->velocity[a] *= larger / times, s->spin[a] /= times;
    }
    s->mass *= larger * larger * larger;
    s->time *= times;
}

/// The particles that are wanted; NULL, said: they are no bodies.
static const struct bw_snapshot_particles *bodies_find(struct bw_exporter *e, const struct bw_frame *frame)
{
    const struct options *o = e->params;
    struct sample any;
    for (uint32_t k = 0; k < frame->n_particles; k++)
        if (!strcmp(frame->particles[k].name, o->particles) &&
            (frame->particles[k].data || sample_take(&frame->particles[k], 0, &any)))
            return &frame->particles[k];
    e->host->fail(e, BW_ERR_PRESET, "particles \"%s\" are no bodies", o->particles);
    return NULL;
}

static enum bw_status frame_take(struct bw_exporter *e, const struct bw_frame *frame)
{
    const struct options *o = e->params;
    struct state *s = e->state;
    const struct bw_snapshot_particles *p = bodies_find(e, frame);
    const enum bw_status status = p ? room_make(e, p->count) : BW_ERR_PRESET;
    for (int64_t i = 0; !status && i < p->count; i++) {
        struct sample *to = &s->sample[s->count++];
        *to = (struct sample){.frame = frame->number, .time = frame->time};
        sample_take(p, i, to);
        sample_enlarge(to, o->larger, larger_slower(o->fps, e->bake->fps));
    }
    return status;
}

/* ---- files ---- */

static void csv_write(FILE *f, const struct state *s)
{
    fprintf(f, "frame,time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,mass\n");
    for (int64_t i = 0; i < s->count; i++) {
        const struct sample *a = &s->sample[i];
        const double *row[] = {a->pos, &a->turn_w, a->turn, a->velocity, a->spin, &a->mass};
        static const int comps[] = {3, 1, 3, 3, 3, 1};
        fprintf(f, "%lld,%.9g,%lld", (long long)a->frame, a->time, (long long)a->id + 1);
        for (int k = 0; k < 6; k++)
            for (int c = 0; c < comps[k]; c++) fprintf(f, ",%.17g", row[k][c]);
        fprintf(f, "\n");
    }
}

/// A vector in the scene's axes.
static void scene_vector(const struct options *o, const double v[3], double times, double out[3])
{
    out[0] = times * v[0];
    out[1] = times * (o->up ? v[2] : v[1]);
    out[2] = times * (o->up ? 0 - v[1] : v[2]);
}

static void shape_write(FILE *f, const struct options *o, const struct sample *a)
{
    double size[3];
    scene_vector(o, a->size, o->scale, size);
    if (a->shape == 0) {
        fprintf(f, "        def Sphere \"shape\"\n        {\n            double radius = %.9g\n        }\n", size[0]);
        return;
    }
    fprintf(f,
            "        def Cube \"shape\"\n        {\n            double size = 2\n"
            "            double3 xformOp:scale = (%.9g, %.9g, %.9g)\n"
            "            uniform token[] xformOpOrder = [\"xformOp:scale\"]\n        }\n",
            size[0], size[1], size[2] < 0 ? -size[2] : size[2]);
}

static void body_write(FILE *f, const struct options *o, const struct state *s, const struct sample *first)
{
    double v[3];
    fprintf(f, "\n    def Xform \"body_%lld\"\n    {\n        double3 xformOp:translate.timeSamples = {\n",
            (long long)first->id + 1);
    for (const struct sample *a = first; a < s->sample + s->count; a++) {
        if (a->id != first->id) continue;
        scene_vector(o, a->pos, o->scale, v);
        fprintf(f, "            %lld: (%.9g, %.9g, %.9g),\n", (long long)a->frame, v[0], v[1], v[2]);
    }
    fprintf(f, "        }\n        quatd xformOp:orient.timeSamples = {\n");
    for (const struct sample *a = first; a < s->sample + s->count; a++) {
        if (a->id != first->id) continue;
        scene_vector(o, a->turn, 1, v);
        fprintf(f, "            %lld: (%.9g, %.9g, %.9g, %.9g),\n", (long long)a->frame, a->turn_w, v[0], v[1], v[2]);
    }
    fprintf(f, "        }\n        uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n\n");
    shape_write(f, o, first);
    fprintf(f, "    }\n");
}

/// Is this the first sample of its body? It would be in the frame before: bodies stay.
static int is_first(const struct state *s, int64_t i)
{
    for (int64_t k = i - 1; k >= 0 && s->sample[k].frame >= s->sample[i].frame - 1; k--)
        if (s->sample[k].id == s->sample[i].id) return 0;
    return 1;
}

static void usda_write(FILE *f, const struct bw_exporter *e, const struct state *s)
{
    const struct options *o = e->params;
    const double fps = e->bake->fps / larger_slower(o->fps, e->bake->fps);
    fprintf(f,
            "#usda 1.0\n(\n    defaultPrim = \"bodies\"\n    doc = \"%s\"\n    startTimeCode = %lld\n"
            "    endTimeCode = %lld\n"
            "    framesPerSecond = %.9g\n    timeCodesPerSecond = %.9g\n    metersPerUnit = %.9g\n"
            "    upAxis = \"%s\"\n)\n\n"
            "def Xform \"bodies\"\n{",
            e->bake->version, (long long)s->sample[0].frame, (long long)s->sample[s->count - 1].frame, fps, fps,
            1 / o->scale, o->up ? "Y" : "Z");
    for (int64_t i = 0; i < s->count; i++)
        if (is_first(s, i)) body_write(f, o, s, &s->sample[i]);
    fprintf(f, "}\n");
}

static void file_name(const struct bw_exporter *e, const char *suffix, char out[512])
{
    const struct options *o = e->params;
    snprintf(out, 512, "bodies/%.200s%s", o->name ? o->name : e->bake->name, suffix);
}

static enum bw_status file_write(struct bw_exporter *e, const char *suffix)
{
    char name[512];
    file_name(e, suffix, name);
    const char *path = e->host->output_begin(e, name);
    if (!path) return BW_ERR_IO;
    FILE *f = fopen(path, "w");
    int good = f != NULL;
    if (good && !strcmp(suffix, ".csv")) csv_write(f, e->state);
    else if (good) usda_write(f, e, e->state);
    good = good && !ferror(f);
    if (f && fclose(f)) good = 0;
    return output_end(e, path, name, good ? BW_OK : BW_ERR_IO, NULL, "motion", NULL);
}

static enum bw_status checkpoint(struct bw_exporter *e, struct bw_archive *a)
{
    struct state *s = e->state;
    if (a->restoring) {
        const int64_t count = a->stored(a, "motion") / (int64_t)sizeof *s->sample;
        enum bw_status status = count > 0 ? room_make(e, count) : BW_OK;
        if (status) return status;
        s->count = count > 0 ? count : 0;
    }
    return a->bytes(a, "motion", s->sample, (size_t)s->count * sizeof *s->sample);
}

static enum bw_status finish(struct bw_exporter *e, int complete)
{
    (void)complete;
    if (!((struct state *)e->state)->count) return BW_OK;
    enum bw_status st = file_write(e, ".csv");
    return st ? st : file_write(e, ".usda");
}

static void outputs(const struct bw_exporter *e, const struct bw_frame *frame, bw_output_name_fn say, void *user)
{
    static const char *const suffix[] = {".csv", ".usda"};
    char name[512];
    (void)frame;
    for (uint32_t i = 0; i < BW_COUNT(suffix); i++) {
        file_name(e, suffix[i], name);
        say(name, user);
    }
}

static enum bw_status init(struct bw_exporter *e)
{
    const struct options *o = e->params;
    if (e->planned && !bodies_find(e, e->planned)) return BW_ERR_PRESET;
    return output_name_check(e, o->name);
}

static const struct bw_exporter_desc exporter = {
    .id = "bodies",
    .version = "1.0",
    .brief = "Motion of rigid bodies: CSV, and .usda transforms to parent meshes to.",
    BW_PARAMS(params),
    .params_size = sizeof(struct options),
    .state_size = sizeof(struct state),
    .init = init,
    .frame = frame_take,
    .finish = finish,
    .outputs = outputs,
    .checkpoint = checkpoint,
};
static const struct bw_exporter_desc *const exporters[] = {&exporter};

BW_EXPORT const struct bw_module billow_module = BW_MODULE_EXPORTERS(exporters);
