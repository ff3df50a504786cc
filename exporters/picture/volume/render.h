// SPDX-License-Identifier: Apache-2.0
/* The preview renderer: smoke as an absorbing, scattering, glowing medium under shadowed lights, the fire's own light and
 * a soft sky, over a studio floor. Physical where it is cheap, a photographer's taste elsewhere.
 *
 * The medium is lit first (light.c, ambient.c), which gives every cell an extinction s and a source j = s·albedo·(light
 * that arrives and is scattered to the eye) + emission. What remains is classic emission and absorption along
 * the view ray (march.c): I = ∫ j(x) exp(-∫ s) dx, with j premultiplied by s, so that interpolation has no fringes. */
#ifndef BW_RENDER_H
#define BW_RENDER_H

#include <picture/image/image.h>

/// A dense box of cells, z-up, x fastest; cell (i,j,k) centred on origin + (i+½, j+½, k+½)·h, metres.
struct bw_dense {
    int32_t n[3];
    double origin[3], h;
};

/// What is to be seen; arrays are n[0]·n[1]·n[2] floats owned by the caller, NULL: absent.
struct bw_volume {
    struct bw_dense box;
    float *density;     ///< smoke, 1
    float *flame;       ///< burning, 1: emits
    float *temperature; ///< K above ambient: glows where it is hot enough
    float *dye[3];      ///< linear colour of the smoke; all or none
    struct bw_dense solid_box;
    float *solid; ///< signed distance, m, < 0 inside, on solid_box
};

/// Where the eye is. Vectors are orthonormal, world z-up.
struct bw_camera {
    double eye[3], right[3], up[3], forward[3];
    double tan_x, tan_y; ///< tangent of half the angle of view
};

/// Where light comes from (unit vectors towards the light) and how much of it; linear.
struct bw_light {
    double to[3];
    float rgb[3];
    float spread; ///< 0 … 0.2: how soft shadows get
};

enum { BW_LIGHTS = 8 };

/// What a photographer would choose.
struct bw_look {
    double key;         ///< strength of the studio's two lights; 1: a lit studio
    double environment; ///< of the light from all around
    double fire;        ///< of flames
    double anisotropy;  ///< mean cosine of scattering, -0.9 … 0.9
    double soften;      ///< 0 … 1: how much flames are smoothed over a cell and its neighbours
    double bloom;       ///< share of light that spreads over the picture
    float albedo[3];    ///< what smoke scatters of the light it meets
    int32_t has_background;
    float background[3]; ///< linear; else the studio's backdrop
    int32_t n_lights;    ///< instead of the studio's two
    struct bw_light light[BW_LIGHTS];
};
#define BW_SOFTEN (1 / 3.0) ///< with the linear reading after it nearly a cubic B-spline
// clang-format off
#define BW_LOOK_DEFAULT                                                                                                 \
    {.key = 1, .environment = 1, .fire = 1, .anisotropy = 0.45, .soften = BW_SOFTEN, .bloom = 0.06,                      \
     .albedo = {0.92f, 0.92f, 0.92f}}

/// Of fire: the studio dimmed, smoke sooty, flames that do not fill the film.
#define BW_LOOK_FIRE                                                                                                    \
    {.key = 0.15, .environment = 0.4, .fire = 0.4, .anisotropy = 0.45, .soften = BW_SOFTEN, .bloom = 0.06,               \
     .albedo = {0.5f, 0.5f, 0.5f}}
// clang-format on

/// What stays the same over a movie.
struct bw_scene {
    struct bw_camera camera;
    double lo[3], hi[3]; ///< the stage, m: its floor is at lo[2]
    double extinction;   ///< 1/m for a density of 1
    double ambient;      ///< ambient temperature, K
    double exposure;     ///< 1: as it is meant
    int32_t floor;       ///< 1: draw floor and shadow
    struct bw_look look;
};

struct bw_planck;
/// The lit medium: interleaved {j.r, j.g, j.b, s} a cell, 1/m; and flames, which glow between the cells as what they are
/// there, for their light is far from linear in it: {flame, kelvin} a cell, or NULL.
struct bw_lit {
    struct bw_dense box;
    float *rgbs;
    float *fire;
    const struct bw_planck *planck;
    float gain, soot; ///< of a flame of 1: radiance at the white point and extinction, 1/m
};

/// A coarser grid over the same space: means of COARSE³ cells.
enum { BW_COARSE = 4 };
struct bw_ambient {
    struct bw_dense box;
    float *extinction; ///< mean, 1/m
    float *rgb[3];     ///< mean radiance from all around, the fire's included
    float *glow[3];    ///< mean emission, 1/m; NULL without fire
    struct bw_lamp *lamp;
    int32_t n_lamps;
};

