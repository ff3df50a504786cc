// SPDX-License-Identifier: Apache-2.0
/* The library as a host uses it, through billow/bake.h alone. Plain main, so that ThreadSanitizer sees it.
 *     library [CASE…]     The last line is "N passed, N failed". */
#define _XOPEN_SOURCE 700 /* nftw, mkdtemp */
#include "host.h"
#include <dirent.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- a bake that is watched ---- */

struct watch {
    int frames, progress, logs, starts, cancel_at;
    int64_t last;
    uint64_t hash;
    double most;
    struct bw_snapshot *held;
};

static uint64_t bytes_hash(uint64_t h, const void *bytes, size_t n)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < n; i++) h = (h ^ at[i]) * 0x100000001b3ull;
    return h;
}

/* Every grid's every value in its box. */
static uint64_t snapshot_hash(struct bw_snapshot *s, uint64_t h, double *most)
{
    struct bw_snapshot_facts f = {.size = sizeof f};
    CHECK(bw_snapshot_facts(s, &f) == BW_OK);
    for (uint32_t i = 0; i < f.n_grids; i++) {
        const struct bw_snapshot_grid *g = &f.grids[i];
        struct bw_box box;
        memcpy(box.lo, g->lo, sizeof box.lo);
        memcpy(box.n, g->n, sizeof box.n);
        size_t n = (size_t)g->n[0] * (size_t)g->n[1] * (size_t)g->n[2];
        float *values = malloc(n * sizeof *values + 1);
        h = bytes_hash(h, g->name, strlen(g->name));
        for (uint32_t c = 0; n && c < g->comps; c++) {
            CHECK(bw_snapshot_read(s, i, c, &box, 0, values) == BW_OK);
            h = bytes_hash(h, values, n * sizeof *values);
            for (size_t k = 0; k < n && !strcmp(g->name, "density"); k++) *most = fmax(*most, (double)values[k]);
        }
        free(values);
    }
    return h;
}

static void watch_frame(struct bw_bake *bake, struct bw_snapshot *s, void *user)
{
    struct watch *w = user;
    struct bw_snapshot_facts f = {.size = sizeof f};
    CHECK(bw_snapshot_facts(s, &f) == BW_OK);
    w->last = f.frame;
    w->hash = snapshot_hash(s, w->hash, &w->most);
    if (++w->frames == w->cancel_at) CHECK(bw_bake_cancel(bake) == BW_OK);
}

static void watch_progress(struct bw_bake *bake, const struct bw_bake_progress *p, void *user)
{
    struct watch *w = user;
    (void)bake;
    w->progress += p->frame_done && p->line && strstr(p->line, "frame");
}

static void watch_start(struct bw_bake *bake, void *user)
{
    (void)bake;
    ((struct watch *)user)->starts++;
}

static void watch_attach(struct bw_bake_options *o, struct watch *w)
{
    o->user = w;
    o->on_frame = watch_frame;
    o->on_progress = watch_progress;
    o->on_start = watch_start;
}

static void case_watch(void)
{
    struct watch w = {.cancel_at = 4};
    struct bw_bake_options o = options_of_puff();
    watch_attach(&o, &w);
    struct bw_bake *bake = bake_open(&o);
    struct bw_bake_facts f = {.size = sizeof f};
    CHECK(bw_bake_facts(bake, &f) == BW_OK && !strcmp(f.name, "puff") && f.first == 1 && f.last == 8 && !f.out);
    CHECK(f.memory > 0 && f.memory_allowed > 0 && strlen(f.hash) == 16);
    CHECK(bw_bake_start(bake) == BW_OK);
    CHECK(bw_bake_wait(bake, -1) == BW_ERR_CANCELLED);
    CHECK(bw_bake_wait(bake, 0) == BW_ERR_CANCELLED);
    CHECK(w.frames == 4 && w.last == 4 && w.progress == 4 && w.starts == 1 && w.most > 0.5);
    CHECK(bw_bake_close(bake) == BW_OK);
}

/* ---- files, the second bake, and the cache ---- */

static void output_take(struct bw_bake *bake, const char *what, const char *path, void *user)
{
    (void)bake;
    if (!strcmp(what, "cache")) snprintf(user, 200, "%s", path);
}

