//! Nests of loops: how the bytes of a strided transfer are on both sides.
//!
//! One form from the planner of a transfer to the wire: a *unit* of contiguous bytes, and loops around it.

use smallvec::SmallVec;
use std::convert::Infallible;
use std::ops::Range;

/// One loop of a nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loop {
    /// How often it is executed.
    pub extent: usize,
    /// Bytes from one execution to the next in the segment of the target.
    pub remote: i64,
    /// Bytes from one execution to the next in the memory of the image that transfers.
    pub local: i64,
}

/// A unit of contiguous bytes, repeated by loops; the first one is the innermost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nest<'a> {
    /// Contiguous bytes.
    pub unit: usize,
    /// The loops.
    pub loops: &'a [Loop],
}

impl Nest<'_> {
    /// Calls `visit` with the distances (remote, local) of each unit from the first one, innermost loop fastest.
    ///
    /// # Errors
    /// The first error of `visit`; the units after it are not visited.
    #[inline]
    pub fn try_for_each<E>(
        &self,
        mut visit: impl FnMut(i64, i64) -> Result<(), E>,
    ) -> Result<(), E> {
        fn level<E>(
            loops: &[Loop],
            remote: i64,
            local: i64,
            visit: &mut impl FnMut(i64, i64) -> Result<(), E>,
        ) -> Result<(), E> {
            let Some((outer, inner)) = loops.split_last() else { return visit(remote, local) };
            (0..outer.extent as i64).try_for_each(|i| {
                level(inner, remote + i * outer.remote, local + i * outer.local, visit)
            })
        }
        level(self.loops, 0, 0, &mut visit)
    }

    /// As [`Nest::try_for_each`], where nothing can fail.
    #[inline]
    pub fn for_each(&self, mut visit: impl FnMut(i64, i64)) {
        let visited: Result<(), Infallible> = self.try_for_each(|remote, local| {
            visit(remote, local);
            Ok(())
        });
        let Ok(()) = visited;
    }

    /// The bytes of one side in the same order, by the longest units and the fewest loops. `distance` selects the distance of a loop on that
    /// side, which the result has as `remote`; its `local` is 0.
    pub fn side(&self, distance: impl Fn(&Loop) -> i64) -> (usize, SmallVec<[Loop; 4]>) {
        let mut unit = self.unit;
        let mut loops: SmallVec<[Loop; 4]> = SmallVec::new();
        for outer in self.loops.iter().filter(|it| it.extent != 1) {
            let (extent, remote) = (outer.extent, distance(outer));
            // The bytes from one execution of the loop to the next if they follow one another, and what becomes longer then.
            let (reach, grows) = match loops.last_mut() {
                None => (i64::try_from(unit).ok(), &mut unit),
                Some(inner) => {
                    let reach = i64::try_from(inner.extent).ok();
                    let reach = reach.and_then(|extent| extent.checked_mul(inner.remote));
                    (reach, &mut inner.extent)
                }
            };
            match grows.checked_mul(extent) {
                Some(more) if reach == Some(remote) && extent != 0 => *grows = more,
                _ => loops.push(Loop { extent, remote, local: 0 }),
            }
        }
        (unit, loops)
    }

    /// Bytes of all units; `None` if they are more than 2^62.
    pub fn bytes(&self) -> Option<usize> {
        if self.loops.iter().any(|it| it.extent == 0) {
            return Some(0);
        }
        let mut extents = self.loops.iter().map(|it| it.extent);
        extents.try_fold(self.unit, usize::checked_mul).filter(|&len| len <= 1 << 62)
    }

    /// The bytes of the target's segment between the first and the last one that are touched, where the first unit is at
    /// `offset`; they may be far out of the segment. Empty for an empty nest.
    pub fn touched(&self, offset: u64) -> Range<i128> {
        let offset = i128::from(offset);
        let (mut from, mut to) = (offset, offset + self.unit as i128);
        for it in self.loops {
            if it.extent == 0 {
                return offset..offset;
            }
            let reach = (it.extent as i128 - 1) * i128::from(it.remote);
            from = from.saturating_add(reach.min(0));
            to = to.saturating_add(reach.max(0));
        }
        from..to
    }
}

