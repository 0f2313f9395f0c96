//! The outcome of an entry function: an error code, and the text of the last error. The macros `functions!` and
//! `inquiries!` declare entry functions by it.

use super::team_handle::named_team;
use crate::process::{self, enter};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::ffi::{CStr, c_char, c_int};
use std::sync::atomic::{AtomicBool, Ordering};
use xmp_core::error::after_operation;
use xmp_core::job::page::ImageState;
use xmp_core::{Error, ErrorKind, Result};

/// Declares functions that return the code of their outcome.
macro_rules! functions {
    // With another type of outcome, of which another function makes the code.
    (by $code:path => $result:ty; $(
        $(#[$doc:meta])*
        fn $name:ident($($argument:ident: $type:ty),* $(,)?) $body:block
    )*) => { $(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($argument: $type),*) -> std::ffi::c_int {
            $code(stringify!($name), || -> $result { $body })
        }
    )* };
    ($($function:tt)*) => {
        functions! { by $crate::c::outcome::outcome => xmp_core::Result<()>; $($function)* }
    };
}

/// Declares inquiries, which return their value, or 0 after an error.
macro_rules! inquiries {
    ($(
        $(#[$doc:meta])*
        fn $name:ident($($argument:ident: $type:ty),* $(,)?) -> $value:ty $body:block
    )*) => { $(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($argument: $type),*) -> $value {
            $crate::c::outcome::inquired(stringify!($name), || -> xmp_core::Result<$value> { $body })
        }
    )* };
}

/// `XMPRT_OK`.
pub const OK: c_int = 0;

/// The codes of `xmprt.h`.
mod code {
    use super::c_int;

    pub const OK: c_int = super::OK;
    pub const BAD_ARGUMENT: c_int = 1;
    pub const NO_MEMORY: c_int = 2;
    pub const STOPPED_IMAGE: c_int = 3;
    pub const FAILED_IMAGE: c_int = 4;
    pub const ERROR: c_int = 5;
    pub const LOCKED: c_int = 6;
    pub const LOCKED_OTHER_IMAGE: c_int = 7;
    pub const UNLOCKED: c_int = 8;
    pub const UNLOCKED_FAILED_IMAGE: c_int = 9;
}

/// The texts of the codes, in their order.
const TEXTS: [&CStr; 10] = [
    c"success",
    c"an argument is wrong, and nothing has happened",
    c"out of memory",
    c"an image that is needed has ended normally",
    c"an image that is needed has failed",
    c"error",
    c"this image holds the lock already",
    c"another image holds the lock",
    c"no image holds the lock",
    c"the lock was held by an image that has failed, and is held by this image now",
];

/// The meaning of a code.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_status_text(status: c_int) -> *const c_char {
    let text = usize::try_from(status).ok().and_then(|number| TEXTS.get(number));
    text.unwrap_or(&c"not an xmprt_status").as_ptr()
}

/// The code of a state of an image.
pub fn status_of_state(state: ImageState) -> c_int {
    match state {
        ImageState::Running => code::OK,
        ImageState::Stopped => code::STOPPED_IMAGE,
        ImageState::Failed => code::FAILED_IMAGE,
    }
}

fn code_of(error: &Error) -> c_int {
    match error {
        Error::Locked => return code::LOCKED,
        Error::LockedOtherImage(_) => return code::LOCKED_OTHER_IMAGE,
        Error::Unlocked => return code::UNLOCKED,
        Error::UnlockedFailedImage(_) => return code::UNLOCKED_FAILED_IMAGE,
        // A wait that no image can end.
        Error::NoImageLeft { failed: true, .. } => return code::FAILED_IMAGE,
        Error::NoImageLeft { failed: false, .. } => return code::STOPPED_IMAGE,
        _ => {}
    }
    match error.kind() {
        ErrorKind::StoppedImage => code::STOPPED_IMAGE,
        ErrorKind::FailedImage => code::FAILED_IMAGE,
        ErrorKind::Memory => code::NO_MEMORY,
        ErrorKind::Argument => code::BAD_ARGUMENT,
        _ => code::ERROR,
    }
}

