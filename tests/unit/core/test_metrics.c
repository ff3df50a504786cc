// SPDX-License-Identifier: Apache-2.0
/* The tables of a bake: a row a frame, written whole, not anew for every row. */
#include "base/alloc.h"
#include "run/output/metrics.h"
#include <billow/host.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/billow-metrics-XXXXXX", path[64];
static int written, refuse;

static int file_told(const char *name, const struct file_facts *whole, void *user)
{
    (void)user;
    cr_assert_str_eq(name, "m.csv");
    written += whole != NULL;
    return whole ? refuse : 0;
}

static struct run_log words;
static struct bw_diag said;
static struct outputs out = {.folder = folder, .on_file = file_told, .log = &words, .claims = {.log = &words}};

static void begin(void)
{
    log_init(&words, NULL, NULL);
    words.diag = &said;
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/m.csv", folder);
}

static void end(void)
{
    claims_free(&out.claims);
    log_free(&words);
    bw_diag_free(&said);
    unlink(path);
    cr_assert_eq(rmdir(folder), 0, "something else is left in %s", folder);
}

TestSuite(metrics, .init = begin, .fini = end);

static void file_is(const char *text)
{
    char have[400] = "";
    FILE *f = fopen(path, "r");
    cr_assert_not_null(f);
    have[fread(have, 1, sizeof have - 1, f)] = 0;
    fclose(f);
    cr_assert_str_eq(have, text);
}

static struct metrics table(void) { return (struct metrics){.outputs = &out, .file = "m.csv", .heading = "frame"}; }

/* Frame `number` with a value of stage s. */
static void frame(struct metrics *m, const char *number, const char *name, double value)
{
    metrics_frame_begin(m);
    metrics_add(m, "s", name, value, BW_METRIC_SUM);
    metrics_add(m, "s", name, value, BW_METRIC_SUM);
    cr_assert_eq(metrics_frame_end(m, number), BW_OK);
}

Test(metrics, rows_wait_for_each_other)
{
    struct metrics m = table();
    frame(&m, "1", "a", 1);
    file_is("frame,s.a\n1,2\n");
    m.next_time = HUGE_VAL; /* it has just been written */
    frame(&m, "2", "a", 2);
    frame(&m, "3", "b", 0.1);
    file_is("frame,s.a\n1,2\n");
    cr_assert_eq(metrics_settle(&m), BW_OK);
    file_is("frame,s.a,s.b\n1,2\n2,4\n3,,0.2\n");
    cr_assert_eq(metrics_settle(&m), BW_OK);
    cr_assert_eq(written, 2, "what is written needs no writing");
    m.next_time = 0; /* a while later */
    frame(&m, "4", "b", 1);
    file_is("frame,s.a,s.b\n1,2\n2,4\n3,,0.2\n4,,2\n");
    metrics_free(&m);
}

Test(metrics, a_thousand_frames_are_not_a_thousand_files)
{
    struct metrics m = table();
    char number[16];
    frame(&m, "0", "a", 1);
    m.next_time = HUGE_VAL;
    for (int i = 1; i < 1000; i++) {
        snprintf(number, sizeof number, "%d", i);
        frame(&m, number, "a", i);
    }
    cr_assert_eq(metrics_settle(&m), BW_OK);
    cr_assert_eq(written, 2);
    metrics_free(&m);
}

Test(metrics, a_full_disk_leaves_the_old_rows)
{
    struct metrics m = table();
    frame(&m, "1", "a", 1);
    m.next_time = HUGE_VAL;
    frame(&m, "2", "a", 1);
    refuse = ENOSPC;
    cr_assert_eq(metrics_settle(&m), BW_ERR_IO);
    cr_assert(said.first && strstr(said.first, "m.csv") && strstr(said.first, strerror(ENOSPC)));
    file_is("frame,s.a\n1,2\n");
    metrics_free(&m);
}
