// SPDX-License-Identifier: Apache-2.0
#include "door.h"

#include "base/text/utf8.h"
#include "base/thread/threads.h"
#include <billow/plugin.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the thread's modes ---- */

struct host_modes host_modes_leave(void)
{
    struct host_modes m = {.locale = uselocale((locale_t)0)};
    fegetenv(&m.float_modes);
    bw_thread_begin();
    return m;
}

void host_modes_enter(const struct host_modes *m)
{
    uselocale(m->locale);
    fesetenv(&m->float_modes);
}

/* ---- the thread's last error ---- */

/* Plain malloc: it goes with its thread, when nobody counts any more. */
struct last {
    struct bw_error pub;
    char *sentence, *file, *text;
};

static pthread_key_t last_key;
static pthread_once_t last_once = PTHREAD_ONCE_INIT;
static int last_works;

static void last_clear(struct last *l)
{
    free(l->sentence);
    free(l->file);
    free(l->text);
    *l = (struct last){.pub = {.sentence = "", .text = ""}};
}

static void last_free(void *last)
{
    last_clear(last);
    free(last);
}

static void last_make(void) { last_works = !pthread_key_create(&last_key, last_free); }

static struct last *last_of_thread(void)
{
    pthread_once(&last_once, last_make);
    struct last *l = last_works ? pthread_getspecific(last_key) : NULL;
    if (l || !last_works || !(l = malloc(sizeof *l))) return l;
    *l = (struct last){.pub = {.sentence = "", .text = ""}};
    if (!pthread_setspecific(last_key, l)) return l;
    free(l);
    return NULL;
}

const struct bw_error *bw_error_last(void)
{
    static const struct bw_error none = {
        .status = BW_ERR_MEMORY, .sentence = "out of memory", .text = "out of memory\n"};
    const struct last *l = last_of_thread();
    return l ? &l->pub : &none;
}

static char *copy_of(const char *text) { return text ? strdup(text) : NULL; }

static void last_set(const struct door *door)
{
    struct last *l = last_of_thread();
    const struct bw_diag *d = &door->d;
    if (!l) return;
    last_clear(l);
    l->sentence = copy_of(d->first);
    l->file = copy_of(d->file);
    l->text = copy_of(d->status ? d->text : door->warnings);
    const char *otherwise = d->status == BW_ERR_CANCELLED ? "stopped" : d->status ? "out of memory" : "";
    l->pub = (struct bw_error){.status = d->status,
                               .sentence = l->sentence ? l->sentence : otherwise,
                               .file = l->file,
                               .line = d->line,
                               .column = d->column,
                               .count = d->errors,
                               .text = l->text ? l->text : otherwise};
}

/* ---- the door ---- */

void door_enter(struct door *door)
{
    memset(door, 0, sizeof *door);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &door->cancel_state);
    door->host = host_modes_leave();
}

enum bw_status door_leave(struct door *door)
{
    enum bw_status status = door->d.status;
    last_set(door);
    door_leave_silent(door);
    return status;
}

void door_leave_silent(struct door *door)
{
    bw_diag_free(&door->d);
    bw_free(door->warnings);
    host_modes_enter(&door->host);
    pthread_setcancelstate(door->cancel_state, NULL);
}

void door_warn(struct door *door, const char *format, ...)
{
    char line[1200];
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    bw_utf8_one_line(line);
    char *grown = bw_printf("%s%s\n", door->warnings ? door->warnings : "", line);
    if (!grown) return;
    bw_free(door->warnings);
    door->warnings = grown;
}

enum bw_status out_of_memory(struct bw_diag *d) { return bw_diag_error(d, NULL, BW_ERR_MEMORY, "out of memory"); }

/* ---- texts ---- */

#define TEXT_OF(number) #number
#define VERSION_OF(major, minor) TEXT_OF(major) "." TEXT_OF(minor)

const char *bw_version(void) { return BW_VERSION; }

const char *bw_plugin_interface(void) { return VERSION_OF(BW_ABI_MAJOR, BW_ABI_MINOR); }

void bw_text_free(char *text) { free(text); }

const char *bw_nearest_word(const char *word, const char *const *words, uint32_t n)
{
    return word && words ? bw_did_you_mean(word, words, n) : NULL;
}
