// SPDX-License-Identifier: Apache-2.0
/* PLY's types; ply_types.h says what it does. */
#include "ply_types.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static const struct ply_type types[] = {{{"char", "int8"}, 1, false, true},    {{"uchar", "uint8"}, 1, false, false},
                                        {{"short", "int16"}, 2, false, true},  {{"ushort", "uint16"}, 2, false, false},
                                        {{"int", "int32"}, 4, false, true},    {{"uint", "uint32"}, 4, false, false},
                                        {{"float", "float32"}, 4, true, true}, {{"double", "float64"}, 8, true, true}};

const struct ply_type *ply_type_find(const char *name)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(name, types[i].name[0]) || !strcmp(name, types[i].name[1])) return &types[i];
    return NULL;
}

double ply_type_value(const struct ply_type *type, const char *at, bool big_endian)
{
    uint64_t u = 0;
    for (int i = 0; i < type->bytes; i++) u = u << 8 | (unsigned char)at[big_endian ? i : type->bytes - 1 - i];
    if (type->is_float && type->bytes == 4) {
        const uint32_t w = (uint32_t)u;
        float f;
        memcpy(&f, &w, sizeof f);
        return (double)f;
    }
    if (type->is_float) {
        double d;
        memcpy(&d, &u, sizeof d);
        return d;
    }
    const uint64_t sign = (uint64_t)1 << (8 * type->bytes - 1);
    return type->is_signed && (u & sign) ? (double)u - 2 * (double)sign : (double)u;
}
