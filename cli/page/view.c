// SPDX-License-Identifier: Apache-2.0
/* billow view: a page that shows a cache, ours or anybody's. */
#include "page.h"

#include <getopt.h>
#include <signal.h>

static const struct cli_option options[] = {
    PAGE_OPTIONS,
    CLI_PATH_OPTIONS,
};

const struct cli_command command_view = {
    .name = "view",
    .synopsis = "FOLDER|FIRST.vdb|PATTERN [options]",
    .brief = "Look at a cache in a browser: turn it, slice it, play it.",
    .details =
        "A bake's folder, any folder of numbered VDB files, one of them, or a pattern such as smoke_####.vdb.\n"
        "Prints an address to open in a browser, and answers there until Ctrl-C. Only who has the whole address gets\n"
        "in, and only from this machine; from another one, make a tunnel and open the same address there:\n\n"
        "  billow view out/plume\n"
        "  ssh -L 8420:localhost:8420 farm-node\n\n"
        "`billow bake PRESET --view` shows a bake while it runs.\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = cmd_view,
};

static int view_run(struct page *page, struct bw_session *session, const char *what)
{
    int code = page_open(page, session);
    if (code) return code;
    signal(SIGPIPE, SIG_IGN);
    page_signals();
    if (page->calls->show_cache(page->web, what)) return cli_failed();
    puts(page_address(page));
    fflush(stdout);
    fputs("open it in a browser; Ctrl-C ends\n", stderr);
    page_wait(page, 0);
    return EXIT_CODE_OK;
}

int cmd_view(int argc, char **argv)
{
    const char *plugin_path = NULL, *preset_path = NULL;
    struct page page = {0};
    int code;
    while ((code = cli_option_next(&command_view, argc, argv)) != CLI_END) {
        if (code == 'P') plugin_path = optarg;
        else if (code == 'R') preset_path = optarg;
        else if (code < 0 || !page_option(&page, code, optarg))
            return code == CLI_HELP ? EXIT_CODE_OK : EXIT_CODE_USAGE;
    }
    const char *what = cli_operand(&command_view, argc, argv, "a folder, a .vdb file or a pattern");
    if (!what) return EXIT_CODE_USAGE;
    struct bw_session *session = cli_session_open(plugin_path, preset_path);
    code = session ? view_run(&page, session, what) : 7;
    page_close(&page);
    bw_session_close(session);
    return code;
}
