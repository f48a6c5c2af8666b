# The Debian package, for the release that it is built on: cmake --build build/release --target package

# The page is made from the options that the program declares, as the completion of the shell is when it is asked.
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/gridstride.1.gz
    COMMAND sh -c "'$<TARGET_FILE:gridstride>' --man-page > gridstride.1 && gzip -9nf gridstride.1"
    DEPENDS gridstride
    VERBATIM)
add_custom_target(gridstride_man_page ALL DEPENDS ${CMAKE_BINARY_DIR}/gridstride.1.gz)
install(FILES ${CMAKE_BINARY_DIR}/gridstride.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES packaging/completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME gridstride)
install(FILES packaging/mime.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages RENAME gridstride.xml)

# "12" of a stable Debian; a testing one has a name only.
cmake_host_system_information(RESULT release QUERY DISTRIB_VERSION_ID)
if(NOT release)
    cmake_host_system_information(RESULT release QUERY DISTRIB_VERSION_CODENAME)
endif()
cmake_host_system_information(RESULT distribution QUERY DISTRIB_ID)
string(REGEX REPLACE "^debian" "deb" release "${distribution}${release}")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The Gridstride authors <maintainers@gridstride.example>" CACHE STRING "Maintainer of the package")
set(CPACK_PACKAGE_DESCRIPTION "Choose a lesson, change the workgroup size and the grid, and see what the
GPU computed, whether it is correct, how long each part took, and why.
Lessons ask for a prediction before they show the answer. Every time is
measured on the own device, every result compared with a CPU reference.")
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/packaging/stage.cmake)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1~${release})
set(CPACK_DEBIAN_PACKAGE_SECTION education)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "mesa-vulkan-drivers | vulkan-icd, fonts-inter, fonts-jetbrains-mono")
include(CPack)
