# The requirements of checks, which a machine may lack: skips, XMP_REQUIRE and `./x test --strict`. Sourced by ../x after package.sh,
# whose say and die it uses. tests/README.md explains the names.
# shellcheck shell=bash disable=SC2154

# The names of XMP_REQUIRE, the same as in tests/hosts/src/requirement.rs.
requirement_names=(aarch64 bridge cargo chromium clang cmake control-group flang fpm gcc-plugin gdb gfortran groff hdf5 herd7 installation lfortran libclang lua make mdbook
    memory meson modules mount mpich network nightly numpy openmpi optimised packages pkg-config promised-rust python root setuid single-copy sshd ucx valgrind venv)

# The requirements of single commands, which ask for them: `--deep`, and a whole run.
special_names=(nightly packages promised-rust)

# The requirements of `./x test --strict`, where they are possible: all others.
mapfile -t strict_names < <(printf '%s\n' "${requirement_names[@]}" | grep -vxF "$(printf '%s\n' "${special_names[@]}")")

# The memory that has to be available, in bytes: twice what a test fills, because others run at the same time.
strict_memory=$((16 << 30))

# skip NAME WHY...: reports that a check is not made. An error when XMP_REQUIRE names what it lacks.
skip() {
    say "SKIPPED: ${*:2} [$1]"
    [[ ,${XMP_REQUIRE-}, != *",$1,"* ]] || die "XMP_REQUIRE names $1, and: ${*:2}"
}

# Refuses unknown names in XMP_REQUIRE, and replaces `mpi` by the names of both MPIs.
check_required_names() {
    local name names=() list
    IFS=', ' read -r -a list <<<"${XMP_REQUIRE-}"
    for name in "${list[@]}"; do
        if [[ $name == mpi ]]; then
            names+=(mpich openmpi)
        elif [[ " ${requirement_names[*]} " == *" $name "* ]]; then
            names+=("$name")
        elif [[ -n $name ]]; then
            die "XMP_REQUIRE names '$name', which is none of mpi, ${requirement_names[*]} (tests/README.md explains them)"
        fi
    done
    list=$(IFS=,; echo "${names[*]}")
    [[ -z $list ]] || export XMP_REQUIRE=$list
}

# require_what_is_possible NAME...: adds to XMP_REQUIRE those that this machine can have, and prints what it cannot have, with
# the reason.
require_what_is_possible() {
    local name reason possible=()
    for name; do
        reason=$(hindrance "$name")
        if [[ -z $reason ]]; then possible+=("$name"); else say "NOT REQUIRED: $name: ${reason//$'\n'/ }"; fi
    done
    ((${#possible[@]} > 0)) || return 0
    say "required: ${possible[*]}"
    XMP_REQUIRE=$(IFS=,; echo "${possible[*]}")${XMP_REQUIRE:+,$XMP_REQUIRE}
    export XMP_REQUIRE
}

# hindrance NAME: prints why this machine cannot have it; nothing when it can. The probes use nothing of XMP-RT, so that no
# fault of it looks like a lack of the machine.
hindrance() {
    local reason
    case $1 in
        network) in_namespaces "ip link add probe0 type veth peer name probe1" ;;
        mount)
            reason=$(timeout 60 unshare --map-root-user --mount mount -t tmpfs none /mnt 2>&1) \
                || echo "a mount fails: ${reason:-no message}" ;;
        bridge) in_namespaces "ip link add probe0 type bridge" ;;
        control-group) makes_control_group ;;
        openmpi | mpich) runs_mpi "$1" ;;
        ucx) runs_mpi openmpi --mca pml ucx --mca pml_ucx_tls any --mca pml_ucx_devices any --mca osc ucx ;;
        root) ((EUID == 0)) || echo "this user is not root" ;;
        setuid)
            if ((EUID != 0)); then echo "this user is not root"; fi
            ! findmnt -n -o OPTIONS -T "${TMPDIR:-/tmp}" | grep -qw nosuid || echo "${TMPDIR:-/tmp} is mounted nosuid" ;;
        packages) can_package >&2 || echo "$package_lacks" ;;
        promised-rust) get_promised_rust || echo "rustup cannot get Rust $(least_rust)" ;;
        nightly) nightly || echo "rustup cannot get a nightly toolchain" ;;
        memory) has_memory ;;
        single-copy) copies_between_processes ;;
        flang) flang_with_prif >/dev/null || echo "no flang $flang_with_prif or newer is installed, and no package of Debian 12 or 13 has it" ;;
        aarch64) have aarch64 || echo "the target aarch64-unknown-linux-gnu of rustup or gcc-aarch64-linux-gnu is missing; tests install neither" ;;
        fpm | herd7 | lfortran) have "$1" || echo "it is not installed, and no package of Debian 12 or 13 has it" ;;
        clang) have clang || echo "it is not installed, and not installed for tests (Debian package clang)" ;;
        # Its package starts it.
        sshd) have sshd || echo "it is not installed, and not installed for tests (Debian package openssh-server)" ;;
        optimised) [[ $install_profile == release ]] || echo "only \`./x test --all\` optimises across crates"
            [[ ${CARGO_PROFILE_RELEASE_LTO-fat} == fat ]] || echo "CARGO_PROFILE_RELEASE_LTO is $CARGO_PROFILE_RELEASE_LTO" ;;
        mdbook) get_mdbook || echo "cargo cannot install it" ;;
        # `./x test` calls it, and makes it.
        cargo | installation) ;;
        *) have "$1" || can_install || echo "it is not installed, and apt-get cannot be called here" ;;
    esac
}