/// Light from one of six sides: where it comes from, and its part of the mean radiance.
struct bw_ambient_side {
    double to[3];
    float rgb[3];
};
extern const struct bw_ambient_side bw_ambient_sides[6];

/// A part of the fire as a source of light.
struct bw_lamp {
    double at[3];
    float rgb[3], floor; ///< ∫ j dV; added to r², m²
};

/// Width over height that suits the stage, between 9:16 and 16:9.
double bw_camera_aspect(const double lo[3], const double hi[3]);
/// Look at the stage from in front, a little from the right and above, so that an upright cylinder in it just fits.
void bw_camera_fit(struct bw_camera *c, const double lo[3], const double hi[3], double aspect);
/// Extinction for a density of 1 that gives smoke some body in a stage of that size.
double bw_scene_extinction(const double lo[3], const double hi[3]);
/// The lights of a scene: its own, or the studio's key and rim, which move with the camera. Returns how many.
int32_t bw_scene_lights(const struct bw_scene *s, struct bw_light light[BW_LIGHTS]);

/// Light scattered by an angle of that cosine, relative to isotropic scattering: two lobes, forward and a little back.
double bw_phase(double anisotropy, double cosine);
/// Mean cosine of the phase function that `anisotropy` stands for.
double bw_phase_mean(double anisotropy);
/// The room round the stage, radiance: from above, from below, and the wall that the camera sees.
struct bw_look_room {
    float above[3], below[3], backdrop[3];
};
struct bw_look_room bw_look_room(const struct bw_look *l);

/// Draw `v` (density NULL and no flame: an empty stage) into `img`. Errors: BW_ERR_MEMORY.
enum bw_status bw_render(const struct bw_tools *tools, const struct bw_volume *v, const struct bw_scene *scene,
                         struct bw_image *img);
/// The same as linear light, before film. With `alpha` (w·h floats; NULL: the studio behind it) what is seen alone, over
/// nothing, and how much of each pixel it covers.
enum bw_status bw_render_linear(const struct bw_tools *tools, const struct bw_volume *v, const struct bw_scene *scene,
                                struct bw_image *img, float *alpha);

/* Steps of bw_render, each in a file of its own. */

/// Share of a directional light that arrives at each cell, 0 … 1, into `out`. Errors: BW_ERR_MEMORY.
enum bw_status bw_light_sweep(const struct bw_tools *tools, const struct bw_dense *box, const float *extinction,
                              const double to[3], float spread, float *out);
/// Light from all around and the fire's. `emission`: {rgb, unused} interleaved or NULL. Errors: BW_ERR_MEMORY.
enum bw_status bw_ambient_make(const struct bw_tools *tools, const struct bw_dense *box, const float *extinction,
                               const float *emission, const struct bw_scene *scene, struct bw_ambient *a);
void bw_ambient_free(const struct bw_tools *tools, struct bw_ambient *a);
/// The fire as lamps. Errors: BW_ERR_MEMORY.
enum bw_status bw_lamps_make(const struct bw_tools *tools, struct bw_ambient *a);
/// Add the fire's light at p: mean radiance, or, on a surface, irradiance over 4π.
void bw_lamps_light(const struct bw_ambient *a, const double p[3], const double normal[3], float rgb[3]);

/// CIE 1931 tristimulus values of a black body, W/(sr m³).
void bw_planck_xyz(double kelvin, double xyz[3]);
enum { BW_PLANCK_LOW = 600, BW_PLANCK_STEP = 10, BW_PLANCK_N = 341, BW_PLANCK_WHITE = 1900 };
/// Linear Rec.709 of black bodies from LOW K in steps; luminance (Y/Y at WHITE)^contrast.
struct bw_planck {
    float rgb[BW_PLANCK_N][3];
};
void bw_planck_init(struct bw_planck *p, double contrast);
/// Between the table's entries; colder than LOW is dark.
static inline void bw_planck_read(const struct bw_planck *p, float kelvin, float rgb[3])
{
    float x = (kelvin - BW_PLANCK_LOW) * (1.0f / BW_PLANCK_STEP);
    x = x < BW_PLANCK_N - 1.001f ? x : BW_PLANCK_N - 1.001f;
    const int i = x > 0 ? (int)x : 0;
    for (int c = 0; c < 3; c++) rgb[c] = x > 0 ? p->rgb[i][c] + (p->rgb[i + 1][c] - p->rgb[i][c]) * (x - (float)i) : 0;
}
/* How flames are lit, for other renderers that shall look like this one. */
#define BW_SOOT 0.16f   ///< extinction of a flame of 1 in units of smoke's
#define BW_GLOW 14.0f   ///< radiance of a deep flame at the white point
#define BW_CONTRAST 0.5 ///< of luminance between temperatures; 1 is physical

