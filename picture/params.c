// SPDX-License-Identifier: Apache-2.0
#include "params.h"
#include <picture/volume/scene/flame.h>
#include <picture/gather/sparks.h>
#include <picture/volume/splat/spread.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// clang-format off
const struct bw_param bw_picture_range_row[1] = {{.type = BW_PARAM_F64}};
static const struct bw_param place_row[1] = {{.type = BW_PARAM_F64, .unit = "m"}};
const struct bw_param bw_picture_light_rows[] = {BW_LIGHT_ROWS(BW_PICTURE_ROW, struct bw_picture_light, )};

static const struct bw_param each_rows[] = {
    BW_STRING(struct bw_picture_obstacle, stage, "stage", NULL, "Id of the stage that the obstacle is."),
    BW_OBSTACLE_ROWS(BW_PICTURE_ROW, struct bw_picture_obstacle, )
};
const struct bw_param bw_picture_obstacle_rows[] = {
    BW_OBSTACLE_ROWS(BW_PICTURE_ROW, struct bw_picture_obstacles, all.)
    BW_LIST(struct bw_picture_obstacles, each, struct bw_picture_obstacle, "each", each_rows,
            "Those that look otherwise, at most 16, each by its `stage`; keys that are left out are the usual ones."),
};
const struct bw_param bw_picture_scorch_rows[] = {BW_SCORCH_ROWS(BW_PICTURE_ROW, struct bw_picture_scorch, )};
const struct bw_param bw_picture_particle_rows[] = {BW_PARTICLE_ROWS(BW_PICTURE_ROW, struct bw_picture_particles, )};
const struct bw_param bw_picture_flame_rows[] = {BW_FLAME_ROWS(BW_PICTURE_ROW, struct bw_picture_flames, )};

static const struct bw_param hdri_rows[] = {BW_HDRI_ROWS(BW_PICTURE_ROW, struct bw_picture_hdri, )};
static const struct bw_param sun_rows[] = {BW_SUN_ROWS(BW_PICTURE_ROW, struct bw_picture_sun, )};
const struct bw_param bw_picture_sky_rows[] = {
    {.key = "studio",
     .type = BW_PARAM_GROUP,
     .doc = "Wall and light of the studio, or `above`, `below`, `background`."},
    BW_GROUP(struct bw_picture_sky, hdri, struct bw_picture_hdri, "hdri", hdri_rows,
             "A picture of the whole sphere; what is small and bright in it becomes up to three lamps with shadows."),
    BW_GROUP(struct bw_picture_sky, sun, struct bw_picture_sun, "sun", sun_rows, "A clear sky by day, and its sun."),
};

static const struct bw_param target_rows[] = {
    {.key = "stage", .type = BW_PARAM_GROUP, .doc = "The middle of the domain's box."},
    BW_VEC3(struct bw_picture_target, point, "point", "[0, 0, 0]", "m", "A place."),
};
const struct bw_param bw_picture_camera_rows[] = {BW_CAMERA_ROWS(BW_PICTURE_ROW, struct bw_picture_camera, )};

/// The rows by themselves: offsets are those in struct bw_picture_params.
struct alone {
    struct bw_picture_params p;
};
static const struct bw_param own_rows[] = {BW_PICTURE_PARAMS(struct alone, p)};
/// Where in them is which: ROW_view …
#define ROW_NUMBER(S, m, KIND, member, ...) ROW_##member,
enum { BW_GLANCE_ROWS(ROW_NUMBER, , ) BW_LOOK_ROWS(ROW_NUMBER, , ) BW_SHOW_ROWS(ROW_NUMBER, , ) };
// clang-format on

int bw_picture_params_render(const struct bw_picture_params *p, int slices)
{
    return p->view == BW_VIEW_RENDER || (p->view == BW_VIEW_AUTO && !p->field && !slices);
}

/// A row's default; of a colour's three the first.
static double usual(int row) { return strtod(own_rows[row].def + strspn(own_rows[row].def, "["), NULL); }

