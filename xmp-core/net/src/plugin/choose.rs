//! Selects the plug-in that a process loads, among the installed ones.

use super::detect::Wanted;
use super::find::{Installed, pattern};
use super::flavour::Flavour;
use super::{linked, load};
use crate::error::{Error, Result};
use std::path::{Path, PathBuf};

/// The facts about this process that decide between plug-ins.
pub struct Surroundings<'a> {
    /// The MPI library that the program is linked with, or the program itself if that contains one.
    pub linked: Option<PathBuf>,
    /// Whether a library of this soname is loaded.
    pub is_loaded: &'a dyn Fn(&str) -> bool,
    /// The directories of `LD_LIBRARY_PATH`.
    pub library_path: Vec<PathBuf>,
    /// Whether a plug-in can be loaded with its MPI library.
    pub can_load: &'a dyn Fn(&Installed) -> bool,
    /// Whether the launcher speaks PMIx.
    pub is_pmix: bool,
}

impl Surroundings<'static> {
    /// The facts of this process.
    pub fn of_this_process() -> Surroundings<'static> {
        let library_path = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
        Surroundings {
            linked: linked::file(),
            is_loaded: &linked::is_loaded,
            library_path: std::env::split_paths(&library_path).collect(),
            can_load: &|plugin| load::load(plugin).is_ok(),
            is_pmix: std::env::var_os("PMIX_RANK").is_some(),
        }
    }
}

/// A plug-in, and why it was chosen.
#[derive(Debug)]
pub struct Choice<'a> {
    /// The plug-in.
    pub plugin: &'a Installed,
    /// What has decided, for messages.
    pub why: &'static str,
}

/// The wanted plug-in, among those that are installed in `directories`. If several are for that kind of MPI, the first
/// of these rules that applies decides:
///
/// 1. the MPI library that the process has loaded already;
/// 2. the first directory of `LD_LIBRARY_PATH` that has the MPI library of one of them;
/// 3. the only one that can be loaded;
/// 4. where the launcher speaks PMIx: the only one for Open MPI, which always speaks it.
///
/// # Errors
/// When there is none, or none for the MPI that the program is linked with, or several and no rule decides.
pub fn choose<'a>(
    wanted: &Wanted,
    installed: &'a [Installed],
    directories: &[PathBuf],
    surroundings: &Surroundings<'_>,
) -> Result<Choice<'a>> {
    let flavours = match wanted.flavour {
        Some(flavour) => vec![flavour],
        None => Flavour::ALL.to_vec(),
    };
    let fitting: Vec<&Installed> =
        installed.iter().filter(|plugin| flavours.contains(&plugin.flavour)).collect();
    if fitting.is_empty() {
        return Err(missing(wanted, &flavours, directories));
    }
    let chosen = |plugin: &&'a Installed, why| Ok(Choice { plugin, why });
    if let Some(plugin) = fitting.iter().find(|plugin| (surroundings.is_loaded)(&plugin.soname)) {
        return chosen(plugin, "the process has this MPI library loaded");
    }
    if let Some(library) = &surroundings.linked {
        return Err(not_for_linked(library, &fitting));
    }
    if let [plugin] = &fitting[..] {
        return chosen(plugin, "it is the only one for this kind of MPI");
    }
    let named = surroundings.library_path.iter().find_map(|directory| {
        fitting.iter().find(|plugin| directory.join(&plugin.soname).exists())
    });
    if let Some(plugin) = named {
        return chosen(plugin, "LD_LIBRARY_PATH names the directory of its MPI library first");
    }
    let loadable: Vec<&Installed> =
        fitting.iter().copied().filter(|plugin| (surroundings.can_load)(plugin)).collect();
    let of_pmix = |plugin: &&&Installed| surroundings.is_pmix && plugin.flavour == Flavour::OpenMpi;
    let speaking: Vec<&Installed> = loadable.iter().filter(of_pmix).copied().collect();
    match &loadable[..] {
        [plugin] => chosen(plugin, "it is the only one whose MPI library is found"),
        _ if speaking.len() == 1 => chosen(
            &speaking[0],
            "it is the only one for Open MPI, which speaks the launcher's PMIx",
        ),
        // Its error has the reason why it cannot be loaded.
        [] => chosen(&fitting[0], "it is the first"),
        _ => Err(ambiguous(wanted, &loadable)),
    }
}

