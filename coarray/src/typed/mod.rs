//! Coarrays for Rust programs: typed handles over the blocks, transfers and synchronisation that the front ends of
//! compilers use as well.
//!
//! | to find | open |
//! |---|---|
//! | making and freeing, this image's own part | `coarray` |
//! | put and get | `access` |
//! | which elements | `section` |
//! | which image: of the executing set, of a team, of one beside it | `index` |
//! | what executes statements, and which images exist: traits that no other crate can name | `party` |
//! | agreement on memory that images make or free together, and on the images that have it | `symmetric` |
//! | statements and collective subroutines as methods of an image, or on a team | `statements`, `on_team` |
//! | collectives with a part for each image | `exchanges` |
//! | collectives of all images up to this one | `scans` |
//! | collectives that are waited for later | `background` |
//! | task regions and teams | `regions` |
//! | where the program has called what failed | `called` |

mod access;
mod atomic;
mod background;
mod call_site;
mod coarray;
mod event;
mod exchanges;
mod index;
mod lock;
mod on_team;

mod operand;
mod operation;
mod party;
mod regions;
mod scans;
mod section;
mod statements;
mod symmetric;

pub use atomic::{AtomicCoarray, AtomicInteger, AtomicNumber};
pub use background::Background;
pub(crate) use call_site::called;
pub use coarray::Coarray;
pub use event::Event;
pub use exchanges::Exchanges;
pub use index::{Coindex, Sibling};
pub use lock::{Lock, LockGuard};
pub use on_team::OnTeam;
pub use operand::Operand;
pub(crate) use party::Party;
pub use regions::Regions;
pub use scans::Scans;
pub use section::Section;
pub use statements::Statements;
