# SPDX-License-Identifier: Apache-2.0 OR MIT

import glob

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
    depends_on("rust@1.88.0:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("hwloc@2:")
    with when("+mpi"):
        depends_on("mpi")
        depends_on("python", type="build")
        # bindgen reads mpi.h with libclang. This is the library alone: building LLVM would take longer than all else.
        resource(
            name="libclang",
            url="https://files.pythonhosted.org/packages/1d/fc/716c1e62e512ef1c160e7984a73a5fc7df45166f2ff3f254e71c58076f7c/libclang-18.1.1-py2.py3-none-manylinux2010_x86_64.whl",
            sha256="c533091d8a3bbf7460a00cb6c1a71da93bffe148f172c7d03b1c31fbf8aa2a0b",
            placement="libclang",
            expand=False,
            when="target=x86_64:",
        )
        resource(
            name="libclang",
            url="https://files.pythonhosted.org/packages/3c/3d/f0ac1150280d8d20d059608cf2d5ff61b7c3b7f7bcf9c0f425ab92df769a/libclang-18.1.1-py2.py3-none-manylinux2014_aarch64.whl",
            sha256="54dda940a4a0491a9d1532bf071ea3ef26e6dbaf03b5000ed94dd7174e8f9592",
            placement="libclang",
            expand=False,
            when="target=aarch64:",
        )

    requires("platform=linux", msg="XMP-RT supports Linux")
    requires("target=x86_64:", "target=aarch64:", policy="one_of", msg="XMP-RT supports x86-64 and AArch64")
    requires("%fortran=gcc", msg="XMP-RT supports the coarrays of gfortran")
    conflicts("%fortran=gcc@:11", msg="gfortran 12 is the oldest that XMP-RT supports")

    def setup_build_environment(self, env):
        # Names that ./x looks for; the wrappers of Spack are behind them.
        env.set("XMP_CC", "cc")
        env.set("XMP_FC", "fc")
        if self.spec.satisfies("+mpi"):
            env.set("MPICC", self.spec["mpi"].mpicc)
            env.set("LIBCLANG_PATH", join_path(self.libclang, "clang", "native"))

    @property
    def libclang(self):
        return join_path(self.stage.source_path, "libclang")

    def setup_run_environment(self, env):
        env.set("XMP_CC", self.spec["c"].package.cc)
        env.set("XMP_FC", self.spec["fortran"].package.fortran)

    def install(self, spec, prefix):
        options = ["--no-apt", f"--prefix={prefix}"]
        if spec.satisfies("~mpi"):
            options.append("--no-mpi")
        else:
            with working_dir(self.libclang):
                python("-m", "zipfile", "-e", *glob.glob("*.whl"), ".")
        Executable("./x")("install", *options)

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_hello(self):
        source = join_path(self.stage.source_path, "examples", "fortran", "hello.f90")
        with working_dir(join_path(self.stage.path, "hello"), create=True):
            Executable(self.prefix.bin.xmpfc)(source, "-o", "hello")
            output = Executable(self.prefix.bin.xmprun)("-n", "2", "./hello", output=str)
            assert "image 2 of 2" in output, output