fn started_by(wanted: &Wanted) -> &'static str {
    wanted.launcher.map_or("XMP_TRANSPORT=mpi", |launcher| launcher.name)
}

fn missing(wanted: &Wanted, flavours: &[Flavour], directories: &[PathBuf]) -> Error {
    let files = join(flavours.iter().map(|&flavour| pattern(flavour)), " or ");
    let names = join(flavours.iter().map(Flavour::to_string), " or ");
    let places = join(directories.iter().map(|place| place.display().to_string()), ", ");
    let alone = match wanted.launcher {
        // It has given this process no process manager, by which images of several machines could do without MPI.
        Some(launcher) if launcher.name == "srun" => {
            ", or with srun and --mpi=pmi2 or --mpi=pmix, which need no plug-in"
        }
        Some(launcher) if launcher.may_be_alone() => {
            ". If it has started this process alone, or has left its mark in the environment, set XMP_TRANSPORT=shm"
        }
        _ => "",
    };
    Error::Invalid(format!(
        "no plug-in for {names}, which {} needs: {files} was sought in {places}. Install the development package of \
         that MPI and run ./x install, or name the plug-in's directory in XMP_PLUGIN_DIR, or start the program with \
         `xmprun -n IMAGES` instead: its images are on one machine{alone}",
        started_by(wanted)
    ))
}

fn not_for_linked(library: &Path, plugins: &[&Installed]) -> Error {
    let sonames = join(plugins.iter().map(|plugin| plugin.soname.clone()), ", ");
    Error::Invalid(format!(
        "the program is linked with the MPI library {}, and the installed plug-ins are for others: {sonames}. Run \
         ./x install with MPICC set to the compiler of that MPI",
        library.display()
    ))
}

/// Several plug-ins can be loaded: of several kinds of MPI, or of one kind.
fn ambiguous(wanted: &Wanted, plugins: &[&Installed]) -> Error {
    let starter = started_by(wanted);
    if wanted.flavour.is_none()
        && Flavour::ALL.iter().all(|&f| plugins.iter().any(|p| p.flavour == f))
    {
        return Error::Invalid(format!(
            "{starter} works with any MPI, and there are plug-ins for Open MPI and for MPICH: say with \
             XMP_TRANSPORT=openmpi or XMP_TRANSPORT=mpich which is to be used"
        ));
    }
    let sonames = join(plugins.iter().map(|plugin| plugin.soname.clone()), " and ");
    Error::Invalid(format!(
        "{starter} works with several MPI libraries that are installed: {sonames}. Name the directory of the one to be \
         used in LD_LIBRARY_PATH (environment modules do so)"
    ))
}

