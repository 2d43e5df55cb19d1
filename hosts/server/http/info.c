/* SPDX-License-Identifier: Apache-2.0 */
/* Devices, plug-ins, health, metrics, and the description of the interface. */
#include "server.h"

#include "assets.h"

#include <omen/host/omen.h>

#include <inttypes.h>
#include <string.h>

void handle_health(omend_request *r)
{
    const bool draining = atomic_load(&r->server->draining);
    const char *trouble = writer_trouble(r->server->writer);
    request_answer_json(r, draining || trouble != NULL ? MHD_HTTP_SERVICE_UNAVAILABLE : MHD_HTTP_OK,
        json_pack("{s:s, s:s, s:b, s:s*}", "status",
            trouble != NULL ? "broken"
            : draining      ? "draining"
                            : "ok",
            "version", om_version(), "submission_keys", 1, "detail", trouble));
}

void handle_openapi(omend_request *r)
{
    const omend_asset *a = asset_find("/openapi.json");
    request_answer_text(r, MHD_HTTP_OK, a->type, a->text, a->length);
}

/* The page runs only its own scripts and styles, contacts only its own server, and cannot be
 * framed. */
void handle_asset(omend_request *r)
{
    const omend_asset *a = asset_find(r->path);
    request_answer_text(r, MHD_HTTP_OK, a->type, a->text, a->length);
    if (r->response != NULL)
        (void) MHD_add_response_header(r->response, "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
            "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
}

void handle_devices(omend_request *r)
{
    request_answer_json(r, MHD_HTTP_OK, machine_devices(r->server->machine));
}

void handle_plugins(omend_request *r)
{
    request_answer_json(r, MHD_HTTP_OK, machine_plugins(r->server->machine));
}

/* ---- /metrics ---- */

static void head(om_text *out, const char *name, const char *type, const char *help)
{
    om_text_printf(out, "# HELP omend_%s %s\n# TYPE omend_%s %s\n", name, help, name, type);
}

static void gauge(om_text *out, const char *name, const char *help, uint64_t value)
{
    head(out, name, "gauge", help);
    om_text_printf(out, "omend_%s %" PRIu64 "\n", name, value);
}

static void counter(om_text *out, const char *name, const char *help, uint64_t value)
{
    head(out, name, "counter", help);
    om_text_printf(out, "omend_%s %" PRIu64 "\n", name, value);
}

static void put_requests(om_text *out, omend_counts *c)
{
    head(out, "requests_total", "counter", "Requests answered, by the class of their status.");
    for (unsigned i = 1; i < 6; i++)
        om_text_printf(out, "omend_requests_total{class=\"%uxx\"} %" PRIu64 "\n", i,
            atomic_load_explicit(&c->requests[i], memory_order_relaxed));
}

void handle_metrics(omend_request *r)
{
    omend_server *s = r->server;
    omend_pool_figures p = pool_figures(s->pool);
    omend_writer_figures w = writer_figures(s->writer);
    om_text out = { .heap = om_context_heap(s->ctx) };
    put_requests(&out, &s->counts);
    counter(&out, "jobs_accepted_total", "Submissions written to the disk.",
        atomic_load_explicit(&s->counts.accepted, memory_order_relaxed));
    counter(&out, "jobs_rejected_total", "Submissions refused.",
        atomic_load_explicit(&s->counts.rejected, memory_order_relaxed));
    counter(&out, "jobs_started_total", "Attempts started.", p.started);
    counter(&out, "jobs_ended_total", "Jobs whose end was recorded.", p.ended);
    counter(&out, "jobs_lost_total", "Attempts that ended without a report.", p.lost);
    gauge(&out, "jobs_queued", "Waiting jobs.", p.queued);
    gauge(&out, "jobs_running", "Running jobs.", p.running);
    gauge(&out, "threads", "CPU threads for all jobs.", p.capacity.threads);
    gauge(&out, "threads_used", "CPU threads in use by jobs.", p.used.threads);
    gauge(&out, "memory_bytes", "Memory for all jobs.", p.capacity.memory_bytes);
    gauge(&out, "memory_used_bytes", "Memory reserved by jobs.", p.used.memory_bytes);
    gauge(&out, "connections", "Open connections.", connections_open(s->connections));
    gauge(&out, "event_streams", "Open event streams.",
        atomic_load_explicit(&s->counts.streams, memory_order_relaxed));
    counter(&out, "turned_away_total", "Requests refused because too many connections were open.",
        atomic_load_explicit(&s->counts.turned_away, memory_order_relaxed));
    counter(&out, "database_commits_total", "Database transactions.", w.commits);
    counter(&out, "database_changes_total", "Changes in database transactions.", w.changes);
    head(&out, "database_commit_seconds_total", "counter", "Time of database transactions.");
    om_text_printf(&out, "omend_database_commit_seconds_total %.6f\n", w.seconds);
    gauge(&out, "resident_bytes", "Memory of omend itself.", om_resident_bytes());
    gauge(&out, "database_memory_bytes", "Memory of the database, mostly cached pages.",
        (uint64_t) sqlite3_memory_used());
    if (!out.failed)
        request_answer_text(r, MHD_HTTP_OK, "text/plain; version=0.0.4", out.text, out.length);
    om_text_free(&out);
}
