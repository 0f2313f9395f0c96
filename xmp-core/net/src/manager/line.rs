//! Requests and answers of PMI-1: a line of words `key=value`, the first of which is the command.

use crate::error::{Error, Result};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::os::fd::OwnedFd;
use std::time::Instant;

/// Most bytes of a request with its end: Slurm takes the rest of a longer one for another request, and reports success.
const REQUEST: usize = 1024;
/// Most bytes of an answer.
const ANSWER: usize = 64 << 10;

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer(pub String);

impl Answer {
    /// The value of a key. Values contain no spaces.
    pub fn value(&self, key: &str) -> Option<&str> {
        let pairs = self.0.split(' ').filter_map(|word| word.split_once('='));
        pairs.into_iter().find(|(its, _)| *its == key).map(|(_, value)| value)
    }

    /// The number that a key has.
    pub fn number<T: std::str::FromStr>(&self, key: &str) -> Option<T> {
        self.value(key)?.parse().ok()
    }

    /// Whether it reports success, as one without a code does.
    pub fn is_success(&self) -> bool {
        self.value("rc").is_none_or(|code| code == "0")
    }
}

/// The connection to a server, by which one line goes and one comes at a time.
#[derive(Debug)]
pub(super) struct Lines {
    server: OwnedFd,
    /// The received bytes that were not taken.
    arrived: Vec<u8>,
    /// When to give up.
    until: Instant,
}

impl Lines {
    pub fn new(server: OwnedFd, until: Instant) -> Lines {
        Lines { server, arrived: Vec::new(), until }
    }

    /// The descriptor of the connection.
    #[cfg(test)]
    pub fn descriptor(&self) -> std::os::fd::RawFd {
        std::os::fd::AsRawFd::as_raw_fd(&self.server)
    }

    /// Sends a request and waits for its answer.
    ///
    /// # Errors
    /// When the request is too long, the server has gone, or no answer comes in time.
    pub fn ask(&mut self, request: &str) -> Result<Answer> {
        self.send(request)?;
        self.next()
    }

    /// Sends a request.
    ///
    /// # Errors
    /// When it is too long, or the server has gone.
    pub fn send(&mut self, request: &str) -> Result<()> {
        let line = format!("{request}\n");
        if line.len() > REQUEST {
            let len = line.len();
            return Err(Error::Invalid(format!("a request of {len} bytes to a server of PMI-1")));
        }
        let mut rest = line.as_bytes();
        while !rest.is_empty() {
            self.wait(PollFlags::OUT)?;
            // Not by `write`: its signal would end a process whose server has gone.
            match rustix::net::send(&self.server, rest, rustix::net::SendFlags::NOSIGNAL) {
                Ok(sent) => rest = &rest[sent..],
                Err(Errno::INTR | Errno::AGAIN) => {}
                Err(error) => {
                    return Err(Error::os("cannot write to the process manager", error.into()));
                }
            }
        }
        Ok(())
    }

    /// Waits for the next line of the server.
    ///
    /// # Errors
    /// When the server has gone, or no line comes in time.
    pub fn next(&mut self) -> Result<Answer> {
        loop {
            if let Some(end) = self.arrived.iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.arrived.drain(..=end).collect();
                return Ok(Answer(String::from_utf8_lossy(&line[..end]).into_owned()));
            }
            if self.arrived.len() > ANSWER {
                return Err(Error::system("process manager", "it sends a line without an end"));
            }
            self.wait(PollFlags::IN)?;
            let mut room = [0; 4096];
            match rustix::io::read(&self.server, &mut room) {
                Ok(0) => {
                    return Err(Error::system("process manager", "it has closed its connection"));
                }
                Ok(bytes) => self.arrived.extend(&room[..bytes]),
                Err(Errno::INTR | Errno::AGAIN) => {}
                Err(error) => {
                    return Err(Error::os("cannot read from the process manager", error.into()));
                }
            }
        }
    }

    /// Waits until the server can be written to, or read from.
    fn wait(&self, what: PollFlags) -> Result<()> {
        let left = self.until.saturating_duration_since(Instant::now());
        let left = Timespec::try_from(left).unwrap_or(Timespec { tv_sec: i64::MAX, tv_nsec: 0 });
        match poll(&mut [PollFd::new(&self.server, what)], Some(&left)) {
            Ok(0) => Err(Error::system(
                "process manager",
                "not all processes of the job have come in time",
            )),
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(Error::os("cannot wait for the process manager", error.into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_in_any_order() {
        let answer = Answer("cmd=get_result rc=0 msg=success value=a=b".into());
        assert_eq!(answer.value("value"), Some("a=b"));
        assert_eq!(answer.number::<i32>("rc"), Some(0));
        assert_eq!(answer.value("alue"), None);
        assert!(answer.is_success());
        // Older servers report codes of failures only.
        assert!(Answer("cmd=barrier_out".into()).is_success());
        assert!(
            !Answer("cmd=get_result rc=-1 msg=key_nokey_not_found value=unknown".into())
                .is_success()
        );
    }
}
