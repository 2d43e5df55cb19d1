/* SPDX-License-Identifier: Apache-2.0 */
/* machine.h: what figures were taken on, and of what. */
#ifndef OMEN_BENCH_MACHINE_H
#define OMEN_BENCH_MACHINE_H

#include <omen/plugin/base.h>

/* "MODEL, N cores, M GB, Linux R". */
void bench_put_machine(om_text *out);
/* The commit of the git tree that a file lies in, "+" behind it where files differ from it;
 * "unknown" where git does not say. */
int bench_put_commit(om_context *ctx, const char *file, const char *folder, om_text *out);
/* Today, as in 2026-11-20 (UTC). */
void bench_put_date(om_text *out);

#endif
