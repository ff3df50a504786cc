// SPDX-License-Identifier: Apache-2.0
/* vorton.emit: vortons as rings, tubes, sheets, clouds, a shape full, from a file, once at the first frame (or at the
 * first of `frames`); jets, clouds with a rate and shapes that are refilled go on. What is born is computed in
 * emit_kinds.c and emit_fill.c. */
#include "emit.h"
#include <common/vec3.h>
#include <math.h>
#include <string.h>

#define CORE(S)                                                                                                        \
    BW_F64(S, core, "core", "2 cm", 0, 1e6, "m",                                                                       \
           "Standard deviation of the vorticity across a vortex line; each vorton's radius follows from it.",          \
           BW_PARAM_MIN_OPEN)
#define LAYERS(S)                                                                                                      \
    BW_INT(S, layers, "layers", "0", 0, 64,                                                                            \
           "Circles of vortex lines round the middle one: 1 + 3n(n+1) lines resolve the core.")

static const struct bw_param ring_rows[] = {
    BW_VEC3(struct emit_ring, center, "center", "[0, 0, 0]", "m", "Its centre."),
    BW_VEC3(struct emit_ring, axis, "axis", "[0, 0, 1]", NULL, "Where it goes, for a positive circulation."),
    BW_F64(struct emit_ring, radius, "radius", "20 cm", 0, 1e6, "m", "Of the ring.", BW_PARAM_MIN_OPEN),
    CORE(struct emit_ring),
    BW_F64(
        struct emit_ring, circulation, "circulation", "0.5 m^2/s", 0, 0, "m^2/s",
        "Γ; the ring moves at about Γ/(4πR)·(ln(8R/core) - β): β is 1.058 for one line of vortons, and .905, Gaussian "
        "vorticity's, for many layers."),
    BW_INT(struct emit_ring, segments, "segments", "0", 0, 1e7, "Vortons round each line; 0: as many as overlap well."),
    LAYERS(struct emit_ring),
};
static const struct bw_param tube_rows[] = {
    BW_VEC3(struct emit_tube, from, "from", "[0, 0, 0]", "m", "One end."),
    BW_VEC3(struct emit_tube, to, "to", "[0, 0, 1]", "m", "The other end; vorticity points there."),
    CORE(struct emit_tube),
    BW_F64(struct emit_tube, circulation, "circulation", "0.5 m^2/s", 0, 0, "m^2/s", "Γ round the tube."),
    BW_INT(struct emit_tube, segments, "segments", "0", 0, 1e7, "Vortons along each line; 0: as many as overlap well."),
    LAYERS(struct emit_tube),
};
static const struct bw_param jet_rows[] = {
    BW_VEC3(struct emit_jet, center, "center", "[0, 0, 0]", "m", "Middle of the nozzle."),
    BW_VEC3(struct emit_jet, axis, "axis", "[0, 0, 1]", NULL, "Where it blows."),
    BW_F64(struct emit_jet, radius, "radius", "10 cm", 0, 1e6, "m", "Of the nozzle.", BW_PARAM_MIN_OPEN),
    CORE(struct emit_jet),
    BW_F64(struct emit_jet, speed, "speed", "1 m/s", 0, 1e5, "m/s",
           "Of the jet; its edge sheds a circulation of speed²/2 a second."),
    BW_INT(struct emit_jet, segments, "segments", "0", 0, 1e6, "Vortons round the nozzle; 0: as many as overlap well."),
};
static const struct bw_param sheet_rows[] = {
    BW_VEC3(struct emit_sheet, center, "center", "[0, 0, 0]", "m", "Its middle."),
    BW_VEC3(struct emit_sheet, along, "along", "[1, 0, 0]", "m", "Edge along the flow's jump."),
    BW_VEC3(struct emit_sheet, across, "across", "[0, 1, 0]", "m", "Edge along the vorticity."),
    BW_F64(struct emit_sheet, jump, "jump", "1 m/s", 0, 0, "m/s",
           "Velocity above it (on the side of along × across) less that below."),
    CORE(struct emit_sheet),
};
static const struct bw_param cloud_rows[] = {
    BW_VEC3(struct emit_cloud, center, "center", "[0, 0, 0]", "m", "Its middle."),
    BW_F64(struct emit_cloud, radius, "radius", "20 cm", 0, 1e6, "m", "Of the ball that they fill.", BW_PARAM_MIN_OPEN),
    BW_F64(struct emit_cloud, vorticity, "vorticity", "10 1/s", 0, 1e6, "1/s",
           "Root mean square, in all directions; their sum is zero."),
    CORE(struct emit_cloud),
    BW_INT(struct emit_cloud, count, "count", "2000", 1, 1e8, "How many at once."),
    BW_F64(struct emit_cloud, rate, "rate", "0 1/s", 0, 1e6, "1/s", "Clouds a second; 0: one, at the start."),
};
static const struct bw_param fill_rows[] = {
    SHAPE_ROW(struct emit_fill, SHAPE_SOLIDS, NULL, BW_PARAM_REQUIRED, "What is filled."),
    BW_F64(struct emit_fill, spacing, "spacing", "2 cm", 0, 1e6, "m",
           "From vorton to vorton; each stands for this cubed of fluid.", BW_PARAM_MIN_OPEN),
    BW_F64(struct emit_fill, core, "core", "0 m", 0, 1e6, "m", "Radius of each; 0: 1.5 spacings."),
    BW_F64(struct emit_fill, edge, "edge", "0 m", 0, 1e6, "m", "The shape's edge is this soft."),
    BW_F64(struct emit_fill, jitter, "jitter", "0.2", 0, 0.5, NULL,
           "Places are moved at random, by up to this fraction of the spacing."),
    BW_INT(struct emit_fill, margin, "margin", "1", 0, 100,
           "Layers of ambient fluid around, for vorticity to arise on."),
    BW_BOOL(struct emit_fill, refill, "refill", "no", "Fills again what the flow has emptied, all the time."),
};
static const struct bw_param file_rows[] = {
    BW_PATH(struct emit_file, file, "file",
            "CSV with a head line, or PLY: x y z and strength_x strength_y strength_z (m³/s), radius, volume, density "
            "and temperature if there are.",
            BW_PARAM_REQUIRED),
    BW_F64(struct emit_file, core, "core", "2 cm", 0, 1e6, "m", "Radius of vortons for which the file says none.",
           BW_PARAM_MIN_OPEN),
};
static const struct bw_param source_rows[] = {
    BW_GROUP(struct emit_source, ring, struct emit_ring, "ring", ring_rows, "A vortex ring."),
    BW_GROUP(struct emit_source, tube, struct emit_tube, "tube", tube_rows, "A straight vortex tube with open ends."),
    BW_GROUP(struct emit_source, jet, struct emit_jet, "jet", jet_rows,
             "Rings shed by the edge of a nozzle, all the time."),
    BW_GROUP(struct emit_source, sheet, struct emit_sheet, "sheet", sheet_rows, "A vortex sheet: a jump of velocity."),
    BW_GROUP(struct emit_source, cloud, struct emit_cloud, "cloud", cloud_rows, "Random vortons in a ball."),
    BW_GROUP(struct emit_source, fill, struct emit_fill, "fill", fill_rows,
             "A shape full of fluid at rest, for `baroclinic` to move."),
    BW_GROUP(struct emit_source, file, struct emit_file, "file", file_rows, "Vortons from a file."),
};

