// SPDX-License-Identifier: Apache-2.0
#include "record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int record_read(const char *folder, const char *name, json_t **root)
{
    json_error_t error;
    *root = NULL;
    if (!bw_folder_has(folder, name)) return EXIT_CODE_OK;
    char *text = bw_folder_read(folder, name, RECORD_MOST, NULL);
    if (!text) return cli_library_error();
    *root = json_loads(text, 0, &error);
    bw_text_free(text);
    if (json_is_object(*root)) return EXIT_CODE_OK;
    char what[JSON_ERROR_TEXT_LENGTH + 40] = "this is no record: {…} is wanted";
    if (!*root) snprintf(what, sizeof what, "not readable as JSON: %s", error.text);
    const int code = record_error_at(folder, name, *root ? 1 : error.line, *root ? 1 : error.column, what);
    json_decref(*root);
    *root = NULL;
    return code;
}

FILE *record_open_text(const char *folder, const char *name, size_t most)
{
    struct stat st;
    const int fd = bw_folder_open(folder, name);
    FILE *f = fd >= 0 && !fstat(fd, &st) && (size_t)st.st_size <= most ? fdopen(fd, "r") : NULL;
    if (fd >= 0 && !f) close(fd);
    return f;
}

int record_folder(const char *folder, const char *name)
{
    struct stat st;
    char *path = cli_printf("%s/%s", folder, name);
    int bad = !path || (mkdir(path, 0777) && errno != EEXIST);
    if (!bad && (bad = lstat(path, &st) != 0 || !S_ISDIR(st.st_mode))) errno = ENOTDIR;
    if (bad) cli_print_line(stderr, "%s/%s: can't be made: %s", folder, name, strerror(errno));
    free(path);
    return bad ? cli_exit_code(BW_ERR_IO) : EXIT_CODE_OK;
}
