// SPDX-License-Identifier: Apache-2.0
/* Crash reports. A plugin that crashes, aborts or calls exit ends the program: the report names the plugin, the
 * callback and what is kept. It is made in a signal handler on the crashed thread: async-signal-safe, no allocation, no
 * locks. */
#define _GNU_SOURCE /* REG_RSP, RTLD_NEXT */
#include "cli.h"

#include <dlfcn.h>
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

static int events_fd; ///< descriptor for JSON events; 0: none

/* ---- formatting without printf ---- */

struct message {
    char text[4096];
    size_t n, sentence; ///< sentence: where the first one ends
};

static void append(struct message *w, const char *text)
{
    while (*text && w->n + 1 < sizeof w->text) w->text[w->n++] = *text++;
}

static void append_number(struct message *w, int64_t value)
{
    char digits[24], *d = digits + sizeof digits - 1;
    uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    for (*d = '\0'; left || !*d; left /= 10) *--d = (char)('0' + left % 10);
    if (value < 0) *--d = '-';
    append(w, d);
}

/* Bytes of the character at `text`, 0: they are no UTF-8. Short forms are let pass. */
static size_t character_bytes(const unsigned char *text)
{
    const size_t n = text[0] < 0x80 ? 1 : text[0] >> 5 == 6 ? 2 : text[0] >> 4 == 14 ? 3 : text[0] >> 3 == 30 ? 4 : 0;
    for (size_t i = 1; i < n; i++)
        if (text[i] >> 6 != 2) return 0;
    return n;
}

static void append_escape(struct message *w, unsigned code)
{
    static const char digit[] = "0123456789abcdef";
    const char text[] = {'\\', 'u', digit[code >> 12], digit[code >> 8 & 15], digit[code >> 4 & 15], digit[code & 15],
                         0};
    append(w, text);
}

/* As a JSON string: names of files may hold anything; what is no UTF-8 goes as in all of our JSON, U+EF80 … U+EFFF. */
static void append_json(struct message *w, const char *text, const char *end)
{
    while (text < end) {
        const unsigned char c = (unsigned char)*text;
        const size_t n = character_bytes((const unsigned char *)text);
        char whole[5] = {0};
        memcpy(whole, text, n);
        if (c == '"' || c == '\\') append(w, "\\");
        if (!n) append_escape(w, 0xEF00u | c);
        else if (c < ' ') append_escape(w, c);
        else append(w, whole);
        text += n ? n : 1;
    }
}

/* "swirl (/p/swirl.so)", or the file alone. */
static void append_plugin(struct message *w, const struct bw_where *at)
{
    if (at->id) append(w, at->id), append(w, " (");
    append(w, at->plugin ? at->plugin : "?");
    if (at->id) append(w, ")");
}

static void append_line_end(struct message *w)
{
    if (!w->sentence) w->sentence = w->n;
    append(w, "\n");
}

static void append_callback(struct message *w, const struct bw_where *at)
{
    if (!at->id) {
        append(w, " while it was being loaded");
        return;
    }
    append(w, at->body ? " in a body of " : " in ");
    append(w, at->callback);
    append(w, "(), frame ");
    append_number(w, at->frame);
    if (at->substep) append(w, ", substep "), append_number(w, at->substep);
}

static void append_kept_files(struct message *w, const struct bw_where *at)
{
    if (!at->out) return;
    append(w, "billow: whole frames are kept in ");
    append(w, at->out);
    if (*at->checkpoint) append(w, "; --resume goes on from "), append(w, at->checkpoint);
    append_line_end(w);
}

/* ---- the end ---- */

static void bytes_write(int fd, const char *text, size_t n)
{
    for (ssize_t done; n && (done = write(fd, text, n)) > 0; n -= (size_t)done) text += done;
}

/* The event "end", with the first line of the report without the program's name. */
static void event_write(const struct message *said, int code)
{
    static struct message w; /* twice as long as others; who reports is alone */
    append(&w, "{\"billow\":1,\"event\":\"end\",\"ok\":false,\"code\":");
    append_number(&w, code);
    append(&w, ",\"message\":\"");
    append_json(&w, said->text + strlen("billow: "), said->text + said->sentence);
    append(&w, "\"}\n");
    bytes_write(events_fd, w.text, w.n);
}

