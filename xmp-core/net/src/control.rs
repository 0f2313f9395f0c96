//! Connections between `xmprun` and its proxies on other hosts, where they have no pipes: each end proves that it knows a secret,
//! which has come another way.

pub use crate::manager::SECRET;
pub use crate::plugin::XMPRUN;

use crate::error::{Error, Result, system_message};
use crate::manager::hex;
use crate::rank::Rank;
use crate::sockets::{self, Arrivals, Card};
use rustix::net::sockopt;
use std::io::{self, ErrorKind};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// How long a connection may take to show that it is one of a proxy.
const STRANGER: Duration = Duration::from_secs(5);
/// How often something else is looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// After this time without an answer a proxy takes the host of `xmprun` for lost.
const LAUNCHER: Duration = Duration::from_secs(90);
/// The rank of the listener: proxies count from 1.
const LISTENER: Rank = Rank::new(0);

/// Where proxies connect to.
#[derive(Debug)]
pub struct Listener {
    card: Card,
    tcp: TcpListener,
}

impl Listener {
    /// Listens, for what comes by these interfaces (XMP_NET_INTERFACE).
    ///
    /// # Errors
    /// When the system refuses, or there is no such interface.
    pub fn open(interfaces: Option<&str>) -> Result<Listener> {
        let mut card = Card::default();
        let tcp = sockets::listen(&mut card, interfaces).map_err(Error::Invalid)?;
        Ok(Listener { card, tcp })
    }

    /// The text for a proxy. It contains the secret, so no other process may read it.
    pub fn invitation(&self) -> String {
        hex::encode(&self.card.to_bytes())
    }

    /// Accepts the connections of proxies with the numbers from 0 up to `count`, in this order. A connection ends when the other
    /// host has not answered for `silence`. `look` is called again and again; its error ends the wait.
    ///
    /// # Errors
    /// That of `look`; or when they have not come until then.
    pub fn accept_all(
        &self,
        count: u32,
        until: Instant,
        silence: Duration,
        mut look: impl FnMut(&[bool]) -> Result<()>,
    ) -> Result<Vec<TcpStream>> {
        let mut arrivals = Arrivals::new(LISTENER, &self.card, &self.tcp, STRANGER, true);
        let mut found: Vec<Option<TcpStream>> = (0..count).map(|_| None).collect();
        while found.iter().any(Option::is_none) {
            let have_come: Vec<bool> = found.iter().map(Option::is_some).collect();
            look(&have_come)?;
            let soon = until.min(Instant::now() + POLL_INTERVAL);
            let place = |rank: Rank| rank.index().checked_sub(1).filter(|&at| at < have_come.len());
            match arrivals.next(soon, |rank| place(rank).is_some_and(|at| !have_come[at])) {
                Ok((greeted, tcp)) => {
                    let ready = tcp.set_nodelay(true).and_then(|()| notice_loss(&tcp, silence));
                    ready.map_err(|error| Error::os("connection", error))?;
                    if let Some(at) = place(greeted.rank) {
                        found[at] = Some(tcp);
                    }
                }
                Err(error) if error.kind() == ErrorKind::TimedOut && Instant::now() < until => {}
                Err(error) => {
                    // The caller may know better why.
                    look(&have_come)?;
                    let why = system_message(&error);
                    return Err(Error::system("not all hosts have connected", why));
                }
            }
        }
        Ok(found.into_iter().flatten().collect())
    }
}

/// Has the system end the connection when the other host has not answered for so long, whether or not something was sent to it.
fn notice_loss(tcp: &TcpStream, silence: Duration) -> io::Result<()> {
    let milliseconds = u32::try_from(silence.as_millis()).unwrap_or(i32::MAX as u32);
    sockopt::set_tcp_user_timeout(tcp, milliseconds.min(i32::MAX as u32))?;
    sockets::ask(tcp, silence)
}

