// SPDX-License-Identifier: Apache-2.0
/* Answers; answer_read.h says what it does. Memory grows with what has come, not with what the heading promises. */
#include "answer_read.h"
#include "read/answer.h"

#include <billow/files/obj_writer.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TRUSTED = 1 << 20 }; ///< points or triangles that room is made for on the heading's word alone

/* ---- sentences ---- */

/* Words of the file's own must not reach a terminal as they are. */
static void note_clean(struct answer_note *note)
{
    note->text[ANSWER_TEXT - 1] = '\0';
    for (char *c = note->text; *c; c++)
        if (*c < ' ' || *c > '~') *c = '?';
}

/* The file's name, line and sentence; "it is empty" takes the name for "it". */
static void note_write(const char *path, const struct answer_note *note, char *out, size_t room)
{
    if (note->line > 0) snprintf(out, room, "%s:%lld: %s", path, (long long)note->line, note->text);
    else if (!strncmp(note->text, "it ", 3)) snprintf(out, room, "%s %s", path, note->text + 3);
    else snprintf(out, room, "%s: %s", path, note->text);
}

static enum bw_status failure_tell(struct bw_stage *s, const char *path, struct answer_head *head)
{
    char text[SEQUENCE_PATH + ANSWER_TEXT + 32];
    note_clean(&head->failure);
    note_write(path, &head->failure, text, sizeof text);
    if (head->status == BW_ERR_MEMORY)
        return s->host->fail(s, BW_ERR_LIMIT, "%s takes more memory to read than a reader of meshes is given", path);
    return s->host->fail(s, (enum bw_status)head->status, "%s", text);
}

/* ---- numbers ---- */

/* `n` rows of `width` bytes in memory of the host's. NULL: *state or *status says why. */
static void *rows_take(struct bw_stage *s, const struct answer_source *from, int64_t n, size_t width,
                       enum answer_state *state, enum bw_status *status)
{
    int64_t room = n < TRUSTED ? n : TRUSTED, got = 0;
    char *rows = s->host->alloc(s, (size_t)room * width);
    while (rows) {
        if (!from->take(from->user, rows + (size_t)got * width, (size_t)(room - got) * width)) break;
        got = room;
        if (got == n) return rows;
        room = n - got > got ? 2 * got : n;
        char *grown = s->host->alloc(s, (size_t)room * width);
        if (grown) memcpy(grown, rows, (size_t)got * width);
        s->host->release(s, rows);
        rows = grown;
    }
    if (!rows) *status = BW_ERR_MEMORY;
    s->host->release(s, rows);
    *state = ANSWER_CUT;
    return NULL;
}

static bool mesh_good(const struct mesh_file *f)
{
    for (int64_t i = 0; i < f->n_points; i++)
        for (int a = 0; a < 3; a++)
            if (!isfinite((float)f->point[i][a])) return false;
    for (int64_t t = 0; t < f->n_triangles; t++)
        for (int c = 0; c < 3; c++)
            if (f->triangle[t][c] < 0 || f->triangle[t][c] >= f->n_points) return false;
    return true;
}

static bool head_good(const struct answer_head *head)
{
    const bool failed = head->status == BW_ERR_IO || head->status == BW_ERR_LIMIT || head->status == BW_ERR_MEMORY;
    if (memcmp(head->magic, ANSWER_MAGIC, sizeof head->magic)) return false;
    if (head->status) return failed && !head->n_points && !head->n_triangles && !head->n_notes;
    return head->n_notes >= 0 && head->n_notes <= ANSWER_NOTES && head->n_points > 0 && head->n_points <= INT32_MAX &&
           head->n_triangles > 0 && head->n_triangles <= INT32_MAX;
}

static enum answer_state mesh_take(struct bw_stage *s, const struct answer_source *from, const struct answer_head *head,
                                   struct mesh_file *f, enum bw_status *status)
{
    enum answer_state state = ANSWER_WHOLE;
    char magic[8];
    const struct bw_obj_writer *writer = bw_obj_writer_of(head->writer);
    f->n_points = head->n_points, f->n_triangles = head->n_triangles;
    f->y_up = head->y_up != 0, f->writer = writer ? writer->name : NULL;
    f->point = rows_take(s, from, f->n_points, sizeof *f->point, &state, status);
    if (f->point) f->triangle = rows_take(s, from, f->n_triangles, sizeof *f->triangle, &state, status);
    if (state) return state;
    if (!from->take(from->user, magic, sizeof magic)) return ANSWER_CUT;
    return !memcmp(magic, ANSWER_MAGIC, sizeof magic) && mesh_good(f) ? ANSWER_WHOLE : ANSWER_GARBAGE;
}

enum answer_state answer_read(struct bw_stage *s, const char *path, const struct answer_source *from,
                              struct mesh_file *f, enum bw_status *status)
{
    struct answer_head head;
    struct answer_note note[ANSWER_NOTES];
    *status = BW_OK;
    if (!from->take(from->user, &head, sizeof head)) return ANSWER_CUT;
    if (!head_good(&head)) return ANSWER_GARBAGE;
    if (head.status) {
        *status = failure_tell(s, path, &head);
        return ANSWER_WHOLE;
    }
    if (!from->take(from->user, note, (size_t)head.n_notes * sizeof *note)) return ANSWER_CUT;
    const enum answer_state state = mesh_take(s, from, &head, f, status);
    if (state) mesh_file_free(s, f);
    for (int i = 0; i < head.n_notes && !state; i++) {
        char text[SEQUENCE_PATH + ANSWER_TEXT + 32];
        note_clean(&note[i]);
        note_write(path, &note[i], text, sizeof text);
        s->host->log(s, BW_LOG_WARNING, "%s", text);
    }
    return state;
}
