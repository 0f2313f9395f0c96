#!/bin/busybox sh
# shellcheck shell=dash
# arm64_run.sh IMAGES[/HOSTS]:PROGRAM: runs a program on the emulated Arm machine, in a directory of its own, and prints whether it has passed,
# and in which time: one that checks itself writes nothing. 0 images: unit tests or models.
images=${1%%:*} program=${1#*:} hosts=
case $images in */*) hosts="--virtual-hosts ${images#*/}" ;; esac
# By words of the shell itself where it has some: to start a command takes long on an emulated machine.
read -r began _ </proc/uptime
place=/tmp/run-$$
mkdir "$place" && cd "$place" || exit
export HOME="$place" TMPDIR="$place" OMP_WAIT_POLICY=passive PROPTEST_CASES=16 RUST_TEST_THREADS=2
if [ "$images" = 0 ]; then
    case $program in
        */models/*) set -- sync:: doorbell:: deferred:: progress_lock:: ;;
        # The machine has no compiler, and no bash.
        */unit/xmp-source) set -- --skip a_statement_of_another_process_is_found ;;
        */unit/xmprun) set -- --skip bash_completes_options ;;
        *) set -- ;;
    esac
    timeout 900 "$program" -q "$@" >output 2>&1 </dev/null
    status=$?
else
    # shellcheck disable=SC2086 # Two words, or none.
    timeout 300 xmprun -n "${images%/*}" $hosts "$program" >output 2>&1 </dev/null
    status=$?
    [ "$status" != 0 ] || [ ! -s output ] || status='0, but it is not silent'
fi
if [ "$status" = 0 ]; then
    read -r now _ </proc/uptime
    echo "passed: $((${now%.*} - ${began%.*})) s, $program, $images images"
else
    { echo "FAILED (status $status): $program, $images images"; tail -n 40 output | sed 's/^/    /'; } >report
    cat report
fi
cd /
rm -rf "$place"
