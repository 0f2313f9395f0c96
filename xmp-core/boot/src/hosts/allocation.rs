//! The allocation of a scheduler that `xmprun` runs in: its hosts, its slots, and the command that reaches the hosts.

use super::list::{HostSlots, counts, from_compressed, from_lines, from_pairs, short};
use crate::error::{Error, Result};
use crate::launch::SLURM_STEPS;
use std::fs;

/// The command that starts proxies on hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// One `srun` for all of them.
    Srun,
    /// A command for each host, such as `ssh`.
    Command(Vec<String>),
}

/// An allocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// The scheduler.
    pub scheduler: &'static str,
    /// Its hosts.
    pub hosts: Vec<HostSlots>,
    /// The command that starts proxies on the hosts.
    pub reach: Reach,
    /// The number of images that was asked for, if it was.
    pub images: Option<u32>,
    /// Whether this process runs on the first of its hosts.
    pub is_here: bool,
}

/// The allocation of this process, if a scheduler has given it one.
///
/// # Errors
/// When it is of a kind that `xmprun` cannot use.
pub fn allocation() -> Result<Option<Allocation>> {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let read = |path: &str| fs::read_to_string(path).ok();
    find(|name| std::env::var(name).ok(), read, &name)
}

fn find(
    lookup: impl Fn(&str) -> Option<String>,
    read: impl Fn(&str) -> Option<String>,
    this: &str,
) -> Result<Option<Allocation>> {
    if lookup("SLURM_JOB_ID").is_some() {
        return of_slurm(&lookup);
    }
    let file = |name: &str| lookup(name).and_then(|path| read(&path));
    let ssh = || Reach::Command(vec!["ssh".into()]);
    let command = |words: &[&str]| Reach::Command(words.iter().map(|&word| word.into()).collect());
    let found = if let Some(text) = file("PBS_NODEFILE") {
        Some(("PBS", from_lines(&text), ssh()))
    } else if let Some(text) = lookup("LSB_MCPU_HOSTS") {
        Some(("LSF", from_pairs(&text), command(&["blaunch"])))
    } else {
        file("PE_HOSTFILE").map(|text| {
            let pairs: Vec<String> = text
                .lines()
                .map(|line| line.split_whitespace().take(2).collect::<Vec<_>>().join(" "))
                .collect();
            ("SGE", from_pairs(&pairs.join(" ")), command(&["qrsh", "-inherit"]))
        })
    };
    Ok(found.filter(|(_, hosts, _)| !hosts.is_empty()).map(|(scheduler, hosts, reach)| {
        let is_here = hosts.first().is_some_and(|first| short(&first.name) == short(this));
        Allocation { scheduler, hosts, reach, images: None, is_here }
    }))
}

