// SPDX-License-Identifier: Apache-2.0
/* Numbers with units, frames and bytes of any text; what is read is finite, and a range is one. */
#include "fuzz.h"
#include "preset/values/params.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static const char *const units[] = {NULL, "m", "1/s", "m/s^2", "kg/m^3", "rad/s", "B", "px"};
    char why[200], *text = malloc(n + 1);
    if (!text) return 0;
    memcpy(text, bytes, n);
    text[n] = '\0';
    for (size_t i = 0; i < BW_COUNT(units); i++) {
        double value = 0;
        int has = 0;
        why[0] = '\0';
        if (bw_parse_quantity(text, units[i], &value, &has, why, sizeof why) && !*why) abort();
    }
    int64_t first, last;
    if (!bw_parse_frames(text, &first, &last) && last < first) abort();
    double size;
    if (!bw_parse_bytes(text, &size) && !(size >= 0)) abort();
    free(text);
    return 0;
}
