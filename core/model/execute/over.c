/* SPDX-License-Identifier: Apache-2.0 */
#include "over.h"

static uint64_t labels(const om_executor *x, const uint32_t *vector, om_fault *fault)
{
    const om_over *o = x->self;
    return o->below->labels(o->below, vector, fault);
}

static void initial(const om_executor *x, uint32_t *vector)
{
    const om_over *o = x->self;
    o->below->initial(o->below, vector);
}

static const char *who(const om_executor *x)
{
    const om_over *o = x->self;
    return om_executor__who(o->below);
}

static void over_close(om_executor *x)
{
    om_over *o = x->self;
    om_executor *below = o->below;
    om_over__drop(o);
    om_executor_close(below);
}

om_executor *om_executor__below(const om_executor *x)
{
    const om_over *o = x->close == over_close ? x->self : NULL;
    return o != NULL ? o->below : NULL;
}

om_over *om_over__is(const om_executor *x, const om_over_kind *kind)
{
    om_over *o = x->close == over_close ? x->self : NULL;
    return o != NULL && o->kind == kind ? o : NULL;
}

void om_over__init(om_over *o, om_executor *below, const om_over_kind *kind, const om_heap *heap)
{
    *o = (om_over){ .executor = *below, .below = below, .kind = kind, .heap = heap };
    pthread_mutex_init(&o->lock, NULL);
    o->executor.self = o;
    o->executor.initial = initial;
    o->executor.append = kind->append;
    o->executor.labels = labels;
    o->executor.close = over_close;
    o->executor.who = who;
}

void om_over__drop(om_over *o)
{
    om_over__forget(o);
    pthread_mutex_destroy(&o->lock);
    o->kind->free(o);
}

om_scratch *om_over__take(om_over *o)
{
    pthread_mutex_lock(&o->lock);
    om_scratch *s = o->unused;
    if (s != NULL)
        o->unused = s->next;
    pthread_mutex_unlock(&o->lock);
    return s != NULL ? s : o->kind->make(o);
}

void om_over__give_back(om_over *o, om_scratch *s)
{
    pthread_mutex_lock(&o->lock);
    s->next = o->unused;
    o->unused = s;
    pthread_mutex_unlock(&o->lock);
}

void om_over__forget(om_over *o)
{
    while (o->unused != NULL) {
        om_scratch *s = o->unused;
        o->unused = s->next;
        o->kind->unmake(o, s);
    }
}
