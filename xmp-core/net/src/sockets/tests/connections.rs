//! Tests of the connections of a job: images are threads.

use super::*;
use crate::sockets::Card;
use crate::sockets::agree::{Exchange, Refusal};
use crate::sockets::connect::{connect, enough_room};
use crate::sockets::in_threads::{Meeting, Member};
use crate::sockets::{OPTIONAL_CONNECT_TIME, REQUIRED_CONNECT_TIME};
use std::io::Read;
use std::sync::Arc;

/// Exchanges before that of the cards.
const BEFORE: u32 = 1;

/// Connects images, the leaders of whose hosts are given; `between` may change what all learn of each.
fn connected(
    leaders: &[u32],
    at_home: bool,
    patience: Duration,
    between: impl Fn(&mut [u8]) + Sync,
) -> Vec<std::result::Result<Vec<Rank>, String>> {
    struct Changing<F>(Member, F, std::cell::Cell<u32>);
    impl<F: Fn(&mut [u8])> Exchange for Changing<F> {
        fn allgather(&self, mine: &[u8]) -> Result<Vec<u8>> {
            let mut all = self.0.allgather(mine)?;
            if self.2.replace(self.2.get() + 1) == BEFORE {
                (self.1)(&mut all);
            }
            Ok(all)
        }

        fn host_name(&self) -> String {
            self.0.host_name()
        }
    }
    let leaders: Vec<Rank> = leaders.iter().copied().map(Rank::new).collect();
    let meeting = Meeting::new(leaders.len());
    let (meeting, leaders, between) = (&meeting, &leaders, &between);
    thread::scope(|scope| {
        let image = |rank: usize| {
            scope.spawn(move || {
                let member = Member { meeting: Arc::clone(meeting), rank };
                let exchange = Changing(member, between, 0.into());
                let peers = Peers::new(Rank::new(rank as u32), leaders);
                let connected =
                    connect(&exchange, &peers, at_home, patience, REQUIRED_CONNECT_TIME, None);
                let streams = connected.map_err(|refusal| match refusal {
                    Refusal::Reason(why) => why,
                    Refusal::Exchange(error) => panic!("{error}"),
                })?;
                let mut peers: Vec<Rank> = streams.peers().collect();
                peers.sort();
                Ok(peers)
            })
        };
        let images: Vec<_> = (0..leaders.len()).map(image).collect();
        images.into_iter().map(|image| image.join().unwrap()).collect()
    })
}

fn ranks(numbers: &[u32]) -> std::result::Result<Vec<Rank>, String> {
    Ok(numbers.iter().copied().map(Rank::new).collect())
}

#[test]
fn images_are_connected_to_the_leaders_of_other_hosts() {
    let found = connected(&[0, 1, 0, 4, 4], false, REQUIRED_CONNECT_TIME, |_| {});
    let expected = [&[1, 3, 4][..], &[0, 2, 3, 4], &[1, 4], &[0, 1], &[0, 1, 2]];
    assert_eq!(found, expected.map(ranks));
    let found = connected(&[0, 0, 2, 2], true, REQUIRED_CONNECT_TIME, |_| {});
    assert_eq!(found, [&[1, 2, 3][..], &[0, 2], &[0, 1, 3], &[0, 2]].map(ranks));
}

#[test]
fn a_process_has_a_limited_number_of_connections() {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    let quarter = limit.map_or(usize::MAX, |limit| limit as usize / 4);
    assert_eq!(enough_room(quarter.min(512)), Ok(()));
    let text = enough_room(quarter.min(512) + 1).unwrap_err();
    assert!(text.contains("a process would have"), "{text}");
}

/// The port in the card of image 1, which all learn.
fn port(cards: &[u8]) -> u16 {
    u16::from_le_bytes([cards[0], cards[1]])
}

#[test]
fn processes_that_do_not_know_the_secret_are_not_taken_for_images() {
    let found = connected(&[0, 1], false, REQUIRED_CONNECT_TIME, |cards| {
        // One is gone at once, one stays and is silent, one has another secret.
        let call = || TcpStream::connect((Ipv4Addr::LOCALHOST, port(cards))).unwrap();
        drop(call());
        std::mem::forget(call());
        call().write_all(&[7; 28]).unwrap();
    });
    assert_eq!(found, [&[1][..], &[0]].map(ranks));
}

#[test]
fn a_process_that_listens_in_place_of_a_leader_is_found_out() {
    let foreign = TcpListener::bind((std::net::Ipv6Addr::UNSPECIFIED, 0)).unwrap();
    let its = foreign.local_addr().unwrap().port();
    thread::spawn(move || {
        for tcp in foreign.incoming() {
            let mut tcp = tcp.unwrap();
            let mut greeting = [0; 28];
            tcp.read_exact(&mut greeting).unwrap();
            greeting[0] ^= 1;
            let _ = tcp.write_all(&greeting);
        }
    });
    let found = connected(&[0, 1], false, OPTIONAL_CONNECT_TIME, |cards| {
        cards[..2].copy_from_slice(&its.to_le_bytes())
    });
    let text = found[1].as_ref().unwrap_err();
    assert!(text.contains("image 1 on host-0: no connection of image 2 has come"), "{text}");
    assert_eq!(found[0], found[1]);
}

#[test]
fn all_images_learn_that_a_connection_cannot_be_made() {
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let closed = free.local_addr().unwrap().port();
    drop(free);
    let no_listener = |cards: &mut [u8]| cards[..2].copy_from_slice(&closed.to_le_bytes());
    // Behind port and secret.
    let no_address = |cards: &mut [u8]| cards[18] = 0;
    for between in [&no_listener as &(dyn Fn(&mut [u8]) + Sync), &no_address] {
        let found = connected(&[0, 1, 2], false, REQUIRED_CONNECT_TIME, between);
        let texts: Vec<String> = found.into_iter().map(|image| image.unwrap_err()).collect();
        let beginning = "image 2 on host-1: no connection to the host of image 1: ";
        assert!(texts.iter().all(|text| text.starts_with(beginning)), "{texts:?}");
        assert!(texts.iter().all(|text| *text == texts[0]), "{texts:?}");
    }
}

/// Somebody who listens at an address of two private networks hears a greeting that is for another host.
#[test]
fn a_greeting_that_another_process_repeats_takes_nobodys_place() {
    let found = connected(&[0, 1], false, REQUIRED_CONNECT_TIME, |cards| {
        let secret = [3; 16];
        cards[2..18].copy_from_slice(&secret);
        let card = Card { port: port(cards), secret, addresses: Vec::new() };
        let greeting = card.greeting(Rank::new(1), &[5; 16]);
        let mut tcp = TcpStream::connect((Ipv4Addr::LOCALHOST, card.port)).unwrap();
        tcp.write_all(&greeting).unwrap();
        // It confirms wrongly, or not at all.
        let mut other = TcpStream::connect((Ipv4Addr::LOCALHOST, card.port)).unwrap();
        other.write_all(&[&greeting[..], &[1; 8]].concat()).unwrap();
        std::mem::forget((tcp, other));
    });
    assert_eq!(found, [&[1][..], &[0]].map(ranks));
}
