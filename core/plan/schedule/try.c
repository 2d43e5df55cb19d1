/* SPDX-License-Identifier: Apache-2.0 */
#include "try.h"

#include "execute/executor.h"
#include "product.h"

#include <assert.h>

void om_try__init(om_try *try, om_plan *p, const om_plan_options *options, const om_target *target)
{
    assert(target == NULL || target->translated); /* T1 */
    *try = (om_try){ .plan = p,
        .target = target,
        .fair = target != NULL && target->is_fair ? &target->fair : NULL,
        .options = *options,
        .searched = om_searched__model_itself(p) };
    try->spec.product = (om_product_spec){ .stutter = target == NULL || target->obligation.stutter,
        .faults_repeat = target != NULL && target->trace,
        .deadlock_ap = target == NULL ? OM_NONE : target->deadlock_ap,
        .seed = options->seed };
}

int om_try__search_model(om_try *try, uint32_t ap_count)
{
    const om_target *t = try->target;
    assert(t->ap_count <= ap_count && ap_count <= t->all_aps); /* T1 */
    assert(try->part_count == 0);                              /* P7 */
    int rc = om_plan__merging(try->plan, t, &try->merging);
    if (rc == OM_OK)
        rc = om_searched__make(&try->searched, t->aps, ap_count, try->merging);
    try->spec.model = om_searched__model(&try->searched);
    try->spec.aps = om_searched__aps(&try->searched, t->aps);
    try->spec.ap_count = t->ap_count;
    return rc;
}

void om_try__drop_tasks(om_try *try, const om_attempt *needed)
{
    for (size_t i = 0; i < try->part_count; i++) {
        if (&try->parts[i].cpu != needed)
            om_attempt__drop_task(&try->parts[i].cpu);
        if (&try->parts[i].device != needed)
            om_attempt__drop_task(&try->parts[i].device);
    }
}

void om_try__free(om_try *try)
{
    for (size_t i = 0; i < OM_PLAN_PARTS; i++)
        om_part__free(&try->parts[i]);
    om_states__free(try->states);
    om_context_free(try->sharing);
    om_plan__close_executor(try->plan, try->executor, try->executor_ns, &try->use);
    om_searched__free(&try->searched);
    *try = (om_try){ 0 };
}
