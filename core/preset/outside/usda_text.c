// SPDX-License-Identifier: Apache-2.0
#include "usda_text.h"

#include "base/alloc.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MOST = 64 };

struct reader {
    const char *text, *at; ///< where it has come
    const char *path;      ///< of the file
    int32_t line;
    struct bw_diag *d;
    usda_prim_fn *tell;
    void *user;
    int stopped;
    double metres;
    int y_up;
};

static enum bw_status wrong(struct reader *r, const char *what)
{
    const char *begin = r->at;
    while (begin > r->text && begin[-1] != '\n') begin--;
    const char *quoted = strncmp(r->text, "#usda", 5) ? NULL : r->text; // what is no USD is not shown
    const struct bw_place place = {r->path, r->line, (int32_t)(r->at - begin) + 1, quoted};
    if (r->d->status) return r->d->status;
    return bw_diag_error(r->d, &place, BW_ERR_PRESET, "this is no USD text: %s", what);
}

/* ---- characters ---- */

static void blank_skip(struct reader *r)
{
    for (;; r->at++) {
        if (*r->at == '#') r->at += strcspn(r->at, "\n");
        if (*r->at == '\n') r->line++;
        else if (!*r->at || !strchr(" \t\r;", *r->at)) return;
    }
}

static int is_next(struct reader *r, char c)
{
    blank_skip(r);
    if (*r->at != c) return 0;
    r->at++;
    return 1;
}

