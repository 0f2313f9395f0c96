//! Images that print much. A signal for each write costs such an image more than the write itself, so its writes are
//! not noted until it executes an image control statement. There it waits until the launcher has read, and passed on,
//! its output ([`Duties`](crate::job::Duties)). Nothing orders its output until then and the output of other images.

use super::outlet::Outlet;
use super::reports::Reports;
use super::run_time::RunTime;
use super::stream::{Noting, Stream, Unnoted};
use super::write_order::WriteOrder;
use crate::job::{Duties, Job};
use crate::rank::Rank;
use std::collections::{BTreeMap, VecDeque};
use std::os::fd::RawFd;
use std::time::{Duration, Instant};

/// So many writes are noted before an image is taken for one that prints much. To wait at an image control statement takes as long as
/// some hundred writes.
const BULK_WRITES: usize = 4096;
/// So many bytes are read. Pipes hold less than that while writes are noted.
const MANY_BYTES: usize = 1 << 20;

/// Writes are noted again when an image has printed nothing for this time.
const QUIET: Duration = Duration::from_millis(2);

/// The writes that were noted: those that were passed on, and those that were not.
#[derive(Debug, Default)]
pub(super) struct Noted {
    /// The pipes of those that were not passed on, in the order of the writes.
    pub(super) left: VecDeque<RawFd>,
    /// The number of the others.
    pub(super) passed: u64,
}

impl Noted {
    /// Whether all has been passed on that was noted before the writes of this stream were not.
    pub(super) fn have_passed(&self, before: &Unnoted) -> bool {
        self.passed >= before.after
    }
}

/// Whether the image executes no write, though it has written before `since`: it has run for long enough since then, or sleeps.
fn has_left_write(since: Instant, before: &RunTime) -> bool {
    since.elapsed() >= QUIET && before.has_gone_on(since)
}

/// The streams of the images.
pub(super) type All = BTreeMap<RawFd, Stream>;

/// Begins and ends that writes of images are not noted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bulk<'a> {
    pub(super) job: &'a Job,
    pub(super) order: &'a WriteOrder,
}

impl Bulk<'_> {
    fn duties(&self, rank: Rank) -> &Duties {
        &self.job.entry(rank).duties
    }

    /// Notes no more writes of images that have written much. An image that waits in an image control statement may have begun it before
    /// it was asked. So its writes are noted until one shows that it has left that statement.
    pub(super) fn begin(&self, streams: &mut All, noted: &mut Noted) {
        let (mut are_asked, mut unnoted) = (false, Vec::new());
        for stream in streams.values_mut() {
            match stream.noting {
                Noting::Each if stream.noted >= BULK_WRITES || stream.bytes >= MANY_BYTES => {
                    self.duties(stream.rank()).want_output();
                    let noting = Noting::Asked { at: Instant::now(), noted: stream.noted };
                    stream.set_noting(noting);
                    are_asked = true;
                }
                Noting::Asked { noted, .. } if stream.noted > noted => {
                    self.order.watch(stream.pipe(), false);
                    unnoted.push(stream);
                }
                _ => {}
            }
        }
        if are_asked || !unnoted.is_empty() {
            // Writes that the queue gets from now on are of images that know that they are to wait.
            self.order.take(&mut noted.left);
        }
        let after = noted.passed + noted.left.len() as u64;
        for stream in unnoted {
            stream.set_noting(Noting::None(Unnoted { after, quiet: None }));
        }
    }

    /// Notes the writes of images again that wait, or have written nothing for some time. What they have written is passed on.
    pub(super) fn end(
        &self,
        streams: &mut All,
        noted: &mut Noted,
        (reports, outlet): (&mut Reports, &mut Outlet),
    ) {
        for (fd, stream) in streams {
            let is_awaited = self.duties(stream.rank()).is_output_awaited();
            let has_ended = match &stream.noting {
                Noting::Each => continue,
                Noting::Asked { at, noted } => {
                    is_awaited || stream.noted == *noted && at.elapsed() >= QUIET
                }
                // The notes of its earlier writes have to be forgotten before.
                Noting::None(unnoted) if !noted.have_passed(unnoted) || noted.left.contains(fd) => {
                    false
                }
                Noting::None(_) if is_awaited => {
                    self.order.watch(stream.pipe(), true);
                    while stream.read_all() > 0 {}
                    stream.pass_lines(reports, outlet);
                    true
                }
                Noting::None(_) => self.is_left_quiet(stream, noted),
            };
            if has_ended {
                stream.set_noting(Noting::Each);
                (stream.noted, stream.bytes) = (0, 0);
            }
        }
    }

    /// Notes the writes of an image again if it has been quiet, and has not begun to write just now.
    fn is_left_quiet(&self, stream: &mut Stream, noted: &mut Noted) -> bool {
        let (written, process) = (stream.written(), stream.process());
        let Noting::None(unnoted) = &mut stream.noting else { return false };
        match &unnoted.quiet {
            Some((since, before)) if *since >= written => {
                if !has_left_write(*since, before) {
                    return false;
                }
            }
            _ => {
                unnoted.quiet = Some((Instant::now(), RunTime::now(process)));
                return false;
            }
        }
        self.order.watch(stream.pipe(), true);
        let is_quiet = stream.read_all() == 0;
        if !is_quiet {
            self.order.watch(stream.pipe(), false);
            self.order.take(&mut noted.left);
        }
        is_quiet
    }

    /// Lets images continue whose writes are all noted again, of those that were asked to wait.
    pub(super) fn release(&self, before: &[Rank], streams: &All) {
        let now = asked(streams);
        for &rank in before.iter().filter(|rank| !now.contains(rank)) {
            self.duties(rank).have_output();
        }
    }
}

/// The images that have been asked to wait until their output was read.
pub(super) fn asked(streams: &All) -> Vec<Rank> {
    streams.values().filter(|stream| stream.is_asked()).map(Stream::rank).collect()
}
