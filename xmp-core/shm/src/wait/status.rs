//! The state of the job as a whole, which every wait watches.

use crate::sync::{AtomicU32, AtomicU64};

/// The state of the job as a whole.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Status {
    /// Counts every change of an image's state and the start of error termination. 0 = all running.
    pub epoch: AtomicU32,
    /// 0, or in the upper half the image (from 1) that started error termination, or [`Status::BY_LAUNCHER`], and in
    /// the lower half the exit code.
    pub ending: AtomicU64,
    /// 1 once an image was notified of a failed image by a `stat` or an inquiry: the program deals with failures
    /// itself, so the launcher does not end the job because of one.
    pub acknowledged: AtomicU32,
    /// How many images have failed.
    pub failures: AtomicU32,
    /// Images that have reached their normal end; they may not have published it yet. Those of another host are counted when all of
    /// it have.
    pub at_end: AtomicU32,
    /// What is known of a request from outside to end the job ([`crate::failure::end_request`]).
    pub end_request: AtomicU32,
    /// The launcher's last probe ([`super::Probe`]) as a number; 0 before the first one.
    pub probe: AtomicU32,
}

impl Status {
    /// Value in [`Status::ending`] instead of an image: the launcher started error termination.
    pub const BY_LAUNCHER: u32 = u32::MAX;

    /// A status that has changed, and says nothing else.
    pub fn changed() -> Status {
        Status { epoch: AtomicU32::new(1), ..Status::default() }
    }
}
