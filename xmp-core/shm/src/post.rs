//! The words of a row of posts (XcalableMP 1.4, 5.3), and how they change.
//!
//! A word is zero, or an image, a tag, and how often that image has posted it. An image that posts claims a word that
//! is zero, or counts up the one that is already there for this tag, by a compare-and-swap. Only the image that owns
//! the row takes posts out, all of a word at once, by a swap. The compare-and-swap releases what the posting image has
//! done before, and the image that finds the post acquires it; a later post of the same word continues the release
//! sequence of the ones before.

use crate::error::Result;
use crate::rank::Rank;
use crate::sync::{AtomicU64, Ordering};

/// Bits of a word that count.
const COUNT: u32 = 12;
/// The most that a word counts.
pub const MAX_COUNT: u64 = (1 << COUNT) - 1;
/// Most images: as many as fit into the bits beside a tag and the count.
pub const IMAGES: usize = (1 << (32 - COUNT)) - 1;

/// An image and the tag that it has posted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Post {
    /// The image that has posted.
    pub from: Rank,
    /// The tag.
    pub tag: i32,
}

impl Post {
    /// The word of one such post; never zero.
    fn to_word(self) -> u64 {
        u64::from(self.from.image()) << (32 + COUNT) | u64::from(self.tag as u32) << COUNT | 1
    }

    /// The post in a word, and its count.
    fn from_word(word: u64) -> Option<(Post, u64)> {
        let image = (word >> (32 + COUNT)) as u32;
        let post = || Post { from: Rank::new(image - 1), tag: (word >> COUNT) as u32 as i32 };
        (image > 0).then(|| (post(), word & MAX_COUNT))
    }

    /// The index, of `words` words, where the search for such a post begins.
    fn place(self, words: u64) -> u64 {
        // Neighbouring tags of an image are side by side, those of other images apart.
        (u64::from(self.tag as u32) + 0x9e37 * u64::from(self.from.get())) % words
    }

    /// Whether this post matches the image `from` (`None`: any) and `tag` (`None`: any).
    pub fn is(self, from: Option<Rank>, tag: Option<i32>) -> bool {
        from.is_none_or(|from| from == self.from) && tag.is_none_or(|tag| tag == self.tag)
    }
}

/// Adds a post to a row of `words` words. `compare_swap(word, expected, desired)` changes one of them and returns its
/// former value; each word is tried. Returns false if all of them are taken.
///
/// # Errors
/// Those of `compare_swap`.
pub fn add(
    post: Post,
    words: u64,
    mut compare_swap: impl FnMut(u64, u64, u64) -> Result<u64>,
) -> Result<bool> {
    let (one, first) = (post.to_word(), post.place(words));
    for tried in 0..words {
        let at = (first + tried) % words;
        // The expected value of the word; zero first.
        let mut expected = 0;
        loop {
            let desired = if expected == 0 { one } else { expected + 1 };
            let found = compare_swap(at, expected, desired)?;
            if found == expected {
                return Ok(true);
            }
            let counted = found == 0 || (found ^ one) <= MAX_COUNT && found & MAX_COUNT < MAX_COUNT;
            if !counted {
                break;
            }
            expected = found;
        }
    }
    Ok(false)
}

/// Takes all posts out of a row, and appends them to `taken`.
pub fn take<'a>(row: impl Iterator<Item = &'a AtomicU64>, taken: &mut Vec<(Post, u64)>) {
    for word in row {
        if word.load(Ordering::Relaxed) == 0 {
            continue;
        }
        // Acquire: what was done before the posts is visible. Release is not needed: an image that finds zero needs to
        // see nothing of what was here.
        taken.extend(Post::from_word(word.swap(0, Ordering::Acquire)));
    }
}

#[cfg(all(test, loom))]
mod tests {
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;
    use loom::thread;

    /// A row of a few words, and what two images have written before they post.
    struct Row {
        words: Vec<AtomicU64>,
        written: [UnsafeCell<u32>; 2],
    }

    impl Row {
        fn new(words: usize) -> Arc<Row> {
            let words = (0..words).map(|_| AtomicU64::new(0)).collect();
            Arc::new(Row { words, written: [UnsafeCell::new(0), UnsafeCell::new(0)] })
        }

        /// Image `from` writes, and posts until there is room.
        fn post(&self, from: usize, tag: i32, write: bool) {
            if write {
                // SAFETY: only this image writes it, and others read it after its post.
                self.written[from].with_mut(|place| unsafe { *place = 1 });
            }
            let post = Post { from: Rank::new(from as u32), tag };
            let swap = |at: u64, expected, desired| {
                let word = &self.words[at as usize];
                // The order that the transports use.
                let old =
                    word.compare_exchange(expected, desired, Ordering::SeqCst, Ordering::SeqCst);
                Ok(old.unwrap_or_else(|old| old))
            };
            while !add(post, self.words.len() as u64, swap).unwrap() {
                thread::yield_now();
            }
        }

        /// Takes `posts` posts, and checks what was written before each.
        fn wait(&self, posts: u64) -> Vec<(Post, u64)> {
            let mut taken = Vec::new();
            loop {
                take(self.words.iter(), &mut taken);
                let sum: u64 = taken.iter().map(|(_, count)| count).sum();
                assert!(sum <= posts, "posts that no image has made");
                if sum == posts {
                    break;
                }
                thread::yield_now();
            }
            for (post, _) in &taken {
                // SAFETY: its image has posted, and does not write any more.
                let written = self.written[post.from.index()].with(|place| unsafe { *place });
                assert_eq!(written, 1);
            }
            taken
        }
    }

    fn model(run: impl Fn() + Send + Sync + 'static) {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(3);
        builder.check(run);
    }

    /// Two images post at the same time, to a row that has room for one tag only.
    #[test]
    fn loom_images_compete_for_a_word() {
        model(|| {
            let row = Row::new(1);
            let posters: Vec<_> = (0..2)
                .map(|from| {
                    let row = row.clone();
                    thread::spawn(move || row.post(from, 5, true))
                })
                .collect();
            let taken = row.wait(2);
            assert_eq!(taken.len(), 2);
            posters.into_iter().for_each(|poster| poster.join().unwrap());
        });
    }

    /// An image posts one tag twice while the other takes: once, or counted.
    #[test]
    fn loom_posts_of_a_tag_are_counted() {
        model(|| {
            let row = Row::new(2);
            let poster = {
                let row = row.clone();
                thread::spawn(move || {
                    row.post(0, 5, true);
                    row.post(0, 5, false);
                })
            };
            let taken = row.wait(2);
            assert!(taken.iter().all(|(post, _)| post.is(Some(Rank::new(0)), Some(5))));
            poster.join().unwrap();
        });
    }
}
