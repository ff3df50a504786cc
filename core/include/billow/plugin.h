// SPDX-License-Identifier: Apache-2.0
/* Billow's plugin interface: include this one header, fill one table, build one .so.
 *
 * A plugin exports one data symbol, `billow_module`, that the host reads before it calls anything. It lists
 * stages (solver steps) and exporters (file formats). A stage in full:
 *
 *     #include <billow/plugin.h>
 *
 *     struct fade { double rate; };                                   // 1: options
 *     static const struct bw_param params[] = {
 *         BW_F64(struct fade, rate, "rate", "0.5 1/s", 0, 100, "1/s", "Share of the smoke lost each second."),
 *     };
 *     static const struct bw_port ports[] = {                         // 2: fields
 *         {.name = "density", .kind = BW_SCALAR, .access = BW_UPDATE, .unit = "1", .doc = "Smoke."},
 *     };
 *     static void body(const struct bw_block *b, void *user)          // 3: kernel, one block of cells
 *     {
 *         const struct bw_view *v = &b->view[0];
 *         float keep = *(float *)user, *f = bw_f32(v, 0);
 *         for (int k = 0; k < b->n[2]; k++)
 *             for (int j = 0; j < b->n[1]; j++)
 *                 for (int i = 0; i < b->n[0]; i++) f[i + j * v->sy + k * v->sz] *= keep;
 *     }
 *     static enum bw_status step(struct bw_stage *s)                  // 4: one step of s->dt seconds
 *     {
 *         const struct fade *p = s->params;
 *         float keep = expf(-(float)(p->rate * s->dt));
 *         struct bw_access a[] = {{bw_port_field(s, 0), BW_UPDATE, 0}};
 *         return s->host->sweep(s, &(struct bw_sweep){.access = a, .n_access = 1, .body = body, .user = &keep});
 *     }
 *     static const struct bw_stage_desc fade = {                      // 5: descriptor and module
 *         .id = "fade", .version = "1.0", .brief = "Lets smoke fade.", .params_size = sizeof(struct fade),
 *         BW_PARAMS(params), BW_PORTS(ports), .step = step,
 *     };
 *     static const struct bw_stage_desc *const stages[] = {&fade};
 *     BW_EXPORT const struct bw_module billow_module = BW_MODULE(stages);
 *
 * Rules: no undefined symbols of the host's (all services come through s->host), no globals that change, no
 * threads, no malloc. Two instances of any stage coexist; instances share nothing but what the host gives. */
#ifndef BILLOW_PLUGIN_H
#define BILLOW_PLUGIN_H

#include "checkpoint.h"
#include "exporter.h"
#include "field.h"
#include "host.h"
#include "param.h"
#include "rng.h"
#include "services.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BW_MAGIC 0x574f4c4cu ///< "LLOW"
#define BW_ABI_MAJOR 0       ///< another major is refused, and so, while it is 0, is another minor …
#define BW_ABI_MINOR 20      ///< … newer or older: build plugins with the headers of the Billow that loads them

enum bw_stage_flags {
    BW_STAGE_SUBSTEPS = 1, ///< advances to the step's end by itself, in steps of its own; max_dt is not asked
    /// Is also called once with dt = 0 and step = 0 before the first frame is shown, so that the initial state holds
    /// what it makes (set, load, emit, collide); real steps count from 1.
    BW_STAGE_SETUP = 2,
    /// `state` is plain: no pointers, nothing that is only good in this process. Checkpoints keep its bytes.
    BW_STAGE_PLAIN_STATE = 4,
    /// No step depends on what an earlier one left in `state`: what init makes is the same after a resume, and the rest
    /// is made anew when it is missing, with the same bits. Checkpoints leave it out.
    BW_STAGE_REBUILT_STATE = 8,
    /// Made for several ranks (BW_RANKS in services.h): each runs sweeps on its own tiles alone. Bodies leave nothing
    /// behind but what they write to views, sums and maxima, or what `share` then spreads; outside of sweeps no field
    /// is read. A stage without it runs whole on every rank.
    BW_STAGE_RANKS = 16,
    /// Where the flow has wider cells than what it carries (`domain: {flow: 2}`) there are two of it: one on the wide
    /// cells, with stage->amounts, bound to velocities; and before it one on the fine ones, with stage->flow, bound to
    /// the rest. A stage without it is on the wide cells if it changes velocities or particles alone, on the fine ones
    /// if it does neither; what changes both is refused.
    BW_STAGE_SPLITS = 32,
};

