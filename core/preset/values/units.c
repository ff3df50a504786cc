// SPDX-License-Identifier: Apache-2.0
/* Quantities: "1.25 cm", "0.4 1/s", "9.81 m/s^2", "50 %" → SI. A unit is a product of powers of the words below,
 * written with *, / and blanks; every / divides by the one word that follows it, as it is spoken. */
#include "params_private.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct word {
    const char *name;
    struct bw_unit unit;
};

#define PI 3.14159265358979323846

/*                      scale          m  kg  s  K rad */
static const struct word words[] = {
    {"m", {1, {1, 0, 0, 0, 0}}},          {"cm", {1e-2, {1, 0, 0, 0, 0}}},      {"mm", {1e-3, {1, 0, 0, 0, 0}}},
    {"um", {1e-6, {1, 0, 0, 0, 0}}},      {"km", {1e3, {1, 0, 0, 0, 0}}},       {"in", {0.0254, {1, 0, 0, 0, 0}}},
    {"ft", {0.3048, {1, 0, 0, 0, 0}}},    {"kg", {1, {0, 1, 0, 0, 0}}},         {"g", {1e-3, {0, 1, 0, 0, 0}}},
    {"mg", {1e-6, {0, 1, 0, 0, 0}}},      {"t", {1e3, {0, 1, 0, 0, 0}}},        {"s", {1, {0, 0, 1, 0, 0}}},
    {"ms", {1e-3, {0, 0, 1, 0, 0}}},      {"min", {60, {0, 0, 1, 0, 0}}},       {"h", {3600, {0, 0, 1, 0, 0}}},
    {"Hz", {1, {0, 0, -1, 0, 0}}},        {"kHz", {1e3, {0, 0, -1, 0, 0}}},     {"K", {1, {0, 0, 0, 1, 0}}},
    {"rad", {1, {0, 0, 0, 0, 1}}},        {"deg", {PI / 180, {0, 0, 0, 0, 1}}}, {"°", {PI / 180, {0, 0, 0, 0, 1}}},
    {"rpm", {PI / 30, {0, 0, -1, 0, 1}}}, {"N", {1, {1, 1, -2, 0, 0}}},         {"kN", {1e3, {1, 1, -2, 0, 0}}},
    {"Pa", {1, {-1, 1, -2, 0, 0}}},       {"hPa", {1e2, {-1, 1, -2, 0, 0}}},    {"kPa", {1e3, {-1, 1, -2, 0, 0}}},
    {"bar", {1e5, {-1, 1, -2, 0, 0}}},    {"J", {1, {2, 1, -2, 0, 0}}},         {"kJ", {1e3, {2, 1, -2, 0, 0}}},
    {"MJ", {1e6, {2, 1, -2, 0, 0}}},      {"W", {1, {2, 1, -3, 0, 0}}},         {"kW", {1e3, {2, 1, -3, 0, 0}}},
    {"MW", {1e6, {2, 1, -3, 0, 0}}},      {"%", {1e-2, {0, 0, 0, 0, 0}}},       {"1", {1, {0, 0, 0, 0, 0}}},
};

struct quantity_name {
    const char *name;
    int32_t power[5];
};

static const struct quantity_name names[] = {
    {"a pure number", {0, 0, 0, 0, 0}},         {"a length (m)", {1, 0, 0, 0, 0}},
    {"an area (m²)", {2, 0, 0, 0, 0}},          {"a volume (m³)", {3, 0, 0, 0, 0}},
    {"a mass (kg)", {0, 1, 0, 0, 0}},           {"a time (s)", {0, 0, 1, 0, 0}},
    {"a rate (1/s)", {0, 0, -1, 0, 0}},         {"a temperature (K)", {0, 0, 0, 1, 0}},
    {"an angle (rad)", {0, 0, 0, 0, 1}},        {"an angular velocity (rad/s)", {0, 0, -1, 0, 1}},
    {"a velocity (m/s)", {1, 0, -1, 0, 0}},     {"an acceleration (m/s²)", {1, 0, -2, 0, 0}},
    {"a diffusivity (m²/s)", {2, 0, -1, 0, 0}}, {"a density (kg/m³)", {-3, 1, 0, 0, 0}},
    {"a force (N)", {1, 1, -2, 0, 0}},          {"a pressure (Pa)", {-1, 1, -2, 0, 0}},
    {"an energy (J)", {2, 1, -2, 0, 0}},        {"a power (W)", {2, 1, -3, 0, 0}},
    {"a heating rate (K/s)", {0, 0, -1, 1, 0}}, {"an inverse length (1/m)", {-1, 0, 0, 0, 0}},
};

/* Two signs are called micro; both are "u" here. */
static int micro_length(const char *s) { return !strncmp(s, "\u00b5", 2) || !strncmp(s, "\u03bc", 2) ? 2 : 0; }

static const struct word *word_find(const char *text, size_t length)
{
    char plain[16] = "u";
    if (micro_length(text) && length < sizeof plain) {
        memcpy(plain + 1, text + 2, --length - 1);
        text = plain;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i].name) == length && !strncmp(words[i].name, text, length)) return &words[i];
    }
    return NULL;
}

