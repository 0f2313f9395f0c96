//! Files that the images of a set read and write together (XcalableMP 1.4, appendix on I/O).
//!
//! An image sees the file through a *view*: the bytes of its elements of a section, from a displacement on, and again
//! after the section. Accesses of all images go through a *collective buffer*: the range of the file that they access
//! is cut into a domain for some of the images, which exchange the bytes and read or write large contiguous pieces.
//!
//! ```text
//! view.rs        the place in the file of each byte that an image sees; pure
//! views.rs       the views of all images, of a section
//! domains.rs     the domains and the pieces that are buffered at a time; pure
//! memory.rs      the bytes of an image: plain memory, or its part of a section
//! buffer.rs      a piece of the file in memory, and which of its bytes are known
//! positioned.rs  reads and writes of one image
//! collective.rs  reads and writes of all images through the collective buffer
//! whole.rs       a section as a whole on one image, which reads and writes for all
//! open.rs        opening, synchronising and closing
//! failure.rs     errors, which are the same on all images
//! ```

mod buffer;
mod collective;
mod domains;
mod failure;
mod memory;
mod open;
mod positioned;
mod view;
mod views;
mod whole;

pub use collective::{Access, FileGroup, FileTransfer, read_all, write_all};
pub use failure::{Failure, Outcome, agree};
pub use memory::Memory;
pub use open::{How, close, open, size, sync};
pub use positioned::{read, write};
pub use view::View;
pub use views::{Views, is_writer};
pub use whole::{collect, spread};
