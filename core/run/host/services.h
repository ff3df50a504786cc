// SPDX-License-Identifier: Apache-2.0
/* The services by id (services.h of the SDK) that work on the grid alone. */
#ifndef SERVICES_H
#define SERVICES_H

/// See bw_host.extension; NULL: none of these.
const void *service_by_id(const char *id);

#endif
