//! The requests of the model that may begin, as the server decides ([`Client::can_begin`]).

use super::frames::{KINDS, Kind};
use crate::nest::{Loop, Nest};
use crate::rank::Rank;
use crate::server::Limits;
use crate::server::clients::{Client, InUse, STAGED};
use crate::server::incoming::{Incoming, OnArrival, Pieces};
use crate::server::outbox::Staged;
use crate::server::wire::{Grid, Head, Payload, RemoteLayout, Request};

/// What begins: by kind, whether its image has requests before it, incoming transfers, outgoing ones.
pub(super) struct Begins([[[[bool; MAX_TRANSFERS]; MAX_TRANSFERS]; 2]; KINDS.len()]);

/// Fewer than this many transfers of a server are told apart.
const MAX_TRANSFERS: usize = 2;

/// What may be seen of the memory that is in use.
pub(super) type Rule = fn(InUse) -> InUse;

/// That of the server.
pub(super) const OWN: Rule = |in_use| in_use;
/// What it was once: all transfers through memory of the server counted for all requests.
pub(super) const OLD: Rule = |InUse { incoming, outgoing }| InUse {
    incoming: incoming + outgoing,
    outgoing: Staged::default(),
};

/// Whether the server begins a request whose image has this many before it, the bytes of which are to come.
fn can_begin(kind: Kind, before: usize, in_use: InUse) -> bool {
    let limits = Limits::default();
    let long = u64::from(limits.inline) + 1;
    let head = Head { origin: Rank::new(0), target: Rank::new(1), id: 0 };
    let pieces = Pieces { chunk: limits.chunk, window: 1 };
    // All its receives are posted.
    let posted = |_| {
        let then = OnArrival::Call { handler: 1, bytes: Vec::new() };
        Incoming::new(head, head.origin, 0, std::ptr::null_mut(), then, pieces)
    };
    let loops = [Loop { extent: long as usize, remote: 2, local: 1 }];
    let section = RemoteLayout::Nest(Grid::of(0, Nest { unit: 1, loops: &loops }));
    let request = match kind {
        Kind::Put => Request::Put { to: section, data: Payload::Follows(long) },
        Kind::Get => Request::Get { from: section },
        Kind::Call => Request::Call { handler: 1, data: Payload::Follows(long) },
    };
    let client = Client { incoming: (0..before).map(posted).collect(), ..Client::default() };
    client.can_begin(&limits, head, &request, in_use)
}

impl Begins {
    pub(super) fn by(rule: Rule) -> Begins {
        // As if each transfer were all that there is room for.
        let all = |count| Staged { count: count * STAGED, bytes: 0 };
        Begins(KINDS.map(|kind| {
            [0, 1].map(|before| {
                std::array::from_fn(|incoming| {
                    std::array::from_fn(|outgoing| {
                        let in_use = InUse { incoming: all(incoming), outgoing: all(outgoing) };
                        can_begin(kind, before, rule(in_use))
                    })
                })
            })
        }))
    }

    /// Whether a request begins whose image has this many before it, the bytes of which are to come.
    pub(super) fn includes(
        &self,
        kind: Kind,
        before: usize,
        incoming: usize,
        outgoing: usize,
    ) -> bool {
        self.0[kind as usize][before.min(1)][incoming.min(MAX_TRANSFERS - 1)]
            [outgoing.min(MAX_TRANSFERS - 1)]
    }
}
