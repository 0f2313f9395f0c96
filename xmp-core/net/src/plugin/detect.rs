//! Detects the MPI that a process was started for: by the variables that launchers leave in the environment, by the
//! library that the program itself is linked with, and by the setting XMP_TRANSPORT.

use super::ancestry::is_started_by_image;
use super::flavour::Flavour;
use super::launchers::{Launcher, SRUN_PMI, launchers, rank_by};
use super::linked;
use crate::error::{Error, Result};
use crate::rank::Rank;
use crate::settings::{Settings, TransportChoice};

/// The MPI that a process must load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpiRequirement {
    /// Its family; `None`: any with a plug-in.
    pub flavour: Option<Flavour>,
    /// The launcher that has started the process.
    pub launcher: Option<Launcher>,
    /// Whether no MPI is loaded: the processes meet by the launcher's process manager.
    pub without_mpi: bool,
}

/// Checks that the settings ask for as many images as a launcher has started.
///
/// # Errors
/// When they ask for another number.
pub fn check_images(settings: &Settings, processes: u32) -> Result<()> {
    match settings.num_images {
        Some(images) if images != processes => Err(Error::Invalid(format!(
            "setting XMP_NUM_IMAGES: {images} images are asked for, but the launcher has started {processes} processes, each of \
             which is an image: unset it, or have the launcher start `xmprun -q -n {images} PROGRAM` for {processes} jobs of \
             {images} images each"
        ))),
        _ => Ok(()),
    }
}

/// The MPI that this process must load; `None` if its images share one machine without MPI.
///
/// # Errors
/// When launcher, program and setting are of different MPIs, or it cannot be detected which of two has started it; when
/// the setting forbids the processes of a launcher to be one job.
pub fn wanted(settings: &Settings) -> Result<Option<MpiRequirement>> {
    decide(settings.transport, &own_launchers(), linked::flavour())
}

/// The launcher that has started several processes, of which this is one.
pub fn launcher_of_several() -> Option<Launcher> {
    own_launchers().into_iter().find(Launcher::has_several)
}

/// The launchers of this process. A process that an image has started has none, though it inherits the variables.
fn own_launchers() -> Vec<Launcher> {
    if is_started_by_image() {
        return Vec::new();
    }
    launchers(|name| std::env::var(name).ok())
}

/// The rank of this process among those of its launcher, if the environment has it.
pub fn rank() -> Option<Rank> {
    rank_by(|name| std::env::var(name).ok())
}

/// Whether the user has told the launcher which processors images must run on, or that they may run on any (Open MPI
/// `--bind-to`, MPICH `-bind-to` but for `none`, Slurm `--cpu-bind`), as far as the environment shows it.
pub fn is_binding_chosen() -> bool {
    is_binding_chosen_by(|name| std::env::var(name).ok())
}

fn is_binding_chosen_by(lookup: impl Fn(&str) -> Option<String>) -> bool {
    let names = [
        "OMPI_MCA_hwloc_base_binding_policy",
        "PRTE_MCA_hwloc_default_binding_policy",
        "HYDRA_USER_PROVIDED_BINDING",
        "SLURM_CPU_BIND",
    ];
    names.into_iter().any(|name| lookup(name).is_some())
}

