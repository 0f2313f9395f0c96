//! Tests of the heaps against a model that keeps a list of live blocks and searches it from end to end.

use super::*;
use crate::region::{HUGE_PAGE, LEAST_LARGE, PAGE};
use proptest::prelude::*;

const RANGE: Range<u64> = 128..128 + 64 * 256;

/// Live blocks in order of offset; everything else is computed anew each time.
struct Model {
    direction: Direction,
    bound: u64,
    live: Vec<Range<u64>>,
}

impl Model {
    fn new(direction: Direction) -> Model {
        let bound = match direction {
            Direction::Up => RANGE.end,
            Direction::Down => RANGE.start,
        };
        Model { direction, bound, live: Vec::new() }
    }

    fn edge(&self) -> u64 {
        match self.direction {
            Direction::Up => self.live.last().map_or(RANGE.start, |b| b.end),
            Direction::Down => self.live.first().map_or(RANGE.end, |b| b.start),
        }
    }

    fn holes(&self) -> Vec<Range<u64>> {
        let mut holes = Vec::new();
        let mut from = match self.direction {
            Direction::Up => RANGE.start,
            Direction::Down => self.edge(),
        };
        for block in &self.live {
            holes.push(from..block.start);
            from = block.end;
        }
        if self.direction == Direction::Down {
            holes.push(from..RANGE.end);
        }
        holes.retain(|h| !h.is_empty());
        holes
    }

    /// Places in a range, from the start of the heap outwards.
    fn fit(&self, within: &Range<u64>, len: u64, align: u64) -> Option<u64> {
        let fits = |at: &u64| at.is_multiple_of(align) && at + len <= within.end;
        let mut places = (within.start / GRAIN..within.end / GRAIN).map(|grain| grain * GRAIN);
        match self.direction {
            Direction::Up => places.find(fits),
            Direction::Down => places.rev().find(fits),
        }
    }

    fn allocate(&mut self, size: u64, align: u64) -> Option<u64> {
        let (len, align) = (size.max(1).next_multiple_of(GRAIN), align.max(GRAIN));
        let mut holes = self.holes();
        if self.direction == Direction::Down {
            holes.reverse();
        }
        holes.sort_by_key(|h| h.end - h.start);
        let rest = match self.direction {
            Direction::Up => self.edge()..self.bound,
            Direction::Down => self.bound..self.edge(),
        };
        let at = holes.iter().chain([&rest]).find_map(|h| self.fit(h, len, align))?;
        self.live.push(at..at + len);
        self.live.sort_by_key(|b| b.start);
        Some(at)
    }
}

#[derive(Clone, Debug)]
enum Op {
    Allocate { size: u64, align: u64 },
    Free { nth: usize },
    FreeWrong { offset: u64 },
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let op = prop_oneof![
        4 => (0u64..1200, 0u32..10).prop_map(|(size, bits)| Op::Allocate { size, align: 1 << bits }),
        1 => (0u64..20000).prop_map(|size| Op::Allocate { size, align: GRAIN }),
        4 => any::<usize>().prop_map(|nth| Op::Free { nth }),
        1 => (0u64..RANGE.end + 100).prop_map(|offset| Op::FreeWrong { offset }),
    ];
    proptest::collection::vec(op, 0..120)
}

/// Checks all invariants between a heap and its model.
fn check(heap: &Heap, model: &Model) -> Result<(), TestCaseError> {
    prop_assert_eq!(heap.holes.iter().collect::<Vec<_>>(), model.holes());
    prop_assert_eq!(heap.edge, model.edge());
    prop_assert_eq!(heap.in_use(), model.live.iter().map(|b| b.end - b.start).sum::<u64>());
    prop_assert!(heap.high_water() >= heap.extent());
    prop_assert!(heap.extent() >= heap.in_use());
    let in_order: Vec<u64> = heap.history.iter().map(|(_, offset)| offset).collect();
    let mut by_offset = in_order.clone();
    by_offset.sort_unstable();
    prop_assert_eq!(by_offset, heap.live.offsets().collect::<Vec<_>>());
    for (serial, offset) in heap.history.iter() {
        prop_assert_eq!(heap.live.get(offset).unwrap().serial, serial);
        prop_assert_eq!(heap.is_younger(offset, Mark(serial)), Some(false));
        prop_assert_eq!(heap.is_younger(offset, Mark(serial - 1)), Some(true));
    }
    Ok(())
}

