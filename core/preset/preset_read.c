// SPDX-License-Identifier: Apache-2.0
/* Small things that the preset reader's files share. */
#include "preset_private.h"

#include "base/alloc.h"
#include "base/text/utf8.h"
#include "preset/values/params_private.h"

enum bw_status bw_first_error(enum bw_status a, enum bw_status b) { return a ? a : b; }

enum bw_status bw_error_memory(struct bw_diag *d)
{
    return bw_diag_error(d, NULL, BW_ERR_MEMORY, "out of memory while reading the preset");
}

enum bw_status bw_name_check(const char *name, const struct bw_place *place, const char *what, struct bw_diag *d)
{
    const char *fault = bw_name_fault(name);
    char *quoted = fault ? bw_node_quote(name) : NULL;
    if (fault) bw_diag_error(d, place, BW_ERR_PRESET, "%s: %.300s %s", what, quoted ? quoted : "", fault);
    bw_free(quoted);
    return fault ? BW_ERR_PRESET : BW_OK;
}

enum bw_status bw_check_word(const struct bw_node *n, const char *what, struct bw_diag *d)
{
    char buffer[64];
    if (n->type == BW_NODE_SCALAR && n->text[0]) return BW_OK;
    return bw_diag_error(d, &n->place, BW_ERR_PRESET, "%s wants a name, not %s", what, bw_node_describe(n, buffer));
}
