// SPDX-License-Identifier: Apache-2.0
#include "marks.h"

#include "columns.h"
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
static void points_take(struct marks *m, struct source *s, int64_t frame, struct bw_snapshot *snapshot)
{
    if (points_count(snapshot) && !bw_snapshot_hold(snapshot)) {
        m->points = snapshot;
        return;
    }
    const enum bw_status status = source_points(s, frame, &m->points);
    snprintf(m->why, sizeof m->why, "%s", status && s->cache ? bw_error_last()->sentence : "");
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
    if (todo & (MARK_PARTICLES | MARK_OUTLINES) && !m->points) points_take(m, s, frame, snapshot);
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

/// How many there are, by their name, which is plural already.
static void points_say(const struct bw_snapshot_points *p, char said[200])
{
    const size_t n = strlen(p->name);
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(n && p->name[n - 1] == 's' ? n - 1 : n), p->name);
    say(said, p->count, name);
}

/// What is drawn one after the other: lines are not hidden by points.
enum layer { LAYER_POINTS, LAYER_LINES, LAYER_BODIES };

static int layer_of(const struct bw_snapshot_points *p)
{
    if (!strcmp(p->name, "bodies")) return LAYER_BODIES;
    return column_find(p, "strength").data ? LAYER_LINES : LAYER_POINTS;
}

static int layer_draw(const struct marks *m, const struct paint *p, double metre, int layer, char said[200])
{
    struct bw_snapshot_facts f = {.size = sizeof f};
    int n = 0;
    if (!m->points || bw_snapshot_facts(m->points, &f)) f.n_points = 0;
    for (uint32_t i = 0; i < f.n_points; i++) {
        if (layer_of(&f.points[i]) != layer) continue;
        n++;
        if (layer == LAYER_BODIES) bodies_draw(p, &f.points[i], metre);
        else particles_draw(p, &f.points[i], metre);
        if (layer != LAYER_BODIES) points_say(&f.points[i], said);
    }
    return n;
}

void marks_draw(const struct marks *m, const struct paint *p, const struct bw_view_facts *f, int32_t wanted,
                char said[200])
{
    *said = '\0';
    if (wanted & MARK_PARTICLES) {
        const int points = layer_draw(m, p, f->metre, LAYER_POINTS, said);
        if (!layer_draw(m, p, f->metre, LAYER_LINES, said) && !points)
            snprintf(said, 200, "%s", *m->why ? m->why : "no particles in this frame's files");
    }
    if (wanted & MARK_TILES) say(said, tiles_draw(p, &m->tiles, f->y_up), "tile");
    if (wanted & MARK_DOMAIN) domains_draw(p, m->outlines, f->metre);
    if (!(wanted & MARK_OUTLINES)) return;
    if (!m->outlines)
        snprintf(said + strlen(said), 200 - strlen(said), "%sno preset beside these files", *said ? ", " : "");
    else if (!p->lens.slice) say(said, shapes_draw(p, m->outlines, f->metre), "outline");
    layer_draw(m, p, f->metre, LAYER_BODIES, said);
}
