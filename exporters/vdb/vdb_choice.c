// SPDX-License-Identifier: Apache-2.0
/* Which of a snapshot's fields are written, for hosts that take few too. */
#include "vdb.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What is written when the preset names nothing: what the flow advects, and what a renderer reads. */
static int field_usual(const struct bw_field_info *info)
{
    static const char *const shown[] = {"density", "temperature", "flame", "dye", "vel", "solid", "age"};
    int usual = info->advected != 0;
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) usual |= !strcmp(info->name, shown[i]);
    return usual;
}

static int field_named(const struct vdb_params *p, const struct bw_field_info *info)
{
    const struct vdb_field_name *names = p->fields.items;
    if (!p->fields.count) return field_usual(info);
    for (int64_t i = 0; i < p->fields.count; i++)
        if (!strcmp(names[i].name, info->name)) return 1;
    return 0;
}

/* ---- hosts that take few ---- */

static uint32_t channels_of(const struct bw_field_info *info) { return info->kind == BW_SCALAR ? 1 : 3; }

/* What hosts look for comes first, ages and distances last. */
static uint32_t field_order(const struct bw_frame *frame, const struct bw_field_info *info)
{
    static const char *const first[] = {"density", "temperature", "flame", "vel", "dye"};
    uint32_t order = BW_COUNT(first);
    for (uint32_t i = 0; i < BW_COUNT(first); i++)
        if (!strcmp(first[i], info->name)) return i;
    while (order - BW_COUNT(first) < frame->n_fields && frame->fields[order - BW_COUNT(first)].info != info) order++;
    return !strcmp(info->name, "solid") ? UINT32_MAX : !strcmp(info->name, "age") ? UINT32_MAX - 1 : order;
}

/* Is there a channel for it, after those of the fields that come first? */
static int field_fits(const struct vdb_params *p, const struct bw_frame *frame, const struct bw_field_info *info)
{
    const double most = vdb_rule_number(vdb_host(p), VDB_CHANNELS, HUGE_VAL);
    double taken = channels_of(info);
    if (channels_of(info) == 3 && vdb_rule_of(vdb_host(p), VDB_NUMBERS)) return 0;
    for (uint32_t i = 0; i < frame->n_fields && isfinite(most); i++) {
        const struct bw_field_info *other = frame->fields[i].info;
        const int before = field_order(frame, other) < field_order(frame, info);
        if (before && field_named(p, other)) taken += channels_of(other);
    }
    return taken <= most;
}

int vdb_field_wanted(const struct vdb_params *p, const struct bw_frame *frame, const struct bw_field_info *info)
{
    return field_named(p, info) && field_fits(p, frame, info);
}

void vdb_left_out_log(struct bw_exporter *e, const struct bw_frame *frame)
{
    const struct vdb_params *p = e->params;
    const struct vdb_state *st = e->state;
    for (uint32_t i = 0; i < frame->n_fields && !st->frames; i++) {
        const struct bw_field_info *info = frame->fields[i].info;
        if (field_named(p, info) && !field_fits(p, frame, info))
            e->host->log(e, BW_LOG_WARNING, "field %s is left out: %s", info->name,
                         vdb_rule_of(vdb_host(p), VDB_CHANNELS) ? "no channel is left for it"
                                                                : "no vector is read there");
    }
}

enum bw_status vdb_choice_check(struct bw_exporter *e, const struct bw_frame *frame)
{
    const struct vdb_params *p = e->params;
    const struct vdb_field_name *names = p->fields.items;
    char have[400] = "";
    size_t used = 0;
    int64_t wanted = 0;
    for (uint32_t i = 0; i < frame->n_fields; i++) {
        const char *name = frame->fields[i].info->name;
        wanted += vdb_field_wanted(p, frame, frame->fields[i].info);
        if (used + strlen(name) + 3 > sizeof have) continue;
        used += (size_t)snprintf(have + used, sizeof have - used, "%s%s", used ? ", " : "", name);
    }
    for (int64_t i = 0; i < p->fields.count; i++)
        for (int64_t j = 0; j < i; j++)
            if (!strcmp(names[i].name, names[j].name))
                return e->host->fail(e, BW_ERR_PRESET, "field \"%s\" is listed twice", names[i].name);
    if (!wanted && !p->points.count)
        return e->host->fail(
            e, BW_ERR_PRESET,
            "nothing to export: no field is advected or shown; name some with `fields:` (there are: %s)", have);
    return BW_OK;
}
