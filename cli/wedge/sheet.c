// SPDX-License-Identifier: Apache-2.0
/* wedge.png and wedge.mp4: previews of all members in a grid, a row per value of the first axis. */
#include "wedge.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct sheet {
    struct bw_cache **cache;
    char **label;
    size_t count;
    struct bw_mosaic_wish request;
};

static void sheet_fill(struct sheet *s, struct bw_session *session, const char *out, const json_t *plan)
{
    const json_t *members = json_object_get(plan, "members");
    for (size_t i = 0; i < s->count; i++) {
        const json_t *member = json_array_get(members, i);
        const char *state = member_state(out, member, NULL);
        char *folder = member_path(out, member, ""), *words = member_label(plan, member, "\n");
        if (bw_cache_open(session, folder, &s->cache[i])) s->cache[i] = NULL;
        s->label[i] = cli_printf("%.0f%s%s\n%s", cli_number(member, "number"), strcmp(state, "done") ? " " : "",
                                 strcmp(state, "done") ? state : "", words ? words : "");
        free(folder);
        free(words);
    }
}

static int32_t on_frame(int32_t done, int32_t total, void *user)
{
    const struct sheet *s = user;
    if (isatty(STDERR_FILENO)) cli_terminal("\r");
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "%s: frame %d/%d%s", s->request.out, done, total, done < total ? "" : "\n");
    return 1;
}

static int one_write(struct sheet *s, const char *out, const char *name)
{
    char *path = cli_printf("%s/%s", out, name);
    s->request.out = path;
    int code = !path ? 7 : bw_cache_mosaic(&s->request) ? cli_exit_code(bw_error_last()->status) : EXIT_CODE_OK;
    if (code) fprintf(stderr, "billow: %s\n", bw_error_last()->sentence);
    free(path);
    return code;
}

/* Where frames begin, so that one can be asked for by its number. */
static int frame_index(const json_t *plan, const char *frame, int32_t *place)
{
    const json_t *member = json_array_get(json_object_get(plan, "members"), 0);
    const double first = cli_number(member, "first"), last = cli_number(member, "last");
    long long number;
    *place = 0;
    if (!frame) return EXIT_CODE_OK;
    if (!cli_integer("--frame", frame, (long long)first, (long long)last, &number)) return EXIT_CODE_USAGE;
    *place = (int32_t)((double)number - first) + 1;
    return EXIT_CODE_OK;
}

int sheet_write(struct bw_session *session, const char *out, const json_t *plan, const char *look, const char *frame,
                int still)
{
    struct sheet s = {.count = json_array_size(json_object_get(plan, "members"))};
    char *options =
        cli_printf("{%s%s%s}", look && strstr(look, "size:") ? "" : "size: 240", look ? ", " : "", look ? look : "");
    s.cache = calloc(s.count, sizeof *s.cache);
    s.label = calloc(s.count, sizeof *s.label);
    int code = s.cache && s.label && options ? EXIT_CODE_OK : 7;
    if (!code) {
        sheet_fill(&s, session, out, plan);
        s.request = (struct bw_mosaic_wish){.size = sizeof s.request,
                                            .columns = (int32_t)cli_number(plan, "columns"),
                                            .count = (int32_t)s.count,
                                            .caches = s.cache,
                                            .labels = (const char *const *)s.label,
                                            .options = options,
                                            .user = &s,
                                            .on_frame = on_frame};
        s.request.fps = cli_number(json_array_get(json_object_get(plan, "members"), 0), "fps");
        code = frame_index(plan, frame, &s.request.place);
    }
    if (!code) code = one_write(&s, out, "wedge.png");
    if (!code && !still) code = one_write(&s, out, "wedge.mp4");
    for (size_t i = 0; s.cache && s.label && i < s.count; i++) bw_cache_close(s.cache[i]), free(s.label[i]);
    free(s.cache);
    free(s.label);
    free(options);
    return code;
}
