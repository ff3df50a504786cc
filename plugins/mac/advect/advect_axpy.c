// SPDX-License-Identifier: Apache-2.0
/* Linear combination of two velocity fields, face by face (axpy). */
#include "advect_pass.h"

enum { VIEW_TO, VIEW_FROM };

/// to = keep to + scale from.
struct axpy {
    float keep, scale;
};

static void block_axpy(const struct bw_block *b, void *user)
{
    const struct axpy *m = user;
    const struct bw_view *to = &b->view[VIEW_TO], *from = &b->view[VIEW_FROM];
    for (int c = 0; c < 3; c++)
        for (int32_t k = 0; k < b->n[2] + (c == 2 && b->high[2]); k++)
            for (int32_t j = 0; j < b->n[1] + (c == 1 && b->high[1]); j++) {
                float *t = bw_f32(to, c) + j * to->sy + k * to->sz;
                const float *f = bw_f32(from, c) + j * from->sy + k * from->sz;
                const int32_t n = b->n[0] + (c == 0 && b->high[0]);
                if (m->keep == 0) // `to` may be undefined
                    for (int32_t i = 0; i < n; i++) t[i] = m->scale * f[i];
                else
                    for (int32_t i = 0; i < n; i++) t[i] = m->scale * f[i] + m->keep * t[i];
            }
}

/* High faces are read in the halo. */
enum bw_status flow_axpy(struct bw_stage *s, struct bw_field *to, float keep, struct bw_field *from, float scale)
{
    struct axpy by = {keep, scale};
    const struct bw_access row[] = {
        [VIEW_TO] = {to, keep == 0 ? BW_WRITE_OWN : BW_UPDATE_OWN, 0}, [VIEW_FROM] = {from, BW_READ, 1}};
    return s->host->sweep(s, &(struct bw_sweep){.access = row, .n_access = 2, .body = block_axpy, .user = &by});
}

bool exterior_has_wind(const struct bw_field_info *vel)
{
    return vel->background[0] != 0 || vel->background[1] != 0 || vel->background[2] != 0;
}
