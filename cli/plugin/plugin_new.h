// SPDX-License-Identifier: Apache-2.0
/* The plugin that `billow plugin new` writes. */
#ifndef BW_PLUGIN_NEW_H
#define BW_PLUGIN_NEW_H

/// Write NAME/NAME.c and NAME/Makefile; files that are there are kept unless `force`. An exit code.
int plugin_new(const char *name, int force);

#endif