/// What glows in a cell, {flame, kelvin}: flames, or, without any, all that is hot enough.
void bw_fire_at(const struct bw_volume *v, size_t cell, double ambient, float fire[2]);
#define BW_DRAPER 798.0f ///< K: colder things do not glow
/// Its light: a black body's colour times what there is to glow.
static inline void bw_emission(const struct bw_planck *p, const float fire[2], float rgb[3])
{
    const float glow = fire[1] > BW_DRAPER ? fire[0] : 0;
    bw_planck_read(p, fire[1], rgb);
    for (int c = 0; c < 3; c++) rgb[c] *= glow;
}

/// March all pixels: medium in front of what is behind it. `alpha` as for bw_render_linear.
enum bw_status bw_march(const struct bw_tools *tools, const struct bw_lit *lit, const struct bw_ambient *ambient,
                        const struct bw_volume *v, const struct bw_scene *scene, struct bw_image *img, float *alpha);

/// Floor shadows and backdrop.
struct bw_studio {
    const struct bw_scene *scene;
    const struct bw_ambient *ambient;
    struct bw_light light[BW_LIGHTS];
    int32_t n_lights;
    double lo[2], size; ///< of the shadow map, m
    int32_t n;
    float *map; ///< n × n, rgb: light that reaches the floor
};
enum bw_status bw_studio_make(const struct bw_tools *tools, const struct bw_scene *scene,
                              const struct bw_ambient *ambient, struct bw_studio *s);
/// Linear light behind the smoke along a ray; (u, v) in -1 … 1 over the picture. *depth: m to the floor, or HUGE_VAL.
void bw_studio_colour(const struct bw_studio *s, const double dir[3], double u, double v, float rgb[3], double *depth);
/// Glow of lens and film around what is bright. Errors: BW_ERR_MEMORY.
enum bw_status bw_film_bloom(struct bw_image *img, double bloom);
/// Linear light to display, in place.
void bw_film_develop(struct bw_image *img, double exposure);
void bw_tone(const float linear[3], float exposure, float srgb[3]);

/// e^-x for x ≥ 0, relative error below 2e-4, without a call so that loops vectorise.
static inline float bw_exp_neg(float x)
{
    float y = x * 0.125f;
    y = 1 / (1 + y * (1 + y * (0.5f + y * (0.16666667f + y * 0.041666667f))));
    y *= y;
    y *= y;
    return y * y;
}

/// Without the library call that fminf and fmaxf cost where NaN has to be honoured.
static inline float bw_least(float a, float b) { return a < b ? a : b; }
static inline float bw_most(float a, float b) { return a > b ? a : b; }

/// Cells of a box.
static inline size_t bw_dense_cells(const struct bw_dense *b)
{
    return (size_t)b->n[0] * (size_t)b->n[1] * (size_t)b->n[2];
}

/// Weights for reading a dense array between cell centres, clamped to its faces.
struct bw_tap {
    size_t at[8];
    float w[8];
};
static inline void bw_tap_at(const struct bw_dense *b, const double p[3], struct bw_tap *t)
{
    size_t step[3] = {1, (size_t)b->n[0], (size_t)b->n[0] * (size_t)b->n[1]}, base = 0, next[3];
    float f[3];
    for (int a = 0; a < 3; a++) {
        double x = (p[a] - b->origin[a]) / b->h - 0.5;
        x = x > 0 ? x < b->n[a] - 1 ? x : b->n[a] - 1 : 0;
        int i = (int)x;
        f[a] = (float)(x - i);
        next[a] = i + 1 < b->n[a] ? step[a] : 0;
        base += (size_t)i * step[a];
    }
    for (int c = 0; c < 8; c++) {
        t->at[c] = base + (c & 1 ? next[0] : 0) + (c & 2 ? next[1] : 0) + (c & 4 ? next[2] : 0);
        t->w[c] = (c & 1 ? f[0] : 1 - f[0]) * (c & 2 ? f[1] : 1 - f[1]) * (c & 4 ? f[2] : 1 - f[2]);
    }
}
static inline float bw_tap_read(const struct bw_tap *t, const float *data)
{
    float s = 0;
    for (int c = 0; c < 8; c++) s += t->w[c] * data[t->at[c]];
    return s;
}

#endif
