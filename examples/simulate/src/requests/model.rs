//! Machines with communication servers, requests, and the programs whose images send them.

use super::random::Random;
use crate::costs::Costs;
use xmp_core::cooperation::{Answers, Mode, Policy, Topology};

/// Microseconds for a request: some lines of code and a contended atomic operation.
const EXECUTE: f64 = 0.05;
/// For each one more that was merged with it: in our server three tenths, where one by itself takes 110 ns and each of
/// 13 that were merged with another one 31 ns, replies included (Zen 4).
const MEMBER: f64 = 0.3 * EXECUTE;

/// What a server needs for a request, besides receiving and answering it; microseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Serving {
    /// To find out what it is, and to execute it.
    pub execute: f64,
    /// For each one more that was merged with it, to find out what it returns.
    pub member: f64,
    /// For each byte that it brings, to put it where it belongs.
    pub per_byte: f64,
}

impl Serving {
    /// What we assume of any machine, and its copies.
    pub fn of(costs: &Costs) -> Serving {
        Serving { execute: EXECUTE, member: MEMBER, per_byte: costs.sharing.copy }
    }
}

/// A machine, and how its servers deal with requests.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    /// What messages cost.
    pub costs: Costs,
    /// What requests cost.
    pub serving: Serving,
    /// The hosts.
    pub topology: Topology,
    /// What servers do.
    pub policy: Policy,
    /// Images on each host.
    pub per_host: u32,
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Bytes that say what it is.
    pub header: usize,
    /// Bytes that it brings.
    pub data: usize,
    /// Bytes of the answer.
    pub answer: usize,
    /// Whether it is a read-modify-write of a word of the image, the same for all who ask: servers merge these.
    pub counts: bool,
}

impl Operation {
    /// A fetch-and-add: a request with a header and a word, and its answer.
    pub const FETCH_ADD: Operation = Operation { header: 48, data: 0, answer: 40, counts: true };

    /// A strided put of this many bytes.
    pub const fn put(bytes: usize) -> Operation {
        Operation { header: 80, data: bytes, answer: 32, counts: false }
    }

    /// Bytes of the request.
    pub const fn bytes(self) -> usize {
        self.header + self.data
    }
}

/// What an image does next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Act {
    /// Computes for this many nanoseconds.
    Compute(u64),
    /// Sends a request to an image of another host.
    Request {
        /// The image.
        to: u32,
        /// What it asks for.
        operation: Operation,
        /// Whether it waits for the answer, or goes on.
        waits: bool,
    },
    /// Reads contiguous bytes of an image of another host: by its adapter, without the server.
    Get {
        /// The image.
        from: u32,
        /// How many.
        bytes: usize,
    },
    /// Waits for the answers to all requests.
    Fence,
    /// Waits until another image wakes it.
    Rest,
    /// Has ended.
    End,
}

/// What all images of a job do.
pub trait Program {
    /// What `image` does next, at `now` nanoseconds; it has done what it was given last. Images in `wake` no longer
    /// rest.
    fn next(&mut self, image: u32, now: u64, wake: &mut Vec<u32>, random: &mut Random) -> Act;
}

/// The modes that are compared: their names, and what servers do. `paper` is what the paper describes: every request is
/// held for a window, and the target answers every origin.
pub fn variants(base: Policy, paper_window: u64) -> [(&'static str, Policy); 4] {
    let with = |mode| Policy { mode, ..base };
    let paper = Policy {
        holds_first: true,
        window: paper_window,
        answers: Answers::Apart,
        combines: false,
        ..with(Mode::Aggregation)
    };
    [
        ("direct", with(Mode::Direct)),
        ("forwarding", with(Mode::Forwarding)),
        ("aggregation", with(Mode::Aggregation)),
        ("aggregation as in the paper", paper),
    ]
}
