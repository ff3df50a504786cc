// SPDX-License-Identifier: Apache-2.0
/* Gather the files of a bake's tasks into one cache: hard links to the numbered files, so that a task that runs again
 * finds its own, and one metrics table. */
#include "farm.h"

#include "wedge/wedge.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* NAME_0001.vdb: what stands before the last point ends in a digit. */
static int is_numbered(const char *name)
{
    const char *point = strrchr(name, '.');
    return *name != '.' && point && point > name && point[-1] >= '0' && point[-1] <= '9';
}

static int file_link(const char *from, const char *to)
{
    unlink(to);
    if (!link(from, to) || !rename(from, to)) return EXIT_CODE_OK; // some disks have no links
    fprintf(stderr, "%s: can't be written: %s\n", to, strerror(errno));
    return cli_exit_code(BW_ERR_IO);
}

/* The numbered files of `from`, below it too, at the same places of `to`. */
static int folder_gather(const char *from, const char *to, int depth)
{
    DIR *dir = opendir(from);
    struct stat to_st;
    int code = EXIT_CODE_OK;
    if (!lstat(to, &to_st) && !S_ISDIR(to_st.st_mode)) {
        fprintf(stderr, "%s: is no folder of the cache\n", to);
        code = cli_exit_code(BW_ERR_IO);
    }
    for (struct dirent *e; dir && !code && (e = readdir(dir));) {
        struct stat st;
        char *a = cli_printf("%s/%s", from, e->d_name), *b = cli_printf("%s/%s", to, e->d_name);
        if (!a || !b) code = 7;
        else if (e->d_name[0] == '.' || !strcmp(e->d_name, "checkpoints") || lstat(a, &st)) code = EXIT_CODE_OK;
        else if (S_ISDIR(st.st_mode) && depth < 4) code = folder_gather(a, b, depth + 1);
        else if (S_ISREG(st.st_mode) && is_numbered(e->d_name)) {
            code = cli_folder_make(to);
            if (!code) code = file_link(a, b);
        }
        free(a);
        free(b);
    }
    if (dir) closedir(dir);
    return code;
}

/* Rows of a member's table behind those before; the heading once. */
static void table_append(FILE *f, const char *out, const char *name, int heading)
{
    char *line = NULL;
    size_t size = 0;
    FILE *in = record_open_text(out, name, TABLE_MOST);
    for (int row = 0; in && getline(&line, &size, in) > 0; row++)
        if (row || heading) fputs(line, f);
    if (in) fclose(in);
    free(line);
}

int farm_gather(const char *out, const json_t *plan)
{
    if (*cli_text(plan, "movie")) return movie_gather(out, plan);
    const json_t *member;
    size_t i, size;
    char *text = NULL, *table = cli_printf("%s/metrics.csv", out);
    FILE *f = table ? open_memstream(&text, &size) : NULL;
    int code = f ? EXIT_CODE_OK : 7;
    json_array_foreach (json_object_get(plan, "members"), i, member) {
        char *folder = member_path(out, member, ""),
             *metrics = cli_printf("%s/metrics.csv", cli_text(member, "folder"));
        if (!code && !strcmp(member_state(out, member, NULL), "done")) {
            code = folder_gather(folder, out, 0);
            if (metrics) table_append(f, out, metrics, !i);
        }
        free(folder);
        free(metrics);
    }
    if (f) fclose(f);
    if (!code) code = cli_write_file(table, text);
    free(text);
    free(table);
    return code;
}
