// SPDX-License-Identifier: Apache-2.0
/* Bakes a preset, watches the smoke rise, and stops when it is 1.8 m high. Nothing is written.
 *     cc bake.c $(pkg-config --cflags --libs billow-embed) -o bake && ./bake plume */
#include <billow/bake.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The highest layer of cells that holds smoke, in m; less than 0: there is none. */
static double smoke_height(struct bw_snapshot *snapshot, uint32_t grid, const struct bw_snapshot_grid *g)
{
    struct bw_box box = {{g->lo[0], g->lo[1], g->lo[2]}, {g->n[0], g->n[1], g->n[2]}};
    size_t layer = (size_t)g->n[0] * (size_t)g->n[1], n = layer * (size_t)g->n[2];
    float *smoke = n ? malloc(n * sizeof *smoke) : NULL;
    double top = -1;
    if (smoke && bw_snapshot_read(snapshot, grid, 0, &box, 0, smoke) == BW_OK)
        for (size_t i = 0; i < n; i++)
            if (smoke[i] > 0.01f) top = g->origin[2] + ((double)g->lo[2] + (double)(i / layer) + 1) * g->voxel;
    free(smoke);
    return top;
}

static void frame_look(struct bw_bake *bake, struct bw_snapshot *snapshot, void *user)
{
    struct bw_snapshot_facts f = {.size = sizeof f};
    double *highest = user;
    if (bw_snapshot_facts(snapshot, &f)) return;
    for (uint32_t i = 0; i < f.n_grids; i++) {
        if (strcmp(f.grids[i].name, "density")) continue;
        *highest = smoke_height(snapshot, i, &f.grids[i]);
        printf("frame %lld: smoke up to %.2f m\n", (long long)f.frame, *highest);
    }
    if (*highest > 1.8) bw_bake_cancel(bake);
}

int main(int argc, char **argv)
{
    struct bw_session *session = NULL;
    struct bw_bake *bake = NULL;
    double highest = 0;
    struct bw_bake_options o = {.size = sizeof o, .preset = argc > 1 ? argv[1] : "plume", .quick = 1};
    o.on_frame = frame_look;
    o.user = &highest;
    int status = bw_session_open(NULL, &session);
    if (!status) status = bw_bake_open(session, &o, &bake);
    if (!status) status = bw_bake_start(bake);
    if (!status) status = bw_bake_wait(bake, -1);
    if (status && status != BW_ERR_CANCELLED) fputs(bw_error_last()->text, stderr);
    bw_bake_close(bake);
    bw_session_close(session);
    return status && status != BW_ERR_CANCELLED;
}
