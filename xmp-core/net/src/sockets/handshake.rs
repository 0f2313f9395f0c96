//! The card that a leader gives to other leaders, and the proof by which two of them know each other.

use super::addresses;
use super::keyed::{self, Secret};
use crate::rank::Rank;
use rustix::rand::{GetRandomFlags, getrandom};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

const RANK: usize = 4;
const NONCE: usize = 16;
const PROOF: usize = 8;
/// Bytes of a greeting: the caller, a number that it uses once, and the proof that it knows the leader's secret.
pub const GREETING: usize = RANK + NONCE + PROOF;
/// Bytes of the answer: the leader, a number that it uses once, and its proof for both numbers.
pub const ANSWER: usize = RANK + NONCE + PROOF;
/// Bytes of the confirmation: the proof of the caller for both numbers. A process that repeats a greeting of another one cannot make it.
pub const CONFIRMATION: usize = PROOF;

/// A number that is used once.
pub type Nonce = [u8; NONCE];

/// A new one.
///
/// # Errors
/// When the system has none.
pub fn nonce() -> io::Result<Nonce> {
    let mut nonce = Nonce::default();
    getrandom(&mut nonce, GetRandomFlags::empty())?;
    Ok(nonce)
}

/// What a leader tells the others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Card {
    /// Where it listens; 0: it does not.
    pub port: u16,
    /// The processes that know it are those of the job.
    pub secret: Secret,
    /// Where others reach it.
    pub addresses: Vec<IpAddr>,
}

impl Card {
    /// Bytes of a card.
    pub const BYTES: usize = 2 + size_of::<Secret>() + addresses::LIST;

    /// As bytes.
    pub fn to_bytes(&self) -> [u8; Card::BYTES] {
        let mut bytes = [0; Card::BYTES];
        bytes[..2].copy_from_slice(&self.port.to_le_bytes());
        bytes[2..][..size_of::<Secret>()].copy_from_slice(&self.secret);
        bytes[2 + size_of::<Secret>()..].copy_from_slice(&addresses::to_bytes(&self.addresses));
        bytes
    }

    /// The card that these bytes are.
    pub fn from_bytes(bytes: &[u8]) -> Card {
        Card {
            port: u16::from_le_bytes(bytes[..2].try_into().expect("two bytes")),
            secret: bytes[2..][..size_of::<Secret>()].try_into().expect("as many bytes"),
            addresses: addresses::from_bytes(&bytes[2 + size_of::<Secret>()..]),
        }
    }

    /// The card for processes of the leader's own machine: they reach it also where that has no network.
    pub fn at_home(mut self) -> Card {
        let own = [Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()];
        self.addresses.splice(0..0, own);
        self
    }

    /// The greeting of `caller` for this leader.
    pub fn greeting(&self, caller: Rank, nonce: &Nonce) -> [u8; GREETING] {
        let mut bytes = [0; GREETING];
        let rank = caller.get().to_le_bytes();
        bytes[..RANK].copy_from_slice(&rank);
        bytes[RANK..][..NONCE].copy_from_slice(nonce);
        bytes[RANK + NONCE..].copy_from_slice(&self.proof(b'c', &rank, &[nonce]));
        bytes
    }

    /// The caller of a greeting for this leader, and its number; `None` if that is no process of this job.
    pub fn caller(&self, greeting: &[u8; GREETING]) -> Option<(Rank, Nonce)> {
        let (rank, rest) = greeting.split_first_chunk::<RANK>()?;
        let (nonce, proof) = rest.split_first_chunk::<NONCE>()?;
        let is_right = self.proof(b'c', rank, &[nonce]) == proof;
        is_right.then_some((Rank::new(u32::from_le_bytes(*rank)), *nonce))
    }

