// SPDX-License-Identifier: Apache-2.0
/* Exporter `ply`: particles as numbered point clouds, ply/NAME_PARTICLES_0001.ply, little-endian binary, one file a
 * frame and kind of particles. `pos` becomes x y z, `colour` red green blue, other attributes keep their names, vectors
 * with _x _y _z; positions are float, or double where asked for, `id` is a 32-bit number. Blender, Houdini and MeshLab
 * read it, and so does vorton.emit. Velocities are those of the flow at that place in that frame. Axes and lengths are
 * those of the bake, z up and metres, unless `up` and `scale` say as vdb's do; the heading tells them to readers. */
#include <billow/plugin.h>
#include <common/larger/larger.h>
#include <common/outputs.h>

#include <stdio.h>
#include <string.h>

struct options {
    const char *particles, *name;
    int64_t every;
    int32_t precision, up;
    double scale, larger, fps;
};

static const struct bw_param params[] = {
    BW_FIELD(struct options, particles, "particles", NULL, "Which ones, such as tracers; all when absent.",
             BW_PARAM_PARTICLES),
    BW_STRING(struct options, name, "name", NULL, "First part of the file names; the preset's name when absent."),
    BW_INT(struct options, every, "every", "1", 1, 1000000, "Write one frame of so many."),
    BW_CHOICE(struct options, precision, "precision", "float", "float|double",
              "Of positions and other 64-bit attributes."),
    BW_CHOICE(struct options, up, "up", "z", "z|y", "World axis that points up: z for Blender, y for Houdini."),
    BW_F64(struct options, scale, "scale", "1", 1e-6, 1e6, NULL,
           "Units a metre in the file, as vdb has it: 100 for scenes in centimetres."),
    LARGER_ROWS(struct options),
};

/// What a file makes of the bake's numbers.
struct form {
    const struct options *o;
    double length, speed, slower; ///< units for a metre, units a second for a metre a second, seconds for one
};

static struct form form_of(const struct bw_exporter *e)
{
    const struct options *o = e->params;
    const double length = o->scale * o->larger, slower = larger_slower(o->fps, e->bake->fps);
    return (struct form){o, length, length / slower, slower};
}

struct state {
    int32_t announced; ///< anew after a resume: whoever resumes wants to know too
};

/// Number of bytes a value takes in the file.
static size_t value_bytes(const struct bw_attribute *a, int wide) { return a->precision == BW_F64P && wide ? 8 : 4; }

static void head_write(FILE *f, const struct bw_snapshot_particles *p, const struct bw_frame *frame,
                       const struct form *form)
{
    const struct options *o = form->o;
    const int wide = o->precision;
    static const char *const axes[] = {"x", "y", "z"}, *const colours[] = {"red", "green", "blue"};
    fprintf(f,
            "ply\nformat binary_little_endian 1.0\ncomment Billow frame %lld time %.9g s\n"
            "comment %.17g units a metre, %c up\n",
            (long long)frame->number, frame->time * form->slower, o->scale, o->up ? 'y' : 'z');
    if (o->larger != 1 || form->slower != 1)
        fprintf(f, "comment %.17g times as large, %.17g times as slow as computed\n", o->larger, form->slower);
    fprintf(f, "element vertex %lld\n", (long long)p->count);
    for (uint32_t a = 0; a < p->n_attributes; a++)
        for (uint32_t c = 0; c < p->attributes[a].comps; c++) {
            const struct bw_attribute *at = &p->attributes[a];
            fprintf(f, "property %s ",
                    at->precision == BW_I64      ? "int"
                    : value_bytes(at, wide) == 8 ? "double"
                                                 : "float");
            if (!strcmp(at->name, "pos")) fprintf(f, "%s\n", axes[c % 3]);
            else if (!strcmp(at->name, "colour")) fprintf(f, "%s\n", colours[c % 3]);
            else if (at->comps == 1) fprintf(f, "%s\n", at->name);
            else fprintf(f, "%s_%s\n", at->name, axes[c % 3]);
        }
    fprintf(f, "end_header\n");
}

static double value_at(const struct bw_attribute *a, const void *data, int64_t at)
{
    return a->precision == BW_F32 ? (double)((const float *)data)[at] : ((const double *)data)[at];
}

/// Component c of row i as the file has it: turned, in its units.
static double value_of(const struct bw_attribute *a, const void *data, int64_t i, uint32_t c, const struct form *form)
{
    static const uint32_t from[] = {0, 2, 1};
    const int64_t row = i * a->comps;
    const int up = form->o->up;
    if (!up && form->length == 1 && form->speed == 1)
        return value_at(a, data, row + c); // most, without a look at names
    const int vector = a->comps == 3 && strcmp(a->name, "colour") != 0, turned = vector && up;
    const int length = !strcmp(a->name, "pos") || !strcmp(a->name, "radius"), speed = !strcmp(a->name, "velocity");
    const double x = value_at(a, data, row + (turned ? from[c] : c));
    return (turned && c == 2 ? -x : x) * (length ? form->length : speed ? form->speed : 1);
}

