//! Central barrier: all participants notify the first one, which then notifies all. It takes two latencies and the fewest
//! messages: good for few participants, and where images share cores.

use super::{Round, flat};

/// The rounds of `position` of `n`. No blocks: the message itself is the notification.
pub fn barrier(n: usize, position: usize) -> impl Iterator<Item = Round> {
    flat::gather(n, position, 0, |_| 0..0).chain(flat::broadcast(n, position, 0, 0..0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedules::simulate::{MAX_PARTICIPANTS, simulate};

    #[test]
    fn all_hear_of_all() {
        for n in 1..=MAX_PARTICIPANTS {
            let end = simulate(n, |_| vec![], |position| barrier(n, position).collect());
            assert!(end.iter().all(|participant| participant.heard.count() == n));
            assert_eq!(
                end.iter().map(|participant| participant.rounds).sum::<usize>(),
                4 * (n - 1)
            );
        }
    }
}
