//! The connections of a job, made at its start.
//!
//! Each image needs a stream to the leader of every other host (where servers forward requests, to that of its own, too).
//! A leader listens; its port, its addresses and a secret of the job go to all by MPI. The others connect and send a
//! greeting, and when all have done that, the leader accepts and answers. So no process waits for one that is not there,
//! and a foreign process that connects, or listens where a leader is expected, is found out.

use super::addresses;
use super::stream::Stream;
use crate::error::{Error, Result, system_message};
use crate::plugin::{Plugin, Scope};
use crate::rank::Rank;
use rustix::rand::{GetRandomFlags, getrandom};
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// How long all connections of a process may take to be made, and then to be answered.
const PATIENCE: Duration = Duration::from_millis(300);
/// Most streams of a process.
const STREAMS: usize = 512;
/// The secret of a job.
const SECRET: usize = 16;
/// Bytes of a greeting and of its answer: the secret, and who sends it.
const GREETING: usize = SECRET + 4;
/// What a leader tells the others: its port, and its addresses.
const CARD: usize = 2 + addresses::LIST;

/// Which processes are connected, and how they know one another.
#[derive(Clone, Debug)]
struct Job {
    me: Rank,
    /// By image.
    leaders: Vec<Rank>,
    /// Whether images are connected to the leader of their own host, too.
    at_home: bool,
    secret: [u8; SECRET],
}

impl Job {
    /// Whether `image` connects to `leader`, which accepts. Of two leaders the one with the higher rank connects.
    fn connects(&self, image: Rank, leader: Rank) -> bool {
        let its = self.leaders[image.index()];
        let leads = its == image;
        (self.at_home || its != leader) && image != leader && (!leads || image > leader)
    }

    /// The leaders to which an image connects.
    fn above(&self, image: Rank) -> impl Iterator<Item = Rank> {
        let mut leaders = self.leaders.clone();
        leaders.sort_unstable();
        leaders.dedup();
        let job = self.clone();
        leaders.into_iter().filter(move |&leader| job.connects(image, leader))
    }

    /// The images that connect to this one.
    fn below(&self) -> impl Iterator<Item = Rank> {
        let leads = self.leaders[self.me.index()] == self.me;
        let images = (0..self.leaders.len() as u32).map(Rank::new);
        images.filter(move |&image| leads && self.connects(image, self.me))
    }

    fn greeting(&self) -> [u8; GREETING] {
        let mut bytes = [0; GREETING];
        bytes[..SECRET].copy_from_slice(&self.secret);
        bytes[SECRET..].copy_from_slice(&self.me.get().to_le_bytes());
        bytes
    }

    /// Who has sent a greeting; `None` if no process of this job has.
    fn sender(&self, greeting: &[u8; GREETING]) -> Option<Rank> {
        let (secret, rank) = greeting.split_at(SECRET);
        let rank = u32::from_le_bytes(rank.try_into().expect("four bytes"));
        (secret == self.secret && (rank as usize) < self.leaders.len()).then(|| Rank::new(rank))
    }
}

/// Connects the images of a job. Collective over the job. Where a connection cannot be made, all images get a text that
/// says why, or that another image has one.
///
/// # Errors
/// When MPI fails.
pub(super) fn connect(
    plugin: &Plugin,
    leaders: Vec<Rank>,
    at_home: bool,
) -> Result<std::result::Result<Vec<Stream>, String>> {
    let mut secret = [0; SECRET];
    getrandom(&mut secret, GetRandomFlags::empty())
        .map_err(|error| Error::os("getrandom", error.into()))?;
    plugin.broadcast(Scope::ALL, 0, &mut secret)?;
    let job = Job { me: plugin.rank(), leaders, at_home, secret };
    let (above, below): (Vec<_>, Vec<_>) = (job.above(job.me).collect(), job.below().collect());
    let listening = enough_room(above.len() + below.len()).and_then(|()| listen(below.len()));
    let mine = match &listening {
        Ok(Some((_, card))) => *card,
        _ => [0; CARD],
    };
    let cards = plugin.allgather(Scope::ALL, &mine)?;
    let card = |rank: Rank| &cards[rank.index() * CARD..][..CARD];
    let made = listening.and_then(|listening| {
        let until = Instant::now() + PATIENCE;
        let call = |&leader: &Rank| {
            let tcp = call(&job, card(leader), until);
            tcp.map(|tcp| (leader, tcp)).map_err(|why| format!("to {leader}: {why}"))
        };
        Ok((listening, above.iter().map(call).collect::<std::result::Result<Vec<_>, _>>()?))
    });
    let (listening, called) = match agree(plugin, made)? {
        Ok(made) => made,
        Err(why) => return Ok(Err(why)),
    };
    let answered = answer_all(&job, listening.map(|(listener, _)| listener), &below);
    let streams = answered.and_then(|mut streams| {
        let until = Instant::now() + PATIENCE;
        for (leader, mut tcp) in called {
            let greeted = greeted_by(&job, &mut tcp, until);
            if greeted.as_ref().ok() != Some(&leader) {
                let why = greeted.err().map_or("another process".into(), |e| system_message(&e));
                return Err(format!("to {leader}: no answer: {why}"));
            }
            streams.push((leader, tcp));
        }
        let stream = |(peer, tcp)| Stream::new(tcp, peer).map_err(|error| system_message(&error));
        streams.into_iter().map(stream).collect()
    });
    agree(plugin, streams)
}

