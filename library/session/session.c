// SPDX-License-Identifier: Apache-2.0
#include "session.h"

#include "options.h"

static void session_destroy(struct object *o)
{
    struct session *s = (struct session *)o;
    kept_meshes_free(&s->meshes);
    kept_surroundings_free(&s->around);
    bw_registry_close(s->registry);
    folders_free(&s->folders);
    bw_free(s->preset_path);
    bw_free(s);
}

static enum bw_status session_make(const struct bw_session_options *o, struct bw_session **handle, struct api_call *api)
{
    struct session *s = bw_calloc(sizeof *s);
    if (!s) return out_of_memory(&api->d);
    object_init(&s->o, session_destroy);
    kept_meshes_init(&s->meshes);
    kept_surroundings_init(&s->around);
    s->preset_path = bw_strdup(o->preset_path ? o->preset_path : "");
    if (s->preset_path && folders_find(&s->folders, o->plugin_path))
        s->registry = bw_registry_open_scanned(s->folders.plugins, session_probe_untrusted, &s->folders);
    for (int32_t i = 0; s->registry && i < s->registry->n_broken; i++)
        api_warn(api, "%s", s->registry->broken[i].why ? s->registry->broken[i].why : "out of memory for a plugin");
    if (s->registry && (*handle = handle_new(HANDLE_SESSION, &s->o))) return BW_OK;
    object_unref(&s->o);
    return out_of_memory(&api->d);
}

enum bw_status bw_session_open(const struct bw_session_options *options, struct bw_session **session)
{
    struct api_call api;
    struct bw_session_options o;
    api_enter(&api);
    if (session) *session = NULL;
    if (!session) bw_diag_error(&api.d, NULL, BW_ERR_USAGE, "bw_session_open wants a place for the session");
    else if (host_struct_copy(&o, options, sizeof o, "bw_session_options", &api.d)) session_make(&o, session, &api);
    return api_leave(&api);
}

void bw_session_close(struct bw_session *session)
{
    struct api_call api;
    api_enter(&api);
    if (session) object_unref(handle_close(session, HANDLE_SESSION, NULL));
    api_leave_silent(&api);
}

struct session *session_acquire(struct bw_session *handle, struct bw_diag *d)
{
    return handle_acquire(handle, HANDLE_SESSION, d);
}
