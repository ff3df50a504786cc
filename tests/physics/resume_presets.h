// SPDX-License-Identifier: Apache-2.0
/* What test_resume.c runs: small presets, in which each stage that keeps anything from step to step does so at least
 * once. FOLDER/vdb/puff_####.vdb and FOLDER/shape.####.obj are there. */
#ifndef RESUME_PRESETS_H
#define RESUME_PRESETS_H

#include "physics.h"
#include <unistd.h>

#define BOX "domain: {size: [1.2 m, 1 m, 1.2 m], center: [0, 0], voxel: 5 cm, sides: {bottom: closed, rest: open}}\n"
#define FRAMES "time: {fps: 24, frames: 1-4, substeps: 2, seed: 7}\n"

struct resume_preset {
    const char *name, *text;
    const char *keepers; ///< stages that do other things when what they kept is gone
};

/* Makes the files that others read. */
static const char *const puff_preset =
    "billow: 1\nname: puff\n" BOX "time: {fps: 24, frames: 1-6, substeps: 1, seed: 3}\n"
    "stages:\n"
    "  - emit: {density: 1, temperature: 300, shape: {sphere: {center: [\"=-0.4+4*t\", 0, 0.3],\n"
    "          radius: 15 cm}}, noise: {amount: 1, size: 12 cm, speed: 1 m/s}}\n"
    "  - mac.advect: {}\n"
    "  - mac.forces: {buoyancy: 1}\n"
    "  - mac.project: {}\n"
    "export:\n"
    "  - vdb: {fields: [density, vel]}\n";