static const struct bw_param params[] = {
    {.key = "source",
     .type = BW_PARAM_VARIANT,
     .offset = BW_OFFSET(struct emit_params, source, struct emit_source),
     .doc = "What to emit.",
     .flags = BW_PARAM_REQUIRED,
     .n_sub = BW_COUNT(source_rows),
     .sub = source_rows,
     .sub_size = sizeof(struct emit_source)},
    BW_F64(struct emit_params, wobble, "wobble", "0 m", 0, 1e6, "m",
           "Displaces lines by waves of this size, so that they do not stay perfect."),
    BW_INT(struct emit_params, waves, "waves", "7", 1, 1000,
           "Highest number of waves of the wobble along a line; three or more random ones are mixed."),
    BW_F64(struct emit_params, density, "density", "0 kg/m^3", -1e6, 1e6, "kg/m^3",
           "Deviation from the ambient density that each vorton carries."),
    BW_F64(struct emit_params, temperature, "temperature", "0 K", -1e5, 1e5, "K",
           "Excess over ambient that each carries."),
    BW_F64(struct emit_params, life, "life", "0 s", 0, 1e9, "s", "Vortons older than this are removed; 0: never."),
};

static const struct bw_port ports[] = {
    {.name = "vortons",
     .kind = BW_PARTICLES,
     .access = BW_UPDATE,
     .doc = "Gets the newborn.",
     .attributes = vorton_attributes,
     .n_attributes = BW_COUNT(vorton_attributes)},
};

