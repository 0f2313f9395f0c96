//! The toolchain that tests compile and run with: an installation of XMP-RT, and the directory for what they make.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The files of an installation that the tests need, relative to its prefix.
const PARTS: [&str; 8] = [
    "bin/xmprun",
    "bin/xmpfc",
    "bin/xmpcc",
    "include/xmprt/xmprt.h",
    "include/xmprt/xmprt_global.h",
    "lib/libxmprt.so",
    "lib/libxmprt.a",
    "lib/pkgconfig/xmprt.pc",
];

/// An installation of XMP-RT.
#[derive(Debug)]
pub struct Toolchain {
    prefix: PathBuf,
}

/// The installation to test: the one under `XMP_PREFIX`, else the one in the target directory.
///
/// # Panics
/// When there is none, or when it is incomplete; the text says how to make one.
pub fn toolchain() -> &'static Toolchain {
    static FOUND: OnceLock<Toolchain> = OnceLock::new();
    FOUND.get_or_init(|| {
        let prefix = std::env::var_os("XMP_PREFIX")
            .map_or_else(|| target_dir().join("prefix"), |given| workspace().join(given));
        let missing: Vec<&str> =
            PARTS.into_iter().filter(|part| !prefix.join(part).exists()).collect();
        assert!(
            missing.is_empty(),
            "no installation of XMP-RT to test at {}: {} missing.\n\
             `./x install --prefix target/prefix` makes one there (`./x test` does so by itself); \
             XMP_PREFIX names another place.",
            prefix.display(),
            missing.join(", ")
        );
        Toolchain { prefix }
    })
}

impl Toolchain {
    /// The directory that everything is installed under.
    pub fn prefix(&self) -> &Path {
        &self.prefix
    }

    /// Whether the library was optimised across crates: then all crates of XMP-RT are one object of the archive.
    ///
    /// # Panics
    /// When the archive has no object of XMP-RT.
    pub fn is_optimised(&self) -> bool {
        let archive = self.prefix.join("lib/libxmprt.a");
        let members = output_of("ar", [Path::new("t"), &archive]);
        let own = members.lines().filter(|member| member.starts_with("xmp")).count();
        assert_ne!(own, 0, "{members}");
        own == 1
    }

    /// The launcher.
    pub fn xmprun(&self) -> PathBuf {
        self.prefix.join("bin/xmprun")
    }

    /// The Fortran compiler wrapper.
    pub fn xmpfc(&self) -> PathBuf {
        self.prefix.join("bin/xmpfc")
    }

    /// The Fortran compiler wrapper, by its name for XcalableMP.
    pub fn xmpf90(&self) -> PathBuf {
        self.prefix.join("bin/xmpf90")
    }

    /// The C compiler wrapper.
    pub fn xmpcc(&self) -> PathBuf {
        self.prefix.join("bin/xmpcc")
    }

    /// The C++ compiler wrapper.
    pub fn xmpcxx(&self) -> PathBuf {
        self.prefix.join("bin/xmpcxx")
    }

    /// The static library.
    pub fn archive(&self) -> PathBuf {
        self.prefix.join("lib/libxmprt.a")
    }

    /// The directory of the MPI plug-ins.
    pub fn plugins(&self) -> PathBuf {
        self.prefix.join("lib/xmprt")
    }

    /// The directory in which `pkg-config` finds `xmprt.pc`.
    pub fn pkg_config_dir(&self) -> PathBuf {
        self.prefix.join("lib/pkgconfig")
    }

    /// The user's Fortran compiler, the one that `xmpfc` calls.
    pub fn fortran(&self) -> String {
        std::env::var("XMP_FC").unwrap_or_else(|_| "gfortran".into())
    }

    /// The major version of that compiler; `None` when it is not gfortran.
    pub fn gfortran_version(&self) -> Option<u32> {
        static VERSION: OnceLock<Option<u32>> = OnceLock::new();
        *VERSION.get_or_init(|| {
            let said = output_of(self.fortran(), ["--version"]);
            said.starts_with("GNU Fortran").then(|| {
                let version = output_of(self.fortran(), ["-dumpversion"]);
                let major = version.trim().split('.').next().and_then(|major| major.parse().ok());
                major.unwrap_or_else(|| panic!("{} has version {version:?}", self.fortran()))
            })
        })
    }

    /// The versions that the compiler wrappers report. They change with the compilers.
    pub fn versions(&self) -> &'static str {
        static VERSIONS: OnceLock<String> = OnceLock::new();
        VERSIONS.get_or_init(|| {
            [self.xmpfc(), self.xmpcc()].map(|wrapper| output_of(wrapper, ["--version"])).concat()
        })
    }
}

/// Runs a command that must succeed and returns what it wrote to its standard output.
///
/// # Panics
/// When it cannot be run or fails.
pub fn output_of<S: AsRef<OsStr>>(
    command: impl AsRef<OsStr>,
    arguments: impl IntoIterator<Item = S>,
) -> String {
    let command = command.as_ref();
    let output = Command::new(command)
        .args(arguments)
        .output()
        .unwrap_or_else(|error| panic!("cannot run {}: {error}", command.display()));
    assert!(
        output.status.success(),
        "{} failed ({}):\n{}",
        command.display(),
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The directory of this crate, with the Fortran and C programs.
pub fn crate_dir() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The root of the workspace.
pub fn workspace() -> &'static Path {
    crate_dir().parent().expect("the crate is in the workspace")
}

/// Cargo's target directory, as `./x` and Cargo itself choose it.
pub fn target_dir() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| workspace().join("target"), |given| workspace().join(given))
}
