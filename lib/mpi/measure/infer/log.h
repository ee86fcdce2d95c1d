/* SPDX-License-Identifier: BSD-3-Clause */
/* How long the logs of experiments are. */
#ifndef PLANI_LOG_H
#define PLANI_LOG_H

enum { PLANI_LOG = 64 }; /* samples per experiment */

#endif