# in_namespaces COMMAND: prints the error of a command that root of a new host executes.
in_namespaces() {
    local output
    output=$(timeout 60 unshare --mount --uts --ipc --net --pid --fork --mount-proc sh -c "$1" 2>&1) \
        || echo "a new host fails: ${output:-no message}"
}

# Prints why no control group with a limit of memory can be made, in either version of their interface.
makes_control_group() {
    local root limit group output
    while read -r root limit; do
        group=$root/xmp-probe-$$
        output=$(mkdir -- "$group" 2>&1) || continue
        output=$( (echo 157286400 >"$group/$limit") 2>&1) && output=
        rmdir -- "$group"
        [[ -n $output ]] || return 0
    done <<<$'/sys/fs/cgroup/memory memory.limit_in_bytes\n/sys/fs/cgroup memory.max'
    echo "no control group can be made: $output"
}

# Prints that less memory is available than strict runs need: on the machine, or in a control group of this shell, which may see
# its own group as the root.
has_memory() {
    local available limit
    available=$(($(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo) * 1024))
    for limit in /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes; do
        limit=$(cat "$limit" 2>/dev/null) || continue
        [[ $limit == max ]] || ((limit <= 0 || limit >= available)) || available=$limit
    done
    ((available >= strict_memory)) || echo "$available bytes are available, $strict_memory are needed while other tests run"
}

# Prints why a process cannot copy from the memory of another one that permits it, as MPI does.
copies_between_processes() { in_scratch try_copy_between_processes; }
try_copy_between_processes() {
    local output
    cc .ci/single_copy.c -o "$scratch/probe" 2>/dev/null || return 0
    output=$(timeout 60 "$scratch/probe" 2>&1) || echo "one process cannot copy from another: ${output:-no message}"
}

# The least version of flang that calls PRIF, and the names it may have: as in tests/tests/flang.rs.
flang_with_prif=22
flang_with_prif() {
    local name
    for name in flang flang-{24..22}; do
        "$name" --version 2>/dev/null | awk -v least="$flang_with_prif" \
            '/version / { sub(/.*version /, ""); found = $0 + 0 >= least; exit } END { exit !found }' && return
    done
    return 1
}

# runs_mpi FLAVOUR OPTION...: prints the error of a plain MPI program of two processes.
runs_mpi() { in_scratch try_run_mpi "$@"; }
try_run_mpi() {
    local output options=("${@:2}")
    if ! have "$1"; then
        can_install || echo "it is not installed, and apt-get cannot be called here"
        return
    fi
    try_link_mpi "mpicc.$1" 2>/dev/null || return 0
    [[ $1 != openmpi ]] || options+=(--oversubscribe)
    output=$(OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 120 \
        "mpirun.$1" "${options[@]}" -n 2 "$scratch/probe" 2>&1 </dev/null) \
        || echo "mpirun.$1 does not run a program of two processes: $(grep -m 1 '[[:alpha:]]' <<<"$output")"
}
