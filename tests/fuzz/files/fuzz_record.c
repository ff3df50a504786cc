// SPDX-License-Identifier: Apache-2.0
/* bake.json and bake.journal of any bytes, 0xff between them: read, file_pair, verified, carried into a journal of the
 * next bake, cleared. Nothing outside the folder may go, nor what a link in it leads to. */
#include "fuzz.h"
#include "record/record.h"

#include "base/alloc.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char place[64], out[80]; // in memory where it can be: every line of a journal is flushed to the disk

static void file_write(const char *folder, const char *name, const void *bytes, size_t n)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0 || write(fd, bytes, n) != (ssize_t)n) abort();
    close(fd);
}

static bool is_there(const char *name)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", place, name);
    return !access(path, F_OK);
}

static void place_remove(void)
{
    static const char *const name[] = {"out/bake.json", "out/bake.journal", "out/vdb/a.vdb", "out/vdb",
                                       "out/a.mp4",     "out/link",         "out",           "a.vdb"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        char path[160];
        snprintf(path, sizeof path, "%s/%s", place, name[i]);
        remove(path);
    }
    remove(place);
}

/* A folder with a bake in it, a link that leads out of it, and a file outside that is nobody's. */
static void place_make(void)
{
    char path[160];
    snprintf(place, sizeof place, "%s/fuzz-record-XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    if (!mkdtemp(place)) abort();
    snprintf(out, sizeof out, "%s/out", place);
    snprintf(path, sizeof path, "%s/vdb", out);
    if (mkdir(out, 0777) || mkdir(path, 0777)) abort();
    snprintf(path, sizeof path, "%s/link", out);
    if (symlink("..", path)) abort();
    file_write(place, "a.vdb", "mine", 4);
    atexit(place_remove);
}

static void bake_put(const uint8_t *bytes, size_t n)
{
    const uint8_t *end = n ? memchr(bytes, 0xff, n) : NULL;
    const size_t json = end ? (size_t)(end - bytes) : n;
    if (!is_there("out/vdb/a.vdb")) file_write(out, "vdb/a.vdb", "frame", 5);
    if (!is_there("out/a.mp4")) file_write(out, "a.mp4", "", 0);
    file_write(out, "bake.json", bytes, json);
    file_write(out, "bake.journal", end ? end + 1 : bytes, end ? n - json - 1 : 0);
}

static void record_use(const struct bake_record *r, FILE *words)
{
    const struct bake_facts f = {
        .out = out, .name = "a", .hash = "0123456789abcdef", .simd = "avx2", .build = "1", .first = 1, .last = 3};
    int32_t left;
    json_t *bad = record_verify(r, out, true);
    char *fault = json_array_size(bad) ? faults_message(bad) : NULL;
    char *movie = record_output(r, out, "movie");
    bw_free(fault);
    bw_free(movie);
    json_decref(bad);
    record_up_to_date(r, &f);
    record_has_more_frames(r, &f);
    record_has_frames(r, &f);
    record_bytes(r, out);
    if (record_count_whole(r, out, &left) < 0) abort();
    record_explain(r, &f, NULL, words);
}

/* The next bake's journal has to list what this one lists as whole. */
static void record_carry(const struct bake_record *r)
{
    struct bw_diag d = {0};
    struct bake_journal j;
    const char *name;
    json_t *file;
    if (!journal_begin(&j, out, r->files, &d)) {
        if (!d.first) abort();
        bw_diag_free(&d);
        return;
    }
    json_t *again = journal_read(out);
    json_object_foreach (r->files, name, file) {
        const json_t *now = json_object_get(again, name);
        const struct file_facts f = file_entry_facts(file), g = file_entry_facts(now);
        const bool same = file_entry_is_whole(now) && f.bytes == g.bytes && (f.bytes < 0 || f.xxh3 == g.xxh3);
        if (file_entry_is_whole(file) && !same) abort();
    }
    json_decref(again);
    journal_end(&j);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static FILE *words;
    struct bw_diag d = {0};
    if (!words) {
        place_make();
        words = fopen("/dev/null", "w");
    }
    bake_put(bytes, n);
    struct bake_record r = record_read(out);
    record_use(&r, words);
    record_carry(&r);
    record_remove_files(&r, out, NULL, &d);
    record_free(&r);
    bw_diag_free(&d);
    if (!is_there("a.vdb") || bw_alloc_live()) abort();
    return 0;
}
