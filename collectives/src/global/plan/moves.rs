//! The transfers of an image with all others in one operation.

use super::transfer::Transfer;
use xmp_core::Rank;

/// The transfers with each partner, in their order in a message.
pub type ByPartner = Vec<(Rank, Vec<Transfer>)>;

/// The transfers of one image in an operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moves {
    /// The transfers within its own memory.
    pub own: Vec<Transfer>,
    /// The transfers to others.
    pub send: ByPartner,
    /// The transfers from others.
    pub receive: ByPartner,
    amount: Amount,
}

/// The amount of data that an image has for others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// Number of bytes.
    pub bytes: usize,
    /// About the number of cache lines that they are in.
    pub lines: usize,
    /// Number of images that get them.
    pub partners: usize,
    /// Number of bytes if the part of each image is a multiple of 4.
    pub padded: usize,
}

impl Moves {
    /// The transfers that the image `me` sends and receives.
    pub fn new(
        me: Rank,
        send: impl IntoIterator<Item = (Rank, Transfer)>,
        receive: impl IntoIterator<Item = (Rank, Transfer)>,
    ) -> Moves {
        let (mut send, mut receive) = (grouped(send), grouped(receive));
        // Transfers to itself are in both.
        send.retain(|(partner, _)| *partner != me);
        let own = match receive.iter().position(|(partner, _)| *partner == me) {
            Some(at) => receive.remove(at).1,
            None => Vec::new(),
        };
        Moves { amount: Amount::of(&send), own, send, receive }
    }

    /// The amount of data that this image has for others.
    pub fn amount(&self) -> Amount {
        self.amount
    }

    /// The same transfers in the other direction.
    #[must_use]
    pub fn reversed(&self) -> Moves {
        let back = |moves: &[Transfer]| moves.iter().map(Transfer::reversed).collect();
        let all = |partners: &ByPartner| {
            partners.iter().map(|(rank, moves)| (*rank, back(moves))).collect()
        };
        let send = all(&self.receive);
        Moves { amount: Amount::of(&send), own: back(&self.own), send, receive: all(&self.send) }
    }
}

impl Amount {
    fn of(send: &ByPartner) -> Amount {
        let mut amount = Amount { partners: send.len(), ..Amount::default() };
        for cell in send.iter().flat_map(|(_, transfers)| transfers).flat_map(Transfer::cells) {
            amount.bytes += cell.bytes();
            amount.lines += cell.lines();
        }
        amount.padded = send.iter().map(|(_, parts)| bytes(parts).next_multiple_of(4)).sum();
        amount
    }
}

/// Number of bytes of several transfers.
pub fn bytes(transfers: &[Transfer]) -> usize {
    transfers.iter().map(Transfer::bytes).sum()
}

fn grouped(transfers: impl IntoIterator<Item = (Rank, Transfer)>) -> ByPartner {
    let mut all: Vec<(Rank, Transfer)> = transfers.into_iter().collect();
    // Stable: those of one partner stay in order.
    all.sort_by_key(|(partner, _)| *partner);
    let mut grouped: ByPartner = Vec::new();
    for (partner, transfer) in all {
        match grouped.last_mut() {
            Some((last, transfers)) if *last == partner => transfers.push(transfer),
            _ => grouped.push((partner, vec![transfer])),
        }
    }
    grouped
}
