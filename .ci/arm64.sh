# Tests on an emulated Arm machine: everything is compiled here by cross compilers, and run by qemu with Debian's kernel.
# Sourced by ../x after xmp.sh and needs.sh, whose $root, $target, say and die it uses.
# shellcheck shell=bash disable=SC2154

arm64_triple=aarch64-unknown-linux-gnu
arm64_packages=(gcc-aarch64-linux-gnu gfortran-aarch64-linux-gnu qemu-system-arm cpio)
# Of the cross compilers' release: what programs and the launcher load. The kernels are Debian 13's, which has one with larger pages.
arm64_libraries=(libc6 libgcc-s1 libgfortran5 libgomp1 libhwloc15 libhwloc-dev libudev1 libcap2 busybox-static)
arm64_kernels=(linux-image-cloud-arm64 linux-image-arm64-16k)
# Crates whose unit tests need no installation and no network.
arm64_tested=(xmp-map xmp-source xmp-trace xmp-shm xmp-net xmp-boot xmp-collectives xmp-teams xmp-coarray xmp-ffi xmp-trace-library)

# test_arm64 [NAME...]: builds, then runs the programs whose names contain one of these, or all, on each machine.
test_arm64() {
    local out=$target/arm64 machine status=0
    arm64_can_run || { say "SKIPPED: tests for arm64: $arm64_lacks"; return 1; }
    mkdir -p "$out"
    arm64_system "$out"
    arm64_prefix "$out"
    rm -rf "$out/programs"
    arm64_programs "$out" "$@"
    arm64_unit_tests "$out" "$@"
    [[ -n $(find "$out/programs" -type f -print -quit) ]] || die "test --arm64: no program and no crate has a name with: $*"
    # Pages of 4 KiB and lines of 64 bytes; pages of 16 KiB; lines of 256 bytes.
    for machine in 'cloud-arm64 cortex-a76' 'arm64-16k cortex-a76' 'cloud-arm64 a64fx'; do
        # shellcheck disable=SC2086 # Two words.
        arm64_run "$out" $machine || status=1
    done
    return "$status"
}

# Lints all crates for the other architecture. The check is quick, and needs nothing but the target of rustup.
check_arm64() {
    if ! rustup target list --installed 2>/dev/null | grep -qx "$arm64_triple"; then
        say "LEFT OUT: compiling for AArch64: rustup does not have the target $arm64_triple (rustup target add $arm64_triple)"
        return 0
    fi
    say "lints for AArch64"
    CARGO_TARGET_DIR=$target/arm64/cargo cargo clippy --locked --workspace --target "$arm64_triple" -- -D warnings
}

# False, and $arm64_lacks says why, where the tests cannot be run.
arm64_can_run() {
    if ! command -v apt-get >/dev/null; then
        arm64_lacks="packages of Debian are needed, and there is no apt-get"
    elif ! dpkg -s "${arm64_packages[@]}" &>/dev/null && ! can_install; then
        arm64_lacks="not installed: ${arm64_packages[*]}"
    elif ! dpkg -s "${arm64_packages[@]}" &>/dev/null && ! apt_install "${arm64_packages[@]}" >&2; then
        arm64_lacks="these packages cannot be installed: ${arm64_packages[*]}"
    elif ! rustup target add "$arm64_triple" 2>/dev/null; then
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
    say "fetching libraries and kernels of Debian for arm64"
    rm -rf "$out/apt" "$out/system"
    mkdir -p "$out"/apt/{lists/partial,cache/archives/partial} "$out"/{packages,system}
    : >"$out/apt/status"
    arm64_sources >"$out/apt/sources.list"
    cat >"$APT_CONFIG" <<CONF
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Sandbox::User "root";
Dir::Etc::SourceList "$out/apt/sources.list";
Dir::Etc::SourceParts "-";
Dir::State::Lists "$out/apt/lists";
Dir::State::status "$out/apt/status";
Dir::Cache "$out/apt/cache";
CONF
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
    local system=$1/system libraries=$1/system/usr/lib/aarch64-linux-gnu
    CARGO_TARGET_DIR=$1/cargo CARGO_BUILD_TARGET=$arm64_triple \
        CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
        CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUSTFLAGS="-Clink-arg=-Wl,-rpath-link,$libraries:$system/lib/aarch64-linux-gnu" \
        PKG_CONFIG_ALLOW_CROSS=1 PKG_CONFIG_SYSROOT_DIR=$system PKG_CONFIG_LIBDIR=$libraries/pkgconfig \
        cargo "${@:2}"
}

# arm64_prefix OUT: an installation in OUT/prefix with commands of this machine, and libraries and a launcher of the other one.
arm64_prefix() {
    local out=$1 built=$1/cargo/$arm64_triple/release lib=$1/prefix/lib
    prepare
    say "building for arm64"
    arm64_cargo "$out" build --release --locked -p xmp-library -p xmp-trace-library -p xmprun
    (target=$out XMP_CC=aarch64-linux-gnu-gcc && build_c_parts)
    rm -rf "$out/prefix"
    cp -a -- "$prefix" "$out/prefix"
    rm -rf "$lib"/xmprt/{races,omni} "$lib"/xmprt/libxmprt_mpi_* "$lib"/libxmprt_omni.*
    install -m 755 "$built/libxmprt.so" "$(readlink -f "$lib/libxmprt.so")"
    install -m 644 "$built/libxmprt.a" "$lib"
    install -m 755 "$built/libxmprt_trace.so" "$lib/xmprt"
    install -m 755 "$built/xmprun" "$out/prefix/bin"
    install -m 644 "$out"/xmp/{libxmpt.a,shared.o,constructed.o,reach/libxmprt_reach.a} "$lib/xmprt"
}