/// Nobody has said how bright lamps and sky are to be.
static int light_untouched(const struct bw_picture_params *p)
{
    return !p->sky.kind && p->key == usual(ROW_key) && p->environment == usual(ROW_environment);
}

#define SOOTY 0.33f ///< share of light that a fire's smoke scatters, unless it was given

/// A sky of the preset's own lights as it is, unless somebody has said how bright; the studio's is for the studio.
static void sky_brighten(const struct bw_picture_params *p, struct bw_look *look)
{
    const int own = p->sky.kind || p->above.count > 0;
    if (own && p->environment == usual(ROW_environment)) look->environment = 1;
}

/// Fire's mood: the studio dimmed, smoke sooty.
static void mood_choose(const struct bw_picture_params *p, int flames, struct bw_look *look)
{
    const int dim = p->mood == BW_MOOD_FIRE || (p->mood == BW_MOOD_AUTO && flames && light_untouched(p));
    int given = 0;
    for (int c = 0; c < 3; c++) given |= p->smoke[c] != usual(ROW_smoke);
    if (dim) look->key *= 0.15, look->environment *= 0.4;
    for (int c = 0; c < 3; c++) look->albedo[c] = dim && !given ? SOOTY : (float)fmin(fmax(p->smoke[c], 0), 1);
}

/// Light from all around; 0: the lists are not two colours.
static int sky_choose(const struct bw_list *above, const struct bw_list *below, struct bw_look *look)
{
    look->has_sky = above->count > 0 || below->count > 0;
    if (look->has_sky && (above->count != 3 || below->count != 3)) return 0;
    for (int c = 0; look->has_sky && c < 3; c++) {
        look->above[c] = (float)((const double *)above->items)[c];
        look->below[c] = (float)((const double *)below->items)[c];
    }
    return 1;
}

/// A lamp of the preset's own; answers what is wrong with it, or NULL.
static const char *light_choose(const struct bw_picture_light *own, struct bw_light *light)
{
    const double *to = own->to, length = sqrt(to[0] * to[0] + to[1] * to[1] + to[2] * to[2]);
    *light = (struct bw_light){.half = tan(0.5 * own->angle), .near = own->position.count > 0};
    if (light->near && own->position.count != 3) return "wants three numbers as its position, [x, y, z]";
    if (!light->near && !(length > 0)) return "has no direction: `to` is zero";
    if (light->near) light->half = 0.5 * own->size;
    for (int c = 0; c < 3; c++) {
        if (light->near) light->at[c] = ((const double *)own->position.items)[c];
        else light->to[c] = to[c] / length;
        light->rgb[c] = (float)own->colour[c];
    }
    return NULL;
}

/// Radiance of what is that hot, K, where flames are `fire` times as bright as usual.
static void glow_of(double kelvin, double fire, float rgb[3])
{
    struct bw_blackbody blackbody;
    for (int c = 0; c < 3; c++) rgb[c] = 0;
    if (!(kelvin > 0)) return;
    bw_blackbody_init(&blackbody, BW_CONTRAST, BW_BLACKBODY_WHITE);
    bw_blackbody_rgb(&blackbody, (float)kelvin, rgb);
    for (int c = 0; c < 3; c++) rgb[c] *= (float)fire * BW_GLOW;
}

static struct bw_material_wish material_of(const struct bw_picture_obstacle *o, double fire)
{
    struct bw_material_wish wish = {
        .kind = o->material, .roughness = (float)o->roughness, .gloss = (float)o->gloss, .scale = o->scale};
    for (int c = 0; c < 3; c++) wish.colour[c] = (float)fmin(fmax(o->colour[c], 0), 1);
    glow_of(o->glow, fire, wish.glow);
    return wish;
}

