/* SPDX-License-Identifier: Apache-2.0 */
/* omen.h: the complete interface for hosts. */
#ifndef OMEN_OMEN_H
#define OMEN_OMEN_H

#include <omen/host/devices.h>
#include <omen/host/progress.h>
#include <omen/host/explain.h>
#include <omen/host/failures.h>
#include <omen/host/graph.h>
#include <omen/host/lasso.h>
#include <omen/host/load.h>
#include <omen/host/net_model.h>
#include <omen/host/plan.h>
#include <omen/host/predicate.h>
#include <omen/host/reduce.h>
#include <omen/host/registry.h>
#include <omen/host/simulate.h>
#include <omen/host/task.h>
#include <omen/host/walk.h>
#include <omen/plugin/automaton.h>
#include <omen/plugin/barrier.h>
#include <omen/plugin/base.h>
#include <omen/plugin/bdd.h>
#include <omen/plugin/bfs.h>
#include <omen/plugin/check.h>
#include <omen/plugin/control.h>
#include <omen/plugin/dfs.h>
#include <omen/plugin/engine.h>
#include <omen/plugin/explore.h>
#include <omen/plugin/frontend.h>
#include <omen/plugin/label.h>
#include <omen/plugin/live_stack.h>
#include <omen/plugin/ltl.h>
#include <omen/plugin/model.h>
#include <omen/plugin/net.h>
#include <omen/plugin/plugin.h>
#include <omen/plugin/product.h>
#include <omen/plugin/region.h>
#include <omen/plugin/scc_sets.h>
#include <omen/plugin/translate.h>
#include <omen/plugin/unionfind.h>

/* Returns, for example, "0.2.0". */
OM_API const char *om_version(void);

#endif