# arm64_programs OUT [NAME...]: compiles self-checking programs to OUT/programs.
arm64_programs() {
    local out=$1 names=("${@:2}") list=$1/list
    local -x XMP_CC=aarch64-linux-gnu-gcc XMP_FC=aarch64-linux-gnu-gfortran
    say "compiling test programs for arm64"
    mkdir -p "$out/programs"
    arm64_list | arm64_chosen "${names[@]}" >"$list"
    # A program that cannot be compiled is a failure, and the others are run all the same.
    xargs -r -P "$(nproc)" -L 1 "$root/.ci/arm64_compile.sh" "$out" <"$list"
}

# The programs: their kind and name.
arm64_list() {
    local chapter='' word
    while read -r word _; do
        case $word in
            chapters!) chapter=none ;;
            '}') [[ $chapter != none ]] || return 0; chapter=none ;;
            *) [[ -z $chapter ]] || if [[ $chapter == none ]]; then chapter=$word; else echo "fortran $chapter/$word"; fi ;;
        esac
    done < <(sed -n '/^chapters! {/,$p' tests/tests/conformance.rs)
}

# arm64_chosen [NAME...]: the lines that contain one of the names, or all, and the programs in C.
arm64_chosen() {
    {
        cat
        sed -n 's/.*conforms_program(&Program::c("\([^"]*\)").*/c \1/p' tests/tests/c_api.rs
        sed -n 's/^ *conforms("\([^"]*\)").*/xmp-c \1/p' tests/tests/xmp_c.rs
    } | { grep -F "$(printf '%s\n' "$@")" || (($? == 1)); }
}

# arm64_unit_tests OUT [NAME...]: those of the crates.
arm64_unit_tests() {
    local out=$1 names=("${@:2}") crate path
    mkdir -p "$out/programs/unit"
    for crate in "${arm64_tested[@]}"; do
        grep -qF "$(printf '%s\n' "${names[@]}")" <<<"unit $crate" || continue
        say "compiling the unit tests of $crate for arm64"
        path=$(arm64_cargo "$out" test --release --locked -p "$crate" --lib --no-run --message-format=json \
            | sed -n 's/.*"profile":{[^}]*"test":true}.*"executable":"\([^"]*\)".*/\1/p')
        aarch64-linux-gnu-strip -o "$out/programs/unit/$crate" "$path"
    done
}

# arm64_run OUT KERNEL CPU: runs what was compiled. Fails if one of the programs does, or the machine.
arm64_run() {
    local out=$1 kernel=$2 cpu=$3 log=$1/$2-$3.log
    arm64_image "$out"
    say "running on arm64: kernel $kernel, processor $cpu"
    timeout 3600 qemu-system-aarch64 -M virt,gic-version=3 -cpu "$cpu" -smp 2 -m 4G -nographic -nodefaults -serial stdio \
        -kernel "$(printf '%s\n' "$out"/system/boot/vmlinuz-*-"$kernel" | sort -V | tail -n 1)" -initrd "$out/image" \
        -append "console=ttyAMA0 quiet panic=-1" -no-reboot </dev/null | stdbuf -oL tr -d "\r" | tee "$log"
    grep -q '^arm64: [1-9][0-9]* passed, 0 failed$' "$log"
}

# arm64_image OUT: the file system of the machine.
arm64_image() {
    local out=$1 tree=$1/tree system=$1/system file
    rm -rf "$tree"
    mkdir -p "$tree"/{bin,lib,dev,proc,sys,tmp,etc,"$out/prefix"}
    install -m 755 .ci/arm64_init.sh "$tree/init"
    install -m 755 "$(find "$system" -path "*/bin/busybox" -print -quit)" "$tree/bin/busybox"
    for file in ld-linux-aarch64.so.1 libc.so.6 libm.so.6 libgcc_s.so.1 libgfortran.so.5 libhwloc.so.15 libudev.so.1 libgomp.so.1 libcap.so.2; do
        cp -L -- "$(find "$system" -name "$file" -print -quit)" "$tree/lib"
    done
    cp -a -- "$out/prefix/bin" "$out/prefix/lib" "$tree/$out/prefix"
    rm -f "$tree/$out/prefix/lib/"*.a
    aarch64-linux-gnu-strip --strip-debug "$tree/$out/prefix/bin/xmprun" "$(readlink -f "$tree/$out/prefix/lib/libxmprt.so")" \
        "$tree/$out/prefix/lib/xmprt/libxmprt_trace.so"
    cp -a -- "$out/programs" "$tree/programs"
    printf 'PATH=/bin:%s/bin\n' "$out/prefix" >"$tree/etc/environment"
    (cd -- "$tree" && find . | cpio --quiet -o -H newc -R 0:0 | gzip -1) >"$out/image"
}
