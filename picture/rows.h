// SPDX-License-Identifier: Apache-2.0
/* Every parameter of pictures: one row each, the only place where it stands beside its use. BW_…_ROWS(X, S, m) is, of
 * each row, X(S, m, KIND, member, …): `S` is a struct that has the members, `m` is nothing or "name." before them; what
 * stands behind `member`, which is the preset's key too, is what BW_KIND of billow/param.h takes behind the key.
 * params.h makes of a row the preset's value and an exporter's row, scene.h the value that renders read. */
#ifndef BW_PICTURE_ROWS_H
#define BW_PICTURE_ROWS_H

// clang-format off

/// What a slice shows.
#define BW_SLICE_ROWS(X, S, m)                                                                                         \
    X(S, m, FIELD, field, 0,                                                                                           \
        "Slices: the field shown; density where there is one.")                                                        \
    X(S, m, CHOICE, axis, "y", "x|y|z",                                                                                \
        "Slices: the axis across the slice (2D domains have but one).")                                                \
    X(S, m, STRING, position, "center",                                                                                \
        "Slices: where along the axis, in metres (\"0.4 m\"), or center.")                                             \
    X(S, m, CHOICE, map, "auto", BW_MAP_CHOICES,                                                                       \
        "Slices: the colour map; auto: what suits the field; schlieren: its slopes, as light that gas bends.")

/// How it is drawn.
#define BW_SLICE_STYLE_ROWS(X, S, m)                                                                                   \
    X(S, m, LIST, range, double, bw_picture_range_row,                                                                 \
        "Slices: [lowest, highest] value of the colours; without it: the values so far.")                              \
    X(S, m, F64, relief, "0", 0, 4, 0,                                                                                 \
        "Slices: shade the slice as a height field whose height is the value, with soft shadows; 0: flat, 1: as wet "  \
        "paint.")                                                                                                      \
    X(S, m, CHOICE, vectors, "none", BW_VECTORS_CHOICES,                                                               \
        "Slices: the flow drawn over it.")                                                                             \
    X(S, m, BOOL, labels, "true",                                                                                      \
        "Slices: title, scale and colour bar.")

/// What `billow info` shows first.
#define BW_GLANCE_ROWS(X, S, m)                                                                                        \
    X(S, m, CHOICE, view, "auto", "auto|render|slice",                                                                 \
        "Volume render, or a slice; auto: renders in movies, slices as pictures and in 2D.")                           \
    X(S, m, INT, size, "720", 16, 8192,                                                                                \
        "Height of the picture in pixels (rounded to even; wide ones: half the width); renders of quick bakes: "       \
        "half.")                                                                                                       \
    X(S, m, INT, width, "0", 0, 8192,                                                                                  \
        "Renders: width of the picture in pixels; 0: what suits the domain's shape.")                                  \
    X(S, m, CHOICE_WAS, quality, "19=default", "default", "draft|default|final",                                       \
        "Renders: draft is quicker and shows cells; final takes finer steps and four rays a pixel, six times as "      \
        "long.")                                                                                                       \
    X(S, m, CHOICE_WAS, mood, "look", "auto", "auto|smoke|fire",                                                       \
        "Renders: fire dims the studio, times the values below, and darkens smoke that is left alone; auto: "          \
        "where there are flames, and key, environment and sky are left alone.", BW_PARAM_STATIC)                       \
    X(S, m, F64, exposure, "1", 0, 1e6, 0,                                                                             \
        "Renders: brightness, times the default.")                                                                     \
    X(S, m, F64, frame, "1", 0.05, 10, 0,                                                                              \
        "Renders: how much of the domain's width, and of its height from the floor, fills the picture.")               \
    BW_SLICE_ROWS(X, S, m)

