//! The launcher's messages on standard error, among the output of images there. Where the launcher forwards the images'
//! standard error, the forwarding thread writes these messages, too: after the output that images had written before.

use super::wake::Wake;
use crate::error::Result;
use crate::report::report;
use std::fmt;
use std::mem;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Messages of the launcher.
#[derive(Debug)]
pub(super) struct Console {
    /// The messages for the forwarding thread; `None` without one.
    messages: Mutex<Option<Vec<u8>>>,
    /// Readable when there is something to write.
    bell: Wake,
    /// Whether an image is writing a report, which it should complete before it is terminated.
    is_reporting: AtomicBool,
}

impl Console {
    /// Without a forwarding thread.
    pub(super) fn new() -> Result<Console> {
        let is_reporting = AtomicBool::new(false);
        Ok(Console { messages: Mutex::new(None), bell: Wake::new()?, is_reporting })
    }

    /// Writes one line, `xmp: <text>`.
    pub(super) fn report(&self, text: fmt::Arguments<'_>) {
        match &mut *self.messages() {
            Some(messages) => {
                messages.extend(format!("xmp: {text}\n").as_bytes());
                self.bell.wake();
            }
            None => report(text),
        }
    }

    /// From now on a thread writes the messages.
    pub(super) fn forward(&self) {
        *self.messages() = Some(Vec::new());
    }

    /// Whether that thread has something to write.
    pub(super) fn is_waiting(&self) -> bool {
        self.messages().as_ref().is_some_and(|messages| !messages.is_empty())
    }

    /// The messages for that thread.
    pub(super) fn take(&self) -> Vec<u8> {
        self.bell.clear();
        self.messages().as_mut().map(mem::take).unwrap_or_default()
    }

    /// That thread ends. Returns the messages that it still has to write; later messages are written where they arise.
    pub(super) fn finish(&self) -> Vec<u8> {
        self.messages().take().unwrap_or_default()
    }

    /// Whether an image is writing a report.
    pub(super) fn is_reporting(&self) -> bool {
        self.is_reporting.load(Ordering::Acquire)
    }

    /// Sets that; returns whether it was so before.
    pub(super) fn set_reporting(&self, is_reporting: bool) -> bool {
        self.is_reporting.swap(is_reporting, Ordering::AcqRel)
    }

    fn messages(&self) -> MutexGuard<'_, Option<Vec<u8>>> {
        // Bytes are valid wherever a thread has panicked.
        self.messages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AsFd for Console {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }
}
