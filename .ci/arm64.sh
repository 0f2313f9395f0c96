# Tests on an emulated Arm machine: everything is compiled here by cross compilers, and run by qemu with Debian's kernel.
# Sourced by ../x after xmp.sh and needs.sh, whose $root, $target, say and die it uses.
# shellcheck shell=bash disable=SC2034,SC2154

arm64_triple=aarch64-unknown-linux-gnu
arm64_packages=(gcc-aarch64-linux-gnu gfortran-aarch64-linux-gnu qemu-system-arm cpio)
# Of the cross compilers' release: what programs and the launcher load. The kernels are Debian 13's, which has one with larger pages.
arm64_libraries=(libc6 libgcc-s1 libgfortran5 libgomp1 libhwloc15 libhwloc-dev libudev1 libcap2 busybox-static)
arm64_kernels=(linux-image-cloud-arm64 linux-image-arm64-16k)
# Crates whose unit tests need no installation and no network.
arm64_tested=(xmp-map xmp-source xmp-trace xmp-shm xmp-net xmp-boot xmp-collectives xmp-teams xmp-coarray xmp-ffi xmp-trace-library xmprun)

# test_arm64 [NAME...]: builds, then runs the programs whose names contain one of these, or all, on each machine.
test_arm64() {
    local out=$target/arm64 status=0 began=$SECONDS pages=$arm64_of_pages lines=$arm64_of_lines
    arm64_can_run || { skip aarch64 "tests for arm64: $arm64_lacks"; return 0; }
    mkdir -p "$out"
    arm64_system "$out"
    arm64_prefix "$out"
    rm -rf "$out/programs"
    mkdir -p "$out/programs"
    arm64_programs "$out" "$@"
    arm64_unit_tests "$out" "$@"
    arm64_models "$out" "$@"
    if [[ -n $(find "$out/programs" -type f -print -quit) ]]; then
        arm64_image "$out"
        # Pages of 4 KiB and lines of 64 bytes; pages of 16 KiB and addresses of 47 bits; lines of 256 bytes. Unless programs are named, the
        # last two machines run what may depend on that.
        (($# == 0)) || pages=. lines=.
        arm64_run "$out" cloud-arm64 cortex-a76 . random_bits=33 || status=1
        arm64_run "$out" arm64-16k cortex-a76 "$pages" stack=unlimited || status=1
        arm64_run "$out" cloud-arm64 a64fx "$lines" random_bits=33 stack=unlimited || status=1
    elif [[ packages != *"${1-}"* ]]; then
        die "test --arm64: no program and no crate has a name with: $*"
    fi
    arm64_try_packages "$out" "$@" || status=1
    say "tests for arm64: $((SECONDS - began)) s"
    return "$status"
}

# The programs that the second and the third machine run: expressions for IMAGES:PROGRAM, with one host.
arm64_of_pages='^[03]:.*/(fortran/(allocation|components|linking|private)-|fortran/transfers-[a-d]|c/|xmp-(c|fortran)/|unit/xmp-(boot|ffi|map|shm)$)'
arm64_of_lines='^[04]:.*/(fortran/(atomics|collectives|components|events|locks|sync)-|c/|xmp-c/|threads/|unit/xmp-(collectives|shm)$)'

# Lints all crates for the other architecture. The check is quick, and needs the target of rustup and a compiler for C.
check_arm64() {
    if ! have aarch64; then
        skip aarch64 "lints for AArch64: \`rustup target add $arm64_triple\` and the Debian package gcc-aarch64-linux-gnu give what is missing"
        return 0
    fi
    say "lints for AArch64"
    CARGO_TARGET_DIR=$target/arm64/cargo cargo clippy --locked --workspace --target "$arm64_triple" -- -D warnings
}

# False, and $arm64_lacks says why, where nothing can be built for arm64.
arm64_can_build() { arm64_can_have "${arm64_packages[@]:0:2}"; }

# The same, where the tests cannot be run.
arm64_can_run() { arm64_can_have "${arm64_packages[@]}"; }

# arm64_can_have PACKAGE...
arm64_can_have() {
    if ! command -v apt-get >/dev/null; then
        arm64_lacks="packages of Debian are needed, and there is no apt-get"
    elif ! dpkg -s "$@" &>/dev/null && ! can_install; then
        arm64_lacks="not installed: $*"
    elif ! dpkg -s "$@" &>/dev/null && ! apt_install "$@" >&2; then
        arm64_lacks="these packages cannot be installed: $*"
    elif ! have aarch64 && ! rustup target add "$arm64_triple" 2>/dev/null; then
        arm64_lacks="rustup does not get the target $arm64_triple"
    else
        return 0
    fi
    return 1
}

# arm64_system OUT: the libraries and kernels of Debian, in OUT/system. Nothing is installed.
arm64_system() {
    local out=$1 package
    local -x APT_CONFIG=$1/apt/apt.conf
    [[ ! -e $out/system/complete ]] || return 0
    mkdir -p "$out"
    say "fetching libraries and kernels of Debian for arm64"
    rm -rf "$out/system"
    mkdir -p "$out"/{packages,system}
    prepare_other_apt "$out" arm64 "$(arm64_sources)"
    again apt-get update -q >&2
    for package in "${arm64_libraries[@]/%//$(arm64_release)}" $(arm64_kernel_packages); do
        (cd -- "$out/packages" && again apt-get download -q "$package" >&2)
    done
    for package in "$out"/packages/*.deb; do
        case ${package##*/} in
            linux-image-*) dpkg-deb --fsys-tarfile "$package" | tar -x -C "$out/system" --wildcards './boot/vmlinuz*' ;;
            *) dpkg-deb -x "$package" "$out/system" ;;
        esac
    done
    rm -r "$out/packages"
    : >"$out/system/complete"
}

