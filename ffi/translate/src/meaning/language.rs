//! The differences between the languages in directives and in messages.

use std::borrow::Cow;

/// The language of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C, with square brackets and indices from 0.
    C,
    /// Fortran, in which case has no meaning.
    Fortran,
}

impl Language {
    /// The statement that counts a variable.
    pub fn counting(self) -> &'static str {
        match self {
            Self::C => "for",
            Self::Fortran => "do",
        }
    }

    /// The beginning of a directive.
    pub fn sentinel(self) -> &'static str {
        match self {
            Self::C => "#pragma xmp",
            Self::Fortran => "!$xmp",
        }
    }

    /// The greatest number of dimensions.
    pub fn max_dims(self) -> usize {
        match self {
            Self::C => 7,
            Self::Fortran => 15,
        }
    }

    /// The place where a directive can declare an object that another one names.
    pub fn scopes(self) -> &'static str {
        match self {
            Self::C => "in this block, around it or outside of functions",
            Self::Fortran => "in this scope, around it or in a module that it uses",
        }
    }

    /// An expression in which equal names are spelled alike.
    pub fn folded(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::C => text.into(),
            Self::Fortran => text.to_ascii_lowercase().into(),
        }
    }
}
