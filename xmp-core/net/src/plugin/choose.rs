//! Selects the plug-in that a process loads, among the installed ones.

use super::detect::MpiRequirement;
use super::find::{Installed, pattern};
use super::flavour::Flavour;
use super::load::Refused;
use super::table::Serialised;
use super::{linked, load};
use crate::error::{Error, Result};
use std::path::{Path, PathBuf};

/// The facts about this process that decide between plug-ins.
pub struct Surroundings<'a> {
    /// The MPI library that the program is linked with, or the program itself if that contains one.
    pub linked: Option<PathBuf>,
    /// Sonames of the MPI libraries that were loaded before any plug-in was.
    pub loaded: Vec<String>,
    /// The directories of `LD_LIBRARY_PATH`.
    pub library_path: Vec<PathBuf>,
    /// What comes of loading a plug-in.
    pub loading: &'a dyn Fn(&Installed) -> Loading,
    /// The family of MPI that always understands the launcher's process manager.
    pub speaks: Option<Flavour>,
}

impl Surroundings<'static> {
    /// The facts of this process, for a choice between these plug-ins, of which none was loaded.
    pub fn of_this_process(installed: &[Installed]) -> Surroundings<'static> {
        let sonames = installed.iter().map(|plugin| plugin.soname.clone());
        let library_path = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
        Surroundings {
            linked: linked::file(),
            loaded: sonames.filter(|soname| linked::is_loaded(soname)).collect(),
            library_path: std::env::split_paths(&library_path).collect(),
            loading: &loading,
            speaks: match ["PMIX_RANK", "PMI_FD"].map(|name| std::env::var_os(name).is_some()) {
                [true, _] => Some(Flavour::OpenMpi),
                [false, true] => Some(Flavour::Mpich),
                [false, false] => None,
            },
        }
    }
}

/// What comes of loading a plug-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loading {
    /// It has an MPI library of this family.
    Of(Flavour),
    /// Its MPI library is not here.
    WithoutMpi,
    /// The plug-in is at fault.
    Unfit,
}

fn loading(plugin: &Installed) -> Loading {
    match load::try_load(plugin) {
        Ok(table) => Loading::Of(plugin.family(&Serialised::new(table))),
        Err(Refused::WithoutMpi(_)) => Loading::WithoutMpi,
        Err(Refused::Unfit(_)) => Loading::Unfit,
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
/// 4. where the launcher speaks PMIx: the only one for Open MPI, which always speaks it; where it speaks PMI-1: the only one for MPICH.
///
/// That for the standard ABI comes after those for the ABI of one family, and rules 3 and 4 take it only if none of these can be
/// loaded.
///
/// # Errors
/// When there is none, or none for the MPI that the program is linked with, or several and no rule decides.
pub fn choose<'a>(
    wanted: &MpiRequirement,
    installed: &'a [Installed],
    directories: &[PathBuf],
    surroundings: &Surroundings<'_>,
) -> Result<Choice<'a>> {
    let fitting = fitting(wanted, installed);
    if fitting.is_empty() {
        return Err(missing(wanted, directories));
    }
    let chosen = |plugin: &&'a Installed, why| Ok(Choice { plugin, why });
    if let Some(plugin) = fitting.iter().find(|plugin| surroundings.loaded.contains(&plugin.soname))
    {
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
    let can_load = |plugin: &Installed| can_load(plugin, wanted, surroundings);
    let own = fitting.iter().copied().filter(|plugin| plugin.flavour.is_some());
    let mut loadable: Vec<&Installed> = own.filter(|plugin| can_load(plugin)).collect();
    if loadable.is_empty() {
        let general = fitting.iter().copied().filter(|plugin| plugin.flavour.is_none());
        loadable = general.filter(|plugin| can_load(plugin)).collect();
    }
    let speaks =
        |plugin: &&&Installed| surroundings.speaks.is_some_and(|its| plugin.flavour == Some(its));
    let speaking: Vec<&Installed> = loadable.iter().filter(speaks).copied().collect();
    match &loadable[..] {
        [plugin] => chosen(plugin, "it is the only one whose MPI library is found"),
        _ if speaking.len() == 1 => chosen(
            &speaking[0],
            "it is the only one for the family of MPI that understands the launcher's process manager",
        ),
        // Its error has the reason why it cannot be loaded.
        [] => chosen(&fitting[0], "it is the first"),
        _ => Err(ambiguous(wanted, &loadable)),
    }
}

/// The plug-ins for an MPI of the wanted family; that for the standard ABI comes last.
fn fitting<'a>(wanted: &MpiRequirement, installed: &'a [Installed]) -> Vec<&'a Installed> {
    let fits = |plugin: &&Installed| {
        wanted.flavour.is_none() || plugin.flavour.is_none() || plugin.flavour == wanted.flavour
    };
    let (of_family, of_standard): (Vec<_>, Vec<_>) =
        installed.iter().filter(fits).partition(|plugin| plugin.flavour.is_some());
    [of_family, of_standard].concat()
}

/// Whether a plug-in can be loaded with an MPI library of the wanted family.
fn can_load(plugin: &Installed, wanted: &MpiRequirement, surroundings: &Surroundings<'_>) -> bool {
    matches!((surroundings.loading)(plugin), Loading::Of(its) if wanted.flavour.is_none_or(|wanted| wanted == its))
}

