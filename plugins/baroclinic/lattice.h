// SPDX-License-Identifier: Apache-2.0
/* Baroclinic generation on vortons: density on a lattice, generation by its gradient, rates back on the vortons. */
#ifndef BAROCLINIC_LATTICE_H
#define BAROCLINIC_LATTICE_H

#include <billow/plugin.h>
#include <math.h>

/// The vortons' positions, volumes and deviations.
struct mass_points {
    int64_t count;
    const bw_vec3 *pos;      ///< m
    const double *volume;    ///< m³
    const double *deviation; ///< ρ', kg/m³
};

/// Gravity and equation of state: density as a function of temperature.
struct density_law {
    double gravity[3]; ///< m/s²
    double ambient;    ///< ρ₀, kg/m³
    double expansion;  ///< β, 1/K
    int32_t local;     ///< 0: Boussinesq, ρ' = d - ρ₀βT, ∇ρ/ρ₀. 1: ρ = (ρ₀ + d)/(1 + βT), ∇ρ/ρ
};

/// With `local`: lower limit of density relative to ambient.
#define DENSITY_MIN_RATIO 0.1

/// ρ', kg/m³, of fluid whose density at ambient temperature deviates by d and whose temperature by T.
static inline double density_deviation(const struct density_law *w, double d, double t)
{
    return w->local ? (w->ambient + d) / fmax(1 + w->expansion * t, DENSITY_MIN_RATIO) - w->ambient
                    : d - w->ambient * w->expansion * t;
}

/// q, of whose gradient vorticity is made: ρ'/ρ₀, or ln(ρ/ρ₀).
static inline double density_potential(const struct density_law *w, double deviation)
{
    double q = deviation / w->ambient;
    return w->local ? log(fmax(1 + q, DENSITY_MIN_RATIO)) : q;
}

/// Sums of a transfer, for metrics.
struct transfer {
    double mass;         ///< Σ ρ'V of the vortons, kg
    double size;         ///< Σ |ρ'V|, kg
    double lattice;      ///< Σ ρ'h³ on the lattice, kg
    double made[3], all; ///< Σ dα/dt and Σ |dα/dt|, m³/s²
    int64_t nodes;       ///< that hold vortons
    int64_t thinned;     ///< with `local`: nodes lighter than a tenth of ambient, taken as a tenth
};

/// The box round all of them; comparisons, because fmin is a call, of locals, because memory may be anybody's.
static inline void points_box(const struct mass_points *m, double lo[3], double hi[3])
{
    double least[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, most[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (int64_t p = 0; p < m->count; p++)
        for (int a = 0; a < 3; a++) {
            double x = m->pos[p][a];
            least[a] = least[a] < x ? least[a] : x; // in this order it is one instruction
            most[a] = most[a] > x ? most[a] : x;
        }
    for (int a = 0; a < 3; a++) lo[a] = least[a], hi[a] = most[a];
}

/// Add dα/dt (m³/s², count × 3) by way of a lattice of spacing h. Errors: BW_ERR_MEMORY; BW_ERR_DIVERGED when the
/// vortons spread too far for one.
enum bw_status lattice_generate(struct bw_stage *s, const struct mass_points *m, double h, const struct density_law *w,
                                double *rate, struct transfer *found);
/// The same by Gourlay's method, part 8 (gourlay.c).
enum bw_status gourlay_generate(struct bw_stage *s, const struct mass_points *m, const struct density_law *w,
                                double *rate, struct transfer *found);

#endif
