// SPDX-License-Identifier: Apache-2.0
/* A callback that does not return keeps a bake from its end: who is waited for is said after a while, each time after
 * twice as long, and when the user has asked for the end. */
#include "bake.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Seconds, before it is said; before the process ends. Asked twice it does not end at once: who returns within that
 * time, as an exporter does that puts its movie together, leaves its file whole. A third signal kills. */
static const double PATIENCE = 60, ASKED = 1, ASKED_TWICE = 3;

static double clock_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* "unruly has been in step() for 1:00, frame 3, substep 1 (…/unruly.so)" */
static void words_make(const struct bw_where *w, char *text, size_t size)
{
    char seconds[48], substep[32] = "";
    if (w->substep) snprintf(substep, sizeof substep, ", substep %d", w->substep);
    snprintf(text, size, "%s has been in %s%s() for %s, frame %lld%s (%s)", w->id, w->body ? "a body of " : "",
             w->callback, bw_number_words(w->seconds, "s", seconds), (long long)w->frame, substep, w->plugin);
}

static void waiting_tell(const struct progress *p, const struct bw_where *w, const char *why)
{
    char text[1024];
    words_make(w, text, sizeof text);
    if (!p->json && p->live) cli_terminal("\r\033[K");
    if (!p->json) fprintf(stderr, "%s%s\n", why, text);
    event_print(p, "waiting",
                json_pack("{s:s, s:s, s:s, s:I, s:i, s:f, s:s}", "id", w->id, "plugin", w->plugin, "callback",
                          w->callback, "frame", (json_int_t)w->frame, "substep", (int)w->substep, "seconds", w->seconds,
                          "text", text));
}

/* The user has asked `asked` times: first who it is that keeps him waiting, then without that one. */
static void asked_look(struct patience *p, const struct progress *progress, const struct bw_where *w, int asked)
{
    const double now = clock_seconds();
    if (asked != p->asked) p->asked = asked, p->asked_at = now, p->told = 0;
    const double waited = now - p->asked_at;
    if (waited > ASKED && w->seconds > ASKED && !p->told) p->told = 1, waiting_tell(progress, w, "waiting: ");
    if (asked > 1 && waited > ASKED_TWICE && w->seconds > ASKED_TWICE) cli_end_now("billow: ended without it", 130);
}

void patience_look(struct patience *p, const struct progress *progress, struct bw_bake *bake, int asked)
{
    struct bw_where w;
    if (!bw_where_bake(bake, &w) || !w.id) return;
    const double first = p->seconds > 0 ? p->seconds : PATIENCE;
    if (w.seconds < first) p->next = first;
    if (p->next > 0 && w.seconds > p->next) {
        waiting_tell(progress, &w, "");
        p->next = 2 * w.seconds;
    }
    if (asked) asked_look(p, progress, &w, asked);
}
