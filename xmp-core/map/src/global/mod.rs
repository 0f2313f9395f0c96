//! Mappings of the global view (XcalableMP 1.4, chapter 4): which node owns which elements, and where they are. Pure
//! arithmetic: no communication, no state. Read `README.md` beside this file.

pub mod absent;
pub mod array;
pub mod distribution;
pub mod error;
pub mod nodes;
pub mod positions;
pub mod progression;
pub mod runs;
pub mod schedule;
pub mod section;
pub mod sequence;
pub mod shadow;
pub mod template;

pub use absent::{Absent, Indices};
pub use array::{Align, Along, Array};
pub use distribution::{Axis, Format};
pub use error::MappingError;
pub use nodes::{Coords, Kind, Nodes, Order, Size, Subscript};
pub use positions::Positions;
pub use progression::Progression;
pub use runs::Runs;
pub use schedule::{Loop, Widths};
pub use section::{Pick, Section};
pub use sequence::Sequence;
pub use shadow::Shadow;
pub use template::{Distribution, Template};
