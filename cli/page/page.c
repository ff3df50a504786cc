// SPDX-License-Identifier: Apache-2.0
#include "page.h"

#include <dlfcn.h>
#include <signal.h>
#include <string.h>
#include <time.h>

int page_option(struct page *p, int code, const char *text)
{
    long long port;
    if (code == 'L') return p->o.listen = text, 1;
    if (!cli_integer("--port", text, 1, 65535, &port)) return 0;
    p->o.port = (int32_t)port;
    return 1;
}

static const struct bw_web_calls *module_load(void)
{
    void *library = dlopen("libbillow-web.so.0", RTLD_NOW | RTLD_LOCAL);
    const struct bw_web_calls *calls = library ? dlsym(library, "bw_web_calls") : NULL;
    if (calls && calls->size == sizeof *calls) return calls;
    const char *why = calls ? "it belongs to another version" : dlerror();
    fprintf(stderr, "billow: the live page is not installed here: %s\n", why ? why : "unknown reason");
    return NULL;
}

int page_open(struct page *p, struct bw_session *session)
{
    char why[512];
    p->o.size = sizeof p->o;
    p->calls = module_load();
    if (!p->calls) return EXIT_CODE_FAILURE;
    enum bw_status status = p->calls->open(session, &p->o, &p->web, why, sizeof why);
    if (!status) return EXIT_CODE_OK;
    p->calls = NULL;
    fprintf(stderr, "billow: %s\n", why);
    return cli_exit_code(status);
}

const char *page_address(const struct page *p) { return p->calls ? p->calls->address(p->web) : NULL; }

void page_progress(const struct page *p, const struct bw_bake_progress *f)
{
    if (p->calls) p->calls->progress(p->web, f);
}

void page_frame(const struct page *p, struct bw_snapshot *snapshot)
{
    if (p->calls) p->calls->frame(p->web, snapshot);
}

void page_log(const struct page *p, int32_t level, const char *who, const char *text)
{
    if (p->calls) p->calls->log(p->web, level, who, text);
}

int page_end(const struct page *p, const char *sentence)
{
    if (!p->calls) return 0;
    p->calls->end(p->web, sentence);
    if (!p->calls->viewers(p->web)) return p->calls->complete(p->web);
    page_signals();
    fputs("the page stays while somebody looks at it; Ctrl-C ends it\n", stderr);
    page_wait(p, 1);
    return p->calls->complete(p->web);
}

void page_close(struct page *p)
{
    if (p->calls) p->calls->close(p->web);
    p->calls = NULL;
}

static volatile sig_atomic_t over;

static void on_signal(int number)
{
    (void)number;
    over = 1;
}

void page_signals(void) { cli_on_stop(on_signal); }

void page_wait(const struct page *p, int viewers)
{
    enum { GONE_LOOKS = 10 }; // two seconds: a page that is loaded again comes back
    const struct timespec moment = {0, 200000000};
    for (int gone = 0; !over && gone < GONE_LOOKS; nanosleep(&moment, NULL))
        gone = viewers && !p->calls->viewers(p->web) ? gone + 1 : 0;
}