static void message_emit(const struct message *w, const struct bw_where *at, int code)
{
    bytes_write(STDERR_FILENO, w->text, w->n);
    bw_where_log(at, w->text, w->n);
    if (events_fd) event_write(w, code);
}

/* Several threads may crash at once: one reports, the others wait for the end. A crash within the report ends it. */
static _Atomic int reported;
static _Thread_local int reports __attribute__((tls_model("initial-exec")));

static void report_alone(void)
{
    if (reports) _exit(EXIT_CODE_PLUGIN);
    reports = 1;
    while (atomic_exchange(&reported, 1)) pause();
}

/* Stack overflow: is the faulting address near the stack pointer? */
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

static const char *signal_description(int number, const siginfo_t *info, const void *context)
{
    if (number == SIGSEGV && stack_is_full(info, context)) return "SIGSEGV: its stack is full, a recursion without end";
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (faults[i].number == number) return faults[i].words;
    return "a signal";
}

/* Outside of plugins it is a bug of Billow: report it, then re-raise the signal, for a core dump. */
static void crash_outside_plugins(int number)
{
    static const struct bw_where nowhere;
    struct message w = {.n = 0};
    append(&w, "billow: crashed, in no plugin: a mistake of Billow's own, signal ");
    append_number(&w, number);
    append_line_end(&w);
    message_emit(&w, &nowhere, 128 + number);
    signal(number, SIG_DFL);
    raise(number);
}

static void on_fatal_signal(int number, siginfo_t *info, void *context)
{
    struct bw_where at;
    report_alone();
    if (!bw_where_here(&at)) {
        crash_outside_plugins(number);
        return;
    }
    struct message w = {.n = 0};
    append(&w, "billow: ");
    append_plugin(&w, &at);
    append(&w, " crashed");
    append_callback(&w, &at);
    append(&w, ": ");
    append(&w, signal_description(number, info, context));
    append_line_end(&w);
    append_kept_files(&w, &at);
    message_emit(&w, &at, EXIT_CODE_PLUGIN);
    _exit(EXIT_CODE_PLUGIN);
}

/* Any exit, on the thread that called it; inside of a plugin's callback it would lose the bake. */
static void on_exit_call(void)
{
    struct bw_where at;
    if (!bw_where_here(&at)) return;
    report_alone();
    struct message w = {.n = 0};
    append(&w, "billow: ");
    append_plugin(&w, &at);
    append(&w, " called exit()");
    append_callback(&w, &at);
    append_line_end(&w);
    append_kept_files(&w, &at);
    message_emit(&w, &at, EXIT_CODE_PLUGIN);
    _exit(EXIT_CODE_PLUGIN);
}

/* A plugin's call of exit() would destroy what libraries hold under the threads that write, and the crash that follows
 * would be told as theirs: so it is caught before. */
__attribute__((visibility("default"))) void exit(int code)
{
    void (*library_exit)(int) = NULL;
    on_exit_call();
    *(void **)&library_exit = dlsym(RTLD_NEXT, "exit");
    if (library_exit) library_exit(code);
    _exit(code);
}

/* _exit runs no handlers, so it is interposed: the program's symbol precedes the C library's, for plugins, too. The
 * library's own exit() does not call it. */
__attribute__((visibility("default"))) void _exit(int code)
{
    if (!reports) on_exit_call();
    syscall(SYS_exit_group, code);
    __builtin_unreachable();
}

__attribute__((visibility("default"))) void _Exit(int code) { _exit(code); }

void cli_crash_events(void) { events_fd = cli_out_fd(); }

void cli_end_now(const char *message, int code)
{
    static const struct bw_where nowhere;
    struct message w = {.n = 0};
    append(&w, message);
    append_line_end(&w);
    message_emit(&w, &nowhere, code);
    _exit(code);
}

void cli_crash_watch(void)
{
    static char ground[64 << 10]; /* of this thread; the library's own have theirs */
    const stack_t stack = {.ss_sp = ground, .ss_size = sizeof ground};
    struct sigaction act = {.sa_sigaction = on_fatal_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigemptyset(&act.sa_mask);
    sigaltstack(&stack, NULL);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigaction(faults[i].number, &act, NULL);
    atexit(on_exit_call);
    at_quick_exit(on_exit_call);
}
