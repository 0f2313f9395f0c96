//! The fabric that sends messages over streams where it has them and all others by MPI, if there is one.

use super::operations::{MARK, Operations, SENT, State};
use super::stream::Stream;
use super::streams::{Arrivals, Streams};
use crate::error::{Error, Result, system_message};
use crate::rank::Rank;
use crate::server::{Fabric, Op, Peers, Tag, Window};
use std::time::{Duration, Instant};

/// How often MPI is called at least while only streams are tested: it may have taken a message that it has not sent.
const BEAT: Duration = Duration::from_micros(200);
/// How long a stream may be closed before that is an error: launchers end a job whose processes die, and say why.
pub(super) const GRACE: Duration = Duration::from_secs(5);

/// The fabric; see the module.
#[derive(Debug)]
pub struct SocketFabric {
    mpi: Box<dyn Fabric>,
    /// A receive that no message ends; its test makes MPI progress.
    beat: Option<Op>,
    /// When MPI was last called for that, and how often it is.
    beaten: Instant,
    every: Duration,
    streams: Streams,
    /// Whether long messages go over streams.
    takes_long: bool,
    operations: Operations,
    /// Processes whose end must not stay unknown, and how long it may.
    leaders: Box<[Rank]>,
    grace: Duration,
    /// Why it cannot be used any more.
    failed: Option<Error>,
}

/// The eager limit ([`Fabric::eager`]): streams copy messages of any length, and twice this one saves nothing more.
const EAGER: usize = 32 << 10;

/// Whether a kind is one of those with which server and origin wait for one another.
fn is_short(tag: Tag) -> bool {
    matches!(tag, Tag::REQUEST | Tag::REPLY | Tag::RELAY)
}

impl SocketFabric {
    /// The fabric of a process with these streams. Long messages go over them, too, if `requests_are_direct`: forwarded ones come later
    /// than the bytes that follow them.
    ///
    /// # Errors
    /// When MPI fails.
    pub(super) fn new(
        mut mpi: Box<dyn Fabric>,
        peers: &Peers,
        streams: Streams,
        requests_are_direct: bool,
    ) -> Result<SocketFabric> {
        // SAFETY: no bytes.
        let beat = unsafe { mpi.receive_any(Tag::BEAT, &mut [])? };
        // Where there are windows, other hosts access this one's memory only while MPI is called here.
        let every = if mpi.window().is_some() { Duration::ZERO } else { BEAT };
        Ok(SocketFabric {
            mpi,
            beat: Some(beat),
            beaten: Instant::now(),
            every,
            streams,
            takes_long: requests_are_direct,
            operations: Operations::default(),
            leaders: peers.leaders().into(),
            grace: GRACE,
            failed: None,
        })
    }

    /// The fabric of all other messages.
    pub(super) fn mpi(&mut self) -> &mut dyn Fabric {
        &mut *self.mpi
    }

    /// That fabric alone; the connections are closed.
    ///
    /// # Errors
    /// When it fails.
    pub(super) fn into_mpi(mut self) -> Result<Box<dyn Fabric>> {
        self.end_beat()?;
        Ok(self.mpi)
    }

    /// Changes how long the end of a leader is no error.
    #[cfg(test)]
    pub(super) fn set_grace(&mut self, grace: Duration) {
        self.grace = grace;
    }

    fn end_beat(&mut self) -> Result<()> {
        match self.beat.take() {
            Some(beat) => self.mpi.cancel(beat).map(drop),
            None => Ok(()),
        }
    }

    /// Receives what has arrived, and sends what waits. Nothing after an error: callers reuse the memory of the operation
    /// that got it.
    fn progress(&mut self) -> Result<()> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        self.streams.flush();
        // Mostly it was the only one.
        if std::mem::take(&mut self.operations.has_arrived) {
            return self.see_to_mpi(BEAT);
        }
        self.streams.receive(&mut self.operations)?;
        // Also where messages come again and again.
        self.see_to_mpi(if self.operations.has_arrived { BEAT } else { self.every })
    }

    /// Calls MPI, and looks at closed streams, if that was last done so long ago.
    fn see_to_mpi(&mut self, every: Duration) -> Result<()> {
        let now = Instant::now();
        if now - self.beaten < every {
            return Ok(());
        }
        self.beaten = now;
        if let Some(beat) = self.beat {
            self.mpi.test(beat)?;
        }
        let is_late = |since| now - since > self.grace;
        let mut lost = self.streams.gone().filter(|stream| {
            stream.gone().is_some_and(is_late) && self.leaders.contains(&stream.peer())
        });
        lost.next().map_or(Ok(()), |stream| Err(closed(stream)))
    }

    /// Whether a message to or from this process goes over a stream. Both ends say the same.
    fn has_stream(&self, peer: Rank, tag: Tag) -> bool {
        let is_long = self.takes_long && Tag::is_long(tag.get());
        is_short(tag) || (is_long && self.streams.reaches(peer))
    }

    fn mpi_op(&self, op: Op) -> Result<Op> {
        if op.0 & MARK == 0 {
            Ok(op)
        } else {
            Err(Error::Invalid(format!("MPI gives an operation the number {:#x}", op.0)))
        }
    }
}

#[cold]
fn closed(stream: &Stream) -> Error {
    let message =
        stream.failure().map_or_else(|| "its process has closed it".into(), system_message);
    Error::system(format!("connection to {}", stream.peer()), message)
}

