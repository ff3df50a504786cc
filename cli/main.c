// SPDX-License-Identifier: Apache-2.0
/* The `billow` program: picks the command and hands it the rest of the line. */
#include "bake/ranks.h"
#include "cli.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const struct cli_command command_help = {
    .name = "help",
    .synopsis = "[COMMAND]",
    .brief = "Explain a command.",
    .run = cmd_help,
};

const struct cli_command *const cli_commands[] = {
    &command_bake,    &command_resume, &command_wedge,      &command_status,  &command_cancel,  &command_check,
    &command_compare, &command_list,   &command_info,       &command_view,    &command_tune,    &command_preview,
    &command_upres,   &command_retime, &command_resim,      &command_convert, &command_blender, &command_doctor,
    &command_plugin,  &command_schema, &command_completion, &command_help,
};
const uint32_t cli_n_commands = sizeof cli_commands / sizeof *cli_commands;

static const struct cli_command *command_find(const char *name)
{
    for (uint32_t i = 0; i < cli_n_commands; i++) {
        if (!strcmp(cli_commands[i]->name, name)) return cli_commands[i];
    }
    return NULL;
}

static int command_unknown(const char *name)
{
    const char *names[32];
    for (uint32_t i = 0; i < cli_n_commands; i++) names[i] = cli_commands[i]->name;
    const char *near = bw_nearest_word(name, names, cli_n_commands);
    if (near) return cli_usage("there is no command \"%s\"; did you mean %s?", name, near);
    return cli_usage("there is no command \"%s\"; `billow help` lists them", name);
}

static void overview_print(FILE *f)
{
    fputs("Billow bakes smoke and fire: a preset in, an OpenVDB cache with pictures and a movie out.\n\n"
          "  billow bake plume                  bake the preset \"plume\" into out/plume\n"
          "  billow bake plume --quick          the same, coarser, in seconds\n"
          "  billow view out/plume              look at it in a browser; `bake --view`: while it bakes\n"
          "  billow info plume                  what a preset does and what it costs\n"
          "  billow info mac.project            a stage with all its parameters\n\nCommands\n",
          f);
    for (uint32_t i = 0; i < cli_n_commands; i++) {
        fprintf(f, "  %-12s %s\n", cli_commands[i]->name, cli_commands[i]->brief);
    }
    fputs("\n`billow help COMMAND` tells its options.\n\n"
          "Exit codes: 0 good, 1 failure, 2 wrong command line, 3 wrong preset, 4 plugin, 5 diverged,\n"
          "            6 disk or file, 7 memory or time limit, 75 interrupted with a checkpoint, 130 without\n",
          f);
}

int cmd_help(int argc, char **argv)
{
    if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
        overview_print(stdout);
        return EXIT_CODE_OK;
    }
    const struct cli_command *command = command_find(argv[1]);
    if (!command) return command_unknown(argv[1]);
    if (command->options) {
        cli_help(command, stdout);
        return EXIT_CODE_OK;
    }
    char help[] = "--help", *line[] = {argv[1], help, NULL};
    return command->run == cmd_help ? cmd_help(1, argv) : command->run(2, line);
}

static int version_print(void)
{
    printf("Billow %s (plugin ABI %s)\n", bw_version(), bw_plugin_interface());
    return EXIT_CODE_OK;
}

/* The next file opened would get the number of a descriptor that is closed, and the words meant for the terminal with
 * it. Read only: a write still fails, as on the closed one. */
static int descriptors_fill(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != fd) return 0;
    }
    return 1;
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/* Libraries that OpenVDB brings start threads before main does, and abort where memory lacks for one. */
static void start_failed(int number)
{
    static const char words[] = "billow: out of memory\n";
    (void)number;
    if (write(STDERR_FILENO, words, sizeof words - 1) < 0) _exit(EXIT_CODE_FAILURE);
    _exit(7);
}

static void start_watch(void) { signal(SIGABRT, start_failed); }

/* Before the constructors of all libraries. */
__attribute__((section(".preinit_array"), used)) static void (*const before_libraries)(void) = start_watch;
#endif

static int program_run(int argc, char **argv)
{
    if (!descriptors_fill()) return EXIT_CODE_FAILURE;
    cli_crash_watch();
    cli_sanitize_output();
    signal(SIGXFSZ, SIG_IGN); // a file that may not grow makes write fail with EFBIG, which is reported there
    if (argc < 2) {
        overview_print(stderr);
        return EXIT_CODE_USAGE;
    }
    const char *first = argv[1];
    if (!strcmp(first, "--version") || !strcmp(first, "-V")) return version_print();
    if (!strcmp(first, "--help") || !strcmp(first, "-h")) {
        overview_print(stdout);
        return EXIT_CODE_OK;
    }
    if (first[0] == '-') return cli_usage("there is no option %s before a command; see billow --help", first);
    const struct cli_command *command = command_find(first);
    if (!command) return command_unknown(first);
    if (!ranks_allow(command)) return EXIT_CODE_USAGE;
    int code = command->run(argc - 1, argv + 1);
    if (fflush(cli_out()) != 0 || ferror(cli_out())) {
        perror("billow: stdout");
        return code ? code : 6;
    }
    return code;
}

int main(int argc, char **argv)
{
    signal(SIGABRT, SIG_DFL);
    return cli_stack_run(program_run, argc, argv);
}
