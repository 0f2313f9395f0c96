//! Requirements: things that a check needs and that a machine may lack, and those that `XMP_REQUIRE` names.

use std::env;
use std::ffi::OsString;

/// The environment variable with names of requirements, separated by commas. A skip for lack of one of them is a failure.
const VARIABLE: &str = "XMP_REQUIRE";

/// Something that a machine may lack. A test that needs it is skipped there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// Compiling for AArch64: the target of rustup.
    AArch64,
    /// A network of four hosts: a bridge between network namespaces.
    Bridge,
    /// Cargo, for a test that calls it.
    Cargo,
    /// A browser.
    Chromium,
    /// clang, a compiler for C.
    Clang,
    /// CMake.
    CMake,
    /// The right to make control groups that limit memory.
    ControlGroup,
    /// LLVM flang.
    Flang,
    /// fpm, the Fortran package manager.
    Fpm,
    /// The plug-in of gcc for `--check=races`, in the installation.
    GccPlugin,
    /// The debugger.
    Gdb,
    /// gfortran, for a test that shows it whatever compiler is tested.
    Gfortran,
    /// groff, which reads manual pages.
    Groff,
    /// HDF5 for Open MPI.
    Hdf5,
    /// herd7, which simulates models of memory.
    Herd7,
    /// An installation of XMP-RT, named by `XMP_PREFIX`.
    Installation,
    /// LFortran.
    Lfortran,
    /// libclang, which reads the headers of MPI.
    Libclang,
    /// An interpreter of Lua.
    Lua,
    /// Make.
    Make,
    /// mdBook.
    Mdbook,
    /// As much memory as the test fills.
    Memory,
    /// Meson and Ninja.
    Meson,
    /// Environment Modules: the command that its shell function calls.
    Modules,
    /// The right to mount a small disk in a mount namespace of its own.
    Mount,
    /// MPICH: its compilers, a launcher that runs programs, and the plug-in for it.
    Mpich,
    /// Network namespaces: separate hosts on one machine.
    Network,
    /// Rust's nightly toolchain.
    Nightly,
    /// NumPy, for the Python 3 of the search path.
    Numpy,
    /// The same as [`Requirement::Mpich`], for Open MPI.
    OpenMpi,
    /// An installation that was optimised across crates, as `./x install` makes it by itself.
    Optimised,
    /// The packages that `./x package` makes.
    Packages,
    /// pkg-config.
    PkgConfig,
    /// The version of Rust that `Cargo.toml` promises.
    PromisedRust,
    /// Python 3.
    Python,
    /// The rights of root.
    Root,
    /// A directory of temporary files where programs may have the rights of their owner.
    Setuid,
    /// The right to copy from the memory of another process.
    SingleCopy,
    /// The server of OpenSSH, and its client.
    Sshd,
    /// An Open MPI that can use UCX here.
    Ucx,
    /// The memory checker.
    Valgrind,
    /// Virtual environments of Python with pip.
    Venv,
}

impl Requirement {
    /// All of them, in the order of their names.
    pub const ALL: [Requirement; 42] = [
        Requirement::AArch64,
        Requirement::Bridge,
        Requirement::Cargo,
        Requirement::Chromium,
        Requirement::Clang,
        Requirement::CMake,
        Requirement::ControlGroup,
        Requirement::Flang,
        Requirement::Fpm,
        Requirement::GccPlugin,
        Requirement::Gdb,
        Requirement::Gfortran,
        Requirement::Groff,
        Requirement::Hdf5,
        Requirement::Herd7,
        Requirement::Installation,
        Requirement::Lfortran,
        Requirement::Libclang,
        Requirement::Lua,
        Requirement::Make,
        Requirement::Mdbook,
        Requirement::Memory,
        Requirement::Meson,
        Requirement::Modules,
        Requirement::Mount,
        Requirement::Mpich,
        Requirement::Network,
        Requirement::Nightly,
        Requirement::Numpy,
        Requirement::OpenMpi,
        Requirement::Optimised,
        Requirement::Packages,
        Requirement::PkgConfig,
        Requirement::PromisedRust,
        Requirement::Python,
        Requirement::Root,
        Requirement::Setuid,
        Requirement::SingleCopy,
        Requirement::Sshd,
        Requirement::Ucx,
        Requirement::Valgrind,
        Requirement::Venv,
    ];

