//! Tests of the heaps on threads that are images.

use super::Memory;
use crate::error::{Error, Result};
use crate::heap;
use crate::image_set::Members;
use crate::thread_images as threads;

/// Frees a block that the test uses no more.
fn free(memory: &Memory, offset: u64) -> Result<()> {
    // SAFETY: no image of the test uses the block any more.
    unsafe { memory.free_symmetric(offset) }
}

#[test]
fn offsets_are_symmetric_whatever_the_other_heap_does() {
    let offsets = threads::run(4, 1, |image| {
        let memory = image.memory();
        let mut offsets = Vec::new();
        for round in 0..50 {
            for _ in 0..image.rank().get() {
                memory.allocate_local(100 + round, heap::GRAIN).unwrap();
            }
            offsets.push(memory.allocate_symmetric(1000 * (round + 1), 64).unwrap());
            if round % 3 == 2 {
                free(memory, offsets[round as usize / 2]).unwrap();
                offsets[round as usize / 2] = memory.allocate_symmetric(64, 64).unwrap();
            }
        }
        offsets
    })
    .unwrap();
    assert!(offsets.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn memory_beyond_the_limit_is_an_error() {
    threads::run(2, 1, |image| {
        let before = image.memory().usage();
        for size in [1 << 60, u64::MAX, 1 << 31] {
            let error = image.memory().allocate_symmetric(size, 64).unwrap_err();
            assert!(matches!(error, Error::OutOfMemory { requested, .. } if requested == size));
        }
        assert_eq!(image.memory().usage(), before);
    })
    .unwrap();
}

#[test]
fn other_sets_allocate_in_the_teams_heap_until_they_are_left() {
    threads::run(2, 1, |image| {
        let memory = image.memory();
        let outside = memory.allocate_symmetric(100, 64).unwrap();
        let before = memory.usage();
        let alone = image.set(Members::range(image.rank(), 1, 1).unwrap()).unwrap();
        image.enter(&alone, None, None);
        assert!(!memory.has_allocated());
        let sizes = [100, 40 << 20, 30 << 20, 30 << 20];
        let inside = sizes.map(|size| memory.allocate_symmetric(size, 64).unwrap());
        assert_eq!(inside[0], image.layout().teams.start);
        assert!(memory.has_allocated());
        let text = free(memory, outside).unwrap_err().to_string();
        assert!(text.contains("cannot be freed in a task region"), "{text}");
        image.enter(&alone, None, None);
        let text = free(memory, inside[0]).unwrap_err().to_string();
        assert!(text.contains("before that was entered"), "{text}");
        image.leave().unwrap();
        free(memory, inside[1]).unwrap();
        assert!(memory.is_of_team(inside[0]) && !memory.is_of_team(outside));
        let since_start =
            |offset: u64| memory.is_of_team_since(offset, image.stack().frames()[1].scope());
        assert!(since_start(inside[0]) && since_start(inside[3] + 5) && !since_start(outside));
        assert_eq!(image.leave().unwrap().len(), 3);
        assert_eq!(memory.usage()[0], before[0]);
        assert_eq!(memory.usage()[2].0, 0);
        free(memory, outside).unwrap();
        assert!(image.leave().is_none());
    })
    .unwrap();
}

#[test]
fn blocks_lie_above_a_floor() {
    threads::run(1, 1, |image| {
        let memory = image.memory();
        let teams = image.layout().teams.clone();
        let floor = teams.start + 4096;
        image.enter(&image.stack().initial(), None, Some(floor));
        let initial = memory.allocate_symmetric(8, 8).unwrap();
        assert!(initial < teams.start, "the initial team has its own heap");
        assert_eq!(memory.teams_edge(), floor);
        image.leave().unwrap();
        assert_eq!(memory.teams_edge(), teams.start);
        assert_eq!(memory.usage().map(|heap| heap.0), [0; 3]);
    })
    .unwrap();
}
