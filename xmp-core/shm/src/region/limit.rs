//! The memory that the heaps of a host may take. A page that the machine cannot back kills the process, so the heaps
//! must refuse what the machine does not have when it is requested.

use super::control_group::memory_groups;
use super::file;
use std::fs;
use std::path::Path;

/// Bytes of memory that this machine, and the control groups of this process, let the job use.
pub fn machine_limit() -> u64 {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let cgroup = cgroup_limit(&groups, |path| fs::read_to_string(path).ok());
    [Some(physical()), cgroup, file::room()].into_iter().flatten().min().unwrap_or(u64::MAX)
}

/// The least limit of the control groups that the text of `/proc/self/cgroup` names.
fn cgroup_limit(groups: &str, read: impl Fn(&Path) -> Option<String>) -> Option<u64> {
    let limits = memory_groups(groups).into_iter().filter_map(|group| group.least_limit(&read));
    limits.map(|limit| limit.bytes).min()
}

/// Bytes of memory that this machine has.
pub(super) fn physical() -> u64 {
    let system = rustix::system::sysinfo();
    system.totalram.saturating_mul(system.mem_unit.into())
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn limit(groups: &str, files: &[(&str, &str)]) -> Option<u64> {
        cgroup_limit(groups, |path| {
            let file = files.iter().find(|file| Path::new(file.0) == path)?;
            Some(format!("{}\n", file.1))
        })
    }

    #[test]
    fn the_least_limit_up_the_hierarchy_holds() {
        let files = [
            ("/sys/fs/cgroup/a/memory.max", "4000"),
            ("/sys/fs/cgroup/a/b/memory.max", "max"),
            ("/sys/fs/cgroup/a/b:c/memory.max", "3000"),
            ("/sys/fs/cgroup/other/memory.max", "1"),
        ];
        assert_eq!(limit("0::/a/b\n", &files), Some(4000));
        assert_eq!(limit("0::/a/b:c\n", &files), Some(3000));
        assert_eq!(limit("0::/\n", &files), None);
        assert_eq!(limit("", &files), None);
    }

    #[test]
    fn the_memory_controller_of_version_1_counts() {
        let groups = "5:cpu,cpuacct:/x\n4:hugetlb,memory:/x/y\n1:name=systemd:/x\n0::/\n";
        let files = [
            ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712"),
            ("/sys/fs/cgroup/memory/x/memory.limit_in_bytes", "7000"),
            ("/sys/fs/cgroup/memory/x/y/memory.limit_in_bytes", "8000"),
        ];
        assert_eq!(limit(groups, &files), Some(7000));
        // A container that sees its own group as the root.
        assert_eq!(limit("4:memory:/docker/1\n", &files), Some(9223372036854771712));
    }
}
