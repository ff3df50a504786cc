// SPDX-License-Identifier: Apache-2.0
#include "params.h"
#include <picture/volume/scene/flame.h>
#include <picture/gather/sparks.h>
#include <picture/volume/cloud/spread.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

const struct bw_param bw_picture_range_row[1] = {{.type = BW_PARAM_F64}};
static const struct bw_param place_row[1] = {{.type = BW_PARAM_F64, .unit = "m"}};
const struct bw_param bw_picture_light_rows[5] = {
    BW_VEC3(struct bw_picture_light, to, "to", "[-1, -1, 2]", NULL, "Direction towards a lamp far off."),
    BW_COLOUR(struct bw_picture_light, colour, "colour", "[2, 2, 2]",
              "Linear colour and strength; the studio's key is about 2. With a position: as it is a metre away, a "
              "quarter of it at two metres."),
    {.key = "angle",
     .type = BW_PARAM_F64,
     .offset = BW_OFFSET(struct bw_picture_light, angle, double),
     .def = "0.53 deg",
     .min = 0,
     .max = 2,
     .unit = "rad",
     .was = "soft",
     .doc = "Far off: how large the lamp is seen, and so how fast shadows get soft; the sun 0.53 deg, the studio's key "
            "11 deg."},
    BW_LIST(struct bw_picture_light, position, double, "position", place_row,
            "[x, y, z] of a lamp near by, in metres; without it the lamp is far off. It is not seen itself."),
    BW_F64(struct bw_picture_light, size, "size", "10 cm", 0, 1e6, "m",
           "Diameter of a lamp with a position: a ball, whose shadows get soft as they get long; 0: they stay sharp."),
};

#define OBSTACLE_ROWS(S, m)                                                                                            \
    BW_COLOUR(S, m colour, "colour", "[0.2, 0.17, 0.15]", "Linear share of light that they send back."),               \
        BW_F64(S, m roughness, "roughness", "1", 0, 1, 0,                                                              \
               "1: clay; less: lamps, room and particles that shine are mirrored, sharper and brighter."),             \
        BW_CHOICE(S, m material, "material", "plain", BW_MATERIAL_CHOICES,                                             \
                  "Relief and pattern, of which `colour` is the mean; they move with the obstacle. Wood and bark "     \
                  "grow along a shape's own z, bricks lie level; cylinders of bark, cloth, wax are not quite round. "  \
                  "facade: each part of a mesh is a house with windows; with `glow` some are lit."),                   \
        BW_F64(S, m gloss, "gloss", "0", 0, 1e3, 0,                                                                    \
               "Mirrored light of flames and other obstacles, times what it is in life, where roughness is below 1; "  \
               "0: of lamps alone."),                                                                                  \
        BW_F64(S, m scale, "scale", "1", 1e-6, 1e6, 0,                                                                 \
               "Size of the material's pattern, times what it is in life: a brick is 24 cm long; of wax how far "      \
               "light gets, too."),                                                                                    \
        BW_F64(S, m glow, "glow", "0 K", 0, 10000, "K",                                                                \
               "What glows: it sends out the light of a flame of that temperature besides; 0: none. It lights "        \
               "nothing else.")

static const struct bw_param each_rows[7] = {
    BW_STRING(struct bw_picture_obstacle, stage, "stage", NULL, "Id of the stage that the obstacle is."),
    OBSTACLE_ROWS(struct bw_picture_obstacle, ),
};
const struct bw_param bw_picture_obstacle_rows[7] = {
    OBSTACLE_ROWS(struct bw_picture_obstacles, all.),
    BW_LIST(struct bw_picture_obstacles, each, struct bw_picture_obstacle, "each", each_rows,
            "Those that look otherwise, at most 16, each by its `stage`; keys that are left out are the usual ones."),
};

const struct bw_param bw_picture_scorch_rows[3] = {
    BW_VEC3(struct bw_picture_scorch, center, "center", "[0, 0, 0]", "m", "Its middle."),
    BW_F64(struct bw_picture_scorch, radius, "radius", "0 m", 0, 1e6, "m", "How far it reached; 0: there was none."),
    BW_F64(struct bw_picture_scorch, glow, "glow", "0 K", 0, 10000, "K",
           "Embers in the cracks of wood and bark, of that temperature; 0: cold."),
};

