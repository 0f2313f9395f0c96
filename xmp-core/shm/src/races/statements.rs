//! The record of a statement: its number, then its return addresses. One image writes it, again and again; others read it
//! at any time (a sequence lock).

use crate::sync::{AtomicU64, Ordering, fence};

/// Writes a record: this image's own.
pub fn write(record: &[AtomicU64], number: u64, callers: &[usize]) {
    // A reader that has seen one of the new addresses sees that the record has changed: the fence orders this store before
    // those behind it.
    record[0].store(0, Ordering::Relaxed);
    fence(Ordering::Release);
    for (word, at) in record[1..].iter().zip(callers.iter().chain(std::iter::repeat(&0))) {
        word.store(*at as u64, Ordering::Relaxed);
    }
    // Release: the addresses.
    record[0].store(number, Ordering::Release);
}

/// The return addresses of the statement with this number, if the record is its.
pub fn read(record: &[AtomicU64], number: u64) -> Option<Vec<usize>> {
    // Acquire: the addresses. The fence orders the loads of the addresses before the second look at the number.
    let before = record[0].load(Ordering::Acquire);
    let callers: Vec<usize> =
        record[1..].iter().map(|word| word.load(Ordering::Relaxed) as usize).collect();
    fence(Ordering::Acquire);
    let after = record[0].load(Ordering::Relaxed);
    let is_its = before == number && after == number;
    is_its.then(|| callers.into_iter().take_while(|&at| at != 0).collect())
}
