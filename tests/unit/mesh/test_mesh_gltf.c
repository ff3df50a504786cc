// SPDX-License-Identifier: Apache-2.0
/* glTF as programs of others write it: what moves points, what a file requires, what it leaves out. The box of 1 x 2 x
 * 3 m lies in its file y-up, so that it comes out as 1 x 3 x 2 m. */
#include "mesh_bench.h"

TestSuite(mesh_gltf, .init = bench_begin, .fini = bench_end);

/* The buffer: floats of the box's points, 8 x 3; indices, 36 shorts; what a test adds. */
enum { POINTS = 96, INDICES = 72, EXTRA = POINTS + INDICES };

static void buffer_put(const void *extra, size_t n)
{
    char out[4096];
    for (int i = 0; i < 24; i++) {
        const float x = (float)box_corner(i / 3, i % 3);
        memcpy(out + 4 * i, &x, 4);
    }
    memcpy(out + POINTS, box_face, INDICES);
    if (n) memcpy(out + EXTRA, extra, n);
    bytes_put("box.bin", out, EXTRA + n);
}

/* Views 0 and 1, accessors 0 and 1 are the box's; `views`, `accessors` and `rest` come behind (with a comma first). */
static void gltf_put(const char *name, const char *views, const char *accessors, const char *rest)
{
    char text[8192];
    snprintf(text, sizeof text,
             "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"uri\":\"box.bin\",\"byteLength\":4096}],"
             "\"bufferViews\":[{\"buffer\":0,\"byteLength\":96},{\"buffer\":0,\"byteOffset\":96,\"byteLength\":72}%s],"
             "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":8,\"type\":\"VEC3\"},"
             "{\"bufferView\":1,\"componentType\":5123,\"count\":36,\"type\":\"SCALAR\"}%s],"
             "\"scenes\":[{\"nodes\":[0]}]%s}",
             views, accessors, rest);
    text_put(name, text);
}

#define PRIMITIVE "{\"attributes\":{\"POSITION\":0},\"indices\":1}"
#define MESH ",\"meshes\":[{\"primitives\":[" PRIMITIVE "]}]"
#define FLOATS(offset, bytes) ",{\"buffer\":0,\"byteOffset\":" #offset ",\"byteLength\":" #bytes "}"

/* The box between two corners of its file, as it comes out. */
static void box_reads(const char *name, const double lo[3], const double hi[3], const char *word)
{
    const double a[3] = {lo[0], -hi[2], lo[1]}, b[3] = {hi[0], -lo[2], hi[1]};
    const double x = hi[0] - lo[0], y = hi[1] - lo[1], z = hi[2] - lo[2];
    reads(name, 12, 2 * (x * y + y * z + z * x), a, b, word);
}

Test(mesh_gltf, nodes_are_placed_in_doubles)
{
    buffer_put(NULL, 0);
    gltf_put("far.gltf", "", "",
             MESH ",\"nodes\":[{\"translation\":[500000.25,120.0625,-4500000.5],\"children\":[1]},"
                  "{\"mesh\":0,\"translation\":[0.5,0,0]}]");
    box_reads("far.gltf", (const double[3]){500000.75, 120.0625, -4500000.5},
              (const double[3]){500001.75, 122.0625, -4499997.5}, NULL);
}

/* Of the scene, with nothing hidden on the way: node 1 alone, and neither 3, below a hidden one, nor 4, of no scene. */
Test(mesh_gltf, what_the_scene_shows)
{
    buffer_put(NULL, 0);
    gltf_put("shown.gltf", "", "",
             MESH ",\"nodes\":[{\"children\":[1,2]},{\"mesh\":0,\"translation\":[1,2,3]},"
                  "{\"children\":[3],\"extensions\":{\"KHR_node_visibility\":{\"visible\":false}}},"
                  "{\"mesh\":0,\"translation\":[20,0,0]},{\"mesh\":0,\"translation\":[40,0,0]}]");
    box_reads("shown.gltf", (const double[3]){1, 2, 3}, (const double[3]){2, 4, 6}, NULL);
}

/* Two joints, of which the second one stands 1 m to the right; the mesh's node is a hundredth and counts for nothing.
 * The upper corners, whose y is 2, go with the second joint. */
