//! A stream of frames: short messages of any kind between two processes, in order, over a TCP connection that does not
//! block.

use crate::rank::Rank;
use crate::server::Tag;
use rustix::net::sockopt;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

/// Bytes before those of the message: their number, and the kind.
const HEADER: usize = 6;
/// Room for bytes that have arrived, unless a frame is longer.
const ROOM: usize = 64 << 10;
/// Most bytes of a message. The settings allow a little more than 16 MiB.
const MOST: usize = 64 << 20;
/// Time without a message after which the system asks whether the other end is there.
const IDLE: Duration = Duration::from_secs(60);
/// Time between two of these questions.
const PROBE: Duration = Duration::from_secs(10);
/// Questions without an answer after which the connection has failed.
const PROBES: u32 = 6;

/// One end of a connection.
#[derive(Debug)]
pub(super) struct Stream {
    tcp: TcpStream,
    peer: Rank,
    input: Vec<u8>,
    /// The bytes of `input` that have arrived and not been taken.
    arrived: Range<usize>,
    output: Vec<u8>,
    /// Bytes of `output` that the system has taken.
    taken: usize,
    /// Bytes that the system had taken when `output` was last empty.
    before: u64,
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
        // Else one that only receives would not learn that the network has failed.
        sockopt::set_socket_keepalive(&tcp, true)?;
        sockopt::set_tcp_keepidle(&tcp, IDLE)?;
        sockopt::set_tcp_keepintvl(&tcp, PROBE)?;
        sockopt::set_tcp_keepcnt(&tcp, PROBES)?;
        Ok(Stream {
            tcp,
            peer,
            input: vec![0; ROOM],
            arrived: 0..0,
            output: Vec::new(),
            taken: 0,
            before: 0,
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

    /// Copies a message behind those that wait, and sends what the system takes. Returns the position in the stream to which
    /// it extends: see [`Stream::has_sent`].
    pub fn send(&mut self, tag: Tag, bytes: &[u8]) -> u64 {
        self.output.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        self.output.extend_from_slice(&tag.get().to_le_bytes());
        self.output.extend_from_slice(bytes);
        let end = self.before + self.output.len() as u64;
        self.flush();
        end
    }

    /// Whether the system has taken all bytes up to this position. True also when the other end receives no more: no
    /// process will read them.
    pub fn has_sent(&self, end: u64) -> bool {
        self.before + self.taken as u64 >= end
    }

    /// Whether there are bytes to send.
    pub fn is_sending(&self) -> bool {
        !self.output.is_empty()
    }

    /// Sends what the system takes.
    pub fn flush(&mut self) {
        while self.taken < self.output.len() && !self.is_deaf {
            match attempt(|| self.tcp.write(&self.output[self.taken..])) {
                Attempt::Bytes(bytes) => self.taken += bytes,
                Attempt::Later => return,
                Attempt::Closed(why) => {
                    self.is_deaf = true;
                    self.failure = self.failure.take().or(why);
                }
            }
        }
        self.before += self.output.len() as u64;
        self.taken = 0;
        self.output.clear();
    }

    /// Receives what has arrived, as far as there is room. Returns whether there was anything.
    pub fn receive(&mut self) -> bool {
        if self.gone.is_some() {
            return false;
        }
        self.make_room();
        let room = &mut self.input[self.arrived.end..];
        match attempt(|| self.tcp.read(room)) {
            Attempt::Bytes(bytes) => {
                self.arrived.end += bytes;
                true
            }
            Attempt::Later => false,
            Attempt::Closed(why) => {
                // The system tells each error once.
                self.failure = self.failure.take().or(why);
                self.close();
                false
            }
        }
    }

    /// The next message that has arrived as a whole: the number of its kind, and its bytes.
    pub fn next(&mut self) -> Option<(u16, &[u8])> {
        let frame = self.frame()?;
        if frame > self.arrived.len() {
            return None;
        }
        let message = self.arrived.start + HEADER..self.arrived.start + frame;
        let kind = &self.input[message.start - size_of::<u16>()..message.start];
        let kind = u16::from_le_bytes(kind.try_into().expect("two bytes"));
        self.arrived.start = message.end;
        Some((kind, &self.input[message]))
    }

    /// Bytes of the first frame that has arrived at least in part.
    fn frame(&mut self) -> Option<usize> {
        let header = self.input[self.arrived.clone()].get(..size_of::<u32>())?;
        let len = u32::from_le_bytes(header.try_into().expect("four bytes")) as usize;
        if len > MOST {
            // No process of the job writes that.
            let _ = self.tcp.shutdown(Shutdown::Both);
            self.close();
            self.arrived = 0..0;
            return None;
        }
        Some(HEADER + len)
    }

    /// Makes room behind what has arrived: for a byte at least, and for the rest of the first frame.
    fn make_room(&mut self) {
        if self.arrived.is_empty() {
            self.arrived = 0..0;
        }
        let frame = self.frame().unwrap_or(HEADER);
        let ends_within = self.arrived.start + frame <= self.input.len();
        if ends_within && self.arrived.end < self.input.len() {
            return;
        }
        self.input.copy_within(self.arrived.clone(), 0);
        self.arrived = 0..self.arrived.len();
        if frame > self.input.len() {
            self.input.resize(frame, 0);
        }
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
