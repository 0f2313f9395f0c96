//! The global view of XcalableMP for all front ends: nodes, templates and distributed arrays as one image has them, the
//! executing nodes, and the meaning of references. `xmp_core::global` has the mappings and `xmp_collectives::global`
//! the operations; front ends add entry functions.

mod argument_mapping;
mod array;
mod asynchronous;
mod coarray;
mod dim;
mod error;
pub mod executing;
pub mod fast_reduction;
pub mod fixed;
pub mod gmove;
mod gmove_operand;
pub mod images;
pub mod io;
pub mod lock;
mod nodes;
mod objects;
pub mod post;
mod references;
mod sizes;
mod template;
pub mod transfer;

pub use argument_mapping::check as check_argument;
pub use array::ArrayObject;
pub use asynchronous::{pending, plans};
pub use coarray::{Bytes, CoarrayObject, Triplet as CoarrayTriplet};
pub use dim::{Alignment, Dim};
pub use error::{DirectiveError, Outcome};
pub use gmove_operand::GmoveOperand;
pub use nodes::{Equivalence, NodeSet, all_execute};
pub use objects::{Described, Descriptor, Object, hand_out};
pub use references::{References, are_equal};
pub use sizes::sized;
pub use template::{Subscripts, TemplateObject, Triplets, subscripts};