/// What renders read as it is (scene.h, struct bw_look).
#define BW_LOOK_ROWS(X, S, m)                                                                                          \
    X(S, m, CHOICE, ground, "studio", "studio|earth|street|cyclorama",                                                 \
        "Renders: what the floor is made of: dark and even, soil with stones, asphalt with puddles, white paint "      \
        "up the wall.")                                                                                                \
    X(S, m, CHOICE, backdrop, "studio", BW_BACKDROP_CHOICES,                                                           \
        "Renders: what stands far off: the studio's wall, a clear sky at dusk, and before it hills, firs, or a "       \
        "town with lit windows; by day before the `sky`.")                                                             \
    X(S, m, F64, visibility, "0 m", 0, 1e9, "m",                                                                       \
        "Renders: how far one sees in the air, until a fiftieth of the contrast is left: obstacles, smoke and "        \
        "floor fade to the horizon's colour; 0: as far as one likes.")                                                 \
    X(S, m, F64, key, "1", 0, 1e3, 0,                                                                                  \
        "Renders: strength of the studio's lights; 0: fire alone lights the scene.")                                   \
    X(S, m, F64, environment, "0.4", 0, 1e3, 0,                                                                        \
        "Renders: strength of the light from all around; of a sky of your own 1, unless given.")                       \
    X(S, m, F64, fire, "1", 0, 1e6, 0,                                                                                 \
        "Renders: brightness of flames, times what they are exposed for: a shot's hottest, by its sources.")           \
    X(S, m, COLOUR, firelight, "[8, 8, 8]",                                                                            \
        "Renders: light that flames throw on floor and obstacles, times what they send to the eye.")                   \
    X(S, m, COLOUR, extinction, "[1, 1, 1]",                                                                           \
        "Renders: how thick smoke is for red, green, and blue, times `thickness`; [0.8, 1, 1.3]: thin smoke is "       \
        "blue, and what is seen through it, and its shadow, brown.")                                                   \
    X(S, m, F64, anisotropy, "0.45", -0.9, 0.9, 0,                                                                     \
        "Renders: mean cosine of scattering; above 0: smoke is brightest against the light.")                          \
    X(S, m, F64, soften, "0", 0, 1, 0,                                                                                 \
        "Renders: how much flames are smoothed over neighbouring cells; 0: as sharp as they were simulated, 1 "        \
        "hides the cells where sheets of flame are thin, as in explosions.")                                           \
    X(S, m, F64, bloom, "0.03", 0, 1, 0,                                                                               \
        "Renders: share of the light above white that glows around it.")                                               \
    X(S, m, F64, detail, "0", 0, 1, 0,                                                                                 \
        "Renders: how much finer than the cells smoke and flames are drawn, by noise that the flow carries, "          \
        "where `vel` is turbulent, in lobes that grow and fade with `age`; the picture's alone, `billow upres` puts "  \
        "such detail into files.")                                                                                     \
    X(S, m, F64, haze, "0", 0, 1e4, 0,                                                                                 \
        "Renders: how much hot gas bends what is seen behind it; 1: as air does, a pixel or less; films show 5 "       \
        "to 30.")

/// What makes stage and look: it is read where these are made (params.c), and of slices where they are drawn.
#define BW_SHOW_ROWS(X, S, m)                                                                                          \
    X(S, m, F64, thickness, "1", 0, 1e6, 0,                                                                            \
        "Renders: optical thickness of smoke, times the default.")                                                     \
    X(S, m, COLOUR, smoke, "[0.6, 0.6, 0.6]",                                                                          \
        "Renders: share of light that smoke scatters; soot is dark.")                                                  \
    X(S, m, F64, shutter, "0.25", 0, 4, 0,                                                                             \
        "Renders: how long the shutter is open, frames; 0.5 is a film camera's 180 degrees, 0: what moves is "         \
        "sharp. It takes `vel`.")                                                                                      \
    X(S, m, BOOL, floor, "true",                                                                                       \
        "Renders: a floor that takes shadows.")                                                                        \
    X(S, m, STRING, blend, 0,                                                                                          \
        "Renders: another domain that overlaps, shown too; the finer one counts where it is, and fades towards "       \
        "its sides.")                                                                                                  \
    X(S, m, F64, edge, "8", 0, 1e4, 0,                                                                                 \
        "Renders: cells of the finer domain over which `blend` fades.")                                                \
    X(S, m, LIST, above, double, bw_picture_range_row,                                                                 \
        "Renders: linear [r, g, b] of the sky that smoke and floor see, times `environment`, instead of the "          \
        "studio's; with `below`.")                                                                                     \
    X(S, m, LIST, below, double, bw_picture_range_row,                                                                 \
        "Renders: the same from below.")                                                                               \
    X(S, m, LIST, background, double, bw_picture_range_row,                                                            \
        "Renders: linear [r, g, b] behind everything instead of the studio's wall.")                                   \
    BW_SLICE_STYLE_ROWS(X, S, m)                                                                                       \
    X(S, m, GROUP, camera, struct bw_picture_camera, bw_picture_camera_rows,                                           \
        "Renders: where from. `camera:` beside `export:` is for all exporters.")                                       \
    X(S, m, GROUP, particles, struct bw_picture_particles, bw_picture_particle_rows,                                   \
        "Renders: embers, tracers, points.")                                                                           \
    X(S, m, GROUP, flames, struct bw_picture_flames, bw_picture_flame_rows,                                            \
        "Renders: what is seen inside flames: folds, sheets, depth, colours, filaments, blue roots.")                  \
    X(S, m, GROUP, obstacles, struct bw_picture_obstacles, bw_picture_obstacle_rows,                                   \
        "Renders: what obstacles look like.")                                                                          \
    X(S, m, GROUP, scorch, struct bw_picture_scorch, bw_picture_scorch_rows,                                           \
        "Renders: where a fire has been: floor and wood are charred there, all else is sooty.")                        \
    X(S, m, LIST, lights, struct bw_picture_light, bw_picture_light_rows,                                              \
        "Renders: lamps instead of the studio's two, at most 8.")                                                      \
    X(S, m, VARIANT, sky, struct bw_picture_sky, "studio", bw_picture_sky_rows,                                        \
        "Renders: what is round the stage, seen, mirrored, and lighting it: studio, {hdri: {…}}, {sun: {…}}.")

