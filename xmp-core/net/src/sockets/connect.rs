//! The connections of a job, made at its start.
//!
//! A leader listens; its port, its addresses and a secret go to all images by MPI, or by the star of the job. The others connect
//! and send a greeting, which proves that they know the secret.
//! When all have done that, the leader accepts and answers, and they confirm. So no process waits for one that is not there, and a
//! foreign process that connects, repeats what it has heard, or listens where a leader is expected, is found out.

use super::addresses;
use super::agree::{Exchange, Refusal, agree};
use super::arrivals::{Arrivals, Greeted, left};
use super::handshake::{ANSWER, Card, Nonce, nonce};
use super::keepalive;
use super::keyed;
use super::stream::Stream;
use super::streams::Streams;
use crate::error::system_message;
use crate::rank::Rank;
use crate::server::Peers;
use rustix::process::{Resource, getrlimit};

use std::cell::OnceCell;
use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::result;
use std::time::{Duration, Instant};

/// How long a leader waits for each part of a greeting, which has been sent before it accepts.
const STRANGER: Duration = Duration::from_millis(20);
/// Most streams of a process.
const STREAMS: usize = 512;

/// Whether `image` connects to `leader`, which accepts. Of two leaders the one with the higher rank connects.
fn connects(peers: &Peers, at_home: bool, image: Rank, leader: Rank) -> bool {
    let its = peers.leader(image);
    (at_home || its != leader) && image != leader && (its != image || image > leader)
}

/// Connects each image to the leaders of all other hosts; `at_home`: to that of its own, too. Collective over the job.
/// Each step has to be done within `patience`. All images agree on each, so that the reason of a refusal is that of the image
/// which has it, and not what others see of it. Connections end when the other host has not answered for `timeout`. `interfaces`: those
/// by which this host is reached (XMP_NET_INTERFACE).
///
/// # Errors
/// When an image cannot make its connections, or the exchange fails.
pub(super) fn connect(
    exchange: &dyn Exchange,
    peers: &Peers,
    at_home: bool,
    patience: Duration,
    timeout: Duration,
    interfaces: Option<&str>,
) -> result::Result<Streams, Refusal> {
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
        _ => listen(&mut mine, interfaces).map(Some),
    });
    let listener = agree(exchange, me, listener)?;
    // Secrets that all can compute are not sent.
    let of_all = exchange.secret();
    if of_all.is_some() {
        mine.secret = Default::default();
    }
    let cards = exchange.allgather(&mine.to_bytes())?;
    let card = |leader: Rank| {
        let mut card = Card::from_bytes(&cards[leader.index() * Card::BYTES..][..Card::BYTES]);
        if let Some(of_all) = &of_all {
            card.secret = keyed::secret_of(of_all, leader.get());
        }
        if exchange.is_here(leader) { card.at_home() } else { card }
    };
    mine.secret = card(me).secret;
    let called = agree(exchange, me, call_all(me, &above, card, Instant::now() + patience))?;
    let greeted = match listener {
        Some(listener) => {
            let arrivals = Arrivals::new(me, &mine, &listener, STRANGER, false);
            greeted_by_all(arrivals, &below, Instant::now() + patience)
        }
        None => Ok(Vec::new()),
    };
    let greeted = agree(exchange, me, greeted)?;
    let ends = answers(me, called, card, Instant::now() + patience).and_then(|answered| {
        let until = Instant::now() + patience;
        let arrivals = Arrivals::of_greeted(me, &mine, greeted, until);
        let arrivals = arrivals.map_err(|error| system_message(&error))?;
        let accepted = accept_all(arrivals, &below, until)?;
        let stream =
            |(peer, tcp)| keepalive::ask(&tcp, timeout).and_then(|()| Stream::new(tcp, peer));
        let all = accepted.into_iter().chain(answered).map(stream);
        let streams =
            all.collect::<io::Result<_>>().and_then(|all| Streams::new(all, peers.images()));
        streams.map_err(|error| format!("connections cannot be used: {}", system_message(&error)))
    });
    agree(exchange, me, ends)
}

