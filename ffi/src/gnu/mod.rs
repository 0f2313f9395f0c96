//! The gnu door: what gfortran's `-fcoarray=lib` calls.

#[cfg(not(all(target_arch = "x86_64", target_os = "linux", target_pointer_width = "64")))]
compile_error!(
    "the gnu door follows gfortran's ABI on x86-64 Linux; see transfer/mod.rs and types.rs"
);

mod absent;
mod atomic;
mod collective;
mod event;
mod libgfortran;
mod lock;
mod random;
mod register;
mod start;
mod status;
mod stop;
mod sync;
mod token;
mod transfer;
mod types;
