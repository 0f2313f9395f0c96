//! Requests: operations that have begun and are waited for later.

use super::argument::{OutputList, null, place};
use super::memory::blocks_of_team;
use super::outcome::{RequestError, functions, outcome, waited};
use crate::process::{self, FrontEnd, Handles, Instance, OfImage, instance};
use std::cell::{Cell, RefCell};
use std::ffi::c_int;
use std::ops::Range;
use xmp_collectives::nonblocking::{Handle, Pending, wait_for_any};
use xmp_core::transport::FlushScope;
use xmp_core::{Error, Rank, Result};
use xmp_source::{Modules, Statement, innermost_callers};

/// `xmprt_request`: the handle of an operation, 0 for none.
pub type RequestHandle = i64;

/// An operation that has begun.
struct Request {
    /// The function that has begun it.
    function: &'static str,
    /// The return addresses of the statement, if calls are checked.
    callers: Vec<usize>,
    progress: Progress,
}

/// The progress of an operation that the program has not waited for.
enum Progress {
    /// It goes on, or [`Handle::wait`] has to complete it.
    Begun(Handle<'static, ()>),
    /// A thread completes it, because its memory is about to be freed.
    Completing,
    /// It was completed before its memory was freed.
    Completed(Result<()>),
}

/// Return addresses that are kept of a statement.
const MAX_CALLERS: usize = 12;

impl Request {
    /// Waits for the operation; an error names the function and, where it is known, the statement.
    fn wait(self) -> Outcome {
        let Request { function, callers, progress } = self;
        let outcome = match progress {
            Progress::Begun(operation) => operation.wait(),
            Progress::Completing => Err(Error::Invalid(
                "another thread of this image frees the memory of the operation".into(),
            )),
            Progress::Completed(outcome) => outcome,
        };
        outcome.map_err(|error| {
            let modules = || Modules::of_this_process().ok();
            let place = || Statement::of_thread(&modules()?, &callers).0?.place();
            RequestError { error, begun: Some((function, place())) }
        })
    }
}

/// The outcome of a wait.
type Outcome<T = ()> = std::result::Result<T, RequestError>;

/// The operations that have begun and not been waited for.
static REQUESTS: OfImage<RefCell<Handles<Request>>> = OfImage::new(RefCell::new(Handles::new()));

/// Memory that is about to be freed is used by no operation any more: otherwise its result would be written to what is allocated there
/// next.
static FRONT_END: FrontEnd = FrontEnd { leaving, freeing, ..FrontEnd::IDLE };

/// Completes the operations that use a block of this image. The program gets their outcomes when it waits for them.
fn freeing(instance: &Instance, block: &Range<u64>) {
    if REQUESTS.of(instance).borrow().is_empty() {
        return;
    }
    let start = instance.image.own_segment().addr() + block.start as usize;
    let block = start..start + (block.end - block.start) as usize;
    let uses_it = |request: &Request| match &request.progress {
        Progress::Begun(operation) => operation.uses(&block),
        Progress::Completing | Progress::Completed(_) => false,
    };
    loop {
        let requests = REQUESTS.of(instance);
        let Some(number) = requests.borrow().find(uses_it) else { return };
        let pending = match requests.borrow().get(number).map(|request| &request.progress) {
            Some(Progress::Begun(operation)) => operation.pending(),
            _ => continue,
        };
        if let Err(error) = wait_for_any(&instance.image, &[pending]) {
            // The job ends, which the next wait of the caller reports.
            tracing::debug!(%error, "operations on a block that is freed");
            return;
        }
        let change = |to: Progress| {
            let mut requests = requests.borrow_mut();
            requests.get_mut(number).map(|request| std::mem::replace(&mut request.progress, to))
        };
        // Another thread may have waited for it meanwhile.
        if let Some(Progress::Begun(operation)) = change(Progress::Completing) {
            let outcome = operation.wait();
            change(Progress::Completed(outcome));
        }
    }
}

/// Completes the operations that use blocks of the team that is about to be left.
fn leaving(instance: &Instance) {
    if REQUESTS.of(instance).borrow().is_empty() {
        return;
    }
    blocks_of_team(instance).iter().for_each(|block| freeing(instance, block));
}

/// Begins an operation and gives its handle to the program.
pub fn begin(
    function: &'static str,
    request: Option<&Cell<RequestHandle>>,
    operation: impl FnOnce() -> Result<Handle<'static, ()>>,
) -> c_int {
    outcome(function, || {
        let request = place(request, "request")?;
        process::register(&FRONT_END)?;
        let operation = operation()?;
        let instance = instance();
        let is_checked = instance.image.settings().check.calls;
        let callers = if is_checked { innermost_callers(MAX_CALLERS) } else { Vec::new() };
        let begun = Request { function, callers, progress: Progress::Begun(operation) };
        let handle = REQUESTS.of(instance).borrow_mut().insert(begun);
        request.set(handle as RequestHandle);
        Ok(())
    })
}

/// The upper half of the handles of puts that were begun; the lower half is the rank of the other image. Handles of tables have
/// another one, which is no address of a program either.
const PUT: i64 = 0x7ea4 << 48;

/// The handle of a put to an image of another host. It is complete with all earlier ones to that image.
pub fn begun_put(to: Rank) -> RequestHandle {
    PUT | i64::from(to.get())
}

/// The image that a put with this handle was begun to.
fn put_to(number: RequestHandle) -> Option<Rank> {
    let rank = u32::try_from(number ^ PUT).ok()?;
    ((rank as usize) < instance().image.job().images()).then(|| Rank::new(rank))
}

/// Waits for the operation that `request` names, if any, and takes it out of the table.
fn finish(request: &Cell<RequestHandle>) -> Outcome {
    let number = request.get();
    if number == 0 {
        return Ok(());
    }
    if let Some(rank) = put_to(number) {
        request.set(0);
        let outcome = instance().image.transport().flush(FlushScope::Target(rank));
        let begun = Some(("xmprt_begin_put", None));
        return outcome.map_err(|error| RequestError { error, begun });
    }
    let begun = REQUESTS.of(instance()).borrow_mut().remove(number as u64);
    let begun = begun.ok_or_else(|| unknown(number))?;
    request.set(0);
    begun.wait()
}

fn unknown(number: RequestHandle) -> Error {
    Error::Invalid(format!("{number:#x} is not a request"))
}

/// The operations of a program's list.
fn list<'a>(
    requests: &OutputList<RequestHandle>,
    count: usize,
) -> Result<&'a [Cell<RequestHandle>]> {
    match requests.of(count) {
        None if count > 0 => Err(null("requests")),
        requests => Ok(requests.unwrap_or_default()),
    }
}

