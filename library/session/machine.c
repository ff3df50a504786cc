// SPDX-License-Identifier: Apache-2.0
/* bw_session_machine: cores, memory, libraries and folders of this machine and installation. */
#include "session.h"

#include "base/machine.h"
#include "run/run.h"
#include <libfyaml.h>
#include <math.h>
#include <picture/image/image.h>
#include <picture/movie/movie.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

const char *const simd_name[3] = {"baseline", "avx2", "avx512"};

double machine_memory(void)
{
    double bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE), limit;
    FILE *f = fopen("/sys/fs/cgroup/memory.max", "r");
    if (f && fscanf(f, "%lf", &limit) == 1 && limit > 0 && limit < bytes) bytes = limit;
    if (f) fclose(f);
    return bytes;
}

double disk_free(const char *path)
{
    struct statvfs st;
    char *folder = *path == '/' ? bw_strdup(path) : bw_printf("./%s", path);
    int good = 0;
    while (folder && !(good = statvfs(folder, &st) == 0)) {
        char *slash = strrchr(folder, '/');
        if (!slash || slash == folder) break;
        *slash = '\0';
    }
    bw_free(folder);
    return good ? (double)st.f_bavail * (double)st.f_frsize : NAN;
}

static json_t *libraries_json(void)
{
    char av[48];
    bw_movie_library(av, sizeof av);
    return json_pack("{s:s, s:s, s:s, s:s}", "libfyaml", fy_library_version(), "libpng", bw_image_library(), "jansson",
                     jansson_version_str(), "libavcodec", av);
}

/* {"path", "there"} of each folder of a list. */
static json_t *folders_json(const char *list)
{
    json_t *all = json_array();
    for (const char *s = list; s && *s;) {
        size_t n = strcspn(s, ":");
        char *one = n ? bw_printf("%.*s", (int)n, s) : NULL;
        if (one)
            json_array_append_new(all,
                                  json_pack("{s:o, s:b}", "path", json_bytes(one), "there", access(one, R_OK) == 0));
        bw_free(one);
        s += n + (s[n] == ':');
    }
    return all;
}

static json_t *machine_json(const struct session *s, const char *folder)
{
    uint32_t simd = bw_simd_best();
    json_t *all = json_pack("{s:s, s:s, s:o, s:s?, s:I, s:s, s:f}", "version", BW_VERSION, "abi", bw_plugin_interface(),
                            "libraries", libraries_json(), "movie_encoder", bw_movie_encoder(), "cores",
                            (json_int_t)bw_cores(), "simd", simd_name[simd < 3 ? simd : 0], "memory", machine_memory());
    double disk = disk_free(folder && *folder ? folder : ".");
    if (!all) return NULL;
    if (isfinite(disk)) json_object_set_new(all, "disk_free", json_real(disk));
    json_object_set_new(all, "plugins", folders_json(s->folders.plugins));
    json_object_set_new(all, "presets", folders_json(s->folders.presets));
    json_object_set_new(all, "include", json_bytes(s->folders.include));
    json_object_set_new(all, "library", json_bytes(s->folders.library));
    return all;
}

char *bw_session_machine(struct bw_session *session, const char *folder)
{
    struct api_call api;
    api_enter(&api);
    struct session *s = session_acquire(session, &api.d);
    char *text = s ? json_text(machine_json(s, folder), JSON_INDENT(1), &api.d) : NULL;
    if (s) object_unref(&s->o);
    api_leave(&api);
    return text;
}
