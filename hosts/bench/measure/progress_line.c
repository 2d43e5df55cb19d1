/* SPDX-License-Identifier: Apache-2.0 */
#include "progress_line.h"

#include <assert.h>

void bench_progress_row(bench_progress *p, size_t runs)
{
    assert(p->done == p->row_end); /* P1 */
    p->row_end = p->done + runs;
}

void bench_progress_row_end(bench_progress *p)
{
    assert(p->done <= p->row_end); /* P1 */
    p->done = p->row_end;
}

void bench_progress_run(bench_progress *p)
{
    if (p->done < p->row_end)
        p->done++;
}

static void put_time(double seconds, om_text *out)
{
    const unsigned long s = (unsigned long) (seconds + 0.5);
    if (s >= 3600)
        om_text_printf(out, "%lu h %lu min", s / 3600, s % 3600 / 60);
    else if (s >= 600)
        om_text_printf(out, "%lu min", s / 60);
    else if (s >= 60)
        om_text_printf(out, "%lu min %lu s", s / 60, s % 60);
    else
        om_text_printf(out, "%lu s", s);
}

void bench_put_progress(const bench_progress *p, uint64_t now_ns, om_text *out)
{
    assert(now_ns >= p->started_ns);
    const double so_far = (double) (now_ns - p->started_ns) / 1e9;
    om_text_printf(out, "%zu of %zu runs, ", p->done, p->planned);
    put_time(so_far, out);
    if (p->done == 0 || p->done >= p->planned)
        return;
    double left = so_far * (double) (p->planned - p->done) / (double) p->done;
    if (p->deadline_ns != 0) {
        const double most = p->deadline_ns > now_ns ? (double) (p->deadline_ns - now_ns) / 1e9 : 0;
        left = left < most ? left : most;
    }
    om_text_add(out, "; about ");
    put_time(left, out);
    om_text_add(out, " left");
}