const struct bw_param bw_picture_particle_rows[11] = {
    BW_CHOICE(struct bw_picture_particles, show, "show", "hot", "hot|all|none|light",
              "hot: those that have a temperature and a size glow; all: others too, lit by the lamps; light: those "
              "shine in their own colour."),
    BW_F64(struct bw_picture_particles, size, "size", "0 m", 0, 1e6, "m",
           "Diameter of those that have none of their own; 0: a pixel."),
    BW_F64(
        struct bw_picture_particles, vary, "vary", "0", 0, 1, 0,
        "How unlike those that glow or shine are: 1 makes few bright, seen as single hairs, and most faint; the mean "
        "stays."),
    BW_F64(struct bw_picture_particles, streak, "streak", "0.5", 0, 24, 0,
           "How long they are drawn out along their velocity, frames."),
    BW_F64(struct bw_picture_particles, glow, "glow", "1", 0, 1e6, 0,
           "Brightness of those that glow, times `fire` and the default, or that shine, times their colour."),
    BW_F64(struct bw_picture_particles, fade, "fade", "0 m", 0, 1e6, "m",
           "Of those that shine: how far behind the camera's `focus` they are half as bright, and before it twice, so "
           "that what is near stands out; 0: all are alike."),
    BW_F64(struct bw_picture_particles, reach, "reach", "0 m", 0, 1e6, "m",
           "Of those that shine: how far from what the camera looks at a third of their light is left; farther off "
           "they go out, and nothing ends at an edge of the picture; 0: all are alike."),
    BW_INT(struct bw_picture_particles, smooth, "smooth", "0", 0, BW_SPREAD_MOST,
           "Of those that shine: over how many neighbours of its colour each is spread, along the sheet or line in "
           "which they lie, so that they are seen as smoke; 0, 1: points. Of more than 64 colours all are neighbours."),
    BW_F64(struct bw_picture_particles, stray, "stray", "0 m", 0, 1e6, "m",
           "Of those that are spread: how far their neighbours lie off the line along which they lie where a third of "
           "their light is left; farther off they go out, and no film is seen where a thread was torn to single "
           "particles; 0: all are alike."),
    BW_F64(struct bw_picture_particles, veil, "veil", "0", 0, 1e6, 0,
           "Of those that shine: how much of what is behind it, and of the lamps' light, a particle's disc hides; with "
           "it what is dense goes towards its colour times `glow` / `veil`. 0: they hide nothing."),
    BW_F64(struct bw_picture_particles, lit, "lit", "0", 0, 1e6, 0,
           "Of those that shine: how much light of lamps and room they scatter besides, times their colour; lamps far "
           "off throw shadows in them, by `veil`, in which nothing else throws any."),
};

const struct bw_param bw_picture_flame_rows[10] = {
    BW_F64(struct bw_picture_flames, crisp, "crisp", "0", 0, 2, 0,
           "How much brighter folds are than what is round them, over three cells: 1 draws sheets and edges sharply."),
    BW_F64(struct bw_picture_flames, sheets, "sheets", "0", 0, 4, 0,
           "How much sheets of flame stand out from what is round them, sharper than the cells: 1.5 draws the edges of "
           "tongues as film does."),
    BW_F64(
        struct bw_picture_flames, opacity, "opacity", "1", 0.1, 100, 0,
        "How much of what is behind them hot flames hide, times the default; those that hardly glow hide less. 2 to 4 "
        "shows the folds of deep ones, which else add up to an even glow."),
    BW_F64(struct bw_picture_flames, soot, "soot", "0", 0, 1, 0,
           "How much flames with an `opacity` above 1 hide where they hardly glow: 0: no more than they shine, so that "
           "their rims are clear; 1: dark veins and outlines, as explosions have."),
    BW_F64(struct bw_picture_flames, contrast, "contrast", "0.5", 0.1, 2, 0,
           "Of light between hot and cool flames; 1: as black bodies, which is more than film shows; 0.7: from white "
           "over yellow to deep orange."),
    BW_COLOUR(
        struct bw_picture_flames, tint, "tint", "[1, 1, 1]",
        "Linear colour by which a black body's is multiplied, on what they light too: [1, 0.8, 0.5] turns gold into "
        "orange, [0.3, 1, 0.5] makes burning copper."),
    BW_F64(struct bw_picture_flames, filaments, "filaments", "0", 0, 1, 0,
           "How much noise finer than the cells, drawn out by the flow, breaks flames up, where `vel` is turbulent."),
    BW_F64(struct bw_picture_flames, root, "root", "0", 0, 1e3, 0,
           "Where fuel has only begun to burn there is no soot yet that glows: one sees through, and where fuel meets "
           "air the gas itself shines. 1: as bright as on a candle; 0: flames glow from where they begin. It takes "
           "`fuel`."),
    BW_F64(struct bw_picture_flames, root_fuel, "root_fuel", "0.5", 0.05, 1, 0,
           "Share of the fuel that is left where the root ends: less makes it higher."),
    BW_COLOUR(struct bw_picture_flames, root_colour, "root_colour", "[0.1, 0.28, 1]",
              "Linear colour of the root's light; that of CH and C2 is blue."),
};