static size_t value_put(char *to, const struct bw_attribute *a, const void *data, int64_t i, uint32_t c,
                        const struct form *form)
{
    if (a->precision == BW_I64) {
        int32_t id = (int32_t)((const int64_t *)data)[i * a->comps + c];
        memcpy(to, &id, sizeof id);
        return sizeof id;
    }
    const double x = value_of(a, data, i, c, form);
    if (value_bytes(a, form->o->precision) == 8) {
        memcpy(to, &x, 8);
        return 8;
    }
    memcpy(to, &(float){(float)x}, sizeof(float));
    return sizeof(float);
}

/// Rows through a buffer of the stack's; 1: written.
static int rows_write(FILE *f, const struct bw_snapshot_particles *p, const struct form *form)
{
    char buffer[1 << 16];
    size_t used = 0, row = 0;
    for (uint32_t a = 0; a < p->n_attributes; a++)
        row += p->attributes[a].comps * value_bytes(&p->attributes[a], form->o->precision);
    for (int64_t i = 0; i < p->count; i++) {
        if (used + row > sizeof buffer) {
            if (fwrite(buffer, 1, used, f) != used) return 0;
            used = 0;
        }
        for (uint32_t a = 0; a < p->n_attributes; a++)
            for (uint32_t c = 0; c < p->attributes[a].comps; c++)
                used += value_put(buffer + used, &p->attributes[a], p->data[a], i, c, form);
    }
    return fwrite(buffer, 1, used, f) == used;
}

static void file_name(const struct bw_exporter *e, const struct bw_snapshot_particles *p, const struct bw_frame *frame,
                      char out[512])
{
    const struct options *o = e->params;
    snprintf(out, 512, "ply/%.150s_%.150s_%04lld.ply", o->name ? o->name : e->bake->name, p->name,
             (long long)frame->number);
}

static int is_wanted(const struct options *o, const struct bw_snapshot_particles *p)
{
    return !o->particles || !strcmp(o->particles, p->name);
}

static int is_written(const struct options *o, const struct bw_frame *frame)
{
    return (frame->number - frame->first) % o->every == 0;
}

static enum bw_status file_write(struct bw_exporter *e, const struct bw_snapshot_particles *p,
                                 const struct bw_frame *frame)
{
    const struct form form = form_of(e);
    struct state *s = e->state;
    char name[512];
    file_name(e, p, frame, name);
    const char *path = e->host->output_begin(e, name);
    if (!path) return BW_ERR_IO;
    FILE *f = fopen(path, "wb");
    int good = f != NULL;
    if (good) head_write(f, p, frame, &form);
    good = good && rows_write(f, p, &form);
    if (f && fclose(f)) good = 0;
    return output_end(e, path, name, good ? BW_OK : BW_ERR_IO, NULL, "particles", &s->announced);
}

static enum bw_status frame_write(struct bw_exporter *e, const struct bw_frame *frame)
{
    const struct options *o = e->params;
    enum bw_status status = BW_OK;
    for (uint32_t i = 0; is_written(o, frame) && i < frame->n_particles && !status; i++)
        if (is_wanted(o, &frame->particles[i])) status = file_write(e, &frame->particles[i], frame);
    return status;
}

static void outputs(const struct bw_exporter *e, const struct bw_frame *frame, bw_output_name_fn say, void *user)
{
    const struct options *o = e->params;
    char name[512];
    for (uint32_t i = 0; i < frame->n_particles; i++) {
        if (!is_wanted(o, &frame->particles[i])) continue;
        file_name(e, &frame->particles[i], frame, name);
        if (is_written(o, frame)) say(name, user);
    }
}

static enum bw_status init(struct bw_exporter *e)
{
    const struct options *o = e->params;
    if (e->planned && !e->planned->n_particles)
        return e->host->fail(e, BW_ERR_PRESET, "no stage of this preset makes particles: leave ply out");
    e->host->want_motion(e);
    return output_name_check(e, o->name);
}

static const struct bw_exporter_desc exporter = {
    .id = "ply",
    .version = "1.0",
    .brief = "Particles (vortons, tracers) as numbered point clouds.",
    BW_PARAMS(params),
    .params_size = sizeof(struct options),
    .state_size = sizeof(struct state),
    .flags = BW_EXPORTER_REBUILT_STATE | BW_EXPORTER_RANKS | BW_EXPORTER_TURNS,
    .init = init,
    .frame = frame_write,
    .outputs = outputs,
};
static const struct bw_exporter_desc *const exporters[] = {&exporter};

BW_EXPORT const struct bw_module billow_module = BW_MODULE_EXPORTERS(exporters);
