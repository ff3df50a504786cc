// SPDX-License-Identifier: Apache-2.0
/* Vortons of a table: x y z, strength_x strength_y strength_z, and any of radius, volume, density, temperature. */
#include "emit.h"
#include <common/table/table.h>
#include <math.h>
#include <string.h>

enum column {
    COLUMN_X,
    COLUMN_STRENGTH = 3,
    COLUMN_RADIUS = 6,
    COLUMN_VOLUME,
    COLUMN_DENSITY,
    COLUMN_TEMPERATURE,
};
static const struct table_name names[] = {{"x", COLUMN_X},
                                          {"y", COLUMN_X + 1},
                                          {"z", COLUMN_X + 2},
                                          {"strength_x", COLUMN_STRENGTH},
                                          {"strength_y", COLUMN_STRENGTH + 1},
                                          {"strength_z", COLUMN_STRENGTH + 2},
                                          {"radius", COLUMN_RADIUS},
                                          {"volume", COLUMN_VOLUME},
                                          {"density", COLUMN_DENSITY},
                                          {"temperature", COLUMN_TEMPERATURE}};

static struct newborn newborn_of(const struct emit_params *p, const bool *has, const double *value)
{
    struct newborn n;
    memcpy(n.pos, value + COLUMN_X, sizeof n.pos);
    memcpy(n.strength, value + COLUMN_STRENGTH, sizeof n.strength);
    n.radius = has[COLUMN_RADIUS] ? value[COLUMN_RADIUS] : p->source.file.core;
    n.volume = has[COLUMN_VOLUME] ? value[COLUMN_VOLUME] : pow(n.radius, 3);
    n.density = has[COLUMN_DENSITY] ? value[COLUMN_DENSITY] : p->density;
    n.temperature = has[COLUMN_TEMPERATURE] ? value[COLUMN_TEMPERATURE] : p->temperature;
    return n;
}

static enum bw_status rows_read(struct table *t, const struct emit_params *p, struct brood *out)
{
    double value[TABLE_COLUMNS] = {0};
    enum bw_status status = BW_OK;
    for (int c = COLUMN_X; c < COLUMN_RADIUS; c++)
        if (!t->has[c]) return table_fail(t, "x, y, z, strength_x, strength_y and strength_z are wanted");
    out->item = t->stage->host->scratch(t->stage, (size_t)(t->rows + 1) * sizeof *out->item);
    if (!out->item) return BW_ERR_MEMORY;
    out->count = 0;
    while (table_row(t, value, &status)) out->item[out->count++] = newborn_of(p, t->has, value);
    return status || out->count ? status : table_fail(t, "no vortons");
}

enum bw_status emit_file_read(struct bw_stage *s, const struct emit_params *p, struct brood *out)
{
    struct table t;
    enum bw_status status = table_open(&t, s, p->source.file.file, names, BW_COUNT(names));
    if (!status) status = rows_read(&t, p, out);
    table_close(&t);
    return status;
}
