// SPDX-License-Identifier: Apache-2.0
/* `scale: S`: the same flow, written S times as large and shown √S times as slow, which by Froude's law are one thing:
 * gravity stays what it is, so times grow as the square root of lengths. What is simulated does not change; it is cut
 * into √S times as many frames a second, and what is said by frames, keys and expressions too, comes as much later, at
 * the very same moments; numbered files come at their old rate. Exporters are told how much larger they write
 * (`larger`), movies keep their rate (bw_preset_inherit_look). */
#include "scale.h"

#include "base/alloc.h"
#include "params.h"
#include "params_private.h"
#include "preset/tree/node_private.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST 1e-4
#define MOST 1e4

static enum bw_status memory_lacks(struct bw_diag *d)
{
    return bw_diag_error(d, NULL, BW_ERR_MEMORY, "scale: out of memory");
}

struct stretch {
    double by;     ///< frames for one
    double rate;   ///< frames a second that the preset says
    int64_t first; ///< the run's first frame, which stays where it is
    struct bw_diag *diag;
};

static double later(const struct stretch *s, double frame)
{
    return (double)s->first + (frame - (double)s->first) * s->by;
}

/* Takes `text`. */
static enum bw_status text_set(struct bw_node *n, char *text, struct bw_diag *d)
{
    if (!text) return memory_lacks(d);
    bw_free(n->text);
    n->text = text;
    return BW_OK;
}

static enum bw_status text_put(struct bw_node *map, const char *key, char *text, struct bw_diag *d)
{
    struct bw_node *n = text ? bw_node_new(BW_NODE_SCALAR, text) : NULL;
    bw_free(text);
    return n && !bw_node_put(map, key, n) ? BW_OK : memory_lacks(d);
}

/* A plain number, and nothing behind it. */
static int number_of(const struct bw_node *n, double *number)
{
    const char *rest;
    return n->type == BW_NODE_SCALAR && !bw_quantity_split(n->text, number, &rest) && !*rest;
}

/* A frame's number as bw_parse_span reads it. */
static void frame_text(double frame, char out[40])
{
    snprintf(out, 40, "%.9f", frame);
    char *end = out + strlen(out);
    while (end[-1] == '0') *--end = '\0';
    if (end[-1] == '.') end[-1] = '\0';
}

/* Of a curve, keys; else frames in which a stage works: f is the time from f - 1 to f, so A-B begins at A - 1. */
static enum bw_status frames_stretch(const struct stretch *s, struct bw_node *n, int curve)
{
    double a, b;
    char begin[40], end[40];
    if (n->type != BW_NODE_SCALAR || bw_parse_span(n->text, &a, &b)) return BW_OK; // its reader says what is wrong
    frame_text(curve ? later(s, a) : later(s, a - 1) + 1, begin);
    frame_text(later(s, b), end);
    return text_set(n, bw_printf("%s-%s", begin, end), s->diag);
}

