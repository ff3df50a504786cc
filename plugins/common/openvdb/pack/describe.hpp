// SPDX-License-Identifier: Apache-2.0
/* What a grid says of itself: name, metadata, transform, as OpenVDB knows them. */
#ifndef BWVDB_DESCRIBE_HPP
#define BWVDB_DESCRIBE_HPP

#include "../bwvdb_guard.hpp"

void meta_insert(vdb::MetaMap &map, const bwvdb_meta &m);
void describe_grid(vdb::GridBase &grid, const bwvdb_grid &g);

#endif
