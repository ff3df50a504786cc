// SPDX-License-Identifier: Apache-2.0
#include "keep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { GOOD = 200, UNABLE = 409, FRAMES_MOST = 5000, NICE = 12, RANGE_HEIGHT = 32 };

/* ---- a picture ---- */

static enum bw_status picture_write(void *pixels, const char *path) { return bw_pixels_write(pixels, path); }

struct drawn keep_picture(struct views *v, struct shelf *shelf, const struct wish *w)
{
    struct source *s = shelf_take(shelf, w->of);
    struct bw_pixels pixels = {0};
    struct drawn told = {0};
    char said[PLACE] = "nothing is shown";
    int good = 0;
    if (s && draw_pixels(v, s, w, &pixels, &told)) snprintf(said, sizeof said, "%s", bw_error_last()->sentence);
    else if (s) good = place_write(s, "png", picture_write, &pixels, said);
    bw_pixels_free(&pixels);
    shelf_give(shelf, s);
    return drawn_words(good ? GOOD : UNABLE, said);
}

/* ---- what a movie is asked to be ---- */

static const char *wish_of_json(const char *key, void *asked)
{
    return json_string_value(json_object_get(json_object_get(asked, "wish"), key));
}

static int frame_of_json(const json_t *asked, size_t i, struct wish *w)
{
    const json_t *frame = json_array_get(json_object_get(asked, "frames"), i), *eyes = json_object_get(asked, "eyes");
    const json_t *eye = json_array_get(eyes, i);
    double *const to[] = {w->eye.at, w->eye.target, w->eye.up};
    w->frame = json_integer_value(frame);
    w->has_eye = json_is_array(eyes);
    for (size_t k = 0; w->has_eye && k < 9; k++) to[k / 3][k % 3] = json_number_value(json_array_get(eye, k));
    if (w->has_eye) w->eye.angle = json_number_value(json_array_get(eye, 9));
    return json_is_integer(frame) && (!w->has_eye || json_array_size(eye) == 10);
}

/// NULL: it can be made.
static const char *asked_wrong(json_t *asked)
{
    const size_t n = json_array_size(json_object_get(asked, "frames"));
    const double fps = json_number_value(json_object_get(asked, "fps"));
    struct wish w;
    const char *wrong = wish_read(&w, wish_of_json, asked);
    if (wrong) return wrong;
    if (n < 1 || n > FRAMES_MOST) return "a movie has one frame at least, and 5000 at most";
    if (!(fps > 0 && fps <= 1000)) return "the frame rate is none";
    if (!w.slice && (w.width % 2 || w.height % 2)) return "a movie's sides are even";
    for (size_t i = 0; i < n; i++)
        if (!frame_of_json(asked, i, &w)) return "a frame or its camera is none";
    return NULL;
}

/* ---- making it ---- */

static int is_stopped(struct keep *k)
{
    pthread_mutex_lock(&k->lock);
    const int stop = k->stop;
    pthread_mutex_unlock(&k->lock);
    return stop;
}

static void done_tell(struct keep *k, int32_t done)
{
    pthread_mutex_lock(&k->lock);
    k->done = done;
    pthread_mutex_unlock(&k->lock);
}

/// Colours of slices by themselves would flicker: one range for all frames, from small pictures of each.
static enum bw_status range_find(struct keep *k, struct source *s, const struct wish *w, size_t n)
{
    double range[2] = {HUGE_VAL, -HUGE_VAL};
    struct wish small = *w;
    if (!w->slice || wish_has_range(w)) return BW_OK;
    wish_height(&small, RANGE_HEIGHT);
    for (size_t i = 0; i < n && !is_stopped(k); i++) {
        struct bw_pixels p = {0};
        struct drawn told = {0};
        frame_of_json(k->asked, i, &small);
        small.marks = 0;
        const enum bw_status status = draw_pixels(k->views, s, &small, &p, &told);
        if (status) return status;
        range[0] = fmin(range[0], p.range[0]);
        range[1] = fmax(range[1], p.range[1]);
        bw_pixels_free(&p);
    }
    if (range[0] < range[1]) wish_range((struct wish *)w, range);
    return BW_OK;
}

