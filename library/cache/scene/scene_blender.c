// SPDX-License-Identifier: Apache-2.0
/* The Blender script: the cache's facts as a Python table, then blender_volume.py, and, of a whole scene,
 * blender_studio.py, which the build embeds.
 * Lights: the preview's strengths are BW_SUN W/m² each, as Blender's suns have them. */
#include "scene.h"
#include "session/session.h"

#include "blender_scene.h"
#include <picture/volume/light/ambient.h>
#include <picture/volume/studio/studio.h>
#include <picture/volume/tone_map.h>
#include <picture/volume/scene/flame.h>
#include <picture/volume/scene/phase.h>
#include <picture/volume/scattering/discrete_ordinates.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/// A Python string; None for NULL.
static void text_put(FILE *f, const char *key, const char *text)
{
    fprintf(f, "    \"%s\": ", key);
    if (!text) {
        fputs("None,\n", f);
        return;
    }
    fputc('"', f);
    for (const char *c = text; *c;) {
        int n = utf8_length(c);
        if (*c == '"' || *c == '\\') fputc('\\', f);
        if (!n) fprintf(f, "\\udc%02x", (unsigned char)*c++); // as os.fsencode takes it back
        else if ((unsigned char)*c < ' ') fprintf(f, "\\x%02x", (unsigned char)*c++);
        else
            while (n--) fputc(*c++, f);
    }
    fputs("\",\n", f);
}

/// The same for what Blender shows and keeps, which must be UTF-8.
static void label_put(FILE *f, const char *key, const char *text)
{
    char *copy = bw_strdup(text);
    for (char *c = copy; c && *c;) {
        int n = utf8_length(c);
        if (!n) *c = '?';
        c += n ? n : 1;
    }
    text_put(f, key, copy);
    bw_free(copy);
}

static void number_put(FILE *f, const char *key, double x) { fprintf(f, "    \"%s\": %.9g,\n", key, x); }

static void vector_put(FILE *f, const char *key, const double x[3])
{
    fprintf(f, "\"%s\": (%.9g, %.9g, %.9g)", key, x[0], x[1], x[2]);
}

static void colour_put(FILE *f, const char *key, const float rgb[3], double gain)
{
    const double x[3] = {gain * (double)rgb[0], gain * (double)rgb[1], gain * (double)rgb[2]};
    vector_put(f, key, x);
}

static void camera_put(FILE *f, const struct bw_camera *c)
{
    fputs("{", f);
    vector_put(f, "eye", c->eye);
    fputs(", ", f);
    vector_put(f, "right", c->right);
    fputs(", ", f);
    vector_put(f, "up", c->up);
    fputs(", ", f);
    vector_put(f, "forward", c->forward);
    fprintf(f, ", \"tan_x\": %.9g, \"aperture\": %.9g, \"focus\": %.9g}", c->tan_x, c->aperture, c->focus);
}

/// By frame: of one that stands still the first alone.
static void cameras_put(FILE *f, const struct shot *s)
{
    const bool moves = shot_camera_moves(s);
    fputs("    \"camera\": {\n", f);
    for (int32_t i = 0; i < (moves ? s->n : 1); i++) {
        fprintf(f, "        %lld: ", (long long)s->frame[i].frame);
        camera_put(f, &s->frame[i].camera);
        fputs(",\n", f);
    }
    fputs("    },\n", f);
}

/// By frame, likewise; `at`: of a frame.
static void keys_put(FILE *f, const char *key, const struct shot *s, double (*at)(const struct shot_frame *, double),
                     double scale)
{
    fprintf(f, "    \"%s\": {", key);
    for (int32_t i = 0; i < s->n; i++)
        if (!i || at(&s->frame[i], scale) != at(&s->frame[i - 1], scale) ||
            (i + 1 < s->n && at(&s->frame[i], scale) != at(&s->frame[i + 1], scale)))
            fprintf(f, "%s%lld: %.9g", i ? ", " : "", (long long)s->frame[i].frame, at(&s->frame[i], scale));
    fputs("},\n", f);
}

static double stops_at(const struct shot_frame *s, double scale) { return log2(fmax(scale * s->exposure, 1e-6)); }
static double thickness_at(const struct shot_frame *s, double scale) { return scale * s->extinction; }
static double glow_at(const struct shot_frame *s, double scale) { return scale * s->fire; }

