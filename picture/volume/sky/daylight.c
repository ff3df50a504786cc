// SPDX-License-Identifier: Apache-2.0
/* A clear sky after Preetham, Shirley and Smits, "A practical analytic model for daylight" (1999): luminance and
 * chromaticity of Perez' form, Y(θ, γ) = Yz F(θ, γ)/F(0, θs), F = (1 + A exp(B/cos θ))(1 + C exp(Dγ) + E cos²γ), by
 * turbidity; θ from the zenith, γ from the sun. The sun is dimmed by Rayleigh's and Ångström's extinction along
 * Kasten's air mass; ozone and water are left out. 50 000 lux are a lamp of strength 1: a sun at noon is one of 2.
 * Below the horizon lies ground that sends a seventh back. */
#include "daylight.h"

#include <math.h>

#define PI 3.14159265358979323846
#define LUX 50.0      ///< thousands, of a lamp of strength 1
#define OUTSIDE 127.5 ///< thousand lux of the sun before the air
#define SKY 0.5 ///< of the model's light, by eye: it has 27 thousand lux at noon, 56 in haze, which looks too bright
#define GROUND 0.15
#define SUN_HALF 0.00465 ///< tangent of half its angle

/// A … E of Y, x, y: factors of turbidity and of 1.
static const double perez[3][5][2] = {
    {{0.1787, -1.4630}, {-0.3554, 0.4275}, {-0.0227, 5.3251}, {0.1206, -2.5771}, {-0.0670, 0.3703}},
    {{-0.0193, -0.2592}, {-0.0665, 0.0008}, {-0.0004, 0.2125}, {-0.0641, -0.8989}, {-0.0033, 0.0452}},
    {{-0.0167, -0.2608}, {-0.0950, 0.0092}, {-0.0079, 0.2102}, {-0.0441, -1.6537}, {-0.0109, 0.0529}},
};
/// x and y at the zenith: rows of T², T, 1; columns of θs³, θs², θs, 1.
static const double zenith[2][3][4] = {
    {{0.00166, -0.00375, 0.00209, 0}, {-0.02903, 0.06377, -0.03202, 0.00394}, {0.11693, -0.21196, 0.06052, 0.25886}},
    {{0.00275, -0.00610, 0.00317, 0}, {-0.04214, 0.08970, -0.04153, 0.00516}, {0.15346, -0.26756, 0.06670, 0.26688}},
};

static double perez_value(int channel, double turbidity, double cosine, double angle)
{
    double k[5];
    for (int i = 0; i < 5; i++) k[i] = perez[channel][i][0] * turbidity + perez[channel][i][1];
    return (1 + k[0] * exp(k[1] / fmax(cosine, 0.01))) *
           (1 + k[2] * exp(k[3] * angle) + k[4] * cos(angle) * cos(angle));
}

/// {Y in kcd/m², x, y} at the zenith.
static void zenith_find(double turbidity, double sun, double out[3])
{
    const double angle = (4.0 / 9 - turbidity / 120) * (PI - 2 * sun), row[3] = {turbidity * turbidity, turbidity, 1};
    out[0] = (4.0453 * turbidity - 4.9710) * tan(angle) - 0.2155 * turbidity + 2.4192;
    for (int c = 0; c < 2; c++) {
        out[1 + c] = 0;
        for (int i = 0; i < 3; i++) {
            const double *m = zenith[c][i];
            out[1 + c] += row[i] * (((m[0] * sun + m[1]) * sun + m[2]) * sun + m[3]);
        }
    }
}

/// xyY to linear Rec.709.
static void colour_of(const double xyy[3], float rgb[3])
{
    static const double m[3][3] = {
        {3.2404542, -1.5371385, -0.4985314}, {-0.9692660, 1.8760108, 0.0415560}, {0.0556434, -0.2040259, 1.0572252}};
    const double y = fmax(xyy[2], 1e-4), xyz[3] = {xyy[0] * xyy[1] / y, xyy[0], xyy[0] * (1 - xyy[1] - xyy[2]) / y};
    for (int c = 0; c < 3; c++) rgb[c] = (float)fmax(m[c][0] * xyz[0] + m[c][1] * xyz[1] + m[c][2] * xyz[2], 0);
}

/// What of the sun gets through the air, as a lamp.
static struct bw_light sun_make(const struct bw_sky_wish *w)
{
    static const double wave[3] = {0.61, 0.55, 0.465}; // µm
    const double ce = cos(w->elevation), degrees = 90 - w->elevation * 180 / PI;
    const double mass = 1 / (sin(w->elevation) + 0.15 * pow(93.885 - degrees, -1.253));
    const double haze = fmax(0.04608 * w->turbidity - 0.04586, 0);
    struct bw_light l = {.to = {sin(w->azimuth) * ce, -cos(w->azimuth) * ce, sin(w->elevation)}, .half = SUN_HALF};
    for (int c = 0; c < 3; c++) {
        const double depth = 0.008735 * pow(wave[c], -4.08) + haze * pow(wave[c], -1.3);
        l.rgb[c] = (float)(w->strength * OUTSIDE / LUX * exp(-depth * mass));
    }
    return l;
}

/// Level ground under sky and sun.
static void ground_fill(struct bw_sky *s)
{
    double to[3], sum[3] = {0};
    for (int y = 0; y < s->h / 2; y++)
        for (int x = 0; x < s->w; x++) {
            const double part = bw_sky_pixel(s, x, y, to) * to[2];
            for (int c = 0; c < 3; c++) sum[c] += part * (double)s->rgb[3 * (y * s->w + x) + c];
        }
    for (int c = 0; c < 3; c++) sum[c] += BW_SUN * (double)s->light[0].rgb[c] * s->light[0].to[2];
    for (int i = s->h / 2 * s->w; i < s->h * s->w; i++)
        for (int c = 0; c < 3; c++) s->rgb[3 * i + c] = (float)(GROUND / PI * sum[c]);
}

void bw_daylight_sky(struct bw_sky *s)
{
    const struct bw_sky_wish *w = &s->wish;
    const double theta = 0.5 * PI - w->elevation, scale = SKY * w->strength * BW_SUN / LUX;
    double top[3], unit[3], xyy[3], to[3];
    zenith_find(w->turbidity, theta, top);
    for (int c = 0; c < 3; c++) unit[c] = perez_value(c, w->turbidity, 1, theta);
    s->light[0] = sun_make(w);
    s->n_lights = 1;
    for (int y = 0; y < s->h / 2; y++)
        for (int x = 0; x < s->w; x++) {
            bw_sky_pixel(s, x, y, to);
            const double *sun = s->light[0].to;
            const double angle = acos(fmin(fmax(to[0] * sun[0] + to[1] * sun[1] + to[2] * sun[2], -1), 1));
            for (int c = 0; c < 3; c++) xyy[c] = top[c] * perez_value(c, w->turbidity, to[2], angle) / unit[c];
            xyy[0] = fmax(xyy[0], 0) * scale;
            colour_of(xyy, s->rgb + 3 * (y * s->w + x));
        }
    ground_fill(s);
}
