// SPDX-License-Identifier: Apache-2.0
#include "ply.h"

#include <stdio.h>
#include <string.h>

/* ---- types ---- */

static const struct ply_type types[] = {{{"char", "int8"}, 1, false, true},    {{"uchar", "uint8"}, 1, false, false},
                                        {{"short", "int16"}, 2, false, true},  {{"ushort", "uint16"}, 2, false, false},
                                        {{"int", "int32"}, 4, false, true},    {{"uint", "uint32"}, 4, false, false},
                                        {{"float", "float32"}, 4, true, true}, {{"double", "float64"}, 8, true, true}};

/// By either name, or NULL.
static const struct ply_type *type_find(const char *name)
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

/* ---- the heading ---- */

static bool wrong(struct ply_heading *h, const char *why)
{
    snprintf(h->why, sizeof h->why, "%s", why);
    return false;
}

static bool form_set(struct ply_heading *h, const char *name)
{
    static const char *const names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    for (int i = PLY_TEXT; i <= PLY_BIG; i++)
        if (!strcmp(name, names[i])) return h->form = (enum ply_form)i, true;
    return wrong(h, "the format is unknown");
}

static bool element_add(struct ply_heading *h, const char *line, const char *name, int64_t rows, size_t size)
{
    const char *digits = strpbrk(line + strlen("element "), " \t"); // behind the name
    const size_t length = digits ? strspn(digits + strspn(digits, " \t"), "0123456789") : 0;
    if (length > 18) rows = INT64_MAX;
    if (rows < 0 || (uint64_t)rows > size) {
        snprintf(h->why, sizeof h->why, "element %.63s has %lld rows, more than the file can hold", name,
                 (long long)rows);
        return false;
    }
    if (h->n_elements == PLY_ELEMENTS) return wrong(h, "too many elements");
    struct ply_element *e = &h->element[h->n_elements++];
    *e = (struct ply_element){.rows = rows, .first = h->n_properties};
    snprintf(e->name, sizeof e->name, "%s", name);
    return true;
}

static bool property_add(struct ply_heading *h, const char *count, const char *type, const char *name)
{
    struct ply_element *e = h->n_elements ? &h->element[h->n_elements - 1] : NULL;
    struct ply_property q = {.type = type_find(type), .count = count ? type_find(count) : NULL};
    if (!e) return wrong(h, "a property of no element");
    if (!q.type || (count && (!q.count || q.count->is_float))) return wrong(h, "a property's type is unknown");
    if (h->n_properties == PLY_PROPERTIES) return wrong(h, "too many properties");
    snprintf(q.name, sizeof q.name, "%s", name);
    q.offset = e->stride;
    e->stride += (size_t)q.type->bytes;
    e->n++;
    h->property[h->n_properties++] = q;
    return true;
}

static bool line_take(struct ply_heading *h, const char *line, size_t size, bool *form)
{
    char word[3][64] = {"", "", ""};
    long long rows;
    if (sscanf(line, "format %63s", word[0]) == 1) return *form = true, form_set(h, word[0]);
    if (sscanf(line, "element %63s %18lld", word[0], &rows) == 2) return element_add(h, line, word[0], rows, size);
    if (sscanf(line, "property list %63s %63s %63s", word[0], word[1], word[2]) == 3)
        return property_add(h, word[0], word[1], word[2]);
    if (sscanf(line, "property %63s %63s", word[0], word[1]) == 2) return property_add(h, NULL, word[0], word[1]);
    if (line[0] && strncmp(line, "obj_info", 8) != 0 && !h->odd) h->odd = h->line;
    return true;
}

/* The next line without its end (LF, CR LF, or the CR of old Macs) and blanks before that; false: there is none. */
static bool line_next(struct ply_heading *h, const char *end, char *out, size_t room)
{
    const char *at = h->rest, *stop = at;
    while (stop < end && *stop != '\n' && *stop != '\r') stop++;
    if (stop == end) return false;
    size_t n = (size_t)(stop - at) < room ? (size_t)(stop - at) : room - 1;
    memcpy(out, at, n);
    while (n && (out[n - 1] == ' ' || out[n - 1] == '\t')) n--;
    out[n] = '\0';
    h->rest = stop + (stop + 1 < end && stop[0] == '\r' && stop[1] == '\n' ? 2 : 1);
    h->line++;
    return true;
}

bool ply_heading_read(struct ply_heading *h, const char *text, size_t size,
                      void (*comment)(const char *line, void *user), void *user)
{
    char line[1024];
    bool form = false, more;
    memset(h, 0, sizeof *h);
    h->rest = text;
    more = line_next(h, text + size, line, sizeof line); // "ply"
    while (more && (more = line_next(h, text + size, line, sizeof line)) && strcmp(line, "end_header")) {
        if (!strncmp(line, "comment", 7)) {
            if (comment) comment(line, user);
        } else if (!line_take(h, line, size, &form)) return false;
    }
    if (!more) return wrong(h, "the heading does not end");
    return form || wrong(h, "the heading does not say which format");
}

const struct ply_element *ply_element_find(const struct ply_heading *h, const char *name)
{
    for (int i = 0; i < h->n_elements; i++)
        if (!strcmp(h->element[i].name, name)) return &h->element[i];
    return NULL;
}