# The name of this machine's release of Debian.
arm64_release() { (. /etc/os-release && echo "$VERSION_CODENAME"); }

arm64_sources() {
    local release
    for release in $({ arm64_release; echo trixie; } | sort -u); do
        echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $release main"
    done
}

# The packages that those in $arm64_kernels, which are empty, depend on now.
arm64_kernel_packages() {
    local kernel
    for kernel in "${arm64_kernels[@]}"; do
        apt-cache show "$kernel/trixie" | sed -n 's/^Depends: \(linux-image-[^ ,]*\).*/\1/p' | sort -V | tail -n 1
    done
}

# arm64_cargo OUT ARGS...: cargo for the other architecture.
arm64_cargo() {
    local system=$target/arm64/system libraries=$target/arm64/system/usr/lib/aarch64-linux-gnu
    CARGO_BUILD_TARGET=$arm64_triple \
        CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
        CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUSTFLAGS="${arm64_rustflags-}-Clink-arg=-Wl,-rpath-link,$libraries:$system/lib/aarch64-linux-gnu" \
        PKG_CONFIG_ALLOW_CROSS=1 PKG_CONFIG_SYSROOT_DIR=$system PKG_CONFIG_LIBDIR=$libraries/pkgconfig \
        arm64_quick_cargo "$@"
}

# arm64_quick_cargo OUT ARGS...: cargo for this machine. Without optimisation of all crates together, which takes minutes, and without
# debugging information of crates whose unit tests do not look for their own lines and variables.
arm64_quick_cargo() {
    CARGO_TARGET_DIR=$1/cargo CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_OPT_LEVEL=2 \
        CARGO_PROFILE_RELEASE_DEBUG=false CARGO_INCREMENTAL=0 cargo --config "profile.release.package.xmp-boot.debug='full'" \
        --config "profile.release.package.xmp-source.debug='full'" "${@:2}"
}

# arm64_commands OUT: those of this machine that write files of an installation, in OUT/cargo/release.
arm64_commands() {
    say "building commands"
    arm64_quick_cargo "$1" build --release --locked -p xmprun -p xmp-translate -p xmp-prif
}

# arm64_prefix OUT: an installation in OUT/prefix with commands of this machine, and libraries and a launcher of the other one.
arm64_prefix() {
    local out=$1 commands=$1/cargo/release built=$1/cargo/$arm64_triple/release built_for=aarch64
    arm64_commands "$out"
    say "building for arm64"
    arm64_cargo "$out" build --release --locked -p xmp-library -p xmp-trace-library -p xmprun
    (target=$out XMP_CC=aarch64-linux-gnu-gcc && build_c_parts)
    install -m 755 "$commands/xmp-translate" "$built"
    rm -rf "$out/prefix"
    (target=$out && stage "$out/prefix" "$out/prefix" lib "$built" '' "$commands")
}

