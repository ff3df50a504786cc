// SPDX-License-Identifier: Apache-2.0
/* Everything is read as what it must be, or refused: nothing of a query is handed on as text but a field's name, inside
 * a JSON string. */
#include "wish.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIXELS_LEAST = 16, PIXELS_MOST = 4096, PIXELS_ALL = 1 << 22 };

/// A query as it is read.
struct query {
    wish_value value;
    void *user;
    const char *wrong; ///< what is wrong with it
};

/// A finite number; `usual` where there is none.
static double number(struct query *q, const char *key, double usual, const char *wrong)
{
    const char *text = q->value(key, q->user);
    char *end = NULL;
    if (!text) return usual;
    const double x = strtod(text, &end);
    if (end != text && !*end && isfinite(x) && fabs(x) < 1e15) return x;
    q->wrong = wrong;
    return usual;
}

static int32_t whole(struct query *q, const char *key, int32_t usual, int32_t least, int32_t most)
{
    const double x = number(q, key, usual, "a number is none");
    if (x >= least && x <= most && x == floor(x)) return (int32_t)x;
    q->wrong = "a number is out of its range";
    return usual;
}

/// One of the words in "a|b|c"; the first when it is not given.
static void word(struct query *q, const char *key, const char *choices, char out[16])
{
    const char *text = q->value(key, q->user);
    const size_t length = text ? strlen(text) : strcspn(choices, "|");
    if (!text) text = choices;
    for (const char *c = choices; c; c = strchr(c, '|') ? strchr(c, '|') + 1 : NULL) {
        if (strcspn(c, "|") != length || strncmp(c, text, length)) continue;
        snprintf(out, 16, "%.*s", (int)length, c);
        return;
    }
    q->wrong = "a word is none of its choices";
    snprintf(out, 16, "%.*s", (int)strcspn(choices, "|"), choices);
}

static void vector(struct query *q, const char *letter, double out[3])
{
    for (int a = 0; a < 3; a++) {
        const char key[3] = {*letter, "xyz"[a], '\0'};
        out[a] = number(q, key, 0, "a camera's number is none");
    }
}

/// "pod": those of the letters p, o, d, t. -1: there is another one.
static int32_t marks_of(const char *letters)
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

static void render_read(struct query *q, struct wish *w)
{
    w->width = whole(q, "w", 480, PIXELS_LEAST, PIXELS_MOST);
    w->coarse = whole(q, "coarse", 0, 0, 1);
    if (w->width * w->height > PIXELS_ALL) q->wrong = "the picture is too large";
    w->has_eye = q->value("ex", q->user) != NULL;
    vector(q, "e", w->eye.at);
    vector(q, "t", w->eye.target);
    vector(q, "u", w->eye.up);
    w->eye.angle = number(q, "angle", 0.5, "the angle is no number");
}

static void slice_read(struct query *q, struct wish *w)
{
    char axis[16], map[16], vectors[16];
    const char *field = q->value("field", q->user);
    const double lo = number(q, "lo", 0, "the range is none"), hi = number(q, "hi", 0, "the range is none");
    word(q, "axis", "y|x|z", axis);
    word(q, "map", "auto|smoke|fire|viridis|diverging|grey|ink|schlieren", map);
    const char *domain = q->value("domain", q->user);
    word(q, "vectors", "none|arrows|streamlines", vectors);
    json_t *look =
        json_pack("{s:s, s:i, s:s, s:s}", "view", "slice", "size", w->height, "axis", axis, "vectors", vectors);
    if (q->value("map", q->user)) json_object_set_new(look, "map", json_string(map));
    json_t *name = domain && *domain ? json_string(domain) : NULL;
    if (domain && *domain && (!name || strlen(domain) >= sizeof w->domain)) q->wrong = "the domain has no name";
    else if (name) memcpy(w->domain, domain, strlen(domain) + 1);
    json_decref(name);
    if (field && *field && json_object_set_new(look, "field", json_string(field))) q->wrong = "the field has no name";
    if (q->value("pos", q->user))
        json_object_set_new(look, "position", json_sprintf("%.9g m", number(q, "pos", 0, "the position is no number")));
    if (lo < hi) json_object_set_new(look, "range", json_pack("[f, f]", lo, hi));
    const size_t n = json_dumpb(look, w->look, sizeof w->look - 1, JSON_COMPACT | JSON_REAL_PRECISION(9));
    if (n >= sizeof w->look) q->wrong = "the field's name is too long";
    else w->look[n] = '\0';
    json_decref(look);
}

const char *wish_read(struct wish *w, wish_value value, void *user)
{
    struct query q = {.value = value, .user = user};
    char mode[16];
    *w = (struct wish){.frame = (int64_t)number(&q, "frame", 0, "the frame is no number")};
    w->of = whole(&q, "of", 0, 0, INT32_MAX);
    word(&q, "mode", "render|slice", mode);
    w->slice = !strcmp(mode, "slice");
    w->height = whole(&q, "h", 270, PIXELS_LEAST, PIXELS_MOST);
    w->quality = whole(&q, "q", 80, 1, 100);
    w->rest = whole(&q, "rest", 0, 0, 2);
    w->point[0] = number(&q, "px", 0.5, "a point is none");
    w->point[1] = number(&q, "py", 0.5, "a point is none");
    w->marks = marks_of(value("marks", user));
    if (w->marks < 0) q.wrong = "marks are some of the letters podt";
    w->thumb = whole(&q, "thumb", 0, 0, 1);
    w->fps = number(&q, "fps", 24, "the frame rate is none");
    if (!(w->fps > 0 && w->fps <= 1000)) q.wrong = "the frame rate is none";
    if (w->slice) slice_read(&q, w);
    else render_read(&q, w);
    return q.wrong;
}

/// A slice's look with one key more, or another value of it.
static void look_set(struct wish *w, const char *key, json_t *value)
{
    json_t *look = json_loads(w->look, 0, NULL);
    json_object_set_new(look, key, value);
    const size_t n = json_dumpb(look, w->look, sizeof w->look - 1, JSON_COMPACT | JSON_REAL_PRECISION(9));
    w->look[n < sizeof w->look ? n : 0] = '\0';
    json_decref(look);
}

void wish_domain(struct wish *w)
{
    if (*w->domain) look_set(w, "domain", json_string(w->domain));
}

void wish_height(struct wish *w, int32_t height)
{
    look_set(w, "size", json_integer(height));
    w->height = height;
}