/* Signs that end a word: blanks, operators, powers ("²" and "³" begin with byte 0xC2, "°" does too). */
static size_t word_length(const char *s)
{
    if (*s == '1' || *s == '%') return 1;
    if (!strncmp(s, "°", 2)) return 2;
    size_t n = (size_t)micro_length(s);
    while (isalpha((unsigned char)s[n])) n++;
    return n;
}

static const char *power_parse(const char *s, int32_t *power)
{
    *power = 1;
    if (!strncmp(s, "²", 2) || !strncmp(s, "³", 2)) {
        *power = strncmp(s, "²", 2) ? 3 : 2;
        return s + 2;
    }
    int caret = *s == '^';
    if (!caret && !(*s >= '2' && *s <= '9')) return s;
    if (caret) s++;
    int32_t sign = *s == '-' ? -1 : 1;
    if (*s == '-') s++;
    if (*s < '1' || *s > '9') return NULL;
    *power = sign * (*s - '0');
    return s + 1;
}

enum bw_status bw_unit_parse(const char *text, struct bw_unit *u)
{
    *u = (struct bw_unit){.scale = 1};
    int32_t sign = 1, wanted = 1;
    for (const char *s = text; *s;) {
        if (!strncmp(s, "\u00a0", 2)) { // a space that does not break, as pages have it
            s += 2;
            continue;
        }
        if (*s == ' ' || *s == '*' || *s == '/') {
            if (wanted && *s != ' ' && !(s == text && *s == '/')) return BW_ERR_PRESET; /* "0.4 /s" is fine */
            if (*s == '/') sign = -1;
            wanted = *s != ' ' || wanted;
            s++;
            continue;
        }
        size_t length = word_length(s);
        const struct word *w = word_find(s, length);
        int32_t power = 1;
        s = w ? power_parse(s + length, &power) : NULL;
        if (!s) return BW_ERR_PRESET;
        u->scale *= pow(w->unit.scale, sign * power);
        for (int a = 0; a < 5; a++) u->power[a] += sign * power * w->unit.power[a];
        sign = 1;
        wanted = 0;
    }
    return wanted ? BW_ERR_PRESET : BW_OK;
}

/* Whole numbers to another base, 0x1f and 0o17, alone: units follow decimal ones. NULL: it is none. */
static const char *whole_parse(const char *digits, double *number)
{
    const int base = digits[0] != '0' ? 0 : digits[1] == 'x' ? 16 : digits[1] == 'o' ? 8 : 0;
    char *end = NULL;
    if (base && isxdigit((unsigned char)digits[2])) *number = (double)strtoull(digits + 2, &end, base);
    return end && !*end && *number < 0x1p53 ? end : NULL;
}

/* A decimal number, of whose digits underscores part some, as in 1_000. */
static const char *parted_parse(const char *s, double *number)
{
    char plain[64], *end;
    const char *from[64];
    size_t n = 0;
    for (; n < sizeof plain - 1 && *s; s++) {
        const int parts = *s == '_' && n && isdigit((unsigned char)s[-1]) && isdigit((unsigned char)s[1]);
        if (!parts) from[n] = s, plain[n++] = *s;
    }
    plain[n] = '\0';
    from[n] = s;
    *number = strtod(plain, &end);
    return isfinite(*number) ? from[end - plain] : NULL;
}

/* 1/255: what the number is divided by. NULL: a slash and no number above 0. */
static const char *divisor_parse(const char *s, double *number)
{
    double below;
    if (*s != '/' || !isdigit((unsigned char)s[1])) return s;
    s = parted_parse(s + 1, &below);
    if (s) *number /= below;
    return s && isfinite(*number) ? s : NULL;
}

/* As YAML 1.2 and 1.1 write numbers, without infinities and NaNs; and fractions. */
static const char *number_parse(const char *s, double *number)
{
    const char *digits = *s == '-' || *s == '+' ? s + 1 : s, *end = whole_parse(digits, number);
    if (end && *s == '-') *number = -*number;
    if (end) return end;
    if (!isdigit((unsigned char)*digits) && !(*digits == '.' && isdigit((unsigned char)digits[1]))) return NULL;
    if (*digits == '0' && (digits[1] == 'x' || digits[1] == 'X')) return NULL;
    s = parted_parse(s, number);
    return s ? divisor_parse(s, number) : NULL;
}

enum bw_status bw_quantity_split(const char *text, double *number, const char **unit)
{
    while (*text == ' ') text++;
    const char *end = number_parse(text, number);
    if (!end) return BW_ERR_PRESET;
    while (*end == ' ') end++;
    *unit = end;
    return BW_OK;
}

static const char *unit_name(const struct bw_unit *u, const char *fallback)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!memcmp(names[i].power, u->power, sizeof u->power)) return names[i].name;
    }
    return fallback;
}

