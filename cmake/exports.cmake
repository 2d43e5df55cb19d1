# SPDX-License-Identifier: Apache-2.0
# Writes the linker's version script: the library exports exactly the functions that its public
# headers declare with OM_API. Functions for plug-ins have the version OMEN_1, which corresponds to
# OM_ABI_MAJOR (plugin.h); functions only for programs have OMEN_HOST.
# usage: cmake -DOUT=FILE -DFOLDER=core/include -P exports.cmake
cmake_minimum_required(VERSION 3.25)

string(REPLACE "[" "[[]" glob "${FOLDER}")
file(GLOB_RECURSE headers RELATIVE "${FOLDER}" "${glob}/*.h")
list(SORT headers)
set(OMEN_1 "")
set(OMEN_HOST "")
foreach(header ${headers})
  set(version OMEN_1)
  if(header MATCHES "/host/")
    set(version OMEN_HOST)
  endif()
  string(APPEND ${version} "    /* ${header} */\n")
  file(READ "${FOLDER}/${header}" text)
  # Semicolons and brackets have a meaning in lists.
  string(REPLACE ";" "@" text "${text}")
  string(REGEX REPLACE "[][]" " " text "${text}")
  string(REGEX REPLACE "#define[^\n]*" "" text "${text}")
  string(REGEX MATCHALL "OM_API[^@(]*\\(" found "${text}")
  foreach(declaration ${found})
    string(REGEX MATCH "[A-Za-z0-9_]+\\($" function "${declaration}")
    string(REPLACE "(" "" function "${function}")
    string(APPEND ${version} "    ${function};\n")
  endforeach()
endforeach()
file(WRITE "${OUT}" "OMEN_1 {\n  global:\n${OMEN_1}  local:\n    *;\n};\n\nOMEN_HOST {\n  global:\n${OMEN_HOST}};\n")
