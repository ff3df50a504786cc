// SPDX-License-Identifier: Apache-2.0
/* Hosts that treat the library roughly: starts that fail, forks, threads that are cancelled, ends in the middle of a
 * bake. What hangs is ended by the alarm.
 *     rough [CASE…]     The last line is "N passed, N failed". */
#define _XOPEN_SOURCE 700 /* nftw, mkdtemp */
#include "host.h"
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A process that leaves main in mid-bake ends its threads and joins none: no leak of this program's. */
__attribute__((visibility("default"))) const char *__tsan_default_options(void);
const char *__tsan_default_options(void) { return "report_thread_leaks=0"; }

static const char *self;

static void nap(void) { usleep(2000); }

/* ---- starts that fail ---- */

static void *wait_main(void *bake) { return (void *)(intptr_t)bw_bake_wait(bake, -1); }
static _Atomic int start_over;
static void *start_main(void *bake)
{
    const intptr_t status = bw_bake_start(bake);
    start_over = 1;
    return (void *)status;
}

/* JSON that takes a while to read. */
static void record_write(const char *path)
{
    FILE *f = fopen(path, "w");
    CHECK(f);
    fputs("{\"a\": [0", f);
    for (int i = 0; i < 2000000; i++) fputs(",0", f);
    fputs("]}", f);
    fclose(f);
}

/* The start reads bake.json; by then another thread waits for the bake. Should it come too late, it does not wait, and
 * the case sees nothing. */
static void case_waited(void)
{
    char out[300], path[400];
    struct bw_bake_options o = options_of_puff();
    snprintf(out, sizeof out, "%s/waited", work);
    o.out = out;
    struct bw_bake *bake = bake_open(&o);
    CHECK(!mkdir(out, 0777));
    snprintf(path, sizeof path, "%s/bake.json", out);
    record_write(path);
    snprintf(path, sizeof path, "%s/bake.journal", out); // in the way: the start fails
    CHECK(!mkdir(path, 0777));
    pthread_t starts, waits;
    void *started, *waited;
    CHECK(!pthread_create(&starts, NULL, start_main, bake));
    while (!start_over && bw_bake_wait(bake, 0) != 1) nap();
    CHECK(!pthread_create(&waits, NULL, wait_main, bake));
    pthread_join(starts, &started);
    pthread_join(waits, &waited);
    CHECK((intptr_t)started == BW_ERR_IO && (intptr_t)waited == BW_ERR_USAGE);
    CHECK(bw_bake_close(bake) == BW_OK);
}

static int entries_of(const char *folder)
{
    DIR *dir = opendir(folder);
    int n = 0;
    while (dir && readdir(dir)) n++;
    if (dir) closedir(dir);
    return n;
}

/* bake.json can't be written, the last thing before the thread: all is given back, and the next start goes well. */
static void case_again(void)
{
    char out[300], path[400];
    struct bw_bake_options o = options_of_puff();
    snprintf(out, sizeof out, "%s/again", work);
    snprintf(path, sizeof path, "%s/.bake.json.part", out);
    o.out = out;
    o.frames = "1-2";
    struct bw_bake *bake = bake_open(&o);
    CHECK(!mkdir(out, 0777) && !mkdir(path, 0777));
    int files = entries_of("/proc/self/fd");
    for (int i = 0; i < 5; i++) CHECK(bw_bake_start(bake) == BW_ERR_IO);
    CHECK(entries_of("/proc/self/fd") == files);
    CHECK(!rmdir(path));
    CHECK(bw_bake_start(bake) == BW_OK && bw_bake_wait(bake, -1) == BW_OK);
    CHECK(bw_bake_close(bake) == BW_OK);
    char *whole = bw_cache_check(out);
    CHECK(whole && strstr(whole, "\"problems\": []"));
    bw_text_free(whole);
}

/* ---- asked while it runs ---- */

static void check_inside(struct bw_bake *bake, void *user) { *(int *)user = bw_bake_check(bake); }

