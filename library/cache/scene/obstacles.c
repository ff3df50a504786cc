// SPDX-License-Identifier: Apache-2.0
#include "obstacles.h"

#include <stdlib.h>
#include <string.h>

void scene_obstacles_at(struct scene_obstacles *o, int64_t frame)
{
    struct bw_volume v = {0};
    struct bw_diag ignored = {0}; // then cells show them
    float *memory = NULL;
    cache_obstacles(o->cache, NULL, o->facts->view, frame, &o->tools, &o->shapes, &v, &memory, &ignored);
    bw_diag_free(&ignored);
    free(memory);
}

void scene_obstacles_begin(struct scene_obstacles *o, const struct scene_facts *f, struct cache *c)
{
    const struct shot *shot = &f->shot;
    *o = (struct scene_obstacles){.cache = c, .facts = f, .tools = picture_tools()};
    for (int32_t i = 0; i < shot->n && !o->move; i++) { // one that moves later stands still at first
        scene_obstacles_at(o, shot->frame[i].frame);
        for (int32_t k = 0; o->shapes && k < o->shapes->n; k++) o->move |= o->shapes->form[k].moves != 0;
    }
    scene_obstacles_at(o, shot->frame[0].frame);
}

void scene_obstacles_end(struct scene_obstacles *o)
{
    bw_shapes_free(&o->tools, o->shapes);
    o->shapes = NULL;
}

const struct bw_material_wish *scene_finish(const struct scene_facts *f, const struct bw_form *form)
{
    const struct bw_look *look = &f->look.scene.look;
    return form->look ? &look->each[form->look - 1] : &look->material;
}

/// A corner of a mesh: where it is, and which of all it is.
struct corner {
    float at[3];
    int32_t n;
};

static int corner_compare(const void *a, const void *b)
{
    return memcmp(((const struct corner *)a)->at, ((const struct corner *)b)->at, sizeof((const struct corner *)a)->at);
}

enum bw_status scene_mesh_make(const struct bw_form *form, struct scene_mesh *mesh)
{
    const struct bw_mesh *m = form->mesh;
    const size_t n = 3 * (size_t)m->bvh.n;
    struct corner *c = malloc((n + 1) * sizeof *c);
    *mesh = (struct scene_mesh){.point = malloc((3 * n + 1) * sizeof *mesh->point),
                                .corner = malloc((n + 1) * sizeof *mesh->corner)};
    const enum bw_status status = c && mesh->point && mesh->corner ? BW_OK : BW_ERR_MEMORY;
    for (size_t i = 0; !status && i < n; i++) {
        for (int a = 0; a < 3; a++) c[i].at[a] = m->triangle[i / 3].corner[i % 3][a] + 0.0f; // -0 is 0
        c[i].n = (int32_t)i;
    }
    if (!status) qsort(c, n, sizeof *c, corner_compare);
    for (size_t i = 0; !status && i < n; i++) {
        if (!i || corner_compare(&c[i], &c[i - 1])) {
            double *p = mesh->point + 3 * (size_t)mesh->n_points++;
            for (int a = 0; a < 3; a++) p[a] = form->scale[a] * (m->middle[a] + (double)c[i].at[a]);
        }
        mesh->corner[c[i].n] = mesh->n_points - 1;
    }
    mesh->n_triangles = status ? 0 : (int32_t)(n / 3);
    free(c);
    return status;
}

void scene_mesh_free(struct scene_mesh *mesh)
{
    free(mesh->point);
    free(mesh->corner);
    *mesh = (struct scene_mesh){0};
}
