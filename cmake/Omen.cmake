# SPDX-License-Identifier: Apache-2.0
# Helper functions of the build. Folders are layers: a core module sees only the public headers, its
# own folder and the folders of the modules that it USES.

# The path of the source tree, escaped for file(GLOB).
string(REPLACE "[" "[[]" OM_GLOB_DIR "${PROJECT_SOURCE_DIR}")

# If ccache is installed, unchanged sources are not compiled again.
option(OMEN_CCACHE "Compile through ccache if it is installed" ON)
find_program(OMEN_CCACHE_PROGRAM ccache)
mark_as_advanced(OMEN_CCACHE_PROGRAM)
if(OMEN_CCACHE AND OMEN_CCACHE_PROGRAM AND NOT CMAKE_C_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER "${OMEN_CCACHE_PROGRAM}")
endif()

add_library(om_flags INTERFACE)
target_compile_definitions(om_flags INTERFACE _POSIX_C_SOURCE=200809L _DEFAULT_SOURCE
  # The compiler would still use SSE2, because x86-64 includes it. The options select the sources
  # for other processors.
  $<$<NOT:$<BOOL:${OMEN_SSE2}>>:OM_NO_SSE2> $<$<NOT:$<BOOL:${OMEN_SSE2}>>:XXH_VECTOR=0>)
target_compile_options(om_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes
  -Wmissing-prototypes -Wpointer-arith -Wcast-qual -Wwrite-strings -Wvla -Wundef -Wformat=2
  $<$<BOOL:${OMEN_WERROR}>:-Werror>
  # assert() prints file names relative to the source tree.
  "-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/="
  # libFuzzer programs need the coverage of the library and the plug-ins.
  $<$<BOOL:${OMEN_FUZZ}>:-fsanitize=fuzzer-no-link>)

# Libraries, plug-ins and hosts link exactly the libraries that they need, and relocated data is
# read-only. The run-time functions of a sanitizer may come from the program alone.
function(om_link_options target)
  target_link_options(${target} PRIVATE -Wl,--as-needed -Wl,-z,relro,-z,now)
  if(NOT CMAKE_C_FLAGS MATCHES "-fsanitize" AND NOT OMEN_FUZZ)
    target_link_options(${target} PRIVATE -Wl,--no-undefined)
  endif()
endfunction()

# The thread sanitizer needs address ranges that address space randomisation sometimes occupies, so
# tests are started without randomisation.
if(CMAKE_C_FLAGS MATCHES "-fsanitize=thread")
  find_program(OMEN_SETARCH setarch)
  if(OMEN_SETARCH)
    execute_process(COMMAND "${OMEN_SETARCH}" -R true RESULT_VARIABLE refused OUTPUT_QUIET ERROR_QUIET)
    if(refused EQUAL 0)
      set(CMAKE_CROSSCOMPILING_EMULATOR "${OMEN_SETARCH};-R")
    endif()
  endif()
endif()

# Thread-local variables of a library that was opened later (each compiled kernel has one): for one
# address in 256, the run-time reads the size of their memory from the word before it, and can
# crash. The memory comes from malloc(), which the run-time tracks anyway.
set(OM_SANITIZER_OPTIONS "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/cmake/lsan.supp:print_suppressions=0")
if(CMAKE_C_FLAGS MATCHES "-fsanitize=thread")
  list(APPEND OM_SANITIZER_OPTIONS "TSAN_OPTIONS=intercept_tls_get_addr=0")
endif()
# If a thread ends by pthread_exit() or is cancelled, the shadow memory of its frames is still
# marked when the run-time of clang 14 frees the signal stack, and the run-time reports an overflow
# of its own.
if(CMAKE_C_FLAGS MATCHES "-fsanitize=address")
  list(APPEND OM_SANITIZER_OPTIONS "ASAN_OPTIONS=use_sigaltstack=0")
endif()

# In the build tree, the library, its helper programs and its plug-ins have the same relative places
# as after installation, so that the library searches only one place.
set(OM_LIBRARY_FOLDER "${PROJECT_BINARY_DIR}/lib")

