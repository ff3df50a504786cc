// SPDX-License-Identifier: Apache-2.0
/* A draft: one pixel in four is marched. */
#ifndef BW_DRAFT_H
#define BW_DRAFT_H

#include "march.h"

/// As bw_march, of half as many pixels across and up; the picture is read between them.
enum bw_status bw_draft_march(const struct bw_tools *tools, const struct bw_shot *shot, struct bw_image *img,
                              float *alpha);

#endif
