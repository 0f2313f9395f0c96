//! Connections between hosts that carry nothing, and by which it is noticed that a host has gone: when all its processes
//! are killed, the system closes them at once, and when it loses its power or its network, it does not answer any more.
//! Launchers of MPI notice the first only, and name the host at best.
//!
//! The leaders of the hosts are a tree. Each listens for those below it and connects to the one above it, with what all
//! told one another when the job started ([`about`]). Each gives its guard ([`super::guard`]) a copy of its connections:
//! they stay open when an image dies, which the guard says, with a *farewell* to the neighbours, one byte. Whoever leaves in
//! any other way that others learn of sends the farewell, too. So a connection that closes without one means that image and
//! guard are gone together. What is said then is true also where it is only one of the things that happen when a launcher
//! ends a job; in that case this process is killed, too, or knows already that the job is ending.
//!
//! Messages of images never come here.

mod about;

use super::guard;
use crate::error::{Error, Result};
use crate::failure;
use crate::job::Job;
use crate::launch::say;
use crate::launch::wake::Wake;
use crate::plugin::{Plugin, Scope};
use crate::sync::Ordering;
use about::About;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read, Write};
use std::mem::size_of_val;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread::JoinHandle;
use std::time::Duration;

/// Hosts below one in the tree, at most.
const BELOW: u32 = 32;
/// What is sent by who leaves.
pub(super) const FAREWELL: &[u8] = b"b";
/// How long an address is tried.
const PATIENCE: Duration = Duration::from_millis(500);
/// How long somebody who has connected has to say who it is.
const LISTENING: Duration = Duration::from_secs(2);
/// Token and number of who connects.
const GREETING: usize = 12;

/// The connections of this host. They are closed, with a farewell, when this is dropped.
#[derive(Debug)]
pub(super) struct Lifelines {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    stop: AtomicBool,
    wake: Wake,
}

/// A connection to a host that lives.
#[derive(Debug)]
struct Line {
    host: u32,
    stream: TcpStream,
}

impl Lifelines {
    /// Connects the hosts of a job; `None` where there is one only, or in an image that leads none. Collective over the
    /// leaders. Connections are made later: nobody waits for them, and one that cannot be made is not there.
    ///
    /// # Errors
    /// When MPI fails, or the system has no thread or descriptor.
    pub(super) fn start(
        job: &Arc<Job>,
        plugin: &Plugin,
        wanted: bool,
    ) -> Result<Option<Lifelines>> {
        if plugin.hosts() < 2 || !plugin.leads() {
            return Ok(None);
        }
        let (listener, mine) = match wanted.then(|| listen(job, &plugin.host_name())) {
            Some(Ok((listener, about))) => (Some(listener), about),
            Some(Err(error)) => {
                tracing::debug!(%error, "no connection that shows whether hosts live");
                (None, About::default())
            }
            None => (None, About::default()),
        };
        let all = plugin.allgather(Scope::LEADERS, &mine.to_bytes())?;
        let Some(listener) = listener else { return Ok(None) };
        let hosts = all.chunks_exact(About::BYTES).map(About::from_bytes).collect();
        let here = Here { job: job.clone(), hosts, number: plugin.host(), keep: guard::keep };
        let shared = Arc::new(Shared { stop: AtomicBool::new(false), wake: Wake::new()? });
        let its = shared.clone();
        let thread = super::thread::start("xmp-lifeline", move || here.watch(&its, &listener))
            .map_err(|error| Error::os("cannot start a thread that watches hosts", error))?;
        Ok(Some(Lifelines { shared, thread: Some(thread) }))
    }
}

impl Drop for Lifelines {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Release);
        self.shared.wake.wake();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was written to standard error.
            let _ = thread.join();
        }
    }
}

/// What a connection shows of the other end.
#[derive(Debug)]
pub(super) enum Sight {
    /// It lives.
    Lives,
    /// It has said farewell.
    Leaves,
    /// It is there no more; the error of the system, if that did not close it.
    Gone(Option<io::Error>),
}

/// Looks at a connection, which does not wait. The farewell stays there: image and guard look at the same connection.
pub(super) fn look(connection: &TcpStream) -> Sight {
    match connection.peek(&mut [0]) {
        Ok(0) => Sight::Gone(None),
        Ok(_) => Sight::Leaves,
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Sight::Lives,
        Err(error) => Sight::Gone(Some(error)),
    }
}

/// Says that a host has gone.
pub(super) fn say_gone(host: &str, error: Option<&io::Error>) {
    match error {
        None => say(format_args!("host {host} is gone: its processes were killed")),
        Some(error) => say(format_args!("host {host} is gone: {error}")),
    }
}

/// The host above this one in the tree.
fn above(host: u32) -> Option<u32> {
    host.checked_sub(1).map(|host| host / BELOW)
}

/// Whether it is `host` that says that `lost` has gone: the one above it, or the first one below it.
fn says(host: u32, lost: u32) -> bool {
    above(lost) == Some(host) || lost.checked_mul(BELOW) == Some(host.wrapping_sub(1))
}

/// Waits for connections at any address, and what is to be said of this host.
fn listen(job: &Job, name: &str) -> io::Result<(TcpListener, About)> {
    let listener = TcpListener::bind((std::net::Ipv6Addr::UNSPECIFIED, 0))
        .or_else(|_| TcpListener::bind((std::net::Ipv4Addr::UNSPECIFIED, 0)))?;
    listener.set_nonblocking(true)?;
    let about = About {
        port: listener.local_addr()?.port(),
        // Seeded by the system.
        token: RandomState::new().hash_one(std::process::id()),
        addresses: about::addresses(),
        text: about::text(name, job.here()),
    };
    Ok((listener, about))
}

