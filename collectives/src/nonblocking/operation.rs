//! A non-blocking operation: a state machine over its steps.

use super::exchange::{Ended, Exchange, Means, Neighbours};
use super::header::Name;
use super::incoming::{Incoming, differs};
use super::mailbox::Mailbox;
use super::outgoing::Outgoing;
use super::program::Program;
use super::steps::{LocalStep, Step};
use crate::leaders::CallStatus;
use crate::schedules::OnReceipt;
use smallvec::SmallVec;
use std::any::Any;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use xmp_core::failure::calls::compare_begun;
use xmp_core::failure::refusals::{self, CallId, Look, Series};
use xmp_core::image::Endpoint;
use xmp_core::image_set::Key;
use xmp_core::language::Language;
use xmp_core::{Error, Rank, Result};

/// An operation that has begun.
#[derive(Debug)]
pub struct Operation {
    state: RefCell<State>,
    outcome: OnceCell<Result<()>>,
    /// The owner of the memory, which makes the result of [`super::Handle::wait`].
    output: RefCell<Option<Box<dyn Any>>>,
}

#[derive(Debug)]
struct State {
    set: Key,
    sequence: u32,
    program: Program,
    pass: usize,
    step: usize,
    current: Option<Current>,
    /// The images with which this one compares what it calls, until it has begun that.
    neighbours: Option<Neighbours>,
    /// The language whose words messages use.
    language: fn() -> Language,
    /// The messages that compare it, until both are complete.
    comparison: Option<Exchange>,
    call_status: CallStatus,
    /// The error of the program on this image, if any.
    fault: Result<()>,
    /// Numbers of messages to and from each partner so far.
    numbers: SmallVec<[(Rank, [u32; 2]); 8]>,
    /// Received operands.
    work: Vec<u128>,
    /// Says when this image reads whether partners have refused the call.
    look: Look,
}

/// A step in execution.
#[derive(Debug)]
struct Current {
    messages: Exchange,
    /// The combination with the received operand when both are complete.
    combine: Option<Combination>,
    /// The change of own blocks after that.
    own: Option<LocalStep>,
}

/// A combination of `len` bytes at `own` with those that a step receives, which are the left operand if `before`.
#[derive(Clone, Copy, Debug)]
struct Combination {
    own: *mut u8,
    len: usize,
    before: bool,
}

/// Index in [`State::numbers`].
const SENT: usize = 0;
/// Index in [`State::numbers`].
const RECEIVED: usize = 1;

impl Operation {
    /// The operation number `sequence` of the set with this key. It compares what it calls with `neighbours`; messages use the words of
    /// `language`. `output` owns the memory of the program.
    ///
    /// # Safety
    /// The memory of the program is valid, and nothing else accesses it, until the operation has an outcome.
    pub unsafe fn new(
        set: Key,
        sequence: u32,
        program: Program,
        neighbours: Option<Neighbours>,
        language: fn() -> Language,
        output: Box<dyn Any>,
    ) -> Operation {
        let state = State {
            set,
            sequence,
            program,
            pass: 0,
            step: 0,
            current: None,
            neighbours,
            language,
            comparison: None,
            call_status: CallStatus::GOOD,
            fault: Ok(()),
            numbers: SmallVec::new(),
            work: Vec::new(),
            look: Look::default(),
        };
        Operation {
            state: RefCell::new(state),
            outcome: OnceCell::new(),
            output: RefCell::new(Some(output)),
        }
    }

    /// The outcome, if the operation has ended.
    pub fn outcome(&self) -> Option<&Result<()>> {
        self.outcome.get()
    }

    /// Replaces the owner of the memory by another one that owns the old one.
    pub fn change_output(&self, change: impl FnOnce(Box<dyn Any>) -> Box<dyn Any>) {
        let mut output = self.output.borrow_mut();
        *output = output.take().map(change);
    }

    /// Takes the owner of the memory, if the operation has ended.
    pub fn take_output(&self) -> Option<Box<dyn Any>> {
        self.outcome.get()?;
        self.output.borrow_mut().take()
    }

    /// The images whose messages the operation waits for: until one of them acts, [`Operation::advance`] does nothing. `None` while
    /// it advances.
    pub fn partners(&self) -> Option<SmallVec<[Rank; 4]>> {
        if self.outcome.get().is_some() {
            return Some(SmallVec::new());
        }
        Some(self.state.try_borrow().ok()?.partners())
    }

