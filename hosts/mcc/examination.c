/* SPDX-License-Identifier: Apache-2.0 */
/*
 * omen mcc: an examination of the Model Checking Contest. Reads model.pnml from its folder, and the
 * file of the examination's properties if it has one. Answers are printed in the contest's lines as
 * soon as they are known.
 */
#include "base/json.h"
#include "commands.h"
#include "base/program.h"
#include "mcc.h"

#include <omen/host/reduce.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An examination, its function, and its properties if no file defines them */
typedef struct examination {
    const char *name;
    int (*run)(mcc *m);
    const char *const *properties; /* or NULL: there is a file NAME.xml */
} examination;

static int check_file(mcc *m)
{
    int rc = mcc_decide_initially(m);
    if (rc == OM_OK)
        rc = mcc_check_states(m);
    return rc == OM_OK ? mcc_check_runs(m) : rc;
}

static const char *const STATE_SPACE[] = { "STATES", "TRANSITIONS", "MAX_TOKEN_PER_MARKING",
    "MAX_TOKEN_IN_PLACE", NULL };
static const char *const DEADLOCK[] = { "ReachabilityDeadlock", NULL };
static const char *const ONE_SAFE[] = { "OneSafe", NULL };
static const char *const QUASI_LIVENESS[] = { "QuasiLiveness", NULL };
static const char *const STABLE_MARKING[] = { "StableMarking", NULL };
static const char *const LIVENESS[] = { "Liveness", NULL };

/* Unsupported examinations have no function. */
static const examination EXAMINATIONS[] = {
    { "StateSpace", mcc_state_space, STATE_SPACE },
    { "ReachabilityDeadlock", mcc_deadlock, DEADLOCK },
    { "OneSafe", mcc_one_safe, ONE_SAFE },
    { "QuasiLiveness", mcc_quasi_liveness, QUASI_LIVENESS },
    { "StableMarking", mcc_stable_marking, STABLE_MARKING },
    { "Liveness", mcc_liveness, LIVENESS },
    { "UpperBounds", check_file, NULL },
    { "ReachabilityCardinality", check_file, NULL },
    { "ReachabilityFireability", check_file, NULL },
    { "LTLCardinality", check_file, NULL },
    { "LTLFireability", check_file, NULL },
    { "CTLCardinality", NULL, NULL },
    { "CTLFireability", NULL, NULL },
};
enum { EXAMINATION_COUNT = sizeof EXAMINATIONS / sizeof *EXAMINATIONS };

static int find_examination(cli *c, const char *name, const examination **out)
{
    const char *names[EXAMINATION_COUNT];
    for (size_t i = 0; i < EXAMINATION_COUNT; i++) {
        names[i] = EXAMINATIONS[i].name;
        *out = &EXAMINATIONS[i];
        if (strcmp(name, names[i]) == 0)
            return OM_OK;
    }
    const char *nearest = om_nearest(name, names, EXAMINATION_COUNT);
    return om_fail(c->ctx, OM_EUSAGE, NULL, "no examination '%s'%s%s%s", name,
        nearest == NULL ? "" : "; did you mean '", nearest == NULL ? "" : nearest,
        nearest == NULL ? "" : "'?");
}

/* ---- input ---- */

/* BK_INPUT is the name of the instance's folder, in which the contest starts its tools. */
static const char *folder_of(const cli *c)
{
    const char *input = getenv("BK_INPUT");
    if (c->set.positional_count > 0)
        return c->set.positionals[0];
    return input != NULL && access("model.pnml", R_OK) != 0 ? input : ".";
}

static int name_files(mcc *m, const examination *x)
{
    const char *folder = folder_of(m->c);
    m->model_file.heap = m->property_file.heap = m->c->heap;
    om_text_printf(&m->model_file, "%s/model.pnml", folder);
    om_text_printf(&m->property_file, "%s/%s.xml", folder, x->name);
    return m->model_file.failed || m->property_file.failed ? om_fail_memory(m->c->ctx) : OM_OK;
}

/* Takes the contest's time limit, minus a part reserved for the work after the last answer. */
static int take_time(mcc *m)
{
    enum { SPARED_PART = 20 };
    uint64_t *timeout_ns = &m->c->set.limits.timeout_ns;
    const char *confinement = getenv("BK_TIME_CONFINEMENT");
    char *end = NULL;
    if (*timeout_ns == 0 && confinement != NULL) {
        const unsigned long long seconds = strtoull(confinement, &end, 10);
        if (confinement[0] < '0' || confinement[0] > '9' || *end != '\0' || seconds == 0 ||
            seconds > 1000000000)
            return om_fail(m->c->ctx, OM_EUSAGE, NULL,
                "BK_TIME_CONFINEMENT is not a number of seconds: '%s'", confinement);
        *timeout_ns = seconds * (1000000000 - 1000000000 / SPARED_PART);
    }
    m->until_ns = *timeout_ns == 0 ? UINT64_MAX : m->c->started_ns + *timeout_ns;
    return OM_OK;
}

static int make_properties(mcc *m, const char *const *names)
{
    size_t count = 0;
    while (names[count] != NULL)
        count++;
    m->properties = om_region_take(&m->region, count, sizeof *m->properties);
    if (m->properties == NULL)
        return om_fail_memory(m->c->ctx);
    for (m->count = 0; m->count < count; m->count++)
        m->properties[m->count] = (mcc_property){ .id = names[m->count],
            .question = names == STATE_SPACE ? MCC_COUNT : MCC_NET };
    return OM_OK;
}

