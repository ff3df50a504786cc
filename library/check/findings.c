// SPDX-License-Identifier: Apache-2.0
#include "findings.h"

#include "session/session.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const size_t FINDINGS_MOST = 1000; // whoever reads on has stopped long before

static struct finding *finding_known(struct findings *f, const struct finding_kind *kind, const char *about)
{
    for (size_t i = 0; about && i < f->n; i++)
        if (f->list[i].kind == kind && !strcmp(f->list[i].about, about)) return &f->list[i];
    return NULL;
}

void finding_add(struct findings *f, const struct finding_kind *kind, const char *about, const char *format, ...)
{
    struct finding *known = finding_known(f, kind, about);
    if (known) known->files++;
    if (known || f->n >= FINDINGS_MOST) return;
    char text[4600];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    struct finding *grown = bw_realloc(f->list, (f->n + 1) * sizeof *grown);
    if (!grown) return;
    f->list = grown;
    grown[f->n] = (struct finding){kind, bw_strdup(about ? about : ""), bw_strdup(text), NULL, 1};
    if (grown[f->n].about && grown[f->n].text) f->n++;
}

void finding_advise(struct findings *f, char *advice)
{
    struct finding *last = f->n ? &f->list[f->n - 1] : NULL;
    bw_free(last ? last->advice : advice);
    if (last) last->advice = advice;
}

bool findings_has(const struct findings *f, const char *path)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->list[i].kind->problem && !strncmp(f->list[i].text, path, strlen(path))) return true;
    return false;
}

static json_t *text_json(const struct finding *one)
{
    if (one->files < 2) return json_bytes(one->text);
    char files[48];
    char *text = bw_printf("%s; and %s more", one->text, bw_number_words((double)(one->files - 1), "file", files));
    json_t *o = json_bytes(text);
    bw_free(text);
    return o;
}

json_t *findings_json(const struct findings *f)
{
    json_t *all = json_array();
    for (size_t i = 0; i < f->n; i++) {
        const struct finding_kind *k = f->list[i].kind;
        const char *advice = f->list[i].advice ? f->list[i].advice : k->advice;
        json_array_append_new(all, json_pack("{s:s, s:b, s:o, s:o}", "kind", k->id, "problem", (int)k->problem, "text",
                                             text_json(&f->list[i]), "advice", json_bytes(advice)));
    }
    return all;
}

json_t *findings_problems(const struct findings *f)
{
    json_t *all = json_array();
    for (size_t i = 0; i < f->n; i++)
        if (f->list[i].kind->problem) json_array_append_new(all, text_json(&f->list[i]));
    return all;
}

void findings_free(struct findings *f)
{
    for (size_t i = 0; i < f->n; i++) {
        bw_free(f->list[i].about);
        bw_free(f->list[i].text);
        bw_free(f->list[i].advice);
    }
    bw_free(f->list);
    *f = (struct findings){0};
}
