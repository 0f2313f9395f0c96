//! Directives and procedures that C and Fortran share: their work, and their entry functions in both languages.

mod asynchronous;
mod barrier;
mod bcast;
mod gmove;
mod images;
mod inquiry;
mod location;
mod loops;
pub mod post;
mod procedures;
mod reduction;
mod reflect;

use crate::process::{Instance, OfImage};
use std::cell::LazyCell;
use xmp_collectives::global::Plans;

static PLANS: OfImage<LazyCell<Plans>> = OfImage::lazy();

/// The plans of communication that directives have made, to be used again.
fn plans(instance: &Instance) -> &'static Plans {
    PLANS.of(instance)
}