# arm64_programs OUT [NAME...]: compiles self-checking programs to OUT/programs.
arm64_programs() {
    local out=$1 names=("${@:2}") list=$1/list
    local -x XMP_CC=aarch64-linux-gnu-gcc XMP_FC=aarch64-linux-gnu-gfortran
    say "compiling test programs for arm64"
    arm64_list | arm64_chosen "${names[@]}" >"$list"
    # A program that cannot be compiled is a failure, and the others are run all the same.
    xargs -r -P "$(nproc)" -L 1 "$root/.ci/arm64_compile.sh" "$out" <"$list"
}

# The programs: kind, name and, of XcalableMP in Fortran, files.
arm64_list() {
    local chapter='' word
    while read -r word _; do
        case $word in
            chapters!) chapter=none ;;
            '}') [[ $chapter != none ]] || break; chapter=none ;;
            *) [[ -z $chapter ]] || if [[ $chapter == none ]]; then chapter=$word; else echo "fortran $chapter/$word"; fi ;;
        esac
    done < <(sed -n '/^chapters! {/,$p' tests/tests/conformance.rs)
    sed -n 's/^ *fortran_conforms("\([^"]*\)".*/threads threads\/\1/p' tests/tests/threads.rs
    sed -n 's/.*conforms_program(&Program::c("\([^"]*\)").*/c \1/p' tests/tests/c_api.rs
    sed -n 's/^ *conforms("\([^"]*\)").*/xmp-c \1/p' tests/tests/xmp_c.rs
    sed -n -e 's/^ *conforms("\([^"]*\)").*/xmp-fortran \1 \1/p' \
        -e 's/.*conforms_program(&Program::xmp_fortran(&\[\(.*\)\]), \(".*"\)).*/xmp-fortran \2 \1/p' tests/tests/xmp_fortran.rs | tr -d '",'
}

# arm64_chosen [NAME...]: the lines that contain one of the names, or all.
arm64_chosen() { grep -F "$(printf '%s\n' "$@")" || (($? == 1)); }