static int read_net(mcc *m)
{
    int rc = cli_prepare_loading(m->c, &m->set->model);
    if (rc == OM_OK)
        rc = om_frontend_load_net(
            m->c->ctx, m->c->registry, m->set->model.frontend, m->model_file.text, NULL, &m->net);
    if (rc == OM_OK)
        rc = om_net_bound(m->net);
    if (rc != OM_OK)
        return rc;
    m->least = om_region_take(&m->region, (size_t) m->net->place_count + 1, sizeof *m->least);
    return m->least == NULL ? om_fail_memory(m->c->ctx) : om_net_least(m->net, m->least);
}

/* ---- output ---- */

/* Null unless the answer was found by exploration. */
static json_t *net_json(const mcc_property *p)
{
    size_t count = 0;
    const om_reduce_pass *passes = om_reduce_passes(&count);
    if (!p->known || !p->explored)
        return json_null();
    json_t *names = json_array();
    for (size_t i = 0; i < count; i++)
        if ((p->passes >> i & 1) != 0)
            (void) json_array_append_new(names, json_string(passes[i].name));
    return json_pack("{s:I, s:I, s:o}", "places", (json_int_t) p->places, "transitions",
        (json_int_t) p->transitions, "reductions", names);
}

static json_t *answer_json(const mcc_property *p)
{
    const bool number = p->question == MCC_BOUND || p->question == MCC_COUNT;
    json_t *value = !p->known    ? json_null()
                    : p->endless ? json_string(MCC_ENDLESS)
                    : number     ? json_integer((json_int_t) p->value)
                                 : json_boolean(p->value != 0);
    return json_pack("{s:s, s:o, s:s?, s:o, s:o, s:s?}", "id", p->id, "answer", value, "techniques",
        p->techniques, "seconds", p->known ? json_real(p->seconds) : json_null(), "net",
        net_json(p), "reason",
        p->known             ? NULL
        : p->why_not == NULL ? "the time limit was hit"
                             : p->why_not);
}

static int put_json(mcc *m, const examination *x)
{
    json_t *answers = json_array();
    for (size_t i = 0; i < m->count; i++)
        (void) json_array_append_new(answers, answer_json(&m->properties[i]));
    return cli_put_json(m->c,
        json_pack("{s:i, s:o, s:s, s:I, s:I, s:o, s:f}", "schema", 1, "model",
            cli_text_json(m->model_file.text), "examination", x->name, "places",
            (json_int_t) (m->net == NULL ? 0 : m->net->place_count), "transitions",
            (json_int_t) (m->net == NULL ? 0 : m->net->transition_count), "answers", answers,
            "seconds", (double) (om_clock_ns() - m->c->started_ns) / 1e9),
        true);
}

/* Prints the contest's lines for unknown answers. */
static void put_unknown(mcc *m)
{
    for (size_t i = 0; i < m->count; i++) {
        const mcc_property *p = &m->properties[i];
        if (p->known)
            continue;
        if (p->why_not != NULL && !m->c->set.quiet)
            om_note(m->c->ctx, OM_NOTE_VERBOSE, NULL, "%s: %s", p->id, p->why_not);
        om_text_printf(&m->c->out, "%s %s CANNOT_COMPUTE\n",
            p->question == MCC_COUNT ? "STATE_SPACE" : "FORMULA", p->id);
    }
}

static bool all_known(const mcc *m)
{
    for (size_t i = 0; i < m->count; i++)
        if (!m->properties[i].known)
            return false;
    return true;
}

static int put_rest(mcc *m, const examination *x)
{
    if (m->c->set.json)
        return put_json(m, x);
    if (x->run == NULL)
        om_text_add(&m->c->out, "CANNOT_COMPUTE\n");
    else
        put_unknown(m);
    return OM_OK;
}

/* ---- the command ---- */

static int examine(mcc *m, const examination *x)
{
    int rc = take_time(m);
    if (rc == OM_OK)
        rc = name_files(m, x);
    if (rc != OM_OK || x->run == NULL)
        return rc;
    if (x->properties != NULL)
        rc = make_properties(m, x->properties);
    if (rc == OM_OK)
        rc = read_net(m);
    if (rc == OM_OK && x->properties == NULL)
        rc = mcc_read_properties(m);
    return rc == OM_OK ? x->run(m) : rc;
}

static int run_examination(cli *c, void *settings)
{
    mcc m = { .c = c, .set = settings, .region = { .heap = c->heap } };
    const char *name =
        c->set.positional_count > 1 ? c->set.positionals[1] : getenv("BK_EXAMINATION");
    const examination *x = NULL;
    const char *why = NULL;
    int rc = name != NULL
                 ? find_examination(c, name, &x)
                 : om_fail(c->ctx, OM_EUSAGE, NULL,
                       "no examination: give omen mcc FOLDER EXAMINATION, or set BK_EXAMINATION");
    if (rc == OM_OK && x != NULL) {
        m.examination = x->name;
        rc = examine(&m, x);
        /* Too little time or memory to read the net is not an error. */
        if (rc == OM_ELIMIT && mcc_leaves_unknown(&m, rc, &why))
            rc = OM_OK;
        for (size_t i = 0; i < m.count && why != NULL; i++)
            m.properties[i].why_not = why;
        if (rc == OM_OK)
            rc = put_rest(&m, x);
    }
    const int status = rc != OM_OK                                    ? cli_failed(c, rc)
                       : x != NULL && x->run != NULL && all_known(&m) ? 0
                                                                      : om_exit_status(OM_ELIMIT);
    om_net_free(m.net);
    om_region_free(&m.region);
    om_text_free(&m.model_file);
    om_text_free(&m.property_file);
    return status;
}

static int run(cli *c, int argc, char **argv)
{
    return cli_run_command(c, &cli_mcc_command, run_examination, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    cli_program(argc, argv, run);
}
