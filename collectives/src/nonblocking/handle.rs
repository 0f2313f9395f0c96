//! The handle of an operation that is in flight.

use super::engine::{Engine, partners};
use super::operation::Operation;
use crate::arguments::BegunAccesses;
use smallvec::SmallVec;
use std::cell::Cell;
use std::fmt;
use std::iter;
use std::marker::PhantomData;
use std::ops::Range;
use std::panic::Location;
use std::rc::Rc;
use xmp_core::failure::deadlock::Scope;
use xmp_core::failure::refusals::Look;
use xmp_core::image::{FailedCall, Work};
use xmp_core::wait::{Need, WaitKind};
use xmp_core::{Error, Image, Result};

/// An operation that has begun. The operation owns its data; [`Handle::wait`] gives it back with the result.
///
/// An operation whose handle is dropped or forgotten continues whenever this image waits for anything, so that the other
/// images get their results.
#[must_use = "an operation is complete when its handle says so"]
pub struct Handle<'i, T> {
    image: &'i Image,
    operation: Rc<Operation>,
    /// The name and the place of the call of the program that has begun it, if they are known.
    begun: Option<(&'static str, &'static Location<'static>)>,
    /// The clock of what the operation orders, once it is complete, where races are looked for.
    orders: Option<Rc<[Cell<u64>]>>,
    /// The accesses of the operation until it is complete, where races are looked for.
    accesses: Vec<BegunAccesses<'i>>,
    /// The addresses of the memory of the caller that stays valid until the operation is complete.
    memory: SmallVec<[Range<usize>; 2]>,
    output: PhantomData<fn() -> T>,
}

/// An operation of a [`Handle`], for waits for several of them.
pub struct Pending(Rc<Operation>);

/// Waits until one of several operations has an outcome.
///
/// # Errors
/// When the job ends.
pub fn wait_for_any(image: &Image, operations: &[Pending]) -> Result<()> {
    wait_for(image, operations.iter().map(|it| &*it.0))
}

/// Waits until one of these operations has an outcome. They see for themselves when an image ends, and ask partners whether they have
/// refused.
fn wait_for<'a>(
    image: &Image,
    operations: impl Iterator<Item = &'a Operation> + Clone,
) -> Result<()> {
    let slept = Cell::new(false);
    let _record = Scope::new(image);
    let is_complete = || operations.clone().any(|operation| operation.outcome().is_some());
    // The partners of all of them: more than each operation needs, and no less.
    let need = || match partners(operations.clone()) {
        Some(partners) => Need::all_of(WaitKind::Background, partners),
        None => Need { kind: WaitKind::Background, ..Need::default() },
    };
    let waits = image.waits_one_sided().needing(&need).bounded(Look::LONGEST, &slept);
    waits.until(|| Ok(()), is_complete)?;
    image.acquired();
    Ok(())
}

/// Makes the output when the operation is complete.
pub type Finish<T> = Box<dyn FnOnce() -> T>;

impl<'i, T: 'static> Handle<'i, T> {
    /// The handle of an operation whose output is made by a [`Finish<T>`].
    pub(super) fn new(image: &'i Image, operation: Rc<Operation>) -> Handle<'i, T> {
        Handle {
            image,
            operation,
            begun: None,
            orders: None,
            accesses: Vec::new(),
            memory: SmallVec::new(),
            output: PhantomData,
        }
    }

    /// The handle of an operation that a call of the program at `place` has begun. If the operation fails, the message that ends
    /// the job names both.
    pub fn begun_by(self, call: &'static str, place: &'static Location<'static>) -> Handle<'i, T> {
        Handle { begun: Some((call, place)), ..self }
    }

    /// The handle of an operation that orders what its images have done before they began it before what follows its completion.
    /// When it is complete, the clock has that.
    pub(super) fn orders(self, clock: Rc<[Cell<u64>]>) -> Handle<'i, T> {
        Handle { orders: Some(clock), ..self }
    }

    /// The handle of an operation that accesses this until it is complete.
    pub(crate) fn accessing(mut self, accesses: Option<BegunAccesses<'i>>) -> Handle<'i, T> {
        self.accesses.extend(accesses);
        self
    }

    /// The handle of an operation that uses these bytes of the caller until it is complete.
    pub(super) fn using(mut self, start: *const u8, len: usize) -> Handle<'i, T> {
        if len > 0 {
            self.memory.push(start.addr()..start.addr() + len);
        }
        self
    }

    /// Returns whether the operation, or [`Handle::wait`], uses memory of the caller at some of these addresses. Operations that own their data
    /// use none.
    pub fn uses(&self, addresses: &Range<usize>) -> bool {
        self.memory.iter().any(|its| its.start < addresses.end && addresses.start < its.end)
    }

    /// The operation is complete, as the statement of the caller finds.
    #[track_caller]
    fn completed(&self) {
        self.accesses.iter().for_each(BegunAccesses::complete);
        if let Some(clock) = &self.orders
            && let Some(races) = self.image.races()
        {
            // Handles of other languages do not know where they were begun: their calls are on the stack.
            if self.begun.is_some() {
                races.execute_at(Location::caller());
            }
            races.order_after(clock.iter().map(Cell::get));
        }
    }

    /// Notes that the operation has failed.
    fn failed(&self, error: Error) -> Error {
        if let Some((operation, place)) = self.begun {
            let call = FailedCall { operation, place, error: error.clone(), note: None };
            self.image.note_failed_call(call);
        }
        error
    }

    /// The handle with `change` applied to its output. Memory that `change` owns lives to the end of the operation.
    pub(super) fn map<U: 'static>(self, change: impl FnOnce(T) -> U + 'static) -> Handle<'i, U> {
        self.operation.change_output(|output| {
            let finish = output.downcast::<Finish<T>>().expect("made for this handle");
            let finish: Finish<U> = Box::new(move || change(finish()));
            Box::new(finish)
        });
        let Handle { image, operation, begun, orders, accesses, memory, .. } = self;
        Handle { begun, orders, accesses, memory, ..Handle::new(image, operation) }
    }

    /// Advances the operation without waiting. Returns whether it is complete.
    ///
    /// # Errors
    /// Those of [`Handle::wait`], when the operation has failed.
    #[track_caller]
    pub fn test(&self) -> Result<bool> {
        while self.operation.outcome().is_none()
            && Engine::of(self.image).advance(self.image, false)
        {}
        self.image.acquired();
        match self.operation.outcome().cloned() {
            None => Ok(false),
            Some(outcome) => {
                outcome.map_err(|error| self.failed(error))?;
                self.completed();
                Ok(true)
            }
        }
    }

    /// The operation, for [`wait_for_any`].
    pub fn pending(&self) -> Pending {
        Pending(self.operation.clone())
    }

    /// Waits until the operation is complete, and returns its result.
    ///
    /// # Errors
    /// When an image that the operation needs has stopped or failed before it took part; when the images disagree on its
    /// size; [`xmp_core::Error::Refused`] when one of them has refused the operation. The data is lost then.
    #[track_caller]
    pub fn wait(self) -> Result<T> {
        wait_for(self.image, iter::once(&*self.operation))?;
        let outcome = self.operation.outcome().expect("complete").clone();
        outcome.map_err(|error| self.failed(error))?;
        self.completed();
        let output = self.operation.take_output().expect("an output is taken once");
        let finish = output.downcast::<Finish<T>>().expect("made for this handle");
        Ok(finish())
    }
}

impl<T> fmt::Debug for Handle<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle")
            .field("begun", &self.begun)
            .field("outcome", &self.operation.outcome())
            .finish()
    }
}