/// Whether this process may have this many streams.
pub(crate) fn enough_room(streams: usize) -> result::Result<(), String> {
    let limit = getrlimit(Resource::Nofile).current;
    let most = limit.map_or(STREAMS, |limit| STREAMS.min(limit as usize / 4));
    if streams <= most {
        Ok(())
    } else {
        Err(format!("a process would have {streams} connections, more than {most}"))
    }
}

/// Whether this many connections may wait to be accepted.
fn queue(connections: usize) -> result::Result<(), String> {
    let text = fs::read_to_string("/proc/sys/net/core/somaxconn").unwrap_or_default();
    match text.trim().parse::<usize>() {
        Ok(most) if connections > most => Err(format!(
            "images that connect to it: {connections}, more than may wait for that: {most} (net.core.somaxconn)"
        )),
        _ => Ok(()),
    }
}

/// Listens for connections to a leader, and completes its card. `interfaces`: those by which it is reached.
///
/// # Errors
/// When the system refuses, or there is no such interface.
pub fn listen(card: &mut Card, interfaces: Option<&str>) -> result::Result<TcpListener, String> {
    card.addresses = addresses::for_others(interfaces)?;
    listen_anywhere(card)
        .map_err(|error| format!("cannot listen for connections: {}", explained(&error)))
}

/// Why there is no connection, and what to do where the system's text is not enough.
fn explained(error: &io::Error) -> String {
    let hint = match error.kind() {
        ErrorKind::AddrInUse | ErrorKind::AddrNotAvailable => {
            ": no port is free on this host (net.ipv4.ip_local_port_range has those that the system gives, `ss -a` shows who has them)"
        }
        _ => "",
    };
    format!("{}{hint}", system_message(error))
}

fn listen_anywhere(card: &mut Card) -> io::Result<TcpListener> {
    card.secret = nonce()?;
    let listener = TcpListener::bind((Ipv6Addr::UNSPECIFIED, 0))
        .or_else(|_| TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)))?;
    listener.set_nonblocking(true)?;
    // All connect before the first is accepted, so far as the system lets them wait (`queue`).
    rustix::net::listen(&listener, 2 * STREAMS as i32)?;
    card.port = listener.local_addr()?.port();
    Ok(listener)
}

/// A connection to a leader that was greeted, and the number of the greeting.
#[derive(Debug)]
pub(crate) struct GreetedConnection {
    leader: Rank,
    tcp: TcpStream,
    nonce: Nonce,
}

/// Connects to these leaders, who have these cards, and greets them.
fn call_all(
    me: Rank,
    leaders: &[Rank],
    card: impl Fn(Rank) -> Card,
    until: Instant,
) -> result::Result<Vec<GreetedConnection>, String> {
    let own = OwnAddresses::default();
    leaders.iter().map(|&leader| call_from(&own, me, leader, &card(leader), until)).collect()
}

/// The addresses of this host, which are found out when they are needed: that takes longer than a connection.
type OwnAddresses = OnceCell<Vec<IpAddr>>;

/// Connects to the leader with this card, and greets it.
pub(crate) fn call(
    me: Rank,
    leader: Rank,
    card: &Card,
    until: Instant,
) -> result::Result<GreetedConnection, String> {
    call_from(&OwnAddresses::default(), me, leader, card, until)
}

fn call_from(
    own: &OwnAddresses,
    me: Rank,
    leader: Rank,
    card: &Card,
    until: Instant,
) -> result::Result<GreetedConnection, String> {
    let failed = |why: String| {
        format!(
            "no connection to the host of {leader}: {why} (XMP_NET_INTERFACE names the interfaces that hosts are reached by)"
        )
    };
    let nonce = nonce().map_err(|error| failed(system_message(&error)))?;
    let greeting = card.greeting(me, &nonce);
    let mut addresses = card.addresses.clone();
    // An address that this host has, too, leads here: private networks of hosts may be alike.
    if addresses.len() > 1 {
        let own = own.get_or_init(addresses::of_this_host);
        let (here, elsewhere): (Vec<_>, Vec<_>) =
            addresses.into_iter().partition(|address| own.contains(address));
        addresses = [elsewhere, here].concat();
    }
    let mut why = "it has no address for other hosts".to_owned();
    let count = addresses.len() as u32;
    for (tried, address) in (0..).zip(addresses) {
        // One that swallows what is sent there leaves time for the others.
        let share = until.saturating_duration_since(Instant::now()) / (count - tried);
        let until = Instant::now() + share;
        match call_at(SocketAddr::new(address, card.port), &greeting, until) {
            Ok(tcp) => return Ok(GreetedConnection { leader, tcp, nonce }),
            Err(error) => why = format!("{address}: {}", explained(&error)),
        }
    }
    Err(failed(why))
}

