//! Operations that go on while the image does something else, by the ids of `async` clauses (XcalableMP 1.4, 4.5.8).

use super::copy::{Arrival, pack, unpack};
use super::plan::moves;
use super::plans::Plan;
use crate::nonblocking::{self, Engine, Handle};
use crate::parts::Table;
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Image, Result};

/// What is in flight, by id. Several operations may have one id. Dropped, it forgets them: they go on for the others,
/// but what they bring here is lost.
#[derive(Default)]
pub struct Async<'i> {
    by_id: RefCell<HashMap<i64, Vec<Pending<'i>>>>,
}

/// An operation, as far as waiting for it goes.
trait Complete {
    /// Whether it is complete, after doing what can be done now.
    fn test(&self) -> Result<bool>;
    /// Waits for it, and brings its results to their place.
    fn wait(self: Box<Self>) -> Result<()>;
}

type Pending<'i> = Box<dyn Complete + 'i>;

struct Then<'i, T, F> {
    handle: Handle<'i, T>,
    finish: F,
}

impl<T: 'static, F: FnOnce(T)> Complete for Then<'_, T, F> {
    fn test(&self) -> Result<bool> {
        self.handle.test()
    }

    fn wait(self: Box<Self>) -> Result<()> {
        (self.finish)(self.handle.wait()?);
        Ok(())
    }
}

impl<'i> Async<'i> {
    /// Notes an operation that has begun; `finish` gets its result in [`Async::wait`] or [`Async::test`].
    pub fn add<T: 'static>(&self, id: i64, handle: Handle<'i, T>, finish: impl FnOnce(T) + 'i) {
        let pending: Pending<'i> = Box::new(Then { handle, finish });
        self.by_id.borrow_mut().entry(id).or_default().push(pending);
    }

    /// Returns when all operations with this id are complete; at once if there is none.
    ///
    /// # Errors
    /// The first error of one of them; all have ended.
    pub fn wait(&self, id: i64) -> Result<()> {
        let pending = self.by_id.borrow_mut().remove(&id).unwrap_or_default();
        let mut outcome = Ok(());
        for operation in pending {
            outcome = outcome.and(operation.wait());
        }
        outcome
    }

    /// Whether all operations with this id are complete, after doing what can be done now; then their results are in
    /// their place. Yes if there is none.
    ///
    /// # Errors
    /// As [`Async::wait`]; those with the id have ended then.
    pub fn test(&self, id: i64) -> Result<bool> {
        let complete = match self.by_id.borrow().get(&id) {
            None => return Ok(true),
            // One that has failed is complete: waiting for it says why.
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

/// Takes the place of an operation in the background on an image that cannot begin it, because of `error`: images that
/// wait for this one get the error. Returns the error.
#[cold]
pub fn refuse_background(image: &Image, set: &ImageSet, error: Error) -> Error {
    Engine::of(image).refuse(image, set, &error).err().unwrap_or(error)
}

/// Begins an operation; what is read is read now, what is written is written when it is waited for.
///
/// # Errors
/// None of its own.
///
/// # Safety
/// As [`super::exchange::run`]; what is written stays valid until the operation has been waited for, or `pending` has
/// been dropped.
///
/// # Panics
/// When this image is not in the set.
pub(super) unsafe fn start<'i>(
    image: &'i Image,
    set: &ImageSet,
    pending: &Async<'i>,
    id: i64,
    (plan, from, to): (Rc<Plan>, *const u8, *mut u8),
    arrival: Arrival<'static>,
) -> Result<()> {
    let moves = &plan.moves;
    let position = |rank| set.position_of(rank).expect("all partners are in the set");
    let mut give = vec![0; set.len()];
    let mut get = vec![0; set.len()];
    for (rank, transfers) in &moves.send {
        give[position(*rank)] = moves::bytes(transfers);
    }
    for (rank, transfers) in &moves.receive {
        get[position(*rank)] = moves::bytes(transfers);
    }
    let (give_table, given) = Table::packed(give.iter().copied());
    let (get_table, _) = Table::packed(get.iter().copied());
    let mut data = vec![0_u8; given];
    let mut own = vec![0_u8; moves::bytes(&moves.own)];
    // SAFETY: the storages are valid for the plan until the operation has ended (contract above).
    unsafe {
        for (rank, transfers) in &moves.send {
            let at = give_table.parts().offset(position(*rank));
            pack(transfers, from, &mut data[at..at + moves::bytes(transfers)]);
        }
        pack(&moves.own, from, &mut own);
    }
    let places: Vec<usize> =
        moves.receive.iter().map(|(rank, _)| get_table.parts().offset(position(*rank))).collect();
    let handle = nonblocking::exchange(image, set, data, &give, &get)?;
    pending.add(id, handle, move |came: Vec<u8>| {
        let moves = &plan.moves;
        // SAFETY: the storages are valid for the plan until the operation has ended (contract above).
        unsafe {
            unpack(&moves.own, &own, to, arrival);
            for ((_, transfers), at) in moves.receive.iter().zip(places) {
                unpack(transfers, &came[at..at + moves::bytes(transfers)], to, arrival);
            }
        }
    });
    Ok(())
}
