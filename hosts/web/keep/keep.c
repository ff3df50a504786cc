// SPDX-License-Identifier: Apache-2.0
#include "keep.h"

#include "place.h"
#include "show/jpeg.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { GOOD = 200, UNABLE = 409 };
static const double LEFT = 20; ///< s: a page that sends no picture for so long has gone

static double clock_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static enum bw_status picture_write(void *pixels, const char *path) { return bw_pixels_write(pixels, path); }
static enum bw_status film_write(void *film, const char *path) { return bw_film_write(film, path); }

/// Beside the files of what is shown.
static struct drawn write_beside(struct shelf *shelf, const struct wish *w, const char *ending,
                                 enum bw_status (*write)(void *user, const char *path), void *user)
{
    char said[PLACE] = "nothing is shown";
    struct source *s = shelf_take(shelf, w->of);
    const int good = s && place_write(s, ending, write, user, said);
    shelf_give(shelf, s);
    return drawn_words(good ? GOOD : UNABLE, said);
}

static struct drawn frame_add(struct keep *k, const struct sent *sent, struct bw_pixels *p)
{
    const int own = !strcmp(k->client, sent->client);
    if (k->film && !own && clock_seconds() - k->last < LEFT) return drawn_words(UNABLE, "another movie is being made");
    if (!own) keep_stop(k);
    enum bw_status status = k->film ? BW_OK : bw_film_open(p->width, p->height, sent->wish->fps, &k->film);
    if (!status) status = bw_film_add(k->film, p);
    snprintf(k->client, sizeof k->client, "%s", sent->client);
    k->last = clock_seconds();
    return status ? drawn_words(UNABLE, bw_error_last()->sentence) : drawn_words(GOOD, "");
}

static struct drawn film_end(struct keep *k, struct shelf *shelf, const struct sent *sent)
{
    if (!k->film || strcmp(k->client, sent->client) != 0) return drawn_words(UNABLE, "no movie is being made");
    struct drawn out = sent->what == KEEP_FILM ? write_beside(shelf, sent->wish, "mp4", film_write, k->film)
                                               : drawn_words(GOOD, "given up");
    keep_stop(k);
    return out;
}

struct drawn keep_make(struct keep *k, struct shelf *shelf, const struct sent *sent)
{
    struct bw_pixels p;
    if (sent->what == KEEP_FILM || sent->what == KEEP_DROP) return film_end(k, shelf, sent);
    if (!sent->jpeg || !jpeg_read(sent->jpeg, sent->size, &p))
        return drawn_words(UNABLE, "what was sent is no picture");
    struct drawn out =
        sent->what == KEEP_FRAME ? frame_add(k, sent, &p) : write_beside(shelf, sent->wish, "png", picture_write, &p);
    free(p.memory);
    return out;
}

void keep_stop(struct keep *k)
{
    if (k->film) bw_film_close(k->film);
    *k = (struct keep){0};
}
