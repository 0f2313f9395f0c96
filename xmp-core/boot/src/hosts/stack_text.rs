//! The output of a debugger about an image.

/// The stack of an image, as the debugger on its host has written it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackText {
    /// The image, from 1.
    pub image: u32,
    /// The number of its process there.
    pub process: u32,
    /// The standard output of the debugger.
    pub text: String,
    /// The standard error.
    pub errors: String,
}
