//! The answer of an image to the launcher's probe: what the image waits for.

#[cfg(not(loom))]
use crate::job::ANSWER;
use crate::job::Job;
use crate::rank::Rank;
use crate::sync::{AtomicU32, AtomicU64, Ordering};
use crate::wait::{EndedBy, Need, Probe, WaitKind};

/// Return addresses in an answer, innermost first. Those of the library come before those of the program.
const CALLERS: usize = 64;

/// The most bytes of the name of a variable in an answer.
const MAX_VARIABLE_LEN: usize = 120;
/// Bytes of a word of that name.
const WORD: usize = size_of::<u64>();

/// In the segment of each image, which alone writes it, and only after a new probe of the launcher. Two sets follow, with a bit for
/// each image of the job: the images that the wait needs, and those of its operations in the background. Zeroed memory is no answer.
#[repr(C)]
#[derive(Debug)]
pub struct Answer {
    /// The number of the probe in the lower half, that of the wait in the upper one. Written last.
    head: AtomicU64,
    kind: AtomicU32,
    by: AtomicU32,
    posts: AtomicU64,
    barrier: [AtomicU64; 2],
    /// Filled up with zeros.
    callers: [AtomicU64; CALLERS],
    /// The number of the last probe that has the variable below in the lower half, its length in the upper one; 0 where nothing is
    /// known of the variable. Written after the variable.
    variable_head: AtomicU64,
    /// In UTF-8.
    variable: [AtomicU64; MAX_VARIABLE_LEN / WORD],
}

// Not under loom, whose atomics have other sizes.
#[cfg(not(loom))]
const _: () = assert!(size_of::<Answer>() as u64 <= ANSWER);

/// What an image that waits has answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The number of the wait.
    pub wait: u32,
    /// What the wait needs.
    pub need: Need,
    /// The return addresses of the waiting thread, innermost first; empty unless the probe asked for them.
    pub callers: Vec<usize>,
    /// The variable that the image waits for, in the words of the program; only where the probe asked for it.
    pub variable: Option<String>,
}

impl Answer {
    /// Writes the answer to `probe` for the image `rank`, which waits in its wait number `wait`.
    pub(super) fn publish(job: &Job, rank: Rank, probe: Probe, answered: &Answered) {
        let Some((answer, sets)) = Answer::of(job, rank) else { return };
        let Answered { wait, need, callers, .. } = answered;
        // Relaxed, all but the last: the head is stored after them, with release order.
        answer.kind.store(need.kind as u32, Ordering::Relaxed);
        answer.by.store(need.by as u32, Ordering::Relaxed);
        answer.posts.store(need.posts, Ordering::Relaxed);
        for (word, value) in answer.barrier.iter().zip(need.barrier) {
            word.store(value, Ordering::Relaxed);
        }
        let addresses = callers.iter().map(|&address| address as u64).chain(std::iter::repeat(0));
        for (word, value) in answer.callers.iter().zip(addresses) {
            word.store(value, Ordering::Relaxed);
        }
        for (words, images) in sets.into_iter().zip([&need.images, &need.background]) {
            for (at, word) in words.iter().enumerate() {
                let here = images.iter().filter(|rank| rank.index() / 64 == at);
                let bits = here.fold(0, |bits, rank| bits | 1 << (rank.index() % 64));
                word.store(bits, Ordering::Relaxed);
            }
        }
        // Release: what the image did before it waited, and the answer above.
        answer.head.store(head(probe, *wait), Ordering::Release);
    }

    /// Writes the variable that the image `rank` waits for, after its answer to `probe`. A long name is cut.
    pub(super) fn publish_variable(job: &Job, rank: Rank, probe: Probe, variable: Option<&str>) {
        let Some((answer, _)) = Answer::of(job, rank) else { return };
        let text = variable.map_or_else(String::new, shortened);
        // Relaxed: the head is stored after the text, with release order.
        for (word, bytes) in answer.variable.iter().zip(text.as_bytes().chunks(WORD)) {
            let mut padded = [0; WORD];
            padded[..bytes.len()].copy_from_slice(bytes);
            word.store(u64::from_le_bytes(padded), Ordering::Relaxed);
        }
        answer.variable_head.store(head(probe, text.len() as u32), Ordering::Release);
    }