/* Of a row of rows.h what renders read, from the preset's value. */
#define LOOK_COPY(S, m, KIND, member, ...) LOOK_COPY_##KIND(look->m member, p->m member);
#define LOOK_COPY_F64(to, from) (to) = (from)
#define LOOK_COPY_CHOICE(to, from) (to) = (from)
#define LOOK_COPY_INT(to, from) (to) = (int32_t)(from)
#define LOOK_COPY_COLOUR(to, from) colour_copy(to, from)

static void colour_copy(float to[3], const double from[3])
{
    for (int c = 0; c < 3; c++) to[c] = (float)fmax(from[c], 0);
}

enum bw_status bw_picture_look(const struct bw_picture_params *p, int flames, struct bw_look *look, char *why,
                               size_t why_size)
{
    const struct bw_picture_light *light = p->lights.items;
    const double *back = p->background.items;
    *look = (struct bw_look){.quality = p->quality - 1, .has_background = p->background.count > 0};
    BW_LOOK_ROWS(LOOK_COPY, , )
    BW_PARTICLE_ROWS(LOOK_COPY, , particles.)
    BW_FLAME_ROWS(LOOK_COPY, , flames.)
    sky_brighten(p, look);
    mood_choose(p, flames, look);
    if (p->background.count && p->background.count != 3) {
        snprintf(why, why_size, "background wants three numbers, [r, g, b]");
        return BW_ERR_PRESET;
    }
    if (!sky_choose(&p->above, &p->below, look)) {
        snprintf(why, why_size, "above and below want three numbers each, [r, g, b]");
        return BW_ERR_PRESET;
    }
    const struct bw_picture_obstacle *each = p->obstacles.each.items;
    if (p->obstacles.each.count > BW_FINISHES) {
        snprintf(why, why_size, "obstacles: each has %lld; at most %d are taken", (long long)p->obstacles.each.count,
                 BW_FINISHES);
        return BW_ERR_PRESET;
    }
    look->scorch.radius = p->scorch.radius;
    memcpy(look->scorch.at, p->scorch.center, sizeof look->scorch.at);
    glow_of(p->scorch.glow, look->fire, look->scorch.ember);
    look->material = material_of(&p->obstacles.all, look->fire);
    for (int64_t i = 0; i < p->obstacles.each.count; i++) {
        look->each[i] = material_of(&each[i], look->fire);
        if (each[i].stage && *each[i].stage) continue;
        snprintf(why, why_size, "obstacles: number %lld of `each` has no `stage`, the id of the one that it is",
                 (long long)i + 1);
        return BW_ERR_PRESET;
    }
    if (p->lights.count > BW_LIGHTS) {
        snprintf(why, why_size, "lights has %lld lamps; at most %d are taken", (long long)p->lights.count, BW_LIGHTS);
        return BW_ERR_PRESET;
    }
    for (int c = 0; c < 3; c++) look->background[c] = back ? (float)back[c] : 0;
    look->n_lights = (int32_t)p->lights.count;
    for (int32_t l = 0; l < look->n_lights; l++) {
        const char *lacks = light_choose(&light[l], &look->light[l]);
        if (!lacks) continue;
        snprintf(why, why_size, "lamp %d %s", l + 1, lacks);
        return BW_ERR_PRESET;
    }
    return BW_OK;
}

enum bw_status bw_picture_sky(const struct bw_picture_params *p, struct bw_sky_wish *wish, char *why, size_t why_size)
{
    const struct bw_picture_sun *sun = &p->sky.sun;
    const struct bw_picture_hdri *hdri = &p->sky.hdri;
    memset(wish, 0, sizeof *wish);
    wish->kind = p->sky.kind;
    if (wish->kind == BW_SKY_SUN) {
        wish->strength = sun->strength;
        wish->elevation = sun->elevation, wish->azimuth = sun->azimuth, wish->turbidity = sun->turbidity;
        wish->clouds = sun->clouds;
    }
    if (wish->kind != BW_SKY_HDRI) return BW_OK;
    wish->strength = hdri->strength, wish->turn = hdri->turn;
    const int length = snprintf(wish->file, sizeof wish->file, "%s", hdri->file ? hdri->file : "");
    if (length > 0 && (size_t)length < sizeof wish->file) return BW_OK;
    snprintf(why, why_size, "sky: hdri wants a `file`, its path of at most %d characters", (int)sizeof wish->file - 1);
    return BW_ERR_PRESET;
}

