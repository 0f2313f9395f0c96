//! Errors of directives. They end the job, because generated code expects no outcome.

use crate::process::{enter, run_time_error};
use xmp_core::Error;
use xmp_core::global::MappingError;

/// What went wrong in a directive.
pub enum Wrong {
    /// An error of the runtime.
    Error(Error),
    /// A mapping that makes no sense.
    Mapping(MappingError),
}

impl From<Error> for Wrong {
    fn from(error: Error) -> Wrong {
        Wrong::Error(error)
    }
}

impl From<MappingError> for Wrong {
    fn from(error: MappingError) -> Wrong {
        Wrong::Mapping(error)
    }
}

impl Wrong {
    /// Another error, in words.
    pub fn because(why: impl Into<String>) -> Wrong {
        Wrong::Error(Error::Invalid(why.into()))
    }

    /// Converts it to an error of the runtime. A mapping error is about `what`, unless that is empty.
    pub fn error(self) -> Error {
        match self {
            Wrong::Error(error) => error,
            Wrong::Mapping(error) => Error::Invalid(error.to_string()),
        }
    }
}

/// A result in this front end.
pub type Outcome<T = ()> = Result<T, Wrong>;

/// What `body` returns; if it fails, the end of the job with a message about `operation`.
#[inline]
pub fn done<T>(operation: &str, body: impl FnOnce() -> Outcome<T>) -> T {
    let _entered = enter();
    match body() {
        Ok(value) => value,
        Err(wrong) => failed(operation, wrong),
    }
}

#[cold]
fn failed(operation: &str, wrong: Wrong) -> ! {
    run_time_error(operation, &without_name(operation, wrong.error()))
}

/// The error where it does not begin with the name of the operation, as those of global-view operations do: the message
/// has the name in front of it.
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
