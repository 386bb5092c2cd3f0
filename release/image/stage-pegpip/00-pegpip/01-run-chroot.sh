# Runs inside the image, as root, with `bash -e`.
export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install -y network-manager avahi-daemon avahi-utils /tmp/pegpip.deb
rm /tmp/pegpip.deb
# Each card makes its own settings and Wi-Fi password at its first start: an image that carries them gives all tables one.
rm -f /var/lib/pegpip/pegpip.toml /etc/NetworkManager/system-connections/pegpip-hotspot.nmconnection
systemctl enable pegpip-first-start.service
apt-get clean
