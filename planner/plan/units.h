/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers with units, as text. */
#ifndef PLANI_UNITS_H
#define PLANI_UNITS_H

typedef struct {
    char s[32];
} plani_quantity_t;

/** Three digits and a unit: "4 MiB", "1.5 KiB", "17 B"; "-" if not finite. */
plani_quantity_t plani_bytes(double bytes);
/** "713 ms", "1.25 us", "2.1 s"; "-" if not finite. */
plani_quantity_t plani_seconds(double s);
/** Bytes per second: "12.5 MB/s"; "-" if not finite. */
plani_quantity_t plani_rate(double bytes_per_s);

#endif
