// SPDX-License-Identifier: Apache-2.0
/* The files of page/ inside the module; page_files.py makes them into C. */
#ifndef WEB_PAGE_FILES_H
#define WEB_PAGE_FILES_H

#include <stddef.h>

struct page_file {
    const char *name, *type;
    const unsigned char *bytes;
    size_t size;
};
extern const struct page_file page_files[]; ///< the last has no name

#endif
