# SPDX-License-Identifier: Apache-2.0 OR MIT

from spack_repo.builtin.build_systems.generic import Package

from spack.package import *


class Xmprt(Package):
    """Runtime for coarray Fortran, XcalableMP and PGAS programs: the compiler wrappers
    xmpfc and xmpcc, the launcher xmprun and the library libxmprt."""

    homepage = "https://github.com/xmp-rt/xmp-rt"
    git = "https://github.com/xmp-rt/xmp-rt.git"

    license("Apache-2.0 OR MIT")

    version("main", branch="main")
    version("0.1.0", tag="v0.1.0")

    variant("mpi", default=False, description="Build the plug-in with which MPI starts programs")

    depends_on("c", type=("build", "run"))
    depends_on("fortran", type=("build", "run"))
    depends_on("rust@1.93.1:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("hwloc@2:")
    with when("+mpi"):
        depends_on("mpi")
        # bindgen reads mpi.h with libclang.
        depends_on("llvm+clang", type="build")

    requires("platform=linux", "target=x86_64:", msg="XMP-RT supports Linux on x86-64")
    requires("%fortran=gcc", msg="XMP-RT supports the coarrays of gfortran")
    conflicts("%fortran=gcc@:11", msg="gfortran 12 is the oldest that XMP-RT supports")

    def setup_build_environment(self, env):
        # Names that ./x looks for; the wrappers of Spack are behind them.
        env.set("XMP_CC", "cc")
        env.set("XMP_FC", "fc")
        if self.spec.satisfies("+mpi"):
            env.set("MPICC", self.spec["mpi"].mpicc)
            env.set("LIBCLANG_PATH", self.spec["llvm"].prefix.lib)

    def setup_run_environment(self, env):
        env.set("XMP_CC", self.spec["c"].package.cc)
        env.set("XMP_FC", self.spec["fortran"].package.fortran)

    def install(self, spec, prefix):
        options = ["--no-apt", f"--prefix={prefix}"]
        if spec.satisfies("~mpi"):
            options.append("--no-mpi")
        Executable("./x")("install", *options)

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_hello(self):
        source = join_path(self.stage.source_path, "examples", "fortran", "hello.f90")
        with working_dir(join_path(self.stage.path, "hello"), create=True):
            Executable(self.prefix.bin.xmpfc)(source, "-o", "hello")
            output = Executable(self.prefix.bin.xmprun)("-n", "2", "./hello", output=str)
            assert "image 2 of 2" in output, output