/// Whether one of these plug-ins can be loaded with an MPI library of the wanted family, or is at fault: its error is to be seen.
pub fn is_served(
    wanted: &MpiRequirement,
    installed: &[Installed],
    surroundings: &Surroundings<'_>,
) -> bool {
    let is_seen = |plugin: &Installed| {
        (surroundings.loading)(plugin) == Loading::Unfit || can_load(plugin, wanted, surroundings)
    };
    fitting(wanted, installed).into_iter().any(is_seen)
}

fn started_by(wanted: &MpiRequirement) -> &'static str {
    wanted.launcher.map_or("XMP_TRANSPORT=mpi", |launcher| launcher.name)
}

fn missing(wanted: &MpiRequirement, directories: &[PathBuf]) -> Error {
    let flavours = wanted.flavour.map_or(Flavour::ALL.to_vec(), |flavour| vec![flavour]);
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
fn ambiguous(wanted: &MpiRequirement, plugins: &[&Installed]) -> Error {
    let starter = started_by(wanted);
    if wanted.flavour.is_none()
        && Flavour::ALL.iter().all(|&f| plugins.iter().any(|p| p.flavour == Some(f)))
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

    fn wanted(flavour: Option<Flavour>) -> MpiRequirement {
        let launcher = Launcher { name: "mpirun", flavour, processes: Some(2), rank: None };
        MpiRequirement { flavour, launcher: Some(launcher), without_mpi: false }
    }

    fn plugin(flavour: Flavour, soname: &str) -> Installed {
        let file = format!("/p/libxmprt_mpi_{}_{soname}.so", flavour.word()).into();
        Installed { file, flavour: Some(flavour), soname: soname.into() }
    }

    /// The one for the standard ABI.
    fn general() -> Installed {
        let file = "/p/libxmprt_mpi_abi_libmpi_abi.so.1.so".into();
        Installed { file, flavour: None, soname: "libmpi_abi.so.1".into() }
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
            loaded: Vec::new(),
            library_path: Vec::new(),
            loading: &|plugin| Loading::Of(plugin.flavour.unwrap_or(Flavour::Mpich)),
            speaks: None,
        }
    }

    fn chosen(wanted: &MpiRequirement, surroundings: &Surroundings<'_>) -> String {
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
        let loaded = Surroundings { loaded: vec!["libmpich.so.12".into()], ..plain() };
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
        let loading = |plugin: &Installed| match plugin.flavour {
            Some(its) if plugin.soname == "libmpi.so.12" => Loading::Of(its),
            _ => Loading::WithoutMpi,
        };
        let one = Surroundings { loading: &loading, ..plain() };
        assert_eq!(chosen(&wanted(Some(Flavour::Mpich)), &one), "libmpi.so.12");
        // If none can be loaded, the error of the first has the reason.
        let none = Surroundings { loading: &|_| Loading::WithoutMpi, ..plain() };
        assert_eq!(chosen(&wanted(Some(Flavour::Mpich)), &none), "libmpi.so.12");
    }

    #[test]
    fn the_standard_abi_is_used_where_a_library_of_the_launchers_family_has_no_other() {
        let all = [&[general()], &three()[..]].concat();
        let chosen = |flavour, surroundings: &Surroundings<'_>| {
            choose(&wanted(flavour), &all, &[], surroundings).unwrap().plugin.soname.clone()
        };
        // No library but one with the standard ABI, which is an MPICH.
        let loading = |plugin: &Installed| match plugin.flavour {
            None => Loading::Of(Flavour::Mpich),
            Some(_) => Loading::WithoutMpi,
        };
        let one = Surroundings { loading: &loading, ..plain() };
        assert_eq!(chosen(Some(Flavour::Mpich), &one), "libmpi_abi.so.1");
        assert_eq!(chosen(None, &one), "libmpi_abi.so.1");
        assert!(is_served(&wanted(None), &all, &one));
        // Open MPI's launcher is not for it.
        assert_eq!(chosen(Some(Flavour::OpenMpi), &one), "libmpi.so.40");
        assert!(!is_served(&wanted(Some(Flavour::OpenMpi)), &all, &one));
        // The error of one that is at fault is to be seen.
        let unfit = Surroundings { loading: &|_| Loading::Unfit, ..plain() };
        assert!(is_served(&wanted(Some(Flavour::OpenMpi)), &all, &unfit));
        // The ABI of the family comes first.
        assert_eq!(chosen(Some(Flavour::OpenMpi), &plain()), "libmpi.so.40");
        let loaded = Surroundings { loaded: vec!["libmpi_abi.so.1".into()], ..plain() };
        assert_eq!(chosen(Some(Flavour::Mpich), &loaded), "libmpi_abi.so.1");
    }

    #[test]
    fn several_that_can_be_loaded_need_a_word() {
        let text = chosen(&wanted(Some(Flavour::Mpich)), &plain());
        assert!(text.contains("libmpi.so.12 and libmpich.so.12"), "{text}");
        assert!(text.contains("LD_LIBRARY_PATH"), "{text}");
        let text = chosen(&wanted(None), &plain());
        assert!(text.contains("XMP_TRANSPORT=openmpi"), "{text}");
        // Open MPI always speaks PMIx, and MPICH PMI-1.
        let pmix = Surroundings { speaks: Some(Flavour::OpenMpi), ..plain() };
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
