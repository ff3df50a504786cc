// SPDX-License-Identifier: Apache-2.0
/* billow view: a page that shows a cache. billow tune: a page to edit a preset. */
#include "page.h"

#include <getopt.h>
#include <signal.h>

static const struct cli_option options[] = {
    PAGE_OPTIONS,
    CLI_PATH_OPTIONS,
};

static const struct cli_option tune_options[] = {
    {"live", NULL, "one simulation runs on, in coarse cells, and takes changed values as it goes", 'l'},
    PAGE_OPTIONS,
    CLI_PATH_OPTIONS,
};

const struct cli_command command_view = {
    .name = "view",
    .synopsis = "FOLDER|FIRST.vdb|PATTERN… [options]",
    .brief = "Look at a cache in a browser: turn it, slice it, play it.",
    .details =
        "A bake's folder, any folder of numbered VDB files, one of them, or a pattern such as smoke_####.vdb.\n"
        "Several are compared: side by side under a wiper, by one camera.\n"
        "Prints an address to open in a browser, and answers there until Ctrl-C. Only who has the whole address gets\n"
        "in, and only from this machine; from another one, make a tunnel and open the same address there:\n\n"
        "  billow view out/plume\n"
        "  ssh -L 8420:localhost:8420 farm-node\n\n"
        "`billow bake PRESET --view` shows a bake while it runs.\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = cmd_view,
};

const struct cli_command command_tune = {
    .name = "tune",
    .synopsis = "PRESET [options]",
    .brief = "Play with a preset in a browser: what one changes is baked in coarse cells at once.",
    .details =
        "The preset as a form and as text, in step. A change of look or camera shows at once; one that the smoke\n"
        "feels starts a bake whose voxels are so wide that a second of film takes some seconds, and ends the one\n"
        "before it. The last eight stay to go back to. From there: save it as a preset, or bake it in its own voxels\n"
        "into out/.\n\n"
        "With --live one simulation runs on instead: forces, sources, buoyancy, fire and look that one changes are\n"
        "taken between two steps; what can't be says so, and starts it anew.\n\n"
        "  billow tune plume\n"
        "  billow tune --live campfire\n\n"
        "The preset itself is never written to. Who may open the page: see `billow view --help`.\n",
    .options = tune_options,
    .n_options = sizeof tune_options / sizeof *tune_options,
    .run = cmd_tune,
};

typedef enum bw_status (*shower)(const struct page *page, const char *what);

static enum bw_status cache_show(const struct page *page, const char *what)
{
    return page->calls->show_cache(page->web, what);
}

static enum bw_status preset_show(const struct page *page, const char *what)
{
    return page->calls->tune(page->web, what, page->live);
}

static int page_run(struct page *page, struct bw_session *session, shower show, char *const *what)
{
    int code = page_open(page, session);
    if (code) return code;
    signal(SIGPIPE, SIG_IGN);
    page_signals();
    while (*what)
        if (show(page, *what++)) return cli_library_error();
    puts(page_address(page));
    fflush(stdout);
    fputs("open it in a browser; Ctrl-C ends\n", stderr);
    page_wait(page, 0);
    return EXIT_CODE_OK;
}

/// A command whose operands are shown: one, of view as many as there are.
static int page_command(const struct cli_command *command, int argc, char **argv, const char *operand, shower show)
{
    const char *plugin_path = NULL, *preset_path = NULL;
    struct page page = {0};
    int code;
    while ((code = cli_option_next(command, argc, argv)) != CLI_END) {
        if (code == 'P') plugin_path = optarg;
        else if (code == 'R') preset_path = optarg;
        else if (code == 'l') page.live = 1;
        else if (code < 0 || !page_option(&page, code, optarg))
            return code == CLI_HELP ? EXIT_CODE_OK : EXIT_CODE_USAGE;
    }
    if (argc - optind < 2 || command != &command_view) // what it says when there is none, or one too many
        if (!cli_operand(command, argc, argv, operand)) return EXIT_CODE_USAGE;
    struct bw_session *session = cli_session_open(plugin_path, preset_path);
    code = session ? page_run(&page, session, show, argv + optind) : 7;
    page_close(&page);
    bw_session_close(session);
    return code;
}

int cmd_view(int argc, char **argv)
{
    return page_command(&command_view, argc, argv, "a folder, a .vdb file or a pattern", cache_show);
}

int cmd_tune(int argc, char **argv) { return page_command(&command_tune, argc, argv, "a preset", preset_show); }
