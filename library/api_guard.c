// SPDX-License-Identifier: Apache-2.0
#include "api_guard.h"

#include "base/text/utf8.h"
#include "base/thread/threads.h"
#include <billow/plugin.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the thread's modes ---- */

struct host_modes host_modes_save(void)
{
    struct host_modes m = {.locale = uselocale((locale_t)0)};
    fegetenv(&m.float_modes);
    bw_thread_begin();
    return m;
}

void host_modes_restore(const struct host_modes *m)
{
    uselocale(m->locale);
    fesetenv(&m->float_modes);
}

/* ---- the thread's last error ---- */

/* Plain malloc: it is freed with its thread, after the end of counted allocation. */
struct last_error {
    struct bw_error pub;
    char *sentence, *file, *text;
};

static pthread_key_t last_key;
static pthread_once_t last_once = PTHREAD_ONCE_INIT;
static int last_key_made;

static void last_error_clear(struct last_error *l)
{
    free(l->sentence);
    free(l->file);
    free(l->text);
    *l = (struct last_error){.pub = {.sentence = "", .text = ""}};
}

static void last_error_free(void *last)
{
    last_error_clear(last);
    free(last);
}

static void last_key_make(void) { last_key_made = !pthread_key_create(&last_key, last_error_free); }

static struct last_error *last_error_of_thread(void)
{
    pthread_once(&last_once, last_key_make);
    struct last_error *l = last_key_made ? pthread_getspecific(last_key) : NULL;
    if (l || !last_key_made || !(l = malloc(sizeof *l))) return l;
    *l = (struct last_error){.pub = {.sentence = "", .text = ""}};
    if (!pthread_setspecific(last_key, l)) return l;
    free(l);
    return NULL;
}

const struct bw_error *bw_error_last(void)
{
    static const struct bw_error none = {
        .status = BW_ERR_MEMORY, .sentence = "out of memory", .text = "out of memory\n"};
    const struct last_error *l = last_error_of_thread();
    return l ? &l->pub : &none;
}

static char *text_copy(const char *text) { return text ? strdup(text) : NULL; }

static void last_error_set(const struct api_call *api)
{
    struct last_error *l = last_error_of_thread();
    const struct bw_diag *d = &api->d;
    if (!l) return;
    last_error_clear(l);
    l->sentence = text_copy(d->first);
    l->file = text_copy(d->file);
    l->text = text_copy(d->status ? d->text : api->warnings);
    const char *otherwise = d->status == BW_ERR_CANCELLED ? "stopped" : d->status ? "out of memory" : "";
    l->pub = (struct bw_error){.status = d->status,
                               .sentence = l->sentence ? l->sentence : otherwise,
                               .file = l->file,
                               .line = d->line,
                               .column = d->column,
                               .count = d->errors,
                               .text = l->text ? l->text : otherwise};
}

/* ---- entry and return ---- */

void api_enter(struct api_call *api)
{
    memset(api, 0, sizeof *api);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &api->cancel_state);
    api->host = host_modes_save();
}

enum bw_status api_leave(struct api_call *api)
{
    enum bw_status status = api->d.status;
    last_error_set(api);
    api_leave_silent(api);
    return status;
}

void api_leave_silent(struct api_call *api)
{
    bw_diag_free(&api->d);
    bw_free(api->warnings);
    host_modes_restore(&api->host);
    pthread_setcancelstate(api->cancel_state, NULL);
}

void api_warn(struct api_call *api, const char *format, ...)
{
    char line[1200];
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    bw_utf8_one_line(line);
    char *grown = bw_printf("%s%s\n", api->warnings ? api->warnings : "", line);
    if (!grown) return;
    bw_free(api->warnings);
    api->warnings = grown;
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