/// `camera`.
#define BW_CAMERA_ROWS(X, S, m)                                                                                        \
    X(S, m, PATH, file,                                                                                                \
        "A YAML file with a map `camera`, as share/billow/scenes writes of Blender's and USD's cameras; its "          \
        "values stand in place of those below.")                                                                       \
    X(S, m, F64, azimuth, "24 deg", -1e6, 1e6, "rad",                                                                  \
        "From the front towards the right (from -y towards +x).")                                                      \
    X(S, m, F64, elevation, "7.5 deg", -1.5707963267948966, 1.5707963267948966, "rad",                                 \
        "Above the horizon; 90 deg looks straight down, less than 0 up; where `distance` is 0 it stays above the "     \
        "floor.")                                                                                                      \
    X(S, m, F64, roll, "0 deg", -1e6, 1e6, "rad",                                                                      \
        "About the line of sight, clockwise.")                                                                         \
    X(S, m, VARIANT, target, struct bw_picture_target, "stage", target_rows,                                           \
        "What it looks at: stage, or {point: [x, y, z]}.")                                                             \
    X(S, m, F64, distance, "0 m", 0, 1e9, "m",                                                                         \
        "From the target; 0: so that the domain's box just fits.")                                                     \
    X(S, m, F64, lens, "68 mm", 1e-4, 100, "m",                                                                        \
        "Focal length; short ones see more.")                                                                          \
    X(S, m, F64, sensor, "36 mm", 1e-4, 100, "m",                                                                      \
        "The film's longer side.")                                                                                     \
    X(S, m, F64, orbit, "0", -1000, 1000, 0,                                                                           \
        "Turns round the target in the course of the bake; the studio's lamps stay.")                                  \
    X(S, m, F64, fstop, "0", 0, 1000, 0,                                                                               \
        "f-number: focal length by the lens's width; small ones blur what is nearer or farther than `focus`, by "      \
        "16 rays a pixel. 0: all is sharp.")                                                                           \
    X(S, m, F64, focus, "0 m", 0, 1e9, "m",                                                                            \
        "From the camera to what is sharp; 0: the target.")

