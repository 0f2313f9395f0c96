//! The connections of a job, made at its start.
//!
//! A leader listens; its port, its addresses and a secret go to all images by MPI. The others connect and send a greeting.
//! When all have done that, the leader accepts and answers. So no process waits for one that is not there, and a foreign
//! process that connects, or listens where a leader is expected, is found out.

use super::addresses;
use super::stream::Stream;
use super::streams::Streams;
use crate::error::{Result, system_message};
use crate::plugin::{Plugin, Scope};
use crate::rank::Rank;
use crate::server::Peers;
use rustix::process::{Resource, getrlimit};
use rustix::rand::{GetRandomFlags, getrandom};
use std::fs;
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::result;
use std::time::{Duration, Instant};

/// How long a leader waits for each part of a greeting, which has been sent before it accepts.
const STRANGER: Duration = Duration::from_millis(20);
/// Most streams of a process.
const STREAMS: usize = 512;
/// The secret of a leader.
const SECRET: usize = 16;
/// Bytes of a greeting and of its answer: the leader's secret, and who sends it.
const GREETING: usize = SECRET + 4;

/// An exchange between all images of a job.
pub(super) trait Exchange {
    /// The bytes of all images, in order of rank. All pass equally many.
    fn allgather(&self, mine: &[u8]) -> Result<Vec<u8>>;
}

impl Exchange for Plugin {
    fn allgather(&self, mine: &[u8]) -> Result<Vec<u8>> {
        Plugin::allgather(self, Scope::ALL, mine)
    }
}

/// What a leader tells the others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Card {
    /// Where it listens; 0: it does not.
    port: u16,
    secret: [u8; SECRET],
    addresses: Vec<IpAddr>,
}

impl Card {
    const BYTES: usize = 2 + SECRET + addresses::LIST;

    fn to_bytes(&self) -> [u8; Card::BYTES] {
        let mut bytes = [0; Card::BYTES];
        bytes[..2].copy_from_slice(&self.port.to_le_bytes());
        bytes[2..][..SECRET].copy_from_slice(&self.secret);
        bytes[2 + SECRET..].copy_from_slice(&addresses::to_bytes(&self.addresses));
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Card {
        Card {
            port: u16::from_le_bytes(bytes[..2].try_into().expect("two bytes")),
            secret: bytes[2..][..SECRET].try_into().expect("as many bytes"),
            addresses: addresses::from_bytes(&bytes[2 + SECRET..]),
        }
    }

    /// The greeting for this leader, or its answer.
    fn greeting(&self, sender: Rank) -> [u8; GREETING] {
        let mut bytes = [0; GREETING];
        bytes[..SECRET].copy_from_slice(&self.secret);
        bytes[SECRET..].copy_from_slice(&sender.get().to_le_bytes());
        bytes
    }

    /// The image that has sent a greeting for this leader, or its answer; `None` if the sender is no process of this job.
    fn sender(&self, greeting: &[u8; GREETING]) -> Option<Rank> {
        let (secret, rank) = greeting.split_at(SECRET);
        let rank = u32::from_le_bytes(rank.try_into().expect("four bytes"));
        (secret == self.secret).then_some(Rank::new(rank))
    }
}

/// Whether `image` connects to `leader`, which accepts. Of two leaders the one with the higher rank connects.
fn connects(peers: &Peers, at_home: bool, image: Rank, leader: Rank) -> bool {
    let its = peers.leader(image);
    (at_home || its != leader) && image != leader && (its != image || image > leader)
}

/// Connects each image to the leaders of all other hosts; `at_home`: to that of its own, too. Collective over the job.
/// Where a connection cannot be made within `patience`, all images get a text that says why.
///
/// # Errors
/// When the exchange fails.
pub(super) fn connect(
    exchange: &dyn Exchange,
    peers: &Peers,
    at_home: bool,
    patience: Duration,
) -> Result<result::Result<Streams, String>> {
    let me = peers.me();
    let images = (0..peers.images() as u32).map(Rank::new);
    let below = images.filter(|&image| peers.leads() && connects(peers, at_home, image, me));
    let below: Vec<Rank> = below.collect();
    let above = peers.leaders().iter().filter(|&&leader| connects(peers, at_home, me, leader));
    let above: Vec<Rank> = above.copied().collect();

    let mut mine = Card::default();
    let room = enough_room(above.len() + below.len()).and_then(|()| queue(below.len()));
    let listener = room.and_then(|()| match below.len() {
        0 => Ok(None),
        _ => listen(&mut mine)
            .map(Some)
            .map_err(|error| format!("cannot listen for connections: {}", system_message(&error))),
    });
    let cards = exchange.allgather(&mine.to_bytes())?;
    let card = |rank: Rank| Card::from_bytes(&cards[rank.index() * Card::BYTES..][..Card::BYTES]);
    let called = listener.and_then(|listener| {
        let until = Instant::now() + patience;
        let call = |&leader: &Rank| match call(me, &card(leader), until) {
            Ok(tcp) => Ok((leader, tcp)),
            Err(why) => Err(format!("no connection to the host of {leader}: {why}")),
        };
        let called: result::Result<Vec<_>, String> = above.iter().map(call).collect();
        Ok((listener, called?))
    });
    let (listener, called) = match agree(exchange, called)? {
        Ok(called) => called,
        Err(why) => return Ok(Err(why)),
    };
    let until = Instant::now() + patience;
    let accepted = match listener {
        Some(listener) => accept_all(me, &mine, &listener, &below, until),
        None => Ok(Vec::new()),
    };
    let answered = accepted.and_then(|mut streams| {
        for (leader, mut tcp) in called {
            match greeted_by(&card(leader), &mut tcp, until) {
                Ok(answers) if answers == leader => streams.push((leader, tcp)),
                Ok(_) => return Err(format!("another process answers for {leader}")),
                Err(error) => {
                    return Err(format!("no answer of {leader}: {}", system_message(&error)));
                }
            }
        }
        let all = streams.into_iter().map(|(peer, tcp)| Stream::new(tcp, peer));
        let streams =
            all.collect::<io::Result<_>>().and_then(|all| Streams::new(all, peers.images()));
        streams.map_err(|error| format!("connections cannot be used: {}", system_message(&error)))
    });
    agree(exchange, answered)
}

/// Whether this process may have so many streams.
pub(super) fn enough_room(streams: usize) -> result::Result<(), String> {
    let limit = getrlimit(Resource::Nofile).current;
    let most = limit.map_or(STREAMS, |limit| STREAMS.min(limit as usize / 4));
    if streams <= most {
        Ok(())
    } else {
        Err(format!("a process would have {streams} connections, more than {most}"))
    }
}

/// Whether so many connections may wait to be accepted.
fn queue(connections: usize) -> result::Result<(), String> {
    let text = fs::read_to_string("/proc/sys/net/core/somaxconn").unwrap_or_default();
    match text.trim().parse::<usize>() {
        Ok(most) if connections > most => Err(format!(
            "{connections} images connect to a host, more than {most} (net.core.somaxconn)"
        )),
        _ => Ok(()),
    }
}

/// Listens for connections to a leader, and completes its card.
fn listen(card: &mut Card) -> io::Result<TcpListener> {
    getrandom(&mut card.secret, GetRandomFlags::empty())?;
    let listener = TcpListener::bind((Ipv6Addr::UNSPECIFIED, 0))
        .or_else(|_| TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)))?;
    listener.set_nonblocking(true)?;
    // All connect before the first is accepted, so far as the system lets them wait (`queue`).
    rustix::net::listen(&listener, 2 * STREAMS as i32)?;
    card.addresses = addresses::of_this_host();
    card.port = listener.local_addr()?.port();
    Ok(listener)
}