    /// The variable that the image `rank` waits for, as it has answered to `probe`: `None` if the image has not looked it up yet,
    /// `Some(None)` if the image knows no name. Its answer to `probe` is there, and no later probe.
    pub fn read_variable(job: &Job, rank: Rank, probe: Probe) -> Option<Option<String>> {
        let (answer, _) = Answer::of(job, rank)?;
        // Acquire: the text below. The image changes it only after another probe.
        let head = answer.variable_head.load(Ordering::Acquire);
        if head as u32 != probe.0 {
            return None;
        }
        let words = answer.variable.iter().map(|word| word.load(Ordering::Relaxed));
        let mut bytes: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
        bytes.truncate((head >> 32) as usize);
        Some(String::from_utf8(bytes).ok().filter(|text| !text.is_empty()))
    }

    /// The answer of the image `rank` to `probe`, if it is there, without the variable.
    pub fn read(job: &Job, rank: Rank, probe: Probe) -> Option<Answered> {
        let (answer, sets) = Answer::of(job, rank)?;
        // Acquire: the answer below, and what the image did before it waited.
        let head = answer.head.load(Ordering::Acquire);
        if head as u32 != probe.0 {
            return None;
        }
        let [images, background] = sets.map(|words| {
            let is_in = |rank: &Rank| {
                words[rank.index() / 64].load(Ordering::Relaxed) >> (rank.index() % 64) & 1 != 0
            };
            job.ranks().filter(is_in).collect()
        });
        let callers = answer.callers.iter().map(|word| word.load(Ordering::Relaxed) as usize);
        Some(Answered {
            wait: (head >> 32) as u32,
            need: Need {
                kind: WaitKind::from_u32(answer.kind.load(Ordering::Relaxed)),
                by: EndedBy::from_u32(answer.by.load(Ordering::Relaxed)),
                images,
                background,
                posts: answer.posts.load(Ordering::Relaxed),
                barrier: [0, 1].map(|at: usize| answer.barrier[at].load(Ordering::Relaxed)),
            },
            callers: callers.take_while(|&address| address != 0).collect(),
            variable: None,
        })
    }

    /// The answer of an image of this region, and the words of its two sets of images.
    fn of(job: &Job, rank: Rank) -> Option<(&Answer, [&[AtomicU64]; 2])> {
        let at = job.segment(rank)?.wrapping_add(job.geometry().layout().answer as usize);
        let words = job.images().div_ceil(64);
        // SAFETY: the area of the answer in a segment of this region: atomics, valid when zeroed, which live as long as
        // the job. The geometry reserves two bits for each image after the answer.
        unsafe {
            let answer = &*at.cast::<Answer>();
            let images = at.wrapping_add(size_of::<Answer>()).cast::<AtomicU64>();
            Some((answer, std::slice::from_raw_parts(images, 2 * words).split_at(words).into()))
        }
    }
}

fn head(probe: Probe, upper: u32) -> u64 {
    u64::from(upper) << 32 | u64::from(probe.0)
}

/// A text of at most [`MAX_VARIABLE_LEN`] bytes.
fn shortened(text: &str) -> String {
    const END: &str = "...";
    if text.len() <= MAX_VARIABLE_LEN {
        return text.to_owned();
    }
    let end = (0..=MAX_VARIABLE_LEN - END.len()).rev().find(|&at| text.is_char_boundary(at));
    format!("{}{END}", &text[..end.unwrap_or(0)])
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_too_long_ends_with_three_dots() {
        let fits = "x".repeat(MAX_VARIABLE_LEN);
        assert_eq!(shortened(&fits), fits);
        // Of two bytes each.
        let long = shortened(&"\u{e4}".repeat(MAX_VARIABLE_LEN));
        assert_eq!(long, format!("{}...", "\u{e4}".repeat(58)));
        assert!(long.len() <= MAX_VARIABLE_LEN);
    }
}
