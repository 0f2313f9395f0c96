#!/bin/busybox sh
# shellcheck shell=dash
# The first process of the emulated Arm machine (arm64.sh): runs all programs, says which fail, and switches the machine off.
/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mkdir -p /dev/shm /dev/pts
mount -t tmpfs tmpfs /dev/shm
mount -t tmpfs tmpfs /tmp
ln -s /proc/self/fd /dev/fd
ip link set lo up
. /etc/environment
export PATH HOME=/tmp
cd /tmp || exit

passed=0 failed=0

# succeeds MUST_BE_SILENT WORDS...: whether the program ends with status 0, and writes nothing if it must not.
succeeds() {
    silent=$1
    shift
    timeout 300 "$@" >/tmp/output 2>&1 </dev/null
    status=$?
    [ "$status" = 0 ] && { [ "$silent" = no ] || [ ! -s /tmp/output ]; }
}

run() {
    if succeeds "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED (status $status): $*"
        tail -n 25 /tmp/output
    fi
}

for program in /programs/fortran/* /programs/c/* /programs/xmp-c/*; do
    [ -e "$program" ] || continue
    for images in 1 3 4; do
        run yes xmprun -n "$images" "$program"
    done
done
for program in /programs/unit/*; do
    [ ! -e "$program" ] || run no "$program" -q
done
echo "arm64: $passed passed, $failed failed"
poweroff -f
