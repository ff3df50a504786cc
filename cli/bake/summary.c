// SPDX-License-Identifier: Apache-2.0
/* Before a bake: the estimate. After it: what to open, and the next commands. */
#include "bake.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int estimate_print(struct bw_bake *bake)
{
    char text[6][48];
    json_t *e = cli_json(bw_bake_describe(bake));
    if (!e) return 1;
    if (cli_is_json()) {
        json_t *event = json_pack("{s:i, s:s}", "billow", 1, "event", "estimate");
        json_object_update(event, e);
        cli_json_print(event, JSON_COMPACT | JSON_REAL_PRECISION(9));
        json_decref(event);
        json_decref(e);
        return 0;
    }
    const json_t *left = json_object_get(e, "disk_free");
    fputs(cli_text(e, "wiring"), stdout);
    printf("frames:  %.0f-%.0f at %g a second, %.0f before them that are not written\n", cli_number(e, "first"),
           cli_number(e, "last"), cli_number(e, "fps"), cli_number(e, "before"));
    printf("cells:   %s in a full box\n", bw_number_words(cli_number(e, "cells"), "", text[0]));
    printf("memory:  at most %s of %s; what is empty costs nothing\n",
           bw_number_words(cli_number(e, "memory"), "B", text[0]),
           bw_number_words(cli_number(e, "memory_allowed"), "B", text[1]));
    printf("disk:    at most %s of VDB files, %s a frame, and %s of checkpoints (`checkpoints: {keep: 2}` keeps two), "
           "usually a tenth of that; %s free\n",
           bw_number_words(cli_number(e, "disk"), "B", text[2]),
           bw_number_words(cli_number(e, "disk") / (cli_number(e, "last") - cli_number(e, "first") + 1), "B", text[5]),
           bw_number_words(cli_number(e, "checkpoints"), "B", text[4]),
           left ? bw_number_words(json_number_value(left), "B", text[3]) : "nan B");
    const char *whole = cli_text(e, "whole_on_ranks");
    if (*whole) printf("ranks:   under mpirun each of them runs these stages whole, with all tiles: %s\n", whole);
    cli_print_line(stdout, "output:  %s", cli_text(e, "out"));
    json_decref(e);
    return 0;
}

const char *command_name(void)
{
    const char *name = getenv("BILLOW_COMMAND");
    return name && *name ? name : "billow";
}

/* Bytes of all VDB files beside the one of that name. */
static double folder_bytes(const char *file)
{
    const char *slash = strrchr(file, '/');
    char *folder = slash ? cli_printf("%.*s", (int)(slash - file), file) : NULL;
    DIR *dir = folder ? opendir(folder) : NULL;
    struct stat st;
    double bytes = 0;
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (cli_has_ending(e->d_name, ".vdb") && !fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW))
            bytes += (double)st.st_size;
    if (dir) closedir(dir);
    free(folder);
    return bytes;
}

void cache_size_print(const struct progress *p, double frames)
{
    char size[48];
    const double bytes = p->output[2] ? folder_bytes(p->output[2]) : 0;
    if (bytes > 0) fprintf(stderr, "VDB files: %s a frame\n", bw_number_words(bytes / frames, "B", size));
}

/* A line of `next:`: a command with a path, quoted for the shell. */
static void next_print(const char *command, const char *verb, const char *path, int length, const char *after)
{
    char *part = cli_printf("%.*s", length, path), *quoted = part ? cli_quote_path(part) : NULL;
    fprintf(stderr, "  %s%s%s %s%s\n", command, *verb ? " " : "", verb, quoted ? quoted : path, after);
    free(quoted);
    free(part);
}

void summary_print(const struct progress *p, const char *name, const char *out)
{
    const char *movie = p->output[0], *picture = p->output[1], *cache = p->output[2], *particles = p->output[3];
    if (movie || picture || cache || particles) fputs("next:\n", stderr);
    if (movie) next_print("xdg-open", "", movie, INT_MAX, "");
    if (picture) next_print("xdg-open", "", picture, INT_MAX, "");
    if (cache) {
        const char *slash = strrchr(cache, '/'), *dir = slash ? cache : ".";
        int folder = slash ? (int)(slash - cache) : 1;
        next_print(command_name(), "view", out, INT_MAX, "");
        next_print(command_name(), "info", cache, INT_MAX, "");
        next_print(command_name(), "preview", dir, folder, "");
        next_print(command_name(), "blender", dir, folder, " --scene --open");
        cli_print_line(stderr, "  Houdini: a File node on %.*s/%s_$F4.vdb", folder, dir, name);
    }
    if (particles) cli_print_line(stderr, "  particles, in files of all frames: %s", particles);
}
