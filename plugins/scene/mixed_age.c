// SPDX-License-Identifier: Apache-2.0
/* What stages here add to `density` is new smoke: the age is mixed with it by how the density has grown. */
#include "stages.h"
#include <common/age.h>
#include <string.h>

enum { VIEW_AGE, VIEW_AFTER, VIEW_BEFORE };

static void block_copy(const struct bw_block *b, void *user)
{
    (void)user;
    const struct bw_view *from = &b->view[0], *to = &b->view[1];
    for (int k = 0; k < b->n[2]; k++)
        for (int j = 0; j < b->n[1]; j++)
            memcpy(bw_f32(to, 0) + j * to->sy + k * to->sz, bw_f32(from, 0) + j * from->sy + k * from->sz,
                   (size_t)b->n[0] * sizeof(float));
}

static void block_mix(const struct bw_block *b, void *user)
{
    const struct smoke_before *m = user;
    const struct bw_view *v = b->view;
    for (int k = 0; k < b->n[2]; k++)
        for (int j = 0; j < b->n[1]; j++) {
            float *age = bw_f32(&v[VIEW_AGE], 0) + j * v[VIEW_AGE].sy + k * v[VIEW_AGE].sz;
            const float *after = bw_f32(&v[VIEW_AFTER], 0) + j * v[VIEW_AFTER].sy + k * v[VIEW_AFTER].sz;
            const float *before = bw_f32(&v[VIEW_BEFORE], 0) + j * v[VIEW_BEFORE].sy + k * v[VIEW_BEFORE].sz;
            for (int i = 0; i < b->n[0]; i++) age[i] = age_mixed(age[i], before[i], after[i], m->dt);
        }
}

/* The field on one of the stage's ports, or NULL. */
static struct bw_field *own_field(struct bw_stage *s, const char *name)
{
    struct bw_field *found = s->host->find_field(s, name);
    for (uint32_t i = 0; i < s->desc->n_ports; i++)
        for (uint32_t k = 0; k < s->ports[i].count && s->ports[i].fields; k++)
            if (s->ports[i].fields[k] == found) return found;
    return NULL;
}

enum bw_status smoke_keep(struct bw_stage *s, uint32_t port, struct smoke_before *m)
{
    *m = (struct smoke_before){.smoke = own_field(s, "density"), .dt = s->dt};
    struct bw_field *age = bw_port_field(s, port);
    if (!age || !m->smoke || s->host->field_info(m->smoke)->precision != BW_F32) return BW_OK;
    m->age = age;
    m->before = s->host->scratch_field(s, BW_SCALAR, BW_F32);
    if (!m->before) return BW_ERR_MEMORY;
    const struct bw_access row[] = {{m->smoke, BW_READ, 0}, {m->before, BW_WRITE, 0}};
    return s->host->sweep(s, &(struct bw_sweep){.access = row, .n_access = 2, .body = block_copy});
}

enum bw_status smoke_mix_age(struct bw_stage *s, struct smoke_before *m)
{
    if (!m->age) return BW_OK;
    const struct bw_access row[] = {[VIEW_AGE] = {m->age, BW_UPDATE, 0},
                                    [VIEW_AFTER] = {m->smoke, BW_READ, 0},
                                    [VIEW_BEFORE] = {m->before, BW_READ_LAST, 0}};
    return s->host->sweep(s, &(struct bw_sweep){.access = row, .n_access = 3, .body = block_mix, .user = m});
}
