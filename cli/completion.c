// SPDX-License-Identifier: Apache-2.0
/* `billow completion bash`: commands and options for the shell, out of the tables that the help is printed from. */
#include "cli.h"

#include <getopt.h>
#include <string.h>

static const struct cli_option options[] = {
    {"shell", "NAME", "bash (the default; zsh reads it after bashcompinit)", 's'}};

const struct cli_command command_completion = {
    .name = "completion",
    .synopsis = "[options]",
    .brief = "Print shell completion.",
    .details = "  billow completion > ~/.local/share/bash-completion/completions/billow\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = cmd_completion,
};

static void command_line(const struct cli_command *c)
{
    printf("    %s) words=\"--help", c->name);
    for (uint32_t i = 0; i < c->n_options; i++) printf(" --%s", c->options[i].name);
    if (!strcmp(c->name, "plugin")) fputs(" new validate cflags", stdout);
    puts("\" ;;");
}

int cmd_completion(int argc, char **argv)
{
    int code;
    while ((code = cli_option_next(&command_completion, argc, argv)) != CLI_END) {
        if (code < 0) return code == CLI_HELP ? EXIT_CODE_OK : EXIT_CODE_USAGE;
        if (strcmp(optarg, "bash")) return cli_usage("there is completion for bash only, not for \"%s\"", optarg);
    }
    fputs("_billow()\n{\n    local words=\"\" now=\"${COMP_WORDS[COMP_CWORD]}\"\n"
          "    if [ \"$COMP_CWORD\" = 1 ]; then\n        words=\"",
          stdout);
    for (uint32_t i = 0; i < cli_n_commands; i++) printf("%s%s", i ? " " : "", cli_commands[i]->name);
    fputs("\"\n    else\n    case \"${COMP_WORDS[1]}\" in\n", stdout);
    for (uint32_t i = 0; i < cli_n_commands; i++) command_line(cli_commands[i]);
    fputs("    esac\n    fi\n    COMPREPLY=($(compgen -W \"$words\" -- \"$now\"))\n}\n"
          "complete -o default -F _billow billow\n",
          stdout);
    return EXIT_CODE_OK;
}
