# SPDX-License-Identifier: Apache-2.0
# Debian packages, by CPack: omen (the program, the library's helper programs, plug-ins), libomen0, libomen-dev; omend
# and python3-omen if these hosts are built.
#   cmake --preset package -G Ninja && cmake --build --preset package && (cd build/package && cpack)
# To package a further host, add its texts here, its name to OM_MORE_PACKAGES (in the CMakeLists that decides whether the
# host is built), and COMPONENT to its install(). Maintainer scripts are in cmake/debian/NAME.
set(OMEN_MAINTAINER "The omen authors <omen@packages.invalid>" CACHE STRING "Who is named in Debian packages")
get_property(OM_MORE_PACKAGES GLOBAL PROPERTY OM_MORE_PACKAGES)
set(OM_PACKAGES omen libomen0 libomen-dev ${OM_MORE_PACKAGES})
set(OM_PACKAGE_RELEASE 1)
set(version "${PROJECT_VERSION}-${OM_PACKAGE_RELEASE}")

set(omen_section math)
set(omen_summary "explicit-state model checker for omega-regular properties")
set(omen_text "omen reads a model of a concurrent system and finds out whether it has a run
that is forbidden: by a formula of linear temporal logic, an automaton, an
invariant, or because it ends in a deadlock. Every counterexample is replayed
before it is reported. This package has the program with its plug-ins, manual
pages, and completion for shells.")
set(omen_depends "libomen0 (= ${version})")
set(omen_recommends "gcc | c-compiler, ocl-icd-libopencl1")
set(omen_suggests "graphviz, pocl-opencl-icd")

set(libomen0_section libs)
set(libomen0_summary "explicit-state model checker - shared library")
set(libomen0_text "omen finds out whether a concurrent system has a run that is forbidden. This
package has the library that the program and its plug-ins are built on.")
set(libomen0_recommends "omen (= ${version})")

set(libomen-dev_section libdevel)
set(libomen-dev_summary "explicit-state model checker - development files")
set(libomen-dev_text "omen finds out whether a concurrent system has a run that is forbidden. This
package has the headers of the library, for plug-ins (front ends, translators,
checkers) and for programs.")
set(libomen-dev_depends "libomen0 (= ${version})")

set(omend_section net)
set(omend_summary "explicit-state model checker - service")
set(omend_text "omen finds out whether a concurrent system has a run that is forbidden. This
package has omend, a service that takes models over HTTP, has them checked by
this machine's threads and OpenCL devices, or by Slurm, and shows jobs and
counterexamples in a browser. As installed it serves this machine alone.")
# Jobs run omen, which rejects options that its version does not know. adduser creates the user of the service.
set(omend_depends "omen (= ${version}), libomen0 (= ${version}), adduser")
# backend = "slurm" calls sbatch.
set(omend_suggests "slurm-client")
set(omend_scripts postinst prerm postrm conffiles)

set(python3-omen_section python)
set(python3-omen_summary "explicit-state model checker - Python module")
set(python3-omen_text "omen finds out whether a concurrent system has a run that is forbidden. This
package has the module omen: checks, counterexamples and automata as objects,
which notebooks show as pictures.")
# The module runs omen, whose JSON has versions. (It is not needed if all checks go to a server, but does no harm.)
set(python3-omen_depends "python3 (>= 3.11), omen (>= ${version})")
# Pictures of automata need graphviz; omend is the server that the module can send checks to.
set(python3-omen_suggests "graphviz, omend")
set(python3-omen_scripts postinst prerm)
set(CPACK_DEBIAN_PYTHON3-OMEN_PACKAGE_ARCHITECTURE all)

# Files that only packages contain: `cmake --install` leaves them out unless a component is named. Their date is that
# of the manual pages.
execute_process(COMMAND date -u -R -d "${OMEN_DATE}" OUTPUT_VARIABLE OM_PACKAGE_DATE OUTPUT_STRIP_TRAILING_WHITESPACE)
set(OM_PACKAGE_VERSION "${version}")
set(folder "${PROJECT_BINARY_DIR}/debian")
configure_file("${PROJECT_SOURCE_DIR}/cmake/debian/changelog.in" "${folder}/changelog" @ONLY)
file(WRITE "${folder}/shlibs" "libomen 0 libomen0 (= ${version})\n")
add_custom_command(OUTPUT "${folder}/changelog.Debian.gz" "${folder}/changelog.gz"
  COMMAND sh -c "gzip -9nc \"$1\" > \"$3\" && gzip -9nc \"$2\" > \"$4\"" sh "${folder}/changelog"
    "${PROJECT_SOURCE_DIR}/CHANGELOG.md" "${folder}/changelog.Debian.gz" "${folder}/changelog.gz"
  DEPENDS "${folder}/changelog" "${PROJECT_SOURCE_DIR}/CHANGELOG.md" VERBATIM)
add_custom_target(package_documents ALL DEPENDS "${folder}/changelog.Debian.gz" "${folder}/changelog.gz")
foreach(package ${OM_PACKAGES})
  install(FILES "${PROJECT_SOURCE_DIR}/cmake/debian/copyright" "${folder}/changelog.Debian.gz" "${folder}/changelog.gz"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${package}" COMPONENT ${package} EXCLUDE_FROM_ALL)
endforeach()

# The embedded D3 in omend requires its own licence in the package.
get_property(d3 GLOBAL PROPERTY OM_D3)
if(d3 AND NOT EXISTS /usr/share/doc/libjs-d3/copyright)
  message(STATUS "The package omend may not be given away: it has D3 (${d3}), whose licence is not in /usr/share/doc/libjs-d3")
elseif(d3)
  install(FILES /usr/share/doc/libjs-d3/copyright DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/omend" RENAME copyright.d3
    COMPONENT omend EXCLUDE_FROM_ALL)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME omen)
# Otherwise the project's summary would precede each package's.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "omen built using CMake")
set(CPACK_PACKAGE_CONTACT "${OMEN_MAINTAINER}")
set(CPACK_PACKAGING_INSTALL_PREFIX "/usr")
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
  WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL ${OM_PACKAGES})
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE ${OM_PACKAGE_RELEASE})
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# libomen.so.0 belongs to another of these packages, which is not installed yet.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${OM_LIBRARY_FOLDER}")
# CPack would write maintainer scripts that call ldconfig unless others are given. The given files do not exist, so
# none are included.
set(CPACK_DEBIAN_LIBOMEN0_PACKAGE_CONTROL_EXTRA "${folder}/shlibs" "${PROJECT_SOURCE_DIR}/cmake/debian/triggers"
  "${folder}/none/postinst" "${folder}/none/postrm")
set(CPACK_DEBIAN_LIBOMEN0_PACKAGE_CONTROL_STRICT_PERMISSION ON)
foreach(package ${OM_PACKAGES})
  string(TOUPPER "${package}" upper)
  if(${package}_scripts)
    set(scripts ${${package}_scripts})
    list(TRANSFORM scripts PREPEND "${PROJECT_SOURCE_DIR}/cmake/debian/${package}/")
    set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA "${scripts}")
    set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_STRICT_PERMISSION ON)
  endif()
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${${package}_section})
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${${package}_depends}")
  set(CPACK_DEBIAN_${upper}_PACKAGE_RECOMMENDS "${${package}_recommends}")
  set(CPACK_DEBIAN_${upper}_PACKAGE_SUGGESTS "${${package}_suggests}")
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${${package}_summary}\n${${package}_text}")
endforeach()
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/cmake/debian/prepare.cmake")
include(CPack)