static const struct bw_param hdri_rows[] = {
    BW_PATH(struct bw_picture_hdri, file, "file", "A .hdr or .exr of the whole sphere, as Blender's environments are."),
    BW_F64(struct bw_picture_hdri, turn, "turn", "0 deg", -1e6, 1e6, "rad",
           "About the vertical, anticlockwise from above."),
    BW_F64(struct bw_picture_hdri, strength, "strength", "1", 0, 1e9, 0, "Times what the file has."),
};
static const struct bw_param sun_rows[] = {
    BW_F64(struct bw_picture_sun, elevation, "elevation", "35 deg", 0, 1.5707963267948966, "rad", "Above the horizon."),
    BW_F64(struct bw_picture_sun, azimuth, "azimuth", "-50 deg", -1e6, 1e6, "rad",
           "From the front towards the right (from -y towards +x), as the camera's."),
    BW_F64(struct bw_picture_sun, turbidity, "turbidity", "3", 1.7, 10, 0,
           "2: clear as after rain, 3: clear, 6: hazy."),
    BW_F64(struct bw_picture_sun, strength, "strength", "1", 0, 1e9, 0, "1: 50 000 lux are a lamp of strength 1."),
    BW_F64(struct bw_picture_sun, clouds, "clouds", "0", 0, 1, 0,
           "High thin ones, that are seen and light nothing: 0.3 a few wisps, 1 nearly all of the sky."),
};

