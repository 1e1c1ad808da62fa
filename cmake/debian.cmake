# SPDX-License-Identifier: Apache-2.0
# cpack --config cmake/debian.cmake -D CPACK_PACKAGE_VERSION=…, in build/package: a Debian package of the folder root.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME ngraphbench)
set(CPACK_PACKAGE_CONTACT "NGraphBench")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Which graph compiler, on which device, for which model and batch size?")
set(CPACK_INSTALLED_DIRECTORIES "${CMAKE_CURRENT_BINARY_DIR}/root;/")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
# python3 hosts PyTorch's compilers, and pip installs toolchains.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.34), libgcc-s1, python3 (>= 3.9), python3-venv, python3-pip")
