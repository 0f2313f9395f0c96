//! Broadcast of long vectors after van de Geijn (1994): the root's parts are scattered over a binomial tree, then
//! gathered around a ring. Each participant sends and receives the vector about twice at most, however many there are.

use super::{OnReceipt, Round, Transfer, ring};

/// Broadcast of blocks 0..n from `root`. Part i goes to the participant i after the root first.
pub fn broadcast(n: usize, position: usize, root: usize) -> impl Iterator<Item = Round> {
    let relative = (position + n - root) % n;
    let absolute = move |relative: usize| (relative + root) % n;
    // As in `binomial`: a participant has the parts of those that it sends to, up to its lowest set bit.
    let lowest = match relative {
        0 => n.next_power_of_two(),
        set => 1 << set.trailing_zeros(),
    };
    let from = (relative != 0).then(|| {
        let blocks = relative..(relative + lowest).min(n);
        Round::receive(absolute(relative - lowest), blocks, OnReceipt::Replace)
    });
    let onward = std::iter::successors(Some(lowest / 2), |distance| Some(distance / 2))
        .take_while(|&distance| distance > 0)
        .filter(move |distance| relative + distance < n)
        .map(move |distance| {
            let first = relative + distance;
            Round::send(absolute(first), first..(first + distance).min(n))
        });
    let around = ring::allgather(n, relative).map(move |mut round| {
        let relabel = |transfer: &mut Transfer| transfer.peer = absolute(transfer.peer);
        round.send.iter_mut().for_each(relabel);
        round.receive.iter_mut().for_each(|(transfer, _)| relabel(transfer));
        round
    });
    from.into_iter().chain(onward).chain(around)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedules::simulate::{Content, MAX_PARTICIPANTS, simulate_sized};

    fn check(n: usize, root: usize) {
        let part = |b| Content::in_block(root, b);
        let start =
            |p| if p == root { (0..n).map(part).collect() } else { vec![Content::Nothing; n] };
        let rounds = |p| broadcast(n, p, root).collect();
        for participant in simulate_sized(n, |_, part| part % 4, start, rounds) {
            assert!((0..n).map(part).eq(participant.blocks), "{n} from {root}");
            assert_eq!(participant.heard.count(), n);
        }
    }

    #[test]
    fn every_part_reaches_all() {
        for n in 1..=MAX_PARTICIPANTS {
            check(n, n / 3);
        }
        let some = [1, 2, 3, 4, 5, 7, 8, 12, 16, 31, 33, 64, 65];
        for n in some.into_iter().filter(|&n| n <= MAX_PARTICIPANTS) {
            (0..n).for_each(|root| check(n, root));
        }
    }

    /// With the simulation from one root this covers every root.
    #[test]
    fn all_roots_are_alike() {
        for n in 1..=MAX_PARTICIPANTS {
            for (root, relative) in
                (0..n).flat_map(|root| [(root, 0), (root, n / 2), (root, n - 1)])
            {
                let shift = |mut round: Round| {
                    let moved =
                        |transfer: &mut Transfer| transfer.peer = (transfer.peer + root) % n;
                    round.send.iter_mut().for_each(moved);
                    round.receive.iter_mut().for_each(|(transfer, _)| moved(transfer));
                    round
                };
                let from_first = broadcast(n, relative, 0).map(shift);
                assert!(broadcast(n, (relative + root) % n, root).eq(from_first));
            }
        }
    }
}
