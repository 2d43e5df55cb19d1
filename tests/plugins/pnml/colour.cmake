# SPDX-License-Identifier: Apache-2.0
# Symmetric nets: the tests link the sources that unfold them, and explore the nets one by one.
set(folder "${PROJECT_SOURCE_DIR}/plugins/frontend/pnml")
set(sources document/xml document/names document/pnml_document document/known document/plain document/references
  place_transition/make_net place_transition/special
  symmetric/sorts symmetric/colour_sorts symmetric/colour_terms symmetric/guards symmetric/multiset
  unfold/facts unfold/atoms unfold/join_plan unfold/join unfold/emit unfold/unfold)
list(TRANSFORM sources PREPEND "${folder}/")
list(TRANSFORM sources APPEND ".c")
add_library(pnml_colour STATIC colour_net.c ${sources})
target_include_directories(pnml_colour PUBLIC "${folder}")
target_link_libraries(pnml_colour PRIVATE om_flags PUBLIC omen_static PkgConfig::EXPAT)

om_test(pnml_colour SOURCES test_colour.c LABELS unit LIBS pnml_colour)
om_test(pnml_colour_messages SOURCES test_colour_messages.c LABELS unit LIBS pnml_colour)
om_test(pnml_colour_memory SOURCES test_colour_memory.c LABELS unit LIBS pnml_colour)
om_test(pnml_colour_mcc SOURCES test_colour_mcc.c LABELS corpus LIBS pnml_colour ARGS 0 200000)
om_test(pnml_colour_mcc_large SOURCES test_colour_mcc.c LABELS corpus slow LIBS pnml_colour
  ARGS 200001 20000000 TIMEOUT 3600)

# A program that prints the firings of a net for comparison with the naive interpreter
add_executable(pnml_colour_print colour_print.c)
target_link_libraries(pnml_colour_print PRIVATE om_flags pnml_colour)
set(random "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/colour_random.py" "$<TARGET_FILE:pnml_colour_print>")
om_script_test(pnml_colour_random COMMAND ${random} 500 LABELS differential)
om_script_test(pnml_colour_random_more COMMAND ${random} 3000 LABELS differential long)