/// Connects to a leader and greets it.
fn call(me: Rank, card: &Card, until: Instant) -> result::Result<TcpStream, String> {
    let mut addresses = card.addresses.clone();
    // An address that this host has, too, leads here: private networks of hosts may be alike.
    let mine = addresses::of_this_host();
    addresses.sort_by_key(|address| mine.contains(address));
    let mut why = "it has no address where it listens".to_owned();
    addresses.retain(|_| card.port != 0);
    let count = addresses.len() as u32;
    for (tried, address) in (0..).zip(addresses) {
        // One that swallows what is sent there leaves time for the others.
        let share = until.saturating_duration_since(Instant::now()) / (count - tried);
        let until = Instant::now() + share;
        match call_at(SocketAddr::new(address, card.port), &card.greeting(me), until) {
            Ok(tcp) => return Ok(tcp),
            Err(error) => why = format!("{address}: {}", system_message(&error)),
        }
    }
    Err(why)
}

fn call_at(at: SocketAddr, greeting: &[u8], until: Instant) -> io::Result<TcpStream> {
    let mut tcp = TcpStream::connect_timeout(&at, left(until)?)?;
    // The system takes so few bytes at once.
    tcp.write_all(greeting)?;
    Ok(tcp)
}

/// Accepts the connections of all these images, and answers their greetings.
fn accept_all(
    me: Rank,
    card: &Card,
    listener: &TcpListener,
    expected: &[Rank],
    until: Instant,
) -> result::Result<Vec<(Rank, TcpStream)>, String> {
    let mut streams: Vec<(Rank, TcpStream)> = Vec::new();
    while streams.len() < expected.len() {
        let accepted = left(until).and_then(|left| match listener.accept() {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                std::thread::sleep(left.min(Duration::from_micros(200)));
                Ok(None)
            }
            accepted => accepted.map(|(tcp, _)| Some(tcp)),
        });
        let tcp = accepted.map_err(|error| {
            let (come, of) = (streams.len(), expected.len());
            format!("{come} of {of} connections to {me} have come: {}", system_message(&error))
        })?;
        let Some(mut tcp) = tcp else { continue };
        // A foreign process has no greeting. One of the job has sent it before, and the next one waits no longer for it.
        let soon = until.min(Instant::now() + STRANGER);
        let Ok(peer) = greeted_by(card, &mut tcp, soon) else { continue };
        let is_new = streams.iter().all(|(known, _)| *known != peer);
        if expected.contains(&peer) && is_new && tcp.write_all(&card.greeting(me)).is_ok() {
            streams.push((peer, tcp));
        }
    }
    Ok(streams)
}

/// Reads a greeting for the leader with this card, or its answer; returns the sender.
fn greeted_by(card: &Card, tcp: &mut TcpStream, until: Instant) -> io::Result<Rank> {
    let mut greeting = [0; GREETING];
    tcp.set_nonblocking(false)?;
    tcp.set_read_timeout(Some(left(until)?))?;
    tcp.read_exact(&mut greeting)?;
    card.sender(&greeting).ok_or_else(|| io::ErrorKind::PermissionDenied.into())
}

/// The time until then, if there is any.
fn left(until: Instant) -> io::Result<Duration> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
}

/// What this image has made if all images have made theirs; otherwise why not.
fn agree<T>(
    exchange: &dyn Exchange,
    made: result::Result<T, String>,
) -> Result<result::Result<T, String>> {
    let all = exchange.allgather(&[made.is_ok().into()])?;
    let missing = all.iter().position(|&is_made| is_made == 0);
    Ok(match (made, missing) {
        (Ok(_), Some(rank)) => Err(format!("{} lacks a connection", Rank::new(rank as u32))),
        (made, _) => made,
    })
}
