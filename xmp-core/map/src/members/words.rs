//! Words that one image owns, or that images of a host share.

use std::any::Any;
use std::ops::Deref;
use std::rc::Rc;

/// A table of words that has another owner.
///
/// # Safety
/// [`Deref::deref`] returns the same words, which do not change, as long as the value lives, wherever it is moved.
pub unsafe trait Table: Deref<Target = [u32]> + Any {}

/// Words that do not change, and their owner. Clones share the words.
#[derive(Clone, Debug)]
pub struct Words {
    words: *const [u32],
    /// Owns `words`.
    _owner: Rc<dyn Any>,
}

impl Words {
    /// Words of this image only.
    pub fn own(words: Vec<u32>) -> Words {
        let owner = Rc::new(words);
        Words { words: owner.as_slice(), _owner: owner }
    }

    /// The words of a table, which is dropped with the last clone.
    pub fn of(table: impl Table) -> Words {
        let owner = Rc::new(table);
        Words { words: &raw const **owner, _owner: owner }
    }
}

impl Deref for Words {
    type Target = [u32];

    #[inline]
    fn deref(&self) -> &[u32] {
        // SAFETY: a vector that stays as it is, or a `Table`; `_owner` keeps it alive.
        unsafe { &*self.words }
    }
}
