// SPDX-License-Identifier: Apache-2.0
/* A small stroke font of our own, so that labels are sharp at any size and nothing has to be installed. Each glyph is
 * a string of points, two digits each (x 0 … 4, y 0 … 8; capitals from y = 0 to the baseline at 6), joined by
 * lines; a comma lifts the pen; a point alone is a dot. */
#include "font.h"
#include "draw.h"

#include <math.h>

enum { FIRST = '!', LAST = '~', ADVANCE = 6, CAPITAL = 6 };

static const char *const glyphs[LAST - FIRST + 1] = {
    "2024,26",
    "1012,3032",
    "1016,3036,0242,0444",
    "4130100213334445361605,2027",
    "0640,11,35",
    "4602011021120405162644",
    "2022",
    "30212536",
    "10212516",
    "2125,0442,0244",
    "2125,0343",
    "2617",
    "0343",
    "26",
    "0640",
    "103041453616050110",
    "112026,1636",
    "01103041420646",
    "01103041423323334445361605",
    "36300444",
    "40000312324345361605",
    "413010010516364544331304",
    "004016",
    "103041423313020110,1304051636454433",
    "051636454130100102133342",
    "22,26",
    "22,2617",
    "410345",
    "0242,0444",
    "014305",
    "01103041422324,26",
    "34141232354541301001051646",
    "0602204246,0444",
    "00063645443303,0030414233",
    "4130100105163645",
    "00062644422000",
    "40000646,0333",
    "400006,0333",
    "41301001051636454323",
    "0006,4046,0343",
    "1030,2026,1636",
    "4045361605",
    "0006,400346",
    "000646",
    "0600234046",
    "06004640",
    "103041453616050110",
    "06003041423303",
    "103041453616050110,3446",
    "06003041423303,2346",
    "413010010213334445361605",
    "0040,2026",
    "000516364540",
    "002640",
    "0016223640",
    "0046,4006",
    "002340,2326",
    "00400646",
    "30101636",
    "0046",
    "10303616",
    "022042",
    "0747",
    "1021",
    "12324346,441405163645",
    "0006,0312324345361605",
    "4332120305163645",
    "4046,4332120305163645",
    "04444332120305163645",
    "40302126,0242",
    "4332120305163645,4247381807",
    "0006,0312324346",
    "2226,20",
    "32372818,30",
    "0006,320436",
    "202536",
    "0206,03122326,23324346",
    "0206,0312324346",
    "123243453616050312",
    "0208,0312324345361605",
    "4248,4332120305163645",
    "0206,031232",
    "43321203143445361605",
    "10152636,0232",
    "0205163645,4246",
    "022642",
    "0216233642",
    "0246,4206",
    "0226,42261808",
    "02420646",
    "30212213242536",
    "2027",
    "10212233242516",
    "04133342",
};

/// One glyph with its cell's top left corner at (x, y).
static void glyph_draw(struct bw_image *img, double x, double y, double unit, double width, const float rgb[3],
                       float alpha, const char *g)
{
    double last[2] = {0};
    int points = 0;
    for (; *g; g += 2) {
        if (*g == ',') {
            g++;
            points = 0;
        }
        double p[2] = {x + (g[0] - '0' + 0.5) * unit, y + (g[1] - '0' + 0.5) * unit};
        int alone = !points && (!g[2] || g[2] == ',');
        if (points++ || alone) bw_draw_line(img, alone ? p : last, p, alone ? 1.3 * width : width, rgb, alpha);
        last[0] = p[0];
        last[1] = p[1];
    }
}

static void text_strokes(struct bw_image *img, double x, double y, double size, double width, const float rgb[3],
                         float alpha, const char *text)
{
    double unit = size / CAPITAL;
    for (; *text; text++) {
        if (((unsigned char)*text & 0xC0) == 0x80) continue; // the rest of a character outside ASCII: one blank
        if (*text >= FIRST && *text <= LAST) glyph_draw(img, x, y, unit, width, rgb, alpha, glyphs[*text - FIRST]);
        x += ADVANCE * unit;
    }
}

void bw_draw_label(struct bw_image *img, double x, double y, double size, const char *text)
{
    const float dark[3] = {0.02f, 0.02f, 0.03f}, light[3] = {0.94f, 0.94f, 0.92f};
    double width = fmax(1.1, size * 0.14);
    text_strokes(img, x, y, size, width + fmax(2.5, size * 0.3), dark, 0.35f, text);
    text_strokes(img, x, y, size, width, light, 1, text);
}

double bw_text_width(double size, const char *text)
{
    int n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xC0) != 0x80;
    return n * ADVANCE * size / CAPITAL;
}
