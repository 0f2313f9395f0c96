//! A model of three hosts whose leaders make requests of one another: all orders in which their messages can go.
//!
//! What it proves: no state is reached in which images wait and no message can go on. Each step of the model uses something
//! up, so then each request is over at some time. What begins is decided by `Client::can_begin` itself (`rule.rs`); the rest is
//! what the READMEs of servers and of sockets say. Connections take few messages, and a server has room for one transfer, so
//! that all that can wait for something does.
//!
//! What it leaves out: each host has one image, which makes two requests, one after the other. Its sections have one piece, and
//! there are no credits and no long puts of contiguous bytes.

mod frames;
mod rule;
mod state;

use frames::Frame;
use rule::{Begins, OLD, OWN};
use state::{HOSTS, Image, State, Way};
use std::collections::HashSet;

/// A state that can be reached, in which not all is over and nothing can go on.
fn stuck(begins: &Begins) -> Option<State> {
    let mut known = HashSet::from([State::START]);
    let mut open = vec![State::START];
    while let Some(state) = open.pop() {
        let mut is_last = true;
        state.for_each_next(begins, |next| {
            is_last = false;
            let next = next.canonical();
            if known.insert(next) {
                open.push(next);
            }
        });
        if is_last && !state.is_over() {
            return Some(state);
        }
    }
    assert!(known.len() > 100_000, "{} states are too few", known.len());
    None
}

#[test]
fn leaders_that_ask_one_another_never_wait_for_ever() {
    let found = stuck(&Begins::by(OWN));
    assert_eq!(found, None);
}

/// The model finds what was wrong: each image waits for a reply that is after bytes that wait for room, which a reply to another
/// image has.
#[test]
fn leaders_would_wait_for_ever_if_replies_counted_for_requests_with_bytes() {
    let found = stuck(&Begins::by(OLD)).expect("a deadlock");
    assert!(found.images.iter().all(|image| matches!(image, Image::Waits(..))), "{found:?}");
    let waits = |way: &Way| way.taken.first() == Some(Frame::Bytes);
    assert_eq!(found.ways.iter().flatten().filter(|way| waits(way)).count(), HOSTS, "{found:?}");
}