/// What the thread knows.
#[derive(Debug)]
struct Here {
    job: Arc<Job>,
    hosts: Vec<About>,
    /// Of this host.
    number: u32,
    /// Has somebody else keep a copy of a connection to the host of this name.
    keep: fn(&TcpStream, &str) -> io::Result<()>,
}

impl Here {
    fn watch(&self, shared: &Shared, listener: &TcpListener) {
        let mut lines = Vec::new();
        if let Some(line) = above(self.number).and_then(|host| self.connect(host, shared)) {
            lines.push(line);
        }
        while !shared.stop.load(Ordering::Acquire) {
            let mut polled = vec![entry(&shared.wake), entry(listener)];
            polled.extend(lines.iter().map(|line| entry(&line.stream)));
            // SAFETY: the array has the length given. Whatever the result is, everything is looked at.
            unsafe { libc::poll(polled.as_mut_ptr(), polled.len() as libc::nfds_t, -1) };
            shared.wake.clear();
            let mut place = 1;
            lines.retain_mut(|line| {
                place += 1;
                polled[place].revents == 0 || self.goes_on(line)
            });
            if polled[1].revents != 0 {
                lines.extend(self.accept(listener));
            }
        }
        for line in &mut lines {
            // It may have gone before.
            let _ = line.stream.write_all(FAREWELL);
        }
    }

    /// Whether a connection on which something has happened is still there. Says what its end means.
    fn goes_on(&self, line: &mut Line) -> bool {
        match look(&line.stream) {
            Sight::Lives => true,
            Sight::Leaves => false,
            Sight::Gone(error) => {
                if failure::ending(&self.job).is_none() {
                    self.lost(line.host, error);
                }
                false
            }
        }
    }

    /// A host has gone: the job ends. Launchers end it, too, if they notice.
    fn lost(&self, host: u32, error: Option<io::Error>) {
        // The guard need not say it, too, if this process is ended now.
        guard::leaves();
        if says(self.number, host) {
            say_gone(&self.hosts[host as usize].text, error.as_ref());
        }
        failure::start_ending(&self.job, None, 1);
    }

    /// A connection to this host, when it is ready and somebody else has a copy.
    fn line(&self, host: u32, stream: TcpStream) -> io::Result<Line> {
        make_ready(&stream)?;
        (self.keep)(&stream, &self.hosts[host as usize].text)?;
        Ok(Line { host, stream })
    }

    /// A connection to a host that listens.
    fn connect(&self, host: u32, shared: &Shared) -> Option<Line> {
        let about = &self.hosts[host as usize];
        let greeting = greeting(about.token, self.number);
        for &address in about.addresses.iter().filter(|_| about.port != 0) {
            if shared.stop.load(Ordering::Acquire) {
                return None;
            }
            let address = SocketAddr::new(address, about.port);
            let stream = TcpStream::connect_timeout(&address, PATIENCE).and_then(|mut stream| {
                stream.write_all(&greeting)?;
                Ok(stream)
            });
            match stream.and_then(|stream| self.line(host, stream)) {
                Ok(line) => return Some(line),
                Err(error) => {
                    tracing::debug!(%address, %error, "host {} cannot be reached", about.text)
                }
            }
        }
        None
    }

    /// A connection that has come, if it is of a host that is to be below this one.
    fn accept(&self, listener: &TcpListener) -> Option<Line> {
        let (mut stream, from) = listener.accept().ok()?;
        let mut bytes = [0; GREETING];
        let read = stream
            .set_nonblocking(false)
            .and_then(|()| stream.set_read_timeout(Some(LISTENING)))
            .and_then(|()| stream.read_exact(&mut bytes));
        let mine = &self.hosts[self.number as usize];
        let its =
            |host: &u32| above(*host) == Some(self.number) && bytes == greeting(mine.token, *host);
        let host = (0..self.hosts.len() as u32).find(|host| read.is_ok() && its(host));
        match host {
            Some(host) => self.line(host, stream).ok(),
            None => {
                tracing::debug!(%from, "a connection of nobody who belongs here");
                None
            }
        }
    }
}

/// What a connection begins with.
fn greeting(token: u64, host: u32) -> [u8; GREETING] {
    let mut bytes = [0; GREETING];
    bytes[..8].copy_from_slice(&token.to_le_bytes());
    bytes[8..].copy_from_slice(&host.to_le_bytes());
    bytes
}

/// Has a connection be as it is to be: nobody waits at it, and it is tried whether the other end lives.
fn make_ready(stream: &TcpStream) -> io::Result<()> {
    /// Seconds of silence before the other end is asked, between two questions, and number of questions without an answer.
    const ALIVE: [(libc::c_int, libc::c_int); 3] =
        [(libc::TCP_KEEPIDLE, 4), (libc::TCP_KEEPINTVL, 2), (libc::TCP_KEEPCNT, 3)];
    let options = ALIVE.map(|(option, value)| (libc::IPPROTO_TCP, option, value));
    for (level, option, value) in
        [(libc::SOL_SOCKET, libc::SO_KEEPALIVE, 1)].into_iter().chain(options)
    {
        // SAFETY: a number, and its length. What cannot be set leaves the system's own times.
        unsafe {
            let len = size_of_val(&value) as libc::socklen_t;
            libc::setsockopt(stream.as_raw_fd(), level, option, (&raw const value).cast(), len);
        }
    }
    stream.set_nonblocking(true)
}

fn entry(fd: &impl AsFd) -> libc::pollfd {
    libc::pollfd { fd: fd.as_fd().as_raw_fd(), events: libc::POLLIN, revents: 0 }
}

#[cfg(test)]
mod tests;
