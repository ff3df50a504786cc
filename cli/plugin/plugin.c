// SPDX-License-Identifier: Apache-2.0
/* `billow plugin new|validate|cflags`: for those who write stages. */
#include "cli.h"

#include <getopt.h>
#include <string.h>

static const struct cli_option options[] = {{"force", NULL, "new: overwrite the files that are there", 'f'}};

const struct cli_command command_plugin = {
    .name = "plugin",
    .synopsis = "new NAME | validate FILE.so | cflags",
    .brief = "Start a plugin of your own, or check one.",
    .details = "  billow plugin new swirl            writes swirl/swirl.c and swirl/Makefile, ready to build\n"
               "  make -C swirl\n"
               "  billow plugin validate swirl/swirl.so\n"
               "  billow bake my.yaml --plugin-path swirl\n\n"
               "`cflags` prints what the compiler needs to find billow/plugin.h, where pkg-config does not know.\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = cmd_plugin,
};

/* ---- verbs ---- */

static int plugin_validate(const char *path)
{
    char *text = bw_plugin_validate(path);
    json_t *root = cli_json(text), *entry;
    size_t i;
    if (!root) return cli_library_error();
    json_array_foreach (json_object_get(root, "entries"), i, entry) {
        printf("%s %s: good\n", cli_text(entry, "kind"), cli_text(entry, "id"));
    }
    json_decref(root);
    return EXIT_CODE_OK;
}

static int cflags_print(void)
{
    struct bw_session *session = cli_session_open(NULL, NULL);
    json_t *machine = session ? cli_json(bw_session_machine(session, NULL)) : NULL;
    int code = machine ? EXIT_CODE_OK : cli_library_error();
    if (machine) printf("-I%s\n", cli_text(machine, "include"));
    json_decref(machine);
    bw_session_close(session);
    return code;
}

int cmd_plugin(int argc, char **argv)
{
    static const char *const verbs[] = {"new", "validate", "cflags"};
    int code, force = 0;
    while ((code = cli_option_next(&command_plugin, argc, argv)) != CLI_END) {
        if (code < 0) return code == CLI_HELP ? EXIT_CODE_OK : EXIT_CODE_USAGE;
        force |= code == 'f';
    }
    if (optind == argc) return cli_usage("plugin wants a verb: billow plugin %s", command_plugin.synopsis);
    const char *verb = argv[optind++];
    if (!strcmp(verb, "cflags")) return cflags_print();
    if (strcmp(verb, "new") && strcmp(verb, "validate")) {
        const char *near = bw_nearest_word(verb, verbs, 3);
        return cli_usage("plugin does not know \"%s\"%s%s", verb, near ? "; did you mean " : "", near ? near : "");
    }
    const char *name = cli_operand(&command_plugin, argc, argv, "a name");
    if (!name) return EXIT_CODE_USAGE;
    return strcmp(verb, "new") ? plugin_validate(name) : plugin_new(name, force);
}
