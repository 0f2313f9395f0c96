//! The answer of an image to the launcher's probe: what the image waits for.

#[cfg(not(loom))]
use crate::job::ANSWER;
use crate::job::Job;
use crate::rank::Rank;
use crate::sync::{AtomicU32, AtomicU64, Ordering};
use crate::wait::{EndedBy, Need, Probe, WaitKind};

/// Return addresses in an answer, innermost first. Those of the library come before those of the program.
const CALLERS: usize = 64;

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
}

impl Answer {
    /// Writes the answer to `probe` for the image `rank`, which waits in its wait number `wait`.
    pub(super) fn publish(job: &Job, rank: Rank, probe: Probe, answered: &Answered) {
        let Some((answer, sets)) = Answer::of(job, rank) else { return };
        let Answered { wait, need, callers } = answered;
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

    /// The answer of the image `rank` to `probe`, if it is there.
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

fn head(probe: Probe, wait: u32) -> u64 {
    u64::from(wait) << 32 | u64::from(probe.0)
}