set_property(GLOBAL PROPERTY OM_CORE_MODULES "")

# om_core_module(NAME SOURCES a.c ... [USES base ...] [LIBS imported ...])
function(om_core_module name)
  cmake_parse_arguments(A "" "" "SOURCES;USES;LIBS" ${ARGN})
  add_library(om_${name} OBJECT ${A_SOURCES})
  target_include_directories(om_${name} PRIVATE "${PROJECT_SOURCE_DIR}/core/include" "${CMAKE_CURRENT_SOURCE_DIR}")
  foreach(module ${A_USES})
    target_include_directories(om_${name} PRIVATE "${PROJECT_SOURCE_DIR}/core/${module}")
  endforeach()
  target_link_libraries(om_${name} PRIVATE om_flags ${A_LIBS})
  if(OMEN_YIELDS AND name IN_LIST OM_YIELDING)
    target_compile_options(om_${name} PRIVATE "SHELL:-include \"${PROJECT_SOURCE_DIR}/core/base/yield.h\"")
  endif()
  set_property(GLOBAL APPEND PROPERTY OM_CORE_MODULES ${name})
  set_property(GLOBAL APPEND PROPERTY OM_CORE_LIBS ${A_LIBS})
endfunction()

# libomen.so (functions marked OM_API) and omen_static (all functions, for unit tests).
function(om_core_library)
  get_property(modules GLOBAL PROPERTY OM_CORE_MODULES)
  get_property(libs GLOBAL PROPERTY OM_CORE_LIBS)
  list(TRANSFORM modules REPLACE "(.+)" "$<TARGET_OBJECTS:om_\\1>" OUTPUT_VARIABLE objects)
  add_library(omen SHARED ${objects})
  set_target_properties(omen PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0 LINKER_LANGUAGE C
    LIBRARY_OUTPUT_DIRECTORY "${OM_LIBRARY_FOLDER}")
  # Targets that link omen see the headers for plug-ins; programs link omen_host and see all public
  # headers.
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/headers/omen")
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/core/include/omen/plugin" "${PROJECT_BINARY_DIR}/headers/omen/plugin" SYMBOLIC)
  target_include_directories(omen INTERFACE "${PROJECT_BINARY_DIR}/headers")
  add_library(omen_host INTERFACE)
  target_include_directories(omen_host INTERFACE "${PROJECT_SOURCE_DIR}/core/include")
  target_link_libraries(omen_host INTERFACE omen)
  target_link_libraries(omen PRIVATE ${libs} Threads::Threads ${CMAKE_DL_LIBS} m)
  om_link_options(omen)
  om_exports(omen)
  add_library(omen_static STATIC ${objects})
  set_target_properties(omen_static PROPERTIES LINKER_LANGUAGE C)
  target_include_directories(omen_static INTERFACE "${PROJECT_SOURCE_DIR}/core/include" "${PROJECT_SOURCE_DIR}/kernels")
  foreach(module ${modules})
    target_include_directories(omen_static INTERFACE "${PROJECT_SOURCE_DIR}/core/${module}")
  endforeach()
  target_link_libraries(omen_static INTERFACE ${libs} Threads::Threads ${CMAKE_DL_LIBS} m)
endfunction()