/* Facts are asked for all the time: a race is ThreadSanitizer's to see. */
static void case_asked(void)
{
    char out[300];
    int status = 0;
    struct bw_bake_options o = options_of_puff();
    struct bw_bake_facts f = {.size = sizeof f};
    snprintf(out, sizeof out, "%s/asked", work);
    o.out = out;
    o.frames = "1-2";
    o.user = &status;
    o.on_start = check_inside;
    struct bw_bake *bake = bake_open(&o);
    CHECK(bw_bake_start(bake) == BW_OK);
    int asked = 0;
    while (!asked || f.bytes <= 0) asked += bw_bake_facts(bake, &f) == BW_OK;
    CHECK(bw_bake_wait(bake, -1) == BW_OK && status == BW_ERR_USAGE);
    CHECK(bw_bake_check(bake) == BW_OK && bw_bake_close(bake) == BW_OK);
}

/* ---- many ---- */

enum { MANY = 20000 };

static void case_many(void)
{
    char path[300];
    static struct bw_cache *cache[MANY];
    snprintf(path, sizeof path, "%s/smoke_0001.vdb", work);
    FILE *f = fopen(path, "w");
    CHECK(f && !fclose(f));
    int opened = 0, closed = 0;
    while (opened < MANY && bw_cache_open(session, path, &cache[opened]) == BW_OK) opened++;
    CHECK(opened == MANY);
    for (int i = 0; i < opened; i++) {
        char *text = i % 1000 ? NULL : bw_cache_describe(cache[i], 0);
        if (i % 1000 == 0) CHECK(text);
        bw_text_free(text);
        bw_cache_close(cache[i]);
    }
    for (int i = 0; i < opened; i += 1000) closed += !bw_cache_describe(cache[i], 0);
    CHECK(closed == MANY / 1000 && strstr(bw_error_last()->sentence, "closed"));
}

/* ---- the process ends ---- */

static void first_frame(struct bw_bake *bake, struct bw_snapshot *s, void *user)
{
    (void)bake, (void)s;
    *(_Atomic int *)user = 1;
}

/* A process of its own: returns from main while a bake writes files, and leaves a true list of them. */
static int leave(const char *out)
{
    static _Atomic int begun;
    struct bw_bake_options o = options_of_puff();
    struct bw_bake *bake;
    o.out = out;
    o.frames = "1-100000";
    o.on_frame = first_frame;
    o.user = (void *)&begun;
    if (bw_session_open(NULL, &session) || bw_bake_open(session, &o, &bake) || bw_bake_start(bake)) return 3;
    while (!begun) nap();
    return 0;
}

static void case_leave(void)
{
    char out[300];
    int status = 1;
    for (int i = 0; i < 3; i++) {
        snprintf(out, sizeof out, "%s/leave%d", work, i);
        pid_t child = fork();
        if (!child) execl(self, self, "--leave", out, (char *)NULL), _exit(4);
        CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
        snprintf(out, sizeof out, "%s/leave%d/bake.log", work, i); // takes its name when the bake is over
        CHECK(!access(out, F_OK));
    }
}

/* ---- a fork ---- */

/* In the child: neither a bake that is open nor one that runs answers anything but a sentence. */
static int forked_look(struct bw_bake *const bake[2])
{
    struct bw_bake_facts f = {.size = sizeof f};
    int good = 0;
    for (int i = 0; i < 2; i++) {
        good += bw_bake_start(bake[i]) == BW_ERR_USAGE && bw_bake_cancel(bake[i]) == BW_ERR_USAGE;
        good += bw_bake_wait(bake[i], -1) == BW_ERR_USAGE && strstr(bw_error_last()->sentence, "fork");
        good += bw_bake_close(bake[i]) == BW_ERR_USAGE;
        good += bw_bake_facts(bake[i], &f) == BW_ERR_USAGE && bw_bake_check(bake[i]) == BW_ERR_USAGE;
    }
    return good;
}

static void case_fork(void)
{
    static _Atomic int begun;
    struct bw_bake_options o = options_of_puff();
    int status = 0;
    o.frames = "1-100000";
    o.on_frame = first_frame;
    o.user = (void *)&begun;
    struct bw_bake *bake[2] = {bake_open(&o), bake_open(&o)};
    CHECK(bw_bake_start(bake[1]) == BW_OK);
    while (!begun) nap();
    pid_t child = fork();
    if (!child) {
        alarm(20);
        _exit(forked_look(bake));
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 8);
    CHECK(bw_bake_close(bake[0]) == BW_OK);
    CHECK(bw_bake_cancel(bake[1]) == BW_OK && bw_bake_wait(bake[1], -1) == BW_ERR_CANCELLED);
    CHECK(bw_bake_close(bake[1]) == BW_OK);
}

