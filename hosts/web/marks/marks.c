// SPDX-License-Identifier: Apache-2.0
#include "marks.h"

#include "particles.h"
#include "shapes.h"
#include <stdio.h>
#include <string.h>

int32_t marks_of(const char *letters)
{
    static const char known[] = "podt";
    int32_t out = 0;
    for (; letters && *letters; letters++) {
        const char *at = strchr(known, *letters);
        if (!at) return -1;
        out |= 1 << (at - known);
    }
    return out;
}

static uint32_t points_count(struct bw_snapshot *snapshot)
{
    struct bw_snapshot_facts f = {.size = sizeof f};
    return snapshot && !bw_snapshot_facts(snapshot, &f) ? f.n_points : 0;
}

/// Of a frame that a bake has just made its own, else its files'.
static struct bw_snapshot *points_take(struct source *s, int64_t frame, struct bw_snapshot *snapshot)
{
    struct bw_snapshot *files = NULL;
    if (points_count(snapshot) && !bw_snapshot_hold(snapshot)) return snapshot;
    return source_points(s, frame, &files) ? NULL : files;
}

void marks_take(struct marks *m, struct source *s, int64_t frame, int32_t wanted)
{
    const int32_t todo = wanted & ~m->had;
    struct bw_snapshot *snapshot = NULL;
    m->had |= todo;
    if (todo & (MARK_OUTLINES | MARK_DOMAIN) && !m->outlines) {
        char *text = source_outlines(s, frame);
        m->outlines = text ? json_loads(text, 0, NULL) : NULL;
        bw_text_free(text);
    }
    if (!(todo & (MARK_PARTICLES | MARK_TILES | MARK_OUTLINES))) return;
    if (source_snapshot(s, frame, &snapshot)) return;
    if (todo & (MARK_PARTICLES | MARK_OUTLINES) && !m->points) m->points = points_take(s, frame, snapshot);
    if (todo & MARK_TILES) tiles_take(&m->tiles, snapshot);
    bw_snapshot_close(snapshot);
}

void marks_free(struct marks *m)
{
    if (m->points) bw_snapshot_close(m->points);
    json_decref(m->outlines);
    tiles_free(&m->tiles);
    *m = (struct marks){0};
}

static void say(char said[200], long long n, const char *what)
{
    const size_t length = strlen(said);
    snprintf(said + length, 200 - length, "%s%lld %s%s", length ? ", " : "", n, what, n == 1 ? "" : "s");
}

/// `bodies` 1: rigid bodies alone, which are outlines; else all others.
static void points_draw(const struct marks *m, const struct paint *p, double metre, int bodies, char said[200])
{
    struct bw_snapshot_facts f = {.size = sizeof f};
    int n = 0;
    if (!m->points || bw_snapshot_facts(m->points, &f)) f.n_points = 0;
    for (uint32_t i = 0; i < f.n_points; i++) {
        const struct bw_snapshot_points *q = &f.points[i];
        char name[64];
        if (bodies != !strcmp(q->name, "bodies")) continue;
        n++;
        if (bodies) {
            bodies_draw(p, q, metre);
            continue;
        }
        particles_draw(p, q, metre);
        const size_t length = strlen(q->name); // names are plural already
        snprintf(name, sizeof name, "%.*s", (int)(length && q->name[length - 1] == 's' ? length - 1 : length), q->name);
        say(said, q->count, name);
    }
    if (!n && !bodies) snprintf(said, 200, "no particles in this frame's files");
}

void marks_draw(const struct marks *m, const struct paint *p, const struct bw_view_facts *f, int32_t wanted,
                char said[200])
{
    *said = '\0';
    if (wanted & MARK_PARTICLES) points_draw(m, p, f->metre, 0, said);
    if (wanted & MARK_TILES) say(said, tiles_draw(p, &m->tiles, f->y_up), "tile");
    if (wanted & MARK_DOMAIN) domains_draw(p, m->outlines, f->metre);
    if (!(wanted & MARK_OUTLINES)) return;
    if (!p->lens.slice) say(said, shapes_draw(p, m->outlines, f->metre), "outline");
    points_draw(m, p, f->metre, 1, said);
}