/// `particles`: which, and how. Renders read them as they are.
#define BW_PARTICLE_ROWS(X, S, m)                                                                                      \
    X(S, m, CHOICE, show, "hot", "hot|all|none|light",                                                                 \
        "hot: those that have a temperature and a size glow; all: others too, lit by the lamps; light: those "         \
        "shine in their own colour.")                                                                                  \
    X(S, m, F64, size, "0 m", 0, 1e6, "m",                                                                             \
        "Diameter of those that have none of their own; 0: a pixel.")                                                  \
    X(S, m, F64, vary, "0", 0, 1, 0,                                                                                   \
        "How unlike those that glow or shine are: 1 makes few bright, seen as single hairs, and most faint; the "      \
        "mean stays.")                                                                                                 \
    X(S, m, F64, streak, "0.5", 0, 24, 0,                                                                              \
        "How long they are drawn out along their velocity, frames.")                                                   \
    X(S, m, F64, glow, "1", 0, 1e6, 0,                                                                                 \
        "Brightness of those that glow, times `fire` and the default, or that shine, times their colour.")             \
    X(S, m, F64, fade, "0 m", 0, 1e6, "m",                                                                             \
        "Of those that shine: how far behind the camera's `focus` they are half as bright, and before it twice, "      \
        "so that what is near stands out; 0: all are alike.")                                                          \
    X(S, m, F64, reach, "0 m", 0, 1e6, "m",                                                                            \
        "Of those that shine: how far from what the camera looks at a third of their light is left; farther off "      \
        "they go out, and nothing ends at an edge of the picture; 0: all are alike.")                                  \
    X(S, m, INT, smooth, "0", 0, BW_SPREAD_MOST,                                                                       \
        "Of those that shine: over how many neighbours of its colour each is spread, along the sheet or line in "      \
        "which they lie, so that they are seen as smoke; 0, 1: points. Of more than 64 colours all are "               \
        "neighbours.")                                                                                                 \
    X(S, m, F64, stray, "0 m", 0, 1e6, "m",                                                                            \
        "Of those that are spread: how far their neighbours lie off the line along which they lie where a third "      \
        "of their light is left; farther off they go out, and no film is seen where a thread was torn to single "      \
        "particles; 0: all are alike.")                                                                                \
    X(S, m, F64, veil, "0", 0, 1e6, 0,                                                                                 \
        "Of those that shine: how much of what is behind it, and of the lamps' light, a particle's disc hides; "       \
        "with it what is dense goes towards its colour times `glow` / `veil`. 0: they hide nothing.")                  \
    X(S, m, F64, lit, "0", 0, 1e6, 0,                                                                                  \
        "Of those that shine: how much light of lamps and room they scatter besides, times their colour; lamps "       \
        "far off throw shadows in them, by `veil`, in which nothing else throws any.")

/// `flames`. Renders read them as they are.
#define BW_FLAME_ROWS(X, S, m)                                                                                         \
    X(S, m, F64, crisp, "0", 0, 2, 0,                                                                                  \
        "How much brighter folds are than what is round them, over three cells: 1 draws sheets and edges sharply.")    \
    X(S, m, F64, sheets, "0", 0, 4, 0,                                                                                 \
        "How much sheets of flame stand out from what is round them, sharper than the cells: 1.5 draws the edges "     \
        "of tongues as film does.")                                                                                    \
    X(S, m, F64, opacity, "1", 0.1, 100, 0,                                                                            \
        "How much of what is behind them hot flames hide, times the default; those that hardly glow hide less. 2 "     \
        "to 4 shows the folds of deep ones, which else add up to an even glow.")                                       \
    X(S, m, F64, soot, "0", 0, 1, 0,                                                                                   \
        "How much flames with an `opacity` above 1 hide where they hardly glow: 0: no more than they shine, so "       \
        "that their rims are clear; 1: dark veins and outlines, as explosions have.")                                  \
    X(S, m, F64, contrast, "1", 0.1, 2, 0,                                                                             \
        "Of light between hot and cool flames; 1: as black bodies have it, from white cores to deep red rims; less: "  \
        "cool ones are brighter, as where what is hot at first is to be seen for long.")                               \
    X(S, m, COLOUR, tint, "[1, 1, 1]",                                                                                 \
        "Linear colour by which a black body's is multiplied, on what they light too: [1, 0.8, 0.5] turns gold "       \
        "into orange, [0.3, 1, 0.5] makes burning copper.")                                                            \
    X(S, m, F64, filaments, "0", 0, 1, 0,                                                                              \
        "How much noise finer than the cells, drawn out by the flow, breaks flames up, where `vel` is turbulent.")     \
    X(S, m, F64, root, "0", 0, 1e3, 0,                                                                                 \
        "Where fuel has only begun to burn there is no soot yet that glows: one sees through, and where fuel "         \
        "meets air the gas itself shines. 1: as bright as on a candle; 0: flames glow from where they begin. It "      \
        "takes `fuel`.")                                                                                               \
    X(S, m, F64, root_fuel, "0.5", 0.05, 1, 0,                                                                         \
        "Share of the fuel that is left where the root ends: less makes it higher.")                                   \
    X(S, m, COLOUR, root_colour, "[0.1, 0.28, 1]",                                                                     \
        "Linear colour of the root's light; that of CH and C2 is blue.")