    /// Advances without waiting. Returns whether anything was done. With `is_probed` it reads whether partners have refused the
    /// operation.
    pub fn advance(&self, image: &Endpoint, mailbox: &Mailbox, is_probed: bool) -> bool {
        let mut moved = false;
        let mut state = self.state.borrow_mut();
        let outcome = match state.advance(image, mailbox, is_probed, &mut moved) {
            Ok(false) => return moved,
            Ok(true) => state.call_status.outcome().and(state.fault.clone()),
            Err(error) => {
                // The mailbox writes the memory no longer.
                let current = state.current.take().map(|current| current.messages);
                for messages in [current, state.comparison.take()].into_iter().flatten() {
                    messages.forget(mailbox);
                }
                Err(state.give_up(image, mailbox, error))
            }
        };
        self.outcome.set(outcome).expect("advanced until it has an outcome");
        true
    }
}

impl State {
    /// The other ends of the messages that are not complete.
    fn partners(&self) -> SmallVec<[Rank; 4]> {
        let current = self.current.as_ref().map(|current| &current.messages);
        let messages = current.into_iter().chain(&self.comparison);
        messages.flat_map(Exchange::partners).collect()
    }

    /// Compares what this image calls with what its partners have published when they were probed: where images begin different
    /// operations, their messages may not meet.
    #[cold]
    fn compare_when_probed(&self, image: &Endpoint) -> Result<()> {
        let own = self.program.call_with_kind();
        let Some((partner, theirs)) = compare_begun(image, self.call(), own, &self.partners())?
        else {
            return Ok(());
        };
        let me = image.rank();
        let names = [own, theirs].map(|word| Program::name_in(word, (self.language)()));
        let why = match names {
            [Some(mine), Some(its)] if mine != its => {
                format!("non-blocking collective: {me} has begun {mine}, {partner} {its}")
            }
            _ => differs(partner, me),
        };
        Err(Error::Refused { image: me, lacks_memory: false, why })
    }

    /// Advances without waiting. Returns whether the operation is complete.
    fn advance(
        &mut self,
        image: &Endpoint,
        mailbox: &Mailbox,
        is_probed: bool,
        moved: &mut bool,
    ) -> Result<bool> {
        self.begin_comparison(image, mailbox, moved)?;
        if is_probed {
            self.compare_when_probed(image)?;
        }
        loop {
            let asks = is_probed || self.look.is_due() && self.look.take();
            let means = Means { image, mailbox, call: self.call(), asks };
            self.compare(means, moved)?;
            if self.current.is_none() {
                let Some(step) = self.next_step() else { return Ok(self.comparison.is_none()) };
                self.begin(step, image, mailbox)?;
                *moved = true;
            }
            self.receive(means, moved)?;
            self.send(means, moved)?;
            if !self.current.as_ref().expect("a step").messages.is_complete() {
                return Ok(false);
            }
            self.finish();
            *moved = true;
        }
    }

    /// Begins to compare what this image calls with its neighbours.
    fn begin_comparison(
        &mut self,
        image: &Endpoint,
        mailbox: &Mailbox,
        moved: &mut bool,
    ) -> Result<()> {
        let Some(neighbours) = self.neighbours.take() else { return Ok(()) };
        let (set, sequence) = (self.set, self.sequence);
        let name = |partner, number| Name { partner, set, sequence, number };
        let messages = neighbours.compare(self.program.call(), name);
        *moved = true;
        let message = messages.receive.clone();
        self.comparison = Some(messages);
        match message {
            // SAFETY: a message without data has no place.
            Some(message) => unsafe { mailbox.expect(image, &message) },
            None => Ok(()),
        }
    }

    /// Advances the comparison. A neighbour that has ended takes no part in it, and the operation goes on.
    fn compare(&mut self, means: Means<'_>, moved: &mut bool) -> Result<()> {
        let Some(messages) = &mut self.comparison else { return Ok(()) };
        // SAFETY: the messages of the comparison have no data. The places of expected messages are valid until their operations have
        // an outcome.
        let (received, sent) =
            unsafe { (messages.receive(means, moved)?, messages.send(means, moved)?) };
        let received = received.map(|(_, ended)| ended);
        for ended in [received, sent].into_iter().flatten() {
            match ended {
                Ended::ByPartner(Error::StoppedImage(_) | Error::FailedImage(_)) => *moved = true,
                Ended::ByPartner(error) => return Err(error),
                Ended::Complete => {}
            }
        }
        if messages.is_complete() {
            self.comparison = None;
            *moved = true;
        }
        Ok(())
    }

    /// The id of this call of the set.
    fn call(&self) -> CallId {
        CallId::new(self.set, Series::Background, self.sequence)
    }

    /// Ends the operation with an error. If a partner has refused it this image refuses it, too, so that images that wait for
    /// this one get the error.
    fn give_up(&self, image: &Endpoint, mailbox: &Mailbox, error: Error) -> Error {
        if !matches!(error, Error::Refused { .. }) {
            return error;
        }
        let published = refusals::publish(image, self.call(), &error);
        let dropped = mailbox.drop_all_of(image, self.set, self.sequence);
        published.and(dropped).err().unwrap_or(error)
    }