# The library exports the functions that its public headers declare (exports.cmake).
function(om_exports target)
  set(folder "${PROJECT_SOURCE_DIR}/core/include")
  set(map "${PROJECT_BINARY_DIR}/omen.map")
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${OM_GLOB_DIR}/core/include/*.h")
  add_custom_command(OUTPUT "${map}"
    COMMAND "${CMAKE_COMMAND}" "-DOUT=${map}" "-DFOLDER=${folder}" -P "${PROJECT_SOURCE_DIR}/cmake/exports.cmake"
    DEPENDS ${headers} "${PROJECT_SOURCE_DIR}/cmake/exports.cmake"
    COMMENT "Listing exported functions" VERBATIM)
  target_sources(${target} PRIVATE "${map}")
  # Ninja links at the top of the build tree. A relative path needs no quoting; CMake 3.25 quotes a
  # dollar sign in link options wrongly.
  set(script "${map}")
  if(CMAKE_GENERATOR MATCHES "Ninja")
    set(script "omen.map")
  endif()
  target_link_options(${target} PRIVATE "-Wl,--version-script,${script}")
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${map}")
endfunction()

# om_helper(TARGET NAME SOURCES a.c ... [LIBS ...]): a program that the library runs (base/process/child.h)
# and that ends with it (base/process/parent_watch.h).
function(om_helper target name)
  cmake_parse_arguments(A "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${target} ${A_SOURCES} "${PROJECT_SOURCE_DIR}/core/base/process/parent_watch.c")
  set_target_properties(${target} PROPERTIES OUTPUT_NAME "${name}"
    RUNTIME_OUTPUT_DIRECTORY "${OM_LIBRARY_FOLDER}/omen" INSTALL_RPATH "$ORIGIN/..")
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/core/include" "${PROJECT_SOURCE_DIR}/core/base")
  target_link_libraries(${target} PRIVATE om_flags Threads::Threads ${A_LIBS})
  install(TARGETS ${target} RUNTIME DESTINATION "${CMAKE_INSTALL_LIBDIR}/omen" COMPONENT omen)
  set_property(GLOBAL APPEND PROPERTY OM_PLUGINS ${target})
endfunction()

# The library does not export its yield points (core/base/yield.c), so plug-ins link their own copy.
if(OMEN_YIELDS)
  add_library(om_yield_points STATIC "${PROJECT_SOURCE_DIR}/core/base/yield.c")
  set_target_properties(om_yield_points PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
  target_include_directories(om_yield_points PRIVATE "${PROJECT_SOURCE_DIR}/core/include")
  target_link_libraries(om_yield_points PRIVATE om_flags)
endif()

# Adds yield points to a target that shares memory by its own atomics (OMEN_YIELDS,
# core/base/yield.h).
function(om_yields target)
  if(OMEN_YIELDS)
    target_compile_options(${target} PRIVATE "SHELL:-include \"${PROJECT_SOURCE_DIR}/core/base/yield.h\"")
  endif()
endfunction()

# om_plugin_part(NAME SOURCES a.c ... [YIELDS]): code shared by several plug-ins, which name it
# among their PARTS and see the headers of its folder.
function(om_plugin_part name)
  cmake_parse_arguments(A "YIELDS" "" "SOURCES" ${ARGN})
  add_library(part_${name} OBJECT ${A_SOURCES})
  target_include_directories(part_${name} PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}/..")
  target_link_libraries(part_${name} PRIVATE om_flags omen)
  if(A_YIELDS)
    om_yields(part_${name})
  endif()
endfunction()

# om_plugin(NAME SOURCES a.c ... [PARTS part ...] [LIBS imported ...] [YIELDS]): a module in the
# library's plug-in folder. YIELDS: its workers share memory by its own atomics.
function(om_plugin name)
  cmake_parse_arguments(A "YIELDS" "" "SOURCES;PARTS;LIBS" ${ARGN})
  list(TRANSFORM A_PARTS PREPEND "part_")
  add_library(plugin_${name} MODULE ${A_SOURCES})
  if(A_YIELDS)
    om_yields(plugin_${name})
  endif()
  if(OMEN_YIELDS)
    target_link_libraries(plugin_${name} PRIVATE om_yield_points)
  endif()
  set_target_properties(plugin_${name} PROPERTIES PREFIX "" OUTPUT_NAME "${name}"
    LIBRARY_OUTPUT_DIRECTORY "${OM_LIBRARY_FOLDER}/omen/plugins")
  target_include_directories(plugin_${name} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/../common")
  target_link_libraries(plugin_${name} PRIVATE om_flags omen ${A_PARTS} ${A_LIBS})
  # Also if the plug-in calls no function of libc: every shared object depends on it.
  target_link_libraries(plugin_${name} PRIVATE -Wl,--push-state,--no-as-needed -lc -Wl,--pop-state)
  om_link_options(plugin_${name})
  install(TARGETS plugin_${name} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/omen/plugins" COMPONENT omen)
  set_property(GLOBAL APPEND PROPERTY OM_PLUGINS plugin_${name})
endfunction()

# om_host(NAME SOURCES a.c ... [COMPONENT omen]): a program at the top of the build tree.
function(om_host name)
  cmake_parse_arguments(A "" "COMPONENT" "SOURCES;LIBS" ${ARGN})
  if(NOT A_COMPONENT)
    set(A_COMPONENT omen)
  endif()
  add_executable(host_${name} ${A_SOURCES})
  set_target_properties(host_${name} PROPERTIES OUTPUT_NAME "${name}"
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}"
    INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  target_link_libraries(host_${name} PRIVATE om_flags omen_host ${A_LIBS})
  om_link_options(host_${name})
  install(TARGETS host_${name} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT ${A_COMPONENT})
endfunction()

# om_test(NAME SOURCES a.c ... | PROGRAM other LABELS unit ... [TIMEOUT s] [BUDGET s] [SHARED] [ARGS ...] [LIBS ...])
# A cmocka program. It links everything statically (internal headers too), or with SHARED only the
# library, as a plug-in does; tests that load plug-ins are SHARED. PROGRAM: the test runs the program
# of that other test with its own arguments. BUDGET: CPU seconds after which a random suite starts no
# further case (tests/seed.h).
function(om_test name)
  cmake_parse_arguments(A "SHARED" "TIMEOUT;BUDGET;PROGRAM" "SOURCES;LABELS;ARGS;LIBS" ${ARGN})
  if(A_PROGRAM)
    add_test(NAME ${name} COMMAND test_${A_PROGRAM} ${A_ARGS})
    om_test_properties(${name} "${A_TIMEOUT}" "${A_LABELS}" "${A_BUDGET}")
    om_built_if_run("${A_LABELS}" test_${A_PROGRAM})
    return()
  endif()
  add_executable(test_${name} ${A_SOURCES})
  if(OM_SANITIZED_LABELS)
    set_target_properties(test_${name} PROPERTIES EXCLUDE_FROM_ALL ON)
    om_built_if_run("${A_LABELS}" test_${name})
  endif()
  if(A_SHARED)
    target_link_libraries(test_${name} PRIVATE om_flags omen_host Threads::Threads)
    get_property(plugins GLOBAL PROPERTY OM_PLUGINS)
    if(plugins)
      add_dependencies(test_${name} ${plugins})
    endif()
  else()
    target_link_libraries(test_${name} PRIVATE om_flags omen_static)
  endif()
  target_include_directories(test_${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  # The tested code is optimised as in a release; the test itself is not, so that it compiles
  # faster.
  target_compile_options(test_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  target_link_libraries(test_${name} PRIVATE PkgConfig::CMOCKA ${A_LIBS})
  target_compile_definitions(test_${name} PRIVATE
    OMEN_SOURCE_DIR="${PROJECT_SOURCE_DIR}" OMEN_BINARY_DIR="${PROJECT_BINARY_DIR}")
  add_test(NAME ${name} COMMAND test_${name} ${A_ARGS})
  om_test_properties(${name} "${A_TIMEOUT}" "${A_LABELS}" "${A_BUDGET}")
endfunction()

# om_script_test(NAME COMMAND ... LABELS ... [TIMEOUT s] [BUDGET s]): a test of a whole program, as
# a shell or Python script.
function(om_script_test name)
  cmake_parse_arguments(A "" "TIMEOUT;BUDGET" "COMMAND;LABELS" ${ARGN})
  add_test(NAME ${name} COMMAND ${A_COMMAND} COMMAND_EXPAND_LISTS)
  om_test_properties(${name} "${A_TIMEOUT}" "${A_LABELS}" "${A_BUDGET}")
  om_built_if_run("${A_LABELS}" ${A_COMMAND})
endfunction()

# A tree with a sanitizer builds and runs only the tests with one of these labels (CMakePresets.json
# has the same filters), so that "all" builds no unused test program there. OMEN_EVERY_TEST builds
# the rest.
option(OMEN_EVERY_TEST "Build every test in a tree with a sanitizer, as .ci/nightly does" OFF)
set(OM_SANITIZED_LABELS "")
if(CMAKE_C_FLAGS MATCHES "-fsanitize=thread")
  set(OM_SANITIZED_LABELS threads portable)
elseif(CMAKE_C_FLAGS MATCHES "-fsanitize=")
  set(OM_SANITIZED_LABELS unit threads kernels fuzz smoke)
endif()
if(OMEN_EVERY_TEST)
  set(OM_SANITIZED_LABELS "")
endif()

# Builds the programs in a test's command by default if a test with these labels runs.
function(om_built_if_run labels)
  set(runs FALSE)
  foreach(label ${labels})
    if(label MATCHES "^(long|slow|bench|house)$")
      return()
    elseif(label IN_LIST OM_SANITIZED_LABELS)
      set(runs TRUE)
    endif()
  endforeach()
  foreach(word ${ARGN})
    if(runs AND TARGET "${word}")
      set_target_properties("${word}" PROPERTIES EXCLUDE_FROM_ALL OFF)
    endif()
  endforeach()
endfunction()

# The usual CPU seconds of each test, as tests/times.py recorded them: OM_SECONDS_NAME.
set(OM_TIMES "${PROJECT_SOURCE_DIR}/tests/times.txt")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${OM_TIMES}")
file(STRINGS "${OM_TIMES}" lines REGEX "^[^#]")
foreach(line ${lines})
  string(REGEX MATCH "^([^ ]+) +([0-9]+)" line "${line}")
  set("OM_SECONDS_${CMAKE_MATCH_1}" "${CMAKE_MATCH_2}")
endforeach()

set(OMEN_TIME_FACTOR 1 CACHE STRING "Multiplies the time limits of tests, for a machine that others use, too")
mark_as_advanced(OMEN_TIME_FACTOR)

# The time limit is ten times the usual time of a test, and at least 60 s. A test without a recorded
# time has the limit in its CMakeLists, or 120 s. Sanitized code is up to ten times slower.
function(om_test_properties name timeout labels budget)
  set(usual "${OM_SECONDS_${name}}")
  if(NOT usual STREQUAL "")
    math(EXPR timeout "10 * ${usual}")
  elseif(NOT timeout)
    set(timeout 120)
  endif()
  if(timeout LESS 60)
    set(timeout 60)
  endif()
  if(CMAKE_C_FLAGS MATCHES "-fsanitize=")
    math(EXPR timeout "10 * ${timeout}")
  endif()
  math(EXPR timeout "${OMEN_TIME_FACTOR} * ${timeout}")
  set(environment "OMEN_PLUGIN_PATH=;OMEN_BACKGROUND=off;XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/cache;POCL_CACHE_DIR=${PROJECT_BINARY_DIR}/cache/pocl;POCL_MAX_PTHREAD_COUNT=2;OMEN=${PROJECT_BINARY_DIR}/omen;OMEN_CORPUS=${PROJECT_SOURCE_DIR}/../shared/corpus;${OM_SANITIZER_OPTIONS}")
  if(budget)
    list(APPEND environment "OMEN_BUDGET=${budget}")
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${timeout} LABELS "${labels}" SKIP_RETURN_CODE 77
    ENVIRONMENT "${environment}")
  # ctest starts the longest tests first.
  if(usual)
    set_tests_properties(${name} PROPERTIES COST ${usual})
  endif()
endfunction()

# The program with its plug-ins and helpers, without servers, documents and tests: enough for a
# demo.
function(om_program_target)
  get_property(plugins GLOBAL PROPERTY OM_PLUGINS)
  add_custom_target(program DEPENDS omen_cli ${plugins})
endfunction()

# Adds every direct sub-folder that has a CMakeLists.txt, in the order of its name.
function(om_add_folders)
  foreach(folder ${ARGN})
    file(GLOB lists RELATIVE "${PROJECT_SOURCE_DIR}" CONFIGURE_DEPENDS
      "${OM_GLOB_DIR}/${folder}/*/CMakeLists.txt")
    list(SORT lists)
    foreach(list ${lists})
      get_filename_component(dir "${list}" DIRECTORY)
      add_subdirectory("${PROJECT_SOURCE_DIR}/${dir}" "${PROJECT_BINARY_DIR}/${dir}")
    endforeach()
  endforeach()