/// One stage: a solver step that a preset may name.
struct bw_stage_desc {
    const char *id;         ///< "family.name" or "name": lower case, digits, '.', '_', '-'
    const char *version;    ///< of the stage
    const char *brief;      ///< one line for `billow list`
    const char *references; ///< papers, or NULL
    const struct bw_param *params;
    const struct bw_port *ports;
    uint32_t n_params, n_ports;
    uint32_t params_size; ///< bytes of the parameter struct
    uint32_t state_size;  ///< bytes of private state, zeroed before init
    uint32_t flags;       ///< enum bw_stage_flags
    uint32_t reserved;

    /// [main] Once, before the first step; parameters are there, fields hold their background. Optional.
    enum bw_status (*init)(struct bw_stage *stage);
    /// [main] Before each step: say with host->activate where the stage will write. Optional.
    enum bw_status (*activate)(struct bw_stage *stage);
    /// [main] Before each step: longest step it can take now, s; HUGE_VAL when it does not care. Optional.
    double (*max_dt)(struct bw_stage *stage);
    /// [main] Before each step, once its dt is known: by how much the flow of its domain goes on in it, s, where that
    /// is not dt: every stage of the domain finds it in stage->span. Optional; one stage a domain has it.
    double (*span)(struct bw_stage *stage);
    /// [main] Advance by stage->dt seconds. Mandatory.
    enum bw_status (*step)(struct bw_stage *stage);
    /// [main] Once, also after a failed init. Memory from alloc() is given back by the host. Optional.
    void (*uninit)(struct bw_stage *stage);
    /// [main] A service for other stages by versioned id, or NULL. Optional.
    const void *(*extension)(const char *id);
    /// [main] Save or restore what a later step depends on (checkpoint.h): between two steps, or after init and before
    /// the first step of a resumed run, when fields and particles are back. Optional.
    enum bw_status (*checkpoint)(struct bw_stage *stage, struct bw_archive *a);
};

/// Row of a port table: `force`, to which whatever pushes the gas adds an acceleration; `vel` it leaves as it is. Once
/// a step mac.project or flux adds stage->span times that to the flow: it stands below what pushes it.
#define BW_FORCE_PORT                                                                                                  \
    {                                                                                                                  \
        .name = "force", .kind = BW_MAC, .access = BW_UPDATE, .lifetime = BW_STEP, .unit = "m/s^2",                    \
        .flags = BW_PORT_ASKS, .doc = "Acceleration of the gas, which mac.project or flux applies."                    \
    }

/// Acceleration to add to `force` that takes the gas, `vel` at present, a share of the way to `goal` by the step's end:
/// a rate's share is 1 - exp(-rate span).
static inline double bw_force_towards(double goal, double share, double vel, double force, double span)
{
    return share / span * (goal - (vel + span * force));
}

/// The one exported symbol. It lists pointers, so that descriptors of other files can stand in a constant table.
struct bw_module {
    uint32_t magic; ///< BW_MAGIC
    uint32_t abi_major, abi_minor;
    uint32_t size; ///< of this struct
    uint32_t stage_size, exporter_size, param_size, port_size;
    uint32_t n_stages, n_exporters;
    const struct bw_stage_desc *const *stages;
    const struct bw_exporter_desc *const *exporters;
};

#define BW_PARAMS(table) .params = table, .n_params = BW_COUNT(table)
#define BW_PORTS(table) .ports = table, .n_ports = BW_COUNT(table)
#define BW_MODULE_HEAD                                                                                                 \
    BW_MAGIC, BW_ABI_MAJOR, BW_ABI_MINOR, sizeof(struct bw_module), sizeof(struct bw_stage_desc),                      \
        sizeof(struct bw_exporter_desc), sizeof(struct bw_param), sizeof(struct bw_port)
// clang-format off
#define BW_MODULE(stages) {BW_MODULE_HEAD, BW_COUNT(stages), 0, stages, 0}
#define BW_MODULE_EXPORTERS(exporters) {BW_MODULE_HEAD, 0, BW_COUNT(exporters), 0, exporters}
// clang-format on

#if defined(__cplusplus)
#define BW_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define BW_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
}
#endif
#endif
