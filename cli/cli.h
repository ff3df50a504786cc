// SPDX-License-Identifier: Apache-2.0
/* Shared by all commands: one table of options per command (for the parser, the help and the completion), files,
 * output, JSON, sessions. Data goes to stdout, messages to stderr. */
#ifndef BW_CLI_H
#define BW_CLI_H

#include <billow/bake.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

/* ---- commands and options: options.c ---- */

/// Exit codes besides those of enum bw_status.
enum { EXIT_CODE_OK = 0, EXIT_CODE_FAILURE = 1, EXIT_CODE_USAGE = 2 };

/// One option. `code` is returned by cli_option_next; `argument` NULL: a plain switch, "[=…]": may be left out.
struct cli_option {
    const char *name, *argument, *doc;
    int code;
};

/// One command; `options` NULL: `run` does everything by itself, --help too.
struct cli_command {
    const char *name, *synopsis, *brief, *details;
    const struct cli_option *options;
    uint32_t n_options;
    int (*run)(int argc, char **argv);
    int several; ///< makes a bake, so several processes may run it together
};

/* Return values of cli_option_next besides the codes of the table, which are letters. */
enum { CLI_END = -1, CLI_BAD = -2, CLI_HELP = -3 };

/// The next option of the command line; its argument is in `optarg`, operands follow at `optind` after CLI_END.
/// CLI_BAD: an error has been printed; CLI_HELP: the help has been.
int cli_option_next(const struct cli_command *command, int argc, char **argv);
/// The help of one command, to `f`.
void cli_help(const struct cli_command *command, FILE *f);
/// The one operand that the command wants, or NULL after an error message.
const char *cli_operand(const struct cli_command *command, int argc, char **argv, const char *what);
/// "billow: …" on stderr; returns EXIT_CODE_USAGE.
int cli_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
/// The option of that code, or NULL.
const struct cli_option *cli_option_of(const struct cli_command *command, int code);
/// A finite number above 0, of the option without its dashes; 0 after an error message.
int cli_positive(const char *option, const char *text, double *value);
/// Whole number of an option in [min, max]; 0 after an error message.
int cli_integer(const char *option, const char *text, long long min, long long max, long long *value);
/// The exit code for a status.
int cli_exit_code(enum bw_status status);
/// Print the error of the library's last call on stderr, and return the exit code.
int cli_library_error(void);
/// Print the warnings of the library's last call, which went well, on stderr.
void cli_warn(void);

extern const struct cli_command command_bake, command_check, command_compare, command_list, command_info,
    command_doctor, command_schema, command_plugin, command_completion, command_upres, command_retime, command_resim,
    command_convert, command_blender, command_preview, command_resume, command_view, command_tune, command_wedge,
    command_status, command_cancel;
/// All commands, in the order of the help.
extern const struct cli_command *const cli_commands[];
extern const uint32_t cli_n_commands;

/* A command a file: bake.c resume.c check.c list.c info.c preview.c doctor.c schema.c plugin.c completion.c upres.c
 * blender.c; help is in main.c. */
