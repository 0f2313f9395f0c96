//! Operands: memory that is written before it is measured, as on all other sides.

use super::harness::Harness;
use std::ops::Range;

/// Numbers that are added at a time: 256 KiB, to stay in the second-level cache.
pub const PIECE: usize = 32_768;
/// Bytes of the smallest page of all processors.
const LEAST_PAGE: usize = 4096;
/// Page faults that something else in this process may cause meanwhile, such as the first call of a function.
const FAULTS_OF_OTHERS: i64 = 4;

/// Writes `value` to `count` numbers.
///
/// # Safety
/// `memory` is valid for them, and no other process uses them meanwhile.
pub unsafe fn fill(memory: *mut f64, count: usize, value: f64) {
    for index in 0..count {
        // SAFETY: `memory` is valid for `count` numbers (contract above).
        unsafe { memory.add(index).write(value) };
    }
}

/// Reports the row about to be measured if there are pages of its operand that nothing has written: the kernel's page
/// of zeros, which always lies in a cache, would be read in their place.
///
/// # Safety
/// Those of [`fill`].
pub unsafe fn check_written(harness: &Harness, name: &str, memory: *mut f64, count: usize) {
    let bytes = (count * size_of::<f64>()) as u64;
    // SAFETY: those of this function.
    if harness.selected(name, bytes) && unsafe { unwritten(memory, count) } > FAULTS_OF_OTHERS {
        println!("unwritten,{name},{bytes}");
    }
}

/// How many page faults it takes to write to all pages.
///
/// # Safety
/// Those of [`fill`].
unsafe fn unwritten(memory: *mut f64, count: usize) -> i64 {
    let before = faults();
    for index in (0..count).step_by(LEAST_PAGE / size_of::<f64>()).chain([count - 1]) {
        // SAFETY: `memory` is valid for `count` numbers (contract above).
        unsafe { memory.add(index).write_volatile(memory.add(index).read_volatile()) };
    }
    faults() - before
}

/// Page faults of this process that needed no input.
fn faults() -> i64 {
    // SAFETY: a rusage of zeros is valid.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` outlives the call.
    let done = unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) };
    assert_eq!(done, 0, "getrusage of this process cannot fail");
    usage.ru_minflt
}

/// The slices of an operand, one for each process.
pub fn slices(numbers: usize, count: usize) -> Vec<Range<usize>> {
    let edge = |process: usize| numbers * process / count;
    (0..count).map(|process| edge(process)..edge(process + 1)).collect()
}

/// Adds numbers to a sum, place by place.
pub fn add(sum: &mut [f64], numbers: &[f64]) {
    sum.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
}

#[cfg(test)]
mod tests {
    use super::*;
    const COUNT: usize = 64 * LEAST_PAGE / size_of::<f64>();

    /// Other tests of this process cause faults of their own, so only the least of several attempts counts.
    fn least_faults(prepare: impl Fn(*mut f64)) -> i64 {
        let bytes = COUNT * size_of::<f64>();
        let (access, kind) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        let attempt = || {
            // SAFETY: a new mapping of `COUNT` numbers, which is unmapped when they are used no more.
            unsafe {
                let memory = libc::mmap(std::ptr::null_mut(), bytes, access, kind, -1, 0);
                assert_ne!(memory, libc::MAP_FAILED);
                prepare(memory.cast());
                let faults = unwritten(memory.cast(), COUNT);
                libc::munmap(memory, bytes);
                faults
            }
        };
        (0..20).map(|_| attempt()).min().unwrap()
    }

    #[test]
    fn pages_that_were_only_read_count_as_not_written() {
        let read = |memory: *mut f64| {
            // SAFETY: within the memory, which is valid.
            let sum: f64 = (0..COUNT).map(|at| unsafe { memory.add(at).read_volatile() }).sum();
            assert_eq!(sum, 0.0);
        };
        // One for each page, unless they are larger than the least.
        assert!(least_faults(read) > 0);
    }

    #[test]
    fn pages_that_were_filled_count_as_written() {
        // SAFETY: the memory has `COUNT` numbers.
        let faults = least_faults(|memory| unsafe { fill(memory, COUNT, 1.0) });
        assert!((0..=FAULTS_OF_OTHERS).contains(&faults), "{faults}");
    }
}
