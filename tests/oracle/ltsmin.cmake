# SPDX-License-Identifier: Apache-2.0
# Compares omen's checkers with LTSmin, if dve2lts-mc is available (OMEN_LTSMIN) and OMEN_LTSMIN_MODELS names a folder
# for compiled models (missing ones are compiled); otherwise skipped.
om_script_test(oracle_ltsmin COMMAND ${Python3_EXECUTABLE} "${CMAKE_CURRENT_LIST_DIR}/ltsmin.py"
  LABELS oracle corpus slow TIMEOUT 14400)
