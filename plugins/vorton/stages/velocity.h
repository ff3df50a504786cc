// SPDX-License-Identifier: Apache-2.0
#ifndef VORTON_VELOCITY_H
#define VORTON_VELOCITY_H

#include "flow/biot_savart.h"
#include <billow/plugin.h>

#define VORTON_KERNEL "vorton.kernel/1"
/// Offered by vorton.velocity to stages that add vortons to its flow and must know what each one does.
struct vorton_kernel_api {
    enum pair_kernel (*kernel)(const struct bw_stage *stage);
};

#endif
