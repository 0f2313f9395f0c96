#!/bin/sh
# The first process of an emulated Arm machine with packages (arm64_packages.sh): installs each of them, compiles and runs a program with it,
# and switches the machine off.
export PATH=/usr/sbin:/usr/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# shellcheck source=.ci/arm64_mounts.sh
. /mounts
# The launchers of MPIs look for a name.
echo arm64 >/proc/sys/kernel/hostname
echo '127.0.0.1 localhost arm64' >/etc/hosts
passed=0 failed=0

# step WHAT COMMAND...: runs it, and says whether it has succeeded.
step() {
    what=$1
    shift
    if "$@" >/tmp/output 2>&1 </dev/null; then
        passed=$((passed + 1))
        echo "passed: $what"
    else
        echo "FAILED (status $?): $what"
        failed=$((failed + 1))
        tail -n 40 /tmp/output | sed 's/^/    /'
    fi
}

# says_hello IMAGES COMMAND...: true if the program greets from each image.
says_hello() {
    images=$1
    shift
    "$@" >/tmp/lines || return
    cat /tmp/lines
    sort /tmp/lines | cmp - /tmp/hello-"$images"
}

# hello PREFIX OPTION...: compiles a program with the wrapper of this installation, and runs it with its launcher.
hello() {
    prefix=$1
    shift
    "$prefix/bin/xmpfc" "$@" /packages/hello.f90 -o /tmp/hello && says_hello 4 "$prefix/bin/xmprun" -n 4 /tmp/hello
}

# runs COMPILER SOURCE OPTION...: compiles a program that checks itself, and runs it.
runs() {
    compiler=$1
    source=$2
    shift 2
    "$compiler" -O2 "/packages/$source" -o /tmp/program "$@" && xmprun -n 4 /tmp/program
}

# reports: true if a run leaves a page that tells where its time went.
reports() {
    xmprun -n 2 --report=/tmp/report.html /tmp/hello && grep -q '</html>' /tmp/report.html
}

# needs_nothing_else FILE...: true if they are linked with libraries of glibc and gcc only.
needs_nothing_else() {
    readelf -d "$@" | grep NEEDED >/tmp/needed && ! grep -vE '\[(ld-linux-aarch64|libc|libdl|libgcc_s|libm|libpthread|librt)\.so\.[0-9]\]' /tmp/needed
}

# under_mpi PREFIX LAUNCHER: the same with the launcher of an MPI, by the plug-in.
under_mpi() {
    "$1/bin/xmpfc" /packages/hello.f90 -o /tmp/hello && says_hello 2 env XMP_TRANSPORT=mpi "$2" -n 2 /tmp/hello
}

# An Open MPI does not start more processes than there are processors.
for images in 2 4; do
    for image in $(seq "$images"); do echo "hello from image $image of $images"; done >/tmp/hello-$images
done
cd /tmp || exit

for file in /packages/*.tar.gz; do
    mkdir '/tmp/a space'
    step "unpack ${file##*/}" tar -xzf "$file" -C '/tmp/a space' --strip-components 1
    step 'the tarball' hello '/tmp/a space'
    step 'the tarball, linked statically' hello '/tmp/a space' -static-xmp
done
for file in /packages/*.deb; do
    step "install ${file##*/}" dpkg -i "$file"
    step 'the libraries that it needs' needs_nothing_else /usr/bin/xmprun /usr/lib/aarch64-linux-gnu/libxmprt.so
    step 'the Debian package' hello /usr
    step 'a report' reports
    step 'the Debian package, linked statically' hello /usr -static-xmp
    step 'a program in C' runs xmpcc power_iteration.c -lm
    step 'XcalableMP in C' runs xmpcc heat.c -lm
    step 'XcalableMP in Fortran' runs xmpf90 heat.f90
    for launcher in mpirun.openmpi mpirun.mpich; do
        step "the Debian package under $launcher" under_mpi /usr "$launcher"
    done
done
[ ! -e /packages/rpm/usr ] || step 'the RPM' hello /packages/rpm/usr
for file in /packages/*.whl; do
    step 'a virtual environment' python3 -m venv '/tmp/an environment'
    step "install ${file##*/}" '/tmp/an environment/bin/pip' install --no-index --no-cache-dir -q "$file"
    step 'the wheel' hello '/tmp/an environment'
done
echo "arm64: $passed passed, $failed failed"
echo o >/proc/sysrq-trigger
sleep 60
