//! One connection between two hosts, and its first bytes.

use crate::process::goodbye::GOODBYE;
use rustix::net::sockopt;
use std::io::{self, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Bytes of the greeting: the token of the host that is connected to, and the number of the one that connects.
pub(super) const GREETING: usize = 12;
/// Bytes of the welcome: the token of the host that has connected.
pub(super) const WELCOME: usize = 8;

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
    /// This host has connected to another one, at the last of `tried` addresses of it, and waits for the welcome.
    Welcome { host: u32, tried: usize },
    /// Both ends know of each other.
    Made { host: u32 },
}

impl Connection {
    /// Until when the other end must send its greeting.
    pub fn until(&self) -> Option<Instant> {
        match self.stage {
            Stage::Greeting { until } => Some(until),
            _ => None,
        }
    }

    /// Whether that time is over.
    pub fn is_late(&self, now: Instant) -> bool {
        self.until().is_some_and(|until| until <= now)
    }

    /// Sends the goodbye to the other end, if it is a host.
    pub fn send_goodbye(&mut self) {
        if !matches!(self.stage, Stage::Greeting { .. }) {
            // It may have gone before.
            let _ = self.stream.write_all(GOODBYE);
        }
    }
}

/// The first bytes of the host that connects.
pub(super) fn greeting(token: u64, host: u32) -> [u8; GREETING] {
    let mut bytes = [0; GREETING];
    bytes[..8].copy_from_slice(&token.to_le_bytes());
    bytes[8..].copy_from_slice(&host.to_le_bytes());
    bytes
}

/// The reply of the other end, with the token of the host that has connected.
pub(super) fn welcome(token: u64) -> [u8; WELCOME] {
    token.to_le_bytes()
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