struct state {
    struct shape_state shape; ///< first: what shapes expect
    int32_t started;
};

static enum bw_status brood_add(struct bw_stage *s, const struct emit_params *p, const struct brood *b)
{
    int64_t first = 0;
    enum bw_status st = particles_of(s)->add(s->ports[0].particles, b->count, &first);
    if (st == BW_ERR_MEMORY)
        return s->host->fail(s, BW_ERR_MEMORY, "out of memory for %lld more vortons (there are %lld)",
                             (long long)b->count, (long long)first);
    if (st) return st;
    struct vorton_arrays v = vorton_arrays(s, s->ports[0].particles);
    for (int64_t i = 0; i < b->count; i++) {
        const struct newborn *n = &b->item[i];
        memcpy(v.pos[first + i], n->pos, sizeof n->pos);
        memcpy(v.strength[first + i], n->strength, sizeof n->strength);
        v.radius[first + i] = n->radius;
        v.volume[first + i] = n->volume;
        v.density[first + i] = n->density;
        v.temperature[first + i] = n->temperature;
        v.born[first + i] = vec3_length(n->strength);
        v.life[first + i] = (float)p->life;
    }
    return BW_OK;
}

static enum bw_status init(struct bw_stage *s)
{
    const struct emit_source *from = &((const struct emit_params *)s->params)->source;
    return from->kind == EMIT_FILL ? emit_fill_ready(s, &from->fill) : BW_OK;
}

static enum bw_status step(struct bw_stage *s)
{
    const struct emit_params *p = s->params;
    struct state *st = s->state;
    struct brood b = {0};
    enum bw_status status = emit_brood(s, p, !st->started, &b);
    st->started = 1;
    if (!status && b.count) status = brood_add(s, p, &b);
    if (!status && b.count) status = particles_tidy(s, s->ports[0].particles, 1e9);
    return status;
}

static enum bw_status checkpoint(struct bw_stage *s, struct bw_archive *a)
{
    const struct emit_source *from = &((const struct emit_params *)s->params)->source;
    struct state *st = s->state;
    enum bw_status status = a->bytes(a, "started", &st->started, sizeof st->started);
    return status || from->kind != EMIT_FILL ? status : shape_checkpoint(s, a, &from->fill.shape);
}

const struct bw_stage_desc vorton_emit_desc = {
    .id = "vorton.emit",
    .version = "1.0",
    .brief = "Vortex rings, tubes, jets, sheets, clouds, shapes full of heavy or hot fluid, or vortons from a file.",
    .params_size = sizeof(struct emit_params),
    .state_size = sizeof(struct state),
    BW_PARAMS(params),
    BW_PORTS(ports),
    .init = init,
    .step = step,
    .checkpoint = checkpoint,
    .flags = BW_STAGE_RANKS | BW_STAGE_SETUP,
};
