// SPDX-License-Identifier: Apache-2.0
/* Removal of a bake's files and temporaries: those of its record, and nothing else. */
#include "record.h"

#include "base/alloc.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Links below `out` are not followed. */
static void file_remove(int root, const char *out, const char *name, struct bw_diag *d)
{
    struct stat st;
    int fd = file_folder_open(root, name, false);
    const char *base = file_base(name);
    if (fd < 0) return;
    if (!fstatat(fd, base, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode) && unlinkat(fd, base, 0))
        bw_diag_error(d, NULL, BW_ERR_IO, "%s/%s: can't be removed: %s", out, name, strerror(errno));
    close(fd);
}

/* `half`: the temporaries; else the complete files. */
static int files_remove(const struct bake_record *r, const char *out, json_t *keep, bool half, struct bw_diag *d)
{
    const char *name;
    json_t *file;
    int root = open(out, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root < 0) return 1;
    json_object_foreach (r->files, name, file) {
        // the record goes last, when the next one takes its name: killed here, the rest is still known
        bool stays = half ? !strcmp(name, "bake.log") : !strcmp(name, "bake.json") || json_object_get(keep, name);
        char *part = half && !stays ? file_temporary(name) : NULL;
        if (part) file_remove(root, out, part, d);
        bw_free(part);
        if (!half && file_entry_is_whole(file) && !stays) file_remove(root, out, name, d);
        if (d->status) break;
    }
    close(root);
    return !d->status;
}

int record_remove_partial(const struct bake_record *r, const char *out, struct bw_diag *d)
{
    return files_remove(r, out, NULL, true, d);
}

int record_remove_files(const struct bake_record *r, const char *out, json_t *keep, struct bw_diag *d)
{
    return files_remove(r, out, keep, false, d);
}
