//! Errors of directives. They end the job, because generated code expects no outcome.

pub use crate::global::{DirectiveError, Outcome};
use crate::process::{enter, run_time_error};
use xmp_core::Error;

/// Returns the result of `body`. If it fails, the job ends with a message about `operation`.
#[inline]
pub fn done<T>(operation: &str, body: impl FnOnce() -> Outcome<T>) -> T {
    let _entered = enter();
    match body() {
        Ok(value) => value,
        Err(wrong) => failed(operation, wrong),
    }
}

#[cold]
fn failed(operation: &str, wrong: DirectiveError) -> ! {
    run_time_error(operation, &without_name(operation, wrong.error()))
}

/// The error without the name of the operation at its beginning, which errors of global-view operations have: the message has the name
/// in front of it.
fn without_name(operation: &str, error: Error) -> Error {
    let Error::Invalid(text) = &error else { return error };
    match text.strip_prefix(operation).and_then(|rest| rest.strip_prefix(": ")) {
        Some(rest) => Error::Invalid(rest.into()),
        None => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_is_named_once() {
        let of = |text: &str| without_name("reflect", Error::Invalid(text.into())).to_string();
        assert_eq!(of("reflect: a width of -1"), "a width of -1");
        assert_eq!(of("reflected: a width of -1"), "reflected: a width of -1");
        assert_eq!(of("a width of -1"), "a width of -1");
        let other = Error::JobEnding;
        assert_eq!(without_name("reflect", other.clone()), other);
    }
}
