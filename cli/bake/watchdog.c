// SPDX-License-Identifier: Apache-2.0
/* Watchdog for plugins that stall. A callback that does not return is reported after a while (--patience), again each
 * time its duration has doubled, and when the user requests the end. */
#include "bake.h"

#include <stdlib.h>
#include <string.h>

/* s. After a second request the process still waits EXIT_AFTER for the callback, so that an exporter can finish its
 * file. A third signal kills. */
static const double STALLED = 60, REPORT_AFTER = 1, EXIT_AFTER = 3;

/* "unruly has been in step() for 1:00, frame 3, substep 1 (…/unruly.so)" */
static void message_format(const struct bw_where *w, char *text, size_t size)
{
    char seconds[48], substep[32] = "";
    if (w->substep) snprintf(substep, sizeof substep, ", substep %d", w->substep);
    snprintf(text, size, "%s has been in %s%s() for %s, frame %lld%s (%s)", w->id, w->body ? "a body of " : "",
             w->callback, bw_number_words(w->seconds, "s", seconds), (long long)w->frame, substep, w->plugin);
}

static void waiting_report(const struct progress *p, const struct bw_where *w, const char *why)
{
    char text[1024];
    message_format(w, text, sizeof text);
    if (!p->json && p->live) cli_terminal("\r\033[K");
    if (!p->json) fprintf(stderr, "%s%s\n", why, text);
    event_print(p, "waiting",
                json_pack("{s:s, s:s, s:s, s:I, s:i, s:f, s:s}", "id", w->id, "plugin", w->plugin, "callback",
                          w->callback, "frame", (json_int_t)w->frame, "substep", (int)w->substep, "seconds", w->seconds,
                          "text", text));
}

/* The user has requested the end: first report the callback that delays it, after the second request exit without it.
 * */
static void stop_requests_poll(struct watchdog *p, const struct progress *progress, const struct bw_where *w,
                               int requests)
{
    const double now = cli_clock_seconds();
    if (requests != p->requests) p->requests = requests, p->requested_at = now, p->reported = 0;
    const double waited = now - p->requested_at;
    if (waited > REPORT_AFTER && w->seconds > REPORT_AFTER && !p->reported)
        p->reported = 1, waiting_report(progress, w, "waiting: ");
    if (requests > 1 && waited > EXIT_AFTER && w->seconds > EXIT_AFTER) cli_end_now("billow: ended without it", 130);
}

void watchdog_poll(struct watchdog *p, const struct progress *progress, struct bw_bake *bake, int requests)
{
    struct bw_where w;
    if (!bw_where_bake(bake, &w) || !w.id) return;
    const double first = p->seconds > 0 ? p->seconds : STALLED;
    if (w.seconds < first) p->next = first;
    if (p->next > 0 && w.seconds > p->next) {
        waiting_report(progress, &w, "");
        p->next = 2 * w.seconds;
    }
    if (requests) stop_requests_poll(p, progress, &w, requests);
}