static void cache_look(const char *folder)
{
    struct bw_cache *cache;
    struct bw_snapshot *s;
    struct bw_snapshot_facts f = {.size = sizeof f};
    struct bw_pixels picture;
    double most = 0;
    CHECK(bw_cache_open(session, folder, &cache) == BW_OK);
    char *text = bw_cache_describe(cache, 1);
    CHECK(text && strstr(text, "\"flow\": \"vel\"") && strstr(text, "\"last\": 8"));
    bw_text_free(text);
    CHECK(bw_cache_frame(cache, 99, &s) == BW_ERR_USAGE && !s);
    CHECK(bw_cache_frame(cache, 8, &s) == BW_OK);
    CHECK(bw_snapshot_facts(s, &f) == BW_OK && f.frame == 8 && f.n_grids == 2 && f.fps == 24);
    snapshot_hash(s, 0, &most);
    CHECK(most > 0.5);
    bw_cache_close(cache); // the snapshot still stands on it
    CHECK(bw_snapshot_picture(s, "view: slice, size: 64", 0, &picture) == BW_OK);
    CHECK(picture.width > 8 && picture.height == 64 && picture.channels == 3 && picture.memory);
    bw_pixels_free(&picture);
    bw_snapshot_close(s);
}

static void case_files(void)
{
    char out[300], cache[200] = "", text[400];
    struct bw_bake_options o = options_of_puff();
    snprintf(out, sizeof out, "%s/puff", work);
    o.out = out;
    o.user = cache;
    o.on_output = output_take;
    struct bw_bake *bake = bake_open(&o);
    CHECK(bw_bake_check(bake) == BW_OK);
    CHECK(bw_bake_start(bake) == BW_OK && bw_bake_wait(bake, -1) == BW_OK);
    struct bw_bake_facts f = {.size = sizeof f};
    CHECK(bw_bake_facts(bake, &f) == BW_OK && f.bytes > 0 && !f.up_to_date);
    bw_bake_close(bake);
    CHECK(strstr(cache, "puff_0001.vdb"));
    char *whole = bw_cache_check(out);
    CHECK(whole && strstr(whole, "\"problems\": []"));
    bw_text_free(whole);
    cache_look(out);
    *cache = '\0'; // the same again has nothing to do, and tells where things are
    bake = bake_open(&o);
    CHECK(bw_bake_start(bake) == BW_OK && bw_bake_wait(bake, -1) == BW_OK);
    CHECK(bw_bake_facts(bake, &f) == BW_OK && f.up_to_date && strstr(cache, "puff_0001.vdb"));
    bw_bake_close(bake);
    o.seed = "8"; // another one is refused
    bake = bake_open(&o);
    CHECK(bw_bake_start(bake) == BW_ERR_USAGE && strstr(bw_error_last()->sentence, "holds a different bake"));
    char *all = bw_bake_describe(bake);
    CHECK(all && strstr(all, "time.seed: 7 → 8"));
    bw_text_free(all);
    bw_bake_close(bake);
    snprintf(text, sizeof text, "%s_v002", out);
    o.mode = BW_BAKE_BESIDE;
    bake = bake_open(&o);
    CHECK(bw_bake_facts(bake, &f) == BW_OK && !strcmp(f.out, text));
    bw_bake_close(bake);
}

/* Two of one process in one folder are told as two processes are. */
static void start_together(struct bw_bake *bake, void *user)
{
    struct bw_bake_options o = options_of_puff();
    (void)bake;
    o.out = user;
    o.mode = BW_BAKE_REPLACE;
    struct bw_bake *second = bake_open(&o);
    CHECK(bw_bake_start(second) == BW_ERR_USAGE && strstr(bw_error_last()->sentence, "another bake is writing into"));
    CHECK(bw_bake_close(second) == BW_OK);
}

static void case_folder(void)
{
    char out[300];
    struct bw_bake_options o = options_of_puff();
    snprintf(out, sizeof out, "%s/shared", work);
    o.out = out;
    o.user = out;
    o.frames = "1-2";
    o.on_start = start_together;
    struct bw_bake *bake = bake_open(&o);
    CHECK(bw_bake_start(bake) == BW_OK && bw_bake_wait(bake, -1) == BW_OK);
    CHECK(bw_bake_close(bake) == BW_OK);
    char *whole = bw_cache_check(out);
    CHECK(whole && strstr(whole, "\"problems\": []"));
    bw_text_free(whole);
}

