//! Posts of an event that one image posts. EVENT WAIT orders the segments before the posts that it consumes, and not
//! the segments before later posts of the same image: each of the last posts has a clock of its own.
//!
//! An event that several images post has one clock for all: which of their posts is taken off first is not known here. It orders more
//! than it should, so that races are missed, and none is invented.

use super::layout::{HAS_POSTS, HEAD, KEPT_POSTS};
use super::shadow::{Shadows, set_number};
use crate::job::Job;
use crate::rank::Rank;
use crate::sync::{AtomicU64, Ordering};
use std::ops::Deref;

/// As the image that posts: several.
const SEVERAL: u64 = u64::MAX;

const WORD: u64 = size_of::<u64>() as u64;

impl<J: Deref<Target = Job>> Shadows<J> {
    /// The image `me` is about to post an event with this clock.
    pub fn post(&self, me: Rank, of: Rank, offset: u64, clock: impl Iterator<Item = u64> + Clone) {
        if let Some(posts) = self.posts_of(of, offset, true) {
            let (poster, count) = self.head(of, posts);
            let mine = u64::from(me.get()) + 1;
            // Relaxed, here and below: the post itself follows with release order, and an image that reads it with acquire order sees these.
            let found = poster.compare_exchange(0, mine, Ordering::Relaxed, Ordering::Relaxed);
            match found.map_or_else(|found| found, |_| mine) {
                found if found == mine => {
                    let number = count.load(Ordering::Relaxed) + 1;
                    let words = self.clock_at(of, self.post_at(posts, number));
                    words.zip(clock.clone()).for_each(|(word, value)| {
                        word.store(value, Ordering::Relaxed);
                    });
                    // Release: the words, for an image that sees the number before the post itself.
                    count.store(number, Ordering::Release);
                }
                _ => poster.store(SEVERAL, Ordering::Relaxed),
            }
        }
        self.add_to(of, offset, clock);
    }

    /// Calls `see` with the clock of the last post that an image has taken off its event.
    pub fn take_posts(&self, of: Rank, offset: u64, see: impl FnMut(usize, u64)) {
        if let Some(posts) = self.posts_of(of, offset, false) {
            let (poster, count) = self.head(of, posts);
            let number = self.taken(count, self.word(of, offset));
            // Relaxed: the rest was read with acquire order. If a second image has posted, this load sees that there
            // are several.
            if poster.load(Ordering::Relaxed) != SEVERAL && number > 0 {
                let mut see = see;
                let words = self.clock_at(of, self.post_at(posts, number)).enumerate();
                words.for_each(|(image, word)| see(image, word.load(Ordering::Relaxed)));
                return;
            }
        }
        self.see(of, offset, see);
    }

    /// The number of the last post that was taken off an event: those that were counted without those that are left.
    ///
    /// Only the image that calls this takes posts off. The image that posts first stores the words of the clock, then the number
    /// (release), then adds to the event (release).
    ///
    /// - An image that sees the number n (acquire) sees the words of all posts up to n, and at least n - 1 posts in the event.
    /// - An image that sees post n + 1 in the event (acquire) sees the number n + 1 or a later one after that. If the number is still n, the event
    ///   had n posts at most.
    ///
    /// The result is therefore the number of the last consumed post, or the next number, which was counted and is not
    /// yet in the event. The words of both exist.
    fn taken(&self, count: &AtomicU64, event: &AtomicU64) -> u64 {
        loop {
            let counted = count.load(Ordering::Acquire);
            let left = event.load(Ordering::Acquire);
            if count.load(Ordering::Relaxed) == counted {
                // With several images that post, more may be left than one of them has counted.
                return counted.saturating_sub(left);
            }
        }
    }

    /// The place of the posts of an event, if there is room for them; made if `make`.
    fn posts_of(&self, of: Rank, offset: u64, make: bool) -> Option<u64> {
        let number = self.number_of_clock(of, offset);
        let found = match number.load(Ordering::Acquire) {
            0 if make => {
                let new = self.take_clocks(of, self.layout.clocks_of_posts())?;
                set_number(number, new as u32 | HAS_POSTS)
            }
            found => found,
        };
        let has_posts = found & HAS_POSTS != 0;
        has_posts.then(|| self.layout.posts(u64::from(found & !HAS_POSTS)))
    }

    fn head(&self, of: Rank, posts: u64) -> (&AtomicU64, &AtomicU64) {
        (self.word(of, posts), self.word(of, posts + WORD))
    }

    /// The place of the clock of the post with this number.
    fn post_at(&self, posts: u64, number: u64) -> u64 {
        posts + (HEAD + number % KEPT_POSTS * self.images()) * WORD
    }
}
