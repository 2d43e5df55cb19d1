# SPDX-License-Identifier: Apache-2.0
# Writes a C file with the view's script and style: cmake -DOUT=x.c -DFOLDER=view -P embed.cmake
# Merges the parts of the script into one, with its own scope.
set(script "(() => {\n\"use strict\";\n")
foreach(part run.js rows.js chart.js tables.js view.js)
  file(READ "${FOLDER}/${part}" text)
  string(APPEND script "${text}")
endforeach()
string(APPEND script "})();\n")
file(READ "${FOLDER}/view.css" style)

# base64_of(NAME HEX): encodes 32 bytes, 64 digits of HEX; two more digits make 22 groups of three.
function(base64_of name hex)
  set(letters "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  set(made "")
  foreach(at RANGE 0 63 3)
    string(SUBSTRING "${hex}00" ${at} 3 digits)
    math(EXPR high "0x${digits} >> 6")
    math(EXPR low "0x${digits} & 63")
    string(SUBSTRING "${letters}" ${high} 1 first)
    string(SUBSTRING "${letters}" ${low} 1 second)
    string(APPEND made "${first}${second}")
  endforeach()
  string(SUBSTRING "${made}" 0 43 made)
  set(${name} "${made}=" PARENT_SCOPE)
endfunction()

set(out "/* Made from core/lasso/view by embed.cmake. */\n#include \"formats/view_data.h\"\n\n")
foreach(name script style)
  string(TOLOWER "${${name}}" lower)
  if(lower MATCHES "</s(cript|tyle)|<!--")
    message(FATAL_ERROR "The view's ${name} cannot stand in a page: it has ${CMAKE_MATCH_0}")
  endif()
  string(SHA256 hash "${${name}}")
  base64_of(hash_${name} "${hash}")
  # Bytes, not string literals: C11 compilers may refuse long literals.
  string(HEX "${${name}}" hex)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
  string(APPEND out "const char om_view__${name}[] = {\n${bytes}0\n};\n")
endforeach()
string(APPEND out "const char om_view__policy[] =\n    \"default-src 'none'; base-uri 'none'; form-action 'none'; \"\n"
  "    \"script-src 'sha256-${hash_script}'; \"\n    \"style-src 'sha256-${hash_style}'\";\n")
file(WRITE "${OUT}" "${out}")
