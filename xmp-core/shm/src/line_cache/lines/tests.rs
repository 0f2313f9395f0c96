//! Sequences of gets, and what they fetch.

use super::*;

const IMAGE: Rank = Rank::new(3);
/// 256 bytes, not whole lines.
const FIRST: (i64, i64) = (-1, 0);
/// The end of the images' memory.
const END: u64 = 1 << 30;

/// Looks for `len` bytes, and fetches what is missing from a segment whose bytes are their offsets.
fn read(lines: &mut Lines, at: u64, len: usize, generation: u64) -> ReadOutcome {
    read_of(lines, IMAGE, at, len, generation)
}

/// The same of this image.
fn read_of(lines: &mut Lines, image: Rank, at: u64, len: usize, generation: u64) -> ReadOutcome {
    let wanted = at..at + len as u64;
    match lines.look(image, wanted.clone(), generation) {
        Look::Hit(bytes) => {
            let bytes: Vec<u8> = bytes.iter().map(Cell::get).collect();
            assert_eq!(bytes, wanted.map(|at| at as u8).collect::<Vec<_>>());
            ReadOutcome::Hit
        }
        Look::Again(_) => ReadOutcome::Again,
        Look::Miss(range) => {
            let room = lines.room(image, &range, generation);
            for (number, at) in range.clone().enumerate() {
                // SAFETY: room for the bytes of the range.
                unsafe { room.bytes.add(number).write(at as u8) };
            }
            lines.keep(&room, wanted);
            ReadOutcome::Miss(range)
        }
    }
}

/// Where the bytes of a read came from.
#[derive(Debug, PartialEq, Eq)]
enum ReadOutcome {
    Hit,
    Again,
    Miss(Range<u64>),
}

/// What gets of 8 bytes at these places miss, as numbers of lines: the first one, and the one after the last.
fn missed(places: impl Iterator<Item = u64>, lines: &mut Lines) -> Vec<(i64, i64)> {
    missed_in(1, places, lines)
}

/// The same in this generation.
fn missed_in(
    generation: u64,
    places: impl Iterator<Item = u64>,
    lines: &mut Lines,
) -> Vec<(i64, i64)> {
    let mut missed = Vec::new();
    for at in places {
        match read(lines, at, 8, generation) {
            ReadOutcome::Miss(range) if range.end - range.start == 256 => missed.push(FIRST),
            ReadOutcome::Miss(range) => {
                assert!(range.start % LINE_BYTES == 0 && range.end % LINE_BYTES == 0);
                missed.push(((range.start / LINE_BYTES) as i64, (range.end / LINE_BYTES) as i64));
            }
            found => assert_eq!(found, ReadOutcome::Hit),
        }
    }
    missed
}

#[test]
fn a_sequence_of_gets_fetches_256_bytes_then_a_line_then_ever_more_lines() {
    let places = (40 * LINE_BYTES / 8..80 * LINE_BYTES / 8).map(|word| 8 * word);
    let upwards = missed(places.clone(), &mut Lines::new(256, END));
    assert_eq!(upwards, [FIRST, (40, 41), (41, 43), (43, 49), (49, 54), (54, 70), (70, 86)]);
    let downwards = missed(places.rev(), &mut Lines::new(256, END));
    assert_eq!(downwards[..4], [FIRST, (79, 80), (77, 79), (71, 77)]);
}

/// Wherever it begins: 64 KiB at once, but for the beginning.
#[test]
fn a_long_sequence_takes_few_fetches() {
    for first in 0..PLACES as u64 {
        let places = || (4 * first..4 * (first + 160)).map(|quarter| quarter * LINE_BYTES / 4);
        for fetches in [
            missed(places(), &mut Lines::new(256, END)),
            missed(places().rev(), &mut Lines::new(256, END)),
        ] {
            assert!(fetches.len() <= 160 / 16 + 6, "{first}: {fetches:?}");
        }
    }
}

