//! Messages that have been sent to an image and not been received.

use crate::rank::Rank;
use crate::server::Tag;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A message.
#[derive(Debug)]
pub struct Letter {
    content: Content,
    /// Looks until it is visible.
    unseen: u32,
}

#[derive(Debug)]
enum Content {
    Copy(Vec<u8>),
    /// In the memory of the sender, which waits for the flag.
    Lent(*const [u8], Arc<AtomicBool>),
}

// SAFETY: lent bytes stay valid until the flag is set or the letter is detached, for any thread.
unsafe impl Send for Letter {}

impl Letter {
    /// A message whose bytes have been copied.
    pub fn eager(bytes: Vec<u8>, unseen: u32) -> Letter {
        Letter { content: Content::Copy(bytes), unseen }
    }

    /// A message whose sender keeps the bytes until the flag says that they were taken.
    pub fn lent(bytes: *const [u8], unseen: u32, taken: Arc<AtomicBool>) -> Letter {
        Letter { content: Content::Lent(bytes, taken), unseen }
    }

    /// Its length in bytes.
    pub fn len(&self) -> usize {
        match &self.content {
            Content::Copy(bytes) => bytes.len(),
            Content::Lent(bytes, _) => bytes.len(),
        }
    }

    /// Copies it to the memory of its receive.
    ///
    /// # Safety
    /// `to` has room for its bytes. The mailbox that it was in is locked, so that it is not detached meanwhile.
    pub unsafe fn deliver(&self, to: *mut u8) {
        let from = match &self.content {
            Content::Copy(bytes) => bytes.as_ptr(),
            Content::Lent(bytes, _) => bytes.cast::<u8>(),
        };
        // SAFETY: the bytes are valid (see `Content`), and `to` has room (contract of this method). `copy` because a
        // fabric may send to itself.
        unsafe { std::ptr::copy(from, to, self.len()) };
    }
}

impl Drop for Letter {
    fn drop(&mut self) {
        if let Content::Lent(_, taken) = &self.content {
            // Release: the bytes have been read.
            taken.store(true, Ordering::Release);
        }
    }
}

/// The messages to one image, in order for each sender and tag.
#[derive(Debug, Default)]
pub struct Mailbox(BTreeMap<(Tag, Rank), VecDeque<Letter>>);

impl Mailbox {
    /// Adds a message.
    pub fn put(&mut self, from: Rank, tag: Tag, letter: Letter) {
        self.0.entry((tag, from)).or_default().push_back(letter);
    }

    /// Whether there is a request of this image, or bytes of one.
    pub fn has_requests_of(&self, process: Rank) -> bool {
        let of_request =
            |(tag, from): &(Tag, Rank)| *from == process && Tag::is_of_request(tag.get());
        self.0.iter().any(|(key, letters)| of_request(key) && !letters.is_empty())
    }

    /// Counts a look of the receiver.
    pub fn look(&mut self) {
        for queue in self.0.values_mut() {
            if let Some(first) = queue.front_mut() {
                first.unseen = first.unseen.saturating_sub(1);
            }
        }
    }

    /// The next visible message of this kind, of one sender or of any; `lot` selects one of several senders.
    pub fn take(&mut self, from: Option<Rank>, tag: Tag, lot: usize) -> Option<(Rank, Letter)> {
        let seen =
            |queue: &VecDeque<Letter>| queue.front().is_some_and(|letter| letter.unseen == 0);
        let from = match from {
            Some(from) => self.0.get(&(tag, from)).filter(|queue| seen(queue)).map(|_| from)?,
            None => {
                let all = self.0.range((tag, Rank::new(0))..=(tag, Rank::new(u32::MAX)));
                let ready: Vec<Rank> =
                    all.filter(|(_, queue)| seen(queue)).map(|((_, from), _)| *from).collect();
                *ready.get(lot % ready.len().max(1))?
            }
        };
        let letter = self.0.get_mut(&(tag, from))?.pop_front()?;
        Some((from, letter))
    }

    /// Copies the message with this flag, if it has not been taken, so that its sender's memory is not needed any more.
    pub fn detach(&mut self, flag: &Arc<AtomicBool>) {
        for letter in self.0.values_mut().flatten() {
            if let Content::Lent(bytes, taken) = &letter.content
                && Arc::ptr_eq(taken, flag)
            {
                // SAFETY: not taken yet, so the lent bytes are still valid.
                letter.content = Content::Copy(unsafe { &**bytes }.to_vec());
            }
        }
    }
}
