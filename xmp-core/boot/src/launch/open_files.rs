//! The limit of open files of the launcher, which has up to two pipes for each image.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The limit with which the launcher was started and images must be started. Restored when dropped.
#[derive(Clone, Debug)]
pub(super) struct OpenFiles(Rlimit);

impl OpenFiles {
    /// Raises the soft limit of this process to the hard one.
    pub(super) fn raise() -> OpenFiles {
        let before = getrlimit(Resource::Nofile);
        let raised = Rlimit { current: before.maximum, maximum: before.maximum };
        // If the system refuses, the limit stays as it was.
        let _ = setrlimit(Resource::Nofile, raised);
        OpenFiles(before)
    }

    /// The limit for images.
    pub(super) fn limit(&self) -> Rlimit {
        self.0
    }
}

impl Drop for OpenFiles {
    fn drop(&mut self) {
        // It lowers a limit, which is always possible.
        let _ = setrlimit(Resource::Nofile, self.limit());
    }
}
