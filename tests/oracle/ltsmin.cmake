# SPDX-License-Identifier: Apache-2.0
# omen's checkers against LTSmin, where dve2lts-mc is (OMEN_LTSMIN) and OMEN_LTSMIN_MODELS names
# a folder of compiled models, or of such as are to be compiled; else skipped.
om_script_test(oracle_ltsmin COMMAND ${Python3_EXECUTABLE} "${CMAKE_CURRENT_LIST_DIR}/ltsmin.py"
  LABELS oracle corpus slow TIMEOUT 14400)
