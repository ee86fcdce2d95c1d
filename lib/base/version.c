/* SPDX-License-Identifier: BSD-3-Clause */
#include <planbcast/version.h>

const char *plan_version(void)
{
    return PLANBCAST_VERSION;
}