fn join(parts: impl Iterator<Item = String>, between: &str) -> String {
    parts.collect::<Vec<_>>().join(between)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::Launcher;

    fn wanted(flavour: Option<Flavour>) -> Wanted {
        let launcher = Launcher { name: "mpirun", flavour, processes: Some(2), rank: None };
        Wanted { flavour, launcher: Some(launcher), without_mpi: false }
    }

    fn plugin(flavour: Flavour, soname: &str) -> Installed {
        let file = format!("/p/libxmprt_mpi_{}_{soname}.so", flavour.word()).into();
        Installed { file, flavour, soname: soname.into() }
    }

    /// Debian's two, and an MPICH of the site.
    fn three() -> Vec<Installed> {
        vec![
            plugin(Flavour::Mpich, "libmpi.so.12"),
            plugin(Flavour::Mpich, "libmpich.so.12"),
            plugin(Flavour::OpenMpi, "libmpi.so.40"),
        ]
    }

    /// No library is loaded, and every plug-in can be.
    fn plain() -> Surroundings<'static> {
        Surroundings {
            linked: None,
            is_loaded: &|_| false,
            library_path: Vec::new(),
            can_load: &|_| true,
            is_pmix: false,
        }
    }

    fn chosen(wanted: &Wanted, surroundings: &Surroundings<'_>) -> String {
        match choose(wanted, &three(), &[], surroundings) {
            Ok(choice) => choice.plugin.soname.clone(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn the_only_one_of_a_kind_is_taken() {
        assert_eq!(chosen(&wanted(Some(Flavour::OpenMpi)), &plain()), "libmpi.so.40");
    }

    #[test]
    fn the_mpi_that_is_loaded_decides() {
        let loaded = Surroundings { is_loaded: &|soname| soname == "libmpich.so.12", ..plain() };
        assert_eq!(chosen(&wanted(Some(Flavour::Mpich)), &loaded), "libmpich.so.12");
        assert_eq!(chosen(&wanted(None), &loaded), "libmpich.so.12");
    }

    #[test]
    fn a_program_with_an_mpi_without_plug_in_is_refused() {
        let linked = Some(PathBuf::from("/opt/cray/libmpi_cray.so.12"));
        let text = chosen(&wanted(Some(Flavour::Mpich)), &Surroundings { linked, ..plain() });
        for part in ["/opt/cray/libmpi_cray.so.12", "libmpi.so.12, libmpich.so.12", "MPICC"] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn the_library_path_decides_between_mpis_of_a_kind() {
        let site = tempfile::tempdir().unwrap();
        std::fs::write(site.path().join("libmpich.so.12"), "").unwrap();
        let library_path = vec![PathBuf::from("/nowhere"), site.path().to_path_buf()];
        let surroundings = Surroundings { library_path, ..plain() };
        assert_eq!(chosen(&wanted(Some(Flavour::Mpich)), &surroundings), "libmpich.so.12");
        // That of another kind of MPI does not.
        assert_eq!(chosen(&wanted(Some(Flavour::OpenMpi)), &surroundings), "libmpi.so.40");
    }

    #[test]
    fn the_only_one_that_can_be_loaded_is_taken() {
        let one = Surroundings { can_load: &|plugin| plugin.soname == "libmpi.so.12", ..plain() };
        assert_eq!(chosen(&wanted(Some(Flavour::Mpich)), &one), "libmpi.so.12");
        // If none can be loaded, the error of the first has the reason.
        let none = Surroundings { can_load: &|_| false, ..plain() };
        assert_eq!(chosen(&wanted(Some(Flavour::Mpich)), &none), "libmpi.so.12");
    }

    #[test]
    fn several_that_can_be_loaded_need_a_word() {
        let text = chosen(&wanted(Some(Flavour::Mpich)), &plain());
        assert!(text.contains("libmpi.so.12 and libmpich.so.12"), "{text}");
        assert!(text.contains("LD_LIBRARY_PATH"), "{text}");
        let text = chosen(&wanted(None), &plain());
        assert!(text.contains("XMP_TRANSPORT=openmpi"), "{text}");
        // Open MPI always speaks PMIx.
        let pmix = Surroundings { is_pmix: true, ..plain() };
        assert_eq!(chosen(&wanted(None), &pmix), "libmpi.so.40");
        assert!(chosen(&wanted(Some(Flavour::Mpich)), &pmix).contains("LD_LIBRARY_PATH"));
    }

    #[test]
    fn a_missing_one_is_named_with_its_mpi_and_all_places() {
        let places = [PathBuf::from("/nowhere/a"), PathBuf::from("/nowhere/b")];
        let error = choose(&wanted(Some(Flavour::OpenMpi)), &[], &places, &plain()).unwrap_err();
        let text = error.to_string();
        for part in [
            "libxmprt_mpi_openmpi_*.so",
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
}