Test(mesh_gltf, joints_place_a_skin)
{
    unsigned char extra[32 + 128 + 128] = {0};
    for (int i = 0; i < 8; i++) {
        const float weight[4] = {i & 2 ? 0 : 1, i & 2 ? 1 : 0, 0, 0};
        extra[4 * i + 1] = 1;
        memcpy(extra + 32 + 16 * i, weight, sizeof weight);
    }
    for (int j = 0; j < 2; j++) { // bound a metre below
        const float bind[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1};
        memcpy(extra + 160 + 64 * j, bind, sizeof bind);
    }
    buffer_put(extra, sizeof extra);
    static const char skin[] =
        ",\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":2,\"WEIGHTS_0\":3},"
        "\"indices\":1}]}],\"nodes\":[{\"children\":[1,2,3]},"
        "{\"mesh\":0,\"skin\":0,\"scale\":[0.01,0.01,0.01]},{\"translation\":[0,5,0]},"
        "{\"translation\":[0,6,0]}],\"skins\":[{\"joints\":[2,3]%s}]";
    char rest[1024];
    static const char views[] = FLOATS(168, 32) FLOATS(200, 128) FLOATS(328, 128);
    static const char accessors[] = ",{\"bufferView\":2,\"componentType\":5121,\"count\":8,\"type\":\"VEC4\"},"
                                    "{\"bufferView\":3,\"componentType\":5126,\"count\":8,\"type\":\"VEC4\"},"
                                    "{\"bufferView\":4,\"componentType\":5126,\"count\":2,\"type\":\"MAT4\"}";
    snprintf(rest, sizeof rest, skin, ",\"inverseBindMatrices\":4");
    gltf_put("skin.gltf", views, accessors, rest);
    box_reads("skin.gltf", (const double[3]){0, 6, 0}, (const double[3]){1, 9, 3}, NULL);
    snprintf(rest, sizeof rest, skin, "");
    gltf_put("unbound.gltf", views, accessors, rest);
    box_reads("unbound.gltf", (const double[3]){0, 5, 0}, (const double[3]){1, 8, 3}, NULL);
    snprintf(rest, sizeof rest, skin, "}],\"animations\":[{\"channels\":[]");
    gltf_put("moving.gltf", views, accessors, rest);
    box_reads("moving.gltf", (const double[3]){0, 5, 0}, (const double[3]){1, 8, 3},
              "its animation is left out: it stands as at rest");
}

/* A target that makes the box taller: by half of the mesh's own weights, whole by the node's. */
Test(mesh_gltf, morph_weights_count)
{
    float move[24] = {0};
    for (int i = 0; i < 8; i++) move[3 * i + 1] = i & 2 ? 4 : 0;
    buffer_put(move, sizeof move);
    static const char accessors[] = ",{\"bufferView\":2,\"componentType\":5126,\"count\":8,\"type\":\"VEC3\"}";
    static const char mesh[] =
        ",\"meshes\":[{\"weights\":[0.5],\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1,"
        "\"targets\":[{\"POSITION\":2}]}]}],\"nodes\":[{\"mesh\":0%s}]";
    char rest[512];
    snprintf(rest, sizeof rest, mesh, "");
    gltf_put("mesh.gltf", FLOATS(168, 96), accessors, rest);
    box_reads("mesh.gltf", zero, (const double[3]){1, 4, 3}, NULL);
    snprintf(rest, sizeof rest, mesh, ",\"weights\":[1]");
    gltf_put("node.gltf", FLOATS(168, 96), accessors, rest);
    box_reads("node.gltf", zero, (const double[3]){1, 6, 3}, NULL);
}