/* A thread that waits is cancelled: it goes when it has waited, and leaves no lock behind. */
static void case_cancelled(void)
{
    static _Atomic int begun;
    struct bw_bake_options o = options_of_puff();
    struct bw_bake_facts f = {.size = sizeof f};
    pthread_t waits;
    void *answer;
    o.frames = "1-100000";
    o.on_frame = first_frame;
    o.user = (void *)&begun;
    struct bw_bake *bake = bake_open(&o);
    CHECK(bw_bake_start(bake) == BW_OK);
    while (!begun) nap();
    CHECK(!pthread_create(&waits, NULL, wait_main, bake));
    for (int i = 0; i < 25; i++) nap(); // should it come too late, it is cancelled before, and the case sees nothing
    CHECK(!pthread_cancel(waits));
    for (int i = 0; i < 5; i++) nap();
    CHECK(bw_bake_facts(bake, &f) == BW_OK && bw_bake_cancel(bake) == BW_OK);
    CHECK(!pthread_join(waits, &answer));
    CHECK(bw_bake_wait(bake, -1) == BW_ERR_CANCELLED && bw_bake_close(bake) == BW_OK);
}

/* ---- what is told ---- */

/* Functions that answer nothing leave the last error alone, as what comes before the print in a host's clean-up. */
static void case_errors(void)
{
    struct bw_session *second;
    struct bw_cache *cache;
    CHECK(bw_session_open(NULL, &second) == BW_OK);
    CHECK(bw_cache_open(session, "nowhere", &cache) == BW_ERR_IO);
    const char *sentence = bw_error_last()->sentence;
    bw_session_close(second);
    bw_session_close(second);
    bw_snapshot_close((struct bw_snapshot *)second);
    bw_cache_close((struct bw_cache *)second);
    CHECK(bw_error_last()->status == BW_ERR_IO && bw_error_last()->sentence == sentence && strstr(sentence, "nowhere"));
}

/* A size that cuts a pointer in half, or a struct short, is refused before anything is read. */
static void case_sizes(void)
{
    struct bw_bake_options o = options_of_puff();
    struct bw_bake_facts f = {.size = sizeof f};
    struct bw_bake *bake, *good = bake_open(&o);
    const uint32_t wrong[] = {0, 3, 4, 8, 12, 64, sizeof o - 1, sizeof o - 8, sizeof o + 1, 1u << 20};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        o.size = wrong[i];
        CHECK(bw_bake_open(session, &o, &bake) == BW_ERR_USAGE && strstr(bw_error_last()->sentence, "size"));
    }
    f.size = 12;
    CHECK(bw_bake_facts(good, &f) == BW_ERR_USAGE && !f.path);
    struct {
        struct bw_bake_options o;
        void *more[4];
    } newer = {.o = options_of_puff()};
    newer.o.size = sizeof newer;
    CHECK(bw_bake_open(session, &newer.o, &bake) == BW_OK && bw_bake_close(bake) == BW_OK);
    CHECK(bw_bake_close(good) == BW_OK);
}

/* ---- which ---- */

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {{"waited", case_waited},       {"again", case_again},   {"asked", case_asked},
             {"many", case_many},           {"leave", case_leave},   {"fork", case_fork},
             {"cancelled", case_cancelled}, {"errors", case_errors}, {"sizes", case_sizes}};

int main(int argc, char **argv)
{
    char folder[] = "/tmp/billow-rough-XXXXXX";
    self = argv[0];
    alarm(100);
    if (argc == 3 && !strcmp(argv[1], "--leave")) return leave(argv[2]);
    if (!(work = mkdtemp(folder))) return 2;
    CHECK(bw_session_open(NULL, &session) == BW_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (is_wanted(cases[i].name, argc, argv)) cases[i].run();
    bw_session_close(session);
    nftw(work, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    printf("%d passed, %d failed\n", passed, failed);
    return failed || !passed;
}