    /// The answer of `leader`, whose card this is, to a greeting with the number `nonce`.
    pub fn answer(&self, leader: Rank, nonce: &Nonce, its: &Nonce) -> [u8; ANSWER] {
        let mut bytes = [0; ANSWER];
        let rank = leader.get().to_le_bytes();
        bytes[..RANK].copy_from_slice(&rank);
        bytes[RANK..][..NONCE].copy_from_slice(its);
        bytes[RANK + NONCE..].copy_from_slice(&self.proof(b'l', &rank, &[nonce, its]));
        bytes
    }

    /// The process that has answered, and its number; `None` if that is no process of this job.
    pub fn answers(&self, answer: &[u8; ANSWER], nonce: &Nonce) -> Option<(Rank, Nonce)> {
        let (rank, rest) = answer.split_first_chunk::<RANK>()?;
        let (its, proof) = rest.split_first_chunk::<NONCE>()?;
        let is_right = self.proof(b'l', rank, &[nonce, its]) == proof;
        is_right.then_some((Rank::new(u32::from_le_bytes(*rank)), *its))
    }

    /// The confirmation of `caller`, whose greeting had the first number, to an answer with the second one.
    pub fn confirmation(&self, caller: Rank, nonces: [&Nonce; 2]) -> [u8; CONFIRMATION] {
        self.proof(b'k', &caller.get().to_le_bytes(), &nonces)
    }

    /// That its maker knows the secret. `role` keeps a greeting from being sent back as its answer.
    fn proof(&self, role: u8, rank: &[u8; RANK], nonces: &[&Nonce]) -> [u8; PROOF] {
        let [first, second] =
            [0, 1].map(|number| nonces.get(number).map_or(&[][..], |its| &its[..]));
        keyed::hash(&self.secret, &[&[role], rank, first, second]).to_le_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card() -> Card {
        Card { port: 4000, secret: [9; 16], addresses: vec!["10.1.2.3".parse().unwrap()] }
    }

    #[test]
    fn a_card_is_read_as_written() {
        assert_eq!(Card::from_bytes(&card().to_bytes()), card());
    }

    #[test]
    fn greeting_and_answer_are_those_of_who_knows_the_secret() {
        let (caller, leader, nonce) = (Rank::new(5), Rank::new(2), [3; NONCE]);
        let greeting = card().greeting(caller, &nonce);
        assert_eq!(card().caller(&greeting), Some((caller, nonce)));
        let its = [6; NONCE];
        let answer = card().answer(leader, &nonce, &its);
        assert_eq!(card().answers(&answer, &nonce), Some((leader, its)));
        let stranger = Card { secret: [8; 16], ..card() };
        assert_eq!(stranger.caller(&greeting), None);
        assert_eq!(stranger.answers(&answer, &nonce), None);
        // An answer to somebody else, or to an earlier greeting.
        assert_eq!(card().answers(&answer, &[4; NONCE]), None);
    }

    #[test]
    fn a_confirmation_is_for_one_greeting_and_one_answer() {
        let (caller, nonce, its) = (Rank::new(5), [3; NONCE], [6; NONCE]);
        let confirmation = card().confirmation(caller, [&nonce, &its]);
        assert_ne!(confirmation, card().confirmation(Rank::new(4), [&nonce, &its]));
        assert_ne!(confirmation, card().confirmation(caller, [&nonce, &[7; NONCE]]));
        assert_ne!(
            confirmation,
            Card { secret: [8; 16], ..card() }.confirmation(caller, [&nonce, &its])
        );
    }

    #[test]
    fn the_secret_is_in_no_greeting() {
        let card = Card { secret: std::array::from_fn(|byte| 0xa0 + byte as u8), ..card() };
        let greeting = card.greeting(Rank::new(5), &[0; NONCE]);
        let answer = card.answer(Rank::new(2), &[0; NONCE], &[1; NONCE]);
        let confirmation = card.confirmation(Rank::new(5), [&[0; NONCE], &[1; NONCE]]);
        for sent in [&greeting[..], &answer[..], &confirmation[..]] {
            assert!(sent.windows(4).all(|part| !card.secret.windows(4).any(|its| its == part)));
        }
    }
}
