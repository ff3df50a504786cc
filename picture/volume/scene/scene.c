// SPDX-License-Identifier: Apache-2.0
/* The studio's lights, which move with the camera, and how thick smoke is. */
#include "scene.h"
#include <picture/volume/sky/sphere.h>

#include <math.h>
#include <string.h>

double bw_scene_extinction(const double lo[3], const double hi[3])
{
    double size = fmax(hi[2] - lo[2], fmax(hi[0] - lo[0], hi[1] - lo[1]));
    return 240 / fmax(size, 1e-9);
}

/// right·x + up·y + back·z, made unit length.
static void light_aim(const struct bw_camera *c, double x, double y, double z, double to[3])
{
    double len = sqrt(x * x + y * y + z * z);
    for (int a = 0; a < 3; a++) to[a] = (c->right[a] * x + (a == 2) * y - c->forward[a] * z) / len;
    len = sqrt(to[0] * to[0] + to[1] * to[1] + to[2] * to[2]);
    for (int a = 0; a < 3; a++) to[a] /= len;
}

int32_t bw_scene_lights(const struct bw_scene *s, struct bw_light light[BW_LIGHTS])
{
    int32_t n = s->look.n_lights;
    memcpy(light, s->look.light, (size_t)n * sizeof *light);
    for (int32_t l = 0; s->look.sky && l < s->look.sky->n_lights && n < BW_LIGHTS; l++, n++) {
        light[n] = s->look.sky->light[l];
        for (int c = 0; c < 3; c++) light[n].rgb[c] *= (float)s->look.key;
    }
    if (n > 0 || s->look.sky) return n;
    light[0] = (struct bw_light){.rgb = {2.8f, 2.4f, 2.0f}, .half = 0.1};
    light[1] = (struct bw_light){.rgb = {0.32f, 0.45f, 0.65f}, .half = 0.12};
    const struct bw_camera *by = s->has_lamps ? &s->lamps : &s->camera;
    light_aim(by, -0.72, 0.60, -0.32, light[0].to);
    light_aim(by, 0.70, 0.18, -0.60, light[1].to);
    for (int l = 0; l < 2; l++)
        for (int c = 0; c < 3; c++) light[l].rgb[c] *= (float)s->look.key;
    return s->look.key > 0 ? 2 : 0;
}
