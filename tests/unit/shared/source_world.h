// SPDX-License-Identifier: Apache-2.0
/* A folder of files, runs of stages that read them, and what differs between two runs. */
#ifndef SOURCE_WORLD_H
#define SOURCE_WORLD_H

#include "folder.h"
#include "support.h"
#include <math.h>
#include <unistd.h>

static inline void file_write(const char *name, const void *text, size_t size)
{
    FILE *f = file_new(name);
    cr_assert_eq(fwrite(text, 1, size, f), size);
    fclose(f);
}

static inline void text_write(const char *name, const char *text) { file_write(name, text, strlen(text)); }

#define HEAD "billow: 1\nname: s\n"
/* Odd on purpose: not centred, a voxel in centimetres, frames from 1001 at 30 a second. */
#define BOX "domain: {cells: [40, 36, 44], voxel: 2.5 cm, center: [0.1, -0.05], floor: 0.2, margin: 4}\n"
#define TIME "time: {fps: 30, frames: 1001-%d, substeps: %d}\n"

static char warned[4096]; ///< of the last run

static inline void warning_keep(int level, const char *who, const char *text, void *user)
{
    (void)who, (void)user;
    if (level == BW_LOG_WARNING) snprintf(warned, sizeof warned, "%s", text);
}

/* Run `stages`, in which @ is the folder. */
static inline struct test_run run(int last, int substeps, const char *stages, uint32_t threads, const char *out)
{
    static char text[8192];
    char form[8192];
    snprintf(form, sizeof form, HEAD BOX TIME "stages:\n%%s", last, substeps);
    char body[4096];
    size_t n = 0;
    for (const char *p = stages; *p && n + 64 < sizeof body; p++) {
        if (*p != '@') body[n++] = *p;
        else n += (size_t)snprintf(body + n, sizeof body - n, "%s", folder);
    }
    body[n] = '\0';
    snprintf(text, sizeof text, form, body);
    struct test_options o = {.simd = UINT32_MAX, .threads = threads, .out = out, .on_log = warning_keep};
    warned[0] = '\0';
    return test_start(text, &o);
}

/* Largest difference of two runs' fields, and the sum of the first's values. */
static inline double difference(const struct test_run *a, const struct test_run *b, const char *name, uint32_t c,
                                double *sum)
{
    int32_t n[3], m[3];
    double *x = test_field(a, name, c, n), *y = test_field(b, name, c, m), worst = 0;
    cr_assert(x && y);
    *sum = 0;
    for (int i = 0; i < n[0] * n[1] * n[2]; i++) {
        worst = fmax(worst, fabs(x[i] - y[i]));
        *sum += x[i];
    }
    bw_free(x);
    bw_free(y);
    return worst;
}

static inline void refused(const char *stages, const char *word)
{
    struct test_run r = run(1001, 1, stages, 1, NULL);
    cr_assert_neq(r.status, BW_OK, "accepted: %s", stages);
    cr_assert(r.diag.text && strstr(r.diag.text, word), "\"%s\" is not in: %s", word, r.diag.text ? r.diag.text : "");
    test_end(&r);
}

#define SPHERE "sphere: {center: [0.13, -0.02, 0.7], radius: 21 cm}"

#endif
