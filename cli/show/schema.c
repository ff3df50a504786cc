// SPDX-License-Identifier: Apache-2.0
/* `billow schema`: a JSON Schema of presets. */
#include "cli.h"

#include <getopt.h>

static const struct cli_option options[] = {CLI_PATH_OPTIONS};

const struct cli_command command_schema = {
    .name = "schema",
    .synopsis = "[options]",
    .brief = "Print a JSON Schema of presets, for editors.",
    .details = "  billow schema > billow.schema.json\n"
               "and as the first line of a preset: # yaml-language-server: $schema=billow.schema.json\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = cmd_schema,
};

int cmd_schema(int argc, char **argv)
{
    const char *plugin_path = NULL;
    int code;
    while ((code = cli_option_next(&command_schema, argc, argv)) != CLI_END) {
        if (code < 0) return code == CLI_HELP ? EXIT_CODE_OK : EXIT_CODE_USAGE;
        if (code == 'P') plugin_path = optarg;
    }
    struct bw_session *session = cli_session_open(plugin_path, NULL);
    if (!session) return 7;
    char *schema = bw_session_schema(session);
    if (schema) puts(schema);
    code = schema ? EXIT_CODE_OK : cli_library_error();
    bw_text_free(schema);
    bw_session_close(session);
    return code;
}
