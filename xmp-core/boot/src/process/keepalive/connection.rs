//! One connection between two hosts, and its first bytes: the same as of connections for messages ([`Card`]), and a
//! welcome.

use super::description::Description;
use crate::process::goodbye::GOODBYE;
use crate::rank::Rank;
use crate::sockets::{ANSWER, CONFIRMATION, Card, GREETING, Nonce, nonce};
use rustix::net::sockopt;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// The byte by which the host that was connected to says that it knows of the other one, and reports its end.
pub(super) const WELCOME: &[u8] = b"w";

/// A connection.
#[derive(Debug)]
pub(super) struct Connection {
    pub stream: TcpStream,
    pub stage: Stage,
}

/// The progress of a connection.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stage {
    /// A process has connected, and must send its greeting until then.
    Greeting { until: Instant },
    /// It has sent the greeting of this host, was answered, and must confirm until then.
    Confirmation { host: u32, nonces: [Nonce; 2], until: Instant },
    /// This host has connected to another one, at the last of `tried` addresses of it, with this number in the greeting, and waits
    /// for the answer.
    Answer { host: u32, tried: usize, nonce: Nonce },
    /// It has confirmed, and waits for the welcome.
    Welcome { host: u32, tried: usize },
    /// Both ends know of each other.
    Made { host: u32 },
}

impl Connection {
    /// Until when the other end must show who it is.
    pub fn until(&self) -> Option<Instant> {
        match self.stage {
            Stage::Greeting { until } | Stage::Confirmation { until, .. } => Some(until),
            _ => None,
        }
    }

    /// Whether that time is over.
    pub fn is_late(&self, now: Instant) -> bool {
        self.until().is_some_and(|until| until <= now)
    }

    /// Sends the goodbye to the other end, if it is a host that may know of this one.
    pub fn send_goodbye(&mut self) {
        if matches!(self.stage, Stage::Welcome { .. } | Stage::Made { .. }) {
            // It may have gone before.
            let _ = self.stream.write_all(GOODBYE);
        }
    }

    /// Reads the greeting for the host `own`, which has this card, and answers. Returns the number of the host that has sent it, and
    /// the numbers that both ends use once; `None`: a stranger.
    pub fn answered(&mut self, own: u32, card: &Card) -> Option<(u32, [Nonce; 2])> {
        let greeting: [u8; GREETING] = self.received()?;
        let (caller, its) = card.caller(&greeting)?;
        let mine = nonce().ok()?;
        // The system takes so few bytes at once.
        self.stream.write_all(&card.answer(Rank::new(own), &its, &mine)).ok()?;
        Some((caller.get(), [its, mine]))
    }

    /// Whether the other end, the host of this number, confirms that it has sent the greeting.
    pub fn is_confirmed(&mut self, host: u32, [its, mine]: &[Nonce; 2], card: &Card) -> bool {
        let expected = card.confirmation(Rank::new(host), [its, mine]);
        self.received::<CONFIRMATION>().is_some_and(|received| received == expected)
    }

    /// Reads the answer of the host that this one, `own`, has greeted with this number, and confirms; whether it is that host.
    pub fn confirms(&mut self, own: u32, host: u32, its: &Description, mine: &Nonce) -> bool {
        let answer = self.received::<ANSWER>();
        let Some((answers, other)) = answer.and_then(|answer| its.card.answers(&answer, mine))
        else {
            return false;
        };
        let confirmation = its.card.confirmation(Rank::new(own), [mine, &other]);
        answers.get() == host && self.stream.write_all(&confirmation).is_ok()
    }

    /// Whether the other end has sent the welcome.
    pub fn is_welcomed(&mut self) -> bool {
        self.received().is_some_and(|byte: [u8; 1]| byte == WELCOME)
    }

    /// So many bytes, which arrive together.
    fn received<const COUNT: usize>(&mut self) -> Option<[u8; COUNT]> {
        let mut bytes = [0; COUNT];
        let count = self.stream.read(&mut bytes).ok()?;
        (count == COUNT).then_some(bytes)
    }
}

/// Configures a connection: it does not block, and counts as closed when the other end has answered no probe for
/// `timeout`.
pub(super) fn make_ready(stream: &TcpStream, timeout: Duration) -> io::Result<()> {
    let [idle, interval, count] = questions(timeout);
    let seconds = |number| Duration::from_secs(u64::from(number));
    // Where an option cannot be set, the system's own times hold.
    let _ = sockopt::set_socket_keepalive(stream, true);
    let _ = sockopt::set_tcp_keepidle(stream, seconds(idle));
    let _ = sockopt::set_tcp_keepintvl(stream, seconds(interval));
    let _ = sockopt::set_tcp_keepcnt(stream, count);
    stream.set_nonblocking(true)
}

/// Seconds of silence before the first probe, between two probes, and number of probes without an answer after which
/// the other end is gone. Together they last for the timeout, to the second.
fn questions(timeout: Duration) -> [u32; 3] {
    let seconds = u32::try_from(timeout.as_secs()).unwrap_or(u32::MAX).clamp(1, i32::MAX as u32);
    let interval = (seconds / 9).max(1);
    let count = ((seconds - 1) / interval).clamp(1, 7);
    [seconds.saturating_sub(count * interval).max(1), interval, count]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_last_as_long_as_a_host_may_be_silent() {
        assert_eq!(questions(Duration::from_secs(90)), [20, 10, 7]);
        for seconds in (2..1000).chain([28800]) {
            let [idle, interval, count] = questions(Duration::from_secs(seconds as u64));
            assert!(idle >= 1 && interval >= 1 && count >= 1);
            assert_eq!(idle + interval * count, seconds, "{seconds}");
        }
    }
}