/// Whether this process may have so many streams.
fn enough_room(streams: usize) -> std::result::Result<(), String> {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    let most = limit.map_or(STREAMS, |limit| STREAMS.min(limit as usize / 4));
    if streams <= most {
        Ok(())
    } else {
        Err(format!("{streams} connections of a process, of {most}"))
    }
}

/// Listens for so many connections; returns what the others must know.
fn listen(expected: usize) -> std::result::Result<Option<(TcpListener, [u8; CARD])>, String> {
    if expected == 0 {
        return Ok(None);
    }
    let listen = || -> io::Result<_> {
        let listener = TcpListener::bind((Ipv6Addr::UNSPECIFIED, 0))
            .or_else(|_| TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)))?;
        listener.set_nonblocking(true)?;
        // All connect before one is accepted.
        rustix::net::listen(&listener, 2 * STREAMS as i32)?;
        let mut card = [0; CARD];
        card[..2].copy_from_slice(&listener.local_addr()?.port().to_le_bytes());
        card[2..].copy_from_slice(&addresses::to_bytes(&addresses::of_this_host()));
        Ok((listener, card))
    };
    listen().map(Some).map_err(|error| format!("cannot listen: {}", system_message(&error)))
}

/// Connects to a leader and greets it.
fn call(job: &Job, card: &[u8], until: Instant) -> std::result::Result<TcpStream, String> {
    let (port, list) = card.split_at(2);
    let port = u16::from_le_bytes(port.try_into().expect("two bytes"));
    let mut addresses = addresses::from_bytes(list);
    // An address that this host has, too, leads to this host: hosts may have private networks of their own that are alike.
    let mine = addresses::of_this_host();
    addresses.sort_by_key(|address| mine.contains(address));
    let mut why = "it does not listen".to_owned();
    for address in addresses.into_iter().filter(|_| port != 0) {
        match call_at(job, address, port, until) {
            Ok(tcp) => return Ok(tcp),
            Err(error) => why = format!("{address}: {}", system_message(&error)),
        }
    }
    Err(why)
}

fn call_at(job: &Job, address: IpAddr, port: u16, until: Instant) -> io::Result<TcpStream> {
    let mut tcp = TcpStream::connect_timeout(&SocketAddr::new(address, port), left(until)?)?;
    // Not more than the system takes at once.
    tcp.write_all(&job.greeting())?;
    Ok(tcp)
}

/// Accepts the connections of all these images, and answers their greetings.
fn answer_all(
    job: &Job,
    listener: Option<TcpListener>,
    expected: &[Rank],
) -> std::result::Result<Vec<(Rank, TcpStream)>, String> {
    let until = Instant::now() + PATIENCE;
    let mut streams: Vec<(Rank, TcpStream)> = Vec::new();
    while let Some(listener) = listener.as_ref().filter(|_| streams.len() < expected.len()) {
        let accepted = left(until).and_then(|left| match listener.accept() {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                std::thread::sleep(left.min(Duration::from_micros(200)));
                Ok(None)
            }
            accepted => accepted.map(|(tcp, _)| Some(tcp)),
        });
        let tcp = accepted.map_err(|error| {
            let (are, of) = (streams.len(), expected.len());
            format!("{are} of {of} connections have come: {}", system_message(&error))
        })?;
        let Some(mut tcp) = tcp else { continue };
        let Ok(peer) = greeted_by(job, &mut tcp, until) else { continue };
        let is_new = streams.iter().all(|(known, _)| *known != peer);
        if expected.contains(&peer) && is_new && tcp.write_all(&job.greeting()).is_ok() {
            streams.push((peer, tcp));
        }
    }
    Ok(streams)
}

/// Reads a greeting; returns its sender.
fn greeted_by(job: &Job, tcp: &mut TcpStream, until: Instant) -> io::Result<Rank> {
    let mut greeting = [0; GREETING];
    tcp.set_nonblocking(false)?;
    tcp.set_read_timeout(Some(left(until)?))?;
    tcp.read_exact(&mut greeting)?;
    job.sender(&greeting).ok_or_else(|| io::ErrorKind::PermissionDenied.into())
}

/// The time until then, if there is any.
fn left(until: Instant) -> io::Result<Duration> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
}

/// What this image has made if all images have made theirs; otherwise why not.
fn agree<T>(
    plugin: &Plugin,
    made: std::result::Result<T, String>,
) -> Result<std::result::Result<T, String>> {
    let all = plugin.allgather(Scope::ALL, &[made.is_ok().into()])?;
    let missing = all.iter().position(|&is_made| is_made == 0);
    Ok(match (made, missing) {
        (Ok(made), None) => Ok(made),
        (Ok(_), Some(rank)) => Err(format!("{} lacks a connection", Rank::new(rank as u32))),
        (Err(why), _) => Err(why),
    })
}