/// The result of [`wanted`] for the detected facts.
fn decide(
    choice: TransportChoice,
    launchers: &[Launcher],
    linked: Option<Flavour>,
) -> Result<Option<MpiRequirement>> {
    let is_alone = launchers.iter().all(|launcher| launcher.processes == Some(1));
    if launchers.iter().any(|launcher| launcher.name == Launcher::XMPRUN) {
        return by_xmprun(choice, launchers, is_alone, linked);
    }
    let chosen = match choice {
        TransportChoice::Shm => return separate(launchers).map(|()| None),
        TransportChoice::Auto if launchers.is_empty() => return Ok(None),
        // One process has no other to be reached.
        TransportChoice::Auto if is_alone && linked.is_none() => return Ok(None),
        TransportChoice::Sockets => return by_sockets(launchers, is_alone, linked),
        TransportChoice::Auto | TransportChoice::Mpi => linked,
        TransportChoice::OpenMpi => Some(Flavour::OpenMpi),
        TransportChoice::Mpich => Some(Flavour::Mpich),
    };
    if let (Some(chosen), Some(linked)) = (chosen, linked)
        && chosen != linked
    {
        return Err(Error::Invalid(format!(
            "setting XMP_TRANSPORT: {} is asked for, but the program is linked with {linked}",
            chosen.word()
        )));
    }
    let fits = |launcher: &&Launcher| match (launcher.flavour, chosen) {
        (Some(its), Some(chosen)) => its == chosen,
        _ => true,
    };
    let fitting: Vec<&Launcher> = launchers.iter().filter(fits).collect();
    let launcher = match (&fitting[..], launchers) {
        ([], []) => None,
        ([launcher], _) => Some(**launcher),
        ([], [launcher, ..]) => {
            let remedy = match chosen {
                Some(Flavour::OpenMpi) if launcher.name == SRUN_PMI => "add --mpi=pmix to srun",
                _ => "use the launcher of that MPI",
            };
            let (chosen, why) = (
                chosen.map_or("", Flavour::word),
                match linked {
                    Some(_) => "the program is linked with",
                    None => "XMP_TRANSPORT asks for",
                },
            );
            return Err(Error::Invalid(format!(
                "{} has started this program, but {why} {chosen}: {remedy}",
                launcher.name
            )));
        }
        ([first, second, ..], _) => {
            return Err(Error::Invalid(format!(
                "both {} and {} have left their marks in the environment: say with XMP_TRANSPORT=openmpi or \
                 XMP_TRANSPORT=mpich which has started this program",
                first.name, second.name
            )));
        }
    };
    let flavour = chosen.or(launcher.and_then(|launcher| launcher.flavour));
    Ok(Some(MpiRequirement { flavour, launcher, without_mpi: false }))
}

/// What is wanted where `xmprun` has started images on several hosts: it knows no MPI.
fn by_xmprun(
    choice: TransportChoice,
    launchers: &[Launcher],
    is_alone: bool,
    linked: Option<Flavour>,
) -> Result<Option<MpiRequirement>> {
    let another = match (choice, linked) {
        (TransportChoice::Mpi | TransportChoice::OpenMpi | TransportChoice::Mpich, _) => {
            "XMP_TRANSPORT asks for MPI".to_owned()
        }
        (_, Some(linked)) => format!("the program is linked with {linked}"),
        (TransportChoice::Shm, None) => return separate(launchers).map(|()| None),
        (TransportChoice::Auto | TransportChoice::Sockets, None) => {
            return by_sockets(launchers, is_alone, None);
        }
    };
    Err(Error::Invalid(format!(
        "xmprun has started images on several hosts without an MPI, but {another}: start the program with the mpirun of that MPI, or \
         with srun"
    )))
}

/// What is wanted where the setting asks for the process manager.
fn by_sockets(
    launchers: &[Launcher],
    is_alone: bool,
    linked: Option<Flavour>,
) -> Result<Option<MpiRequirement>> {
    if let Some(linked) = linked {
        return Err(Error::Invalid(format!(
            "setting XMP_TRANSPORT: sockets is asked for, but the program is linked with {linked}, which has to speak to the process \
             manager itself"
        )));
    }
    let launcher = launchers.first().copied().filter(|_| !is_alone);
    Ok(launcher.map(|launcher| MpiRequirement {
        flavour: None,
        launcher: Some(launcher),
        without_mpi: true,
    }))
}

/// Without MPI the processes of a launcher would be a job each.
fn separate(launchers: &[Launcher]) -> Result<()> {
    let Some(launcher) = launchers.iter().find(|launcher| launcher.has_several()) else {
        return Ok(());
    };
    let several = launcher.processes.map_or("several".into(), |processes| processes.to_string());
    Err(Error::Invalid(format!(
        "setting XMP_TRANSPORT: {} has started {several} processes, and with shm each of them would be a job of its own. \
         Unset it to have one job of them; for separate jobs have the launcher start `xmprun -q -n 1 PROGRAM`",
        launcher.name
    )))
}

#[cfg(test)]
mod tests {
    use super::super::launchers::environments::{HYDRA, OPEN_MPI, found};
    use super::*;

    #[test]
    fn the_users_binding_is_detected() {
        let chosen = |name: &str| is_binding_chosen_by(|its| (its == name).then(|| "none".into()));
        assert!(chosen("OMPI_MCA_hwloc_base_binding_policy"));
        assert!(chosen("HYDRA_USER_PROVIDED_BINDING"));
        assert!(chosen("SLURM_CPU_BIND"));
        assert!(!chosen("OMPI_MCA_orte_bound_at_launch"));
    }

    fn flavour(
        choice: TransportChoice,
        environment: &[(&str, &str)],
        linked: Option<Flavour>,
    ) -> Option<Option<Flavour>> {
        decide(choice, &found(environment), linked).unwrap().map(|wanted| wanted.flavour)
    }

