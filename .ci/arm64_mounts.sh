# Sourced by the first process of each emulated Arm machine: the file systems of the kernel, and the interface that launchers look for.
# shellcheck shell=dash
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mkdir -p /dev/shm /dev/pts
mount -t tmpfs tmpfs /dev/shm
mount -t tmpfs tmpfs /tmp
ln -s /proc/self/fd /dev/fd
ip link set lo up