/* ---- two at once ---- */

static uint64_t hash_alone(const char *seed, uint32_t threads)
{
    struct watch w = {0};
    struct bw_bake_options o = options_of_puff();
    char wind[80];
    watch_attach(&o, &w);
    o.threads = threads;
    snprintf(wind, sizeof wind, "stages.mac.forces.buoyancy=%s", seed);
    const char *set[] = {wind};
    o.set = set;
    o.n_set = 1;
    struct bw_bake *bake = bake_open(&o);
    CHECK(bw_bake_start(bake) == BW_OK && bw_bake_wait(bake, -1) == BW_OK && w.frames == 8);
    bw_bake_close(bake);
    return w.hash;
}

static void *alone_main(void *user)
{
    *(uint64_t *)user = hash_alone("2", 2);
    return NULL;
}

static void case_two(void)
{
    uint64_t one = hash_alone("1", 2), two = hash_alone("2", 2), both[2] = {0, 0};
    pthread_t thread;
    CHECK(one != two);
    CHECK(!pthread_create(&thread, NULL, alone_main, &both[1]));
    both[0] = hash_alone("1", 1);
    pthread_join(thread, NULL);
    CHECK(both[0] == one);
    CHECK(both[1] == two);
}

/* A limit of one bake is none of the other's. */
static void case_limits(void)
{
    struct watch w[2] = {{0}, {0}};
    struct bw_bake_options o = options_of_puff();
    watch_attach(&o, &w[0]);
    struct bw_bake *large = bake_open(&o);
    o.user = &w[1];
    const char *set[] = {"domain.voxel=5 mm"};
    o.set = set;
    o.n_set = 1;
    o.memory = "4M"; // two chunks of 2 MiB
    struct bw_bake *small = bake_open(&o);
    CHECK(bw_bake_start(large) == BW_OK && bw_bake_start(small) == BW_OK);
    CHECK(bw_bake_wait(small, -1) == BW_ERR_LIMIT && strstr(bw_error_last()->sentence, "memory limit"));
    CHECK(bw_bake_wait(large, -1) == BW_OK && w[0].frames == 8);
    bw_bake_close(small);
    bw_bake_close(large);
}

/* ---- a hundred ---- */

static long resident_kib(void)
{
    long pages = 0, own = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%ld %ld", &pages, &own) != 2) own = -1;
    if (f) fclose(f);
    return own * (sysconf(_SC_PAGESIZE) / 1024);
}

static int entries_of(const char *folder)
{
    DIR *dir = opendir(folder);
    int n = 0;
    while (dir && readdir(dir)) n++;
    if (dir) closedir(dir);
    return n;
}

static void small_bake(int with_files)
{
    struct watch w = {.cancel_at = 2};
    struct bw_bake_options o = options_of_puff();
    char out[300];
    snprintf(out, sizeof out, "%s/many", work);
    watch_attach(&o, &w);
    o.mode = BW_BAKE_REPLACE;
    if (with_files) o.out = out;
    struct bw_bake *bake = bake_open(&o);
    CHECK(bw_bake_start(bake) == BW_OK && bw_bake_wait(bake, -1) == BW_ERR_CANCELLED);
    CHECK(bw_bake_close(bake) == BW_OK);
}

/* Sanitizers keep what was freed, and are slow: they watch fewer bakes, and not their memory. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { BAKES = 30, MEMORY_IS_WATCHED = 0 };
#else
enum { BAKES = 100, MEMORY_IS_WATCHED = 1 };
#endif

static void case_hundred(void)
{
    for (int i = 0; i < 10; i++) small_bake(i % 5 == 0);
    long memory = resident_kib();
    int files = entries_of("/proc/self/fd"), threads = entries_of("/proc/self/task");
    for (int i = 10; i < BAKES; i++) small_bake(i % 5 == 0);
    long grown = resident_kib() - memory;
    printf("%d bakes: %ld KiB after 10, %+ld KiB at the end\n", BAKES, memory, grown);
    CHECK(!MEMORY_IS_WATCHED || grown < memory / 10);
    CHECK(entries_of("/proc/self/fd") == files);
    CHECK(entries_of("/proc/self/task") < threads + 20); // OpenVDB's own come when they are wanted, and stay
}

/* ---- snapshots ---- */