/// Connects the proxy `number` to the listener with this invitation.
///
/// # Errors
/// When it cannot be reached until then.
pub fn connect(invitation: &str, number: u32, until: Instant) -> Result<TcpStream> {
    let bytes = hex::decode(invitation).filter(|bytes| bytes.len() == Card::BYTES);
    let bytes =
        bytes.ok_or_else(|| Error::Invalid("what xmprun has sent is no invitation".into()))?;
    // It may be on this host, and that have no network.
    let card = Card::from_bytes(&bytes).at_home();
    let me = Rank::new(number + 1);
    let called = sockets::call(me, LISTENER, &card, until);
    let tcp = called.and_then(|called| sockets::answered(me, called, &card, until));
    // It is no image there.
    let tcp = tcp.map_err(|why| {
        let why = why.replace(&LISTENER.to_string(), "xmprun");
        Error::system("cannot reach xmprun on the host that has started the job", why)
    })?;
    let ready = tcp.set_nodelay(true).and_then(|()| tcp.set_read_timeout(None));
    let ready = ready.and_then(|()| sockets::ask(&tcp, LAUNCHER));
    ready.map_err(|error| Error::os("connection", error))?;
    Ok(tcp)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::Ipv4Addr;
    use std::thread;

    /// No host is silent for so long here.
    const SILENCE: Duration = Duration::from_secs(90);

    fn later() -> Instant {
        Instant::now() + Duration::from_secs(600)
    }

    #[test]
    fn proxies_arrive_in_the_order_of_their_numbers() {
        let listener = Listener::open(None).unwrap();
        let invitation = listener.invitation();
        thread::scope(|scope| {
            for number in [2, 0, 1] {
                let invitation = &invitation;
                scope.spawn(move || {
                    let mut tcp = connect(invitation, number, later()).unwrap();
                    tcp.write_all(&[number as u8]).unwrap();
                });
            }
            let found = listener.accept_all(3, later(), SILENCE, |_| Ok(())).unwrap();
            for (number, mut tcp) in (0..).zip(found) {
                let mut byte = [9];
                tcp.read_exact(&mut byte).unwrap();
                assert_eq!(byte, [number]);
            }
        });
    }

    /// Many who send nothing, one who sends slowly, one who guesses, and one who repeats what another one has sent.
    #[test]
    fn strangers_keep_no_proxy_waiting() {
        let listener = Listener::open(None).unwrap();
        let at = (Ipv4Addr::LOCALHOST, listener.card.port);
        let silent: Vec<TcpStream> = (0..300).map(|_| TcpStream::connect(at).unwrap()).collect();
        let greeting = listener.card.greeting(Rank::new(1), &[5; 16]);
        let send = |bytes: &[u8]| {
            let mut tcp = TcpStream::connect(at).unwrap();
            tcp.write_all(bytes).unwrap();
            tcp
        };
        let slow = send(&greeting[..7]);
        let guess = send(&[7; 28]);
        let repeated = [send(&greeting), send(&greeting)];
        let invitation = listener.invitation();
        thread::scope(|scope| {
            scope.spawn(|| connect(&invitation, 0, later()).unwrap().write_all(b"x").unwrap());
            let mut found = listener.accept_all(1, later(), SILENCE, |_| Ok(())).unwrap();
            let mut byte = [0];
            found[0].read_exact(&mut byte).unwrap();
            assert_eq!(&byte, b"x");
        });
        drop((silent, slow, guess, repeated));
    }

    #[test]
    fn a_wait_for_proxies_ends_with_the_reason_of_the_caller() {
        let listener = Listener::open(None).unwrap();
        let stop = || Error::Invalid("stop".into());
        let mut looks = 0;
        let found = listener.accept_all(1, later(), SILENCE, |have_come| {
            assert_eq!(have_come, [false]);
            looks += 1;
            if looks == 2 { Err(stop()) } else { Ok(()) }
        });
        assert_eq!(found.unwrap_err(), stop());
        let late = listener.accept_all(1, Instant::now(), SILENCE, |_| Ok(()));
        let late = late.unwrap_err().to_string();
        assert!(late.contains("not all hosts have connected"), "{late}");
    }
}
