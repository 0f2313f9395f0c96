//! Operations in the background: they go on while the image does something else, under the ids of `async` clauses
//! (XcalableMP 1.4, 4.5.8).

use super::copy::{pack, unpack};
use super::entered;
use super::exchange::Operation;
use super::plan::moves::{self, ByPartner};
use crate::nonblocking::{self, Engine, Handle};
use crate::parts::Table;
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Image, Result};

/// The operations in flight, by id; several may have the same id. When this value is dropped they go on for the other
/// images, but what this image receives is lost.
#[derive(Default)]
pub struct Async<'i> {
    by_id: RefCell<HashMap<i64, Vec<Pending<'i>>>>,
}

/// An id of the operations in flight of an image.
#[derive(Clone, Copy, Debug)]
pub struct AsyncId<'a, 'i> {
    pending: &'a Async<'i>,
    id: i64,
}

impl<'i> AsyncId<'_, 'i> {
    /// Adds an operation that has begun under this id.
    pub fn add<T: 'static>(&self, handle: Handle<'i, T>, finish: impl FnOnce(T) + 'i) {
        self.pending.add(self.id, handle, finish);
    }
}

/// An operation in flight.
trait Complete {
    /// Advances the operation without waiting. Returns whether it is complete.
    fn test(&self) -> Result<bool>;
    /// Waits for the operation, and brings its results to their place.
    fn wait(self: Box<Self>) -> Result<()>;
}

type Pending<'i> = Box<dyn Complete + 'i>;

struct Finished<'i, T, F> {
    handle: Handle<'i, T>,
    finish: F,
}

impl<T: 'static, F: FnOnce(T)> Complete for Finished<'_, T, F> {
    fn test(&self) -> Result<bool> {
        self.handle.test()
    }

    fn wait(self: Box<Self>) -> Result<()> {
        (self.finish)(self.handle.wait()?);
        Ok(())
    }
}

impl<'i> Async<'i> {
    /// One of the ids.
    pub fn id(&self, id: i64) -> AsyncId<'_, 'i> {
        AsyncId { pending: self, id }
    }

    /// Adds an operation that has begun; `finish` gets its result in [`Async::wait`] or [`Async::test`].
    pub fn add<T: 'static>(&self, id: i64, handle: Handle<'i, T>, finish: impl FnOnce(T) + 'i) {
        let pending: Pending<'i> = Box::new(Finished { handle, finish });
        self.by_id.borrow_mut().entry(id).or_default().push(pending);
    }

    /// Returns when all operations with this id are complete; at once if there is none.
    ///
    /// # Errors
    /// The first error of one of them; all of them have ended then.
    pub fn wait(&self, id: i64) -> Result<()> {
        let pending = self.by_id.borrow_mut().remove(&id).unwrap_or_default();
        let mut outcome = Ok(());
        for operation in pending {
            outcome = outcome.and(operation.wait());
        }
        outcome
    }

    /// Advances all operations with this id without waiting. Returns whether all of them are complete, so that their
    /// results are in their place; `true` if there is none.
    ///
    /// # Errors
    /// Those of [`Async::wait`].
    pub fn test(&self, id: i64) -> Result<bool> {
        let complete = match self.by_id.borrow().get(&id) {
            None => return Ok(true),
            // An operation that has failed is complete; waiting for it returns the error.
            Some(pending) => pending.iter().all(|operation| operation.test().unwrap_or(true)),
        };
        if complete {
            self.wait(id)?;
        }
        Ok(complete)
    }
}

impl fmt::Debug for Async<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by_id = self.by_id.borrow();
        f.debug_map().entries(by_id.iter().map(|(id, pending)| (id, pending.len()))).finish()
    }
}

/// Refuses an operation in the background, instead of beginning it, because of `error`. Images that wait for this one
/// get the error. Returns the error.
#[cold]
pub fn refuse_background(image: &Image, set: &ImageSet, error: Error) -> Error {
    Engine::of(image).refuse(image, set, &error).err().unwrap_or(error)
}

/// Begins an operation, which [`Async::wait`] of the id completes. It reads the elements to send now, and writes those that
/// it receives when it is completed; nothing else may access these before.
///
/// # Errors
/// When the transport fails.
pub fn begin<'i>(
    image: &'i Image,
    set: &ImageSet,
    id: AsyncId<'_, 'i>,
    operation: Operation<'static>,
) -> Result<()> {
    // The elements that it gives are read below.
    entered::given(image, &operation).enter();
    let accesses = entered::got(image, &operation).begin();
    let Operation { plan, from, to, arrival, .. } = operation;
    let moves = &plan.moves;
    let position = |rank| set.position_of(rank).expect("all partners are in the set");
    let lens = |partners: &ByPartner| {
        let mut lens = vec![0; set.len()];
        for (rank, transfers) in partners {
            lens[position(*rank)] = moves::bytes(transfers);
        }
        lens
    };
    let (give, get) = (lens(&moves.send), lens(&moves.receive));
    let (give_table, given) = Table::packed(give.iter().copied());
    let (get_table, _) = Table::packed(get.iter().copied());
    let mut data = vec![0_u8; given];
    let mut own = vec![0_u8; moves::bytes(&moves.own)];
    // SAFETY: `from` has the elements of the plan (`Storage::new`).
    unsafe {
        for (rank, transfers) in &moves.send {
            let at = give_table.parts().offset(position(*rank));
            pack(transfers, from, &mut data[at..at + moves::bytes(transfers)]);
        }
        pack(&moves.own, from, &mut own);
    }
    let places: Vec<usize> =
        moves.receive.iter().map(|(rank, _)| get_table.parts().offset(position(*rank))).collect();
    let handle = nonblocking::exchange(image, set, data, &give, &get)?.accessing(accesses);
    id.add(handle, move |came: Vec<u8>| {
        let moves = &plan.moves;
        // SAFETY: `to` has the elements of the plan (`Storage::new`).
        unsafe {
            unpack(&moves.own, &own, to, arrival);
            for ((_, transfers), at) in moves.receive.iter().zip(places) {
                unpack(transfers, &came[at..at + moves::bytes(transfers)], to, arrival);
            }
        }
    });
    Ok(())
}
