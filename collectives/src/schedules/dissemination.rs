//! Dissemination barrier (Hensgen, Finkel and Manber 1988) in ceil(log2 n) rounds: in round k each participant notifies
//! the participant 2^k positions after it.

use super::{OnReceipt, Round, Transfer};

/// The rounds of `position` of `n`. No blocks: the message itself is the notification.
pub fn barrier(n: usize, position: usize) -> impl Iterator<Item = Round> {
    std::iter::successors(Some(1), |distance| Some(distance * 2))
        .take_while(move |&distance| distance < n)
        .map(move |distance| {
            let to = Transfer { peer: (position + distance) % n, blocks: 0..0 };
            let from = Transfer { peer: (position + n - distance) % n, blocks: 0..0 };
            Round::both(to, from, OnReceipt::Replace)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedules::simulate::{MAX_PARTICIPANTS, simulate};

    #[test]
    fn all_hear_of_all() {
        for n in 1..=MAX_PARTICIPANTS {
            let end = simulate(n, |_| vec![], |position| barrier(n, position).collect());
            for participant in end {
                assert_eq!(participant.heard.count(), n);
            }
        }
    }
}
