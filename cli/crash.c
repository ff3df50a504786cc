// SPDX-License-Identifier: Apache-2.0
/* A plugin that crashes, aborts or calls exit takes the program with it: the last words say which one, where, and what
 * is kept. They are made in a signal handler, on the thread that crashed, so nothing here takes memory or a lock. */
#define _GNU_SOURCE /* REG_RSP */
#include "cli.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { EXIT_CODE_PLUGIN = 4 };

static const struct fault {
    int number;
    const char *words;
} faults[] = {
    {SIGSEGV, "SIGSEGV: it touched memory that it must not"},
    {SIGBUS, "SIGBUS: it touched memory that is not there"},
    {SIGFPE, "SIGFPE: it divided a whole number by zero"},
    {SIGILL, "SIGILL: no instruction of this machine"},
    {SIGABRT, "SIGABRT: an exception that it did not catch, a failed assertion, or abort()"},
    {SIGSYS, "SIGSYS: a system call that is not allowed"},
    {SIGTRAP, "SIGTRAP: a trap"},
};

static int events; ///< descriptor for JSON; 0: none

/* ---- words without printf ---- */

struct words {
    char text[4096];
    size_t n, sentence; ///< sentence: where the first one ends
};

static void add(struct words *w, const char *text)
{
    while (*text && w->n + 1 < sizeof w->text) w->text[w->n++] = *text++;
}

static void add_number(struct words *w, int64_t value)
{
    char digits[24], *d = digits + sizeof digits - 1;
    uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    for (*d = '\0'; left || !*d; left /= 10) *--d = (char)('0' + left % 10);
    if (value < 0) *--d = '-';
    add(w, d);
}

/* Bytes of the character at `text`, 0: they are no UTF-8. Short forms are let pass. */
static size_t character_bytes(const unsigned char *text)
{
    const size_t n = text[0] < 0x80 ? 1 : text[0] >> 5 == 6 ? 2 : text[0] >> 4 == 14 ? 3 : text[0] >> 3 == 30 ? 4 : 0;
    for (size_t i = 1; i < n; i++)
        if (text[i] >> 6 != 2) return 0;
    return n;
}

static void add_escape(struct words *w, unsigned code)
{
    static const char digit[] = "0123456789abcdef";
    const char text[] = {'\\', 'u', digit[code >> 12], digit[code >> 8 & 15], digit[code >> 4 & 15], digit[code & 15],
                         0};
    add(w, text);
}

/* As a JSON string: names of files may hold anything; what is no UTF-8 goes as in all of our JSON, U+EF80 … U+EFFF. */
static void add_quoted(struct words *w, const char *text, const char *end)
{
    while (text < end) {
        const unsigned char c = (unsigned char)*text;
        const size_t n = character_bytes((const unsigned char *)text);
        char whole[5] = {0};
        memcpy(whole, text, n);
        if (c == '"' || c == '\\') add(w, "\\");
        if (!n) add_escape(w, 0xEF00u | c);
        else if (c < ' ') add_escape(w, c);
        else add(w, whole);
        text += n ? n : 1;
    }
}

/* "swirl (/p/swirl.so)", or the file alone. */
static void add_plugin(struct words *w, const struct bw_where *at)
{
    if (at->id) add(w, at->id), add(w, " (");
    add(w, at->plugin ? at->plugin : "?");
    if (at->id) add(w, ")");
}

static void add_end(struct words *w)
{
    if (!w->sentence) w->sentence = w->n;
    add(w, "\n");
}

static void add_callback(struct words *w, const struct bw_where *at)
{
    if (!at->id) {
        add(w, " while it was being loaded");
        return;
    }
    add(w, at->body ? " in a body of " : " in ");
    add(w, at->callback);
    add(w, "(), frame ");
    add_number(w, at->frame);
    if (at->substep) add(w, ", substep "), add_number(w, at->substep);
}

static void add_kept(struct words *w, const struct bw_where *at)
{
    if (!at->out) return;
    add(w, "billow: whole frames are kept in ");
    add(w, at->out);
    if (*at->checkpoint) add(w, "; --resume goes on from "), add(w, at->checkpoint);
    add_end(w);
}

/* ---- the end ---- */

static void bytes_write(int fd, const char *text, size_t n)
{
    for (ssize_t done; n && (done = write(fd, text, n)) > 0; n -= (size_t)done) text += done;
}