/// The most bytes of a text that a thread keeps, with the zero at the end.
const LONGEST: usize = 4096;

thread_local! {
    /// The text of the last error, with a zero at its end. It stays at one place, so that a text that the program has asked for
    /// before an error is never memory that was freed: C may evaluate `xmprt_message()` before a call beside it.
    static MESSAGE: Box<[Cell<u8>]> = vec![Cell::new(0); LONGEST].into();
    /// The last error.
    static LAST: RefCell<Option<Error>> = const { RefCell::new(None) };
}

/// The code of the result of `body`, which is executed within [`enter`]; [`xmprt_message`] gets the text of an error of
/// `function`.
pub fn outcome(function: &str, body: impl FnOnce() -> Result<()>) -> c_int {
    let _entered = enter();
    match body() {
        Ok(()) => code::OK,
        Err(error) => failed(function, function, &error),
    }
}

/// The error of an operation that has begun, as the call that waits for it finds it.
#[derive(Debug)]
pub struct RequestError {
    /// The error.
    pub error: Error,
    /// The function that has begun the operation, and the statement where it is known; none if there is no operation.
    pub begun: Option<(&'static str, Option<String>)>,
}

impl From<Error> for RequestError {
    fn from(error: Error) -> RequestError {
        RequestError { error, begun: None }
    }
}

/// As [`outcome`], of a function that waits for operations: the text names the function that has begun the operation.
pub fn waited(
    function: &str,
    body: impl FnOnce() -> std::result::Result<(), RequestError>,
) -> c_int {
    let _entered = enter();
    let Err(RequestError { error, begun }) = body() else { return code::OK };
    match begun {
        None => failed(function, function, &error),
        Some((by, None)) => failed(&format!("{function}: {by}"), by, &error),
        Some((by, Some(place))) => failed(&format!("{function}: {by} at {place}"), by, &error),
    }
}

/// The value of an inquiry, or 0; as [`outcome`].
pub fn inquired<T: Default>(function: &str, body: impl FnOnce() -> Result<T>) -> T {
    let _entered = enter();
    body().unwrap_or_else(|error| {
        failed(function, function, &error);
        T::default()
    })
}

/// Whether an error ends the job, as `xmprt_errors` says.
static ERRORS_ARE_FATAL: AtomicBool = AtomicBool::new(false);

functions! {
    /// Sets the consequence of an error.
    fn xmprt_on_error(errors: c_int) {
        // Relaxed: threads that do not synchronise have no order.
        match errors {
            0 | 1 => ERRORS_ARE_FATAL.store(errors == 1, Ordering::Relaxed),
            _ => return Err(Error::Invalid(format!("{errors} is not an xmprt_errors"))),
        }
        Ok(())
    }
}

/// The text of an error, which names the team where an image index is one of it.
fn described(error: &Error) -> String {
    match error {
        Error::ImageIndex { .. } => match named_team() {
            Some(team) => format!("{error}, the images of {team}"),
            None => error.to_string(),
        },
        _ => error.to_string(),
    }
}

/// The code of an error of `operation`, which is described by `what` in messages.
#[cold]
fn failed(what: &str, operation: &str, error: &Error) -> c_int {
    if ERRORS_ARE_FATAL.load(Ordering::Relaxed) {
        process::run_time_error(what, &in_words_of(operation, error));
    }
    process::recoverable(what, error);
    set_message(&message(what, operation, &described(error)));
    LAST.set(Some(error.clone()));
    code_of(error)
}

/// The error that ends the job, with the text that [`xmprt_message`] would have after the name of the function.
fn in_words_of<'a>(function: &str, error: &'a Error) -> Cow<'a, Error> {
    match error {
        Error::Invalid(_) | Error::ImageIndex { .. } => {
            let text = described(error);
            Cow::Owned(Error::Invalid(without_operation(function, &text).into()))
        }
        _ => Cow::Borrowed(error),
    }
}

/// The text of an error of a function, which is described by `what`.
fn message(what: &str, function: &str, error: &str) -> String {
    format!("{what}: {}", without_operation(function, error))
}

