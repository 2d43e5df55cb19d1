/* SPDX-License-Identifier: Apache-2.0 */
/* machine.h: describes the machine, the commit and the date of a measurement. */
#ifndef OMEN_BENCH_MACHINE_H
#define OMEN_BENCH_MACHINE_H

#include <omen/plugin/base.h>

/* Appends "MODEL, N cores, M GB, Linux R". */
void bench_put_machine(om_text *out);
/* Appends the commit of the git tree that contains *file*, followed by "+" if files differ from it,
 * or "unknown" if git reports none. */
int bench_put_commit(om_context *ctx, const char *file, const char *folder, om_text *out);
/* Appends the current date (UTC) in the format 2026-11-20. */
void bench_put_date(om_text *out);

#endif
