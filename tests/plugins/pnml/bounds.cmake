# SPDX-License-Identifier: Apache-2.0
# Bounds of places and invariants, tested with the core's private headers.
set(pnml ${PROJECT_SOURCE_DIR}/plugins/frontend/pnml)
om_test(pnml_bounds SOURCES test_bounds.c net_case.c LABELS unit)
om_test(pnml_bounds_memory SOURCES test_bounds_memory.c net_case.c LABELS unit)
om_test(pnml_bounds_random SOURCES test_bounds_random.c net_case.c LABELS differential)
om_test(net_pump SOURCES test_pump.c net_case.c LABELS differential)
om_test(net_compact SOURCES test_compact.c net_case.c LABELS differential)
set(nets 1500)
if(CMAKE_C_FLAGS MATCHES "-fsanitize")
  set(nets 150)
endif()
om_test(net_predicates SOURCES test_predicates.c net_case.c LABELS differential threads ARGS ${nets})
om_test(net_reduce SOURCES test_reduce.c net_case.c LABELS differential)
if(GLPK_LIBRARY AND GLPK_INCLUDE)
  om_test(net_equation SOURCES test_equation.c net_case.c "${PROJECT_SOURCE_DIR}/hosts/mcc/equation/state_equation.c"
    "${PROJECT_SOURCE_DIR}/hosts/mcc/equation/state_program.c"
    LABELS differential LIBS ${GLPK_LIBRARY})
  target_include_directories(test_net_equation PRIVATE "${PROJECT_SOURCE_DIR}/hosts/mcc/equation")
  target_compile_definitions(test_net_equation PRIVATE OMEN_GLPK)
endif()
om_test(pnml_bounds_large SOURCES test_bounds_large.c net_case.c LABELS unit)
om_test(pnml_bounds_corpus SOURCES test_bounds_corpus.c ${pnml}/document/xml.c ${pnml}/document/names.c
  ${pnml}/document/pnml_document.c ${pnml}/document/known.c ${pnml}/document/plain.c ${pnml}/document/references.c
  ${pnml}/place_transition/make_net.c ${pnml}/place_transition/special.c net_case.c LIBS PkgConfig::EXPAT LABELS corpus)
target_include_directories(test_pnml_bounds_corpus PRIVATE ${pnml})
