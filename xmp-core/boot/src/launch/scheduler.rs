//! The processors of this host that a scheduler has given the job. Where it does not confine processes to them, the others may run jobs
//! of other users.

/// Numbers of steps that `srun` starts; batch scripts and interactive steps have larger ones.
pub(crate) const SLURM_STEPS: u32 = 0xffff_fff0;

/// The number of processors that a scheduler has allocated; `None` outside of the jobs of schedulers.
pub fn processors_of_scheduler() -> Option<usize> {
    find(|name| std::env::var(name).ok())
}

/// The command of the scheduler that starts a job with more memory, in a job of Slurm.
pub(crate) fn command_for_more_memory() -> Option<&'static str> {
    std::env::var_os("SLURM_JOB_ID").map(|_| "sbatch --mem=SIZE")
}

fn find(lookup: impl Fn(&str) -> Option<String>) -> Option<usize> {
    let has = |name: &str| lookup(name).is_some();
    let number = |name: &str| {
        lookup(name).and_then(|value| value.trim().parse::<usize>().ok()).filter(|&count| count > 0)
    };
    if has("SLURM_JOB_ID") {
        let step = lookup("SLURM_STEP_ID").and_then(|value| value.parse::<u32>().ok());
        let of_task =
            step.filter(|&step| step < SLURM_STEPS).and_then(|_| number("SLURM_CPUS_PER_TASK"));
        return of_task.or(number("SLURM_CPUS_ON_NODE"));
    }
    // The job's mark, and the variable with the number, which is the number of this host if the job has one host only.
    let others =
        [("PBS_JOBID", "NCPUS"), ("LSB_JOBID", "LSB_DJOB_NUMPROC"), ("SGE_ROOT", "NSLOTS")];
    others.into_iter().find(|(job, _)| has(job)).and_then(|(_, name)| number(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Option<usize> {
        find(|name| {
            variables.iter().find(|(its, _)| *its == name).map(|(_, value)| value.to_string())
        })
    }

    #[test]
    fn schedulers_tell_how_many_processors_the_job_has() {
        let batch =
            [("SLURM_JOB_ID", "7"), ("SLURM_CPUS_ON_NODE", "16"), ("SLURM_CPUS_PER_TASK", "4")];
        assert_eq!(of(&batch), Some(16));
        assert_eq!(of(&[&batch[..], &[("SLURM_STEP_ID", "0")]].concat()), Some(4));
        assert_eq!(of(&[&batch[..], &[("SLURM_STEP_ID", "4294967290")]].concat()), Some(16));
        assert_eq!(of(&[("PBS_JOBID", "7.a"), ("NCPUS", "3")]), Some(3));
        assert_eq!(of(&[("LSB_JOBID", "7"), ("LSB_DJOB_NUMPROC", "5")]), Some(5));
        assert_eq!(of(&[("SGE_ROOT", "/sge"), ("NSLOTS", "2")]), Some(2));
        assert_eq!(of(&[("NSLOTS", "2"), ("SLURM_CPUS_ON_NODE", "1")]), None);
        assert_eq!(of(&[("PBS_JOBID", "7"), ("NCPUS", "x")]), None);
    }
}
