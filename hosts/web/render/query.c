// SPDX-License-Identifier: Apache-2.0
/* Every value is parsed as its type or refused. Only names of fields and domains are passed on as text, inside a JSON
 * string. */
#include "query.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MIN_SIDE = 16, MAX_SIDE = 4096, MAX_PIXELS = 1 << 22 };

/// A query string as it is parsed.
struct parser {
    query_param param;
    void *user;
    const char *error; ///< the last one, or NULL
};

/// A finite number; `fallback`: the key is not there.
static double number(struct parser *p, const char *key, double fallback, const char *error)
{
    const char *text = p->param(key, p->user);
    char *end = NULL;
    if (!text) return fallback;
    const double x = strtod(text, &end);
    if (end != text && !*end && isfinite(x) && fabs(x) < 1e15) return x;
    p->error = error;
    return fallback;
}

static int32_t integer(struct parser *p, const char *key, int32_t fallback, int32_t min, int32_t max)
{
    const double x = number(p, key, fallback, "a number is malformed");
    if (x >= min && x <= max && x == floor(x)) return (int32_t)x;
    p->error = "a number is out of its range";
    return fallback;
}

/// One of the words in "a|b|c"; the first: the key is not there.
static void choice(struct parser *p, const char *key, const char *choices, char out[16])
{
    const char *text = p->param(key, p->user);
    const size_t length = text ? strlen(text) : strcspn(choices, "|");
    if (!text) text = choices;
    for (const char *c = choices; c; c = strchr(c, '|') ? strchr(c, '|') + 1 : NULL) {
        if (strcspn(c, "|") != length || strncmp(c, text, length)) continue;
        snprintf(out, 16, "%.*s", (int)length, c);
        return;
    }
    p->error = "a word is not one of its choices";
    snprintf(out, 16, "%.*s", (int)strcspn(choices, "|"), choices);
}

/// Three numbers, by keys such as ex, ey, ez.
static void vector(struct parser *p, const char *letter, double out[3])
{
    for (int a = 0; a < 3; a++) {
        const char key[3] = {*letter, "xyz"[a], '\0'};
        out[a] = number(p, key, 0, "a number of the camera is malformed");
    }
}

/// "pod" as OVERLAY_… bits, added. -1: a letter is none of p, o, d, t.
static int32_t overlay_parse(const char *letters)
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

static void render_parse(struct parser *p, struct query *q)
{
    const char *look = p->param("look", p->user);
    char why[200];
    json_t *settings = look ? look_settings(look, why) : NULL;
    if (look && !settings) p->error = "the look is malformed";
    else if (look) strcpy(q->look, look);
    json_decref(settings);
    q->width = integer(p, "w", 480, MIN_SIDE, MAX_SIDE);
    q->coarse = integer(p, "coarse", 0, 0, 1);
    if (q->width * q->height > MAX_PIXELS) p->error = "the picture is too large";
    q->has_camera = p->param("ex", p->user) != NULL;
    vector(p, "e", q->camera.at);
    vector(p, "t", q->camera.target);
    vector(p, "u", q->camera.up);
    q->camera.angle = number(p, "angle", 0.5, "the angle is malformed");
}

/// The parameters of a slice, as slice_json.
static void slice_parse(struct parser *p, struct query *q)
{
    char axis[16], map[16], vectors[16];
    const char *field = p->param("field", p->user);
    const double lo = number(p, "lo", 0, "the range is malformed"), hi = number(p, "hi", 0, "the range is malformed");
    choice(p, "axis", "y|x|z", axis);
    choice(p, "map", "auto|smoke|fire|viridis|diverging|grey|ink|schlieren", map);
    const char *domain = p->param("domain", p->user);
    choice(p, "vectors", "none|arrows|streamlines", vectors);
    json_t *look =
        json_pack("{s:s, s:i, s:s, s:s}", "view", "slice", "size", q->height, "axis", axis, "vectors", vectors);
    if (p->param("map", p->user)) json_object_set_new(look, "map", json_string(map));
    json_t *name = domain && *domain ? json_string(domain) : NULL;
    if (domain && *domain && (!name || strlen(domain) >= sizeof q->domain)) p->error = "the domain's name is malformed";
    else if (name) memcpy(q->domain, domain, strlen(domain) + 1);
    json_decref(name);
    if (field && *field && json_object_set_new(look, "field", json_string(field)))
        p->error = "the field's name is malformed";
    if (p->param("pos", p->user))
        json_object_set_new(look, "position", json_sprintf("%.9g m", number(p, "pos", 0, "the position is malformed")));
    if (lo < hi) json_object_set_new(look, "range", json_pack("[f, f]", lo, hi));
    const size_t n = json_dumpb(look, q->slice_json, sizeof q->slice_json - 1, JSON_COMPACT | JSON_REAL_PRECISION(9));
    if (n >= sizeof q->slice_json) p->error = "the field's name is too long";
    else q->slice_json[n] = '\0';
    json_decref(look);
}

const char *query_parse(struct query *q, query_param param, void *user)
{
    struct parser p = {.param = param, .user = user};
    char mode[16];
    *q = (struct query){.frame = (int64_t)number(&p, "frame", 0, "the frame is malformed")};
    q->source = integer(&p, "source", 0, 0, INT32_MAX);
    choice(&p, "mode", "render|slice", mode);
    q->slice = !strcmp(mode, "slice");
    q->height = integer(&p, "h", 270, MIN_SIDE, MAX_SIDE);
    q->quality = integer(&p, "q", 80, 1, 100);
    q->priority = integer(&p, "priority", 0, 0, 2);
    q->point[0] = number(&p, "px", 0.5, "the point is malformed");
    q->point[1] = number(&p, "py", 0.5, "the point is malformed");
    q->overlay = overlay_parse(param("layers", user));
    if (q->overlay < 0) p.error = "layers are some of the letters podt";
    q->independent = integer(&p, "independent", 0, 0, 1);
    q->fps = number(&p, "fps", 24, "the frame rate is malformed");
    if (!(q->fps > 0 && q->fps <= 1000)) p.error = "the frame rate is malformed";
    if (q->slice) slice_parse(&p, q);
    else render_parse(&p, q);
    return p.error;
}

/// Set one key of slice_json.
static void slice_json_set(struct query *q, const char *key, json_t *value)
{
    json_t *look = json_loads(q->slice_json, 0, NULL);
    json_object_set_new(look, key, value);
    const size_t n = json_dumpb(look, q->slice_json, sizeof q->slice_json - 1, JSON_COMPACT | JSON_REAL_PRECISION(9));
    q->slice_json[n < sizeof q->slice_json ? n : 0] = '\0';
    json_decref(look);
}

void query_apply_domain(struct query *q)
{
    if (*q->domain) slice_json_set(q, "domain", json_string(q->domain));
}

void query_set_height(struct query *q, int32_t height)
{
    slice_json_set(q, "size", json_integer(height));
    q->height = height;
}
