//! What a debugger says of an image.

/// The stack of an image, as the debugger on its host has written it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackText {
    /// The image, from 1.
    pub image: u32,
    /// The number of its process there.
    pub process: u32,
    /// What the debugger has written to standard output.
    pub text: String,
    /// And to standard error.
    pub errors: String,
}
