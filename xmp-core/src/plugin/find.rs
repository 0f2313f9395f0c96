//! Where plug-ins are sought: beside the library, for `./x install` puts them there.

use super::detect::{Flavour, Wanted};
use crate::error::{Error, Result};
use std::ffi::{CStr, OsStr};
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The file of a plug-in.
pub fn file_name(flavour: Flavour) -> String {
    format!("libxmprt_mpi_{}.so", flavour.word())
}

/// The plug-in that is wanted, among the directories.
///
/// # Errors
/// When there is none, or one of each and nothing says which.
pub fn find(wanted: &Wanted, directories: &[PathBuf]) -> Result<(Flavour, PathBuf)> {
    let flavours = match wanted.flavour {
        Some(flavour) => vec![flavour],
        None => Flavour::ALL.to_vec(),
    };
    let place = |flavour: Flavour| {
        let files = directories.iter().map(|directory| directory.join(file_name(flavour)));
        files.into_iter().find(|file| file.exists()).map(|file| (flavour, file))
    };
    let mut found: Vec<_> = flavours.iter().copied().filter_map(place).collect();
    match (found.pop(), found.pop()) {
        (Some(one), None) => Ok(one),
        (Some(_), Some(_)) => Err(Error::Invalid(format!(
            "{} works with any MPI, and there are plug-ins for Open MPI and for MPICH: say with XMP_TRANSPORT=openmpi \
             or XMP_TRANSPORT=mpich which is to be used",
            started_by(wanted)
        ))),
        (None, _) => Err(missing(wanted, &flavours, directories)),
    }
}

fn started_by(wanted: &Wanted) -> &'static str {
    wanted.launcher.map_or("XMP_TRANSPORT=mpi", |launcher| launcher.name)
}

fn missing(wanted: &Wanted, flavours: &[Flavour], directories: &[PathBuf]) -> Error {
    let text = |parts: Vec<String>, between: &str| parts.join(between);
    let files = text(flavours.iter().map(|&flavour| file_name(flavour)).collect(), " or ");
    let names = text(flavours.iter().map(Flavour::to_string).collect(), " or ");
    let places = text(directories.iter().map(|place| place.display().to_string()).collect(), ", ");
    Error::Invalid(format!(
        "no plug-in for {names}, which {} needs: {files} was sought in {places}. Install the development package of \
         that MPI and run ./x install, or name the plug-in's directory in XMP_PLUGIN_DIR, or have the images of one \
         machine only with xmprun (or XMP_TRANSPORT=shm)",
        started_by(wanted)
    ))
}

/// Where to look: in the directory that the user names, or else beside what this code is part of (`libxmprt.so`, or a
/// program that has it all in itself), and in the `lib` beside its directory.
pub fn directories(named: Option<&Path>) -> Vec<PathBuf> {
    if let Some(named) = named {
        return vec![named.to_path_buf()];
    }
    let Some(own) = own_file() else { return vec![PathBuf::from(".")] };
    let own = own.canonicalize().unwrap_or(own);
    let Some(directory) = own.parent() else { return vec![PathBuf::from("/")] };
    let beside = directory.parent().map(|above| above.join("lib"));
    let mut places = vec![directory.to_path_buf()];
    places.extend(beside.filter(|beside| beside != directory));
    places
}

/// The library or program that this code is part of.
fn own_file() -> Option<PathBuf> {
    let mut found = MaybeUninit::<libc::Dl_info>::uninit();
    let here = own_file as fn() -> Option<PathBuf> as *const libc::c_void;
    // SAFETY: an address of this code, and room for the answer.
    let known = unsafe { libc::dladdr(here, found.as_mut_ptr()) };
    if known == 0 {
        return None;
    }
    // SAFETY: filled, as the call says.
    let name = unsafe { found.assume_init() }.dli_fname;
    // SAFETY: a text that lives as long as the library is loaded.
    let name = unsafe { CStr::from_ptr(name) };
    let path = PathBuf::from(OsStr::from_bytes(name.to_bytes()));
    // The name of a program is what it was started as.
    if path.exists() { Some(path) } else { std::env::current_exe().ok() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::detect::Launcher;

    fn wanted(flavour: Option<Flavour>) -> Wanted {
        let launcher = Launcher { name: "mpirun", flavour, processes: Some(2) };
        Wanted { flavour, launcher: Some(launcher) }
    }

    /// A directory of its own for a test, with these files.
    fn directory(name: &str, files: &[&str]) -> PathBuf {
        let place = std::env::temp_dir().join(format!("xmp-find-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&place).unwrap();
        for file in files {
            std::fs::write(place.join(file), "").unwrap();
        }
        place
    }

    #[test]
    fn the_first_directory_that_has_it() {
        let (empty, full) = (directory("none", &[]), directory("one", &["libxmprt_mpi_mpich.so"]));
        let places = [empty.clone(), full.clone()];
        let expected = (Flavour::Mpich, full.join("libxmprt_mpi_mpich.so"));
        assert_eq!(find(&wanted(Some(Flavour::Mpich)), &places).unwrap(), expected);
        assert_eq!(find(&wanted(None), &places).unwrap(), expected, "the only one");
        std::fs::remove_dir_all(empty).unwrap();
        std::fs::remove_dir_all(full).unwrap();
    }

    #[test]
    fn a_missing_one_is_named_with_its_mpi_and_all_places() {
        let places = [PathBuf::from("/nowhere/a"), PathBuf::from("/nowhere/b")];
        let text = find(&wanted(Some(Flavour::OpenMpi)), &places).unwrap_err().to_string();
        for part in [
            "libxmprt_mpi_openmpi.so",
            "Open MPI",
            "mpirun",
            "/nowhere/a",
            "/nowhere/b",
            "./x install",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("MPICH"), "{text}");
    }

    #[test]
    fn two_need_a_word() {
        let both = directory("two", &["libxmprt_mpi_mpich.so", "libxmprt_mpi_openmpi.so"]);
        let text = find(&wanted(None), std::slice::from_ref(&both)).unwrap_err().to_string();
        assert!(text.contains("XMP_TRANSPORT=openmpi"), "{text}");
        std::fs::remove_dir_all(both).unwrap();
    }

    #[test]
    fn beside_this_program() {
        let program = std::env::current_exe().unwrap().canonicalize().unwrap();
        assert_eq!(directories(None)[0], program.parent().unwrap());
        assert_eq!(directories(Some(Path::new("/opt/plugins"))), [Path::new("/opt/plugins")]);
    }
}
