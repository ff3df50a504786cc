// SPDX-License-Identifier: Apache-2.0
/* Exit status of a wedge's members: FOLDER/NNN.json, written by the member itself, or by the parent if it was killed.
 * */
#include "wedge.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void member_exit_write(const char *out, const json_t *member, int code, const char *message, double seconds)
{
    json_t *end = json_pack("{s:i, s:f}", "code", code, "seconds", seconds);
    json_t *words = message ? json_string(message) : NULL; // NULL also where it is no UTF-8
    if (words) json_object_set_new(end, "message", words);
    char *path = member_path(out, member, ".json"), *text = json_dumps(end, JSON_INDENT(1));
    if (path && text) cli_write_file(path, text);
    json_decref(end);
    free(path);
    free(text);
}

json_t *member_exit_read(const char *out, const json_t *member)
{
    enum { MOST = 1 << 20 };
    char *name = cli_printf("%s.json", cli_text(member, "folder"));
    char *text = name && bw_folder_has(out, name) ? bw_folder_read(out, name, MOST, NULL) : NULL;
    json_t *end = text ? json_loads(text, 0, NULL) : NULL, *code = json_object_get(end, "code");
    const json_int_t value = json_integer_value(code);
    if (end && (!json_is_integer(code) || value < 0 || value > 255)) json_decref(end), end = NULL; // no run's own
    bw_text_free(text);
    free(name);
    return end;
}

/* A member whose result was removed since is to be baked again. */
static int result_exists(const char *out, const json_t *member)
{
    char *bake = member_path(out, member, "/bake.json"), *movie = member_path(out, member, ".mp4");
    const int there = (bake && !access(bake, R_OK)) || (movie && !access(movie, R_OK));
    free(bake);
    free(movie);
    return there;
}

const char *member_state(const char *out, const json_t *member, char **message)
{
    json_t *end = member_exit_read(out, member);
    const int code = (int)cli_number(end, "code");
    const char *state = !end                                  ? "waiting"
                        : !code && result_exists(out, member) ? "done"
                        : !code                               ? "waiting"
                        : code == 75 || code == 130           ? "stopped"
                                                              : "failed";
    if (message) {
        const char *text = cli_text(end, "message");
        *message = *text ? strdup(text) : NULL;
    }
    json_decref(end);
    return state;
}

int members_report(const char *out, const json_t *plan)
{
    const json_t *member;
    size_t i;
    int count = 0;
    json_array_foreach (json_object_get(plan, "members"), i, member) {
        char *message, *words = member_label(plan, member, " "), *log = member_path(out, member, ".log");
        const char *state = member_state(out, member, &message);
        json_t *end = member_exit_read(out, member);
        if (strcmp(state, "done")) {
            count++;
            fprintf(stderr, "member %.0f (%s) %s", cli_number(member, "number"), words ? words : "",
                    strcmp(state, "waiting") ? state : "has not run");
            if (!strcmp(state, "failed"))
                fprintf(stderr, " with code %.0f: %s; %s", cli_number(end, "code"),
                        message ? message : "without a message", log ? log : "");
            fputc('\n', stderr);
        }
        json_decref(end);
        free(message);
        free(words);
        free(log);
    }
    return count;
}