# arm64_unit_tests OUT [NAME...]: those of the crates, compiled together, or each crate compiles what it depends on with features of its own.
# With xmprun among them the features are those of the installation.
arm64_unit_tests() {
    local out=$1 path crate
    local -a crates
    mapfile -t crates < <(arm64_crates unit "${arm64_tested[*]}" "${@:2}")
    ((${#crates[@]} > 0)) || return 0
    say "compiling unit tests for arm64"
    mkdir -p "$out/programs/unit"
    arm64_cargo "$out" test --release --locked "${crates[@]/#/--package=}" --lib --no-run --message-format=json |
        arm64_executables >"$out/executables"
    while read -r crate path; do
        cp -- "$path" "$out/programs/unit/$crate"
        [[ $crate =~ ^xmp-(boot|source)$ ]] || aarch64-linux-gnu-strip "$out/programs/unit/$crate"
    done <"$out/executables"
}

# arm64_models OUT [NAME...]: models of protocols (loom), of which the machine runs those that take seconds.
arm64_models() {
    local out=$1 path crate
    local -a crates
    mapfile -t crates < <(arm64_crates models "xmp-shm xmp-net" "${@:2}")
    ((${#crates[@]} > 0)) || return 0
    say "compiling models for arm64"
    mkdir -p "$out/programs/models"
    arm64_rustflags='--cfg loom ' arm64_cargo "$out/loom" test --profile models --locked "${crates[@]/#/--package=}" --lib \
        --no-run --message-format=json | arm64_executables >"$out/executables"
    while read -r crate path; do
        aarch64-linux-gnu-strip -o "$out/programs/models/$crate" "$path"
    done <"$out/executables"
}

# arm64_crates KIND "CRATE..." [NAME...]: the crates for which KIND CRATE contains one of the names, or all.
arm64_crates() {
    # shellcheck disable=SC2086 # One word a crate.
    printf "$1 %s\n" $2 | arm64_chosen "${@:3}" | cut -d ' ' -f 2
}

# Of cargo's messages, the test programs: the crate and the path of each.
arm64_executables() {
    sed -n 's/.*"profile":{[^}]*"test":true}.*"executable":"\([^"]*\)".*/\1/p' | while read -r path; do
        crate=${path##*/} crate=${crate%-*}
        echo "${crate//_/-} $path"
    done
}

# arm64_run OUT KERNEL CPU EXPRESSION SETTING...: runs what was compiled, as far as the expression matches IMAGES:PROGRAM. Fails if one of
# the programs does, or the machine.
arm64_run() {
    local out=$1 kernel=$2 cpu=$3 log=$1/$2-$3.log
    mkdir -p "$out/runs"
    arm64_runs "$out" | { grep -E "$4" || (($? == 1)); } >"$out/runs/runs"
    [[ -s $out/runs/runs ]] || return 0
    # A kernel unpacks archives that follow one another.
    (cd -- "$out/runs" && echo runs | cpio --quiet -o -H newc -R 0:0 | gzip -1 | cat -- "$out/image" - >"$out/image-with-runs")
    say "running on arm64: kernel $kernel, processor $cpu, $(wc -l <"$out/runs/runs") runs"
    arm64_boot "$log" "$out/system" "$kernel" "$cpu" "$out/image-with-runs" "${@:5}"
}

# arm64_boot LOG SYSTEM KERNEL CPU IMAGE SETTING...: starts a machine with this file system. Its first process finds the settings in its
# environment. Fails unless the last line of the machine says that all has passed. The kernel has no page tables of its own (kpti):
# the emulated processor would forget its translations of addresses in each system call.
arm64_boot() {
    local log=$1 kernel
    kernel=$(printf '%s\n' "$2"/boot/vmlinuz-*-"$3" | sort -V | tail -n 1)
    timeout 1800 qemu-system-aarch64 -M virt,gic-version=3 -cpu "$4" -smp 2 -m 4G -nographic -nodefaults -serial stdio -kernel "$kernel" \
        -initrd "$5" -append "console=ttyAMA0 quiet panic=-1 kpti=off mitigations=off ${*:6}" -no-reboot </dev/null | stdbuf -oL tr -d "\r" | tee "$log"
    grep -q '^arm64: [1-9][0-9]* passed, 0 failed$' "$log"
}

# All runs, IMAGES[/HOSTS]:PROGRAM: long ones first.
arm64_runs() {
    local program images
    for program in "$1"/programs/*/*; do
        # 4/2: 4 images on 2 hosts.
        case $program in
            */unit/* | */models/*) images=0 ;;
            */threads/*) images='4 4/2 2' ;;
            *) images='4 4/2 3 1' ;;
        esac
        # shellcheck disable=SC2086 # One word a number.
        printf "%s:${program#"$1"}\n" $images
    done | sort -s -t : -k 1,1n
}

# arm64_image OUT: the file system of the machine, without what is to be run.
arm64_image() {
    local out=$1 tree=$1/tree system=$1/system file
    rm -rf "$tree"
    mkdir -p "$tree"/{bin,lib,dev,proc,sys,tmp,etc,"$out/prefix"}
    install -m 755 .ci/arm64_init.sh "$tree/init"
    install -m 644 .ci/arm64_mounts.sh "$tree/mounts"
    install -m 755 .ci/arm64_run.sh "$tree/run"
    install -m 755 "$(find "$system" -path "*/bin/busybox" -print -quit)" "$tree/bin/busybox"
    for file in ld-linux-aarch64.so.1 libc.so.6 libm.so.6 libgcc_s.so.1 libgfortran.so.5 libhwloc.so.15 libudev.so.1 libgomp.so.1 libcap.so.2; do
        cp -L -- "$(find "$system" -name "$file" -print -quit)" "$tree/lib"
    done
    cp -a -- "$out/prefix/bin" "$out/prefix/lib" "$tree/$out/prefix"
    rm -f "$tree/$out/prefix/lib/"*.a
    aarch64-linux-gnu-strip --strip-debug "$tree/$out/prefix/bin/xmprun" "$(readlink -f "$tree/$out/prefix/lib/libxmprt.so")" \
        "$tree/$out/prefix/lib/xmprt/libxmprt_trace.so"
    cp -a -- "$out/programs" "$tree/programs"
    # A unit test of xmp-source reads the names of headers.
    mkdir -p "$tree$root/xmp-core/source"
    install -D -m 644 -t "$tree$root/ffi/include" ffi/include/*.hpp
    printf 'PATH=/bin:%s/bin\n' "$out/prefix" >"$tree/etc/environment"
    (cd -- "$tree" && find . | cpio --quiet -o -H newc -R 0:0 | gzip -1) >"$out/image"
}