impl Fabric for SocketFabric {
    fn rank(&self) -> Rank {
        self.mpi.rank()
    }

    unsafe fn send(&mut self, to: Rank, tag: Tag, bytes: *const [u8]) -> Result<Op> {
        if !self.has_stream(to, tag) {
            // SAFETY: the bytes are valid until the operation is over (contract of [`Fabric::send`]).
            let op = unsafe { self.mpi.send(to, tag, bytes)? };
            return self.mpi_op(op);
        }
        if to == self.rank() {
            // The memory of its receive may be in use for something else after an error.
            if let Some(error) = &self.failed {
                return Err(error.clone());
            }
            // SAFETY: the bytes are valid until the operation is over, which it is not yet.
            self.operations.arrived(to, tag.get(), unsafe { &*bytes });
            self.operations.has_arrived = false;
            return Ok(SENT);
        }
        self.operations.has_arrived = false;
        // SAFETY: the bytes are valid and unchanged until the operation is over.
        let rest = unsafe { self.streams.send(to, tag, bytes)? };
        Ok(rest.map_or(SENT, |rest| self.operations.sending(rest)))
    }

    unsafe fn send_followed(&mut self, to: Rank, tag: Tag, bytes: *const [u8]) -> Result<Op> {
        if to == self.rank() || !self.takes_long || !self.has_stream(to, tag) {
            // SAFETY: the contract of this method.
            return unsafe { self.send(to, tag, bytes) };
        }
        if is_short(tag) {
            // SAFETY: the bytes are valid until this returns.
            self.streams.add(to, tag, unsafe { &*bytes })?;
            return Ok(SENT);
        }
        // SAFETY: the bytes are valid and unchanged until the operation is over.
        let rest = unsafe { self.streams.lend(to, tag, bytes)? };
        Ok(self.operations.sending(rest))
    }

    unsafe fn receive(&mut self, from: Rank, tag: Tag, bytes: *mut [u8]) -> Result<Op> {
        if !self.has_stream(from, tag) {
            // SAFETY: the bytes are valid until the operation is over (contract of [`Fabric::receive`]).
            let op = unsafe { self.mpi.receive(from, tag, bytes)? };
            return self.mpi_op(op);
        }
        self.operations.has_arrived = false;
        // SAFETY: the bytes are valid until the operation is over (contract of [`Fabric::receive`]).
        Ok(unsafe { self.operations.receiving(Some(from), tag, bytes) })
    }

    unsafe fn receive_any(&mut self, tag: Tag, bytes: *mut [u8]) -> Result<Op> {
        if !is_short(tag) {
            // SAFETY: the bytes are valid until the operation is over (contract of [`Fabric::receive_any`]).
            let op = unsafe { self.mpi.receive_any(tag, bytes)? };
            return self.mpi_op(op);
        }
        self.operations.has_arrived = false;
        // SAFETY: the bytes are valid until the operation is over (contract of [`Fabric::receive_any`]).
        Ok(unsafe { self.operations.receiving(None, tag, bytes) })
    }

    fn test(&mut self, op: Op) -> Result<Option<(Rank, usize)>> {
        if op == SENT {
            return Ok(Some((self.rank(), 0)));
        }
        if op.0 & MARK == 0 {
            let done = self.mpi.test(op)?;
            if done.is_none() && self.streams.is_sending() {
                // An error is one of the fabric, which the next operation of a stream reports: this one continues.
                self.failed = self.progress().err();
            }
            return Ok(done);
        }
        if let State::Receiving { .. } | State::Arriving | State::Sending(_) =
            self.operations.state(op)
        {
            self.progress().inspect_err(|error| self.failed = Some(error.clone()))?;
        }
        match self.operations.state(op) {
            State::Receiving { .. } | State::Arriving => return Ok(None),
            State::Sending(rest) if !self.streams.has_sent(*rest) => return Ok(None),
            State::Free => return Err(Error::Invalid(format!("{op:?} is over"))),
            _ => {}
        }
        match self.operations.end(op) {
            State::Received { from, len } => Ok(Some((from, len))),
            State::TooLong(error) => Err(error),
            _ => Ok(Some((self.rank(), 0))),
        }
    }

    fn eager(&self) -> usize {
        EAGER
    }

    /// If long messages go over streams, too.
    fn sends_by_itself(&self) -> bool {
        self.takes_long
    }

    fn has_requests_of(&self, process: Rank) -> bool {
        self.streams.is_open(process) || self.operations.has_requests_of(process)
    }

    fn reaches(&self, process: Rank) -> bool {
        self.mpi.reaches(process) || self.streams.reaches(process)
    }

    fn moves(&self) -> u64 {
        self.streams.moves()
    }

    fn cancel(&mut self, op: Op) -> Result<bool> {
        if op.0 & MARK == 0 {
            return self.mpi.cancel(op);
        }
        if op == SENT {
            return Ok(true);
        }
        match self.operations.end(op) {
            State::Arriving => self.streams.forget(Operations::number(op)),
            State::Sending(rest) => self.streams.copy(rest),
            _ => {}
        }
        Ok(true)
    }

    fn window(&mut self) -> Option<&mut dyn Window> {
        self.mpi.window()
    }

    fn close(&mut self) -> Result<()> {
        self.end_beat()?;
        self.mpi.close()
    }
}
