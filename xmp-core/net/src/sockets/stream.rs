//! A stream of frames: messages between two processes, in order, over a TCP connection that does not block.

use super::input::{Input, Next, Place, header};
use super::output::Output;
use crate::rank::Rank;
use crate::server::Tag;
use rustix::net::sockopt;
use std::io::{self, ErrorKind, Read};
use std::net::{Shutdown, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

/// Most bytes that the system gets, or gives, at once (`README.md`, "Congestion control").
const MAX_TRANSFER: usize = 4 << 20;
/// The same for a control of congestion that paces.
const PACED: usize = 128 << 10;
/// How long a connection by which a long message arrives is not read after it had nothing: a read that finds nothing takes the
/// lock of the socket, for which the packets that arrive wait.
const REST: Duration = Duration::from_micros(2);
/// A connection is read at once while at most this many bytes of its message are missing: two of the longest packets.
const SOON: usize = 128 << 10;

/// The piece for this control of congestion; where that is not known, as for most.
fn piece(control: io::Result<String>) -> usize {
    if control.is_ok_and(|name| name.starts_with("bbr")) { PACED } else { MAX_TRANSFER }
}

/// One end of a connection.
#[derive(Debug)]
pub(super) struct Stream {
    tcp: TcpStream,
    /// Most bytes that the system gets, or gives, at once.
    piece: usize,
    peer: Rank,
    input: Input,
    output: Output,
    /// When a read last found nothing of the long message that arrives.
    empty: Option<Instant>,
    /// Whether the other end receives no more. What it has sent may still arrive.
    is_deaf: bool,
    /// Since when the connection is closed.
    gone: Option<Instant>,
    /// The error of the system that has ended it, if one has.
    failure: Option<io::Error>,
}

impl Stream {
    /// The stream to the process `peer`.
    ///
    /// # Errors
    /// When the system does not let the connection be used so.
    pub fn new(tcp: TcpStream, peer: Rank) -> io::Result<Stream> {
        tcp.set_nodelay(true)?;
        tcp.set_nonblocking(true)?;
        Ok(Stream {
            piece: piece(sockopt::tcp_congestion(&tcp).map_err(io::Error::from)),
            tcp,
            peer,
            input: Input::new(),
            output: Output::default(),
            empty: None,
            is_deaf: false,
            gone: None,
            failure: None,
        })
    }

    /// The process at the other end.
    pub fn peer(&self) -> Rank {
        self.peer
    }

    /// Since when the connection is closed, if it is.
    pub fn gone(&self) -> Option<Instant> {
        self.gone
    }

    /// Why it is, unless the process at the other end has closed it.
    pub fn failure(&self) -> Option<&io::Error> {
        self.failure.as_ref()
    }

    /// Copies a message after those that wait, and sends what the system takes. Returns the position in the stream to which
    /// it extends: see [`Stream::has_sent`].
    pub fn send(&mut self, tag: Tag, bytes: &[u8]) -> u64 {
        self.add(tag, bytes);
        self.flush();
        self.output.end()
    }

    /// Copies a message after those that wait.
    pub fn add(&mut self, tag: Tag, bytes: &[u8]) {
        self.output.add(&header(tag, bytes.len()));
        self.output.add(bytes);
    }

    /// The same without a copy. Returns the position to which it extends.
    ///
    /// # Safety
    /// The bytes stay valid and unchanged until the stream has sent them, or [`Stream::copy`].
    pub unsafe fn lend(&mut self, tag: Tag, bytes: *const [u8]) -> u64 {
        self.output.add(&header(tag, bytes.len()));
        // SAFETY: the contract of this method.
        unsafe { self.output.lend(bytes) };
        self.output.end()
    }

    /// Copies the lent bytes that end at this position, if the system has not taken them.
    pub fn copy(&mut self, end: u64) {
        self.output.copy(end);
    }

    /// Whether the system has taken all bytes up to this position. True also when the other end receives no more: no
    /// process will read them.
    pub fn has_sent(&self, end: u64) -> bool {
        self.output.has_sent(end)
    }

    /// Whether there are bytes to send.
    pub fn is_sending(&self) -> bool {
        !self.output.is_empty()
    }

    /// Sends what the system takes, about a piece: what has arrived may be received between two.
    /// Returns whether it has taken any.
    pub fn flush(&mut self) -> bool {
        let most = if self.input.is_filling() { self.piece / 4 } else { self.piece };
        let mut sent = 0;
        while !self.output.is_empty() && !self.is_deaf {
            match attempt(|| self.output.write(&mut &self.tcp, most - sent)) {
                Attempt::Bytes(bytes) => sent += bytes,
                Attempt::Later => return sent > 0,
                Attempt::Closed(why) => {
                    self.is_deaf = true;
                    self.failure = self.failure.take().or(why);
                }
            }
            if sent >= most {
                return true;
            }
        }
        if self.is_deaf {
            self.output.clear();
        }
        sent > 0
    }

    /// Receives what has arrived, as far as there is room. Returns whether there was anything.
    pub fn receive(&mut self) -> bool {
        if self.gone.is_some() {
            return false;
        }
        if self.empty.is_some_and(|empty| empty.elapsed() < REST) {
            return false;
        }
        self.empty = None;
        let is_long = self.input.missing() > SOON;
        let room = self.input.room(self.piece);
        if room.is_empty() {
            return false;
        }
        match attempt(|| (&self.tcp).read(room)) {
            Attempt::Bytes(bytes) => {
                self.input.filled(bytes);
                true
            }
            Attempt::Later => {
                self.empty = is_long.then(Instant::now);
                false
            }
            Attempt::Closed(why) => {
                // The system tells each error once.
                self.failure = self.failure.take().or(why);
                self.close();
                false
            }
        }
    }

    /// Whether a long message waits for its place.
    pub fn is_held(&self) -> bool {
        self.input.is_held()
    }

    /// What comes next of that which has arrived.
    pub fn next(&mut self) -> Next<'_> {
        if self.input.is_broken() {
            let _ = self.tcp.shutdown(Shutdown::Both);
            self.close();
            return Next::None;
        }
        self.input.next()
    }

    /// Gives the long message that comes next a place.
    ///
    /// # Safety
    /// That of [`Input::begin`].
    pub unsafe fn begin(&mut self, place: Place) {
        // SAFETY: the contract of this method.
        unsafe { self.input.begin(place) }
    }

    /// Lets the long message for this operation, if it is arriving, go nowhere.
    pub fn forget(&mut self, operation: usize) {
        self.input.forget(operation);
    }

    #[cold]
    fn close(&mut self) {
        self.is_deaf = true;
        self.gone.get_or_insert_with(Instant::now);
    }
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.tcp.as_fd()
    }
}

/// The outcome of one transfer from or to the system.
enum Attempt {
    Bytes(usize),
    /// Not without waiting.
    Later,
    Closed(Option<io::Error>),
}

fn attempt(mut transfer: impl FnMut() -> io::Result<usize>) -> Attempt {
    loop {
        return match transfer() {
            Ok(0) => Attempt::Closed(None),
            Ok(bytes) => Attempt::Bytes(bytes),
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) if error.kind() == ErrorKind::WouldBlock => Attempt::Later,
            Err(error) => Attempt::Closed(Some(error)),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_that_pace_get_short_pieces() {
        let named = |name: &str| piece(Ok(name.to_string()));
        assert_eq!(
            ["cubic", "reno", "bbr", "bbr2"].map(named),
            [MAX_TRANSFER, MAX_TRANSFER, PACED, PACED]
        );
        assert_eq!(piece(Err(io::ErrorKind::Unsupported.into())), MAX_TRANSFER);
    }
}