static void hold_frame(struct bw_bake *bake, struct bw_snapshot *s, void *user)
{
    struct watch *w = user;
    (void)bake;
    if (++w->frames == 3) {
        CHECK(bw_snapshot_hold(s) == BW_OK);
        w->held = s;
        w->hash = snapshot_hash(s, 0, &w->most);
    }
}

static void case_snapshots(void)
{
    struct watch w = {0};
    struct bw_bake_options o = options_of_puff();
    struct bw_pixels picture;
    double most = 0;
    o.on_frame = hold_frame;
    o.user = &w;
    struct bw_bake *bake = bake_open(&o);
    CHECK(bw_bake_start(bake) == BW_OK && bw_bake_wait(bake, -1) == BW_OK);
    CHECK(bw_bake_close(bake) == BW_OK); // the snapshot outlives it
    CHECK(w.held && snapshot_hash(w.held, 0, &most) == w.hash);
    CHECK(bw_snapshot_picture(w.held, NULL, 0, &picture) == BW_OK && picture.height > 100);
    bw_pixels_free(&picture);
    CHECK(bw_snapshot_picture(w.held, "view: render, size: 64", BW_PIXELS_ALPHA, &picture) == BW_OK);
    CHECK(picture.channels == 4 && picture.is_float && picture.height == 64);
    double seen = 0;
    for (int32_t i = 0; i < picture.width * picture.height; i++) seen += (double)((float *)picture.memory)[4 * i + 3];
    CHECK(seen > 1);
    bw_pixels_free(&picture);
    CHECK(bw_snapshot_picture(w.held, "veiw: render", 0, &picture) == BW_ERR_PRESET && !picture.memory);
    CHECK(strstr(bw_error_last()->sentence, "did you mean \"view\""));
    bw_snapshot_close(w.held);
    CHECK(bw_snapshot_hold(w.held) == BW_ERR_USAGE);
}

/* ---- the host's own things ---- */

static void modes_frame(struct bw_bake *bake, struct bw_snapshot *s, void *user)
{
    volatile double tiny = 1e-310;
    char text[32];
    (void)bake;
    (void)s;
    snprintf(text, sizeof text, "%.1f", 0.5);
    if (tiny * 1.0 != 0) ++*(int *)user; // denormals are numbers, here too
}

static void case_host(void)
{
    volatile double tiny = 1e-310;
    int denormals = 0;
    struct bw_bake_options o = options_of_puff();
    o.on_frame = modes_frame;
    o.user = &denormals;
    const char *had = setlocale(LC_ALL, "de_DE.UTF-8"); // where it is installed, commas are decimal points
    struct bw_bake *bake = bake_open(&o);
    CHECK(tiny * 1.0 != 0);
    CHECK(bw_bake_start(bake) == BW_OK && bw_bake_wait(bake, -1) == BW_OK && denormals == 8);
    CHECK(tiny * 1.0 != 0);
    bw_bake_close(bake);
    if (had) CHECK(atof("0,5") == 0.5);
    setlocale(LC_ALL, "C");
}

/* ---- which ---- */

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {{"watch", case_watch},   {"files", case_files}, {"folder", case_folder},       {"two", case_two},
             {"limits", case_limits}, {"host", case_host},   {"snapshots", case_snapshots}, {"hundred", case_hundred}};

int main(int argc, char **argv)
{
    char folder[] = "/tmp/billow-library-XXXXXX";
    if (!(work = mkdtemp(folder))) return 2;
    CHECK(bw_session_open(NULL, &session) == BW_OK && !*bw_error_last()->text);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (is_wanted(cases[i].name, argc, argv)) cases[i].run();
    bw_session_close(session);
    nftw(work, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    printf("%d passed, %d failed\n", passed, failed);
    return failed || !passed;
}