/* Three of them side by side, and two of which one is turned and half as large. */
Test(mesh_gltf, instances_are_all_there)
{
    const float at[9] = {0, 0, 0, 5, 0, 0, 10, 0, 0};
    buffer_put(at, sizeof at);
    static const char node[] =
        MESH ",\"nodes\":[{\"mesh\":0,\"extensions\":{\"EXT_mesh_gpu_instancing\":{\"attributes\":{%s}}}}],"
             "\"extensionsRequired\":[\"EXT_mesh_gpu_instancing\"]";
    char rest[512];
    snprintf(rest, sizeof rest, node, "\"TRANSLATION\":2");
    gltf_put("three.gltf", FLOATS(168, 36), ",{\"bufferView\":2,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}",
             rest);
    reads("three.gltf", 36, 66, (const double[3]){0, -3, 0}, (const double[3]){11, 0, 2}, NULL);

    const float turned[14] = {0, 0, 0, 1, 0, 0, 0.70710678f, 0.70710678f, 1, 1, 1, .5f, .5f, .5f};
    buffer_put(turned, sizeof turned);
    snprintf(rest, sizeof rest, node, "\"ROTATION\":2,\"SCALE\":3");
    gltf_put("two.gltf", FLOATS(168, 32) FLOATS(200, 24),
             ",{\"bufferView\":2,\"componentType\":5126,\"count\":2,\"type\":\"VEC4\"},"
             "{\"bufferView\":3,\"componentType\":5126,\"count\":2,\"type\":\"VEC3\"}",
             rest);
    reads("two.gltf", 24, 22 * 1.25, (const double[3]){-1, -3, 0}, (const double[3]){1, 0, 2}, NULL);
}

/* What a file requires is done, or refused by its name. */
Test(mesh_gltf, what_is_required)
{
    static const struct {
        const char *name, *word;
    } required[] = {
        {"KHR_materials_unlit", NULL},
        {"KHR_texture_transform", NULL},
        {"KHR_mesh_quantization", NULL},
        {"XYZ_packed_geometry", "it requires the extension XYZ_packed_geometry, which is not known here"},
        {"KHR_gaussian_splatting", "KHR_gaussian_splatting"},
        {"KHR_draco_mesh_compression", "packed by KHR_draco_mesh_compression: export it without"},
        {"EXT_meshopt_compression", "packed by EXT_meshopt_compression: export it without"},
    };
    buffer_put(NULL, 0);
    for (size_t i = 0; i < BW_COUNT(required); i++) {
        char rest[512];
        snprintf(rest, sizeof rest, MESH ",\"nodes\":[{\"mesh\":0}],\"extensionsRequired\":[\"%s\"]", required[i].name);
        gltf_put("needs.gltf", "", "", rest);
        if (!required[i].word) box_reads("needs.gltf", zero, box_size, NULL);
        else if (i == 3) {
            found("needs.gltf");
            cr_assert(strstr(said, "needs.gltf requires the extension XYZ_packed_geometry, which is"), "%s", said);
        } else refuses("needs.gltf", required[i].word);
    }
}

/* Shorts that stand for 0 to 1, and bytes for -1 to 1. */
Test(mesh_gltf, quantized_points)
{
    uint16_t at[24] = {0};
    for (int i = 0; i < 24; i++) at[i] = box_corner(i / 3, i % 3) > 0 ? 65535 : 0;
    buffer_put(at, sizeof at);
    gltf_put("short.gltf", FLOATS(168, 48),
             ",{\"bufferView\":2,\"componentType\":5123,\"normalized\":true,\"count\":8,\"type\":\"VEC3\"}",
             ",\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":2},\"indices\":1}]}],"
             "\"nodes\":[{\"mesh\":0,\"scale\":[1,2,3]}],\"extensionsRequired\":[\"KHR_mesh_quantization\"]");
    box_reads("short.gltf", zero, box_size, NULL);
}

#define DRACO "\"extensions\":{\"KHR_draco_mesh_compression\":{\"bufferView\":0,\"attributes\":{\"POSITION\":0}}}"

/* What is packed is read where it lies beside as it is. */
Test(mesh_gltf, packed_with_a_fallback)
{
    buffer_put(NULL, 0);
    gltf_put("both.gltf", "", "",
             ",\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1," DRACO "}]}],"
             "\"nodes\":[{\"mesh\":0}]");
    box_reads("both.gltf", zero, box_size, NULL);
    gltf_put("alone.gltf", "", ",{\"componentType\":5126,\"count\":8,\"type\":\"VEC3\"}",
             ",\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":2},\"indices\":1," DRACO "}]}],"
             "\"nodes\":[{\"mesh\":0}]");
    refuses("alone.gltf", "packed by KHR_draco_mesh_compression: export it without");
    gltf_put("part.gltf", "", ",{\"componentType\":5126,\"count\":8,\"type\":\"VEC3\"}",
             ",\"meshes\":[{\"primitives\":[" PRIMITIVE ",{\"attributes\":{\"POSITION\":2}," DRACO "}]}],"
             "\"nodes\":[{\"mesh\":0}]");
    box_reads("part.gltf", zero, box_size, "1 part of it is left out; the first thing wrong: its triangles are packed");
}

