//! Whether the other end of a connection is still there: the system asks, and ends the connection when there is no answer for the
//! time after which a host counts as lost.

use rustix::net::sockopt;
use std::io;
use std::net::TcpStream;
use std::time::Duration;

/// Most questions without an answer before a connection ends. So few that the first one comes after [`super::fabric::GRACE`]
/// at the latest.
const MAX_UNANSWERED: u32 = 5;

/// Has the system ask. Else a process that only receives would not learn that the network has failed.
///
/// # Errors
/// When the system refuses.
pub(crate) fn ask(tcp: &TcpStream, timeout: Duration) -> io::Result<()> {
    let [idle, interval, count] = questions(timeout);
    let seconds = |number| Duration::from_secs(u64::from(number));
    sockopt::set_socket_keepalive(tcp, true)?;
    sockopt::set_tcp_keepidle(tcp, seconds(idle))?;
    sockopt::set_tcp_keepintvl(tcp, seconds(interval))?;
    Ok(sockopt::set_tcp_keepcnt(tcp, count)?)
}

/// Seconds of silence before the first question, and between two of them, and the number of questions without an answer after
/// which the connection ends. Together they last for the timeout, to the second.
///
/// The silence may have begun before the loss, by the seconds that precede the first question. So a connection may end that
/// much before the time is over; the fabric waits as long for those that name the lost host (`XMP_HOST_TIMEOUT`).
fn questions(timeout: Duration) -> [u32; 3] {
    // The system takes from 1 to 32767 seconds for each.
    let seconds = u32::try_from(timeout.as_secs()).unwrap_or(u32::MAX).clamp(2, 32767);
    let count = (seconds - 1).min(MAX_UNANSWERED);
    let interval = (seconds - 1) / count;
    [seconds - count * interval, interval, count]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sockets::fabric::GRACE;

    #[test]
    fn questions_last_as_long_as_a_host_may_be_silent() {
        assert_eq!(questions(Duration::from_secs(90)), [5, 17, 5]);
        assert_eq!(questions(Duration::from_secs(2)), [1, 1, 1]);
        for seconds in (2..1000).chain([28800, 32767]) {
            let [idle, interval, count] = questions(Duration::from_secs(u64::from(seconds)));
            assert!(idle >= 1 && interval >= 1 && count >= 1);
            assert_eq!(idle + interval * count, seconds, "{seconds}");
            assert!(u64::from(idle) <= GRACE.as_secs(), "{seconds}");
        }
    }

    #[test]
    fn no_timeout_is_refused_by_the_system() {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let tcp = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        for timeout in [Duration::ZERO, Duration::from_secs(28800), Duration::MAX] {
            ask(&tcp, timeout).unwrap();
        }
    }
}
