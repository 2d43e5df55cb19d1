# SPDX-License-Identifier: Apache-2.0
# Writes a C file with kernel texts, without comments, empty lines and indentation: cmake -DOUT=x.c -DFOLDER=kernels -P embed.cmake
set(text "/* Made from kernels/ by embed.cmake. */\n#include \"kernels.h\"\n\n")
foreach(pair om_kernel__steps=om_step.h om_kernel__prelude=om_kernel.h om_kernel__record=om_record.h
    om_kernel__store=store.cl om_kernel__quotient=quotient.cl om_kernel__expand=expand.cl om_kernel__fixpoint=fixpoint.cl
    om_kernel__owner=om_share.h om_kernel__share=share.cl om_kernel__host=om_host.h om_kernel__access=access.txt)
  string(REGEX MATCH "^([^=]+)=(.+)$" pair "${pair}")
  set(name "${CMAKE_MATCH_1}")
  file(READ "${FOLDER}/${CMAKE_MATCH_2}" text_of)
  string(REGEX REPLACE "[ \t]*/[*]([^*]|[*]+[^*/])*[*]+/" "" text_of "${text_of}")
  if(NOT name STREQUAL "om_kernel__access")
    string(REGEX REPLACE "\n[ \n]+" "\n" text_of "${text_of}")
  endif()
  string(HEX "${text_of}" hex)
  # Bytes instead of string literals, whose length C11 compilers may reject.
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
  string(APPEND text "const char ${name}[] = {\n${bytes}0\n};\n")
endforeach()
file(WRITE "${OUT}" "${text}")
