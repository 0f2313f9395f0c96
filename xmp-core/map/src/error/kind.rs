//! Kinds of errors, by which programs decide what to do.

/// The kind of an [`Error`](super::Error), for programs that decide by it. Later versions may add kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An image that the operation needs has begun normal termination.
    StoppedImage,
    /// An image that the operation needs has failed; or one that held a lock.
    FailedImage,
    /// No image is left that could end the wait.
    NoImageLeft,
    /// The job is in error termination.
    JobEnding,
    /// An argument is wrong: an index, a length, a section, a number of a team.
    Argument,
    /// There is no memory, here or on another image; or a size cannot be represented.
    Memory,
    /// A lock variable is not in the state that the operation needs.
    Lock,
    /// Another thread of the image executes an operation that excludes this one.
    AnotherThread,
    /// A setting has an invalid value.
    Setting,
    /// The operating system or the network has refused; `source()` is a [`SystemError`](super::SystemError) if the system has given the reason.
    System,
}
