// SPDX-License-Identifier: Apache-2.0
/* What the commands share: one table of options a command (read by the parser, the help and the completion), the
 * folders where plugins and presets lie, and a few ways of writing numbers. Data goes to stdout, words to stderr. */
#ifndef BW_CLI_H
#define BW_CLI_H

#include "base/diag.h"
#include "preset/preset.h"
#include "run/registry/registry.h"
#include <stdint.h>
#include <stdio.h>

/* ---- commands and options ---- */

/// Exit codes besides those of enum bw_status.
enum { EXIT_CODE_OK = 0, EXIT_CODE_FAILURE = 1, EXIT_CODE_USAGE = 2 };

/// One option. `code` is what cli_option_next answers for it; `argument` NULL: a plain switch.
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
};

/* Answers of cli_option_next besides the codes of the table, which are letters. */
enum { CLI_END = -1, CLI_BAD = -2, CLI_HELP = -3 };

/// The next option of the command line; its argument is in `optarg`, operands follow at `optind` after CLI_END.
/// CLI_BAD: a sentence has been printed; CLI_HELP: the help has been.
int cli_option_next(const struct cli_command *command, int argc, char **argv);
/// The help of one command, to `f`.
void cli_help(const struct cli_command *command, FILE *f);
/// The one operand that the command wants, or NULL after a sentence.
const char *cli_operand(const struct cli_command *command, int argc, char **argv, const char *what);
/// "billow: …" on stderr; answers EXIT_CODE_USAGE.
int cli_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
/// Whole number of an option in [min, max]; 0 after a sentence.
int cli_integer(const char *option, const char *text, long long min, long long max, long long *value);
/// What the process answers for a status.
int cli_exit_code(enum bw_status status);
/// Print what `d` collected on stderr, free it, and answer the exit code.
int cli_report(struct bw_diag *d);

extern const struct cli_command command_bake, command_check, command_list, command_info, command_doctor, command_schema,
    command_plugin, command_completion, command_upres, command_retime, command_blender;
/// All commands, in the order of the help.
extern const struct cli_command *const cli_commands[];
extern const uint32_t cli_n_commands;

int cmd_bake(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_preview(int argc, char **argv); ///< in preview.c
int cmd_doctor(int argc, char **argv);
int cmd_schema(int argc, char **argv);
int cmd_plugin(int argc, char **argv);
int cmd_completion(int argc, char **argv);
int cmd_upres(int argc, char **argv);
int cmd_retime(int argc, char **argv);
int cmd_blender(int argc, char **argv);
int cmd_help(int argc, char **argv);

/// Facts of one .vdb file on stdout, as text or JSON; an exit code (in vdbinfo.c).
int vdb_info_print(const char *path, int json);

// clang-format off
#define CLI_PATH_OPTIONS                                                                                           \
    {"plugin-path", "DIRS", "look for plugins here first (folders joined by ':')", 'P'},                           \
    {                                                                                                              \
        "preset-path", "DIRS", "look for presets here first", 'R'                                                  \
    }
// clang-format on

/* ---- where things are ---- */

/// Folders, colon-separated, in the order of search. Free with cli_folders_free.
struct cli_folders {
    char *plugins, *presets; ///< presets: the installed ones, or the source tree's
    char *include;           ///< folder that holds billow/plugin.h
    char *program;           ///< this executable
    int in_build_tree;
};

/// `plugin_path`: of the option, may be NULL. Answers 0 when out of memory.
int cli_folders_find(struct cli_folders *f, const char *plugin_path);
void cli_folders_free(struct cli_folders *f);
/// Registry of all plugins; broken ones are told on stderr. NULL after a sentence.
struct bw_registry *cli_registry_open(const char *plugin_path);
/// The preset's file, read and checked; NULL after sentences in `d`.
struct bw_preset *cli_preset_load(const char *name, const char *preset_path, const struct bw_preset_overrides *o,
                                  struct bw_diag *d);

/* ---- text ---- */

/// "2.1 GiB", "12 KiB", in `out`; answers `out`.
const char *cli_bytes(double bytes, char out[24]);
/// "1.2M", "640k", "17".
const char *cli_count(double n, char out[24]);
/// "3:19", "1:02:03", "8 s".
const char *cli_duration(double seconds, char out[24]);
/// "1 frame", "2 frames".
const char *cli_plural(int64_t n, const char *word, char out[48]);
/// Write `text` to `path` by way of a temporary name; 0 after a sentence in `d`.
int cli_write_file(const char *path, const char *text, struct bw_diag *d);

/* ---- tables ---- */

/// Row i of a table whose rows are `stride` bytes (an older plugin's are shorter): members that are not there are 0.
struct bw_param cli_param(const struct bw_param *rows, uint32_t i, uint32_t stride);
struct bw_port cli_port(const struct bw_port *rows, uint32_t i, uint32_t stride);
/// "number", "list of tables", …
const char *cli_param_type(const struct bw_param *p);

#endif