/* The words for what is wanted: "; a length (m) may be in m, cm, ..."; none for what is a product of several. */
static void words_list(const struct bw_unit *want, char *why, size_t size)
{
    int n = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t used = strlen(why);
        if (memcmp(words[i].unit.power, want->power, sizeof want->power) != 0) continue;
        if (n++) snprintf(why + used, size - used, ", %s", words[i].name);
        else snprintf(why + used, size - used, "; %s may be in %s", unit_name(want, "it"), words[i].name);
    }
}

static enum bw_status unit_convert(const char *text, const char *given, const char *unit, double *value, char *why,
                                   size_t why_size)
{
    struct bw_unit have, want;
    enum bw_status wanted = bw_unit_parse(unit && *unit ? unit : "1", &want);
    if (wanted) { /* a unit of the plugin's own, like "px": only the same word will do */
        if (!strcmp(given, unit)) return BW_OK;
        snprintf(why, why_size, "\"%s\" has another unit than %s", text, unit);
        return BW_ERR_PRESET;
    }
    if (*given == ',') {
        snprintf(why, why_size, "\"%s\" has a comma: decimals follow a point", text);
        return BW_ERR_PRESET;
    }
    if (bw_unit_parse(given, &have)) {
        snprintf(why, why_size, "\"%s\" is no unit that is known here", given);
        words_list(&want, why, why_size);
        return BW_ERR_PRESET;
    }
    if (memcmp(have.power, want.power, sizeof have.power) != 0) {
        snprintf(why, why_size, "\"%s\" is %s; wanted is %s", text, unit_name(&have, "something else"),
                 unit_name(&want, unit ? unit : "1"));
        return BW_ERR_PRESET;
    }
    *value *= have.scale / want.scale;
    return BW_OK;
}

enum bw_status bw_parse_quantity(const char *text, const char *unit, double *value, int *has_unit, char *why,
                                 size_t why_size)
{
    const char *given;
    double number;
    if (unit && !strcmp(unit, "B")) {
        if (has_unit) *has_unit = 1;
        if (!bw_parse_bytes(text, value)) return BW_OK;
        snprintf(why, why_size, "\"%s\" is no amount of memory, like \"12 GiB\"", text);
        return BW_ERR_PRESET;
    }
    if (bw_quantity_split(text, &number, &given)) {
        snprintf(why, why_size, "\"%s\" is no number", text);
        return BW_ERR_PRESET;
    }
    if (has_unit) *has_unit = *given != '\0';
    if (!*given && unit && !strcmp(unit, "rad") && fabs(number) > 2 * PI) {
        snprintf(why, why_size, "\"%s\" without a unit is in radians, more than a turn; write %.6g deg, or %.6g rad",
                 text, number, number);
        return BW_ERR_PRESET;
    }
    enum bw_status status = *given ? unit_convert(text, given, unit, &number, why, why_size) : BW_OK;
    if (!status) *value = number;
    return status;
}

/* Digits with a point among them; no exponent, whose sign would look like the dash between two numbers. */
static const char *decimal_parse(const char *s, double *value)
{
    static const char digit[] = "0123456789";
    char text[32];
    while (*s == ' ') s++;
    size_t n = strspn(s + (*s == '-'), digit) + (*s == '-');
    if (n == (size_t)(*s == '-')) return NULL;
    if (s[n] == '.') n += 1 + strspn(s + n + 1, digit);
    if (n >= sizeof text) return NULL;
    snprintf(text, sizeof text, "%.*s", (int)n, s);
    *value = strtod(text, NULL);
    s += n;
    while (*s == ' ') s++;
    return s;
}

enum bw_status bw_parse_span(const char *text, double *first, double *last)
{
    double a, b;
    const char *s = decimal_parse(text, &a);
    if (!s) return BW_ERR_PRESET;
    b = a;
    if (*s) s = *s == '-' ? decimal_parse(s + 1, &b) : NULL;
    if (!s || *s || b < a - 1 || (b < a && !strchr(text, '.'))) return BW_ERR_PRESET;
    *first = a;
    *last = b;
    return BW_OK;
}

enum bw_status bw_parse_frames(const char *text, int64_t *first, int64_t *last)
{
    double a, b;
    if (strchr(text, '.') || bw_parse_span(text, &a, &b) || fabs(a) >= 1e15 || fabs(b) >= 1e15) return BW_ERR_PRESET;
    *first = (int64_t)a;
    *last = (int64_t)b;
    return BW_OK;
}

enum bw_status bw_parse_bytes(const char *text, double *bytes)
{
    static const char prefixes[] = "kmgt";
    double number;
    const char *s;
    if (bw_quantity_split(text, &number, &s) || number < 0) return BW_ERR_PRESET;
    const char *prefix = *s ? strchr(prefixes, tolower((unsigned char)*s)) : NULL;
    double base = 1024; /* "12G" and "12 GiB" are the same; "12 GB" is decimal, as disks are sold */
    int power = 0;
    if (prefix && *prefix) {
        power = (int)(prefix - prefixes) + 1;
        s++;
        if (*s == 'B') base = 1000;
        if (*s == 'i') s++;
    }
    if (*s == 'B') s++;
    if (*s) return BW_ERR_PRESET;
    *bytes = number * pow(base, power);
    return BW_OK;
}