/// The fire's light on what is round it, by frame. Lamps within thick smoke would be dark: they have the light that
/// gets out, and throw no shadows.
static void firelight_put(FILE *f, const struct shot *s)
{
    double clear = 1;
    for (int32_t i = 0; i < s->n; i++) clear = fmin(clear, s->frame[i].clear);
    const int thick = clear < 0.5;
    fprintf(f, "    \"firelight_shadows\": %s,\n", thick ? "False" : "True");
    fputs("    \"firelight\": {\n", f);
    for (int32_t i = 0; i < s->n; i++) {
        if (!s->frame[i].lit) continue;
        fprintf(f, "        %lld: [", (long long)s->frame[i].frame);
        for (int l = 0; l < SHOT_LAMPS; l++) {
            const struct shot_lamp *lamp = &s->frame[i].lamp[l];
            fputs(l ? ", {" : "{", f);
            vector_put(f, "at", lamp->at);
            fputs(", ", f);
            const double share = thick ? s->frame[i].clear : 1;
            vector_put(f, "rgb", (double[]){share * lamp->rgb[0], share * lamp->rgb[1], share * lamp->rgb[2]});
            fprintf(f, ", \"radius\": %.6g}", lamp->radius);
        }
        fputs("],\n", f);
    }
    fputs("    },\n", f);
}

static void lights_put(FILE *f, const struct bw_scene *s)
{
    struct bw_light light[BW_LIGHTS];
    int32_t n = bw_scene_lights(s, light);
    fputs("    \"lights\": [\n", f);
    for (int32_t i = 0; i < n; i++) {
        fputs("        {", f);
        vector_put(f, light[i].near ? "at" : "to", light[i].near ? light[i].at : light[i].to);
        fputs(", ", f);
        colour_put(f, "rgb", light[i].rgb, 1);
        if (light[i].near) fprintf(f, ", \"radius\": %.6g},\n", light[i].half);
        else fprintf(f, ", \"angle\": %.4g},\n", 2 * atan(light[i].half));
    }
    fputs("    ],\n", f);
    number_put(f, "suns", BW_SUN);
}

enum { COLOURS = 24 };

/// Colours of what glows, from the table that renders read: kelvin and the colour over its largest channel. Other
/// programs' film leaves a fire's core yellow, so what ours adds to a flame that is brighter than white is in its
/// light: of one a tenth as bright as a deep one.
static void colours_put(FILE *f, const struct bw_scene *s)
{
    struct bw_blackbody table;
    const float white = 10 / fmaxf(BW_FLAME_GLOW * (float)(s->look.fire * s->exposure), 1e-30f);
    bw_flame_colours(&table, s);
    fputs("    \"colours\": [", f);
    for (int i = 0; i < COLOURS; i++) {
        const double kelvin = 800 + 100.0 * i;
        float rgb[3], most = 0, clipped = 0;
        bw_blackbody_rgb(&table, (float)kelvin, rgb);
        for (int c = 0; c < 3; c++) {
            rgb[c] = fmaxf(rgb[c], 0), most = fmaxf(most, rgb[c]);
            clipped += fmaxf(rgb[c] - white, 0);
        }
        for (int c = 0; c < 3; c++) rgb[c] += BW_FILM_CLIPS * clipped;
        for (int c = 0; c < 3; c++) rgb[c] /= fmaxf(most, 1e-30f);
        fprintf(f, "%s(%g, %.4g, %.4g, %.4g)", i ? ", " : "", kelvin, (double)rgb[0], (double)rgb[1], (double)rgb[2]);
    }
    fputs("],\n", f);
}

/// Largest channel of the renderer's black body.
static double brightness(const struct bw_blackbody *table, double kelvin)
{
    float rgb[3];
    bw_blackbody_rgb(table, (float)kelvin, rgb);
    return (double)fmaxf(rgb[0], fmaxf(rgb[1], rgb[2]));
}

/// That of a flame that is exposed for, and c2 in its course ~ exp(-c2/T), fitted between a red and a white flame, K.
static double brightness_fit(const struct bw_scene *s, double *c2)
{
    const double cold = 1200, hot = 2200;
    struct bw_blackbody table;
    bw_flame_colours(&table, s);
    *c2 = log(brightness(&table, hot) / brightness(&table, cold)) / (1 / cold - 1 / hot);
    return brightness(&table, hot) * exp(*c2 * (1 / hot - 1 / bw_flame_white(s->flame_kelvin)));
}

