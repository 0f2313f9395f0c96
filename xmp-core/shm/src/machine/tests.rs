//! The model against what was measured.

use super::long_copy::STREAMED;
use super::*;

/// Kilobytes of a chunk, and the microseconds that an operation took with it.
type Times = &'static [(usize, f64)];

/// Xeon (Sapphire Rapids), 2 cores of a virtual machine, second-level cache of 2 MiB, 2 images: broadcasts through
/// staging of 128 KiB to 8 MiB, by `examples/measure.rs` of `xmp_collectives` beside other work (tenth percentile).
const XEON_BROADCASTS: [Times; 4] = [
    &[(8, 16.01), (16, 13.37), (32, 8.00), (64, 7.75), (128, 7.66)],
    &[(8, 64.14), (16, 53.12), (32, 32.06), (64, 31.09), (128, 30.58), (256, 30.43), (512, 34.71)],
    &[(8, 128.9), (16, 106.3), (32, 72.90), (64, 71.26), (128, 70.37), (256, 71.73), (512, 70.85)],
    &[(8, 1090.), (16, 967.3), (32, 776.9), (64, 756.6), (128, 759.1), (256, 760.9), (512, 749.0)],
];
/// The same: sums of 1 MiB by copy-in.
const XEON_SUM: Times =
    &[(8, 213.3), (16, 191.8), (32, 120.8), (64, 112.8), (128, 109.9), (256, 109.2), (512, 109.0)];

/// The same machine: mebibytes, then microseconds of a copy to memory of another image through the caches and of the
/// other's next read of it, and both for streaming stores (median of 9).
const XEON_COPIES: &[(f64, [f64; 2], [f64; 2])] = &[
    (1., [53.9, 58.1], [86.8, 84.7]),
    (1.5, [101.5, 105.9], [117.6, 142.4]),
    (2., [159.6, 164.0], [148.5, 198.1]),
    (4., [314.8, 330.1], [288.8, 434.6]),
    (8., [645.8, 662.7], [583.8, 905.2]),
    (16., [1542., 1560.], [1187., 1803.]),
    (64., [10_004., 10_247.], [7416., 10_151.]),
];

/// EPYC (Zen 5), 2 cores of a virtual machine, third-level cache of 32 MiB: the same with the C library, with the string
/// instruction, and with streaming stores (median of 11).
const EPYC_COPIES: &[(f64, [[f64; 2]; 3])] = &[
    (1., [[22.9, 9.3], [14.3, 9.6], [25.3, 26.7]]),
    (2., [[46.5, 19.7], [35.5, 20.1], [50.9, 54.3]]),
    (4., [[92.0, 41.7], [73.2, 41.0], [100.6, 109.0]]),
    (8., [[155.9, 87.0], [136.2, 86.3], [213.1, 223.5]]),
    (16., [[677.6, 318.2], [438.8, 282.9], [1279.3, 424.0]]),
    (32., [[1571.1, 822.8], [1202.3, 852.7], [2910.7, 875.4]]),
    (64., [[3228.9, 1741.0], [2355.8, 1695.5], [5927.1, 1762.7]]),
];

const XEON: u64 = 2 << 20;
/// EPYC (Zen 4). The best chunks were 256 KiB and 64 KiB there.
const EPYC: u64 = 1 << 20;

fn caches(second_level: u64) -> Caches {
    let cache = |bytes| Some(Cache { bytes, processors: 1 });
    Caches { levels: [cache(32 << 10), cache(second_level), None] }
}

/// The time with a chunk divided by the least time.
fn loss(times: Times, chunk: usize) -> f64 {
    let least = times.iter().map(|it| it.1).fold(f64::INFINITY, f64::min);
    let chosen = times.iter().find(|it| it.0 << 10 == chunk).expect("a chunk that was measured");
    chosen.1 / least
}

#[test]
fn chunks_are_those_that_were_measured_to_be_best() {
    let whole = chunk(&caches(XEON), false);
    assert!(loss(XEON_SUM, whole) < 1.03, "{whole}");
    for times in XEON_BROADCASTS {
        let pipelined = pipelined_chunk(whole, false);
        assert!(loss(times, pipelined) < 1.03, "{pipelined} in {times:?}");
    }
    let whole = chunk(&caches(EPYC), false);
    assert_eq!((whole, pipelined_chunk(whole, false)), (256 << 10, 64 << 10));
    let crowded = chunk(&caches(EPYC), true);
    assert_eq!((crowded, pipelined_chunk(crowded, true)), (1 << 20, 512 << 10));
}

#[test]
fn copies_stream_from_where_on_the_copy_and_the_next_read_gain() {
    for (mebibytes, cached, streamed) in XEON_COPIES {
        let [cached, streamed] = [cached, streamed].map(|times| times.iter().sum::<f64>());
        if mebibytes * f64::from(1 << 20) >= STREAMED as f64 {
            assert!(streamed < cached, "{mebibytes} MiB");
        } else {
            assert!(cached < 1.05 * streamed, "{mebibytes} MiB");
        }
    }
}

#[test]
fn the_string_instruction_is_best_on_a_processor_that_loses_by_streaming() {
    for (mebibytes, times) in EPYC_COPIES {
        let [library, strings, streamed] = times.map(|times| times.iter().sum::<f64>());
        assert!(strings < library && strings < streamed, "{mebibytes} MiB");
    }
}

#[test]
fn every_cache_has_a_chunk() {
    for (second_level, expected) in [
        (1280 << 10, 256 << 10),
        (512 << 10, MIN_CHUNK),
        (1, MIN_CHUNK),
        (1 << 40, STAGING),
        (u64::MAX, STAGING),
    ] {
        let found = chunk(&caches(second_level), false);
        assert_eq!(found, expected, "{second_level}");
        assert!(pipelined_chunk(found, false) >= 32 << 10);
    }
    assert_eq!(chunk(&Caches::default(), false), 256 << 10, "that of the usual cache");
}