    #[test]
    fn the_launcher_decides_unless_something_else_is_said() {
        assert_eq!(flavour(TransportChoice::Auto, &[], None), None);
        assert_eq!(flavour(TransportChoice::Auto, &[], Some(Flavour::Mpich)), None);
        assert_eq!(flavour(TransportChoice::Auto, OPEN_MPI, None), Some(Some(Flavour::OpenMpi)));
        assert_eq!(flavour(TransportChoice::Auto, HYDRA, None), Some(Some(Flavour::Mpich)));
        assert_eq!(flavour(TransportChoice::Mpi, &[], None), Some(None));
        assert_eq!(
            flavour(TransportChoice::Mpi, &[], Some(Flavour::Mpich)),
            Some(Some(Flavour::Mpich))
        );
        assert_eq!(flavour(TransportChoice::Mpich, &[], None), Some(Some(Flavour::Mpich)));
    }

    #[test]
    fn one_process_alone_needs_no_mpi() {
        let one = [("OMPI_COMM_WORLD_RANK", "0"), ("OMPI_COMM_WORLD_SIZE", "1")];
        assert_eq!(flavour(TransportChoice::Auto, &one, None), None);
        assert_eq!(flavour(TransportChoice::Shm, &one, None), None);
        let linked = Some(Flavour::OpenMpi);
        assert_eq!(flavour(TransportChoice::Auto, &one, linked), Some(linked));
        assert_eq!(flavour(TransportChoice::Mpi, &one, None), Some(Some(Flavour::OpenMpi)));
        // The number is not known.
        assert_eq!(flavour(TransportChoice::Auto, &[("PMIX_RANK", "0")], None), Some(None));
    }

    #[test]
    fn sockets_need_no_mpi_and_are_refused_to_programs_with_one() {
        let of =
            |environment, linked| decide(TransportChoice::Sockets, &found(environment), linked);
        assert!(of(HYDRA, None).unwrap().is_some_and(|wanted| wanted.without_mpi));
        assert!(of(OPEN_MPI, None).unwrap().is_some_and(|wanted| wanted.without_mpi));
        assert_eq!(of(&[], None).unwrap(), None);
        let one = [("PMI_RANK", "0"), ("PMI_SIZE", "1"), ("PMI_FD", "6")];
        assert_eq!(of(&one, None).unwrap(), None);
        let text = of(HYDRA, Some(Flavour::Mpich)).unwrap_err().to_string();
        assert!(text.contains("XMP_TRANSPORT") && text.contains("linked with MPICH"), "{text}");
    }

    #[test]
    fn processes_that_may_not_be_one_job_are_refused() {
        for environment in [HYDRA, OPEN_MPI, &[("FLUX_JOB_SIZE", "4")]] {
            let refused = decide(TransportChoice::Shm, &found(environment), None);
            let text = refused.unwrap_err().to_string();
            assert!(text.contains("processes") && text.contains("xmprun -q"), "{text}");
        }
    }

    #[test]
    fn program_or_setting_decide_between_nested_launchers() {
        let both = [OPEN_MPI, HYDRA].concat();
        let text = decide(TransportChoice::Auto, &found(&both), None).unwrap_err().to_string();
        assert!(text.contains("XMP_TRANSPORT=openmpi"), "{text}");
        assert_eq!(flavour(TransportChoice::Mpich, &both, None), Some(Some(Flavour::Mpich)));
        let linked = Some(Flavour::OpenMpi);
        assert_eq!(flavour(TransportChoice::Auto, &both, linked), Some(linked));
    }

    #[test]
    fn launcher_and_program_of_different_mpis_are_refused() {
        for (choice, linked) in
            [(TransportChoice::Auto, Some(Flavour::Mpich)), (TransportChoice::Mpich, None)]
        {
            let text = decide(choice, &found(OPEN_MPI), linked).unwrap_err().to_string();
            assert!(text.contains("Open MPI's mpirun") && text.contains("mpich"), "{text}");
        }
        let slurm = found(&[HYDRA, &[("SLURM_STEP_ID", "0")]].concat());
        let text = decide(TransportChoice::OpenMpi, &slurm, None).unwrap_err().to_string();
        assert!(text.contains("add --mpi=pmix to srun"), "{text}");
        let text =
            decide(TransportChoice::Mpich, &[], Some(Flavour::OpenMpi)).unwrap_err().to_string();
        assert!(text.contains("XMP_TRANSPORT") && text.contains("Open MPI"), "{text}");
    }
}
