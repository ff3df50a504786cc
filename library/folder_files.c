// SPDX-License-Identifier: Apache-2.0
/* Files below a folder, for front ends: opened without following links out of it, as the library reads bake.json. */
#include "options.h"
#include "session/session.h"

#include "run/output/inside.h"

#include <stdlib.h>
#include <string.h>

static void read_failed(struct api_call *api, const char *folder, const char *name, const char *why)
{
    char *path = bw_printf("%s/%s", folder, name);
    bw_diag_error(&api->d, BW_NAMED(path), BW_ERR_IO, "can't read %s/%s: %s", folder, name, why);
    bw_free(path);
}

int bw_folder_open(const char *folder, const char *name)
{
    struct api_call api;
    const char *why = "a folder and a name are wanted";
    api_enter(&api);
    const int fd = folder && name ? file_inside_open(folder, name, &why) : -1;
    if (fd < 0) read_failed(&api, folder ? folder : "", name ? name : "", why);
    api_leave(&api);
    return fd;
}

char *bw_folder_read(const char *folder, const char *name, size_t most, size_t *bytes)
{
    struct api_call api;
    const char *why = "a folder and a name are wanted";
    api_enter(&api);
    size_t size = 0;
    char *own = folder && name ? file_inside_read(folder, name, most, &size, &why) : NULL;
    char *text = own ? malloc(size + 1) : NULL;
    if (text) memcpy(text, own, size + 1);
    else read_failed(&api, folder ? folder : "", name ? name : "", own ? "out of memory" : why);
    if (bytes) *bytes = size;
    bw_free(own);
    api_leave(&api);
    return text;
}

int bw_folder_has(const char *folder, const char *name) { return folder && name && file_inside_exists(folder, name); }
