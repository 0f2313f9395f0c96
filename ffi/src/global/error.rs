//! Errors of operations of the global view: an error of the runtime, or of a mapping.

use xmp_core::Error;
use xmp_core::global::MappingError;

/// The error of a directive.
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

    /// Converts it to an error of the runtime. The text of a mapping error begins with `what`, unless that is empty.
    pub fn error(self) -> Error {
        match self {
            Wrong::Error(error) => error,
            Wrong::Mapping(error) => Error::Invalid(error.to_string()),
        }
    }
}

impl Wrong {
    /// The error; the text of a mapping error begins with `what`.
    pub fn of(self, what: &'static str) -> Error {
        match self {
            Wrong::Error(error) => error,
            Wrong::Mapping(error) => error.of(what),
        }
    }
}

impl From<Wrong> for Error {
    fn from(wrong: Wrong) -> Error {
        wrong.error()
    }
}

/// A result of the global view.
pub type Outcome<T = ()> = Result<T, Wrong>;
