//! Posts of an event that one image posts. EVENT WAIT orders what precedes the posts that it takes off, not what precedes later ones
//! that the image has posted meanwhile: each of the last posts has a clock of its own.
//!
//! An event that several images post has one clock for all: which of their posts is taken off first is not known here. It orders more
//! than it should, so that races are missed, and none is invented.

use super::layout::{HAS_POSTS, HEAD, KEPT_POSTS};
use super::shadow::Shadows;
use crate::rank::Rank;
use crate::sync::{AtomicU64, Ordering};

/// As the image that posts: several.
const SEVERAL: u64 = u64::MAX;

const WORD: u64 = size_of::<u64>() as u64;

impl Shadows {
    /// The image `me` is about to post an event with this clock.
    pub fn post(&self, me: Rank, of: Rank, offset: u64, clock: impl Iterator<Item = u64> + Clone) {
        if let Some(posts) = self.posts_of(of, offset, true) {
            let (poster, count) = self.head(of, posts);
            let mine = u64::from(me.get()) + 1;
            // Relaxed, here and below: the post itself follows with release order, and is read with acquire order before this.
            let found = poster.compare_exchange(0, mine, Ordering::Relaxed, Ordering::Relaxed);
            match found.map_or_else(|found| found, |_| mine) {
                found if found == mine => {
                    let number = count.load(Ordering::Relaxed) + 1;
                    let words = self.clock_at(of, self.post_at(posts, number));
                    words.zip(clock.clone()).for_each(|(word, value)| {
                        word.store(value, Ordering::Relaxed);
                    });
                    count.store(number, Ordering::Relaxed);
                }
                _ => poster.store(SEVERAL, Ordering::Relaxed),
            }
        }
        self.add_to(of, offset, clock);
    }

    /// Calls `see` with the clock of the last post that an image has taken off its event, which has so many left.
    pub fn take_posts(&self, of: Rank, offset: u64, left: u64, see: impl FnMut(usize, u64)) {
        if let Some(posts) = self.posts_of(of, offset, false) {
            let (poster, count) = self.head(of, posts);
            // A post that is counted here already and not yet in the event makes the number too large by one at most.
            let number = count.load(Ordering::Relaxed).saturating_sub(left);
            if poster.load(Ordering::Relaxed) != SEVERAL && number > 0 {
                let mut see = see;
                let words = self.clock_at(of, self.post_at(posts, number)).enumerate();
                words.for_each(|(image, word)| see(image, word.load(Ordering::Relaxed)));
                return;
            }
        }
        self.see(of, offset, see);
    }

    /// Where the posts of an event are, if there is room for them; made if `make`.
    fn posts_of(&self, of: Rank, offset: u64, make: bool) -> Option<u64> {
        let number = self.number_of_clock(of, offset);
        let found = match number.load(Ordering::Acquire) {
            0 if make => {
                let new = self.take_clocks(of, self.layout.clocks_of_posts())?;
                Shadows::set_number(number, new as u32 | HAS_POSTS)
            }
            found => found,
        };
        let has_posts = found & HAS_POSTS != 0;
        has_posts.then(|| self.layout.posts(u64::from(found & !HAS_POSTS)))
    }

    fn head(&self, of: Rank, posts: u64) -> (&AtomicU64, &AtomicU64) {
        (self.word(of, posts), self.word(of, posts + WORD))
    }

    /// Where the clock of the post with this number is.
    fn post_at(&self, posts: u64, number: u64) -> u64 {
        posts + (HEAD + number % KEPT_POSTS * self.images()) * WORD
    }
}
