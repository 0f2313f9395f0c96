//! The gnu front end: what gfortran's `-fcoarray=lib` calls.

#[cfg(not(all(target_arch = "x86_64", target_os = "linux", target_pointer_width = "64")))]
compile_error!(
    "the gnu front end follows gfortran's ABI on x86-64 Linux; see transfer/mod.rs and types.rs"
);

mod accessor;
mod atomic;
mod collective;
mod component;
mod debug;
mod ended;
mod event;
mod exceptions;
mod home;
mod in_teams;
mod libgfortran;
mod lock;
mod random;
mod reference;
mod register;
mod shape;
mod start;
mod state;
pub mod status;
mod stop;
mod sync;
mod team;
mod token;
mod transfer;
pub mod types;
mod version;
mod weak;

pub use accessor::serve;
pub use in_teams::{leaving, released};
pub use state::State;
