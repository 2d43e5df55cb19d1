# SPDX-License-Identifier: Apache-2.0
# Writes the complete schemas, and a C file that contains them:
#   cmake -DFROM=hosts/cli/schema -DTO=folder -DC=schemas.c -P compose.cmake
# In NAME.json.in, @OTHER@ is replaced by a text of shared/, or by another complete schema.
# Each schema is one document, so that it can be used without a second file.
set(schemas lasso check check-lines properties plan explore graph mcc empty replay explain simulate plugins devices)

function(om_read file out)
  file(READ "${file}" text)
  string(STRIP "${text}" text)
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

# Indents a text as the value of a member of "$defs".
function(om_nest text out)
  string(REPLACE "\n" "\n    " text "${text}")
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

foreach(name verified overflows fairness code part)
  om_read("${FROM}/shared/${name}.json" text)
  om_nest("${text}" "${name}")
endforeach()
set(c "/* Made from hosts/cli/schema by compose.cmake. */\n#include \"about/schema.h\"\n\n")
set(table "const cli_schema cli_schemas[] = {\n")
foreach(name ${schemas})
  om_read("${FROM}/${name}.json.in" source)
  string(CONFIGURE "${source}" text @ONLY)
  om_nest("${text}" "${name}")
  file(WRITE "${TO}/${name}.schema.json" "${text}\n")
  # Bytes, not string literals: C11 compilers may reject literals of this length.
  file(READ "${TO}/${name}.schema.json" hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
  string(MAKE_C_IDENTIFIER "${name}" variable)
  string(APPEND c "static const char ${variable}[] = {\n${bytes}0\n};\n")
  string(APPEND table "    { \"${name}\", ${variable}, sizeof ${variable} - 1 },\n")
endforeach()
file(WRITE "${C}" "${c}\n${table}    { NULL, NULL, 0 },\n};\n")
