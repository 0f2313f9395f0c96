//! The processes that can share memory: those of one user on one kernel, in the same name spaces.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Name spaces that processes which share memory have in common. The mount name space may differ: each process may be
/// in a container of its own.
const SPACES: [&str; 3] = ["pid", "ipc", "net"];

/// A number that processes have in common if they can share memory.
pub(super) fn number() -> u64 {
    let mut hasher = DefaultHasher::new();
    // A name space that cannot be read counts as the same for all processes that cannot read it.
    fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default().hash(&mut hasher);
    for space in SPACES {
        fs::read_link(format!("/proc/self/ns/{space}")).unwrap_or_default().hash(&mut hasher);
    }
    rustix::process::getuid().as_raw().hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_shares_memory_with_itself() {
        assert_eq!(number(), number());
    }
}
