//! Keep-alive connections between hosts, which carry no data and show that a host has gone. When all its processes are
//! killed, the system closes them at once. When it loses its power or its network, it does not answer probes any more.
//! Launchers of MPI notice the first only, and name the host at best.
//!
//! The leaders of the hosts form a tree. Each listens for those below it and connects to the one above it, by the
//! descriptions that all exchanged when the job started ([`description`]). Each passes its [`monitor`] a copy
//! of its connections. They stay open when an image dies, which the monitor reports, with a *goodbye* to the
//! neighbours, one byte. A leader that leaves in any other way that others learn of sends the goodbye, too. So a
//! connection that closes without one means that image and monitor are gone together. The report is true also where a
//! launcher is ending the job; this process is then killed, too, or knows already that the job is ending.
//!
//! A foreign process may listen where a host is expected, or connect, and a host may reach its end before it has read
//! which process has connected. So both ends first prove that they know a secret of the job, without sending it ([`connection`]). Before they
//! have, the end of a connection means nothing.
//!
//! Messages of images never use these connections.

mod connection;
mod description;

use super::goodbye::{Sight, look, report_gone};
use super::monitor;
use crate::error::{Error, Result};
use crate::failure::{self, departure, end_request};
use crate::job::Job;
use crate::launch::wake::Wake;
use crate::rank::Rank;
use crate::readable;
use crate::settings::Settings;
use crate::sockets::{self, Card, Nonce};
use crate::sync::Ordering;
use crate::world::World;
use connection::{Connection, Stage, WELCOME, make_ready};
use description::Description;
use std::io::{self, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Hosts below one in the tree, at most.
const BELOW: u32 = 32;

/// The time for which an address is tried.
const PATIENCE: Duration = Duration::from_millis(500);
/// The time that a connected process has for its greeting, and for its confirmation.
const LISTENING: Duration = Duration::from_secs(10);
/// Most connections whose other ends have not proved that they are hosts of the job.
const STRANGERS: usize = 64;

/// The connections of this host. They are closed, with a goodbye, when this is dropped.
#[derive(Debug)]
pub(super) struct Lifelines {
    shared: Arc<ThreadState>,
    thread: Option<JoinHandle<()>>,
}

/// The state that the thread shares with its owner.
#[derive(Debug)]
struct ThreadState {
    stop: AtomicBool,
    wake: Wake,
}

impl Lifelines {
    /// Connects the hosts of a job; `None` where there is one only, or in an image that leads none. Collective over the
    /// leaders. Connections are made later: no image waits for them, and one that cannot be made is missing.
    ///
    /// # Errors
    /// When MPI fails, or the system has no thread or descriptor.
    pub(super) fn start(
        job: &Arc<Job>,
        world: &World,
        wanted: bool,
        settings: &Settings,
    ) -> Result<Option<Lifelines>> {
        if world.hosts() < 2 || !world.leads() {
            return Ok(None);
        }
        let interfaces = settings.net_interface.as_deref();
        let (listener, mut mine) = match wanted.then(|| listen(job, &world.host_name(), interfaces))
        {
            Some(Ok((listener, description))) => (Some(listener), description),
            Some(Err(error)) => {
                tracing::debug!(%error, "no keep-alive connections between hosts");
                (None, Description::default())
            }
            None => (None, Description::default()),
        };
        // A secret that all can compute is not sent.
        if world.secret_of_host(world.host()).is_some() {
            mine.card.secret = Default::default();
        }
        let all = world.allgather_leaders(&mine.to_bytes())?;
        let Some(listener) = listener else { return Ok(None) };
        let described = all.chunks_exact(Description::BYTES).map(Description::from_bytes);
        let with_secret = |(host, mut its): (u32, Description)| {
            its.card.secret = world.secret_of_host(host).unwrap_or(its.card.secret);
            its
        };
        let hosts = (0..).zip(described).map(with_secret).collect();
        let watcher = Watcher {
            job: job.clone(),
            hosts,
            number: world.host(),
            is_ended_by_launcher: world.is_ended_by_launcher(),
            keep: monitor::keep,
            timeout: settings.host_timeout,
        };
        let shared = Arc::new(ThreadState { stop: AtomicBool::new(false), wake: Wake::new()? });
        let its = shared.clone();
        let thread =
            crate::service_thread::start("xmp-keepalive", move || watcher.watch(&its, &listener))
                .map_err(|error| {
                Error::no_process("cannot start a thread that watches hosts", error)
            })?;
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

/// The host above this one in the tree.
fn above(host: u32) -> Option<u32> {
    host.checked_sub(1).map(|host| host / BELOW)
}

/// Whether it is `host` that reports the end of `lost`: the one above it, or the first one below it.
fn says(host: u32, lost: u32) -> bool {
    above(lost) == Some(host) || lost.checked_mul(BELOW) == Some(host.wrapping_sub(1))
}

/// Listens at any address; returns the listener and the description of this host.
fn listen(
    job: &Job,
    name: &str,
    interfaces: Option<&str>,
) -> io::Result<(TcpListener, Description)> {
    let mut card = Card::default();
    let listener = sockets::listen(&mut card, interfaces).map_err(io::Error::other)?;
    let description = Description { card, text: description::text(name, job.region_ranks()) };
    Ok((listener, description))
}

/// The state of the thread.
#[derive(Debug)]
struct Watcher {
    job: Arc<Job>,
    hosts: Vec<Description>,
    /// Number of this host.
    number: u32,
    /// Passes a copy of a connection to the host of this name to the monitor.
    keep: fn(&TcpStream, &str) -> io::Result<()>,
    /// The time for which a host may be silent.
    timeout: Duration,
    /// Whether a launcher ends the job when an image has died.
    is_ended_by_launcher: bool,
}

impl Watcher {
    fn watch(&self, shared: &ThreadState, listener: &TcpListener) {
        let mut connections = Vec::new();
        connections.extend(above(self.number).and_then(|host| self.connect(host, 0, shared)));
        // No more when the system has no descriptor for another connection.
        let mut listens = true;
        while !shared.stop.load(Ordering::Acquire) {
            let mut polled = vec![readable::entry(&shared.wake)];
            polled.extend(connections.iter().map(|connection| readable::entry(&connection.stream)));
            polled.extend(listens.then(|| readable::entry(listener)));
            readable::wait(&mut polled, time_left(&connections));
            let ready: Vec<bool> = polled.iter().map(readable::is_ready).collect();
            shared.wake.clear();
            let comes = listens && ready.last() == Some(&true);
            let looked_at = connections.into_iter().zip(&ready[1..]);
            connections = looked_at
                .filter_map(|(connection, is_ready)| {
                    if *is_ready {
                        self.goes_on(connection, shared)
                    } else {
                        Some(connection).filter(|connection| !connection.is_late(Instant::now()))
                    }
                })
                .collect();
            if comes {
                match self.accept(listener, &connections) {
                    Ok(connection) => connections.extend(connection),
                    Err(error) => {
                        tracing::debug!(%error, "no more hosts can connect");
                        listens = false;
                    }
                }
            }
        }
        connections.iter_mut().for_each(Connection::send_goodbye);
    }

    /// Handles a connection with an event; returns it, or the one that replaces it. Reports the end of a host.
    fn goes_on(&self, connection: Connection, shared: &ThreadState) -> Option<Connection> {
        match connection.stage {
            Stage::Greeting { .. } => self.greeted(connection),
            Stage::Confirmation { host, nonces, .. } => self.confirmed(connection, host, &nonces),
            Stage::Answer { host, tried, nonce } => {
                self.is_answered(connection, (host, tried), &nonce, shared)
            }
            Stage::Welcome { host, tried } => self.welcomed(connection, host, tried, shared),
            Stage::Made { host } => match look(&connection.stream) {
                Sight::Lives => Some(connection),
                Sight::Leaves => None,
                Sight::Dies => {
                    end_request::withdraw(&self.job);
                    if !self.is_ended_by_launcher {
                        // With its leader, a host has lost its server. The monitor has reported the death.
                        departure::announce();
                        failure::start_ending(&self.job, None, 1);
                    }
                    None
                }
                Sight::Gone(error) => {
                    if failure::ending(&self.job).is_none() {
                        self.lost(host, error);
                    }
                    None
                }
            },
        }
    }

    /// A host has gone: the job ends. Launchers end it, too, if they notice.
    fn lost(&self, host: u32, error: Option<io::Error>) {
        // The monitor need not report it, too, if this process is ended now.
        departure::announce();
        if says(self.number, host) {
            report_gone(&self.hosts[host as usize].text, error.as_ref());
        }
        failure::start_ending(&self.job, None, 1);
    }

    /// Passes a copy of a connection to this host to the monitor.
    fn keep(&self, host: u32, stream: &TcpStream) -> io::Result<()> {
        (self.keep)(stream, &self.hosts[host as usize].text)
    }

    /// Connects to a host that listens, at one of its addresses after the first `tried`; it has not answered yet.
    fn connect(&self, host: u32, tried: usize, shared: &ThreadState) -> Option<Connection> {
        let Description { card, text } = &self.hosts[host as usize];
        let nonce = sockets::nonce().ok()?;
        let greeting = card.greeting(Rank::new(self.number), &nonce);
        let addresses = card.addresses.iter().enumerate().filter(|_| card.port != 0);
        for (place, &address) in addresses.skip(tried) {
            if shared.stop.load(Ordering::Acquire) {
                return None;
            }
            let address = SocketAddr::new(address, card.port);
            let stream = TcpStream::connect_timeout(&address, PATIENCE).and_then(|mut stream| {
                make_ready(&stream, self.timeout)?;
                stream.write_all(&greeting)?;
                Ok(stream)
            });
            match stream {
                Ok(stream) => {
                    let stage = Stage::Answer { host, tried: place + 1, nonce };
                    return Some(Connection { stream, stage });
                }
                Err(error) => {
                    tracing::debug!(%address, %error, "host {text} cannot be reached")
                }
            }
        }
        None
    }

    /// The other end of a connection of this host has answered: this one confirms.
    fn is_answered(
        &self,
        mut connection: Connection,
        (host, tried): (u32, usize),
        nonce: &Nonce,
        shared: &ThreadState,
    ) -> Option<Connection> {
        let description = &self.hosts[host as usize];
        if connection.confirms(self.number, host, description, nonce) {
            return Some(Connection { stage: Stage::Welcome { host, tried }, ..connection });
        }
        tracing::debug!("a process other than host {} answers", description.text);
        self.connect(host, tried, shared)
    }

    /// The other end, which has proved to be a host, has sent the welcome.
    fn welcomed(
        &self,
        mut connection: Connection,
        host: u32,
        tried: usize,
        shared: &ThreadState,
    ) -> Option<Connection> {
        if !connection.is_welcomed() {
            tracing::debug!("{} keeps no connection", self.hosts[host as usize].text);
            connection.send_goodbye();
            return self.connect(host, tried, shared);
        }
        match self.keep(host, &connection.stream) {
            Ok(()) => Some(Connection { stage: Stage::Made { host }, ..connection }),
            Err(error) => {
                tracing::debug!(%error, "no monitor holds a copy of a connection");
                // For the other end, this host lives.
                connection.send_goodbye();
                None
            }
        }
    }

    /// A connection from another process without a greeting yet; `None` if that has gone again, or there are too many.
    ///
    /// # Errors
    /// When the system has no descriptor for it.
    fn accept(
        &self,
        listener: &TcpListener,
        connections: &[Connection],
    ) -> io::Result<Option<Connection>> {
        let stream = match listener.accept() {
            Ok((stream, _)) => stream,
            Err(error) => {
                let lacks = [libc::EMFILE, libc::ENFILE, libc::ENOBUFS, libc::ENOMEM];
                let is_lasting = error.raw_os_error().is_some_and(|code| lacks.contains(&code));
                return if is_lasting { Err(error) } else { Ok(None) };
            }
        };
        let strangers = connections.iter().filter(|connection| connection.until().is_some());
        let is_welcome = strangers.count() < STRANGERS && make_ready(&stream, self.timeout).is_ok();
        let stage = Stage::Greeting { until: Instant::now() + LISTENING };
        Ok(is_welcome.then_some(Connection { stream, stage }))
    }

    /// The other end has sent its greeting; returns the connection if that is one of a host below this one.
    fn greeted(&self, mut connection: Connection) -> Option<Connection> {
        let card = &self.hosts[self.number as usize].card;
        let is_below =
            |host: u32| above(host) == Some(self.number) && (host as usize) < self.hosts.len();
        let greeted = connection.answered(self.number, card);
        let Some((host, nonces)) = greeted.filter(|&(host, _)| is_below(host)) else {
            tracing::debug!("a connection from outside the job");
            return None;
        };
        let until = Instant::now() + LISTENING;
        Some(Connection { stage: Stage::Confirmation { host, nonces, until }, ..connection })
    }

    /// The other end has confirmed, and is the host below this one of which it has sent the greeting; or it has repeated one that
    /// it has heard.
    fn confirmed(
        &self,
        mut connection: Connection,
        host: u32,
        nonces: &[Nonce; 2],
    ) -> Option<Connection> {
        if !connection.is_confirmed(host, nonces, &self.hosts[self.number as usize].card) {
            tracing::debug!("a connection from outside the job, with the greeting of a host");
            return None;
        }
        // In this order: for the other end, this host lives from the welcome on.
        let kept = self.keep(host, &connection.stream);
        match kept.and_then(|()| connection.stream.write_all(WELCOME)) {
            Ok(()) => Some(Connection { stage: Stage::Made { host }, ..connection }),
            Err(error) => {
                tracing::debug!(%error, "no keep-alive connection to {}", self.hosts[host as usize].text);
                None
            }
        }
    }
}

/// The time until the next greeting or confirmation is late; `None`: none is expected.
fn time_left(connections: &[Connection]) -> Option<Duration> {
    let until = connections.iter().filter_map(Connection::until).min()?;
    Some(until.saturating_duration_since(Instant::now()))
}

#[cfg(test)]
mod tests;