static const struct resume_preset resume_presets[] = {
    {"moving obstacles, keyframed source, unlimited domain",
     "domain: {size: none, voxel: 5 cm}\n" FRAMES "stages:\n"
     "  - emit: {density: {keys: {1: 1, 4: 0.2}}, temperature: 200, velocity: [0.3, 0, 0.5], inherit_velocity: 1,\n"
     "      shape: {sphere: {center: [\"=0.6*t\", 0, 0.2], radius: 15 cm}}, noise: {amount: 1, size: 12 cm,\n"
     "          speed: 1 m/s}}\n"
     "  - collide: {id: ball, wake: always, slip: no, shape: {sphere: {center: [\"=0.3-3*t\", 0.05, 0.25],\n"
     "          radius: 14 cm}}}\n"
     "  - collide: {id: plate, wake: always, shape: {box: {center: [0, 0, 0.5], size: [0.6, 0.4, 0.04],\n"
     "          rotate: [0, \"=5*t\", 0]}}}\n"
     "  - mac.advect: {reflection: yes}\n"
     "  - force: {kind: {turbulence: {strength: 6, size: 20 cm, speed: 240 cm/s}}}\n"
     "  - mac.forces: {buoyancy: 1, confinement: 0.5}\n"
     "  - mac.diffuse: {viscosity: 1e-3 m^2/s}\n"
     "  - mac.project: {}\n"
     "  - stats: {}\n",
     "mac.advect"},
    {"smoke on cells finer than its flow's, past a moving obstacle",
     "domain: {size: [1.2 m, 1 m, 1.2 m], voxel: 5 cm, flow: 2, sides: {bottom: closed, rest: open}}\n" FRAMES
     "stages:\n"
     "  - emit: {density: 1, temperature: 300, velocity: [0.2, 0, 0.1],\n"
     "      shape: {sphere: {center: [0, 0, 0.3], radius: 15 cm}}, noise: {amount: 1, size: 12 cm, speed: 1 m/s}}\n"
     "  - collide: {shape: {sphere: {center: [\"=0.3-3*t\", 0.05, 0.4], radius: 14 cm}}}\n"
     "  - mac.advect: {velocity: quintic, detail: 1}\n"
     "  - mac.forces: {}\n"
     "  - mac.diffuse: {viscosity: 1e-3 m^2/s, temperature: 1e-4 m^2/s}\n"
     "  - mac.project: {}\n",
     "mac.advect@flow mac.project"},
    {"amounts that flow round a moving obstacle",
     BOX FRAMES "stages:\n"
                "  - emit: {density: 1, temperature: 300, shape: {sphere: {center: [0, 0, 0.3], radius: 15 cm}}}\n"
                "  - collide: {shape: {sphere: {center: [\"=0.3-3*t\", 0.05, 0.4], radius: 14 cm}}}\n"
                "  - mac.advect: {scheme: flux_ppm}\n"
                "  - mac.forces: {buoyancy: 1}\n"
                "  - mac.project: {}\n",
     "mac.project"},
    {"meshes that change, grow and vanish",
     BOX FRAMES "stages:\n"
                "  - emit: {density: 1, shape: {mesh: {file: FOLDER/shape.####.obj, detail: 1, center: [0, 0, 0.3],\n"
                "          scale: {keys: {1: 1, 3: 0.8, 5: 1.1}}, outside: blank}}}\n"
                "  - emit: {id: fog, temperature: 300, shape: {vdb: {file: FOLDER/vdb/puff_####.vdb, offset: 1}}}\n"
                "  - emit: {id: dots, fuel: 1, velocity: [0, 0, 1], shape: {points: {file: FOLDER/dots.####.csv,\n"
                "          radius: 6 cm}}}\n"
                "  - collide: {id: run, shape: {mesh: {file: FOLDER/shape.####.obj, detail: 1, center: [0.3, 0, 0.6],\n"
                "          speed: 0.5, thickness: 8 cm}}}\n"
                "  - collide: {id: beat, shape: {mesh: {file: FOLDER/shape.0001.obj, detail: 1, center: [-0.3, 0,\n"
                "          0.8], scale: {keys: {1: 1, 3: 0.6, 5: 0.9}}}}}\n"
                "  - force: {kind: {wind: {velocity: [1, 0, 0]}}, falloff: 10 cm,\n"
                "      shape: {mesh: {file: FOLDER/shape.0002.obj, detail: 1, center: [-0.2, 0, 0.5],\n"
                "          scale: {keys: {1: 0.6, 5: 1.5}}}}}\n"
                "  - mac.advect: {scheme: semi-lagrangian}\n"
                "  - mac.forces: {buoyancy: 1}\n"
                "  - mac.project: {solver: cg, tolerance: 1e-5}\n",
     "beat"},
    {"loaded once, loaded always, set, guided",
     BOX FRAMES "fields: {dye: {kind: scalar, advect: true}}\n"
                "stages:\n"
                "  - load: {id: once, path: FOLDER/vdb/puff_0006.vdb, field: density}\n"
                "  - load: {id: flow, path: FOLDER/vdb/puff_####.vdb, field: temperature, grid: density, mode: add,\n"
                "          when: always}\n"
                "  - set: {field: dye, value: \"density*sin(x+frame)\", when: start}\n"
                "  - set: {id: on, field: temperature, value: \"0.5*z*t\", mode: add, when: always}\n"
                "  - mac.advect: {scheme: flux_ppm}\n"
                "  - guide: {to: {vdb: {file: FOLDER/vdb/puff_####.vdb}}, size: 15 cm,\n"
                "          shape: {mesh: {file: FOLDER/shape.0001.obj, detail: 1, scale: {keys: {1: 1, 4: 2}},\n"
                "          center: [0, 0, 0.3]}}}\n"
                "  - mac.project: {}\n",
     "once"},
    {"fire that is steered",
     BOX "time: {fps: 24, frames: 1-4, cfl: 0.5, seed: 7}\n"
         "stages:\n"
         "  - emit: {fuel: 1, temperature: 800, shape: {sphere: {center: [0, 0, 0.2], radius: 15 cm}}}\n"
         "  - debris: {shape: {sphere: {center: [0, 0, 0.2], radius: 15 cm}}, count: 9, delay: 20 ms, every: 30 ms,\n"
         "          duration: 50 ms, speed: 3, life: 90 ms, fuel: 1, density: 3 1/s, trail: 3, noise: {amount: 1},\n"
         "          inherit_velocity: 0.2}\n"
         "  - mac.advect: {}\n"
         "  - fire: {expansion: 0.5}\n"
         "  - fire.embers: {rate: 5000, shape: {sphere: {center: [0, 0, 0.2], radius: 20 cm}}}\n"
         "  - mac.forces: {buoyancy: 0.4}\n"
         "  - fire.control: {shape: {vdb: {file: FOLDER/vdb/puff_0006.vdb, center: [0, 0, {keys: {1: 0,\n"
         "          3: 0.1}}]}}, radius: {keys: {1: 0.06, 3: 0.06, 5: 0.3}}}\n"
         "  - fire.control: {id: curve, path: [[0, 0, 0.2], [0.2, 0, 0.4], [0, 0.2, 0.7]],\n"
         "          points: [{at: [\"=0.2*t\", 0, 0.4]}]}\n"
         "  - mac.project: {}\n"
         "  - dissipate: {density: 1 1/s}\n",
     "debris fire.control fire.embers"},
    {"vortons that burn",
     BOX FRAMES
     "stages:\n"
     "  - vorton.emit: {id: hot, temperature: 85 K,\n"
     "          source: {fill: {shape: {mesh: {file: FOLDER/shape.####.obj, detail: 1, center: [0, 0, 0.2],\n"
     "          scale: {keys: {1: 1, 5: 1.2}}}}, spacing: 6 cm, refill: yes}}}\n"
     "  - vorton.emit: {id: jet, life: 0.15 s, source: {jet: {center: [0, 0, 0.1], radius: 10 cm, segments: 16}}}\n"
     "  - vorton.emit: {id: cloud, source: {cloud: {center: [0, 0, 0.5], count: 20, rate: 10 1/s}}}\n"
     "  - vorton.emit: {id: ring, source: {ring: {center: [0, 0, 0.4], segments: 30}}}\n"
     "  - tracers: {id: once, shape: {box: {center: [0, 0, 0.3]}}, count: 300}\n"
     "  - tracers: {id: always, shape: {sphere: {center: [0, 0, 0.2], radius: {keys: {1: 0.1, 5: 0.2}}}},\n"
     "          count: 200, rate: 10 1/s, life: 0.1 s}\n"
     "  - vorton.velocity: {method: fast}\n"
     "  - vorton.stretch: {relax: 1 1/s}\n"
     "  - vorton.advect: {}\n"
     "  - vorton.remesh: {split: 2, merge: 0.3}\n"
     "  - vorton.diffuse: {viscosity: 1e-4 m^2/s}\n"
     "  - baroclinic: {expansion: 3.41e-3}\n"
     "  - fire.vortons: {shape: {sphere: {center: [0, 0, 0.2]}}, burn_rate: 5 1/s}\n"
     "  - to_grid: {velocity: vel}\n",
     "ring once always vorton.velocity vorton.stretch fire.vortons"},
    {"vortons on a mesh, hot ones that die",
     BOX FRAMES
     "stages:\n"
     "  - vorton.emit: {source: {cloud: {center: [0, 0, 0.5], count: 300}}}\n"
     "  - tracers: {shape: {box: {center: [0, 0, 0.3]}}, count: 300}\n"
     "  - vorton.emit: {id: hot, life: 60 ms, temperature: 50, source: {ring: {center: [0, 0, 0.5], segments: 20}}}\n"
     "  - vorton.velocity: {method: mesh, error: 0.01}\n"
     "  - vorton.stretch: {form: mixed}\n"
     "  - vorton.advect: {}\n"
     "  - baroclinic: {expansion: 3.41e-3}\n"
     "  - to_grid: {velocity: vel}\n",
     "baroclinic"},
    {"bodies in smoke, on the ground, among each other",
     BOX FRAMES "stages:\n"
                "  - body: {id: ball, shape: {sphere: {center: [-0.3, 0, 0.12], radius: 10 cm}}, density: 40,\n"
                "          velocity: [3, 0, -1], spin: [0, 9, 2]}\n"
                "  - body: {id: late, frames: 3-9, shape: {box: {center: [0.2, 0.05, 0.5], size: [0.2, 0.3, 0.2]}},\n"
                "          density: 20, velocity: [0, 0, -2]}\n"
                "  - body: {id: box, shape: {box: {center: [0.05, 0, 0.11], size: [0.2, 0.2, 0.2], rotate: [0.3, 0.1,\n"
                "          0]}}, density: 30}\n"
                "  - vorton.emit: {source: {ring: {center: [-0.4, 0, 0.3], axis: [1, 0, 0], segments: 24}}}\n"
                "  - tracers: {shape: {box: {center: [0, 0, 0.3], size: [0.5, 0.5, 0.4]}}, count: 400}\n"
                "  - emit: {temperature: 10, shape: {sphere: {center: [0, 0, 0.2]}}}\n"
                "  - vorton.velocity: {method: direct}\n"
                "  - vorton.stretch: {}\n"
                "  - vorton.advect: {}\n"
                "  - bodies: {heat: temperature}\n"
                "  - vorton.collide: {nodes: 24, fine: 1}\n"
                "  - body.solid: {}\n"
                "  - to_grid: {}\n",
     "late bodies"},
    {"blast past a door that opens",
     "domain: {cells: [48, 32, 1], voxel: 5 cm, sides: {x+: open, rest: closed}}\n"
     "time: {fps: 24, frames: 1-3, warmup: 3, dt: 15 ms, seed: 7}\n"
     "stages:\n"
     "  - emit: {mode: max, frames: -2-0, mass: 4, energy: 5000, density: 1,\n"
     "          shape: {cylinder: {center: [0.5, 0.8, 0], radius: 20 cm, height: 1}}}\n"
     "  - collide: {shape: {box: {center: [1.2, \"=0.6+3*t\", 0], size: [0.2, 0.8, 1]}}, clear: false}\n"
     "  - flux: {sound_speed: 12 m/s}\n"},
    {"begun and ended in mid-run",
     BOX FRAMES
     "stages:\n"
     "  - emit: {frames: 1-2, density: 1, temperature: 300, shape: {sphere: {center: [0, 0, 0.3], radius: 15 cm}}}\n"
     "  - load: {id: late, frames: 3-3, path: FOLDER/vdb/puff_0006.vdb, field: dye, grid: density}\n"
     "  - collide: {shape: {sphere: {center: [\"=0.2+t\", 0, 0.5], radius: 12 cm}}}\n"
     "  - mac.advect: {frames: 1-2, only: [vel]}\n"
     "  - mac.advect: {id: smoke, frames: 3-4, only: [density]}\n"
     "  - mac.forces: {buoyancy: 1}\n"
     "  - mac.project: {}\n",
     "smoke"},
    {"mass that flows",
     "domain: {cells: [48, 32, 1], voxel: 5 cm, sides: {rest: closed}}\n" FRAMES "stages:\n"
     "  - emit: {mode: max, frames: 1-2, mass: 4, shape: {cylinder: {center: [0.5, 0.8, 0], radius: 20 cm,\n"
     "          height: 1}}}\n"
     "  - collide: {shape: {box: {center: [{keys: {1: 1.4, 3: 0.6}}, 0.8, 0], size: [0.7, 0.8, 1]}}, clear: false}\n"
     "  - flux: {mode: mass_flow, ambient_density: 1}\n",
     "flux"},
    {"potentials: steady and relaxing",
     "domains:\n"
     "  one: {cells: [32, 32, 16], voxel: 5 cm, sides: {rest: closed}}\n"
     "  two: {cells: [32, 32, 16], voxel: 5 cm, sides: {rest: closed}}\n" FRAMES "stages:\n"
     "  - collide: {id: a, domain: one, shape: {box: {center: [0, 0, {keys: {1: 0.4, 5: 0.1}}], size: [0.2,\n"
     "          0.9, 0.4]}}}\n"
     "  - emit: {id: b, domain: one, mode: max, divergence: 4, density: 1, shape: {sphere: {center: [-0.4,\n"
     "          0, 0.4], radius: 20 cm}}}\n"
     "  - potential: {id: c, domain: one, balance: spread}\n"
     "  - mac.advect: {id: d, domain: one}\n"
     "  - emit: {id: e, domain: two, mode: max, divergence: 4, density: 1, shape: {sphere: {center: [-0.4,\n"
     "          0, 0.4], radius: 20 cm}}}\n"
     "  - emit: {id: h, domain: two, mode: max, divergence: -3, shape: {sphere: {center: [0.4, 0.2, 0.4],\n"
     "          radius: 20 cm}}}\n"
     "  - potential: {id: f, domain: two, balance: nearest, mode: relaxation}\n"
     "  - mac.advect: {id: g, domain: two}\n"},
    {"nested domains that move smoke to each other",
     "domains:\n"
     "  wide: {size: [1.6 m, 1.6 m, 1.6 m], voxel: 10 cm, sides: {bottom: closed, rest: open}}\n"
     "  wide_in: {size: [0.8 m, 0.8 m, 0.8 m], voxel: 5 cm, sides: {bottom: closed, rest: open}}\n" FRAMES "stages:\n"
     "  - emit: {domain: wide_in, density: 1, temperature: 200, shape: {sphere: {center: [0, 0, 0.2],\n"
     "          radius: 20 cm}}}\n"
     "  - mac.advect: {id: wide.advect, domain: wide}\n"
     "  - mac.forces: {id: wide.forces, domain: wide}\n"
     "  - mac.advect: {id: wide_in.advect, domain: wide_in}\n"
     "  - mac.forces: {id: wide_in.forces, domain: wide_in}\n"
     "  - transfer: {id: up, domain: wide, from: wide_in, fields: [density, temperature, vel]}\n"
     "  - mac.project: {id: wide.project, domain: wide}\n"
     "  - guide: {domain: wide_in, from: wide, size: 20 cm}\n"
     "  - transfer: {id: rim, domain: wide_in, from: wide, region: rim, blend: 4, fields: [density,\n"
     "          temperature, vel]}\n"
     "  - mac.project: {id: wide_in.project, domain: wide_in}\n"},
    {"a finer flow",
     "frames_from: FOLDER/vdb/puff_####.vdb\n"
     "domain: {size: [0.8 m, 0.8 m, 0.8 m], center: [0, 0], voxel: 2.5 cm, sides: {bottom: closed, rest: open}}\n"
     "time: {fps: 24, frames: 1-3, substeps: 2, seed: 7}\n"
     "stages:\n"
     "  - upres.flow: {renew: 60 ms}\n"
     "  - emit: {density: 1, shape: {sphere: {center: [0, 0, 0.4]}}}\n"
     "  - mac.advect: {only: [density]}\n",
     "upres.flow"},
    {"a finer flow in step with the coarse one",
     "frames_from: FOLDER/vdb/puff_####.vdb\n"
     "domain: {size: [0.8 m, 0.8 m, 0.8 m], center: [0, 0], voxel: 2.5 cm, sides: {bottom: closed, rest: open}}\n"
     "time: {fps: 24, frames: 1-3, substeps: 1, seed: 7}\n"
     "stages:\n"
     "  - upres.flow: {renew: 60 ms}\n"
     "  - mac.advect: {only: [density]}\n"
     "  - upres.match: {fields: [density]}\n",
     "upres.match"},
    {"another pace",
     "frames_from: FOLDER/vdb/puff_####.vdb\n"
     "domain: {size: [1.2 m, 1 m, 1.2 m], center: [0, 0], voxel: 2.5 cm, sides: {bottom: closed,\n"
     "          rest: open}}\n" FRAMES "stages:\n"
     "  - retime: {fields: [density], at: \"=1+1.2*(frame-1)\"}\n",
     "retime"},
};

