//! Errors of operations of the global view: an error of the runtime, or of a mapping.

use xmp_core::Error;
use xmp_core::global::MappingError;

/// The error of a directive.
pub enum DirectiveError {
    /// An error of the runtime.
    Error(Error),
    /// A mapping that makes no sense.
    Mapping(MappingError),
}

impl From<Error> for DirectiveError {
    fn from(error: Error) -> DirectiveError {
        DirectiveError::Error(error)
    }
}

impl From<MappingError> for DirectiveError {
    fn from(error: MappingError) -> DirectiveError {
        DirectiveError::Mapping(error)
    }
}

impl DirectiveError {
    /// Another error, in words.
    pub fn because(why: impl Into<String>) -> DirectiveError {
        DirectiveError::Error(Error::Invalid(why.into()))
    }

    /// Converts it to an error of the runtime. The text of a mapping error begins with `what`, unless that is empty.
    pub fn error(self) -> Error {
        match self {
            DirectiveError::Error(error) => error,
            DirectiveError::Mapping(error) => Error::Invalid(error.to_string()),
        }
    }
}

impl DirectiveError {
    /// The error; the text of a mapping error begins with `what`.
    pub fn of(self, what: &'static str) -> Error {
        match self {
            DirectiveError::Error(error) => error,
            DirectiveError::Mapping(error) => error.of(what),
        }
    }
}

impl From<DirectiveError> for Error {
    fn from(wrong: DirectiveError) -> Error {
        wrong.error()
    }
}

/// A result of the global view.
pub type Outcome<T = ()> = Result<T, DirectiveError>;