static void grids_put(FILE *f, const struct scene_grids *g)
{
    text_put(f, "density", g->density);
    text_put(f, "flame", g->flame);
    text_put(f, "temperature", g->temperature);
    text_put(f, "dye", g->dye);
    text_put(f, "velocity", g->velocity);
    text_put(f, "solid", g->solid);
    number_put(f, "kelvin", g->kelvin);
    number_put(f, "ambient", g->ambient);
}

/// Ambient light of a studio, which is no gradient: mean radiance from each of the six sides.
static void sides_put(FILE *f, const struct bw_look *l)
{
    fputs("    \"sides\": [", f);
    for (int s = 0; s < 6 && !l->has_sky && !l->sky; s++) {
        const double *to = bw_ambient_sides[s].to;
        const int axis = to[0] != 0 ? 0 : to[1] != 0 ? 1 : 2;
        float rgb[3];
        bw_ambient_side_light(l, s, rgb);
        fprintf(f, "%s(\"%c\", %g, (%.6g, %.6g, %.6g))", s ? ", " : "", "XYZ"[axis], to[axis], (double)rgb[0],
                (double)rgb[1], (double)rgb[2]);
    }
    fputs("],\n", f);
}

/// By how much flames hide what is behind them, as rays have it: in between by how bright they are, or, as far as
/// they leave soot, how hot.
static void hides_put(FILE *f, const struct bw_look *l)
{
    const double most = l->flames.opacity, least = most > 1 ? 1 / most : 1;
    fprintf(f, "    \"hides\": {\"dim\": %.6g, \"cold\": %.6g, \"most\": %.6g, ", pow(least, 3), least, most);
    fprintf(f, "\"soot\": %.6g, \"half\": %g, \"kelvin\": (%g, %g)},\n", l->flames.soot, (double)BW_FLAME_SHINES,
            (double)BW_FLAME_GLOWS, (double)(BW_FLAME_GLOWS + BW_FLAME_GLOWS_OVER));
}

/// Smoke and flames: what their material takes.
static void material_put(FILE *f, const struct scene_facts *a)
{
    const struct bw_scene *s = &a->look.scene;
    const struct bw_look *l = &s->look;
    text_put(f, "up", a->view->y_up ? "y" : "z");
    number_put(f, "scale", a->view->scale / a->view->larger);
    if (a->whole) keys_put(f, "extinction", &a->shot, thickness_at, a->view->density_gain);
    else
        fprintf(f, "    \"extinction\": {%lld: %.9g},\n", (long long)a->sequence->frame[0],
                s->extinction * a->view->density_gain);
    number_put(f, "anisotropy", bw_phase_mean(l->anisotropy));
    fputs("    ", f);
    colour_put(f, "smoke", l->albedo, 1);
    fputs(",\n", f);
    number_put(f, "soot", (double)BW_SOOT);
    hides_put(f, l);
    double c2;
    const double stand_out = 1 + l->flames.sheets; // in the mean of a plain fire's pixels
    const double bright = (double)BW_FLAME_GLOW * brightness_fit(s, &c2) * stand_out;
    if (a->whole) keys_put(f, "glow", &a->shot, glow_at, bright);
    else fprintf(f, "    \"glow\": {%lld: %.9g},\n", (long long)a->sequence->frame[0], bright * l->fire);
    colours_put(f, s);
    number_put(f, "c2", c2);
    number_put(f, "white", bw_flame_white(s->flame_kelvin));
}

/// A file beside the script; NULL: there is none.
static void beside_put(FILE *f, const char *key, const char *name, const char *ending)
{
    char file[4400];
    snprintf(file, sizeof file, "%s%s", name, ending ? ending : "");
    text_put(f, key, ending ? file : NULL);
}

static void ground_put(FILE *f, const struct bw_scene *s)
{
    static const char *const kinds[] = {"studio", "earth", "street", "cyclorama"};
    const struct bw_scorch *k = &s->look.scorch;
    text_put(f, "ground", s->floor ? kinds[s->look.ground] : NULL);
    fputs("    ", f);
    for (int i = 0; i < 2; i++) {
        colour_put(f, i ? "dry" : "wet", bw_ground_soil[i], 1);
        fputs(", ", f);
    }
    fprintf(f, "\"grey\": %g,\n", (double)(s->look.ground == BW_GROUND_CYCLORAMA ? BW_CYCLORAMA : BW_FLOOR));
    number_put(f, "horizon", bw_studio_horizon(&s->look));
    fputs("    ", f);
    vector_put(f, "scorch", k->at);
    fprintf(f, ", \"scorched\": %.6g,\n", k->radius);
}