#[test]
fn a_sequence_of_gets_fetches_nothing_after_the_end_of_the_memory() {
    let places = (0..12 * LINE_BYTES).step_by(8);
    let mut lines = Lines::new(256, 12 * LINE_BYTES);
    assert_eq!(missed(places.clone(), &mut lines), [FIRST, (0, 1), (1, 3), (3, 9), (9, 12)]);
    assert_eq!(missed(places, &mut Lines::new(256, 0)).len(), 13);
}

#[test]
fn a_sequence_of_gets_fetches_no_line_twice() {
    let mut lines = Lines::new(256, END);
    missed((5 * LINE_BYTES..8 * LINE_BYTES).step_by(8), &mut lines);
    let below = missed((0..5 * LINE_BYTES).step_by(8), &mut lines);
    assert_eq!(below, [FIRST, (0, 1), (1, 3), (3, 5)]);
}

#[test]
fn what_was_served_in_a_segment_is_fetched_at_once_in_the_next_one() {
    let mut lines = Lines::new(256, END);
    let sparse = || (40 * LINE_BYTES..61 * LINE_BYTES).step_by(40);
    assert_eq!(missed_in(1, sparse(), &mut lines).len(), 6);
    assert_eq!(missed_in(2, sparse(), &mut lines), [(40, 61)]);
    // In another order, and less; then as much as that.
    assert_eq!(
        missed_in(3, [50, 45, 55].map(|line| line * LINE_BYTES).into_iter(), &mut lines),
        [(40, 61)]
    );
    assert_eq!(missed_in(4, [50 * LINE_BYTES].into_iter(), &mut lines), [FIRST]);
    // A single line.
    let of_line = || (100 * LINE_BYTES..101 * LINE_BYTES).step_by(512);
    assert_eq!(missed_in(5, of_line(), &mut lines), [FIRST, (100, 101)]);
    assert_eq!(missed_in(6, of_line(), &mut lines), [(100, 101)]);
    assert_eq!(missed_in(7, of_line().take(1), &mut lines), [(100, 101)]);
    assert_eq!(missed_in(8, of_line().take(1), &mut lines), [FIRST]);
}

#[test]
fn lines_that_are_fetched_together_have_places_beside_one_another() {
    // The places of all lines of many images, with the break after the last place.
    for image in 0..100 {
        let image = Rank::new(image);
        let mut lines = Lines::new(256, END);
        for number in 0..2 * (WAYS * PLACES) as u64 {
            let at = number * LINE_BYTES;
            for wanted in [at..at + 8, at + 300..at + 308] {
                if let Look::Miss(range) = lines.look(image, wanted.clone(), 1) {
                    let room = lines.room(image, &range, 1);
                    lines.keep(&room, wanted);
                }
            }
            assert!(lines.is_whole(Key { image, number }, 1), "{image} {number}");
        }
    }
}

#[test]
fn bytes_that_were_served_are_not_served_again() {
    let mut lines = Lines::new(256, END);
    assert!(matches!(read(&mut lines, 64, 4, 1), ReadOutcome::Miss(_)));
    assert_eq!(read(&mut lines, 72, 8, 1), ReadOutcome::Hit);
    for (at, len) in [(64, 4), (72, 8), (66, 2), (79, 1), (60, 5)] {
        assert_eq!(read(&mut lines, at, len, 1), ReadOutcome::Again, "{at}");
    }
    // The rest of the line after the second miss in it, too.
    assert!(matches!(read(&mut lines, 1024, 8, 1), ReadOutcome::Miss(_)));
    assert_eq!(read(&mut lines, 72, 8, 1), ReadOutcome::Again);
    assert_eq!(read(&mut lines, 80, 8, 1), ReadOutcome::Hit);
}

#[test]
fn lines_of_another_generation_are_empty() {
    let mut lines = Lines::new(256, END);
    read(&mut lines, 64, 4, 1);
    assert_eq!(read(&mut lines, 128, 4, 2), ReadOutcome::Miss(0..256));
    assert_eq!(read(&mut lines, 64, 4, 2), ReadOutcome::Hit);
}