/* Some points anew: over a view's, and over zeros. */
Test(mesh_gltf, sparse_accessors)
{
    struct {
        uint16_t index[8];
        float point[8][3];
    } extra = {.index = {4, 5, 6, 7, 1, 2, 3, 0}};
    for (int i = 0; i < 8; i++)
        for (int a = 0; a < 3; a++) extra.point[i][a] = (float)box_corner(extra.index[i], a) * (a == 2 ? 2 : 1);
    buffer_put(&extra, sizeof extra);
    static const char sparse[] =
        ",{%s\"componentType\":5126,\"count\":8,\"type\":\"VEC3\",\"sparse\":{\"count\":%d,"
        "\"indices\":{\"bufferView\":2,\"componentType\":5123},\"values\":{\"bufferView\":3}}}";
    static const char mesh[] = ",\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":2},\"indices\":1}]}],"
                               "\"nodes\":[{\"mesh\":0}]";
    char accessors[512];
    snprintf(accessors, sizeof accessors, sparse, "\"bufferView\":0,", 4);
    gltf_put("over.gltf", FLOATS(168, 16) FLOATS(184, 96), accessors, mesh);
    box_reads("over.gltf", zero, (const double[3]){1, 2, 6}, NULL);
    snprintf(accessors, sizeof accessors, sparse, "", 8);
    gltf_put("zeros.gltf", FLOATS(168, 16) FLOATS(184, 96), accessors, mesh);
    box_reads("zeros.gltf", zero, (const double[3]){1, 2, 6}, NULL);
}

/* Strips, fans; points and lines alone are said. */
Test(mesh_gltf, modes)
{
    const uint16_t strip[10] = {0, 1, 2, 3, 6, 7, 4, 5, 0, 1}, fan[4] = {0, 1, 3, 2};
    char extra[32];
    memcpy(extra, strip, sizeof strip);
    memcpy(extra + 20, fan, sizeof fan);
    buffer_put(extra, 28);
    static const char mesh[] =
        ",\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":2,\"mode\":%d}]}],"
        "\"nodes\":[{\"mesh\":0}]";
    char rest[512];
    snprintf(rest, sizeof rest, mesh, 5);
    gltf_put("strip.gltf", FLOATS(168, 20),
             ",{\"bufferView\":2,\"componentType\":5123,\"count\":10,\"type\":\"SCALAR\"}", rest);
    reads("strip.gltf", 8, 10, (const double[3]){0, -3, 0}, (const double[3]){1, 0, 2}, NULL);
    snprintf(rest, sizeof rest, mesh, 6);
    gltf_put("fan.gltf", FLOATS(188, 8), ",{\"bufferView\":2,\"componentType\":5123,\"count\":4,\"type\":\"SCALAR\"}",
             rest);
    reads("fan.gltf", 2, 2, (const double[3]){0, 0, 0}, (const double[3]){1, 0, 2}, NULL);
    snprintf(rest, sizeof rest, mesh, 0);
    gltf_put("points.gltf", FLOATS(188, 8),
             ",{\"bufferView\":2,\"componentType\":5123,\"count\":4,\"type\":\"SCALAR\"}", rest);
    refuses("points.gltf", "points.gltf holds no triangles, only points");
}

Test(mesh_gltf, of_another_version)
{
    text_put("old.gltf", "{\"meshes\":{\"a\":{}},\"asset\":{\"version\":\"1.0\"}}");
    refuses("old.gltf", "old.gltf is glTF 1.0, which is not read: save it as glTF 2.0");
    text_put("older.gltf", "{\"meshes\":{\"a\":{}},\"nodes\":{}}");
    refuses("older.gltf", "is glTF 1.0");
    bytes_put("old.glb", "glTF\1\0\0\0\x1c\0\0\0\x08\0\0\0\0\0\0\0{}      ", 28);
    refuses("old.glb", "old.glb is glTF 1.0");
    text_put("new.gltf", "{\"asset\":{\"version\":\"3.0\"}}");
    refuses("new.gltf", "new.gltf is glTF 3.0, and up to 2 is read");
}