/* Where a word that expressions know begins in `text`, at or behind `from`; NULL: nowhere. */
static const char *word_find(const char *text, const char *from, const char *word)
{
    static const char part[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
    const size_t n = strlen(word);
    for (const char *at = from; (at = strstr(at, word)); at += n)
        if ((at == text || !strchr(part, at[-1])) && (!at[n] || !strchr(part, at[n]))) return at;
    return NULL;
}

/* `word` in an expression becomes `instead`. */
static enum bw_status word_replace(struct bw_node *n, const char *word, const char *instead, struct bw_diag *d)
{
    for (size_t done = 0;;) {
        const char *at = word_find(n->text, n->text + done, word);
        if (!at) return BW_OK;
        const size_t head = (size_t)(at - n->text);
        const enum bw_status status =
            text_set(n, bw_printf("%.*s%s%s", (int)head, n->text, instead, at + strlen(word)), d);
        if (status) return status;
        done = head + strlen(instead);
    }
}

/* Frames as the preset counts them: `frame` and `fps` of expressions. */
static enum bw_status expression_stretch(const struct stretch *s, struct bw_node *n)
{
    char frame[120], fps[40];
    snprintf(frame, sizeof frame, "(%lld+(frame-%lld)/%.17g)", (long long)s->first, (long long)s->first, s->by);
    snprintf(fps, sizeof fps, "%.17g", s->rate);
    const enum bw_status status = word_replace(n, "frame", frame, s->diag);
    return status ? status : word_replace(n, "fps", fps, s->diag);
}

static enum bw_status keys_stretch(const struct stretch *s, struct bw_node *keys)
{
    bw_names_free(&keys->index); // it has the keys of before
    for (int32_t i = 0; i < keys->count; i++) {
        struct bw_node *key = keys->child[i];
        double frame;
        const char *rest;
        if (bw_quantity_split(key->key, &frame, &rest) || *rest) continue;
        char *text = bw_printf("%.12g", later(s, frame));
        if (!text) return memory_lacks(s->diag);
        bw_free(key->key);
        key->key = text;
    }
    return BW_OK;
}

/* All that is said by frames, at any depth. `set` has expressions without a sign: under `value`. */
static enum bw_status tree_stretch(const struct stretch *s, struct bw_node *n)
{
    enum bw_status status = BW_OK;
    for (int32_t i = 0; n && i < n->count && !status; i++) {
        struct bw_node *c = n->child[i];
        const int value = (n->type == BW_NODE_MAP ? !strcmp(c->key, "value") : n->key && !strcmp(n->key, "value"));
        if (c->type == BW_NODE_SCALAR && c->text && (c->text[0] == '=' || value)) status = expression_stretch(s, c);
        else if (n->type == BW_NODE_MAP && !strcmp(c->key, "frames"))
            status = frames_stretch(s, c, bw_node_get(n, "curve") != NULL);
        else if (n->type == BW_NODE_MAP && !strcmp(c->key, "keys") && c->type == BW_NODE_MAP)
            status = keys_stretch(s, c);
        if (!status) status = tree_stretch(s, c);
    }
    return status;
}

static struct bw_node *time_find(struct bw_node *root, struct bw_diag *d)
{
    struct bw_node *time = bw_node_get(root, "time");
    if (!bw_node_is_null(time)) return time;
    if (!(time = bw_node_new(BW_NODE_MAP, NULL)) || bw_node_put(root, "time", time)) return memory_lacks(d), NULL;
    return time;
}

/* Rate, frames and warm-up; s->first is known then. */
static enum bw_status time_stretch(struct bw_node *root, struct stretch *s, double *played)
{
    struct bw_node *time = time_find(root, s->diag);
    if (!time || time->type != BW_NODE_MAP) return s->diag->status; // a section that is no map its reader refuses
    const struct bw_node *fps = bw_node_get(time, "fps"), *frames = bw_node_get(time, "frames");
    const struct bw_node *warmup = bw_node_get(time, "warmup"), *files = bw_node_get(time, "files");
    int64_t first = 1, last = 100;
    double rate = 24, before = 0;
    if ((!bw_node_is_null(fps) && !number_of(fps, &rate)) ||
        (!bw_node_is_null(warmup) && !number_of(warmup, &before)) ||
        (!bw_node_is_null(frames) && (frames->type != BW_NODE_SCALAR || bw_parse_frames(frames->text, &first, &last))))
        return BW_OK; // likewise
    *played = s->rate = rate;
    s->first = first;
    const long long end = llround(later(s, (double)last));
    enum bw_status status = text_put(time, "fps", bw_printf("%.17g", rate * s->by), s->diag);
    if (!status) status = text_put(time, "frames", bw_printf("%lld-%lld", (long long)first, end), s->diag);
    if (!status && before > 0) status = text_put(time, "warmup", bw_printf("%.17g", before * s->by), s->diag);
    if (!status && bw_node_is_null(files)) status = text_put(time, "files", bw_printf("%.17g", rate), s->diag);
    return status;
}

enum bw_status bw_scale_apply(struct bw_node *root, struct bw_scaled *out, struct bw_diag *d)
{
    static const char *const parts[] = {"stages", "export", "look", "camera"};
    const struct bw_node *n = bw_node_get(root, "scale");
    double scale;
    if (bw_node_is_null(n)) return BW_OK;
    if (!number_of(n, &scale) || !(scale >= LEAST && scale <= MOST))
        return bw_diag_error(d, &n->place, BW_ERR_PRESET, "scale is a number from %g to %g: how many times as large",
                             LEAST, MOST);
    if (!bw_node_is_null(bw_node_get(root, "frames_from")))
        return bw_diag_error(d, &n->place, BW_ERR_PRESET,
                             "scale: frames that come from files are as large as those; `billow retime --speed` makes "
                             "them slower, and export.vdb.scale larger");
    struct stretch s = {.by = sqrt(scale), .diag = d};
    enum bw_status status = time_stretch(root, &s, &out->played);
    for (uint32_t i = 0; i < BW_COUNT(parts) && !status && out->played > 0; i++)
        status = tree_stretch(&s, bw_node_get(root, parts[i]));
    out->scale = scale;
    return status ? status : bw_node_put(root, "scale", NULL); // what is resolved is larger already
}