/// What is round them.
static void studio_put(FILE *f, const struct scene_facts *a)
{
    const struct bw_scene *s = &a->look.scene;
    const struct bw_look *l = &s->look;
    struct bw_look_room room = bw_look_room(l);
    fputs("    ", f);
    colour_put(f, "above", room.above, 1);
    fputs(", ", f);
    colour_put(f, "below", room.below, 1);
    fputs(",\n", f);
    sides_put(f, l);
    fputs("    ", f);
    colour_put(f, "wall", room.wall, 1);
    fputs(", ", f);
    colour_put(f, "wall_edge", room.edge, 1);
    fputs(",\n", f);
    ground_put(f, s);
    fputs("    ", f);
    colour_put(f, "obstacle", l->material.colour, 1);
    fprintf(f, ", \"roughness\": %.3g,\n", (double)l->material.roughness);
    beside_put(f, "sky", a->sequence->name, bw_studio_is_far(l) || l->sky ? "_sky.exr" : NULL);
    beside_put(f, "data", a->sequence->name, "_scene.json");
    fprintf(f, "    \"sky_lights\": %s, \"sky_seen\": %s,\n", l->sky ? "True" : "False",
            bw_studio_is_far(l) ? "True" : "False");
    keys_put(f, "stops", &a->shot, stops_at, 1);
    number_put(f, "bounces", BW_BOUNCES);
    number_put(f, "shutter", s->shutter * a->look.fps);
    number_put(f, "bloom", l->bloom);
}

static void place_put(FILE *f, const struct scene_facts *a)
{
    const struct bw_scene *s = &a->look.scene;
    const double middle[3] = {0.5 * (s->lo[0] + s->hi[0]), 0.5 * (s->lo[1] + s->hi[1]), s->lo[2]};
    fputs("    ", f);
    vector_put(f, "middle", middle);
    fputs(",\n", f);
    number_put(f, "size", fmax(s->hi[0] - s->lo[0], s->hi[1] - s->lo[1]));
    fprintf(f, "    \"pixels\": (%d, %d),\n", a->look.size[0], a->look.size[1]);
    cameras_put(f, &a->shot);
    lights_put(f, s);
    firelight_put(f, &a->shot);
}

static void frames_put(FILE *f, const struct scene_facts *a)
{
    const struct bw_sequence *s = a->sequence;
    const char *slash = strrchr(s->path[0], '/'), *name = slash ? slash + 1 : s->path[0];
    char file[4400];
    snprintf(file, sizeof file, "%s/%s", a->folder, name);
    label_put(f, "name", s->name);
    text_put(f, "file", file);
    fprintf(f, "    \"first\": %lld,\n    \"frames\": %lld,\n", (long long)s->frame[0],
            (long long)(s->frame[s->count - 1] - s->frame[0] + 1));
    number_put(f, "fps", a->look.fps);
}

static void lines_put(FILE *f, const char *const *line, size_t n)
{
    for (size_t i = 0; i < n; i++) fprintf(f, "%s\n", line[i]);
}

char *scene_blender_text(const struct scene_facts *a)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f) return NULL;
    fprintf(f,
            "# A cache in Blender 3.4 or later%s: blender --python THIS_FILE\n"
            "# Written by `billow blender`. The table is the cache, what follows builds it: edit both.\n\n"
            "cache = {\n",
            a->whole ? ", lit and filmed as in its movie" : "");
    frames_put(f, a);
    grids_put(f, &a->grids);
    material_put(f, a);
    if (a->whole) {
        place_put(f, a);
        studio_put(f, a);
    }
    fputs("}\n", f);
    lines_put(f, blender_volume, sizeof blender_volume / sizeof *blender_volume);
    if (a->whole) lines_put(f, blender_studio, sizeof blender_studio / sizeof *blender_studio);
    const int bad = ferror(f);
    if (!fclose(f) && !bad) return text;
    free(text);
    return NULL;
}
