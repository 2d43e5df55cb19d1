# SPDX-License-Identifier: Apache-2.0
# What Debian's policy asks of installed files: manual pages are compressed, and the same each time.
string(REPLACE "[" "[[]" folder "${CPACK_TEMPORARY_INSTALL_DIRECTORY}")
file(GLOB pages "${folder}/*/usr/share/man/man*/*.[1-9]")
foreach(page ${pages})
  execute_process(COMMAND gzip -9n "${page}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
