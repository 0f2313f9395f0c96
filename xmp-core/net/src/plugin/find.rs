//! The installed plug-ins, and the directories where they are searched.

use super::flavour::Flavour;
use super::linked;
use std::ffi::c_void;
use std::path::{Path, PathBuf};

/// The directory of the plug-ins, in that of the library.
const SUBDIRECTORY: &str = "xmprt";

/// A plug-in, as its file name describes it: `libxmprt_mpi_<flavour>_<soname>.so`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    /// The file.
    pub file: PathBuf,
    /// The family of MPI that it is for; `None`: all libraries with the standard ABI of MPI 5, of any family.
    pub flavour: Option<Flavour>,
    /// Soname of the MPI library that it was built with.
    pub soname: String,
}

impl Installed {
    /// The plug-in of this file name; `None` when the file has another form of name.
    fn of(file: PathBuf) -> Option<Installed> {
        let name = file.file_name()?.to_str()?;
        let (word, soname) = name.strip_prefix(PREFIX)?.strip_suffix(".so")?.split_once('_')?;
        let flavour = Flavour::ALL.into_iter().find(|flavour| flavour.word() == word);
        if flavour.is_none() && word != STANDARD_ABI {
            return None;
        }
        let soname = soname.to_string();
        Some(Installed { file, flavour, soname })
    }

    /// The word for its MPIs in the name of the file and in its table.
    pub fn word(&self) -> &'static str {
        self.flavour.map_or(STANDARD_ABI, Flavour::word)
    }

    /// Its MPIs, for messages.
    pub fn kind(&self) -> String {
        self.flavour.map_or("MPIs with the standard ABI".into(), |flavour| flavour.to_string())
    }
}

/// The word for libraries with the standard ABI.
const STANDARD_ABI: &str = "abi";

/// The beginning of the names of plug-ins.
const PREFIX: &str = "libxmprt_mpi_";

/// The file names of plug-ins of this kind of MPI, for messages.
pub fn pattern(flavour: Flavour) -> String {
    format!("{PREFIX}{}_*.so", flavour.word())
}

/// The plug-ins of these directories. Of several for the same MPI library, that of the first directory counts. Those of
/// a directory are in order of their names.
pub fn installed(directories: &[PathBuf]) -> Vec<Installed> {
    let mut all: Vec<Installed> = Vec::new();
    for directory in directories {
        // A directory that does not exist, or that this user may not read, has no plug-ins for this user.
        let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
        let mut here: Vec<_> = entries.filter_map(|entry| Installed::of(entry.path())).collect();
        here.retain(|one| {
            all.iter().all(|other| (other.flavour, &other.soname) != (one.flavour, &one.soname))
        });
        here.sort_by(|one, other| one.file.cmp(&other.file));
        all.append(&mut here);
    }
    all
}

/// The directories to search: the one that the user names. Otherwise where `./x install` puts plug-ins in the
/// installation that this code is part of (`libxmprt.so`, or a program in its `bin`), and then in the installation
/// whose `xmprun` is found by `PATH`, because a program that contains the library itself may be anywhere.
pub fn directories(named: Option<&Path>) -> Vec<PathBuf> {
    if let Some(named) = named {
        return vec![named.to_path_buf()];
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let here = directories as fn(Option<&Path>) -> Vec<PathBuf>;
    // The name of a program is what it was started as, which need not be a path.
    let own = linked::file_of(here as *const c_void).filter(|file| file.exists());
    let own = own.or_else(|| std::env::current_exe().ok());
    let launcher = std::env::split_paths(&path).map(|place| place.join("xmprun"));
    let launcher = launcher.into_iter().find(|file| file.is_file());
    let mut places = Vec::new();
    for place in [own, launcher].into_iter().flatten().flat_map(|file| beside(&file)) {
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

/// The directories of plug-ins relative to a library, or to a program in `bin`.
fn beside(file: &Path) -> Vec<PathBuf> {
    let file = file.canonicalize().unwrap_or_else(|_| file.to_path_buf());
    let Some(directory) = file.parent() else { return Vec::new() };
    let mut places = vec![directory.join(SUBDIRECTORY)];
    if directory.ends_with("bin")
        && let Some(prefix) = directory.parent()
    {
        let multiarch = format!("lib/{}-linux-gnu", std::env::consts::ARCH);
        let libraries = ["lib", "lib64", &multiarch];
        places = libraries.map(|lib| prefix.join(lib).join(SUBDIRECTORY)).to_vec();
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_name_identifies_the_mpi() {
        let of = |name: &str| Installed::of(Path::new("/lib/xmprt").join(name));
        let found = of("libxmprt_mpi_openmpi_libmpi.so.40.so").unwrap();
        assert_eq!((found.flavour, &*found.soname), (Some(Flavour::OpenMpi), "libmpi.so.40"));
        let found = of("libxmprt_mpi_mpich_libmpi_cray.so.12.so").unwrap();
        assert_eq!((found.flavour, &*found.soname), (Some(Flavour::Mpich), "libmpi_cray.so.12"));
        let found = of("libxmprt_mpi_abi_libmpi_abi.so.1.so").unwrap();
        assert_eq!((found.flavour, &*found.soname), (None, "libmpi_abi.so.1"));
        // Fujitsu's MPI is an Open MPI.
        let found = of("libxmprt_mpi_openmpi_libmpi.so.0.so").unwrap();
        assert_eq!((found.flavour, &*found.soname), (Some(Flavour::OpenMpi), "libmpi.so.0"));
        for other in
            ["libxmprt_mpi_openmpi.so", "libxmprt_mpi_lam_libmpi.so.0.so", "omni", "libxmprt.so"]
        {
            assert_eq!(of(other), None, "{other}");
        }
    }

    #[test]
    fn the_first_directory_that_has_a_plug_in_counts() {
        let one = tempfile::tempdir().unwrap();
        let other = tempfile::tempdir().unwrap();
        let (mpich, open) =
            ("libxmprt_mpi_mpich_libmpich.so.12.so", "libxmprt_mpi_openmpi_libmpi.so.40.so");
        for (place, name) in [(&one, mpich), (&other, mpich), (&other, open), (&other, "README")] {
            std::fs::write(place.path().join(name), "").unwrap();
        }
        let places =
            [one.path().to_path_buf(), PathBuf::from("/nowhere"), other.path().to_path_buf()];
        let files: Vec<_> = installed(&places).into_iter().map(|found| found.file).collect();
        assert_eq!(files, [one.path().join(mpich), other.path().join(open)]);
    }

    #[test]
    fn a_named_directory_is_the_only_one() {
        assert_eq!(directories(Some(Path::new("/opt/plugins"))), [Path::new("/opt/plugins")]);
        let program = std::env::current_exe().unwrap().canonicalize().unwrap();
        assert_eq!(directories(None)[0], program.parent().unwrap().join("xmprt"));
    }

    #[test]
    fn programs_in_bin_find_the_libraries_of_their_installation() {
        let prefix = tempfile::tempdir().unwrap();
        let bin = prefix.path().canonicalize().unwrap().join("bin");
        std::fs::create_dir(&bin).unwrap();
        std::fs::write(bin.join("xmprun"), "").unwrap();
        let places = beside(&bin.join("xmprun"));
        assert_eq!(places[0], bin.parent().unwrap().join("lib/xmprt"));
        assert!(places.contains(&bin.parent().unwrap().join("lib64/xmprt")), "{places:?}");
    }
}
