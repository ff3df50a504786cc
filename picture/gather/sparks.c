// SPDX-License-Identifier: Apache-2.0
#include "sparks.h"

#include <billow/rng.h>

#include <math.h>
#include <string.h>

/// Attributes of one kind of particles, or NULL.
struct attributes {
    const struct bw_snapshot_particles *of;
    int pos, velocity, acceleration, temperature, size, colour, id; ///< -1: it has none
};

static int attribute_find(const struct bw_snapshot_particles *p, const char *name, uint32_t comps, int whole)
{
    for (uint32_t i = 0; i < p->n_attributes; i++)
        if (!strcmp(p->attributes[i].name, name) && p->attributes[i].comps == comps &&
            (p->attributes[i].precision == BW_I64) == whole)
            return (int)i;
    return -1;
}

static struct attributes attributes_of(const struct bw_snapshot_particles *p)
{
    return (struct attributes){.of = p,
                               .pos = attribute_find(p, "pos", 3, 0),
                               .velocity = attribute_find(p, "velocity", 3, 0),
                               .acceleration = attribute_find(p, "acceleration", 3, 0),
                               .temperature = attribute_find(p, "temperature", 1, 0),
                               .size = attribute_find(p, "size", 1, 0),
                               .colour = attribute_find(p, "colour", 3, 0),
                               .id = attribute_find(p, "id", 1, 1)};
}

/// Vortons have a temperature too, and are no bodies; of a colour they know nothing.
static int is_drawn(const struct attributes *a, enum bw_show_particles which)
{
    const int hot = a->temperature >= 0 && a->size >= 0;
    return a->pos >= 0 && (which == BW_SHOW_ALL || hot || (which == BW_SHOW_LIGHT && a->colour >= 0));
}

static double value(const struct attributes *a, int attribute, int64_t i)
{
    const void *data = a->of->data[attribute];
    return a->of->attributes[attribute].precision == BW_F64P ? ((const double *)data)[i]
                                                             : (double)((const float *)data)[i];
}

/// How much brighter than the mean, the same in all frames: 8u⁷ of a uniform u makes a tenth of them 2.5 to 8 times as
/// bright, which are seen as single hairs, and half of them dust.
static float brightness(const struct attributes *a, int64_t i, double vary)
{
    const int64_t id = a->id >= 0 ? ((const int64_t *)a->of->data[a->id])[i] : i;
    const double u = bw_rng_unit(0, (uint64_t)id);
    return (float)(1 - vary + vary * 8 * pow(u, 7));
}

static uint32_t colour_kind(const struct attributes *a, int64_t i)
{
    uint32_t bits, kind = 0;
    for (int c = 0; c < 3; c++) {
        const float value_c = (float)value(a, a->colour, 3 * i + c);
        memcpy(&bits, &value_c, sizeof bits);
        kind = (kind ^ bits) * 0x9e3779b1u;
        kind ^= kind >> 15;
    }
    return kind;
}

static struct bw_spark spark_of(const struct attributes *a, int64_t i, const struct bw_sparks_wish *wish)
{
    const int hot = a->temperature >= 0 && a->size >= 0;
    const float bright = hot || wish->which == BW_SHOW_LIGHT ? brightness(a, i, wish->vary) : 1;
    struct bw_spark s = {.rgb = {0.5f, 0.5f, 0.5f}, .size = (float)wish->size};
    for (int c = 0; c < 3; c++) {
        s.at[c] = value(a, a->pos, 3 * i + c);
        if (a->velocity >= 0) s.vel[c] = (float)value(a, a->velocity, 3 * i + c);
        if (a->acceleration >= 0) s.turn[c] = (float)value(a, a->acceleration, 3 * i + c);
        if (a->colour >= 0) s.rgb[c] = bright * (float)value(a, a->colour, 3 * i + c);
    }
    s.kind = a->colour >= 0 ? colour_kind(a, i) : 0;
    if (a->size >= 0) s.size = (float)value(a, a->size, i);
    if (hot) s.size *= sqrtf(bright); // grains of one fire are many small and few large ones
    if (hot) s.kelvin = (float)(wish->ambient + value(a, a->temperature, i));
    return s;
}

/// A file's particles may be anywhere: one at no number would take its neighbours along.
static int is_somewhere(const struct bw_spark *s)
{
    double sum = (double)s->size * 0;
    for (int c = 0; c < 3; c++) sum += (s->at[c] + (double)s->vel[c] + (double)s->turn[c] + (double)s->rgb[c]) * 0;
    return sum == 0;
}

enum bw_status bw_gather_sparks(const struct bw_tools *tools, const struct bw_frame *frame,
                                const struct bw_sparks_wish *wish, struct bw_volume *v)
{
    int64_t count = 0;
    for (uint32_t k = 0; k < frame->n_particles; k++) {
        const struct attributes a = attributes_of(&frame->particles[k]);
        if (is_drawn(&a, wish->which)) count += a.of->count;
    }
    if (!count) return BW_OK;
    v->spark = tools->alloc(tools->ctx, (size_t)count * sizeof *v->spark);
    if (!v->spark) return BW_ERR_MEMORY;
    for (uint32_t k = 0; k < frame->n_particles; k++) {
        const struct attributes a = attributes_of(&frame->particles[k]);
        for (int64_t i = 0; is_drawn(&a, wish->which) && i < a.of->count; i++) {
            const struct bw_spark s = spark_of(&a, i, wish);
            const int glows = wish->which != BW_SHOW_HOT || s.kelvin > 700;
            if (glows && (a.size < 0 || s.size > 0) && is_somewhere(&s)) v->spark[v->n_sparks++] = s;
        }
    }
    return BW_OK;
}