/// `obstacles`: of all, and of one of `each`.
#define BW_OBSTACLE_ROWS(X, S, m)                                                                                      \
    X(S, m, COLOUR, colour, "[0.2, 0.17, 0.15]",                                                                       \
        "Linear share of light that they send back.")                                                                  \
    X(S, m, F64, roughness, "1", 0, 1, 0,                                                                              \
        "1: clay; less: lamps, room and particles that shine are mirrored, sharper and brighter.")                     \
    X(S, m, CHOICE, material, "plain", BW_MATERIAL_CHOICES,                                                            \
        "Relief and pattern, of which `colour` is the mean; they move with the obstacle. Wood and bark grow "          \
        "along a shape's own z, bricks lie level; cylinders of bark, cloth, wax are not quite round. facade: "         \
        "each part of a mesh is a house with windows; with `glow` some are lit.")                                      \
    X(S, m, F64, gloss, "0", 0, 1e3, 0,                                                                                \
        "Mirrored light of flames and other obstacles, times what it is in life, where roughness is below 1; 0: "      \
        "of lamps alone.")                                                                                             \
    X(S, m, F64, scale, "1", 1e-6, 1e6, 0,                                                                             \
        "Size of the material's pattern, times what it is in life: a brick is 24 cm long; of wax how far light "       \
        "gets, too.")                                                                                                  \
    X(S, m, F64, glow, "0 K", 0, 10000, "K",                                                                           \
        "What glows: it sends out the light of a flame of that temperature besides; 0: none. It lights nothing "       \
        "else.")

/// `scorch`: where a fire has been.
#define BW_SCORCH_ROWS(X, S, m)                                                                                        \
    X(S, m, VEC3, center, "[0, 0, 0]", "m",                                                                            \
        "Its middle.")                                                                                                 \
    X(S, m, F64, radius, "0 m", 0, 1e6, "m",                                                                           \
        "How far it reached; 0: there was none.")                                                                      \
    X(S, m, F64, glow, "0 K", 0, 10000, "K",                                                                           \
        "Embers in the cracks of wood and bark, of that temperature; 0: cold.")

/// `lights`: a lamp of the preset's own.
#define BW_LIGHT_ROWS(X, S, m)                                                                                         \
    X(S, m, VEC3, to, "[-1, -1, 2]", NULL,                                                                             \
        "Direction towards a lamp far off.")                                                                           \
    X(S, m, COLOUR, colour, "[2, 2, 2]",                                                                               \
        "Linear colour and strength; the studio's key is about 2. With a position: as it is a metre away, a "          \
        "quarter of it at two metres.")                                                                                \
    X(S, m, F64_WAS, angle, "soft", "0.53 deg", 0, 2, "rad",                                                           \
        "Far off: how large the lamp is seen, and so how fast shadows get soft; the sun 0.53 deg, the studio's "       \
        "key 11 deg.")                                                                                                 \
    X(S, m, LIST, position, double, place_row,                                                                         \
        "[x, y, z] of a lamp near by, in metres; without it the lamp is far off. It is not seen itself.")              \
    X(S, m, F64, size, "10 cm", 0, 1e6, "m",                                                                           \
        "Diameter of a lamp with a position: a ball, whose shadows get soft as they get long; 0: they stay sharp.")

/// `sky: {hdri: …}`.
#define BW_HDRI_ROWS(X, S, m)                                                                                          \
    X(S, m, PATH, file,                                                                                                \
        "A .hdr or .exr of the whole sphere, as Blender's environments are.")                                          \
    X(S, m, F64, turn, "0 deg", -1e6, 1e6, "rad",                                                                      \
        "About the vertical, anticlockwise from above.")                                                               \
    X(S, m, F64, strength, "1", 0, 1e9, 0,                                                                             \
        "Times what the file has.")

/// `sky: {sun: …}`.
#define BW_SUN_ROWS(X, S, m)                                                                                           \
    X(S, m, F64, elevation, "35 deg", 0, 1.5707963267948966, "rad",                                                    \
        "Above the horizon.")                                                                                          \
    X(S, m, F64, azimuth, "-50 deg", -1e6, 1e6, "rad",                                                                 \
        "From the front towards the right (from -y towards +x), as the camera's.")                                     \
    X(S, m, F64, turbidity, "3", 1.7, 10, 0,                                                                           \
        "2: clear as after rain, 3: clear, 6: hazy.")                                                                  \
    X(S, m, F64, strength, "1", 0, 1e9, 0,                                                                             \
        "1: 50 000 lux are a lamp of strength 1.")                                                                     \
    X(S, m, F64, clouds, "0", 0, 1, 0,                                                                                 \
        "High thin ones, that are seen and light nothing: 0.3 a few wisps, 1 nearly all of the sky.")

// clang-format on

#endif
