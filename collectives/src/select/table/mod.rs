//! The tables of the best algorithms, which `./x tune` writes: `measured.rs` between hosts that share memory, and `fabric.rs` between
//! those that do not.

pub mod fabric;
pub mod measured;

/// The best choice for up to this many participants, by the number of bytes.
#[derive(Clone, Copy, Debug)]
pub struct Line<A: 'static> {
    /// Most participants. The line with most of them also stands for more.
    pub participants: usize,
    /// Whether it is for images that share cores.
    pub crowded: bool,
    /// The machine and the day of the measurement, or "model of" the machine whose constants the simulator had.
    pub origin: &'static str,
    /// In ascending order, numbers of bytes and the choice up to each; the last is for any number.
    pub ranges: &'static [(usize, A)],
}

/// A line for images with cores of their own.
const fn free<A>(
    participants: usize,
    origin: &'static str,
    ranges: &'static [(usize, A)],
) -> Line<A> {
    Line { participants, crowded: false, origin, ranges }
}

/// A line for images that share cores.
const fn crowded<A>(
    participants: usize,
    origin: &'static str,
    ranges: &'static [(usize, A)],
) -> Line<A> {
    Line { participants, crowded: true, origin, ranges }
}

/// The choice of a table.
///
/// # Panics
/// When the table has no line of the kind, or a line does not cover all numbers of bytes. A test checks all tables.
#[inline]
pub fn find<A: Copy>(
    lines: &'static [Line<A>],
    participants: usize,
    crowded: bool,
    bytes: usize,
) -> A {
    let mut of_kind = lines.iter().filter(|line| line.crowded == crowded);
    let most = of_kind.clone().next_back();
    let line = of_kind.find(|line| participants <= line.participants).or(most);
    let ranges = line.expect("a line of each kind").ranges;
    ranges.iter().find(|(up_to, _)| bytes <= *up_to).expect("a range for any number").1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<A: Copy>(lines: &'static [Line<A>]) {
        check_kinds(lines, &[false, true]);
    }

    fn check_kinds<A: Copy>(lines: &'static [Line<A>], kinds: &[bool]) {
        for &crowded in kinds {
            let participants: Vec<usize> =
                lines.iter().filter(|l| l.crowded == crowded).map(|l| l.participants).collect();
            assert!(!participants.is_empty() && participants.is_sorted_by(|a, b| a < b));
            for n in 1..200 {
                for bytes in [0, 1, 1000, usize::MAX] {
                    find(lines, n, crowded, bytes);
                }
            }
        }
        for line in lines {
            assert!(line.ranges.is_sorted_by(|a, b| a.0 < b.0), "{}", line.origin);
            assert_eq!(line.ranges.last().unwrap().0, usize::MAX);
        }
    }

    #[test]
    fn every_table_has_an_answer_for_everything() {
        use measured::*;
        check(HOST_ALLREDUCE);
        check(HOST_REDUCE);
        check(DIRECT_ALLREDUCE);
        check(DIRECT_REDUCE);
        check(DIRECT_BROADCAST);
        check(DIRECT_ALLGATHER);
        check(LEADER_BARRIER);
        check(LEADER_BROADCAST);
        check(LEADER_REDUCE);
        check(LEADER_ALLREDUCE);
        check(LEADER_ALLGATHER);
        check_kinds(fabric::BARRIER, &[false]);
        check_kinds(fabric::BROADCAST, &[false]);
        check_kinds(fabric::REDUCE, &[false]);
        check_kinds(fabric::ALLREDUCE, &[false]);
        check_kinds(fabric::ALLGATHER, &[false]);
    }

    #[test]
    fn the_next_larger_line_counts() {
        const LINES: &[Line<u8>] = &[
            Line { participants: 2, crowded: false, origin: "", ranges: &[(usize::MAX, 1)] },
            Line {
                participants: 8,
                crowded: false,
                origin: "",
                ranges: &[(9, 2), (usize::MAX, 3)],
            },
            Line { participants: 8, crowded: true, origin: "", ranges: &[(usize::MAX, 4)] },
        ];
        for (participants, crowded, bytes, expected) in
            [(2, false, 99, 1), (3, false, 9, 2), (9, false, 10, 3), (1, true, 0, 4)]
        {
            assert_eq!(find(LINES, participants, crowded, bytes), expected);
        }
    }
}