/* A mark at its begin; names that are no UTF-8. */
Test(mesh_gltf, texts_of_any_encoding)
{
    char text[8192], marked[8200];
    buffer_put(NULL, 0);
    gltf_put("plain.gltf", "", "", MESH ",\"nodes\":[{\"mesh\":0,\"name\":\"K\xf6rper\"}]");
    box_reads("plain.gltf", zero, box_size, NULL);
    FILE *f = fopen(bench_path("plain.gltf"), "rb");
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    snprintf(marked, sizeof marked, "\xef\xbb\xbf%s", text);
    text_put("marked.gltf", marked);
    box_reads("marked.gltf", zero, box_size, NULL);
}

/* Each of three hundred meshes has a buffer of its own. */
Test(mesh_gltf, of_many_buffers)
{
    static char text[200000];
    size_t n = 0;
    buffer_put(NULL, 0);
#define PUT(...) n += (size_t)snprintf(text + n, sizeof text - n, __VA_ARGS__)
    PUT("{\"asset\":{\"version\":\"2.0\"},\"buffers\":[");
    for (int i = 0; i < 300; i++) PUT("%s{\"uri\":\"box.bin\",\"byteLength\":168}", i ? "," : "");
    PUT("],\"bufferViews\":[");
    for (int i = 0; i < 300; i++)
        PUT("%s{\"buffer\":%d,\"byteLength\":96},{\"buffer\":%d,\"byteOffset\":96,\"byteLength\":72}", i ? "," : "", i,
            i);
    PUT("],\"accessors\":[");
    for (int i = 0; i < 300; i++)
        PUT("%s{\"bufferView\":%d,\"componentType\":5126,\"count\":8,\"type\":\"VEC3\"},{\"bufferView\":%d,"
            "\"componentType\":5123,\"count\":36,\"type\":\"SCALAR\"}",
            i ? "," : "", 2 * i, 2 * i + 1);
    PUT("],\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[");
    for (int i = 0; i < 300; i++)
        PUT("%s{\"attributes\":{\"POSITION\":%d},\"indices\":%d}", i ? "," : "", 2 * i, 2 * i + 1);
    PUT("]}]}");
    text_put("many.gltf", text);
    reads("many.gltf", 3600, 300 * BOX_AREA, (const double[3]){0, -3, 0}, (const double[3]){1, 0, 2}, NULL);
}

/* A corner or a primitive that is wrong is left out; a file that is missing is no part of a mesh. */
Test(mesh_gltf, with_something_bad)
{
    uint16_t extra[6] = {0, 1, 2, 0, 1, 9};
    buffer_put(extra, sizeof extra);
    gltf_put("corner.gltf", FLOATS(168, 12),
             ",{\"bufferView\":2,\"componentType\":5123,\"count\":6,\"type\":\"SCALAR\"}",
             ",\"meshes\":[{\"primitives\":[" PRIMITIVE ",{\"attributes\":{\"POSITION\":0},\"indices\":2}]}],"
             "\"nodes\":[{\"mesh\":0}]");
    reads("corner.gltf", 13, 23, (const double[3]){0, -3, 0}, (const double[3]){1, 0, 2},
          "1 face of it is left out; the first thing wrong: a face names point 9, and there are 0 to 7");
    gltf_put("part.gltf", ",{\"buffer\":0,\"byteOffset\":9000,\"byteLength\":9}",
             ",{\"bufferView\":2,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}",
             ",\"meshes\":[{\"primitives\":[" PRIMITIVE
             ",{\"attributes\":{\"POSITION\":2}}]}],\"nodes\":[{\"mesh\":0}]");
    box_reads("part.gltf", zero, box_size, "1 part of it is left out; the first thing wrong: view 2 goes on behind");
    gltf_put("gone.gltf", "", "", MESH ",\"nodes\":[{\"mesh\":0}]");
    cr_assert_eq(unlink(bench_path("box.bin")), 0);
    refuses("gone.gltf", "gone.gltf: box.bin cannot be opened: No such file");
}
