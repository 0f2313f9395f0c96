//! Coarrays for Rust programs: typed handles over the blocks, transfers and synchronisation that the doors of
//! compilers use as well.
//!
//! | to find | open |
//! |---|---|
//! | making and freeing, this image's own part | `coarray` |
//! | put and get | `access` |
//! | which elements | `section` |
//! | what all images agree on when they make or free something | `symmetric` |
//! | statements and collective subroutines as methods of an image | `statements` |

mod access;
mod atomic;
mod coarray;
mod element;
mod event;
mod index;
mod lock;
mod operand;
mod section;
mod statements;
mod symmetric;

pub use atomic::{AtomicCoarray, AtomicInteger};
pub use coarray::Coarray;
pub use element::Element;
pub use event::Event;
pub use lock::{Lock, LockGuard};
pub use operand::Operand;
pub use section::Section;
pub use statements::Statements;
