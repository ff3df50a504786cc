// SPDX-License-Identifier: Apache-2.0
/* replay FOLDER: what fuzzing found once, shown to the target again, as a test without libFuzzer. */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

/* Bytes of a file, to be freed; NULL: it cannot be read. */
static uint8_t *file_read(const char *path, size_t *n)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) return NULL;
    const long size = ftell(file);
    uint8_t *bytes = size >= 0 ? malloc((size_t)size ? (size_t)size : 1) : NULL;
    rewind(file);
    *n = bytes ? fread(bytes, 1, (size_t)size, file) : 0;
    fclose(file);
    return bytes;
}

int main(int argc, char **argv)
{
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    int shown = 0;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char path[4096];
        size_t n = 0;
        snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        uint8_t *bytes = entry->d_name[0] == '.' ? NULL : file_read(path, &n);
        if (!bytes) continue;
        fprintf(stderr, "%s\n", entry->d_name); // the last one told is the one that crashed
        LLVMFuzzerTestOneInput(bytes, n);
        free(bytes);
        shown++;
    }
    if (folder) closedir(folder);
    printf("%d files shown\n", shown);
    return shown ? 0 : 1; // a test that shows nothing proves nothing
}
