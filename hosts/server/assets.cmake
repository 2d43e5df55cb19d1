# SPDX-License-Identifier: Apache-2.0
# cmake -DOUT=FILE -DFOLDER=DIR -DASSETS=path|type|file;... -P assets.cmake
# Writes a C file that contains the contents of the files, and a table of them.
set(text "/* Made from the files that omend serves. */\n#include \"http/assets.h\"\n\n#include <string.h>\n\n")
set(rows "")
set(number 0)
foreach(asset IN LISTS ASSETS)
  string(REPLACE "|" ";" parts "${asset}")
  list(GET parts 0 path)
  list(GET parts 1 type)
  list(GET parts 2 file)
  cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${FOLDER}")
  file(READ "${file}" hex HEX)
  string(LENGTH "${hex}" length)
  math(EXPR length "${length} / 2")
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
  string(APPEND text "static const unsigned char asset_${number}[] = {\n${hex}0};\n\n")
  string(APPEND rows "    { \"${path}\", \"${type}\", (const char *) asset_${number}, ${length} },\n")
  math(EXPR number "${number} + 1")
endforeach()
string(APPEND text "static const omend_asset assets[] = {\n${rows}};\n
const omend_asset *asset_embedded(const char *path)
{
    for (size_t i = 0; i < sizeof assets / sizeof *assets; i++)
        if (strcmp(assets[i].path, path) == 0)
            return &assets[i];
    return NULL;
}
")
file(WRITE "${OUT}" "${text}")
