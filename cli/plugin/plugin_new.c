// SPDX-License-Identifier: Apache-2.0
/* `billow plugin new NAME`: a whole small stage and its Makefile. In the texts below @ stands for the name, # for the
 * name as a C identifier, % for the path of this program. */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char source_text[] =
    "/* @: lets a field fade, f' = -rate f, exactly: f(t+dt) = f(t) exp(-rate dt). Stable for any dt.\n"
    " * Build: make. Check: billow plugin validate @.so. Use: billow bake PRESET --plugin-path FOLDER */\n"
    "#include <billow/plugin.h>\n"
    "#include <math.h>\n"
    "\n"
    "/* 1: options. The host fills this struct before each step from the preset, by the rows below. */\n"
    "struct # {\n"
    "    double rate;\n"
    "};\n"
    "\n"
    "static const struct bw_param params[] = {\n"
    "    BW_F64(struct #, rate, \"rate\", \"0.5 1/s\", 0, 100, \"1/s\", \"Share of the field lost each second.\"),\n"
    "};\n"
    "\n"
    "/* 2: fields. `bind: {density: other}` in a preset gives the stage another one. */\n"
    "static const struct bw_port ports[] = {\n"
    "    {.name = \"density\", .kind = BW_SCALAR, .access = BW_UPDATE, .unit = \"1\", .doc = \"What fades.\"},\n"
    "};\n"
    "\n"
    "/* 3: kernel, on one block of cells; called from several threads at once. */\n"
    "static void block_fade(const struct bw_block *b, void *user)\n"
    "{\n"
    "    const struct bw_view *v = &b->view[0];\n"
    "    float keep = *(const float *)user, *f = bw_f32(v, 0);\n"
    "    for (int k = 0; k < b->n[2]; k++) {\n"
    "        for (int j = 0; j < b->n[1]; j++) {\n"
    "            for (int i = 0; i < b->n[0]; i++) f[i + j * v->sy + k * v->sz] *= keep;\n"
    "        }\n"
    "    }\n"
    "}\n"
    "\n"
    "/* 4: one step of s->dt seconds. */\n"
    "static enum bw_status stage_step(struct bw_stage *s)\n"
    "{\n"
    "    const struct # *p = s->params;\n"
    "    float keep = expf(-(float)(p->rate * s->dt));\n"
    "    struct bw_access access[] = {{bw_port_field(s, 0), BW_UPDATE, 0}};\n"
    "    struct bw_sweep sweep = {.access = access, .n_access = 1, .body = block_fade, .user = &keep};\n"
    "    return s->host->sweep(s, &sweep);\n"
    "}\n"
    "\n"
    "/* 5: descriptor and module. A stage that keeps something from step to step has a state_size, too, and says how\n"
    " * it survives a kill: by a flag, or by a function `checkpoint` (billow/checkpoint.h). */\n"
    "static const struct bw_stage_desc stage = {\n"
    "    .id = \"@\",\n"
    "    .version = \"1.0\",\n"
    "    .brief = \"Lets a field fade.\",\n"
    "    .params_size = sizeof(struct #),\n"
    "    BW_PARAMS(params),\n"
    "    BW_PORTS(ports),\n"
    "    .step = stage_step,\n"
    "};\n"
    "static const struct bw_stage_desc *const stages[] = {&stage};\n"
    "\n"
    "BW_EXPORT const struct bw_module billow_module = BW_MODULE(stages);\n";

static const char make_text[] =
    "# Builds @.so. An installed Billow is found by pkg-config, any other by asking the program.\n"
    "BILLOW ?= %\n"
    "BILLOW_CFLAGS ?= $(shell pkg-config --cflags billow 2>/dev/null || $(BILLOW) plugin cflags)\n"
    "CFLAGS ?= -O2 -g -Wall -Wextra\n"
    "\n"
    "@.so: @.c\n"
    "\t$(CC) -std=c17 -fPIC -shared -fvisibility=hidden $(BILLOW_CFLAGS) $(CFLAGS) -o $@ $< -lm\n"
    "\n"
    "check: @.so\n"
    "\t$(BILLOW) plugin validate ./@.so\n"
    "\n"
    "clean:\n"
    "\trm -f @.so\n"
    "\n"
    ".PHONY: check clean\n";

/* `$@` in the Makefile is Make's own. */
static char *text_fill(const char *text, const char *name, const char *identifier, const char *program)
{
    char *out = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&out, &size);
    if (!f) return NULL;
    for (const char *c = text; *c; c++) {
        int own = c > text && c[-1] == '$';
        if (*c == '@' && !own) fputs(name, f);
        else if (*c == '#' && c[1] == ' ' && c > text && c[-1] == ' ') fputs(identifier, f);
        else if (*c == '#' && (c[1] == ',' || c[1] == ')')) fputs(identifier, f);
        else if (*c == '%') fputs(program, f);
        else fputc(*c, f);
    }
    fclose(f);
    return out;
}

static int name_is_good(const char *name)
{
    size_t n = strlen(name);
    return n && n < 48 && name[0] >= 'a' && name[0] <= 'z' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") == n;
}

static int file_make(const char *name, const char *file, const char *text, int force)
{
    char *path = cli_printf("%s/%s", name, file);
    int code = path && text ? EXIT_CODE_OK : cli_exit_code(BW_ERR_MEMORY);
    if (code) fputs("out of memory\n", stderr);
    else if (!force && access(path, F_OK) == 0) {
        cli_print_line(stderr, "%s is there already (--force overwrites it)", path);
        code = EXIT_CODE_USAGE;
    }
    if (!code) code = cli_write_file(path, text);
    free(path);
    return code;
}

static int files_make(const char *name, int force)
{
    char identifier[64], file[64], program[4096] = "billow";
    snprintf(identifier, sizeof identifier, "%s", name);
    for (char *c = identifier; *c; c++) *c = (char)(*c == '-' ? '_' : *c);
    snprintf(file, sizeof file, "%s.c", name);
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n > 0) program[n] = '\0';
    if (mkdir(name, 0777) && errno != EEXIST) {
        cli_print_line(stderr, "%s: can't be made: %s", name, strerror(errno));
        return cli_exit_code(BW_ERR_IO);
    }
    char *source = text_fill(source_text, name, identifier, program);
    char *make = text_fill(make_text, name, identifier, program);
    int code = file_make(name, file, source, force);
    if (!code) code = file_make(name, "Makefile", make, force);
    free(source);
    free(make);
    return code;
}

int plugin_new(const char *name, int force)
{
    if (!name_is_good(name)) {
        return cli_usage("\"%s\" can't be a stage's name: it takes small letters, digits, '_' and '-', a letter first",
                         name);
    }
    int code = files_make(name, force);
    if (!code)
        cli_print_line(stdout, "%s/%s.c and %s/Makefile are there; now: make -C %s check", name, name, name, name);
    return code;
}