int cmd_bake(int argc, char **argv);
int cmd_resume(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_compare(int argc, char **argv); /* cache/compare.c */
int cmd_list(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_preview(int argc, char **argv);
int cmd_view(int argc, char **argv); /* page/view.c */
int cmd_tune(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_schema(int argc, char **argv);
int cmd_plugin(int argc, char **argv);
/// Write NAME/NAME.c and NAME/Makefile; existing files are kept unless `force`. An exit code. plugin/plugin_new.c
int plugin_new(const char *name, int force);
int cmd_completion(int argc, char **argv);
int cmd_upres(int argc, char **argv);
int cmd_retime(int argc, char **argv);
int cmd_resim(int argc, char **argv);   /* cache/upres.c */
int cmd_convert(int argc, char **argv); /* cache/convert.c */
int cmd_blender(int argc, char **argv);
int cmd_help(int argc, char **argv);

// clang-format off
#define CLI_PATH_OPTIONS                                                                                           \
    {"plugin-path", "DIRS", "look for plugins here first (folders joined by ':')", 'P'},                           \
    {                                                                                                              \
        "preset-path", "DIRS", "look for presets here first", 'R'                                                  \
    }
// clang-format on

/* ---- output for programs: json_output.c ---- */

/// From now on the caller's stdout is for JSON alone; other output to it goes to stderr. Failures are printed as
/// {"billow": 1, "error": {"code", "message", "file", "line", "column", "count"}}; `events`: as the event "end" with
/// those keys.
void cli_json_begin(int events);
/// From now on the bake itself prints the event "end".
void cli_json_bake_reports(void);
int cli_is_json(void);
/// For data: the caller's stdout.
FILE *cli_out(void);
int cli_out_fd(void); ///< its descriptor
/// A value and a line's end, at once.
void cli_json_print(const json_t *value, size_t flags);
/// A failure, after its message on stderr; nothing without --json.
void cli_json_error(const struct bw_error *e, int code);

/* ---- files: files.c ---- */

/// A word as a shell reads it back, on one line, in quotes where it needs them (free), or NULL.
char *cli_quote(const char *text);
/// The same of a path as an operand, that is no option for its first letter.
char *cli_quote_path(const char *path);
/// Is there a control character: C0, DEL, C1 in UTF-8?
int cli_has_control(const char *text);
/// As part of a file's name and of a line: what may stand in neither is a `_` (free), or NULL.
char *cli_name(const char *text);
/// Does the name end so, in capitals or not?
int cli_has_ending(const char *name, const char *ending);
/// Write `text` to `path` through a temporary name; an exit code, after an error message unless 0.
int cli_write_file(const char *path, const char *text);
/// A folder and those above it, unless they are there; an exit code, after an error message unless 0.
int cli_folder_make(const char *path);

/* ---- output to terminals: sanitize_output.c ---- */

/// A stream to a descriptor, which stays open, with setvbuf's `mode`. Control characters but line ends and tabs become
/// question marks.
FILE *cli_sanitized_stream(int fd, int mode);
/// From now on stdout and stderr hold no control characters but line ends and tabs.
void cli_sanitize_output(void);
/// printf into new memory (free), or NULL.
char *cli_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *cli_vprintf(const char *format, va_list list) __attribute__((format(printf, 1, 0)));
/// printf of one line, with its end: a line end in a name becomes a question mark as well.
void cli_print_line(FILE *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// A command for the terminal, such as "\r\033[K", on stderr.
void cli_terminal(const char *command);

/* ---- process.c ---- */

/// Monotonic clock, s.
double cli_clock_seconds(void);
/// Handler of SIGINT, SIGTERM and SIGHUP, except where they are ignored (nohup).
void cli_on_stop(void (*handler)(int number));

/* ---- the program's stack: stack.c ---- */

/// The result of `run`, with enough space on its stack and on those of threads whatever `ulimit -s` says; 7 after an
/// error message.
int cli_stack_run(int (*run)(int argc, char **argv), int argc, char **argv);

/* ---- fatal signals: crash.c ---- */

/// From now on a plugin that crashes or calls exit is reported, with exit code 4.
void cli_crash_watch(void);
/// The report is printed as an event, too, on stdout.
void cli_crash_events(void);
/// Print the message and exit at once. Async-signal-safe.
_Noreturn void cli_end_now(const char *message, int code);

/* ---- the library: library.c ---- */

/// Plugins that can't be loaded are reported on stderr. NULL after an error message. Paths may be NULL.
struct bw_session *cli_session_open(const char *plugin_path, const char *preset_path);
struct bw_cache;
/// If particles lie beside a cache, warn that they are not `not_what` (advected, drawn …).
void cli_particles_warn(struct bw_cache *cache, const char *not_what);
/// A text of the library's as JSON; takes it. Names of files have their own bytes. NULL: there was none, or it is none.
json_t *cli_json(char *text);
json_t *cli_json_plain(char *text); ///< to be printed as JSON: names of files are UTF-8
/// Members of an object: "" and 0 when they are not there.
const char *cli_text(const json_t *o, const char *key);
double cli_number(const json_t *o, const char *key);
/// Index i of a list of numbers.
double cli_number_at(const json_t *o, const char *key, size_t i);

#endif
