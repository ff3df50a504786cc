// SPDX-License-Identifier: Apache-2.0
#ifndef VORTON_EMIT_H
#define VORTON_EMIT_H

#include <common/shape/shape.h>
#include "vorton.h"

struct emit_ring {
    bw_vec3 center, axis;
    double radius, core, circulation;
    int64_t segments, layers;
};
struct emit_tube {
    bw_vec3 from, to;
    double core, circulation;
    int64_t segments, layers;
};
struct emit_jet {
    bw_vec3 center, axis;
    double radius, core, speed;
    int64_t segments;
};
struct emit_sheet {
    bw_vec3 center, along, across;
    double jump, core;
};
struct emit_cloud {
    bw_vec3 center;
    double radius, vorticity, core, rate;
    int64_t count;
};
struct emit_file {
    const char *file;
    double core;
};
struct emit_fill {
    struct shape shape;
    double spacing, core, edge, jitter;
    int64_t margin;
    int32_t refill;
};
enum emit_kind { EMIT_RING, EMIT_TUBE, EMIT_JET, EMIT_SHEET, EMIT_CLOUD, EMIT_FILL, EMIT_FILE };
struct emit_source {
    int32_t kind; ///< enum emit_kind
    struct emit_ring ring;
    struct emit_tube tube;
    struct emit_jet jet;
    struct emit_sheet sheet;
    struct emit_cloud cloud;
    struct emit_fill fill;
    struct emit_file file;
};
struct emit_params {
    struct emit_source source;
    double wobble, density, temperature, life;
    int64_t waves;
};

/// One vorton about to be born.
struct newborn {
    bw_vec3 pos, strength;
    double radius, volume, density, temperature;
};
/// Those of a step: filled in memory of the stage's scratch.
struct brood {
    struct newborn *item;
    int64_t count;
};

/// How many, and then what, is born between two times (the first call: at `start`). Errors are reported.
enum bw_status emit_brood(struct bw_stage *s, const struct emit_params *p, int start, struct brood *out);
/// Its shape made ready. Errors are reported.
enum bw_status emit_fill_ready(struct bw_stage *s, const struct emit_fill *f);
/// Vortons in a shape.
enum bw_status emit_fill_make(struct bw_stage *s, const struct emit_params *p, int start, struct brood *out);
/// Vortons of a CSV or PLY file.
enum bw_status emit_file_read(struct bw_stage *s, const struct emit_params *p, struct brood *out);

#endif