/* The event of the end, of the first sentence that was said, without the name that it begins with. */
static void event_write(const struct words *said, int code)
{
    static struct words w; /* twice as long as others; who speaks is alone */
    add(&w, "{\"billow\":1,\"event\":\"end\",\"ok\":false,\"code\":");
    add_number(&w, code);
    add(&w, ",\"message\":\"");
    add_quoted(&w, said->text + strlen("billow: "), said->text + said->sentence);
    add(&w, "\"}\n");
    bytes_write(events, w.text, w.n);
}

static void words_say(const struct words *w, const struct bw_where *at, int code)
{
    bytes_write(STDERR_FILENO, w->text, w->n);
    bw_where_log(at, w->text, w->n);
    if (events) event_write(w, code);
}

/* Two workers may crash of one mistake: one speaks, the other waits for the end. One that crashes while it speaks has
 * said what it could. */
static _Atomic int spoken;
static _Thread_local int speaks __attribute__((tls_model("initial-exec")));

static void speak_alone(void)
{
    if (speaks) _exit(EXIT_CODE_PLUGIN);
    speaks = 1;
    while (atomic_exchange(&spoken, 1)) pause();
}

/* Is the address where the stack would have grown to? */
static int stack_is_full(const siginfo_t *info, const void *context)
{
    const ucontext_t *c = context;
#if defined(__x86_64__)
    const uintptr_t top = (uintptr_t)c->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    const uintptr_t top = (uintptr_t)c->uc_mcontext.sp;
#else
    const uintptr_t top = 0;
    (void)c;
#endif
    const uintptr_t at = (uintptr_t)info->si_addr;
    return top && (at > top ? at - top : top - at) < 64 << 10;
}

static const char *fault_words(int number, const siginfo_t *info, const void *context)
{
    if (number == SIGSEGV && stack_is_full(info, context)) return "SIGSEGV: its stack is full, a recursion without end";
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (faults[i].number == number) return faults[i].words;
    return "a signal";
}

/* Outside of plugins it is our own mistake: said, and left to the system, which may write a core. */
static void own_crash(int number)
{
    static const struct bw_where nowhere;
    struct words w = {.n = 0};
    add(&w, "billow: crashed, in no plugin: a mistake of Billow's own, signal ");
    add_number(&w, number);
    add_end(&w);
    words_say(&w, &nowhere, 128 + number);
    signal(number, SIG_DFL);
    raise(number);
}

static void crash_tell(int number, siginfo_t *info, void *context)
{
    struct bw_where at;
    speak_alone();
    if (!bw_where_here(&at)) {
        own_crash(number);
        return;
    }
    struct words w = {.n = 0};
    add(&w, "billow: ");
    add_plugin(&w, &at);
    add(&w, " crashed");
    add_callback(&w, &at);
    add(&w, ": ");
    add(&w, fault_words(number, info, context));
    add_end(&w);
    add_kept(&w, &at);
    words_say(&w, &at, EXIT_CODE_PLUGIN);
    _exit(EXIT_CODE_PLUGIN);
}

/* Every way of ending the process, on the thread that called it: from inside a plugin it loses a bake. */
static void exit_tell(void)
{
    struct bw_where at;
    if (!bw_where_here(&at)) return;
    speak_alone();
    struct words w = {.n = 0};
    add(&w, "billow: ");
    add_plugin(&w, &at);
    add(&w, " called exit()");
    add_callback(&w, &at);
    add_end(&w);
    add_kept(&w, &at);
    words_say(&w, &at, EXIT_CODE_PLUGIN);
    _exit(EXIT_CODE_PLUGIN);
}

/* The C library has no last words for this one. A program's symbols come before it, for plugins too; its own exit does
 * not come this way. */
__attribute__((visibility("default"))) void _exit(int code)
{
    if (!speaks) exit_tell();
    syscall(SYS_exit_group, code);
    __builtin_unreachable();
}

__attribute__((visibility("default"))) void _Exit(int code) { _exit(code); }

void cli_crash_events(void) { events = cli_out_fd(); }

void cli_end_now(const char *message, int code)
{
    static const struct bw_where nowhere;
    struct words w = {.n = 0};
    add(&w, message);
    add_end(&w);
    words_say(&w, &nowhere, code);
    _exit(code);
}

void cli_crash_watch(void)
{
    static char ground[64 << 10]; /* of this thread; the library's own have theirs */
    const stack_t stack = {.ss_sp = ground, .ss_size = sizeof ground};
    struct sigaction act = {.sa_sigaction = crash_tell, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigemptyset(&act.sa_mask);
    sigaltstack(&stack, NULL);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigaction(faults[i].number, &act, NULL);
    atexit(exit_tell);
    at_quick_exit(exit_tell);
}