/// One step on a heap and its model, with the same outcome.
fn step(
    op: &Op,
    model: &mut Model,
    mut allocate: impl FnMut(u64, u64) -> Result<u64>,
    free: impl FnOnce(u64) -> Result<u64>,
) -> Result<(), TestCaseError> {
    match *op {
        Op::Allocate { size, align } => match model.allocate(size, align) {
            Some(at) => prop_assert_eq!(allocate(size, align), Ok(at)),
            None => match allocate(size, align) {
                Err(Error::OutOfMemory { requested, available, .. }) => {
                    prop_assert_eq!(requested, size);
                    prop_assert!(available < size.max(1));
                    if available > 0 {
                        // The size that the error names can be allocated.
                        let at = allocate(available, align);
                        prop_assert_eq!(at.ok(), model.allocate(available, align));
                    }
                }
                other => prop_assert!(false, "{:?}", other),
            },
        },
        Op::Free { nth } if !model.live.is_empty() => {
            let block = model.live.remove(nth % model.live.len());
            prop_assert_eq!(free(block.start), Ok(block.end - block.start));
        }
        Op::FreeWrong { offset } if model.live.iter().all(|b| b.start != offset) => {
            prop_assert!(matches!(free(offset), Err(Error::Invalid(_))));
        }
        _ => {}
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_heap_does_what_the_model_does(ops in ops(), up in any::<bool>()) {
        let direction = if up { Direction::Up } else { Direction::Down };
        let heap = std::cell::RefCell::new(Heap::new("test heap", direction, RANGE));
        let mut model = Model::new(direction);
        for op in &ops {
            step(
                op,
                &mut model,
                |size, align| heap.borrow_mut().allocate(size, align),
                |offset| heap.borrow_mut().free(offset),
            )?;
            check(&heap.borrow(), &model)?;
        }
    }

    #[test]
    fn the_heaps_of_an_arena_never_cross(ops in proptest::collection::vec((ops(), any::<bool>()), 0..8)) {
        let arena = std::cell::RefCell::new(Arena::new("low heap", "high heap", RANGE));
        let mut models = [Model::new(Direction::Up), Model::new(Direction::Down)];
        for (ops, low) in &ops {
            let (end, mine, other) = if *low { (End::Low, 0, 1) } else { (End::High, 1, 0) };
            for op in ops {
                models[mine].bound = models[other].edge();
                step(
                    op,
                    &mut models[mine],
                    |size, align| arena.borrow_mut().allocate(end, size, align),
                    |offset| arena.borrow_mut().free(end, offset),
                )?;
                check(arena.borrow().heap(end), &models[mine])?;
                prop_assert!(models[0].edge() <= models[1].edge());
            }
        }
    }

    #[test]
    fn release_restores_the_state_at_the_mark(
        before in proptest::collection::vec((0u64..600, any::<bool>()), 0..30),
        after in proptest::collection::vec((0u64..600, any::<bool>()), 0..30),
    ) {
        let mut heap = Heap::new("test heap", Direction::Up, RANGE);
        let fill = |heap: &mut Heap, sizes: &[(u64, bool)]| {
            let blocks: Vec<_> = sizes.iter().map(|&(s, keep)| (heap.allocate(s, GRAIN), keep)).collect();
            for (block, _) in blocks.into_iter().filter(|(_, keep)| !keep) {
                if let Ok(offset) = block {
                    heap.free(offset).unwrap();
                }
            }
        };
        fill(&mut heap, &before);
        let state = |heap: &Heap| (heap.edge, heap.in_use, heap.holes.iter().collect::<Vec<_>>());
        let (then, mark) = (state(&heap), heap.mark());
        fill(&mut heap, &after);
        let freed = heap.in_use() - then.1;
        let released = heap.release(mark);
        prop_assert_eq!(released.iter().map(|block| block.end - block.start).sum::<u64>(), freed);
        prop_assert_eq!(state(&heap), then);
        prop_assert!(!heap.has_younger(mark));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn large_blocks_begin_with_huge_pages_and_overlap_nothing(
        steps in proptest::collection::vec((1u64..200 << 20, any::<bool>(), any::<usize>()), 0..80),
        up in any::<bool>(),
    ) {
        let direction = if up { Direction::Up } else { Direction::Down };
        let mut heap = Heap::new("test heap", direction, 4096..4 << 30);
        let mut live: Vec<Range<u64>> = Vec::new();
        for (size, is_large, nth) in steps {
            if nth % 3 == 0 && !live.is_empty() {
                let block = live.remove(nth % live.len());
                prop_assert_eq!(heap.free(block.start), Ok(block.end - block.start));
            }
            let size = if is_large { size } else { size % 5000 + 1 };
            match heap.allocate(size, GRAIN) {
                Ok(at) => {
                    let is_placed = size < LEAST_LARGE || at % HUGE_PAGE < PAGE;
                    prop_assert!(is_placed && at.is_multiple_of(GRAIN), "{:#x} of {}", at, size);
                    live.push(at..at + size.next_multiple_of(GRAIN));
                }
                Err(Error::OutOfMemory { available, .. }) if available > 0 => {
                    // The size that the error names can be allocated.
                    let at = heap.allocate(available, GRAIN);
                    prop_assert!(at.is_ok(), "{}", available);
                    heap.free(at.unwrap()).unwrap();
                }
                other => prop_assert!(other.is_err(), "{:?}", other),
            }
            live.sort_by_key(|block| block.start);
            prop_assert!(live.windows(2).all(|pair| pair[0].end <= pair[1].start));
            prop_assert!(live.iter().all(|block| block.start >= 4096 && block.end <= 4 << 30));
        }
        for block in live {
            heap.free(block.start).unwrap();
        }
        // No place is lost.
        prop_assert_eq!((heap.extent(), heap.holes.iter().count()), (0, 0));
    }
}

#[test]
fn errors_name_the_refused_value() {
    let mut heap = Heap::new("symmetric heap", Direction::Up, 0..4096);
    let text = heap.allocate(5000, GRAIN).unwrap_err().to_string();
    assert_eq!(text, "out of memory: 4.8 KiB requested of the symmetric heap, 4 KiB are left");
    assert!(heap.allocate(u64::MAX, GRAIN).is_err());
    assert!(heap.allocate(8, 3).unwrap_err().to_string().contains("alignment 3"));
    let at = heap.allocate(100, GRAIN).unwrap();
    let text = heap.free(at + 64).unwrap_err().to_string();
    assert_eq!(
        text,
        "symmetric heap: offset 0x40 cannot be freed: it lies within the block at 0x0"
    );
    heap.free(at).unwrap();
    let text = heap.free(at).unwrap_err().to_string();
    assert_eq!(text, "symmetric heap: offset 0x0 cannot be freed: it is not allocated");
}

#[test]
fn size_zero_takes_a_block_of_its_own() {
    let mut heap = Heap::new("test heap", Direction::Down, 0..4096);
    let (a, b) = (heap.allocate(0, GRAIN).unwrap(), heap.allocate(0, GRAIN).unwrap());
    assert_ne!(a, b);
    assert_eq!(heap.find(a + 63), Some(a..a + GRAIN));
    assert_eq!(heap.find(b - 1), None);
}

#[test]
fn an_empty_range_gives_nothing() {
    for range in [0..0, 10..60, u64::MAX - 10..u64::MAX] {
        for direction in [Direction::Up, Direction::Down] {
            let mut heap = Heap::new("test heap", direction, range.clone());
            assert_eq!(heap.available(), 0);
            assert!(heap.allocate(1, GRAIN).is_err());
        }
    }
}
