// SPDX-License-Identifier: Apache-2.0
/* Files written all or nothing. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* A new file in place of an old one; links are not followed. */
static FILE *file_create(const char *path)
{
    unlink(path);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (fd >= 0 && !f) close(fd);
    return f;
}

int cli_has_ending(const char *name, const char *ending)
{
    const size_t n = strlen(name), m = strlen(ending);
    return n > m && !strcasecmp(name + n - m, ending);
}

/* C0, DEL, or C1 in UTF-8. */
static int is_control(const char *s)
{
    const unsigned char *c = (const unsigned char *)s;
    return *c < 0x20 || *c == 0x7F || (*c == 0xC2 && c[1] >= 0x80 && c[1] < 0xA0);
}

/* Control characters are written as octal escapes, in $'…'. */
static void character_quote(char **end, const char *s, int by_number)
{
    if (*s == '\'') *end += sprintf(*end, by_number ? "\\'" : "'\\''");
    else if (by_number && *s == '\\') *end += sprintf(*end, "\\\\");
    else if (by_number && is_control(s)) *end += sprintf(*end, "\\%03o", (unsigned char)*s);
    else *(*end)++ = *s;
}

char *cli_quote(const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@";
    if (*text && !text[strspn(text, plain)]) return strdup(text);
    char *out = malloc(4 * strlen(text) + 4), *end = out;
    if (!out) return NULL;
    const int by_number = cli_has_control(text);
    end += sprintf(end, by_number ? "$'" : "'");
    for (const char *s = text; *s; s++) character_quote(&end, s, by_number);
    *end++ = '\'';
    *end = '\0';
    return out;
}

char *cli_quote_path(const char *path)
{
    char *below = cli_printf("%s%s", *path == '-' ? "./" : "", path), *quoted = below ? cli_quote(below) : NULL;
    free(below);
    return quoted;
}

int cli_has_control(const char *text)
{
    for (; *text; text++)
        if (is_control(text)) return 1;
    return 0;
}

char *cli_name(const char *text)
{
    char *name = strdup(text);
    for (char *s = name; s && *s; s++)
        if (is_control(s) || strchr("/\\", *s) || (s == name && *s == '.')) *s = '_';
    return name;
}

int cli_write_file(const char *path, const char *text)
{
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) + 1 : 0;
    char *temporary = cli_printf("%.*s.%s.part", folder, path, path + folder);
    FILE *f = temporary ? file_create(temporary) : NULL;
    int good = f != NULL;
    if (f) {
        good = fputs(text, f) >= 0 && fflush(f) == 0 && fsync(fileno(f)) == 0;
        good = fclose(f) == 0 && good;
        good = good && rename(temporary, path) == 0;
        if (!good) remove(temporary);
    }
    if (!good) cli_print_line(stderr, "%s: can't be written: %s", path, strerror(errno));
    free(temporary);
    return good ? EXIT_CODE_OK : cli_exit_code(BW_ERR_IO);
}

int cli_folder_make(const char *path)
{
    char *part = strdup(path);
    for (char *s = part ? part + 1 : NULL; s && *s; s++) {
        if (*s != '/') continue;
        *s = '\0';
        mkdir(part, 0777);
        *s = '/';
    }
    const int bad = !part || (mkdir(part, 0777) && errno != EEXIST);
    if (bad) cli_print_line(stderr, "%s: can't be made: %s", path, strerror(errno));
    free(part);
    return bad ? cli_exit_code(BW_ERR_IO) : EXIT_CODE_OK;
}
