// SPDX-License-Identifier: Apache-2.0
/* `billow wedge pick FOLDER N`: the winner as a preset of its own. */
#include "wedge.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cli_option options[] = {
    {"out", "FILE", "NAME_N.yaml in the current folder unless this says otherwise", 'o'},
    {"force", NULL, "replace a file that is there", 'F'},
    CLI_PATH_OPTIONS,
};

static const struct cli_command command_pick = {
    .name = "wedge pick",
    .synopsis = "FOLDER N [options]",
    .brief = "Write member N of a wedge as a preset, with every value in full.",
    .details = "  billow wedge pick out/plume_wedge 7 && billow bake plume_7.yaml\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
};

/* All values as the member was baked; of one that was not, as the preset has them now. NULL after an error message. */
static char *resolved_text(const json_t *plan, size_t i, const char *out, const char *plugins, const char *presets)
{
    const json_t *member = json_array_get(json_object_get(plan, "members"), i);
    struct bw_session *session = cli_session_open(plugins, presets);
    struct bw_bake *bake = NULL;
    struct bw_bake_facts f = {.size = sizeof f};
    char *text = NULL;
    if (session && !plan_open(session, plan, i, out, &bake) && !bw_bake_facts(bake, &f)) {
        json_t *all = cli_json(bw_bake_describe(bake));
        if (strcmp(f.hash, cli_text(member, "hash")))
            cli_usage("%s has changed since the wedge was begun; %s/%s/resolved.yaml has the member's values",
                      cli_text(plan, "preset"), out, cli_text(member, "folder"));
        else if (all) text = strdup(cli_text(all, "resolved"));
        json_decref(all);
    }
    bw_bake_close(bake);
    bw_session_close(session);
    return text;
}

static int preset_write(const json_t *plan, size_t i, const char *out, const char *resolved, const char *file)
{
    char *words = cli_printf("# Member %zu of the wedge %s of %s:", i + 1, out, cli_text(plan, "preset"));
    const json_t *member = json_array_get(json_object_get(plan, "members"), i);
    const char *key;
    json_t *value;
    json_object_foreach (json_object_get(member, "values"), key, value) {
        char *more = cli_printf("%s\n#   --set '%s=%s'", words, key, json_string_value(value));
        free(words);
        words = more;
    }
    char *text = cli_printf("%s\n%s", words, resolved);
    const int code = text ? cli_write_file(file, text) : 7;
    if (!code) puts(file);
    free(words);
    free(text);
    return code;
}

int wedge_pick(int argc, char **argv)
{
    const char *file = NULL, *plugins = NULL, *presets = NULL;
    int code, force = 0;
    while ((code = cli_option_next(&command_pick, argc, argv)) != CLI_END) {
        if (code < 0) return code == CLI_HELP ? EXIT_CODE_OK : EXIT_CODE_USAGE;
        if (code == 'o') file = optarg;
        if (code == 'F') force = 1;
        if (code == 'P') plugins = optarg;
        if (code == 'R') presets = optarg;
    }
    if (argc - optind != 2)
        return cli_usage("wedge pick wants a folder and a number: billow wedge pick out/plume_wedge 7");
    const char *out = argv[optind];
    json_t *plan;
    long long number = 0;
    if ((code = wedge_record_read(out, &plan))) return code;
    if (!plan) return cli_usage("%s holds no wedge: there is no %s/wedge.json", out, out);
    const size_t count = json_array_size(json_object_get(plan, "members"));
    code = cli_integer("wedge pick", argv[optind + 1], 1, (long long)count, &number) ? EXIT_CODE_OK : EXIT_CODE_USAGE;
    char *name = cli_printf("%s_%lld.yaml", cli_text(plan, "name"), number);
    if (!file) file = name;
    if (!code && !force && !access(file, F_OK)) code = cli_usage("%s is there already: --force replaces it", file);
    if (!code) {
        char *resolved = resolved_text(plan, (size_t)number - 1, out, plugins, presets);
        code = resolved ? preset_write(plan, (size_t)number - 1, out, resolved, file) : EXIT_CODE_USAGE;
        free(resolved);
    }
    free(name);
    json_decref(plan);
    return code;
}