fn call_at(at: SocketAddr, greeting: &[u8], until: Instant) -> io::Result<TcpStream> {
    let mut tcp = TcpStream::connect_timeout(&at, left(until)?)?;
    // The system takes so few bytes at once.
    tcp.write_all(greeting)?;
    Ok(tcp)
}

/// The connections of all these images that have greeted, with those who repeat what another one has sent.
fn greeted_by_all(
    mut arrivals: Arrivals<'_>,
    expected: &[Rank],
    until: Instant,
) -> result::Result<Vec<(Greeted, TcpStream)>, String> {
    let mut all: Vec<(Greeted, TcpStream)> = Vec::new();
    loop {
        let has_come = |image: Rank| all.iter().any(|(known, _)| known.rank == image);
        let missing = expected.iter().copied().find(|&image| !has_come(image));
        // All have connected by now: what still waits to be accepted may be one of them, in whose place another process has come.
        let until = if missing.is_some() { until } else { Instant::now() };
        match (arrivals.next(until, |rank| expected.contains(&rank)), missing) {
            (Ok(arrived), _) => all.push(arrived),
            (Err(_), None) => return Ok(all),
            (Err(error), Some(missing)) => return Err(absent(missing, &error)),
        }
    }
}

/// Accepts the connections of all these images.
pub(crate) fn accept_all(
    mut arrivals: Arrivals<'_>,
    expected: &[Rank],
    until: Instant,
) -> result::Result<Vec<(Rank, TcpStream)>, String> {
    let mut streams: Vec<(Rank, TcpStream)> = Vec::new();
    let is_known = |streams: &[(Rank, TcpStream)], image: Rank| {
        streams.iter().any(|(known, _)| *known == image)
    };
    while let Some(&missing) = expected.iter().find(|&&image| !is_known(&streams, image)) {
        let is_expected = |rank| expected.contains(&rank) && !is_known(&streams, rank);
        let arrived = arrivals.next(until, is_expected);
        let (greeted, tcp) = arrived.map_err(|error| absent(missing, &error))?;
        // Another connection may have confirmed for it first.
        if !is_known(&streams, greeted.rank) {
            streams.push((greeted.rank, tcp));
        }
    }
    Ok(streams)
}

fn absent(image: Rank, error: &io::Error) -> String {
    format!("no connection of {image} has come: {}", system_message(error))
}

/// The connections to leaders, who have these cards, when they have answered.
fn answers(
    me: Rank,
    called: Vec<GreetedConnection>,
    card: impl Fn(Rank) -> Card,
    until: Instant,
) -> result::Result<Vec<(Rank, TcpStream)>, String> {
    let answer = |called: GreetedConnection| {
        let leader = called.leader;
        answered(me, called, &card(leader), until).map(|tcp| (leader, tcp))
    };
    called.into_iter().map(answer).collect()
}

/// The connection to the leader with this card, after its answer and the confirmation of this process.
pub(crate) fn answered(
    me: Rank,
    called: GreetedConnection,
    card: &Card,
    until: Instant,
) -> result::Result<TcpStream, String> {
    let GreetedConnection { leader, mut tcp, nonce } = called;
    let failed = |error| format!("no answer of {leader}: {}", system_message(&error));
    let mut answer = [0; ANSWER];
    receive(&mut tcp, &mut answer, until).map_err(failed)?;
    match card.answers(&answer, &nonce) {
        Some((answers, its)) if answers == leader => {
            tcp.write_all(&card.confirmation(me, [&nonce, &its])).map_err(failed)?;
            Ok(tcp)
        }
        _ => Err(format!("another process answers for {leader}")),
    }
}

/// Receives this many bytes.
fn receive(tcp: &mut TcpStream, bytes: &mut [u8], until: Instant) -> io::Result<()> {
    tcp.set_nonblocking(false)?;
    tcp.set_read_timeout(Some(left(until)?))?;
    tcp.read_exact(bytes)
}
