/* SPDX-License-Identifier: Apache-2.0 */
/* The list of executors. A new executor consists of files of its own and a line here. */
#include "native/native.h"
#include "tiers.h"
#include "execute/vm.h"

static int open_vm(om_executor **out, om_model *m, const om_expr *aps, uint32_t ap_count)
{
    int rc = om_vm__open(out, m, aps, ap_count);
    return rc == OM_ENOMEM ? om_fail_memory(m->ctx) : rc;
}

static int open_native(om_executor **out, om_model *m, const om_expr *aps, uint32_t ap_count)
{
    char why[256] = "";
    om_executor *vm = NULL;
    int rc = open_vm(&vm, m, aps, ap_count);
    if (rc != OM_OK)
        return rc;
    const om_native_order order = { .ctx = m->ctx, .reference = vm, .kind = OM_NATIVE_BEST };
    rc = om_native__open(out, m, aps, ap_count, &order, why, sizeof why);
    om_executor_close(vm);
    return rc != OM_EUNSUPPORTED ? rc : om_fail(m->ctx, rc, NULL, "no native code: %s", why);
}

om_code_kind om_executor__code(const om_executor *x)
{
    for (const om_executor *below = x; below != NULL; below = om_executor__below(x))
        x = below;
    const om_executor *now = om_tiers__current(x);
    bool quick = false;
    if (!om_native__is(now, &quick))
        return OM_CODE_FIRST;
    return quick ? OM_CODE_QUICK : OM_CODE_NATIVE;
}

void om_executor__account(om_executor *x, uint64_t since_ns, om_executor_code *sum)
{
    for (om_executor *below = x; below != NULL; below = om_executor__below(x))
        x = below;
    if (x == NULL || om_tiers__account(x, since_ns, sum) || om_native__account(x, since_ns, sum))
        return;
    sum->first = x->name;
    sum->first_ns += om_clock_ns() - since_ns;
}

typedef int opener(om_executor **out, om_model *m, const om_expr *aps, uint32_t ap_count);
static opener *const openers[] = {
    [OM_EXEC_AUTO] = om_tiers__open, [OM_EXEC_NATIVE] = open_native, [OM_EXEC_VM] = open_vm
};

int om_executor_open(
    om_executor **out, om_model *m, om_exec_kind kind, const om_expr *aps, uint32_t ap_count)
{
    int rc = om_model__may_run(m, aps, ap_count);
    if (rc == OM_OK && (size_t) kind >= sizeof openers / sizeof *openers)
        rc = om_fail(m->ctx, OM_EINVAL, NULL, "no such executor");
    return rc == OM_OK ? openers[kind](out, m, aps, ap_count) : rc;
}