/// Sorts loops by a key; loops with equal keys keep their order.
///
/// Nests are not deep, and nearly always in order already. So this is an insertion sort: a sort of the standard library has up to 25 KiB
/// of code for one type of loop.
#[inline]
pub fn sort_by_key<T, K: Ord>(loops: &mut [T], key: impl Fn(&T) -> K) {
    for outer in 1..loops.len() {
        let mut at = outer;
        while at > 0 && key(&loops[at - 1]) > key(&loops[at]) {
            loops.swap(at - 1, at);
            at -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn loops() -> impl Strategy<Value = Vec<Loop>> {
        let one = (0usize..5, -50i64..50, -50i64..50);
        let one = one.prop_map(|(extent, remote, local)| Loop { extent, remote, local });
        prop::collection::vec(one, 0..4)
    }

    proptest! {
        #[test]
        fn units_are_as_many_as_their_bytes_say_and_lie_in_what_is_touched(
            unit in 1usize..9, loops in loops(),
        ) {
            let nest = Nest { unit, loops: &loops };
            let mut units = Vec::new();
            nest.for_each(|remote, local| units.push((remote, local)));
            prop_assert_eq!(nest.bytes(), Some(unit * units.len()));
            let touched = nest.touched(1000);
            let first = units.iter().map(|(remote, _)| *remote).min();
            let last = units.iter().map(|(remote, _)| *remote).max();
            match first.zip(last) {
                None => prop_assert!(touched.is_empty()),
                Some((first, last)) => {
                    prop_assert_eq!(touched.start, 1000 + i128::from(first));
                    prop_assert_eq!(touched.end, 1000 + i128::from(last) + unit as i128);
                }
            }
        }

        #[test]
        fn loops_with_equal_keys_keep_their_order(loops in prop::collection::vec(0u32..100, 0..16)) {
            let (mut sorted, mut expected) = (loops.clone(), loops);
            sort_by_key(&mut sorted, |value| value / 10);
            expected.sort_by_key(|value| value / 10);
            prop_assert_eq!(sorted, expected);
        }

        #[test]
        fn a_side_has_the_bytes_of_its_units_in_their_order(
            unit in 1usize..9, loops in loops(), multiples in any::<bool>(),
        ) {
            // Multiples of what is inside of a loop follow one another.
            let mut loops = loops;
            let mut inside = unit as i64;
            for it in loops.iter_mut().filter(|_| multiples) {
                it.local = inside;
                inside *= it.extent as i64;
            }
            let nest = Nest { unit, loops: &loops };
            let bytes = |nest: Nest<'_>, local| {
                let mut bytes = Vec::new();
                nest.for_each(|remote, its| {
                    let first = if local { its } else { remote };
                    bytes.extend(first..first + nest.unit as i64);
                });
                bytes
            };
            let (unit, side) = nest.side(|it| it.local);
            prop_assert_eq!(bytes(Nest { unit, loops: &side }, false), bytes(nest, true));
            prop_assert!(!multiples || side.is_empty() || inside == 0);
        }
    }

    #[test]
    fn loops_that_follow_one_another_are_one() {
        let side = |unit, loops: &[(usize, i64)]| {
            let loops: Vec<Loop> =
                loops.iter().map(|&(extent, remote)| Loop { extent, remote, local: 0 }).collect();
            let (unit, loops) = Nest { unit, loops: &loops }.side(|it| it.remote);
            (unit, loops.iter().map(|it| (it.extent, it.remote)).collect::<Vec<_>>())
        };
        assert_eq!(side(4, &[(10, 4), (5, 40)]), (200, vec![]));
        assert_eq!(side(4, &[(10, 8), (5, 80), (1, 7), (2, 500)]), (4, vec![(50, 8), (2, 500)]));
        assert_eq!(side(4, &[(10, -4), (2, -40)]), (4, vec![(20, -4)]));
        assert_eq!(side(4, &[(0, 4), (2, 8)]), (4, vec![(0, 4), (2, 8)]));
        // The product would be too long.
        assert_eq!(side(4, &[(usize::MAX, 4)]), (4, vec![(usize::MAX, 4)]));
    }

    #[test]
    fn the_innermost_loop_is_the_first() {
        let loops =
            [(2, 8, 1), (2, 100, 10)].map(|(extent, remote, local)| Loop { extent, remote, local });
        let mut units = Vec::new();
        Nest { unit: 1, loops: &loops }.for_each(|remote, local| units.push((remote, local)));
        assert_eq!(units, [(0, 0), (8, 1), (100, 10), (108, 11)]);
    }

    #[test]
    fn an_error_ends_the_visit() {
        let loops = [Loop { extent: 9, remote: 1, local: 1 }];
        let mut visited = 0;
        let outcome = Nest { unit: 1, loops: &loops }.try_for_each(|remote, _| {
            visited += 1;
            if remote == 3 { Err("third") } else { Ok(()) }
        });
        assert_eq!((outcome, visited), (Err("third"), 4));
    }

    #[test]
    fn sizes_that_cannot_be_are_noticed() {
        let loops = [Loop { extent: 1 << 40, remote: i64::MIN, local: 0 }; 2];
        let nest = Nest { unit: 8, loops: &loops };
        assert_eq!(nest.bytes(), None);
        assert!(nest.touched(u64::MAX).start < i128::from(i64::MIN));
        assert_eq!(Nest { unit: 8, loops: &[] }.bytes(), Some(8));
    }
}