static struct bw_aim aim_of(const struct bw_picture_camera *c)
{
    struct bw_aim aim = {.azimuth = c->azimuth,
                         .elevation = c->elevation,
                         .roll = c->roll,
                         .distance = c->distance,
                         .tan_long = 0.5 * c->sensor / c->lens,
                         .aperture = c->fstop > 0 ? 0.5 * c->lens / c->fstop : 0,
                         .focus = c->focus,
                         .has_target = c->target.kind};
    memcpy(aim.target, c->target.point, sizeof aim.target);
    return aim;
}

/* Pixels: what is asked for, else what suits the stage. */
static void size_choose(const struct bw_picture_params *p, const double lo[3], const double hi[3], int32_t size[2])
{
    const double aspect = bw_camera_aspect(lo, hi);
    double h = p->width <= 0 && aspect > 2 ? (double)p->size * 2 / aspect : (double)p->size;
    double w = p->width > 0 ? (double)p->width : h * aspect;
    size[0] = 2 * (int32_t)lround(w / 2);
    size[1] = 2 * (int32_t)lround(h / 2);
}

/// As low as asked for, but a camera that fits itself to the stage stays above the floor, which hides all from below:
/// by EYE_HEIGHT of the stage's longest edge.
static void camera_fit_above(struct bw_camera *c, const struct bw_aim *aim, const double lo[3], const double hi[3],
                             double aspect)
{
    static const double EYE_HEIGHT = 0.04;
    const double edge = fmax(fmax(hi[0] - lo[0], hi[1] - lo[1]), hi[2] - lo[2]), least = lo[2] + EYE_HEIGHT * edge;
    struct bw_aim higher = *aim;
    double low = aim->elevation, high = fmax(low, 0);
    bw_camera_fit(c, aim, lo, hi, aspect);
    if (aim->distance > 0 || aim->has_target || c->eye[2] >= least) return;
    for (int i = 0; i < 30; i++) {
        higher.elevation = 0.5 * (low + high);
        bw_camera_fit(c, &higher, lo, hi, aspect);
        if (c->eye[2] < least) low = higher.elevation;
        else high = higher.elevation;
    }
}

void bw_picture_stage(const struct bw_picture_params *p, double gone, int32_t size[2], struct bw_scene *s)
{
    double lo[3], hi[3];
    s->exposure = p->exposure;
    s->floor = p->floor;
    for (int a = 0; a < 3; a++) { // what the picture shows of it
        const double fixed = a == 2 ? s->lo[a] : 0.5 * (s->lo[a] + s->hi[a]);
        lo[a] = fixed + p->frame * (s->lo[a] - fixed);
        hi[a] = fixed + p->frame * (s->hi[a] - fixed);
    }
    if (!size[0]) {
        size_choose(p, lo, hi, size);
        s->extinction = bw_scene_extinction(s->lo, s->hi);
    }
    const double aspect = (double)size[0] / size[1];
    struct bw_aim aim = aim_of(&p->camera), lamps = {.azimuth = aim.azimuth, .tan_long = aim.tan_long};
    static const struct bw_aim usual = BW_AIM_USUAL;
    lamps.elevation = usual.elevation;
    bw_camera_fit(&s->lamps, &lamps, lo, hi, aspect);
    s->has_lamps = 1;
    aim.azimuth += 2 * 3.14159265358979323846 * p->camera.orbit * gone;
    if (s->floor) camera_fit_above(&s->camera, &aim, lo, hi, aspect);
    else bw_camera_fit(&s->camera, &aim, lo, hi, aspect);
}
