//! Start and end of a program: `prif_init`, `prif_stop`, `prif_error_stop`, `prif_fail_image` and stop callbacks.

use super::arrays::Text;
use super::dummies::{Procedure, StopCallback};
use super::outcome::stat;
use super::table::procedures;
use crate::entry::{decode, entries};
use crate::process;
use std::cell::Cell;
use std::ffi::{c_char, c_int};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use xmp_core::Error;

/// Whether `prif_init` was called.
static INITIALISED: AtomicBool = AtomicBool::new(false);

/// The registered callbacks.
static CALLBACKS: Mutex<Vec<StopCallback>> = Mutex::new(Vec::new());

procedures! {
    /// Starts this image. `stat` becomes 0, or PRIF_STAT_ALREADY_INIT after the first call: compilers call it once for
    /// each source file with coarrays, before and in the main program.
    entered fn init(stat: &Cell<c_int>) {
        let again = INITIALISED.swap(true, Ordering::Relaxed);
        stat.set(if again { stat::ALREADY_INIT } else { stat::OK });
        Ok(())
    }

    /// STOP: normal termination of the image, with `stop_code_int` as exit status. Unless it is `quiet` the code is
    /// printed to standard error.
    module fn stop(quiet: &bool, stop_code_int: Option<&c_int>, stop_code_char: Option<&Text>) {
        stop_with(&Stop { error: false, quiet: *quiet, code: stop_code_int, text: stop_code_char.map(Text::characters) })
    }

    /// ERROR STOP: error termination of all images, with `stop_code_int` as exit status, or 1.
    module fn error_stop(quiet: &bool, stop_code_int: Option<&c_int>, stop_code_char: Option<&Text>) {
        stop_with(&Stop { error: true, quiet: *quiet, code: stop_code_int, text: stop_code_char.map(Text::characters) })
    }

    /// FAIL IMAGE: this image ends and is a failed image from then on.
    fast fn fail_image() {
        process::fail_image(process::any_thread())
    }

    /// Has `callback` be called at prif_stop and prif_error_stop, before the image ends. Later callbacks are called
    /// first.
    external fn register_stop_callback(callback: &Procedure<StopCallback>) {
        let missing = || Error::Invalid("callback is not associated".into());
        let callback = callback.0.ok_or_else(missing)?;
        CALLBACKS.lock().unwrap_or_else(PoisonError::into_inner).push(callback);
        Ok(())
    }
}

entries! {
    /// `prif_stop` as flang calls it: a text is an address and a length.
    fn _QMprifPprif_stop(quiet: &bool, code: Option<&c_int>, text: *const c_char, len: usize)
    where characters = decode::characters(text, len)
    {
        let text = (!text.is_null()).then_some(characters);
        stop_with(&Stop { error: false, quiet: *quiet, code, text })
    }

    /// `prif_error_stop` as flang calls it.
    fn _QMprifPprif_error_stop(quiet: &bool, code: Option<&c_int>, text: *const c_char, len: usize)
    where characters = decode::characters(text, len)
    {
        let text = (!text.is_null()).then_some(characters);
        stop_with(&Stop { error: true, quiet: *quiet, code, text })
    }
}

/// A STOP or ERROR STOP.
struct Stop<'a> {
    error: bool,
    quiet: bool,
    code: Option<&'a c_int>,
    text: Option<&'a [u8]>,
}

/// Calls the callbacks, prints the code and ends the image.
fn stop_with(stop: &Stop<'_>) -> ! {
    let &Stop { error, quiet, code, text } = stop;
    // A callback may stop, too: then those that were registered before it are called.
    while let Some(callback) = next_callback() {
        let (start, len) = text.map_or((std::ptr::null(), 0), |text| (text.as_ptr(), text.len()));
        callback(&error, &quiet, code, start, len);
    }
    let status = match (text, code) {
        (None, Some(&code)) => code,
        _ => c_int::from(error),
    };
    let number = code.map(c_int::to_string);
    let said = text.or(number.as_ref().map(String::as_bytes));
    if error {
        let line = process::stop_line("ERROR STOP ", said.unwrap_or_default());
        process::error_stop(status, (!quiet).then_some(line))
    }
    // END PROGRAM prints nothing.
    if let Some(said) = said.filter(|_| !quiet) {
        process::print_stop("STOP ", said);
    }
    process::stop(status)
}

/// Takes the callback that was registered last.
fn next_callback() -> Option<StopCallback> {
    CALLBACKS.lock().unwrap_or_else(PoisonError::into_inner).pop()
}