static char folder[] = "/tmp/billow-resume-XXXXXX";

static void text_make(const char *text, char out[8192])
{
    char *to = out + snprintf(out, 8192, "billow: 1\nname: r\n");
    while (*text) {
        if (!strncmp(text, "FOLDER", 6)) to += sprintf(to, "%s", folder), text += 6;
        else *to++ = *text++;
        cr_assert_lt(to - out, 8000);
    }
    *to = 0;
}

static void file_write(const char *name, const char *format, ...)
{
    char path[80];
    va_list list;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    cr_assert_not_null(f);
    va_start(list, format);
    vfprintf(f, format, list);
    va_end(list);
    fclose(f);
}

/* An octahedron with a sheet beside it, whose corners move from file to file; points that move. */
static void files_make(void)
{
    const struct test_options o = {.simd = UINT32_MAX, .out = folder};
    cr_assert_not_null(mkdtemp(folder));
    struct test_run r = run_with(&o, "%s", puff_preset);
    test_end(&r);
    for (int i = 1; i <= 4; i++) {
        char name[32];
        snprintf(name, sizeof name, "shape.%04d.obj", i);
        file_write(name,
                   "v %g 0 0\nv 0 0.2 0\nv -0.2 0 0\nv 0 -0.2 0\nv 0 0 %g\nv 0 0 -0.2\nv 0.3 -0.2 %g\nv 0.3 0.2 0\n"
                   "v 0.3 0 0.3\nf 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\nf 2 1 6\nf 3 2 6\nf 4 3 6\nf 1 4 6\nf 7 8 9\n",
                   0.2 + 0.02 * i, 0.2 + 0.03 * i, 0.05 * i);
        snprintf(name, sizeof name, "dots.%04d.csv", i);
        file_write(name, "x,y,z\n%g,0,0.3\n0.1,%g,0.4\n-0.2,0.1,0.6\n", 0.05 * i, 0.04 * i);
    }
}

static void files_end(void)
{
    char command[80];
    snprintf(command, sizeof command, "rm -r %s", folder);
    cr_assert_eq(system(command), 0);
}

#endif