    /// Its name in `XMP_REQUIRE`.
    pub fn name(self) -> &'static str {
        match self {
            Requirement::AArch64 => "aarch64",
            Requirement::Bridge => "bridge",
            Requirement::Cargo => "cargo",
            Requirement::Chromium => "chromium",
            Requirement::Clang => "clang",
            Requirement::CMake => "cmake",
            Requirement::ControlGroup => "control-group",
            Requirement::Flang => "flang",
            Requirement::Fpm => "fpm",
            Requirement::GccPlugin => "gcc-plugin",
            Requirement::Gdb => "gdb",
            Requirement::Gfortran => "gfortran",
            Requirement::Groff => "groff",
            Requirement::Hdf5 => "hdf5",
            Requirement::Herd7 => "herd7",
            Requirement::Installation => "installation",
            Requirement::Lfortran => "lfortran",
            Requirement::Libclang => "libclang",
            Requirement::Lua => "lua",
            Requirement::Make => "make",
            Requirement::Mdbook => "mdbook",
            Requirement::Memory => "memory",
            Requirement::Meson => "meson",
            Requirement::Modules => "modules",
            Requirement::Mount => "mount",
            Requirement::Mpich => "mpich",
            Requirement::Network => "network",
            Requirement::Nightly => "nightly",
            Requirement::Numpy => "numpy",
            Requirement::OpenMpi => "openmpi",
            Requirement::Optimised => "optimised",
            Requirement::Packages => "packages",
            Requirement::PkgConfig => "pkg-config",
            Requirement::PromisedRust => "promised-rust",
            Requirement::Python => "python",
            Requirement::Root => "root",
            Requirement::Setuid => "setuid",
            Requirement::SingleCopy => "single-copy",
            Requirement::Sshd => "sshd",
            Requirement::Ucx => "ucx",
            Requirement::Valgrind => "valgrind",
            Requirement::Venv => "venv",
        }
    }

    /// The requirement that a command belongs to.
    ///
    /// # Panics
    /// When it belongs to none: a test that may lack it must name a requirement.
    pub fn of_command(command: &str) -> Requirement {
        match command {
            "cargo" => Requirement::Cargo,
            "chromium" => Requirement::Chromium,
            "clang" => Requirement::Clang,
            "cmake" => Requirement::CMake,
            "fpm" => Requirement::Fpm,
            "gdb" => Requirement::Gdb,
            "gfortran" => Requirement::Gfortran,
            "groff" => Requirement::Groff,
            "h5pfc.openmpi" => Requirement::Hdf5,
            "herd7" => Requirement::Herd7,
            "lfortran" => Requirement::Lfortran,
            "lua" => Requirement::Lua,
            "make" => Requirement::Make,
            "mdbook" => Requirement::Mdbook,
            "numpy" => Requirement::Numpy,
            "meson" | "ninja" => Requirement::Meson,
            "modulecmd" => Requirement::Modules,
            "mpich" | "mpicc.mpich" | "mpif90.mpich" | "mpiexec.mpich" => Requirement::Mpich,
            "openmpi" | "mpicc.openmpi" | "mpif90.openmpi" | "mpirun.openmpi" => {
                Requirement::OpenMpi
            }
            "pkg-config" => Requirement::PkgConfig,
            "python3" => Requirement::Python,
            "sshd" => Requirement::Sshd,
            "valgrind" => Requirement::Valgrind,
            _ => panic!("no requirement has the command {command}: add it to {}", file!()),
        }
    }

    /// Whether `XMP_REQUIRE` names it.
    ///
    /// # Panics
    /// When `XMP_REQUIRE` has a name that no requirement has.
    pub fn is_required(self) -> bool {
        match required(env::var_os(VARIABLE)) {
            Ok(required) => required.contains(&self),
            Err(message) => panic!("{message}"),
        }
    }
}

/// The requirements that a value of `XMP_REQUIRE` names. `mpi` names those of both MPIs.
///
/// # Errors
/// For a name that no requirement has.
pub fn required(value: Option<OsString>) -> Result<Vec<Requirement>, String> {
    let value = value.unwrap_or_default();
    let value = value.to_str().ok_or(format!("{VARIABLE} is not in UTF-8: {value:?}"))?;
    let mut required = Vec::new();
    for name in value.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let named = Requirement::ALL.into_iter().find(|requirement| requirement.name() == name);
        match (named, name) {
            (Some(requirement), _) => required.push(requirement),
            (None, "mpi") => required.extend([Requirement::Mpich, Requirement::OpenMpi]),
            (None, _) => {
                let known = Requirement::ALL.map(Requirement::name).join(", ");
                return Err(format!("{VARIABLE} names {name:?}, which is none of mpi, {known}"));
            }
        }
    }
    Ok(required)
}