endfunction()

# Documents keep their places in the tree, so that the links between them work.
function(om_install_documents component)
  foreach(document ${ARGN})
    get_filename_component(folder "${document}" DIRECTORY)
    install(FILES "${PROJECT_SOURCE_DIR}/${document}" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/omen/${folder}"
      COMPONENT ${component})
  endforeach()
endfunction()

# Installed files are divided into components like Debian packages (Packages.cmake): omen, libomen0,
# libomen-dev, omend, python3-omen; and bench.
function(om_install)
  install(TARGETS omen LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT libomen0 NAMELINK_COMPONENT libomen-dev)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/core/include/omen" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
    COMPONENT libomen-dev PATTERN "*.md" EXCLUDE)
  om_install_documents(omen README.md hosts/cli/README.md hosts/cli/tutorial.md hosts/cli/pictures/run.png hosts/mcc/README.md
    hosts/remote/README.md plugins/check/README.md hosts/bench/pictures/papers-gs.svg plugins/frontend/dve/README.md
    plugins/frontend/pnml/README.md plugins/frontend/promela/README.md kernels/README.md)
  om_install_documents(libomen-dev core/include/omen/plugin/README.md tests/plugins/toy/toy.c)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/omen-plugin.7.in" "${PROJECT_BINARY_DIR}/omen-plugin.7" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/omen-plugin.7" DESTINATION "${CMAKE_INSTALL_MANDIR}/man7" COMPONENT libomen-dev)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/hosts/cli/demo" DESTINATION "${CMAKE_INSTALL_DATADIR}/omen" COMPONENT omen)
  # omen.pc and omenConfig.cmake contain relative paths; a folder given as an absolute path stays
  # absolute.
  set(OM_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
  set(OM_CMAKE_PREFIX "${CMAKE_INSTALL_PREFIX}")
  if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    file(RELATIVE_PATH up "/prefix/${CMAKE_INSTALL_LIBDIR}" "/prefix")
    string(REGEX REPLACE "/$" "" up "${up}")
    set(OM_PC_PREFIX "\${pcfiledir}/../${up}")
    set(OM_CMAKE_PREFIX "\${omen_LIBRARY_FOLDER}/${up}")
  endif()
  set(OM_PC_INCLUDEDIR "${CMAKE_INSTALL_INCLUDEDIR}")
  set(OM_CMAKE_INCLUDEDIR "${CMAKE_INSTALL_INCLUDEDIR}")
  if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
    set(OM_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
    set(OM_CMAKE_INCLUDEDIR "${OM_CMAKE_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}")
  endif()
  set(OM_CMAKE_INCLUDEDIR "get_filename_component(omen_INCLUDE_FOLDER \"${OM_CMAKE_INCLUDEDIR}\" ABSOLUTE)")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/omen.pc.in" "${PROJECT_BINARY_DIR}/omen.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/omen.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT libomen-dev)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/omenConfig.cmake.in" "${PROJECT_BINARY_DIR}/omenConfig.cmake" @ONLY)
  include(CMakePackageConfigHelpers)
  write_basic_package_version_file("${PROJECT_BINARY_DIR}/omenConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
  install(FILES "${PROJECT_BINARY_DIR}/omenConfig.cmake" "${PROJECT_BINARY_DIR}/omenConfigVersion.cmake"
    DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/omen" COMPONENT libomen-dev)
endfunction()
