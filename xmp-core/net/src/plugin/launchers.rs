//! The launchers that start several processes of a program, and the variables by which they are known.

use super::flavour::Flavour;
use crate::rank::Rank;

/// The variables by which `xmprun` passes an image its connection to the process manager, its rank, and the number of images.
pub const XMPRUN: [&str; 3] = ["XMPRT_MANAGER_FD", "XMPRT_MANAGER_RANK", "XMPRT_MANAGER_SIZE"];

/// The name of Slurm's launcher where it speaks PMI, which MPICH understands.
pub(super) const SRUN_PMI: &str = "srun (PMI)";

/// The launcher that has started this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launcher {
    /// Its name in messages.
    pub name: &'static str,
    /// The family of its MPI; `None` for one that works with any MPI.
    pub flavour: Option<Flavour>,
    /// How many processes it has started, if the environment has the number.
    pub processes: Option<u32>,
    /// The number of this process among them, if the environment has it.
    pub rank: Option<Rank>,
}

impl Launcher {
    /// The name of `xmprun` where it has started images on several hosts.
    pub const XMPRUN: &str = "xmprun";

    /// Whether it has started more than one process, as far as the environment shows it.
    pub fn has_several(&self) -> bool {
        self.processes.is_some_and(|processes| processes > 1)
            || self.rank.is_some_and(|rank| rank.get() > 0)
    }

    /// Whether this is its first process, and may be its only one.
    pub fn may_be_alone(&self) -> bool {
        self.processes.is_none() && !self.has_several()
    }
}

/// Whether Slurm has started several processes and given them no process manager (`srun --mpi=none`), so that no MPI joins them.
pub fn has_no_manager(launcher: &Launcher, lookup: impl Fn(&str) -> Option<String>) -> bool {
    launcher.name == "srun"
        && launcher.processes.is_some_and(|processes| processes > 1)
        && lookup("PMIX_RANK").is_none()
        && lookup("SLURM_MPI_TYPE").is_none_or(|kind| kind.is_empty() || kind == "none")
}

/// A launcher that has no other mark than its own.
struct Mark {
    name: &'static str,
    /// Each process has this variable.
    variable: &'static str,
    flavour: Option<Flavour>,
    /// The variable with the number of processes.
    processes: &'static str,
}

/// Launchers that are looked for if no launcher of an MPI is found. They give their processes what the MPI of the
/// machine needs, or nothing: then that MPI knows of one process.
const OTHERS: [Mark; 5] = [
    Mark {
        name: "MVAPICH's launcher",
        variable: "MV2_COMM_WORLD_SIZE",
        flavour: Some(Flavour::Mpich),
        processes: "MV2_COMM_WORLD_SIZE",
    },
    Mark {
        name: "PALS",
        variable: "PALS_RANKID",
        flavour: Some(Flavour::Mpich),
        processes: "PMI_SIZE",
    },
    Mark {
        name: "aprun (ALPS)",
        variable: "ALPS_APP_PE",
        flavour: Some(Flavour::Mpich),
        processes: "PMI_SIZE",
    },
    Mark {
        name: "jsrun",
        variable: "JSM_NAMESPACE_SIZE",
        flavour: Some(Flavour::OpenMpi),
        processes: "JSM_NAMESPACE_SIZE",
    },
    Mark { name: "flux", variable: "FLUX_JOB_SIZE", flavour: None, processes: "FLUX_JOB_SIZE" },
];

/// Variables that number the processes of a launcher from 0.
const RANKS: [&str; 10] = [
    XMPRUN[1],
    "OMPI_COMM_WORLD_RANK",
    "PMI_RANK",
    "PMIX_RANK",
    "SLURM_PROCID",
    "MV2_COMM_WORLD_RANK",
    "PALS_RANKID",
    "ALPS_APP_PE",
    "JSM_NAMESPACE_RANK",
    "FLUX_TASK_RANK",
];

/// The rank of a process among those of its launcher, if the environment has it.
pub(super) fn rank_by(lookup: impl Fn(&str) -> Option<String>) -> Option<Rank> {
    RANKS.into_iter().find_map(|name| lookup(name)?.parse().ok()).map(Rank::new)
}

