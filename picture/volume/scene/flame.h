// SPDX-License-Identifier: Apache-2.0
/* How flames are lit, for other renderers too that shall look like this one. */
#ifndef BW_FLAME_H
#define BW_FLAME_H

#include "blackbody.h"
#include "fast_math.h"
#include "scene.h"
#include "volume.h"

#define BW_SOOT 0.056f      ///< extinction of a flame of 1 in units of smoke's
#define BW_FLAME_GLOW 60.0f ///< radiance of a deep flame as hot as those that a shot is exposed for
#define BW_GLOW 14.0f       ///< of embers at the white point
#define BW_BARE 1.0f        ///< flame that hot gas counts as where no flame is given

/// K above which flames that leave soot hide what is behind them the more, and below it the less.
#define BW_FLAME_GLOWS 1150.0f
#define BW_FLAME_GLOWS_OVER 350.0f
/// Others do by as much as they shine, of what is white: where that is half. A rim that is opaque before it shines
/// would be a dark outline round what it hides.
#define BW_FLAME_SHINES 0.15f

/// Which temperature flames are exposed for, K. The hottest clip to white; what hardly glows is no fire to expose for.
static inline double bw_flame_white(double kelvin)
{
    return kelvin > 0 ? kelvin < 1300 ? 1300 : kelvin < 2600 ? kelvin : 2600 : BW_BLACKBODY_WHITE;
}

#define BW_SPARK_SOLID 4.0f ///< radiance of a glowing particle, of a deep flame's as hot

/// K where nobody says.
static inline float bw_flame_kelvin(float flame) { return 1100 + 800 * bw_least(flame, 1); }

/// What glows in a cell, {flame, kelvin}: flames, or, without any, all that is hot enough.
static inline void bw_fire_at(const struct bw_volume *v, size_t cell, double ambient, float fire[2])
{
    fire[0] = v->flame ? bw_most(v->flame[cell], 0) : BW_BARE;
    fire[1] = v->temperature ? v->temperature[cell] + (float)ambient : bw_flame_kelvin(fire[0]);
}

/// Light of what is hot, in the colours that flames are wanted in, 1 for what they are exposed for.
static inline void bw_flame_colours(struct bw_blackbody *p, const struct bw_scene *scene)
{
    const struct bw_look *look = &scene->look;
    bw_blackbody_init(p, look->flames.contrast, bw_flame_white(scene->flame_kelvin));
    for (int c = 0; c < 3; c++) p->white[c] *= look->flames.tint[c];
    for (int i = 0; i < BW_BLACKBODY_N; i++)
        for (int c = 0; c < 3; c++) p->rgb[i][c] *= look->flames.tint[c];
}

/// What a flame of 1 sends out that is as hot as those that are exposed for, 1/m.
static inline float bw_flame_gain(const struct bw_scene *scene)
{
    return BW_FLAME_GLOW * BW_SOOT * (float)(scene->extinction * scene->look.fire);
}

#define BW_DRAPER 798.0f ///< K: colder things do not glow
/// Its light: a black body's colour times what there is to glow.
static inline void bw_emission(const struct bw_blackbody *p, const float fire[2], float rgb[3])
{
    const float glow = fire[1] > BW_DRAPER ? fire[0] : 0;
    bw_blackbody_rgb(p, fire[1], rgb);
    for (int c = 0; c < 3; c++) rgb[c] *= glow;
}

#endif
