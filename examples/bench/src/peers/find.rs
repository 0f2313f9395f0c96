//! The search for installed peers.

use super::{Compiler, Kind, Launcher, Peer};
use crate::options::RunOptions;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A peer that is not installed.
#[derive(Clone, Debug)]
pub struct Absent {
    /// Short name.
    pub id: &'static str,
    /// Column head.
    pub title: &'static str,
    /// What it is to the comparison.
    pub kind: Kind,
    /// What was looked for, and how to get it.
    pub missing: String,
}

/// Every peer that exists, ours first, each found or with the reason why not.
pub fn find(options: &RunOptions) -> Vec<Result<Peer, Absent>> {
    vec![
        ours(options),
        open_coarrays(OPENMPI),
        open_coarrays(MPICH),
        caf_shmem(options),
        raw_mpi(OPENMPI),
        raw_mpi(MPICH),
        limits(),
    ]
}

/// Ours as it is measured beside itself: on another number of virtual hosts or with other settings. The
/// names live as long as the program, which makes a handful of them.
pub fn our_variants(
    ours: &Peer,
    kind: Kind,
    variants: impl IntoIterator<Item = (String, u32, Vec<(&'static str, String)>)>,
) -> Vec<Peer> {
    let Launcher::Xmprun { launcher, .. } = &ours.launcher else { return Vec::new() };
    let variant = |(name, hosts, settings): (String, u32, Vec<_>)| {
        let launcher = Launcher::Xmprun { launcher: launcher.clone(), hosts, settings };
        let id = &*String::leak(name);
        Peer { id, title: id, kind, launcher, ..ours.clone() }
    };
    variants.into_iter().map(variant).collect()
}

/// One of the MPIs, by the names that Debian gives its commands.
#[derive(Clone, Copy)]
pub(super) struct Mpi {
    suffix: &'static str,
    coarray_id: &'static str,
    coarray_title: &'static str,
    raw_id: &'static str,
    raw_title: &'static str,
    coarray_package: &'static str,
    raw_package: &'static str,
    launcher_package: &'static str,
    launcher: fn(PathBuf) -> Launcher,
}

pub(super) const OPENMPI: Mpi = Mpi {
    suffix: "openmpi",
    coarray_id: "oc-openmpi",
    coarray_title: "OC Open MPI",
    raw_id: "mpi-openmpi",
    raw_title: "raw Open MPI",
    coarray_package: "libcoarrays-openmpi-dev",
    raw_package: "libopenmpi-dev",
    launcher_package: "openmpi-bin",
    launcher: Launcher::OpenMpi,
};

const MPICH: Mpi = Mpi {
    suffix: "mpich",
    coarray_id: "oc-mpich",
    coarray_title: "OC MPICH",
    raw_id: "mpi-mpich",
    raw_title: "raw MPICH",
    coarray_package: "libcoarrays-mpich-dev",
    raw_package: "libmpich-dev",
    launcher_package: "mpich",
    launcher: Launcher::Mpich,
};

pub(super) fn ours(options: &RunOptions) -> Result<Peer, Absent> {
    let (compiler, launcher) = (options.our_compiler(), options.our_launcher());
    let gone: Vec<String> = [&compiler, &launcher]
        .into_iter()
        .filter(|path| !path.is_file())
        .map(|path| path.display().to_string())
        .collect();
    let (id, title, kind) = ("ours", "ours", Kind::Ours);
    let behind = options.fortran().map(|fortran| ("XMP_FC", fortran));
    if gone.is_empty() {
        let compiler = Some(Compiler { behind, ..Compiler::plain(compiler) });
        let launcher = Launcher::Xmprun { launcher, hosts: 1, settings: Vec::new() };
        Ok(Peer { id, title, kind, compiler, fortran: None, launcher })
    } else {
        let missing =
            format!("{} not there; `./x install --prefix target/prefix`", gone.join(" and "));
        Err(Absent { id, title, kind, missing })
    }
}

/// `caf.openmpi` and `caf.mpich` are the wrappers of OpenCoarrays over the MPI's Fortran wrapper.
fn open_coarrays(mpi: Mpi) -> Result<Peer, Absent> {
    let (id, title, kind) = (mpi.coarray_id, mpi.coarray_title, Kind::OpenCoarrays);
    let (program, launcher) = mpi
        .commands("caf", mpi.coarray_package, in_path)
        .map_err(|missing| Absent { id, title, kind, missing })?;
    let compiler = Some(Compiler::plain(program));
    Ok(Peer { id, title, kind, compiler, fortran: None, launcher })
}

pub(super) fn raw_mpi(mpi: Mpi) -> Result<Peer, Absent> {
    let (id, title, kind) = (mpi.raw_id, mpi.raw_title, Kind::RawMpi);
    let (program, launcher) = mpi
        .commands("mpicc", mpi.raw_package, in_path)
        .map_err(|missing| Absent { id, title, kind, missing })?;
    let compiler = Some(Compiler { before: &["-std=c11"], ..Compiler::plain(program) });
    let fortran = in_path(&format!("mpifort.{}", mpi.suffix));
    Ok(Peer { id, title, kind, compiler, fortran, launcher })
}

impl Mpi {
    /// The compiler wrapper `wrapper.SUFFIX`, which `package` has, and the launcher, as `find` finds them.
    ///
    /// # Errors
    /// The commands that are not installed and the packages that have them.
    fn commands(
        &self,
        wrapper: &str,
        package: &str,
        find: impl Fn(&str) -> Option<PathBuf>,
    ) -> Result<(PathBuf, Launcher), String> {
        let needed = [(wrapper, package), ("mpirun", self.launcher_package)];
        let needed = needed.map(|(name, package)| (format!("{name}.{}", self.suffix), package));
        if let [Some(wrapper), Some(launcher)] = needed.each_ref().map(|(name, _)| find(name)) {
            return Ok((wrapper, (self.launcher)(launcher)));
        }
        let gone = needed.iter().filter(|(name, _)| find(name).is_none());
        let (names, packages): (Vec<String>, Vec<&str>) =
            gone.map(|(name, package)| (format!("no {name}"), package)).unzip();
        Err(format!("{}; `apt-get install {}`", names.join(", "), packages.join(" ")))
    }
}

/// The gfortran that was asked for or a plain `gfortran`, if it is of that age, or `gfortran-16`.
fn caf_shmem(options: &RunOptions) -> Result<Peer, Absent> {
    let (id, title, kind) = ("caf-shmem", "caf_shmem", Kind::CafShmem);
    let new_enough = |path: &PathBuf| major_version(path) >= Some(16);
    let asked = options.fortran().filter(new_enough);
    let plain = || in_path("gfortran").filter(new_enough);
    match asked.or_else(|| in_path("gfortran-16")).or_else(plain) {
        Some(program) => {
            let compiler = Some(Compiler {
                before: &["-fcoarray=lib", "-pthread"],
                after: &["-lcaf_shmem", "-lrt"],
                ..Compiler::plain(program)
            });
            let launcher = Launcher::Environment("GFORTRAN_NUM_IMAGES");
            Ok(Peer { id, title, kind, compiler, fortran: None, launcher })
        }
        None => {
            let missing = "no gfortran-16; it comes with GCC 16 (`--fc` names it)".to_owned();
            Err(Absent { id, title, kind, missing })
        }
    }
}

fn limits() -> Result<Peer, Absent> {
    let (id, title, kind) = ("limit", "limit", Kind::Limit);
    match env::current_exe() {
        Ok(this_program) => {
            let launcher = Launcher::Limits(this_program);
            Ok(Peer { id, title, kind, compiler: None, fortran: None, launcher })
        }
        Err(error) => Err(Absent { id, title, kind, missing: format!("own path: {error}") }),
    }
}

/// A program on the search path.
pub(super) fn in_path(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|dir| dir.join(program)).find(|file| file.is_file())
}

/// The version of a gfortran.
pub fn major_version(compiler: &Path) -> Option<u32> {
    let output = Command::new(compiler).arg("-dumpversion").output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said where only `installed` commands are there.
    fn message(installed: &[&str]) -> String {
        let find = |name: &str| installed.contains(&name).then(|| PathBuf::from(name));
        OPENMPI.commands("caf", OPENMPI.coarray_package, find).unwrap_err()
    }

    #[test]
    fn only_commands_that_are_missing_are_named() {
        assert_eq!(
            message(&["mpirun.openmpi"]),
            "no caf.openmpi; `apt-get install libcoarrays-openmpi-dev`"
        );
        assert_eq!(message(&["caf.openmpi"]), "no mpirun.openmpi; `apt-get install openmpi-bin`");
        assert_eq!(
            message(&[]),
            "no caf.openmpi, no mpirun.openmpi; `apt-get install libcoarrays-openmpi-dev openmpi-bin`"
        );
    }

    #[test]
    fn an_mpi_with_both_commands_is_found() {
        let find = |name: &str| Some(PathBuf::from(name));
        let (wrapper, launcher) = MPICH.commands("mpicc", MPICH.raw_package, find).unwrap();
        assert_eq!(wrapper, Path::new("mpicc.mpich"));
        assert!(matches!(launcher, Launcher::Mpich(path) if path == Path::new("mpirun.mpich")));
    }
}
