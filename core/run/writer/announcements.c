// SPDX-License-Identifier: Apache-2.0
/* Outputs that are worth naming at the end of a run. */
#include "exporter.h"
#include "base/alloc.h"
#include <stdio.h>
#include <string.h>

/* The first file of a sequence is announced: not once more by a run that goes on in its middle. */
static void announcement_add(struct exporter_list *list, const struct announcement *one)
{
    struct announcement a = {bw_strdup(one->what), bw_strdup(one->path), bw_strdup(one->by), one->before};
    bool known = !a.what || !a.path || !a.by;
    pthread_mutex_lock(&list->log->lock);
    for (int32_t i = 0; !known && i < list->n_announced; i++) {
        const struct announcement *s = &list->announced[i];
        known = !strcmp(s->path, a.path) || (s->before && !strcmp(s->what, a.what) && !strcmp(s->by, a.by));
    }
    struct announcement *said =
        known ? NULL : bw_realloc(list->announced, (size_t)(list->n_announced + 1) * sizeof *said);
    if (said) {
        list->announced = said;
        said[list->n_announced++] = a;
    }
    pthread_mutex_unlock(&list->log->lock);
    if (!said) bw_free(a.what), bw_free(a.path), bw_free(a.by);
}

void exporters_announce(struct exporter_list *list, const char *what, const char *name, const char *by)
{
    char *path = bw_printf("%s/%s", list->outputs->folder, name);
    announcement_add(list, &(struct announcement){(char *)what, path, (char *)by, false});
    bw_free(path);
}

/* What was announced, by the names below the folder: that may be called otherwise by now. */
enum bw_status announcements_checkpoint(struct exporter_list *list, struct archive *a)
{
    size_t folder = strlen(list->outputs->folder ? list->outputs->folder : "") + 1;
    archive_owner(a, "said", NULL);
    for (int32_t i = 0; a->pub.restoring || i < list->n_announced; i++) {
        char key[32], text[3][1024] = {"", "", ""};
        snprintf(key, sizeof key, "%d", i);
        if (a->pub.restoring && a->pub.stored(&a->pub, key) < 0) break;
        const struct announcement *s = a->pub.restoring ? NULL : &list->announced[i];
        if (s)
            snprintf(text[0], 1024, "%s", s->what), snprintf(text[1], 1024, "%s", s->path + folder),
                snprintf(text[2], 1024, "%s", s->by);
        enum bw_status status = a->pub.bytes(&a->pub, key, text, sizeof text);
        if (status != BW_OK) return status;
        text[0][1023] = text[1][1023] = text[2][1023] = '\0';
        if (!s && !file_name_is_inside(text[1]))
            return log_fail(list->log, NULL, BW_ERR_IO, "checkpoint: said/%s: names no file of this bake", key);
        char *path = !s ? bw_printf("%s/%s", list->outputs->folder, text[1]) : NULL;
        if (path) announcement_add(list, &(struct announcement){text[0], path, text[2], true});
        bw_free(path);
    }
    return BW_OK;
}

void announcements_free(struct exporter_list *list)
{
    for (int32_t i = 0; i < list->n_announced; i++) {
        bw_free(list->announced[i].what);
        bw_free(list->announced[i].path);
        bw_free(list->announced[i].by);
    }
    bw_free(list->announced);
}