/// The state of an operation.
enum State {
    None,
    Complete,
    Pending(Pending),
}

fn state(number: RequestHandle) -> Result<State> {
    Ok(match REQUESTS.of(instance()).borrow().get(number as u64) {
        // The wait returns the error of an operation.
        Some(Request { progress: Progress::Begun(operation), .. })
            if operation.test() == Ok(false) =>
        {
            State::Pending(operation.pending())
        }
        Some(_) => State::Complete,
        None if number == 0 => State::None,
        // The server of the other host executes it, whatever its image does.
        None if put_to(number).is_some() => State::Complete,
        None => return Err(unknown(number)),
    })
}

/// Waits until some operations of a list are complete. Returns their numbers; none if there is no operation.
fn some_complete(requests: &[Cell<RequestHandle>]) -> Result<Vec<usize>> {
    loop {
        let (mut complete, mut pending) = (Vec::new(), Vec::new());
        for (number, request) in requests.iter().enumerate() {
            match state(request.get())? {
                State::None => {}
                State::Complete => complete.push(number),
                State::Pending(operation) => pending.push(operation),
            }
        }
        if !complete.is_empty() || pending.is_empty() {
            return Ok(complete);
        }
        wait_for_any(&instance().image, &pending)?;
    }
}

functions! {
    by waited => Outcome;
    /// Waits for an operation.
    fn xmprt_wait(request: Option<&Cell<RequestHandle>>) {
        finish(place(request, "request")?)
    }

    /// Waits for several operations, also after an error; that is the first one.
    fn xmprt_wait_all(requests: OutputList<RequestHandle>, count: usize) {
        list(&requests, count)?.iter().map(finish).fold(Ok(()), Outcome::and)
    }

    /// Waits for one of several operations.
    fn xmprt_wait_any(requests: OutputList<RequestHandle>, count: usize, index: Option<&Cell<usize>>) {
        let (index, requests) = (place(index, "index")?, list(&requests, count)?);
        let Some(&first) = some_complete(requests)?.first() else {
            index.set(count);
            return Ok(());
        };
        index.set(first);
        finish(&requests[first])
    }

    /// Waits for some of several operations.
    fn xmprt_wait_some(
        requests: OutputList<RequestHandle>, count: usize, indices: OutputList<usize>, found: Option<&Cell<usize>>,
    ) {
        let (found, requests) = (place(found, "found")?, list(&requests, count)?);
        let room = match indices.of(count) {
            None if count > 0 => return Err(null("indices").into()),
            room => room.unwrap_or_default(),
        };
        let complete = some_complete(requests)?;
        found.set(complete.len());
        room.iter().zip(&complete).for_each(|(cell, &number)| cell.set(number));
        complete.iter().map(|&number| finish(&requests[number])).fold(Ok(()), Outcome::and)
    }

    /// Looks whether an operation is complete.
    fn xmprt_test(request: Option<&Cell<RequestHandle>>, complete: Option<&Cell<c_int>>) {
        let (request, complete) = (place(request, "request")?, place(complete, "complete")?);
        let pending = matches!(state(request.get())?, State::Pending(_));
        complete.set((!pending).into());
        if pending { Ok(()) } else { finish(request) }
    }
}
