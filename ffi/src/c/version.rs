//! The properties of the library itself: its version, and the threads that may call it.

use std::ffi::{c_char, c_int};

/// A part of the version, which Cargo gives as a text.
const fn number(text: &str) -> c_int {
    let (bytes, mut value, mut at) = (text.as_bytes(), 0, 0);
    while at < bytes.len() {
        value = 10 * value + (bytes[at] - b'0') as c_int;
        at += 1;
    }
    value
}

/// `XMPRT_VERSION` of the library.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_version() -> c_int {
    const MAJOR: c_int = number(env!("CARGO_PKG_VERSION_MAJOR"));
    const MINOR: c_int = number(env!("CARGO_PKG_VERSION_MINOR"));
    const PATCH: c_int = number(env!("CARGO_PKG_VERSION_PATCH"));
    10_000 * MAJOR + 100 * MINOR + PATCH
}

/// The version as a text.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_version_text() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// The thread level: `XMPRT_THREADS_MULTIPLE`, which the lock of the image provides whatever the job is.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_thread_level() -> c_int {
    const MULTIPLE: c_int = 3;
    MULTIPLE
}
