// SPDX-License-Identifier: Apache-2.0
/* Command-line options from a command's table: getopt_long does the parsing, the table gives names for the help and
 * for "did you mean". */
#include "cli.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OPTIONS_MAX = 40, DOC_COLUMN = 26 };

int cli_usage(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    char *sentence = cli_vprintf(format, list);
    va_end(list);
    cli_print_line(stderr, "billow: %s", sentence ? sentence : "out of memory");
    cli_json_error(&(struct bw_error){.sentence = sentence ? sentence : "", .count = 1}, EXIT_CODE_USAGE);
    free(sentence);
    return EXIT_CODE_USAGE;
}

static void option_unknown(const struct cli_command *command, const char *typed)
{
    const char *names[OPTIONS_MAX], *near = NULL;
    char name[64];
    for (uint32_t i = 0; i < command->n_options; i++) names[i] = command->options[i].name;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(typed, "="), typed);
    if (!strncmp(name, "--", 2)) near = bw_nearest_word(name + 2, names, command->n_options);
    if (near) cli_usage("%s has no option %s; did you mean --%s?", command->name, name, near);
    else cli_usage("%s has no option %s; see billow help %s", command->name, name, command->name);
}

/* getopt left optind behind the faulty word, except inside a cluster of letters, where it still points at it. */
static const char *option_faulty(int argc, char **argv)
{
    if (optind > 0 && optind <= argc && argv[optind - 1][0] == '-' && argv[optind - 1][1]) return argv[optind - 1];
    return optind < argc ? argv[optind] : "-";
}

static int option_code(const struct cli_command *command, const char *name)
{
    for (uint32_t i = 0; i < command->n_options; i++)
        if (!strcmp(command->options[i].name, name)) return command->options[i].code;
    return CLI_BAD;
}

/* --json holds for the failure of an option before it as well. */
static void json_option_find(const struct cli_command *command, int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0 && option_code(command, "json") > 0; i++)
        if (!strcmp(argv[i], "--json")) cli_json_begin(command->several);
}

static int option_error(const struct cli_command *command, int argc, char **argv, int code)
{
    const char *faulty = option_faulty(argc, argv);
    if (code == ':') cli_usage("%s wants a value; see billow help %s", faulty, command->name);
    else if (code == '?') option_unknown(command, faulty);
    else cli_usage("--out is empty; leave it out where the default is meant");
    return CLI_BAD;
}

int cli_option_next(const struct cli_command *command, int argc, char **argv)
{
    struct option table[OPTIONS_MAX + 2] = {0};
    uint32_t n = 0;
    for (; n < command->n_options && n < OPTIONS_MAX; n++) {
        const struct cli_option *o = &command->options[n];
        table[n] = (struct option){o->name,
                                   !o->argument          ? no_argument
                                   : *o->argument == '[' ? optional_argument
                                                         : required_argument,
                                   NULL, o->code};
    }
    table[n] = (struct option){"help", no_argument, NULL, 'h'};
    opterr = 0;
    if (optind < 2) json_option_find(command, argc, argv);
    int code = getopt_long(argc, argv, ":h", table, NULL);
    if (code == 'h') {
        cli_help(command, stdout);
        return CLI_HELP;
    }
    // an empty --out is a variable that is not set: with --force, the default folder would pay for it
    if (code == ':' || code == '?' || (code == 'o' && !*optarg)) return option_error(command, argc, argv, code);
    if (code == option_code(command, "json")) cli_json_begin(command->several);
    return code < 0 ? CLI_END : code;
}

void cli_help(const struct cli_command *command, FILE *f)
{
    fprintf(f, "billow %s %s\n%s\n", command->name, command->synopsis, command->brief);
    if (command->n_options) fputs("\nOptions\n", f);
    for (uint32_t i = 0; i < command->n_options; i++) {
        const struct cli_option *o = &command->options[i];
        int width = fprintf(f, "  --%s%s%s", o->name, o->argument && *o->argument != '[' ? " " : "",
                            o->argument ? o->argument : "");
        fprintf(f, "%*s%s\n", width < DOC_COLUMN ? DOC_COLUMN - width : 1, "", o->doc);
    }
    const char *more = command->details;
    if (more) fprintf(f, "\n%s%s", more, *more && more[strlen(more) - 1] != '\n' ? "\n" : "");
}

const char *cli_operand(const struct cli_command *command, int argc, char **argv, const char *what)
{
    if (argc - optind == 1) return argv[optind];
    if (argc - optind < 1)
        cli_usage("%s wants %s: billow %s %s", command->name, what, command->name, command->synopsis);
    else cli_usage("%s takes one thing at a time, \"%s\" is one too many", command->name, argv[optind + 1]);
    return NULL;
}

const struct cli_option *cli_option_of(const struct cli_command *command, int code)
{
    for (uint32_t i = 0; i < command->n_options; i++)
        if (command->options[i].code == code) return &command->options[i];
    return NULL;
}

int cli_positive(const char *option, const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    if (end != text && !*end && isfinite(*value) && *value > 0) return 1;
    cli_usage("--%s wants a number above 0, not \"%s\"", option, text);
    return 0;
}

int cli_integer(const char *option, const char *text, long long min, long long max, long long *value)
{
    char *end = NULL;
    errno = 0;
    *value = strtoll(text, &end, 10);
    if (end != text && !*end && !errno && *value >= min && *value <= max) return 1;
    cli_usage("%s wants a whole number from %lld to %lld, not \"%s\"", option, min, max, text);
    return 0;
}

int cli_exit_code(enum bw_status status)
{
    if (status == BW_OK) return EXIT_CODE_OK;
    if (status == BW_ERR_MEMORY) return 7;
    if (status == BW_ERR_CANCELLED) return 130;
    return status <= BW_ERR && status >= BW_ERR_LIMIT ? -(int)status : EXIT_CODE_FAILURE;
}