    fn next_step(&mut self) -> Option<Step> {
        if self.step == self.program.steps.len() {
            (self.pass, self.step) = (self.pass + 1, 0);
        }
        if self.pass >= self.program.passes() {
            return None;
        }
        let step = self.program.steps.get(self.step)?.clone();
        self.step += 1;
        Some(step)
    }

    fn begin(&mut self, step: Step, image: &Endpoint, mailbox: &Mailbox) -> Result<()> {
        let send = step.send.map(|(to, blocks)| {
            let (start, len) = self.program.bytes(self.pass, &blocks);
            Outgoing::new(self.name(to, SENT), start, len, self.call_status, self.program.call())
        });
        let mut combine = None;
        let receive = step.receive.map(|(from, blocks, then)| {
            let (start, len) = self.program.bytes(self.pass, &blocks);
            let place = if then == OnReceipt::Replace {
                start
            } else {
                combine = Some(Combination { own: start, len, before: then == OnReceipt::Before });
                self.work.resize(len.div_ceil(16), 0);
                self.work.as_mut_ptr().cast()
            };
            Rc::new(Incoming::new(self.name(from, RECEIVED), place, len, self.program.call()))
        });
        let message = receive.clone();
        let messages = Exchange { send, receive };
        self.current = Some(Current { messages, combine, own: step.own });
        match message {
            // SAFETY: the memory of the program is valid until this operation has an outcome (`Operation::new`), and `work`
            // until the end of the step. No round of a schedule receives what it sends.
            Some(message) => unsafe { mailbox.expect(image, &message) },
            None => Ok(()),
        }
    }

    /// Advances the receiving of a step.
    fn receive(&mut self, means: Means<'_>, moved: &mut bool) -> Result<()> {
        let messages = &mut self.current.as_mut().expect("a step").messages;
        // SAFETY: the places of expected messages are valid until their operations have an outcome.
        match unsafe { messages.receive(means, moved)? } {
            Some((message, Ended::Complete)) => {
                self.call_status.merge(message.call_status());
                self.fault = self.fault.clone().and(message.check_len());
                Ok(())
            }
            Some((_, Ended::ByPartner(error))) => self.call_status.note(Err(error)),
            None => Ok(()),
        }
    }

    /// Advances the sending of a step.
    fn send(&mut self, means: Means<'_>, moved: &mut bool) -> Result<()> {
        let messages = &mut self.current.as_mut().expect("a step").messages;
        // SAFETY: the memory of the program is valid until this operation has an outcome, and the blocks to send change only
        // at the end of a step. The places of expected messages are valid until their operations have an outcome.
        match unsafe { messages.send(means, moved)? } {
            Some(Ended::ByPartner(error)) => self.call_status.note(Err(error)),
            Some(Ended::Complete) | None => Ok(()),
        }
    }

    /// Ends a step of which both ends are complete.
    fn finish(&mut self) {
        let Current { combine, own, .. } = self.current.take().expect("a step");
        if !self.call_status.is_good() || self.fault.is_err() {
            return;
        }
        if let Some(Combination { own, len, before }) = combine.filter(|it| it.len > 0) {
            let received = self.work.as_ptr().cast::<u8>();
            let (left, right) =
                if before { (received, own.cast_const()) } else { (own.cast_const(), received) };
            // SAFETY: both hold `len` bytes of elements.
            unsafe { self.combine(own, left, right, len) };
        }
        let block = |block: usize| self.program.bytes(self.pass, &(block..block + 1));
        match own {
            // SAFETY: two different blocks of the program, which have the same length.
            Some(LocalStep::Copy { from, to }) => unsafe {
                let (to, len) = block(to);
                std::ptr::copy_nonoverlapping(block(from).0, to, len);
            },
            // SAFETY: two different blocks of the program, which have the same number of elements.
            Some(LocalStep::Combine { left, right }) => unsafe {
                let (right, len) = block(right);
                self.combine(right, block(left).0, right, len);
            },
            None => {}
        }
    }

    /// Combines `len` bytes of elements.
    ///
    /// # Safety
    /// Those of [`super::Combine::two`].
    unsafe fn combine(&self, dst: *mut u8, left: *const u8, right: *const u8, len: usize) {
        let combine = self.program.combine.as_ref().expect("a reduction has an operation");
        // SAFETY: all three are valid for `len` bytes (contract above).
        unsafe { combine.two(dst, left, right, len) };
    }

    fn name(&mut self, partner: Rank, direction: usize) -> Name {
        let known = self.numbers.iter().position(|(rank, _)| *rank == partner);
        let at = known.unwrap_or_else(|| {
            self.numbers.push((partner, [0; 2]));
            self.numbers.len() - 1
        });
        let next = &mut self.numbers[at].1[direction];
        let number = *next;
        *next += 1;
        Name { partner, set: self.set, sequence: self.sequence, number }
    }
}
