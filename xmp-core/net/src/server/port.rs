//! The port of a process: its fabric and, on a leader, its server, shared by the application's thread and the server's
//! thread.

use super::fabric::Fabric;
use super::notes::Notes;
use super::progress_lock::ProgressLock;
use super::serve::Server;
use crate::error::{Error, Result};
use crate::failure::{ERROR_STATUS, end_job};
use crate::rank::Rank;
use crate::wait::Background;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

/// A spinning wait polls the fabric only every `LOOKS`-th look: about every half microsecond. Polling takes a
/// microsecond or two on networks that are polled by system calls, and a notification of an image of this host mostly
/// arrives before; such a wait polls nothing. Where the image is alone on its host, no notification comes from
/// elsewhere, and each look polls.
const LOOKS: u32 = 64;
/// Where all waits are that short, every look of this number polls nevertheless, about every 50 us.
const LOOKS_OF_SHORT_WAITS: u32 = 8192;

/// The port; see the module.
///
/// An application's thread that serves while it waits executes one request and evaluates its condition: mostly that
/// request was what it waited for, and polling the fabric again takes as long as a good part of a message.
pub struct Port {
    progress: ProgressLock<Inside>,
    leads: bool,
    notes: Option<Arc<Notes>>,
    /// Every `asks`-th look of an image that spins polls the fabric.
    asks: u32,
    nap: Duration,
    /// How often the application's thread has polled the fabric while it waited.
    looks: AtomicU32,
    /// Its looks since then; see [`LOOKS_OF_SHORT_WAITS`].
    unasked: AtomicU32,
    /// Whether the server's thread has found the fabric in use; the application does the server's work at its next look.
    is_due: AtomicBool,
}

struct Inside {
    fabric: Box<dyn Fabric>,
    server: Option<Server>,
    /// Why the fabric cannot be used any more.
    broken: Option<Error>,
}

impl fmt::Debug for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Port").field("leads", &self.leads).finish_non_exhaustive()
    }
}

impl Port {
    /// The port of a process; with a `server` if it is its host's leader. `nap`: see [`super::Limits::nap`].
    pub fn new(fabric: Box<dyn Fabric>, server: Option<Server>, nap: Duration) -> Arc<Port> {
        let leads = server.is_some();
        let notes = server.as_ref().map(|server| server.notes().clone());
        let is_alone = server.as_ref().is_some_and(Server::is_alone);
        let asks = if is_alone { 1 } else { LOOKS };
        let progress = ProgressLock::new(Inside { fabric, server, broken: None });
        Arc::new(Port {
            progress,
            leads,
            notes,
            asks,
            nap,
            looks: AtomicU32::new(0),
            unasked: AtomicU32::new(0),
            is_due: AtomicBool::new(false),
        })
    }

    /// Whether there is a server.
    pub fn leads(&self) -> bool {
        self.leads
    }

    /// The notes that leaders of other hosts have sent, if there is a server.
    pub fn notes(&self) -> Option<&Arc<Notes>> {
        self.notes.as_ref()
    }

    /// Sends a note of at most [`super::NOTE`] bytes to the leader of another host. Notes to one leader arrive in order.
    ///
    /// # Errors
    /// When there is no server, or the fabric fails or has failed before.
    pub fn send_note(&self, to: Rank, bytes: &[u8]) -> Result<()> {
        let mut inside = self.progress.take();
        inside.check()?;
        let Inside { fabric, server, .. } = &mut *inside;
        match server {
            Some(server) => server.send_note(&mut **fabric, to, bytes),
            None => Err(Error::Invalid("a note is sent by a leader only".into())),
        }
    }

    /// Whether the fabric has a window.
    pub fn has_window(&self) -> bool {
        self.progress.take().fabric.window().is_some()
    }

    /// Whether messages of all kinds can be exchanged with this process.
    pub fn reaches(&self, process: Rank) -> bool {
        self.progress.take().fabric.reaches(process)
    }

    /// The eager limit of the fabric.
    pub fn eager(&self) -> usize {
        self.progress.take().fabric.eager()
    }

    /// Whether what was sent arrives although this process does not call the fabric again.
    pub fn sends_by_itself(&self) -> bool {
        self.progress.take().fabric.sends_by_itself()
    }

    /// The images of this host have arrived at a synchronisation of all images, and a message that tells the other hosts follows at once:
    /// answers gets that wait for that, together with it.
    ///
    /// # Errors
    /// When the fabric fails or has failed before.
    pub fn answer_awaiting(&self) -> Result<()> {
        let mut inside = self.progress.take();
        inside.check()?;
        let Inside { fabric, server, .. } = &mut *inside;
        match server {
            Some(server) => server.answer_awaiting(&mut **fabric, true).map(drop),
            None => Ok(()),
        }
    }

