//! Connections of the first process of a job to all others, by which they exchange data before they are images. The
//! process manager carries one card: that of the first process.

use crate::error::{Error, Result};
use crate::failure::departure;
use crate::manager::Manager;
use crate::rank::Rank;
use crate::sockets::{self, Arrivals, Card, Secret};
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// The name of the card in the store.
const CARD: &str = "xmprt-card";
/// Most bytes that are received without a look at how many have come.
const AT_ONCE: u64 = 1 << 20;
/// The time that a connected process may take for its greeting: it may have to wait for a processor.
const STRANGER: Duration = Duration::from_secs(5);

/// The end of the star that a process has.
#[derive(Debug)]
pub(super) enum Star {
    /// That of the first process: its connections, by rank. It has none to itself.
    Hub(Vec<Option<TcpStream>>),
    /// That of another process.
    Spoke(Option<TcpStream>),
}

impl Star {
    /// Connects all processes. `home`: the number of this process's machine; `interfaces`: those by which it is reached. Also returns a secret that all of them share.
    ///
    /// # Errors
    /// When they do not come until then, or cannot be reached.
    pub fn form(
        manager: &mut dyn Manager,
        home: u64,
        interfaces: Option<&str>,
        until: Instant,
    ) -> Result<(Star, Secret)> {
        let (me, size) = (manager.rank(), manager.size());
        // One that comes another way is not sent.
        let given = manager.secret()?;
        if me != Rank::new(0) {
            manager.meet()?;
            let bytes = manager.find(Rank::new(0), CARD)?;
            let Some((mut card, its_home)) = split(&bytes) else {
                return Err(Error::system("process manager", "what it has stored is no card"));
            };
            card.secret = given.unwrap_or(card.secret);
            let secret = card.secret;
            let card = if its_home == home { card.at_home() } else { card };
            let tcp = sockets::call(me, Rank::new(0), &card, until)
                .and_then(|called| sockets::answered(me, called, &card, until))
                .map_err(alone)?;
            tcp.set_nodelay(true).map_err(|error| Error::os("connection", error))?;
            return Ok((Star::Spoke(Some(tcp)), secret));
        }
        sockets::enough_room(size.saturating_sub(1) as usize).map_err(alone)?;
        let mut card = Card::default();
        let listener = sockets::listen(&mut card, interfaces).map_err(alone)?;
        let published = match given {
            Some(_) => Card { secret: Secret::default(), ..card.clone() },
            None => card.clone(),
        };
        card.secret = given.unwrap_or(card.secret);
        manager.publish(CARD, &[&published.to_bytes()[..], &home.to_le_bytes()].concat())?;
        manager.meet()?;
        let others: Vec<Rank> = (1..size).map(Rank::new).collect();
        let arrivals = Arrivals::new(me, &card, &listener, STRANGER, true);
        let accepted = sockets::accept_all(arrivals, &others, until).map_err(alone)?;
        let mut connections: Vec<Option<TcpStream>> = (0..size).map(|_| None).collect();
        for (rank, tcp) in accepted {
            tcp.set_nodelay(true).map_err(|error| Error::os("connection", error))?;
            connections[rank.index()] = Some(tcp);
        }
        Ok((Star::Hub(connections), card.secret))
    }

    /// The bytes of this process and of all to which connections are left, in order of rank. All pass equally many.
    ///
    /// # Errors
    /// When one of them does not come until then; [`Error::JobEnding`] when one has left.
    pub fn allgather(&mut self, mine: &[u8], until: Instant) -> Result<Vec<u8>> {
        match self {
            Star::Spoke(None) => Ok(mine.to_vec()),
            Star::Spoke(Some(hub)) => {
                let first = Rank::new(0);
                send(hub, mine).map_err(|error| failed(first, error))?;
                receive(hub, until).map_err(|error| failed(first, error))
            }
            Star::Hub(connections) => {
                let mut all = mine.to_vec();
                for (rank, tcp) in connected(connections) {
                    let its = receive(tcp, until).map_err(|error| failed(rank, error))?;
                    if its.len() != mine.len() {
                        let what = format!("{rank} passes {} bytes, not {}", its.len(), mine.len());
                        return Err(Error::Invalid(what));
                    }
                    all.extend(its);
                }
                for (rank, tcp) in connected(connections) {
                    send(tcp, &all).map_err(|error| failed(rank, error))?;
                }
                Ok(all)
            }
        }
    }

    /// Closes all connections but those between processes that stay. `me`: this process.
    pub fn keep(&mut self, me: Rank, stays: impl Fn(Rank) -> bool) {
        match self {
            Star::Hub(connections) => {
                for (rank, tcp) in connections.iter_mut().enumerate() {
                    tcp.take_if(|_| !stays(Rank::new(rank as u32)));
                }
            }
            Star::Spoke(tcp) => _ = tcp.take_if(|_| !stays(me)),
        }
    }
}

fn connected(
    connections: &mut [Option<TcpStream>],
) -> impl Iterator<Item = (Rank, &mut TcpStream)> {
    let each = connections.iter_mut().enumerate();
    each.filter_map(|(rank, tcp)| Some((Rank::new(rank as u32), tcp.as_mut()?)))
}

/// The card of the first process, and the number of its machine.
fn split(bytes: &[u8]) -> Option<(Card, u64)> {
    let (card, home) = bytes.split_at_checked(Card::BYTES)?;
    Some((Card::from_bytes(card), u64::from_le_bytes(home.try_into().ok()?)))
}

/// Sends bytes after their number.
fn send(tcp: &mut TcpStream, bytes: &[u8]) -> io::Result<()> {
    tcp.write_all(&[&(bytes.len() as u64).to_le_bytes()[..], bytes].concat())
}

/// Receives the bytes of a [`send`].
fn receive(tcp: &mut TcpStream, until: Instant) -> io::Result<Vec<u8>> {
    tcp.set_read_timeout(Some(sockets::left(until)?))?;
    let mut len = [0; 8];
    tcp.read_exact(&mut len)?;
    let len = u64::from_le_bytes(len);
    if len <= AT_ONCE {
        let mut bytes = vec![0; len as usize];
        tcp.read_exact(&mut bytes)?;
        return Ok(bytes);
    }
    // The buffer grows with the received bytes.
    let mut bytes = Vec::new();
    tcp.take(len).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == len { Ok(bytes) } else { Err(ErrorKind::UnexpectedEof.into()) }
}

fn alone(why: String) -> Error {
    Error::system("cannot meet the other images", why)
}

/// The error of an exchange with another process.
fn failed(other: Rank, error: io::Error) -> Error {
    match error.kind() {
        // It, or its monitor, has reported why.
        ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => {
            departure::announce();
            Error::JobEnding
        }
        ErrorKind::WouldBlock | ErrorKind::TimedOut => alone(format!("{other} does not answer")),
        _ => Error::os(format!("connection to {other}"), error),
    }
}

#[cfg(test)]
mod tests;
