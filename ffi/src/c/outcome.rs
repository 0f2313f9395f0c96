//! The outcome of an entry function: an error code, and the text of the last error. The macros `functions!` and
//! `inquiries!` declare entry functions by it.

use crate::process::{self, enter};
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int};
use xmp_core::job::page::ImageState;
use xmp_core::{Error, ErrorKind, Result};

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

/// What a code says.
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

thread_local! {
    /// The text of the last error.
    static MESSAGE: RefCell<CString> = RefCell::default();
    /// The last error.
    static LAST: RefCell<Option<Error>> = const { RefCell::new(None) };
}

/// The code of the result of `body`, which is executed within [`enter`]; [`xmprt_message`] gets the text of an error of
/// `function`.
pub fn outcome(function: &str, body: impl FnOnce() -> Result<()>) -> c_int {
    let _entered = enter();
    match body() {
        Ok(()) => code::OK,
        Err(error) => failed(function, &error),
    }
}

/// The value of an inquiry, or 0; as [`outcome`].
pub fn inquired<T: Default>(function: &str, body: impl FnOnce() -> Result<T>) -> T {
    let _entered = enter();
    body().unwrap_or_else(|error| {
        failed(function, &error);
        T::default()
    })
}

#[cold]
fn failed(function: &str, error: &Error) -> c_int {
    process::recoverable(function, error);
    let text = format!("{function}: {error}").replace('\0', "?");
    MESSAGE.set(CString::new(text).expect("zeros were replaced"));
    LAST.set(Some(error.clone()));
    code_of(error)
}

/// The text of the program at an address.
pub fn text(of: *const c_char) -> String {
    // SAFETY: the contract of entries: there is a text with a zero at its end.
    let text = (!of.is_null()).then(|| unsafe { CStr::from_ptr(of) });
    text.unwrap_or_default().to_string_lossy().into_owned()
}

/// Ends the job because of the last error, in a statement of a translated program: what it does, and where it is, if that
/// is not null. An error that names what is done begins with it, as the message does.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_fail(what: *const c_char, file: *const c_char, line: c_int) -> ! {
    fail(&text(what), (!file.is_null()).then(|| format!("{}:{line}", text(file))))
}

/// The same, with the place as `file:line`, if that is known.
pub fn fail(what: &str, place: Option<String>) -> ! {
    let error = LAST.take().unwrap_or_else(|| Error::Invalid("there was no error".into()));
    let error = match &error {
        Error::Invalid(text) => match text.strip_prefix(&format!("{what}: ")) {
            Some(rest) => Error::Invalid(rest.into()),
            None => error,
        },
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
    // The text stays where it is until the next one is set.
    MESSAGE.with_borrow(|message| message.as_ptr())
}

/// Declares functions that return the code of their outcome.
macro_rules! functions {
    ($(
        $(#[$doc:meta])*
        fn $name:ident($($argument:ident: $type:ty),* $(,)?) $body:block
    )*) => { $(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($argument: $type),*) -> std::ffi::c_int {
            $crate::c::outcome::outcome(stringify!($name), || -> xmp_core::Result<()> { $body })
        }
    )* };
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

pub(in crate::c) use {functions, inquiries};