/// The launchers that have left their variables; one that starts any MPI only if no other has.
pub(super) fn launchers(lookup: impl Fn(&str) -> Option<String>) -> Vec<Launcher> {
    let number = |name: &str| lookup(name).and_then(|value| value.parse::<u32>().ok());
    let has = |name: &str| lookup(name).is_some();
    let rank = rank_by(&lookup);
    // It may itself have been started by one of the others.
    if has(XMPRUN[0]) {
        let processes = number(XMPRUN[2]);
        return vec![Launcher { name: Launcher::XMPRUN, flavour: None, processes, rank }];
    }
    let mut found = Vec::new();
    if has("OMPI_COMM_WORLD_RANK") {
        found.push(Launcher {
            name: "Open MPI's mpirun",
            flavour: Some(Flavour::OpenMpi),
            processes: number("OMPI_COMM_WORLD_SIZE"),
            rank,
        });
    }
    // Slurm also speaks hydra's protocol, and then for a program that understands it: MPICH. Flux speaks it always.
    if has("PMI_RANK") && (has("PMI_FD") || has("PMI_PORT")) {
        let (name, flavour) = match () {
            () if has("SLURM_STEP_ID") => (SRUN_PMI, Some(Flavour::Mpich)),
            () if has("FLUX_JOB_ID") => ("flux", None),
            () => ("MPICH's mpirun", Some(Flavour::Mpich)),
        };
        found.push(Launcher { name, flavour, processes: number("PMI_SIZE"), rank });
    }
    if !found.is_empty() {
        return found;
    }
    if let Some(mark) = OTHERS.iter().find(|mark| has(mark.variable)) {
        let (name, flavour) = (mark.name, mark.flavour);
        return vec![Launcher { name, flavour, processes: number(mark.processes), rank }];
    }
    let step = number("SLURM_STEP_NUM_TASKS").filter(|_| has("SLURM_STEP_ID"));
    if has("PMI_RANK") && number("PMI_SIZE").is_some_and(|size| size > 1) {
        return vec![Launcher {
            name: if step.is_some() { SRUN_PMI } else { "a launcher with PMI" },
            flavour: Some(Flavour::Mpich),
            processes: number("PMI_SIZE"),
            rank,
        }];
    }
    if has("PMIX_RANK") || step.is_some_and(|tasks| tasks > 1) {
        let name = if step.is_some() { "srun" } else { "a launcher with PMIx" };
        // The parts of a heterogeneous job are one job of MPI.
        let is_part = number("SLURM_HET_SIZE").is_some_and(|parts| parts > 1);
        let processes = step.filter(|&tasks| tasks > 1 || !is_part);
        return vec![Launcher { name, flavour: None, processes, rank }];
    }
    Vec::new()
}

/// Environments of processes that launchers have started, for tests.
#[cfg(test)]
pub mod environments {
    use super::{Launcher, launchers};

    /// Names and values of variables.
    pub type Environment<'a> = &'a [(&'a str, &'a str)];

    pub const OPEN_MPI: Environment =
        &[("OMPI_COMM_WORLD_RANK", "0"), ("OMPI_COMM_WORLD_SIZE", "4"), ("PMIX_RANK", "0")];
    pub const HYDRA: Environment = &[("PMI_RANK", "1"), ("PMI_SIZE", "3"), ("PMI_FD", "6")];

    pub fn value(environment: Environment, name: &str) -> Option<String> {
        environment.iter().find(|(its, _)| *its == name).map(|(_, value)| value.to_string())
    }

    pub fn found(environment: Environment) -> Vec<Launcher> {
        launchers(|name| value(environment, name))
    }
}

#[cfg(test)]
mod tests {
    use super::environments::{Environment, HYDRA, OPEN_MPI, found, value};
    use super::*;