#[test]
fn a_put_forgets_the_lines_that_it_touches() {
    let mut lines = Lines::new(256, END);
    let puts = [(0..4, false), (4000..5000, false), (4088..4089, false), (4096..9000, true)];
    for (generation, (put, is_kept)) in (1..).zip(puts) {
        read(&mut lines, 4096 - 16, 4, generation);
        lines.forget(IMAGE, put.clone());
        lines.forget(Rank::new(2), 0..10_000);
        assert_eq!(
            read(&mut lines, 4096 - 8, 8, generation) == ReadOutcome::Hit,
            is_kept,
            "{put:?}"
        );
    }
}

#[test]
fn images_have_lines_of_their_own() {
    let mut lines = Lines::new(256, END);
    read(&mut lines, 64, 4, 1);
    for image in (0..1000).filter(|&image| image != 3) {
        let look = lines.look(Rank::new(image), 64..68, 1);
        assert!(matches!(look, Look::Miss(_)), "{image}");
    }
}

/// Gets of elements of 8 bytes, in turn of each sequence: an image and where its elements begin. How many fetches they take.
fn fetches_of_turns(sequences: &[(u32, u64)], elements: u64) -> usize {
    let mut lines = Lines::new(256, END);
    let mut fetches = 0;
    for element in 0..elements {
        for &(image, from) in sequences {
            let found = read_of(&mut lines, Rank::new(image), from + 8 * element, 8, 1);
            assert_ne!(found, ReadOutcome::Again);
            fetches += usize::from(found != ReadOutcome::Hit);
        }
    }
    fetches
}

/// 10,000 elements in all, from three images; arrays of several images, or of one, whose lines have the same places.
#[test]
fn sequences_that_take_turns_are_read_ahead_each() {
    const MIB: u64 = 1 << 20;
    let alone = fetches_of_turns(&[(1, 0)], 3334);
    assert_eq!(alone, 4);
    // The lines of one begin before the end of a way.
    assert_eq!(fetches_of_turns(&[(1, 0), (2, 0), (3, 0)], 3334), 3 * alone + 1);
    // Each get was a fetch where two arrays of an image are so far apart.
    for apart in [MIB / 4, MIB, 4 * MIB, MIB + 4096, MIB - 4096, MIB + 64] {
        for sequences in 2..=4 {
            let arrays: Vec<_> = (0..sequences).map(|array| (1, array * apart)).collect();
            let fetches = fetches_of_turns(&arrays, 3334);
            assert!(
                fetches <= 6 * arrays.len(),
                "{fetches}: {sequences} arrays, {apart} bytes apart"
            );
        }
    }
    // Images in turn, as many as a host may have, and in any distance.
    for images in [4, 8, 16] {
        for apart in [1, 21, 34, 55, 89, 144, 233] {
            let images: Vec<_> = (0..images).map(|image| (1 + image * apart, 0)).collect();
            let gets = images.len() * 1000;
            let fetches = fetches_of_turns(&images, 1000);
            assert!(fetches * 50 <= gets, "{fetches} of {gets}: {images:?}");
        }
    }
}

/// What was served stays known.
#[test]
fn bytes_of_a_line_that_moves_to_another_way_are_not_served_again() {
    let mut lines = Lines::new(256, END);
    let line = |number: u64| number * LINE_BYTES;
    read(&mut lines, line(4) + 8, 8, 1);
    let rival = line(PLACES as u64 + 5);
    for at in [rival, rival + 2000, line(1), line(1) + 2000, line(2)] {
        read(&mut lines, at, 8, 1);
    }
    // Line 5 has the place of the rival's, so six lines go to another way.
    let ahead = read(&mut lines, line(4) + 1000, 8, 1);
    assert_eq!(ahead, ReadOutcome::Miss(line(4)..line(10)));
    assert_eq!(read(&mut lines, rival + 100, 8, 1), ReadOutcome::Hit);
    assert_eq!(read(&mut lines, line(4) + 8, 8, 1), ReadOutcome::Again);
    assert_eq!(read(&mut lines, line(4) + 16, 8, 1), ReadOutcome::Hit);
}
