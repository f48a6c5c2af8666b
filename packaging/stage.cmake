# Called by CPack between installing the files in a folder and packing them. Adds what a Debian package documents of itself, and
# gives all files one time: SOURCE_DATE_EPOCH, which CPack and string() heed, else that of the last commit, else now.
cmake_minimum_required(VERSION 3.25)
set(source ${CMAKE_CURRENT_LIST_DIR}/..)
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
    execute_process(COMMAND git -C ${source} log -1 --format=%ct OUTPUT_VARIABLE epoch OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    set(ENV{SOURCE_DATE_EPOCH} ${epoch})
endif()
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)

set(doc ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share/doc/gridstride)
file(CONFIGURE OUTPUT ${doc}/changelog.Debian CONTENT
"gridstride (@CPACK_PACKAGE_VERSION@-@CPACK_DEBIAN_PACKAGE_RELEASE@) unstable; urgency=medium

  * Gridstride @CPACK_PACKAGE_VERSION@.

 -- @CPACK_PACKAGE_CONTACT@  @date@
" @ONLY)
execute_process(COMMAND gzip -9nf ${doc}/changelog.Debian COMMAND_ERROR_IS_FATAL ANY)

# The licenses of libraries that are compiled in ask for their text.
file(READ ${source}/LICENSE copyright)
foreach(package libimgui-dev glslang-dev spirv-tools libcli11-dev nlohmann-json3-dev libglm-dev)
    file(READ /usr/share/doc/${package}/copyright text)
    string(APPEND copyright "\n\n==== Compiled in: ${package} of Debian ====\n\n${text}")
endforeach()
file(WRITE ${doc}/copyright "${copyright}")
