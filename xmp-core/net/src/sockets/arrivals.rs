//! Connections that arrive at a listener: which of them come from processes of the job. All greetings are read at the same time, so
//! that no connection waits for a stranger that sends nothing, or slowly.

use super::handshake::{ANSWER, CONFIRMATION, Card, GREETING, Nonce, nonce};
use crate::rank::Rank;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// Most connections that are read from at a time. Beyond that the oldest goes: a process of the job has sent its greeting before its
/// connection is accepted, so that it is among them for no time.
const READ_AT_A_TIME: usize = 128;

/// A connection whose greeting, or confirmation, has not arrived in full.
#[derive(Debug)]
struct Waiting {
    tcp: TcpStream,
    /// The sender of the greeting and the numbers of both ends, when it has come.
    greeted: Option<Greeted>,
    bytes: [u8; GREETING],
    len: usize,
    until: Instant,
}

/// A process that has greeted and was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Greeted {
    pub rank: Rank,
    nonces: [Nonce; 2],
}

impl Greeted {
    /// Whether these bytes confirm that it knows the secret of the card.
    fn is_confirmed_by(&self, bytes: &[u8], card: &Card) -> bool {
        let [its, mine] = &self.nonces;
        card.confirmation(self.rank, [its, mine]) == bytes
    }
}

/// The connections that arrive for the process `me`, which has this card.
#[derive(Debug)]
pub(crate) struct Arrivals<'a> {
    me: Rank,
    card: &'a Card,
    /// Where they come from, if more may come.
    listener: Option<&'a TcpListener>,
    /// How long a connection may take for what it has to send.
    stranger: Duration,
    /// Whether the confirmation is waited for here.
    is_confirmed: bool,
    waiting: Vec<Waiting>,
}

impl<'a> Arrivals<'a> {
    /// Those of this listener, which does not block. `is_confirmed`: those that arrive have confirmed, too, which takes them a round
    /// trip; otherwise [`Arrivals::of_greeted`] waits for that later.
    pub fn new(
        me: Rank,
        card: &'a Card,
        listener: &'a TcpListener,
        stranger: Duration,
        is_confirmed: bool,
    ) -> Arrivals<'a> {
        let (listener, waiting) = (Some(listener), Vec::new());
        Arrivals { me, card, listener, stranger, is_confirmed, waiting }
    }

    /// Those of these that confirm until then. Of several that have the greeting of one process all but one have repeated it.
    pub fn of_greeted(
        me: Rank,
        card: &'a Card,
        greeted: Vec<(Greeted, TcpStream)>,
        until: Instant,
    ) -> io::Result<Arrivals<'a>> {
        let waiting = |(greeted, tcp): (Greeted, TcpStream)| {
            tcp.set_nonblocking(true)?;
            let (greeted, bytes) = (Some(greeted), [0; GREETING]);
            Ok(Waiting { tcp, greeted, bytes, len: 0, until })
        };
        let waiting = greeted.into_iter().map(waiting).collect::<io::Result<_>>()?;
        let (listener, stranger) = (None, Duration::ZERO);
        Ok(Arrivals { me, card, listener, stranger, is_confirmed: true, waiting })
    }

    /// The next process of the job among those that `is_expected`; others are dropped.
    ///
    /// # Errors
    /// When none comes until then.
    pub fn next(
        &mut self,
        until: Instant,
        is_expected: impl Fn(Rank) -> bool,
    ) -> io::Result<(Greeted, TcpStream)> {
        loop {
            self.accept()?;
            if let Some(found) = self.look(&is_expected) {
                return Ok(found);
            }
            let ends = self.waiting.iter().map(|waiting| waiting.until);
            let next = ends.chain([until]).min().unwrap_or(until);
            left(until)?;
            let left = next.saturating_duration_since(Instant::now());
            let left = Timespec::try_from(left).unwrap_or(Timespec { tv_sec: 1, tv_nsec: 0 });
            let waiting =
                self.waiting.iter().map(|waiting| PollFd::new(&waiting.tcp, PollFlags::IN));
            let listener = self.listener.map(|listener| PollFd::new(listener, PollFlags::IN));
            let mut all: Vec<PollFd<'_>> = waiting.chain(listener).collect();
            match poll(&mut all, Some(&left)) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Accepts what has come.
    fn accept(&mut self) -> io::Result<()> {
        while let Some(listener) = self.listener {
            match listener.accept() {
                Ok((tcp, _)) => {
                    tcp.set_nonblocking(true)?;
                    if self.waiting.len() == READ_AT_A_TIME {
                        self.waiting.remove(0);
                    }
                    let until = Instant::now() + self.stranger;
                    let bytes = [0; GREETING];
                    self.waiting.push(Waiting { tcp, greeted: None, bytes, len: 0, until });
                    // What it has sent is read before it may have to go.
                    if self.waiting.len() == READ_AT_A_TIME {
                        return Ok(());
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                // It has gone while it waited.
                Err(error) if error.kind() == ErrorKind::ConnectionAborted => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Reads what has come, and returns the first process that has arrived.
    fn look(&mut self, is_expected: &impl Fn(Rank) -> bool) -> Option<(Greeted, TcpStream)> {
        let mut at = 0;
        while at < self.waiting.len() {
            match self.step(at, is_expected) {
                Step::Waits => at += 1,
                Step::Stranger => drop(self.waiting.remove(at)),
                Step::Arrived(greeted) => {
                    let Waiting { tcp, .. } = self.waiting.remove(at);
                    if tcp.set_nonblocking(false).is_ok() {
                        return Some((greeted, tcp));
                    }
                }
            }
        }
        None
    }

    /// Reads what has come from one of them.
    fn step(&mut self, at: usize, is_expected: &impl Fn(Rank) -> bool) -> Step {
        let (me, card, is_confirmed) = (self.me, self.card, self.is_confirmed);
        let waiting = &mut self.waiting[at];
        loop {
            let wanted = if waiting.greeted.is_none() { GREETING } else { CONFIRMATION };
            match waiting.tcp.read(&mut waiting.bytes[waiting.len..wanted]) {
                Ok(0) => return Step::Stranger,
                Ok(count) => waiting.len += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    let is_late = Instant::now() >= waiting.until;
                    return if is_late { Step::Stranger } else { Step::Waits };
                }
                Err(_) => return Step::Stranger,
            }
            if waiting.len < wanted {
                continue;
            }
            waiting.len = 0;
            let Some(greeted) = waiting.greeted else {
                let Some((rank, its)) =
                    card.caller(&waiting.bytes).filter(|&(rank, _)| is_expected(rank))
                else {
                    return Step::Stranger;
                };
                let Ok(mine) = nonce() else { return Step::Stranger };
                let greeted = Greeted { rank, nonces: [its, mine] };
                let answer: [u8; ANSWER] = card.answer(me, &its, &mine);
                // The system takes so few bytes at once.
                if waiting.tcp.write_all(&answer).is_err() {
                    return Step::Stranger;
                }
                if !is_confirmed {
                    return Step::Arrived(greeted);
                }
                waiting.greeted = Some(greeted);
                continue;
            };
            return if greeted.is_confirmed_by(&waiting.bytes[..CONFIRMATION], card) {
                Step::Arrived(greeted)
            } else {
                Step::Stranger
            };
        }
    }
}

/// What has become of a connection.
enum Step {
    Waits,
    Stranger,
    Arrived(Greeted),
}

/// The time until then, if there is any.
pub(crate) fn left(until: Instant) -> io::Result<Duration> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
}
