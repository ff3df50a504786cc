// SPDX-License-Identifier: Apache-2.0
/* Shared by the mesh tests: a folder of their own, meshes written to it, what the log says. */
#ifndef MESH_WORLD_H
#define MESH_WORLD_H

#include "folder.h"
#include "physics/physics.h"
#include <unistd.h>

#define STILL                                                                                                          \
    "billow: 1\ndomain: {cells: [40, 40, 40], voxel: 5 cm, floor: -1, sides: {rest: open}}\n"                          \
    "time: {fps: 25, frames: 1-1}\nstages:\n" KEEP_VEL

static inline const char *meshes(void)
{
    static char path[1024];
    const char *source = getenv("BILLOW_TEST_SOURCE");
    cr_assert_not_null(source, "BILLOW_TEST_SOURCE tells where tests/meshes is");
    snprintf(path, sizeof path, "%s/meshes", source);
    return path;
}

/* A box as OBJ; `split` cuts its lid in three instead of two triangles. */
static inline void box_put(FILE *f, const double lo[3], const double hi[3], int split)
{
    for (int i = 0; i < 8; i++)
        fprintf(f, "v %.9g %.9g %.9g\n", i & 1 ? hi[0] : lo[0], i & 2 ? hi[1] : lo[1], i & 4 ? hi[2] : lo[2]);
    if (split) fprintf(f, "v %.9g %.9g %.9g\n", .5 * (lo[0] + hi[0]), lo[1], hi[2]);
    fprintf(f, "f 1 3 4 2\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n");
    fprintf(f, split ? "f 5 9 7\nf 9 8 7\nf 9 6 8\nf 1 2 9\nf 1 9 5\nf 2 6 9\n" : "f 5 6 8 7\nf 1 2 6 5\n");
}

static inline void box_write(const char *name, const double lo[3], const double hi[3], int split)
{
    FILE *f = file_new(name);
    box_put(f, lo, hi, split);
    fclose(f);
}

/* ---- what the log says ---- */

struct ear {
    char text[4096];
};

static void ear_listen(int level, const char *who, const char *text, void *user)
{
    struct ear *e = user;
    size_t n = strlen(e->text);
    if (level == BW_LOG_WARNING) snprintf(e->text + n, sizeof e->text - n, "%s: %s\n", who, text);
}

/* Run a preset and hand back its warnings; the run must succeed. */
static inline struct ear warnings_of(const char *yaml)
{
    struct ear ear = {{0}};
    char path[] = "/tmp/billow-test-XXXXXX.yaml";
    int fd = mkstemps(path, 5);
    cr_assert(fd >= 0 && write(fd, yaml, strlen(yaml)) == (ssize_t)strlen(yaml));
    close(fd);
    struct bw_diag diag = {0};
    struct bw_preset *preset = bw_preset_load(path, &(struct bw_preset_overrides){0}, &diag);
    unlink(path);
    cr_assert_not_null(preset, "%s", diag.text);
    struct bw_registry *registry = bw_registry_open(getenv("BILLOW_TEST_PLUGINS"));
    struct bw_run_options o = {.threads = 2, .simd = UINT32_MAX, .on_log = ear_listen, .user = &ear};
    struct bw_chain *chain = bw_chain_create(preset, registry, &o, &diag);
    cr_assert_not_null(chain, "%s", diag.text);
    cr_assert_eq(bw_chain_run(chain, &diag), BW_OK, "%s", diag.text);
    bw_chain_free(chain);
    bw_registry_close(registry);
    bw_preset_free(preset);
    bw_diag_free(&diag);
    return ear;
}

#endif
