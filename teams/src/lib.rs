//! Executing sets: task regions and teams are entered and left here.
//!
//! Every image has a stack of *executing sets* ([`xmp_core::image_set::Stack`]); the set on top is the one that
//! image indices, barriers and collectives refer to, and that allocates. Two things push one: [`task`], a region for
//! some of the executing images, given by formula; and [`change`], which enters a [`Team`] that [`form`] has made of
//! what all images said. Read `README.md` beside this crate first.
//!
//! | to find | open |
//! |---|---|
//! | FORM TEAM: what is exchanged | [`fn@form`], after failures [`form_active`] |
//! | members of teams | [`mod@split`] (pure), and how images store them: `siblings.rs`, `table.rs` |
//! | CHANGE TEAM and END TEAM | [`change`], [`end`], [`within`] |
//! | SYNC TEAM | [`fn@sync`] |
//! | GET_TEAM, TEAM_NUMBER, sibling teams | [`Team`] |
//! | which coarrays `TEAM=` may be used with | `established.rs` |
//! | which images of a set, by formula | [`Selection`] |
//! | running a function on them | [`fn@task`] |

mod change;
mod established;
mod form;
mod region_guard;
mod selection;
mod siblings;
pub mod split;
mod sync;
mod table;
mod task;
mod team;

pub use change::{EndTeamOutcome, change, change_active, end, end_active, within};
pub use established::holders;
pub use form::{form, form_active};
pub use selection::Selection;
pub use sync::{sync, sync_active};
pub use table::bytes as table_bytes;
pub use task::task;
pub use team::Team;