const struct bw_param bw_picture_sky_rows[3] = {
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

const struct bw_param bw_picture_camera_rows[12] = {
    BW_PATH(struct bw_picture_camera, file, "file",
            "Another program's camera: a USD text, shot.usda. Place, lens and film are its own, in place of the values "
            "below; a time code is a frame."),
    BW_STRING(struct bw_picture_camera, name, "name", 0, "Of several cameras in `file`, which: its name or path."),
    BW_F64(struct bw_picture_camera, azimuth, "azimuth", "24 deg", -1e6, 1e6, "rad",
           "From the front towards the right (from -y towards +x)."),
    BW_F64(struct bw_picture_camera, elevation, "elevation", "7.5 deg", -1.5707963267948966, 1.5707963267948966, "rad",
           "Above the horizon; 90 deg looks straight down."),
    BW_F64(struct bw_picture_camera, roll, "roll", "0 deg", -1e6, 1e6, "rad", "About the line of sight, clockwise."),
    BW_VARIANT(struct bw_picture_camera, target, struct bw_picture_target, "target", "stage", target_rows,
               "What it looks at: stage, or {point: [x, y, z]}."),
    BW_F64(struct bw_picture_camera, distance, "distance", "0 m", 0, 1e9, "m",
           "From the target; 0: so that the domain's box just fits."),
    BW_F64(struct bw_picture_camera, lens, "lens", "68 mm", 1e-4, 100, "m", "Focal length; short ones see more."),
    BW_F64(struct bw_picture_camera, sensor, "sensor", "36 mm", 1e-4, 100, "m", "The film's longer side."),
    BW_F64(struct bw_picture_camera, orbit, "orbit", "0", -1000, 1000, 0,
           "Turns round the target in the course of the bake; the studio's lamps stay."),
    BW_F64(struct bw_picture_camera, fstop, "fstop", "0", 0, 1000, 0,
           "f-number: focal length by the lens's width; small ones blur what is nearer or farther than `focus`, by 16 "
           "rays a pixel. 0: all is sharp."),
    BW_F64(struct bw_picture_camera, focus, "focus", "0 m", 0, 1e9, "m",
           "From the camera to what is sharp; 0: the target."),
};

/// The rows by themselves: offsets are those in struct bw_picture_params.
struct alone {
    struct bw_picture_params p;
};
static const struct bw_param own_rows[] = {BW_PICTURE_PARAMS(struct alone, p)};

static const struct bw_param *row_find(const struct bw_param *rows, uint32_t n, const char *key)
{
    for (uint32_t i = 0; i < n; i++)
        if (rows[i].key && !strcmp(rows[i].key, key)) return &rows[i];
    return NULL;
}

const struct bw_picture_params *bw_picture_params_find(const struct bw_param *rows, uint32_t n_rows, const void *values)
{
    const struct bw_param *first = row_find(rows, n_rows, own_rows[0].key);
    if (!first || first->offset < own_rows[0].offset) return NULL;
    const uint32_t start = first->offset - own_rows[0].offset;
    for (uint32_t i = 0; i < BW_COUNT(own_rows); i++) { // another program's table may have some of these keys too
        const struct bw_param *row = row_find(rows, n_rows, own_rows[i].key);
        if (!row || row->type != own_rows[i].type || row->offset != start + own_rows[i].offset) return NULL;
    }
    return (const void *)((const char *)values + start);
}

int bw_picture_params_render(const struct bw_picture_params *p, int slices)
{
    return p->view == BW_VIEW_RENDER || (p->view == BW_VIEW_AUTO && !p->field && !slices);
}

/// Nobody has said how bright lamps, sky, smoke and flames are to be.
static int look_untouched(const struct bw_picture_params *p)
{
    static const struct bw_look usual = BW_LOOK_DEFAULT;
    int same = !p->sky.kind && p->key == usual.key && p->environment == usual.environment && p->fire == usual.fire;
    for (int c = 0; c < 3; c++) same &= fabs(p->smoke[c] - (double)usual.albedo[c]) < 1e-6;
    return same;
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
    struct bw_planck planck;
    for (int c = 0; c < 3; c++) rgb[c] = 0;
    if (!(kelvin > 0)) return;
    bw_planck_init(&planck, BW_CONTRAST);
    bw_planck_read(&planck, (float)kelvin, rgb);
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

enum bw_status bw_picture_look(const struct bw_picture_params *p, int flames, struct bw_look *look, char *why,
                               size_t why_size)
{
    static const struct bw_look usual = BW_LOOK_DEFAULT, fire = BW_LOOK_FIRE;
    const int dim = p->mood == BW_MOOD_FIRE || (p->mood == BW_MOOD_AUTO && flames && look_untouched(p));
    const struct bw_look *base = dim ? &fire : &usual;
    const struct bw_picture_light *light = p->lights.items;
    const double *back = p->background.items;
    *look = (struct bw_look){.key = p->key * base->key,
                             .environment = p->environment * base->environment,
                             .fire = p->fire * base->fire,
                             .sparks = p->particles.glow,
                             .shine = p->particles.show == BW_SHOW_LIGHT,
                             .fade = p->particles.fade,
                             .reach = p->particles.reach,
                             .smooth = (int32_t)p->particles.smooth,
                             .stray = p->particles.stray,
                             .veil = p->particles.veil,
                             .lit = p->particles.lit,
                             .anisotropy = p->anisotropy,
                             .soften = p->soften,
                             .bloom = p->bloom,
                             .detail = p->detail,
                             .haze = p->haze,
                             .visibility = p->visibility,
                             .crisp = p->flames.crisp,
                             .sheets = p->flames.sheets,
                             .opacity = p->flames.opacity,
                             .soot = p->flames.soot,
                             .contrast = p->flames.contrast,
                             .filaments = p->flames.filaments,
                             .root = p->flames.root,
                             .root_fuel = p->flames.root_fuel,
                             .quality = p->quality - 1,
                             .ground = p->ground,
                             .backdrop = p->backdrop,
                             .has_background = p->background.count > 0};
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
    for (int c = 0; c < 3; c++) {
        look->albedo[c] = (float)fmin(fmax(p->smoke[c], 0), 1) * base->albedo[c] / usual.albedo[c];
        look->firelight[c] = (float)fmax(p->firelight[c], 0);
        look->tint[c] = (float)fmax(p->flames.tint[c], 0);
        look->root_rgb[c] = (float)fmax(p->flames.root_colour[c], 0);
        look->extinction[c] = (float)fmax(p->extinction[c], 0);
        look->background[c] = back ? (float)back[c] : 0;
    }
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
    bw_camera_fit(&s->camera, &aim, lo, hi, aspect);
}
