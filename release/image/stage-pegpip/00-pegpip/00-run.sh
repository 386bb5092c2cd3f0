#!/bin/bash -e
# Runs outside the image: hands it the package and what its first start needs.
packages=(files/pegpip_*.deb)
if [ ! -f "${packages[0]}" ] || [ "${#packages[@]}" -ne 1 ]; then
	echo "Put exactly one package, pegpip_VERSION_arm64.deb of \`make deb\`, into $(pwd)/files" >&2
	exit 1
fi
install -m 644 "${packages[0]}" "${ROOTFS_DIR}/tmp/pegpip.deb"
install -D -m 755 files/first-start "${ROOTFS_DIR}/usr/local/lib/pegpip/first-start"
install -m 644 files/pegpip-first-start.service "${ROOTFS_DIR}/etc/systemd/system/pegpip-first-start.service"