/// The text of an error without the operation at its beginning, which the name of the function says already.
fn without_operation<'a>(function: &str, error: &'a str) -> &'a str {
    let rest = after_operation(function, &["xmprt_", "xmprt_co_", "xmprt_begin_co_"], error);
    let rest = rest.and_then(|rest| rest.strip_prefix(": ").or_else(|| rest.strip_prefix(", ")));
    rest.unwrap_or(error)
}

/// Keeps a text for [`xmprt_message`], as much of it as there is room for.
fn set_message(text: &str) {
    let mut end = text.len().min(LONGEST - 1);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let bytes = text.as_bytes()[..end].iter().map(|&byte| if byte == 0 { b'?' } else { byte });
    MESSAGE.with(|message| {
        message.iter().zip(bytes.chain([0])).for_each(|(cell, byte)| cell.set(byte))
    });
}

/// The text of the program at an address.
pub fn text(of: *const c_char) -> String {
    // SAFETY: the contract of entries: there is a text with a zero at its end.
    let text = (!of.is_null()).then(|| unsafe { CStr::from_ptr(of) });
    text.unwrap_or_default().to_string_lossy().into_owned()
}

/// Ends the job because of the last error, in a statement of a translated program. `what` describes the statement: its
/// operation, and its operands after a colon if they are known. The place may be null. A message that begins with the
/// operation is not given it twice.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_fail(what: *const c_char, file: *const c_char, line: c_int) -> ! {
    fail(&text(what), (!file.is_null()).then(|| format!("{}:{line}", text(file))))
}

/// The same, with the place as `file:line`, if that is known.
pub fn fail(what: &str, place: Option<String>) -> ! {
    let error = LAST.take().unwrap_or_else(|| Error::Invalid("there was no error".into()));
    let operation = what.split(": ").next().unwrap_or(what);
    let error = match &error {
        Error::Invalid(text) => {
            match after_operation(operation, &[""], text).and_then(|rest| rest.strip_prefix(": ")) {
                Some(rest) => Error::Invalid(rest.into()),
                None => error,
            }
        }
        _ => error,
    };
    match place {
        Some(place) => process::statement_failed(place, what, &error),
        None => process::run_time_error(what, &error),
    }
}

/// The text of the last error.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_message() -> *const c_char {
    MESSAGE.with(|message| message.as_ptr().cast())
}

pub(in crate::c) use {functions, inquiries};

#[cfg(test)]
mod tests {
    use super::{LONGEST, set_message, xmprt_message};
    use std::ffi::CStr;

    fn kept() -> String {
        // SAFETY: a text of this thread.
        unsafe { CStr::from_ptr(xmprt_message()) }.to_str().expect("whole characters").into()
    }

    #[test]
    fn a_message_says_its_operation_once() {
        let message = |function, error| super::message(function, function, error);
        assert_eq!(
            message("xmprt_co_gatherv", "gatherv: 1 lengths"),
            "xmprt_co_gatherv: 1 lengths"
        );
        assert_eq!(
            super::message("xmprt_wait: xmprt_begin_co_sum", "xmprt_begin_co_sum", "sum: 3 bytes"),
            "xmprt_wait: xmprt_begin_co_sum: 3 bytes"
        );
        let text = "xmprt_begin_co_alltoallv: to send: no";
        assert_eq!(message("xmprt_begin_co_alltoallv", "alltoallv, to send: no"), text);
        assert_eq!(message("xmprt_reflect", "reflect: width 9"), "xmprt_reflect: width 9");
        assert_eq!(message("xmprt_put", "putting: x"), "xmprt_put: putting: x");
    }

    #[test]
    fn the_text_of_a_thread_stays_at_one_place_and_ends_with_a_whole_character() {
        let place = xmprt_message();
        set_message("no zero: \0");
        assert_eq!((kept().as_str(), xmprt_message()), ("no zero: ?", place));
        set_message(&"\u{e9}".repeat(LONGEST));
        assert_eq!((kept().len(), xmprt_message()), (LONGEST - 2, place));
    }
}
