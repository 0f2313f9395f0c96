//! Directives and procedures that C and Fortran share: their work, and their entry functions in both languages.

mod asynchronous;
mod barrier;
mod bcast;
mod gmove;
mod inquiry;
mod location;
mod loops;
mod post;
mod reduction;
mod reflect;
