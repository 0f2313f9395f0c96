//! Detects the MPI that a process was started for: by the variables that launchers leave in the environment, by the
//! library that the program itself is linked with, and by the setting XMP_TRANSPORT.

use super::flavour::Flavour;
use super::linked;
use crate::error::{Error, Result};
use crate::rank::Rank;
use crate::settings::{Settings, TransportChoice};

/// The launcher that has started this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launcher {
    /// Its name in messages.
    pub name: &'static str,
    /// The family of its MPI; `None` for one that works with any MPI.
    pub flavour: Option<Flavour>,
    /// How many processes it has started, if the environment has the number.
    pub processes: Option<u32>,
}

/// The MPI that a process must load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Its family; `None`: any with a plug-in.
    pub flavour: Option<Flavour>,
    /// The launcher that has started the process.
    pub launcher: Option<Launcher>,
}

/// The MPI that this process must load; `None` if its images share one machine without MPI.
///
/// # Errors
/// When launcher, program and setting are of different MPIs, or it cannot be detected which of two has started it.
pub fn wanted(settings: &Settings) -> Result<Option<Wanted>> {
    if settings.transport == TransportChoice::Shm {
        return Ok(None);
    }
    decide(settings.transport, &launchers(|name| std::env::var(name).ok()), linked::flavour())
}

/// The rank of this process among those of its launcher, if the environment has it.
pub fn rank() -> Option<Rank> {
    rank_by(|name| std::env::var(name).ok())
}

fn rank_by(lookup: impl Fn(&str) -> Option<String>) -> Option<Rank> {
    let names = ["OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"];
    names.into_iter().find_map(|name| lookup(name)?.parse().ok()).map(Rank::new)
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
) -> Result<Option<Wanted>> {
    let chosen = match choice {
        TransportChoice::Shm => return Ok(None),
        TransportChoice::Auto if launchers.is_empty() => return Ok(None),
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
            let (chosen, why) = (
                chosen.map_or("", Flavour::word),
                match linked {
                    Some(_) => "the program is linked with",
                    None => "XMP_TRANSPORT asks for",
                },
            );
            return Err(Error::Invalid(format!(
                "{} has started this program, but {why} {chosen}: use the launcher of that MPI",
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
    Ok(Some(Wanted { flavour, launcher }))
}

/// The launchers that have left their variables; one that starts any MPI only if no other has.
fn launchers(lookup: impl Fn(&str) -> Option<String>) -> Vec<Launcher> {
    let number = |name: &str| lookup(name).and_then(|value| value.parse::<u32>().ok());
    let has = |name: &str| lookup(name).is_some();
    let mut found = Vec::new();
    if has("OMPI_COMM_WORLD_RANK") {
        found.push(Launcher {
            name: "Open MPI's mpirun",
            flavour: Some(Flavour::OpenMpi),
            processes: number("OMPI_COMM_WORLD_SIZE"),
        });
    }
    // Slurm also speaks hydra's protocol, and then for a program that understands it: MPICH.
    if has("PMI_RANK") && (has("PMI_FD") || has("PMI_PORT")) {
        found.push(Launcher {
            name: if has("SLURM_STEP_ID") { "srun (PMI)" } else { "MPICH's mpirun" },
            flavour: Some(Flavour::Mpich),
            processes: number("PMI_SIZE"),
        });
    }
    let step = number("SLURM_STEP_NUM_TASKS").filter(|_| has("SLURM_STEP_ID"));
    if found.is_empty() && (has("PMIX_RANK") || step.is_some_and(|tasks| tasks > 1)) {
        let name = if step.is_some() { "srun" } else { "a launcher with PMIx" };
        found.push(Launcher { name, flavour: None, processes: step });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(environment: &[(&str, &str)]) -> Vec<Launcher> {
        launchers(|name| {
            environment.iter().find(|(its, _)| *its == name).map(|(_, value)| value.to_string())
        })
    }

    const OPEN_MPI: &[(&str, &str)] =
        &[("OMPI_COMM_WORLD_RANK", "0"), ("OMPI_COMM_WORLD_SIZE", "4"), ("PMIX_RANK", "0")];
    const HYDRA: &[(&str, &str)] = &[("PMI_RANK", "1"), ("PMI_SIZE", "3"), ("PMI_FD", "6")];

    #[test]
    fn launchers_number_their_processes() {
        let rank = |environment: &[(&str, &str)]| {
            rank_by(|name| {
                let found = environment.iter().find(|(its, _)| *its == name);
                found.map(|(_, value)| value.to_string())
            })
        };
        assert_eq!(rank(OPEN_MPI), Some(Rank::new(0)));
        assert_eq!(rank(HYDRA), Some(Rank::new(1)));
        assert_eq!(rank(&[("SLURM_PROCID", "7")]), Some(Rank::new(7)));
        assert_eq!(rank(&[("PMI_RANK", "x")]), None);
    }

    #[test]
    fn the_users_binding_is_detected() {
        let chosen = |name: &str| is_binding_chosen_by(|its| (its == name).then(|| "none".into()));
        assert!(chosen("OMPI_MCA_hwloc_base_binding_policy"));
        assert!(chosen("HYDRA_USER_PROVIDED_BINDING"));
        assert!(!chosen("OMPI_MCA_orte_bound_at_launch"));
    }

    #[test]
    fn launchers_are_known_by_their_marks() {
        let [launcher] = found(OPEN_MPI)[..] else { panic!() };
        assert_eq!((launcher.flavour, launcher.processes), (Some(Flavour::OpenMpi), Some(4)));
        let [launcher] = found(HYDRA)[..] else { panic!() };
        assert_eq!((launcher.flavour, launcher.processes), (Some(Flavour::Mpich), Some(3)));
        let [launcher] = found(&[("SLURM_STEP_ID", "0"), ("SLURM_STEP_NUM_TASKS", "8")])[..] else {
            panic!()
        };
        assert_eq!((launcher.flavour, launcher.processes), (None, Some(8)));
        let [launcher] = found(&[("PMIX_RANK", "0")])[..] else { panic!() };
        assert_eq!((launcher.flavour, launcher.processes), (None, None));
    }

    #[test]
    fn other_environments_are_no_launchers() {
        for environment in [
            &[][..],
            &[("PMI_RANK", "0")],
            // A batch script, and a step of one task.
            &[("SLURM_JOB_ID", "7"), ("SLURM_PROCID", "0"), ("SLURM_NTASKS", "8")],
            &[("SLURM_STEP_ID", "0"), ("SLURM_STEP_NUM_TASKS", "1")],
            &[("OMPI_MCA_osc", "pt2pt")],
        ] {
            assert_eq!(found(environment), [], "{environment:?}");
        }
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
        assert_eq!(flavour(TransportChoice::Shm, HYDRA, None), None);
        assert_eq!(flavour(TransportChoice::Mpi, &[], None), Some(None));
        assert_eq!(
            flavour(TransportChoice::Mpi, &[], Some(Flavour::Mpich)),
            Some(Some(Flavour::Mpich))
        );
        assert_eq!(flavour(TransportChoice::Mpich, &[], None), Some(Some(Flavour::Mpich)));
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
        let text =
            decide(TransportChoice::Mpich, &[], Some(Flavour::OpenMpi)).unwrap_err().to_string();
        assert!(text.contains("XMP_TRANSPORT") && text.contains("Open MPI"), "{text}");
    }
}
