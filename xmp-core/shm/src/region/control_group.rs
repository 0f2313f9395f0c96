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

impl MemoryGroup {
    /// Its directory, and those of the groups that it is in, from the innermost on.
    pub fn directories(&self) -> impl Iterator<Item = PathBuf> {
        let root = if self.is_unified { "/sys/fs/cgroup" } else { "/sys/fs/cgroup/memory" };
        self.path.ancestors().map(move |group| Path::new(root).join(group))
    }

    /// The file with its limit.
    pub fn limit_file(&self) -> &'static str {
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
