//! The engine of an image: all its non-blocking operations, and their progress.

use super::exchange::Neighbours;
use super::mailbox::Mailbox;
use super::operation::Operation;
use super::program::Program;
use super::sequences::Sequences;
use crate::select::Choices;
use smallvec::SmallVec;
use std::any::Any;
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use xmp_core::failure::refusals::{self, CallId, Series};
use xmp_core::image::{Endpoint, Work};
use xmp_core::image_set::{ImageSet, Key};
use xmp_core::{Error, Image, Rank, Result};

/// The operations that an image has begun.
#[derive(Debug, Default)]
pub struct Engine {
    operations: RefCell<Vec<Rc<Operation>>>,
    mailbox: Mailbox,
    /// Numbers of the operations.
    sequences: Sequences,
    /// The key of the team whose operation begins now, where the program names one.
    team: Cell<Option<Key>>,
    /// Numbers of the exchanges of the global view that are no background operations.
    exchanges: Sequences,
    advancing: Cell<bool>,
    /// The algorithms that `XMP_COLL` forces, once it has been parsed.
    choices: OnceCell<Result<Choices>>,
}

/// Calls `begin`, which begins one operation of a team, or none. Such operations have an order for each `team`, a key that is the same
/// on all its images: teams of the same images have orders apart. All images begin an operation in this way, or none does.
pub fn of_team<R>(image: &Image, team: Key, begin: impl FnOnce() -> R) -> R {
    /// Forgets the team of an operation that was not begun.
    struct Forget<'a>(&'a Cell<Option<Key>>);
    impl Drop for Forget<'_> {
        fn drop(&mut self) {
            self.0.set(None);
        }
    }
    let engine = Engine::of(image);
    engine.team.set(Some(team));
    let _forget = Forget(&engine.team);
    begin()
}

/// The algorithms that `XMP_COLL` forces; its text is parsed once for each image.
#[inline]
pub fn choices(image: &Image) -> Result<Choices> {
    let settings = image.settings();
    if settings.collectives.is_empty() {
        return Ok(Choices::default());
    }
    let choices = &Engine::of(image).choices;
    choices.get_or_init(|| Choices::from_settings(settings)).clone()
}

impl Engine {
    /// The engine of an image.
    pub fn of(image: &Image) -> &Engine {
        image.work()
    }

    /// The key of the operation of a set that begins now.
    fn key_of_next(&self, set: &ImageSet) -> Key {
        // Operations that begin while this one advances are of no team.
        self.team.take().unwrap_or_else(|| set.key())
    }

    /// Begins an operation of a set.
    ///
    /// # Safety
    /// Those of [`Operation::new`].
    pub unsafe fn begin(
        &self,
        image: &Image,
        set: &ImageSet,
        program: Program,
        output: Box<dyn Any>,
    ) -> Rc<Operation> {
        let key = self.key_of_next(set);
        let sequence = self.sequences.next(key);
        // Where images name different roots, the messages of the data may not meet.
        let neighbours = if program.has_root() { Neighbours::of(set) } else { None };
        // SAFETY: the memory of the program stays valid until the operation has an outcome (contract above).
        let operation = Rc::new(unsafe {
            Operation::new(key, sequence, program, neighbours, image.source().language, output)
        });
        self.operations.borrow_mut().push(operation.clone());
        image.set_busy(true);
        self.advance(image, false);
        operation
    }

    /// Refuses an operation, instead of [`Engine::begin`], because of `error`. Images that wait for this one get the error.
    #[cold]
    pub fn refuse(&self, image: &Image, set: &ImageSet, error: &Error) -> Result<()> {
        let key = self.key_of_next(set);
        let sequence = self.sequences.next(key);
        refusals::publish(image, CallId::new(key, Series::Background, sequence), error)?;
        self.mailbox.drop_all_of(image, key, sequence)
    }

    /// The number of the next exchange of the global view that the images of a set execute together.
    pub fn next_exchange(&self, set: Key) -> u32 {
        self.exchanges.next(set)
    }

    /// The mailbox.
    #[cfg(test)]
    pub fn mailbox(&self) -> &Mailbox {
        &self.mailbox
    }
}

impl Work for Engine {
    fn advance(&self, image: &Endpoint, is_probed: bool) -> bool {
        // A wait in an operation of the user is in one of these operations already.
        if self.advancing.replace(true) {
            return false;
        }
        let _advancing = Advancing(&self.advancing);
        let mut moved = false;
        let mut ended = false;
        let mut at = 0;
        // The list is not borrowed meanwhile: a user's operation may begin others.
        let get = |at: usize| self.operations.borrow().get(at).cloned();
        while let Some(operation) = get(at) {
            moved |=
                operation.outcome().is_none() && operation.advance(image, &self.mailbox, is_probed);
            ended |= operation.outcome().is_some();
            at += 1;
        }
        if ended {
            let mut operations = self.operations.borrow_mut();
            operations.retain(|operation| operation.outcome().is_none());
            image.set_busy(!operations.is_empty());
        }
        moved
    }

    fn partners(&self) -> Option<SmallVec<[Rank; 8]>> {
        // An operation of the program waits while its own operation advances.
        if self.advancing.get() {
            return None;
        }
        partners(self.operations.borrow().iter().map(|operation| &**operation))
    }
}

/// The images whose messages some operations wait for; `None` while one of them advances.
pub fn partners<'a>(
    operations: impl IntoIterator<Item = &'a Operation>,
) -> Option<SmallVec<[Rank; 8]>> {
    let mut partners = SmallVec::new();
    for operation in operations {
        partners.extend(operation.partners()?);
    }
    partners.sort_unstable();
    partners.dedup();
    Some(partners)
}

/// While it lives, no other call advances the operations.
struct Advancing<'a>(&'a Cell<bool>);

impl Drop for Advancing<'_> {
    fn drop(&mut self) {
        self.0.set(false);
    }
}