/// That of Slurm; none within a step, where `srun` has started `xmprun` on each host that it is to use.
fn of_slurm(lookup: &impl Fn(&str) -> Option<String>) -> Result<Option<Allocation>> {
    let number = |name: &str| lookup(name).and_then(|value| value.parse::<u32>().ok());
    if number("SLURM_STEP_ID").is_some_and(|step| step < SLURM_STEPS) {
        return Ok(None);
    }
    // On a login node each part has a list of its own, and the job has none.
    if number("SLURM_HET_SIZE").is_some_and(|parts| parts > 1) {
        return Err(Error::Invalid(
            "this job of Slurm has several parts (a heterogeneous job), which xmprun does not start images in: start the program \
             with srun --mpi=pmi2 ./a : ./a, which makes one job of all parts, or name hosts with --hosts"
                .into(),
        ));
    }
    let list = lookup("SLURM_JOB_NODELIST").or_else(|| lookup("SLURM_NODELIST"));
    let names = from_compressed(&list.unwrap_or_default());
    if names.is_empty() {
        return Ok(None);
    }
    let is_asked =
        ["SLURM_NTASKS", "SLURM_NTASKS_PER_NODE"].iter().any(|name| lookup(name).is_some());
    let variable = if is_asked { "SLURM_TASKS_PER_NODE" } else { "SLURM_JOB_CPUS_PER_NODE" };
    let slots = counts(&lookup(variable).unwrap_or_default());
    let host = |(at, name): (usize, String)| HostSlots { name, slots: slots.get(at).copied() };
    let this = lookup("SLURMD_NODENAME");
    Ok(Some(Allocation {
        scheduler: "Slurm",
        is_here: this.is_some_and(|this| this == names[0]),
        hosts: names.into_iter().enumerate().map(host).collect(),
        reach: Reach::Srun,
        images: number("SLURM_NTASKS"),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)], file: &str) -> Option<Allocation> {
        let lookup = |name: &str| {
            variables.iter().find(|(its, _)| *its == name).map(|(_, value)| value.to_string())
        };
        find(lookup, |_| Some(file.to_owned()), "a.site").unwrap()
    }

    fn slots(allocation: &Allocation) -> Vec<(&str, Option<u32>)> {
        allocation.hosts.iter().map(|host| (&*host.name, host.slots)).collect()
    }

    const SALLOC: [(&str, &str); 4] = [
        ("SLURM_JOB_ID", "7"),
        ("SLURM_JOB_NODELIST", "n[1-3]"),
        ("SLURM_TASKS_PER_NODE", "2(x2),1"),
        ("SLURM_JOB_CPUS_PER_NODE", "8(x3)"),
    ];

    #[test]
    fn an_allocation_of_slurm_has_tasks_or_processors() {
        let allocation = of(&SALLOC, "").unwrap();
        assert_eq!(slots(&allocation), [("n1", Some(8)), ("n2", Some(8)), ("n3", Some(8))]);
        assert!(!allocation.is_here, "a login node");
        let asked = [&SALLOC[..], &[("SLURM_NTASKS", "5"), ("SLURMD_NODENAME", "n1")]].concat();
        let allocation = of(&asked, "").unwrap();
        assert_eq!(slots(&allocation), [("n1", Some(2)), ("n2", Some(2)), ("n3", Some(1))]);
        assert_eq!((allocation.images, allocation.reach), (Some(5), Reach::Srun));
        assert!(allocation.is_here);
    }

    #[test]
    fn within_a_step_of_slurm_there_is_none() {
        assert_eq!(of(&[&SALLOC[..], &[("SLURM_STEP_ID", "0")]].concat(), ""), None);
        // An interactive step, which salloc starts a shell in.
        assert!(of(&[&SALLOC[..], &[("SLURM_STEP_ID", "4294967290")]].concat(), "").is_some());
    }

    #[test]
    fn parts_of_a_job_of_slurm_are_refused_with_the_remedy() {
        let on_login_node = [
            ("SLURM_JOB_ID", "10"),
            ("SLURM_HET_SIZE", "2"),
            ("SLURM_JOB_NODELIST_HET_GROUP_0", "a"),
            ("SLURM_JOB_NODELIST_HET_GROUP_1", "b"),
        ];
        for variables in [&[&SALLOC[..], &[("SLURM_HET_SIZE", "2")]].concat()[..], &on_login_node] {
            let lookup = |name: &str| {
                variables.iter().find(|(its, _)| *its == name).map(|(_, value)| value.to_string())
            };
            let text = find(lookup, |_| None, "a").unwrap_err().to_string();
            assert!(text.contains("srun --mpi=pmi2"), "{text}");
        }
    }

    #[test]
    fn other_schedulers_list_their_hosts() {
        let pbs = of(&[("PBS_NODEFILE", "f")], "a\nb\na\n").unwrap();
        assert_eq!((pbs.scheduler, slots(&pbs)), ("PBS", vec![("a", Some(2)), ("b", Some(1))]));
        assert!(pbs.is_here);
        let lsf = of(&[("LSB_MCPU_HOSTS", "b 4 c 8")], "").unwrap();
        assert_eq!((lsf.scheduler, slots(&lsf)), ("LSF", vec![("b", Some(4)), ("c", Some(8))]));
        assert_eq!(lsf.reach, Reach::Command(vec!["blaunch".into()]));
        let sge = of(&[("PE_HOSTFILE", "f")], "a 2 all.q@a UNDEFINED\nb 1 all.q@b UNDEFINED\n");
        let sge = sge.unwrap();
        assert_eq!((sge.scheduler, slots(&sge)), ("SGE", vec![("a", Some(2)), ("b", Some(1))]));
        assert_eq!(of(&[], ""), None);
    }
}
