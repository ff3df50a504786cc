// SPDX-License-Identifier: Apache-2.0
/* Restores a domain's topology from a checkpoint. */
#include "grid.h"
#include <stdlib.h>

/* Tiles without a box lie as near as those that cells ask for: bw_domain_request_cells. */
static bool coords_near(const struct bw_domain *d, const int32_t (*coord)[3], int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        for (int a = 0; a < 3; a++)
            if (llabs((int64_t)coord[i][a] * d->info.tile[a]) > BW_FAR_CELLS + d->info.tile[a]) return false;
    return true;
}

enum bw_status bw_domain_restore(struct bw_domain *d, const int32_t (*coord)[3], int64_t n, uint64_t version)
{
    if (!coords_near(d, coord, n)) return BW_ERR_IO;
    for (int64_t i = 0; i < n; i++) bw_domain_request_tile(d, coord[i]);
    d->version = version - 1; /* what stages remember of a topology by its number stays true */
    enum bw_status status = bw_domain_commit(d);
    d->version = d->topo->pub.version = version;
    return status == BW_OK && d->topo->pub.count != n ? BW_ERR_IO : status;
}
