# SPDX-License-Identifier: Apache-2.0
# Debian's policy for installed files: manual pages are compressed reproducibly.
string(REPLACE "[" "[[]" folder "${CPACK_TEMPORARY_INSTALL_DIRECTORY}")
file(GLOB pages "${folder}/*/usr/share/man/man*/*.[1-9]")
foreach(page ${pages})
  execute_process(COMMAND gzip -9n "${page}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
