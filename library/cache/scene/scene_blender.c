// SPDX-License-Identifier: Apache-2.0
/* The Blender script: the cache's facts as a Python table, then blender_volume.py, and, of a whole scene,
 * blender_studio.py, which the build embeds.
 * Lights: the preview's strengths are BW_SUN W/m² each, as Blender's suns have them. */
#include "scene.h"
#include "session/session.h"

#include "blender_scene.h"
#include <picture/volume/light/ambient.h>
#include <picture/volume/studio/studio.h>
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
    fputs("    \"camera\": {", f);
    vector_put(f, "eye", c->eye);
    fputs(", ", f);
    vector_put(f, "right", c->right);
    fputs(",\n               ", f);
    vector_put(f, "up", c->up);
    fputs(", ", f);
    vector_put(f, "forward", c->forward);
    fprintf(f, ",\n               \"tan_x\": %.9g, \"aperture\": %.9g, \"focus\": %.9g},\n", c->tan_x, c->aperture,
            c->focus);
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

/// c2 in luminance ~ exp(-c2/T) of the preview's black body, fitted between a red and a white flame, K.
static double luminance_slope(double contrast)
{
    const double cold = 1200, hot = 2200;
    double a[3], b[3];
    bw_blackbody_xyz(cold, a);
    bw_blackbody_xyz(hot, b);
    return contrast * log(b[1] / a[1]) / (1 / cold - 1 / hot);
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

/// Smoke and flames: what their material takes.
static void material_put(FILE *f, const struct scene_facts *a)
{
    const struct bw_scene *s = &a->look.scene;
    const struct bw_look *l = &s->look;
    text_put(f, "up", a->view->y_up ? "y" : "z");
    number_put(f, "scale", a->view->scale / a->view->larger);
    number_put(f, "extinction", s->extinction * a->view->density_gain);
    number_put(f, "anisotropy", bw_phase_mean(l->anisotropy));
    fputs("    ", f);
    colour_put(f, "smoke", l->albedo, 1);
    fputs(",\n", f);
    number_put(f, "soot", (double)BW_SOOT * l->flames.opacity);
    number_put(f, "glow", (double)BW_GLOW * l->fire / l->flames.opacity);
    number_put(f, "c2", luminance_slope(l->flames.contrast));
    number_put(f, "white", BW_BLACKBODY_WHITE);
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
    number_put(f, "floor", s->floor ? (double)BW_FLOOR : 0);
    fputs("    ", f);
    colour_put(f, "obstacle", l->material.colour, 1);
    fprintf(f, ", \"roughness\": %.3g,\n", (double)l->material.roughness);
    number_put(f, "stops", log2(fmax(s->exposure, 1e-6)));
    number_put(f, "bounces", BW_BOUNCES);
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
    camera_put(f, &s->camera);
    lights_put(f, s);
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