    /// Uses the fabric.
    ///
    /// # Errors
    /// That of `act`; when the fabric has failed before.
    pub fn carry<T>(&self, act: impl FnOnce(&mut dyn Fabric) -> Result<T>) -> Result<T> {
        let mut inside = self.progress.take();
        inside.check()?;
        act(&mut *inside.fabric)
    }

    /// Calls `look`; does the server's work if it returns nothing, or if the server's thread could not.
    ///
    /// # Errors
    /// That of `look`; when the fabric fails or has failed before.
    pub fn look<T>(
        &self,
        look: impl FnOnce(&mut dyn Fabric) -> Result<Option<T>>,
    ) -> Result<Option<T>> {
        let mut inside = self.progress.take();
        inside.check()?;
        let found = look(&mut *inside.fabric)?;
        // Relaxed: a hint, which orders nothing.
        if self.leads && (found.is_none() || self.is_due.load(Ordering::Relaxed)) {
            self.is_due.store(false, Ordering::Relaxed);
            self.count_look();
            inside.serve(|| true)?;
        }
        Ok(found)
    }

    /// Does the server's work, in its own thread. Returns whether there was any; `None` while the application uses the
    /// fabric.
    ///
    /// # Errors
    /// When the fabric fails or has failed before.
    pub fn serve_if_idle(&self) -> Option<Result<bool>> {
        let Some(mut inside) = self.progress.take_if_idle() else {
            self.is_due.store(true, Ordering::Relaxed);
            return None;
        };
        Some(inside.check().and_then(|()| inside.serve(|| self.progress.is_wanted())))
    }

    /// How often the application's thread has polled for the server while it waited, wrapping: while that grows, the
    /// server's thread need not.
    pub fn looks(&self) -> u32 {
        self.looks.load(Ordering::Relaxed)
    }

    /// Whether the server has sent everything.
    pub fn is_quiet(&self) -> bool {
        self.progress.take().server.as_ref().is_none_or(Server::is_quiet)
    }

    /// Ends the serving: later requests are not received, and what this image still sends, from an exit handler, is an
    /// error.
    ///
    /// # Errors
    /// When the fabric fails.
    pub fn close(&self) -> Result<()> {
        let mut inside = self.progress.take();
        let Inside { fabric, server, broken } = &mut *inside;
        let closed = match server.take() {
            Some(mut server) => server.close(&mut **fabric),
            None => Ok(()),
        };
        broken.get_or_insert_with(|| Error::Invalid("this image has ended".into()));
        closed.and(fabric.close())
    }

    fn count_look(&self) {
        // Only the application's thread writes.
        let looks = self.looks.load(Ordering::Relaxed).wrapping_add(1);
        self.looks.store(looks, Ordering::Relaxed);
    }

    /// Whether to poll the fabric after `spun` looks of a wait that spins.
    fn is_time_to_ask(&self, spun: u32) -> bool {
        // Only the application's thread uses it.
        let unasked = self.unasked.load(Ordering::Relaxed) + 1;
        let asks =
            spun.wrapping_add(1).is_multiple_of(self.asks) || unasked == LOOKS_OF_SHORT_WAITS;
        self.unasked.store(if asks { 0 } else { unasked }, Ordering::Relaxed);
        asks
    }
}

impl Inside {
    fn check(&self) -> Result<()> {
        self.broken.clone().map_or(Ok(()), Err)
    }

    /// An error here ends the job, because no other host can be reached. So does a panic, because the operation is half
    /// done, and an image may wait for it.
    fn serve(&mut self, wanted: impl Fn() -> bool) -> Result<bool> {
        let Some(server) = &mut self.server else { return Ok(false) };
        let work = AssertUnwindSafe(|| server.poll(&mut *self.fabric, wanted));
        let outcome = catch_unwind(work).unwrap_or_else(|_| Err(panicked()));
        if let Err(error) = &outcome {
            self.broken = Some(error.clone());
            let why = format!("communication between hosts has failed: {error}");
            end_job(server.job(), self.fabric.rank(), ERROR_STATUS, why);
        }
        outcome
    }
}

/// The panic itself was written to standard error.
#[cold]
fn panicked() -> Error {
    Error::system("communication server", "it has panicked")
}

impl Background for Port {
    fn advance(&self, spun: Option<u32>) -> bool {
        if spun.is_some_and(|spun| !self.is_time_to_ask(spun)) {
            return false;
        }
        // Not before: the server's own thread leaves the fabric to the thread that polls it.
        self.count_look();
        let mut inside = self.progress.take();
        // A fabric that has failed has ended the job, which the wait sees.
        inside.check().and_then(|()| inside.serve(|| true)).unwrap_or(false)
    }

    fn nap(&self) -> Option<Duration> {
        Some(self.nap)
    }
}
