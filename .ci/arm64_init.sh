#!/bin/busybox sh
# shellcheck shell=dash
# The first process of the emulated Arm machine (arm64.sh): makes the runs of /runs, several at the same time, says which fail and which took
# longest, and switches the machine off.
/bin/busybox --install -s /bin
export PATH=/bin
# shellcheck source=.ci/arm64_mounts.sh
. /mounts
# Arguments of the kernel. Ubuntu 24.04 moves programs and mappings that much. Where stacks are unlimited, mappings begin at a quarter of
# the addresses.
[ -z "$random_bits" ] || echo "$random_bits" >/proc/sys/vm/mmap_rnd_bits
[ -z "$stack" ] || ulimit -s "$stack"
# Tests of sockets look for an address that other hosts reach.
ip addr add 10.0.0.1/32 dev lo
. /etc/environment
export PATH

# Images wait much of their time, also when their machine has two processors.
xargs -n 1 -P 3 /run </runs | {
    passed=0 failed=0
    while IFS= read -r line; do
        case $line in
            'passed: '*)
                passed=$((passed + 1))
                echo "${line#passed: }" >>/tmp/times
                case $line in *', 0 images') echo "$line" ;; esac
                [ $((passed % 100)) != 0 ] || echo "$passed passed"
                continue ;;
            'FAILED ('*) failed=$((failed + 1)) ;;
        esac
        echo "$line"
    done
    echo "booted and done in $(cut -d ' ' -f 1 /proc/uptime) s; runs that took longest:"
    sort -rn /tmp/times | head -n 10
    echo "arm64: $passed passed, $failed failed"
}
poweroff -f