    #[test]
    fn launchers_number_their_processes() {
        let rank = |environment: Environment| rank_by(|name| value(environment, name));
        assert_eq!(rank(OPEN_MPI), Some(Rank::new(0)));
        assert_eq!(rank(HYDRA), Some(Rank::new(1)));
        assert_eq!(rank(&[("SLURM_PROCID", "7")]), Some(Rank::new(7)));
        assert_eq!(rank(&[("ALPS_APP_PE", "2")]), Some(Rank::new(2)));
        assert_eq!(rank(&[("PMI_RANK", "x")]), None);
    }

    #[test]
    fn launchers_are_known_by_their_marks() {
        let (open_mpi, mpich) = (Some(Flavour::OpenMpi), Some(Flavour::Mpich));
        for (environment, flavour, processes) in [
            (OPEN_MPI, open_mpi, Some(4)),
            (HYDRA, mpich, Some(3)),
            (&[("SLURM_STEP_ID", "0"), ("SLURM_STEP_NUM_TASKS", "8")], None, Some(8)),
            (&[("PMIX_RANK", "0")], None, None),
            (&[("MV2_COMM_WORLD_SIZE", "4")], mpich, Some(4)),
            (&[("JSM_NAMESPACE_SIZE", "4")], open_mpi, Some(4)),
            (&[("FLUX_JOB_SIZE", "4")], None, Some(4)),
            (
                &[&[("FLUX_JOB_ID", "ƒ2yRXL"), ("FLUX_JOB_SIZE", "3")], HYDRA].concat(),
                None,
                Some(3),
            ),
            (&[("ALPS_APP_PE", "0")], mpich, None),
            (&[("PMI_RANK", "0"), ("PMI_SIZE", "4"), ("PALS_RANKID", "0")], mpich, Some(4)),
            (&[("PMI_RANK", "0"), ("PMI_SIZE", "4")], mpich, Some(4)),
        ] {
            let [launcher] = found(environment)[..] else { panic!("{environment:?}") };
            assert_eq!(
                (launcher.flavour, launcher.processes),
                (flavour, processes),
                "{environment:?}"
            );
        }
    }

    /// Of its variables those of the launcher within which it was started are left.
    #[test]
    fn xmprun_comes_before_the_launcher_that_has_started_it() {
        let ours = [(XMPRUN[0], "6"), (XMPRUN[1], "2"), (XMPRUN[2], "4")];
        let [launcher] = found(&[&ours[..], HYDRA].concat())[..] else { panic!("one") };
        assert_eq!((launcher.name, launcher.processes), (Launcher::XMPRUN, Some(4)));
        assert_eq!(launcher.rank, Some(Rank::new(2)));
    }

    #[test]
    fn a_task_of_srun_alone_is_known_as_one() {
        let one = [("PMIX_RANK", "0"), ("SLURM_STEP_ID", "0"), ("SLURM_STEP_NUM_TASKS", "1")];
        assert_eq!(found(&one)[0].processes, Some(1));
        let part = [&one[..], &[("SLURM_HET_SIZE", "2")]].concat();
        assert_eq!(found(&part)[0].processes, None);
    }

    #[test]
    fn tasks_of_srun_without_a_process_manager_are_known() {
        let of = |more: Environment| {
            let tasks = [("SLURM_STEP_ID", "0"), ("SLURM_STEP_NUM_TASKS", "4")];
            let all = [&tasks[..], more].concat();
            has_no_manager(&found(&all)[0], |name| value(&all, name))
        };
        assert!(of(&[]) && of(&[("SLURM_MPI_TYPE", "none")]));
        assert!(!of(&[("SLURM_MPI_TYPE", "cray_shasta")]) && !of(&[("PMIX_RANK", "1")]));
        assert!(!of(&[("PMI_RANK", "1"), ("PMI_FD", "6"), ("PMI_SIZE", "4")]));
    }

    #[test]
    fn a_process_with_a_number_above_0_is_not_alone() {
        let aprun = |number| found(&[("ALPS_APP_PE", number)])[0];
        assert!(aprun("0").may_be_alone() && !aprun("0").has_several());
        assert!(aprun("1").has_several() && !aprun("1").may_be_alone());
        assert!(found(OPEN_MPI)[0].has_several());
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
}
