// SPDX-License-Identifier: Apache-2.0
#include "room.h"

#include <math.h>

/// The wall, far from and at the middle of the picture.
static const float dark[3] = {0.0075f, 0.0088f, 0.0115f}, light[3] = {0.026f, 0.029f, 0.034f};

/// With the lights down the wall is darker too.
static float room_light(const struct bw_look *l) { return (float)(0.35 + 0.65 * fmin(l->key, 1)); }

struct bw_look_room bw_look_room(const struct bw_look *l)
{
    struct bw_look_room r;
    float around[3] = {0}, side[6][3];
    for (int s = 0; s < 6; s++) {
        bw_ambient_side_light(l, s, side[s]);
        for (int c = 0; s >= 2 && c < 3; c++) around[c] += side[s][c];
    }
    for (int c = 0; c < 3; c++) {
        r.above[c] = l->has_sky ? (float)l->environment * l->above[c] : 2 * side[0][c] + around[c];
        r.below[c] = l->has_sky ? (float)l->environment * l->below[c] : 2 * side[1][c] + around[c];
        if (l->sky) r.above[c] = (float)l->environment * l->sky->above[c];
        if (l->sky) r.below[c] = (float)l->environment * l->sky->below[c];
        r.wall[c] = l->has_background ? l->background[c] : room_light(l) * light[c];
        r.edge[c] = l->has_background ? l->background[c] : room_light(l) * dark[c];
    }
    return r;
}

double bw_studio_wide(const struct bw_studio *s, double depth)
{
    const struct bw_camera *c = &s->scene->camera;
    const double wide = s->pixel * depth, circle = 2 * c->aperture * (depth / c->focus - 1);
    return c->aperture > 0 ? hypot(wide, s->blur * circle) : wide;
}

void bw_studio_sky(const struct bw_studio *s, const double to[3], float rgb[3])
{
    const struct bw_look *look = &s->scene->look;
    const float up = 0.5f + 0.5f * (float)to[2];
    if (look->sky) bw_sky_read(look->sky, s->around ? &s->clouds : NULL, to, rgb);
    for (int c = 0; c < 3; c++)
        rgb[c] = look->sky ? (float)look->environment * rgb[c]
                           : s->room.below[c] + up * (s->room.above[c] - s->room.below[c]);
}
