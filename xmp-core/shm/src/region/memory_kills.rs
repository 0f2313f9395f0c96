//! Processes that the system has killed because memory ran out.

use super::control_group::memory_groups;
use super::limit::machine_limit;
use crate::size::Size;
use std::fs;
use std::path::{Path, PathBuf};

/// How many processes the system has killed for lack of memory, at one time.
#[derive(Clone, Debug, Default)]
pub struct MemoryKills {
    /// The file of this process's control group, and its count.
    group: Option<(PathBuf, u64)>,
    /// The count of the whole machine.
    machine: u64,
}

impl MemoryKills {
    /// Until now.
    pub fn now() -> MemoryKills {
        let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let files = memory_groups(&groups).into_iter().flat_map(|group| {
            let file = group.kills_file();
            group.directories().map(move |directory| directory.join(file)).collect::<Vec<_>>()
        });
        let count = |file: PathBuf| kills_in(&file).map(|kills| (file, kills));
        MemoryKills { group: files.into_iter().find_map(count), machine: kills_of_machine() }
    }

    /// The reason why the system has killed a process of this job since then, if it was lack of memory: for the end of a
    /// message.
    pub fn reason_since(&self) -> Option<String> {
        let (file, before) =
            self.group.as_ref().map_or((None, 0), |(file, count)| (Some(file), *count));
        if file.and_then(|file| kills_in(file)).is_some_and(|kills| kills > before) {
            let limit = Size(machine_limit());
            return Some(format!("because memory ran out, of which this job may use {limit}"));
        }
        // In a group that is not visible, or of another job.
        (kills_of_machine() > self.machine).then(|| {
            "perhaps because memory ran out: the system has killed a process for that reason".into()
        })
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
    fn a_kill_is_noticed_by_its_count() {
        let directory = std::env::temp_dir().join(format!("xmp-kills-{}", std::process::id()));
        fs::write(&directory, "oom_kill 3\n").unwrap();
        let machine = u64::MAX;
        let at = |count| MemoryKills { group: Some((directory.clone(), count)), machine };
        let reason = at(2).reason_since();
        assert!(reason.as_ref().is_some_and(|text| text.contains("memory ran out")), "{reason:?}");
        assert_eq!(at(3).reason_since(), None);
        fs::remove_file(&directory).unwrap();
    }
}