/* Identifiers, with what stands in the names of attributes and operations. */
static int word_read(struct reader *r, char word[USDA_WORD])
{
    blank_skip(r);
    const size_t n = strspn(r->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:.!");
    snprintf(word, USDA_WORD, "%.*s", (int)(n < USDA_WORD ? n : USDA_WORD - 1), r->at);
    r->at += n;
    return n > 0;
}

/* Behind a text in quotes, one or three of them; the text itself, cut to fit, in `word` unless NULL. */
static enum bw_status text_read(struct reader *r, char *word)
{
    const char quote = *r->at;
    const int three = r->at[1] == quote && r->at[2] == quote;
    size_t n = 0;
    for (r->at += three ? 3 : 1; *r->at; r->at++) {
        if (*r->at == quote && (!three || (r->at[1] == quote && r->at[2] == quote))) break;
        if (*r->at == '\n') r->line++;
        if (*r->at == '\\' && r->at[1]) r->at++;
        if (word && n + 1 < USDA_WORD) word[n++] = *r->at;
    }
    if (word) word[n] = '\0';
    if (!*r->at) return wrong(r, "a text does not end");
    r->at += three ? 3 : 1;
    return BW_OK;
}

/* Behind whatever a value is: a text, an @asset@, a </path>, a word, or something in brackets. */
static enum bw_status value_skip(struct reader *r)
{
    int32_t depth = 0;
    char word[USDA_WORD];
    do {
        blank_skip(r);
        const char c = *r->at;
        if (!c) return wrong(r, "it ends in the middle of a value");
        if (c == '"' || c == '\'') {
            if (text_read(r, NULL)) return r->d->status;
        } else if (c == '@' || c == '<') {
            const char *end = strchr(r->at + 1, c == '@' ? '@' : '>');
            if (!end) return wrong(r, "an asset or a path does not end");
            r->at = end + 1;
        } else if (strchr("([{", c)) {
            depth++, r->at++;
        } else if (strchr(")]}", c)) {
            depth--, r->at++;
        } else if (strchr("+-.0123456789", c)) {
            char *end;
            strtod(r->at, &end);
            r->at = end > r->at ? end : r->at + 1;
        } else if (!word_read(r, word)) {
            r->at++;
        }
    } while (depth > 0);
    return BW_OK;
}

/* ---- attributes ---- */

/* A number, or numbers in round brackets, in one another or not. */
static int numbers_read(struct reader *r, double value[USDA_NUMBERS], int32_t *n)
{
    char *end;
    if (is_next(r, '(')) {
        do {
            if (is_next(r, ')')) return 1;
            if (!numbers_read(r, value, n)) return 0;
        } while (is_next(r, ','));
        return is_next(r, ')');
    }
    blank_skip(r);
    const double x = strtod(r->at, &end);
    if (end == r->at || *n == USDA_NUMBERS || !isfinite(x)) return 0;
    value[(*n)++] = x;
    r->at = end;
    return 1;
}

static enum bw_status sample_add(struct reader *r, struct usda_attribute *a, double code)
{
    struct usda_sample *grown = bw_realloc(a->sample, (size_t)(a->n + 1) * sizeof *grown);
    int32_t n = 0;
    if (!grown) return bw_diag_error(r->d, NULL, BW_ERR_MEMORY, "out of memory for %s", r->path);
    a->sample = grown;
    grown[a->n] = (struct usda_sample){.code = code};
    if (!numbers_read(r, grown[a->n].value, &n)) return wrong(r, "numbers are wanted");
    if (a->n && n != a->comps) return wrong(r, "a sample has as many numbers as the one before");
    if (a->n && !(code > grown[a->n - 1].code)) return wrong(r, "time codes ascend");
    a->comps = n;
    a->n++;
    return BW_OK;
}

static enum bw_status samples_read(struct reader *r, struct usda_attribute *a)
{
    char *end;
    for (is_next(r, '{'); !is_next(r, '}');) {
        const double code = (blank_skip(r), strtod(r->at, &end));
        if (end == r->at || !isfinite(code)) return wrong(r, "a time code is a number");
        r->at = end;
        if (!is_next(r, ':') || sample_add(r, a, code)) return wrong(r, "CODE: VALUE is wanted");
        is_next(r, ',');
    }
    return BW_OK;
}

static struct usda_attribute *attribute_make(struct reader *r, struct usda_prim *prim, const char *name)
{
    struct usda_attribute *a = (struct usda_attribute *)usda_attribute_of(prim, name);
    if (a) { // samples count, beside a value, whichever comes last
        bw_free(a->sample);
        a->sample = NULL, a->n = 0;
        return a;
    }
    a = bw_calloc(sizeof *a);
    if (!a) return bw_diag_error(r->d, NULL, BW_ERR_MEMORY, "out of memory for %s", r->path), NULL;
    snprintf(a->name, sizeof a->name, "%s", name);
    a->next = prim->attribute;
    prim->attribute = a;
    return a;
}

static enum bw_status order_read(struct reader *r, struct usda_prim *prim)
{
    if (!is_next(r, '[')) return wrong(r, "xformOpOrder is a list");
    while (!is_next(r, ']')) {
        blank_skip(r);
        if (*r->at != '"' || prim->n_ops == USDA_OPS) return wrong(r, "xformOpOrder holds up to 16 names");
        if (text_read(r, prim->op[prim->n_ops++])) return r->d->status;
        is_next(r, ',');
    }
    return BW_OK;
}

/* `points` of a curve, those of the first sample where they move. */
static enum bw_status points_read(struct reader *r, struct usda_prim *prim, int samples)
{
    int32_t room = 0;
    char *end;
    if (samples) {
        is_next(r, '{'), blank_skip(r);
        strtod(r->at, &end);
        r->at = end;
        if (!is_next(r, ':')) return wrong(r, "CODE: VALUE is wanted");
    }
    if (!is_next(r, '[')) return wrong(r, "points are a list");
    for (prim->n_points = 0; !is_next(r, ']'); is_next(r, ',')) {
        double value[USDA_NUMBERS];
        int32_t n = 0;
        if (!numbers_read(r, value, &n) || n != 3) return wrong(r, "a point is three numbers");
        if (prim->n_points + 3 > room) {
            room = room ? 2 * room : 192;
            double *grown = bw_realloc(prim->point, (size_t)room * sizeof *grown);
            if (!grown) return bw_diag_error(r->d, NULL, BW_ERR_MEMORY, "out of memory for %s", r->path);
            prim->point = grown;
        }
        memcpy(prim->point + prim->n_points, value, 3 * sizeof *value);
        prim->n_points += 3;
    }
    while (samples && !is_next(r, '}')) { // , CODE: [...]
        is_next(r, ',');
        if (is_next(r, '}')) break;
        if (value_skip(r) || !is_next(r, ':') || value_skip(r)) return wrong(r, "CODE: VALUE is wanted");
    }
    return BW_OK;
}

static int is_number(const struct reader *r) { return *r->at && strchr("(-+.0123456789", *r->at); }

static int is_one_of(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (!strcmp(word, *list)) return 1;
    return 0;
}

/* Behind its type and name: `= VALUE`, `= {samples}`, and what is said about it. */
static enum bw_status attribute_read(struct reader *r, struct usda_prim *prim, char *name)
{
    static const char ending[] = ".timeSamples";
    static const char *const of_camera[] = {
        "focalLength", "horizontalAperture", "verticalAperture", "focusDistance", "fStop", NULL};
    const size_t n = strlen(name);
    const int samples = n > sizeof ending - 1 && !strcmp(name + n - (sizeof ending - 1), ending);
    if (samples) name[n - (sizeof ending - 1)] = '\0';
    if (is_next(r, '=')) {
        blank_skip(r);
        struct usda_attribute *a = NULL;
        const int wanted =
            !strncmp(name, "xformOp:", 8) || (!strcmp(prim->type, "Camera") && is_one_of(name, of_camera));
        if (!strcmp(name, "xformOpOrder")) {
            if (order_read(r, prim)) return r->d->status;
        } else if (strstr(prim->type, "Curves") && !strcmp(name, "points") && strchr("[{", *r->at) && !prim->point) {
            if (points_read(r, prim, *r->at == '{')) return r->d->status;
        } else if (wanted && samples && *r->at == '{') {
            if (!(a = attribute_make(r, prim, name)) || samples_read(r, a)) return r->d->status;
        } else if (wanted && is_number(r) && !(usda_attribute_of(prim, name) && !samples)) {
            if (!(a = attribute_make(r, prim, name)) || sample_add(r, a, NAN)) return r->d->status;
        } else if (value_skip(r)) {
            return r->d->status;
        }
    }
    blank_skip(r);
    return *r->at == '(' ? value_skip(r) : BW_OK;
}

/* ---- prims ---- */

static enum bw_status prim_read(struct reader *r, const struct usda_prim *parent, int32_t depth);

/* One property: words before its name are its type and what it may do; the last word before =, ( or a line's end is
 * the name. */
static enum bw_status property_read(struct reader *r, struct usda_prim *prim, char word[USDA_WORD])
{
    static const char *const before[] = {"custom", "uniform", "varying", "prepend", "append",
                                         "delete", "add",     "reorder", NULL};
    char name[USDA_WORD];
    while (is_one_of(word, before))
        if (!word_read(r, word)) return wrong(r, "a property is wanted");
    if (is_next(r, '[') && !is_next(r, ']')) return wrong(r, "[] is wanted behind a list's type");
    if (!word_read(r, name)) snprintf(name, sizeof name, "%s", word); // reorder nameChildren = […]
    return attribute_read(r, prim, name);
}

static enum bw_status items_read(struct reader *r, struct usda_prim *prim, int32_t depth)
{
    static const char *const kinds[] = {"def", "over", "class", NULL};
    char word[USDA_WORD];
    while (!r->stopped && !is_next(r, '}')) {
        enum bw_status status;
        if (!word_read(r, word)) return wrong(r, *r->at ? "a name is wanted" : "it ends inside a prim");
        if (is_one_of(word, kinds)) status = prim_read(r, prim, depth + 1);
        else if (!strcmp(word, "variantSet")) { // not followed: "NAME" = {…}
            status = value_skip(r);
            if (!status && is_next(r, '=')) status = value_skip(r);
        } else {
            status = property_read(r, prim, word);
        }
        if (status) return status;
    }
    return BW_OK;
}

static void attributes_free(struct usda_prim *prim)
{
    while (prim->attribute) {
        struct usda_attribute *a = prim->attribute;
        prim->attribute = a->next;
        bw_free(a->sample);
        bw_free(a);
    }
    bw_free(prim->point);
}

/* Behind `def`. */
static enum bw_status prim_read(struct reader *r, const struct usda_prim *parent, int32_t depth)
{
    struct usda_prim prim = {.parent = parent, .metres = r->metres, .y_up = r->y_up};
    if (depth > DEPTH_MOST) return wrong(r, "nested too deeply");
    word_read(r, prim.type);
    blank_skip(r);
    if ((*r->at != '"' && *r->at != '\'') || text_read(r, prim.name)) return wrong(r, "a prim's name is wanted");
    blank_skip(r);
    if (*r->at == '(' && value_skip(r)) return r->d->status;
    enum bw_status status = is_next(r, '{') ? items_read(r, &prim, depth) : wrong(r, "{ is wanted");
    if (!status && !r->stopped && !r->tell(&prim, r->user)) r->stopped = 1;
    attributes_free(&prim);
    return status;
}

/* What the layer says of itself, in round brackets: of that the unit and the axis. */
static enum bw_status layer_read(struct reader *r)
{
    char word[USDA_WORD];
    while (!is_next(r, ')')) {
        blank_skip(r);
        if (*r->at == '"' || *r->at == '\'') {
            if (text_read(r, NULL)) return r->d->status;
            continue;
        }
        if (!word_read(r, word)) return wrong(r, "KEY = VALUE is wanted");
        if (!is_next(r, '=')) continue;
        blank_skip(r);
        if (!strcmp(word, "metersPerUnit")) r->metres = strtod(r->at, NULL);
        if (!strcmp(word, "upAxis")) r->y_up = strncmp(r->at, "\"Z\"", 3) != 0;
        if (value_skip(r)) return r->d->status;
    }
    return r->metres > 0 ? BW_OK : wrong(r, "metersPerUnit is above 0");
}

enum bw_status usda_walk(const char *text, const char *path, usda_prim_fn *tell, void *user, struct bw_diag *d)
{
    struct reader r = {.text = text,
                       .at = text,
                       .path = path,
                       .line = 1,
                       .d = d,
                       .tell = tell,
                       .user = user,
                       .metres = 0.01,
                       .y_up = 1};
    static const char *const kinds[] = {"def", "over", "class", NULL};
    char word[USDA_WORD];
    if (strncmp(text, "#usda ", 6) != 0) return wrong(&r, "it begins with #usda 1.0; usdcat turns others into that");
    enum bw_status status = is_next(&r, '(') ? layer_read(&r) : BW_OK;
    while (!status && !r.stopped) {
        blank_skip(&r);
        if (!*r.at) break;
        if (!word_read(&r, word) || !is_one_of(word, kinds)) return wrong(&r, "def is wanted");
        status = prim_read(&r, NULL, 0);
    }
    return status;
}

const struct usda_attribute *usda_attribute_of(const struct usda_prim *prim, const char *name)
{
    for (const struct usda_attribute *a = prim->attribute; a; a = a->next)
        if (!strcmp(a->name, name)) return a;
    return NULL;
}

int usda_value(const struct usda_attribute *a, double code, double value[USDA_NUMBERS])
{
    int32_t i = 0;
    if (!a || !a->n) return 0;
    while (i + 1 < a->n && a->sample[i + 1].code <= code) i++;
    const struct usda_sample *p = &a->sample[i], *q = i + 1 < a->n && code > p->code ? p + 1 : p;
    const double s = q > p ? (code - p->code) / (q->code - p->code) : 0;
    for (int k = 0; k < USDA_NUMBERS; k++) value[k] = p->value[k] + s * (q->value[k] - p->value[k]);
    return 1;
}
