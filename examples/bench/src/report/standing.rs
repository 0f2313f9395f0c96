//! The comparison of our time with the best peer of a row.

use crate::peers::{Kind, Peer};
use crate::protocol::RowKey;
use crate::samples::Samples;
use crate::stats::Summary;

/// How ours compares with the best peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Every repetition of ours was faster than every one of the peer.
    Ahead,
    /// The ranges of the repetitions overlap.
    WithinNoise,
    /// Every repetition of ours was slower than every one of the peer.
    Behind,
}

impl Standing {
    /// Compares two sides; less is better.
    pub fn of(ours: Summary, theirs: Summary) -> Self {
        if ours.max < theirs.min {
            Self::Ahead
        } else if ours.min > theirs.max {
            Self::Behind
        } else {
            Self::WithinNoise
        }
    }
}

/// The peer with the least median in a row, and its summary: of those of one kind, or of all. The limit and variants of ours are no
/// peers.
pub fn best_peer<'a>(
    only: Option<Kind>,
    images: u32,
    row: &RowKey,
    samples: &Samples,
    peers: &'a [Peer],
) -> Option<(&'a Peer, Summary)> {
    let is_peer = |kind: Kind| match only {
        Some(only) => kind == only,
        None => !kind.is_ours() && kind != Kind::Limit,
    };
    peers
        .iter()
        .filter(|peer| is_peer(peer.kind))
        .filter_map(|peer| Some((peer, samples.summary(images, row, peer.id)?)))
        .min_by(|(_, a), (_, b)| a.median.total_cmp(&b.median))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::summarise;

    fn standing(ours: &[f64], theirs: &[f64]) -> Standing {
        Standing::of(summarise(ours).unwrap(), summarise(theirs).unwrap())
    }

    #[test]
    fn ranges_that_overlap_are_noise() {
        assert_eq!(standing(&[1.0, 2.0], &[2.1, 3.0]), Standing::Ahead);
        assert_eq!(standing(&[1.0, 2.0], &[2.0, 3.0]), Standing::WithinNoise);
        assert_eq!(standing(&[2.5], &[2.0, 3.0]), Standing::WithinNoise);
        assert_eq!(standing(&[3.1, 4.0], &[2.0, 3.0]), Standing::Behind);
    }
}
