// SPDX-License-Identifier: Apache-2.0
/* A preset of any bytes: read, merged, checked; then written and read again, which has to give the same. */
#include "fuzz.h"
#include "preset/preset.h"

#include "base/alloc.h"
#include <stdlib.h>
#include <string.h>

static char *written(const struct bw_node *n)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f) abort();
    bw_node_write(n, f);
    fclose(f);
    return text;
}

static void write_again(const struct bw_node *root)
{
    struct bw_diag d = {0};
    char *once = written(root);
    struct bw_node *n = bw_node_parse(once, "again", &d);
    char *twice = n ? written(n) : NULL;
    if (!twice || strcmp(once, twice) != 0) {
        fprintf(stderr, "written:\n%s\nread again:\n%s\n%s\n", once, twice ? twice : "(not)", d.text ? d.text : "");
        abort();
    }
    free(once);
    free(twice);
    bw_node_free(n);
    bw_diag_free(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct bw_diag d = {0};
    char *text = malloc(n + 1);
    if (!text) return 0;
    memcpy(text, bytes, n);
    text[n] = '\0';
    struct bw_preset_overrides o = {.text = text};
    struct bw_preset *p = bw_preset_load("fuzz.yaml", &o, &d);
    if (!p && (!d.first || !d.status)) abort(); // refused without a word
    if (p) write_again(p->root);
    bw_preset_free(p);
    bw_diag_free(&d);
    free(text);
    if (bw_alloc_live()) abort();
    return 0;
}
