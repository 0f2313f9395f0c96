//! Tests of the connections of a job: images are threads.

use super::*;
use crate::sockets::connect::{Exchange, connect, enough_room};
use crate::sockets::in_threads::{Meeting, Member};
use crate::sockets::{LONG, SHORT};
use std::io::Read;
use std::sync::Arc;

/// Connects images, the leaders of whose hosts are given; `between` may change what all learn of each.
fn connected(
    leaders: &[u32],
    at_home: bool,
    patience: Duration,
    between: impl Fn(&mut [u8]) + Sync,
) -> Vec<std::result::Result<Vec<Rank>, String>> {
    struct Changing<F>(Member, F, std::cell::Cell<bool>);
    impl<F: Fn(&mut [u8])> Exchange for Changing<F> {
        fn allgather(&self, mine: &[u8]) -> Result<Vec<u8>> {
            let mut all = self.0.allgather(mine)?;
            if !self.2.replace(true) {
                (self.1)(&mut all);
            }
            Ok(all)
        }
    }
    let leaders: Vec<Rank> = leaders.iter().copied().map(Rank::new).collect();
    let meeting = Meeting::new(leaders.len());
    let (meeting, leaders, between) = (&meeting, &leaders, &between);
    thread::scope(|scope| {
        let image = |rank: usize| {
            scope.spawn(move || {
                let member = Member { meeting: Arc::clone(meeting), rank };
                let exchange = Changing(member, between, false.into());
                let peers = Peers::new(Rank::new(rank as u32), leaders);
                let streams = connect(&exchange, &peers, at_home, patience).unwrap()?;
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
    let found = connected(&[0, 1, 0, 4, 4], false, LONG, |_| {});
    let expected = [&[1, 3, 4][..], &[0, 2, 3, 4], &[1, 4], &[0, 1], &[0, 1, 2]];
    assert_eq!(found, expected.map(ranks));
    let found = connected(&[0, 0, 2, 2], true, LONG, |_| {});
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
    let found = connected(&[0, 1], false, LONG, |cards| {
        // One is gone at once, one stays and is silent, one has another secret.
        let call = || TcpStream::connect((Ipv4Addr::LOCALHOST, port(cards))).unwrap();
        drop(call());
        std::mem::forget(call());
        call().write_all(&[7; 20]).unwrap();
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
            let mut greeting = [0; 20];
            tcp.read_exact(&mut greeting).unwrap();
            greeting[0] ^= 1;
            let _ = tcp.write_all(&greeting);
        }
    });
    let found =
        connected(&[0, 1], false, SHORT, |cards| cards[..2].copy_from_slice(&its.to_le_bytes()));
    let text = found[1].as_ref().unwrap_err();
    assert!(text.contains("no answer of image 1"), "{text}");
    assert!(found[0].is_err());
}

#[test]
fn all_images_learn_that_a_connection_cannot_be_made() {
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let closed = free.local_addr().unwrap().port();
    drop(free);
    for port in [closed, 0] {
        let set = |cards: &mut [u8]| cards[..2].copy_from_slice(&port.to_le_bytes());
        let found = connected(&[0, 1, 2], false, LONG, set);
        let texts: Vec<String> = found.into_iter().map(|image| image.unwrap_err()).collect();
        assert!(texts[1].contains("no connection to the host of image 1"), "{texts:?}");
        assert!(texts[0].contains("image 2 lacks a connection"), "{texts:?}");
    }
}
