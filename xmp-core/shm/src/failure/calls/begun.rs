//! The comparison of operations in the background, of which images otherwise compare only what their messages say.
//!
//! Images that begin different operations may all wait for a message that no image sends. So an image that is probed while it waits for
//! messages of an operation publishes the word of its call in an entry of the table, and reads those of its partners. Where images wait
//! in a circle, two neighbours in it have different calls, because images with equal calls never wait in a circle. Each of the two has
//! published its word before it answers the first probe, and reads that of the other one before it answers the second. So no deadlock is
//! proven before the difference is found. An operation that is not probed does nothing for this.

use super::super::all_running;
use super::super::refusals::CallId;
use super::entry::word_of;
use super::{own_entry, read_from};
use crate::endpoint::Endpoint;
use crate::error::Result;
use crate::rank::Rank;

/// The stamp of the one call in the entry of an operation.
const STAMP: u64 = 1;

/// Publishes the word of this image's call in an operation in the background. Returns the first of the `partners` that has published
/// another word for the operation, with that word.
///
/// An entry that another operation or set has taken is unknown, and no difference. After the end of an image nothing is compared.
///
/// # Errors
/// When the host of a partner cannot be reached.
#[cold]
pub fn compare_begun(
    image: &Endpoint,
    call: CallId,
    word: u64,
    partners: &[Rank],
) -> Result<Option<(Rank, u64)>> {
    if !all_running(image.job()) {
        return Ok(None);
    }
    let key = call.hash().max(1);
    let entry = own_entry(image, key);
    // A word that is there stays as it is, so that partners which read it meanwhile find it whole.
    if !entry.has(key, STAMP, word) {
        entry.claim(key, STAMP);
        entry.begin(STAMP, word);
    }
    for &partner in partners {
        let theirs = word_of(key, STAMP, read_from(image, partner, key))?;
        if let Some(theirs) = theirs.filter(|&theirs| theirs != word) {
            return Ok(Some((partner, theirs)));
        }
    }
    Ok(None)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::super::refusals::Series;
    use super::*;
    use crate::settings::Settings;
    use crate::sync::{AtomicU32, Ordering};
    use crate::thread_images;

    #[test]
    fn images_find_the_partner_that_begins_another_operation() {
        for hosts in [1, 3] {
            let done = AtomicU32::new(0);
            thread_images::run_with(Settings::default(), 3, hosts, |image| {
                let key = image.executing().key();
                let call = |number| CallId::new(key, Series::Background, number);
                let [first, second, third] = [0, 1, 2].map(Rank::new);
                let me = image.rank();
                // The second image calls something else in operation 7, and all the same in operations 6 and 8.
                let word =
                    |number: u32| if me == second && number == 7 { 70 } else { number.into() };
                let compare = |number: u32, partners: &[Rank]| {
                    compare_begun(image, call(number), word(number), partners).unwrap()
                };
                for number in [6, 8] {
                    assert_eq!(compare(number, &[first, second, third]), None);
                }
                let expected = if me == second { (first, 7) } else { (second, 70) };
                // The others may not have published their words yet.
                while compare(7, &[me, first, second]) != Some(expected) {
                    std::thread::yield_now();
                }
                assert_eq!(compare(6, &[first, second, third]), None);
                // Nothing is compared after the end of an image.
                done.fetch_add(1, Ordering::Relaxed);
                while done.load(Ordering::Relaxed) < 3 {
                    std::thread::yield_now();
                }
            })
            .unwrap();
        }
    }
}