static enum bw_status frame_make(struct keep *k, struct source *s, const struct wish *w, struct bw_film **film)
{
    struct bw_pixels p = {0};
    struct drawn told = {0};
    enum bw_status status = draw_pixels(k->views, s, w, &p, &told);
    const double fps = json_number_value(json_object_get(k->asked, "fps"));
    if (!status && !*film) status = bw_film_open(p.width, p.height, fps, film);
    if (!status) status = bw_film_add(*film, &p);
    bw_pixels_free(&p);
    return status;
}

static enum bw_status film_write(void *film, const char *path) { return bw_film_write(film, path); }

/// 1: it is written. `said`: its path, or why not.
static int movie_make(struct keep *k, struct source *s, char said[PLACE])
{
    struct wish w;
    struct bw_film *film = NULL;
    const size_t n = json_array_size(json_object_get(k->asked, "frames"));
    int good = 0;
    wish_read(&w, wish_of_json, k->asked);
    w.coarse = 0;
    w.rest = 2; // it drives out nobody's open frames
    enum bw_status status = range_find(k, s, &w, n);
    for (size_t i = 0; i < n && !status && !is_stopped(k); i++) {
        frame_of_json(k->asked, i, &w);
        status = frame_make(k, s, &w, &film);
        if (!status) done_tell(k, (int32_t)i + 1);
    }
    if (status) snprintf(said, PLACE, "%s", bw_error_last()->sentence);
    else if (is_stopped(k)) snprintf(said, PLACE, "given up");
    else good = place_write(s, "mp4", film_write, film, said);
    if (film) bw_film_close(film);
    return good;
}

static void *movie_run(void *keep)
{
    struct keep *k = keep;
    char said[PLACE] = "what is to be seen is not there any more";
    setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), NICE);
    struct source *s = shelf_take(k->shelf, (int32_t)json_integer_value(json_object_get(k->asked, "of")));
    const int good = s && movie_make(k, s, said);
    shelf_give(k->shelf, s);
    pthread_mutex_lock(&k->lock);
    memcpy(k->said, said, sizeof said);
    k->failed = !good;
    k->running = 0;
    pthread_mutex_unlock(&k->lock);
    return NULL;
}

const char *keep_movie(struct keep *k, const char *json)
{
    json_t *asked = json_loads(json, 0, NULL);
    const char *wrong = asked ? asked_wrong(asked) : "what is asked for is no JSON";
    pthread_mutex_lock(&k->lock);
    if (!wrong && k->running) wrong = "another movie is being made";
    if (!wrong && k->has_thread) pthread_join(k->thread, NULL); // it has ended
    if (!wrong) {
        json_decref(k->asked);
        k->asked = asked;
        k->done = k->stop = k->failed = 0;
        *k->said = '\0';
        k->total = (int32_t)json_array_size(json_object_get(asked, "frames"));
        k->running = k->has_thread = !pthread_create(&k->thread, NULL, movie_run, k);
        if (!k->running) wrong = "out of memory for a movie";
    } else {
        json_decref(asked);
    }
    pthread_mutex_unlock(&k->lock);
    return wrong;
}

/* ---- the rest ---- */

json_t *keep_state(struct keep *k)
{
    pthread_mutex_lock(&k->lock);
    json_t *o = json_pack("{s:b, s:b, s:i, s:i, s:s}", "running", k->running, "failed", k->failed, "done", (int)k->done,
                          "total", (int)k->total, "said", k->said);
    pthread_mutex_unlock(&k->lock);
    return o;
}

void keep_cancel(struct keep *k)
{
    pthread_mutex_lock(&k->lock);
    k->stop = 1;
    pthread_mutex_unlock(&k->lock);
}

void keep_init(struct keep *k, struct shelf *shelf, struct views *views)
{
    *k = (struct keep){.shelf = shelf, .views = views};
    pthread_mutex_init(&k->lock, NULL);
}

void keep_stop(struct keep *k)
{
    keep_cancel(k);
    pthread_mutex_lock(&k->lock);
    const int join = k->has_thread;
    k->has_thread = 0;
    k->running |= join; // no other begins
    pthread_mutex_unlock(&k->lock);
    if (join) pthread_join(k->thread, NULL);
    json_decref(k->asked);
    pthread_mutex_destroy(&k->lock);
}
