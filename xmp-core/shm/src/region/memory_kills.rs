//! Processes that the system has killed because memory ran out.

use super::control_group::{GroupLimit, memory_groups};
use super::limit::physical;
use crate::size::Size;
use std::path::{Path, PathBuf};
use std::{fmt, fs};

/// How many processes the system has killed for lack of memory, at one time.
#[derive(Clone, Debug, Default)]
pub struct MemoryKills {
    /// Those of this process's control group.
    group: Option<GroupKills>,
    /// The count of the whole machine.
    machine: u64,
}

/// How many processes of a control group the system has killed for lack of memory.
#[derive(Clone, Debug)]
struct GroupKills {
    file: PathBuf,
    count: u64,
    /// The least limit that holds for the group.
    limit: Option<GroupLimit>,
}

/// The lack of memory for which the system has killed a process. Displayed as the end of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryShortage {
    /// The control group of the job has reached a limit.
    Group(GroupLimit),
    /// A machine with this many bytes has no more.
    Machine(u64),
    /// The process may have been of this job: its control group is not visible.
    Somewhere,
}

impl fmt::Display for MemoryShortage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MemoryShortage::Group(limit) => write!(
                f,
                "because memory ran out: the memory limit of the control group is {} ({})",
                Size(limit.bytes),
                limit.file.display()
            ),
            MemoryShortage::Machine(bytes) => {
                write!(f, "because memory ran out, of which this machine has {}", Size(*bytes))
            }
            MemoryShortage::Somewhere => f.write_str(
                "perhaps because memory ran out: the system has killed a process for that reason",
            ),
        }
    }
}

impl MemoryKills {
    /// Until now.
    pub fn now() -> MemoryKills {
        let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let read = |path: &Path| fs::read_to_string(path).ok();
        MemoryKills { group: GroupKills::find(&groups, read), machine: kills_of_machine() }
    }

    /// The reason why the system has killed a process of this job since then, if it was lack of memory.
    pub fn reason_since(&self) -> Option<MemoryShortage> {
        if let Some(group) = self.group.as_ref().filter(|group| group.has_more()) {
            let limit = group.limit.clone().filter(|limit| limit.bytes < physical());
            return Some(limit.map_or(MemoryShortage::Machine(physical()), MemoryShortage::Group));
        }
        // In a group that is not visible, or of another job.
        (kills_of_machine() > self.machine).then_some(MemoryShortage::Somewhere)
    }
}

impl GroupKills {
    /// Those of the innermost group that counts them, of the groups that the text of `/proc/self/cgroup` names.
    fn find(groups: &str, read: impl Fn(&Path) -> Option<String>) -> Option<GroupKills> {
        memory_groups(groups).into_iter().find_map(|group| {
            let mut files = group.directories().map(|its| its.join(group.kills_file()));
            let counted = |file: PathBuf| count_in(&read(&file)?).map(|count| (file, count));
            let (file, count) = files.find_map(counted)?;
            Some(GroupKills { file, count, limit: group.least_limit(&read) })
        })
    }

    /// Whether there are more of them now.
    fn has_more(&self) -> bool {
        kills_in(&self.file).is_some_and(|count| count > self.count)
    }
}

fn kills_of_machine() -> u64 {
    kills_in(Path::new("/proc/vmstat")).unwrap_or(0)
}

/// The number in the line `oom_kill` of a file.
fn kills_in(file: &Path) -> Option<u64> {
    count_in(&fs::read_to_string(file).ok()?)
}

fn count_in(text: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok())
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn kills_are_counted_in_the_files_of_both_versions() {
        let unified = "low 0\nhigh 0\nmax 7\noom 2\noom_kill 3\noom_group_kill 1\n";
        let old = "oom_kill_disable 0\nunder_oom 0\noom_kill 4\n";
        let machine = "pgfault 88\noom_kill 5\nnuma_hit 6\n";
        assert_eq!(
            [unified, old, machine, "max 1\n"].map(count_in),
            [Some(3), Some(4), Some(5), None]
        );
    }

    #[test]
    fn kills_and_limits_are_those_of_the_groups_of_either_version() {
        let found = |groups: &str, files: &[(&str, &str)]| {
            let text = |path: &Path| {
                let file = files.iter().find(|file| Path::new(file.0) == path)?;
                Some(file.1.to_owned())
            };
            GroupKills::find(groups, text).map(|kills| (kills.file, kills.count, kills.limit))
        };
        let limit = |bytes, file: &str| Some(GroupLimit { bytes, file: file.into() });
        // A step of Slurm: the job has the limit.
        let unified = [
            ("/sys/fs/cgroup/job_7/memory.max", "524288000\n"),
            ("/sys/fs/cgroup/job_7/step_0/memory.max", "max\n"),
            ("/sys/fs/cgroup/job_7/step_0/memory.events", "oom 2\noom_kill 1\n"),
        ];
        assert_eq!(
            found("0::/job_7/step_0\n", &unified),
            Some((unified[2].0.into(), 1, limit(524288000, unified[0].0)))
        );
        let old = [
            ("/sys/fs/cgroup/memory/slurm/job_7/memory.limit_in_bytes", "524288000\n"),
            ("/sys/fs/cgroup/memory/slurm/job_7/memory.oom_control", "under_oom 0\noom_kill 4\n"),
        ];
        assert_eq!(
            found("4:memory:/slurm/job_7\n1:name=systemd:/\n0::/\n", &old),
            Some((old[1].0.into(), 4, limit(524288000, old[0].0)))
        );
        assert_eq!(found("0::/\n", &[]), None);
    }

    #[test]
    fn a_kill_names_the_limit_of_the_control_group() {
        let file = std::env::temp_dir().join(format!("xmp-kills-{}", std::process::id()));
        fs::write(&file, "oom_kill 3\n").unwrap();
        let limit = |bytes| Some(GroupLimit { bytes, file: "/job/memory.max".into() });
        let at = |count, limit| {
            let group = Some(GroupKills { file: file.clone(), count, limit });
            MemoryKills { group, machine: u64::MAX }.reason_since()
        };
        let text = at(2, limit(500 << 20)).unwrap().to_string();
        assert_eq!(
            text,
            "because memory ran out: the memory limit of the control group is 500 MiB (/job/memory.max)"
        );
        for limit in [limit(u64::MAX), None] {
            assert_eq!(at(2, limit), Some(MemoryShortage::Machine(physical())));
        }
        assert_eq!(at(3, limit(1)), None);
        fs::remove_file(&file).unwrap();
    }
}
