//! Waits for descriptors to become readable.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::os::fd::AsFd;
use std::time::Duration;

/// A descriptor to be waited for.
pub(crate) fn entry(descriptor: &impl AsFd) -> PollFd<'_> {
    PollFd::new(descriptor, PollFlags::IN)
}

/// Waits until one of the descriptors is readable or its other end is closed, at most for `at_most`. It may also return
/// for another reason, a signal for instance: the caller looks at everything.
pub(crate) fn wait(descriptors: &mut [PollFd<'_>], at_most: Option<Duration>) {
    let at_most = at_most.and_then(|at_most| Timespec::try_from(at_most).ok());
    let _ = poll(descriptors, at_most.as_ref());
}

/// Whether the last wait has found the descriptor readable or closed.
pub(crate) fn is_ready(descriptor: &PollFd<'_>) -> bool {
    !descriptor.revents().is_empty()
}
