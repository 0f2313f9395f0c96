//! The control groups of this process that count and limit memory, of both versions of the hierarchy.

use std::path::{Path, PathBuf};

/// A control group with a memory controller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MemoryGroup {
    /// Its path below the root of its hierarchy.
    path: PathBuf,
    /// Whether it is of the one hierarchy of version 2.
    is_unified: bool,
}

/// The limit of a group, or of one that it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupLimit {
    /// The memory that processes of the group may use.
    pub bytes: u64,
    /// The file that has it.
    pub file: PathBuf,
}

impl MemoryGroup {
    /// Its directory, and those of the groups that it is in, from the innermost on.
    pub fn directories(&self) -> impl Iterator<Item = PathBuf> {
        let root = if self.is_unified { "/sys/fs/cgroup" } else { "/sys/fs/cgroup/memory" };
        self.path.ancestors().map(move |group| Path::new(root).join(group))
    }

    /// The least limit of the group and of those that it is in: each of them holds. A container may see less of the hierarchy than
    /// the path names; missing files are skipped.
    pub fn least_limit(&self, read: impl Fn(&Path) -> Option<String>) -> Option<GroupLimit> {
        let files = self.directories().map(|directory| directory.join(self.limit_file()));
        // "max" is no limit.
        let limit = |file: PathBuf| {
            read(&file)?.trim().parse().ok().map(|bytes| GroupLimit { bytes, file })
        };
        files.filter_map(limit).min_by_key(|limit| limit.bytes)
    }

    /// The file with its limit.
    fn limit_file(&self) -> &'static str {
        if self.is_unified { "memory.max" } else { "memory.limit_in_bytes" }
    }

    /// The file that counts the processes which the system has killed for lack of memory, in the line `oom_kill`.
    pub fn kills_file(&self) -> &'static str {
        if self.is_unified { "memory.events" } else { "memory.oom_control" }
    }
}

/// The groups that the text of `/proc/self/cgroup` names: lines of `hierarchy:controllers:path`, without controllers in the
/// one hierarchy of version 2.
pub(super) fn memory_groups(text: &str) -> Vec<MemoryGroup> {
    let group = |line: &str| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?.trim_start_matches('/'));
        let is_unified = controllers.is_empty();
        let counts_memory = is_unified || controllers.split(',').any(|name| name == "memory");
        counts_memory.then(|| MemoryGroup { path: path.into(), is_unified })
    };
    text.lines().filter_map(group).collect()
}
