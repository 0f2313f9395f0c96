//! A simulator: the time that operations take on machines that are not at hand, for any number of images.
//!
//! Collectives ([`collectives`]) run the schedules and plans that images execute ([`xmp_collectives::plan`]), chosen by
//! the same tables ([`xmp_collectives::select`]). Between hosts every message is an event with the costs of LogGP
//! ([`costs`], [`engine`]). Within a host memory moves and no messages: the model of that is [`host`]. Requests to
//! communication servers ([`requests`]) run the protocol of the servers ([`xmp_core::cooperation`]). [`footprint`]
//! computes the memory that the teams of one FORM TEAM take.
//!
//! The simulator does not model noise, routes in a network, the size of channels, or caches beyond a price for each
//! byte. `./x bench teams` measures how far it is from a machine at hand.

pub mod collectives;
pub mod costs;
pub mod engine;
pub mod footprint;
pub mod host;
pub mod layout;
pub mod requests;
pub mod steps;
pub mod techniques;

pub use collectives::{Outcome, Simulation};
pub use costs::Costs;
pub use engine::Traffic;
pub use footprint::Footprint;
pub use layout::Layout;
pub use techniques::Techniques;
