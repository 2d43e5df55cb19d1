# SPDX-License-Identifier: Apache-2.0
# Bounds of places and invariants. The front end's own sources: what they say is not in its interface.
set(pnml ${PROJECT_SOURCE_DIR}/plugins/frontend/pnml)
set(pnml_bounds ${pnml}/../arena.c ${pnml}/rows.c ${pnml}/bounds.c ${pnml}/invariants.c ${pnml}/possible.c
  ${pnml}/flows.c ${pnml}/propagate.c ${pnml}/programs.c net_case.c)
om_test(pnml_bounds SOURCES test_bounds.c ${pnml_bounds} LABELS unit)
om_test(pnml_bounds_memory SOURCES test_bounds_memory.c ${pnml_bounds} LABELS unit)
om_test(pnml_bounds_random SOURCES test_bounds_random.c ${pnml_bounds} LABELS differential)
om_test(pnml_bounds_large SOURCES test_bounds_large.c ${pnml_bounds} LABELS unit)
om_test(pnml_bounds_corpus SOURCES test_bounds_corpus.c ${pnml}/xml.c ${pnml}/names.c ${pnml}/document.c ${pnml}/resolve.c
  ${pnml}/net.c ${pnml_bounds} LIBS PkgConfig::EXPAT LABELS corpus)
