//! An asking side whose carrier gives it something else than a server would.

use super::*;
use crate::job::page::Geometry;
use crate::region::Part;
use crate::server::in_process::{Network, Shim};
use crate::server::wire::{Answer, Reply, write_reply};
use crate::settings::Settings;
use crate::transport::{AtomicOp, Width, threads};

const LEADER: Rank = Rank::new(0);
const ME: Rank = Rank::new(1);

/// An operation that has failed is over: to cancel it, too, would end another one.
#[test]
fn a_reply_that_is_too_long_is_an_error_once() {
    let settings = Settings::from_lookup(|_| Ok(None)).unwrap();
    let part = Part { images: 1, first_host: 1, hosts: 1 };
    let geometry = Geometry::plan_part(2, 2, part, Some(1 << 26)).unwrap();
    let job = Arc::new(threads::job(&settings, Geometry { base: 0, ..geometry }).unwrap());
    let peers = Arc::new(Peers::new(ME, &[LEADER, ME]));
    let limits = Limits { inline: 64, ..Limits::default() };
    let network = Network::new(2, Shim::default());
    let port = Port::new(Box::new(network.carrier(ME)), None, limits.nap);
    let origin = Origin::new(port, job, peers, limits);

    let mut server = network.carrier(LEADER);
    let mut reply = |bytes: &[u8]| {
        // SAFETY: short, so it is copied at once.
        unsafe { server.send(ME, Tag::REPLY, bytes).unwrap() };
    };
    reply(&[0; REPLY_HEADER + REFUSAL + 1]);
    let mut message = Vec::new();
    // The one to the second request: the first that is read.
    let answer = Answer::Value(7);
    write_reply(&mut message, Reply { id: 2, host: 0, number: 0, executed: 2, answer });
    reply(&message);

    let ask = || origin.fetch_op(AtomicOp::Load, LEADER, 0, Width::W8, 0);
    let text = ask().unwrap_err().to_string();
    assert!(text.contains("in a buffer of"), "{text}");
    assert_eq!(ask(), Ok(7));
}
