//! The front end for gfortran: what `-fcoarray=lib` calls.

#[cfg(not(all(target_arch = "x86_64", target_os = "linux", target_pointer_width = "64")))]
compile_error!(
    "the front end for gfortran follows gfortran's ABI on x86-64 Linux; see transfer/mod.rs and types.rs"
);

mod accessor;
mod atomic;
mod collective;
mod component;
mod debug;
mod ended;
mod event;
mod exceptions;
mod fast_path;
mod front_end;
mod home;
mod in_teams;
mod libgfortran;
mod lock;
mod program;
mod random;
mod reference;
mod register;
mod shape;
mod sync;
mod team;
mod token;
mod transfer;
mod types;
mod version;
mod weak;
