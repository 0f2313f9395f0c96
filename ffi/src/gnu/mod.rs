//! The gnu door: what gfortran's `-fcoarray=lib` calls.

mod absent;
mod atomic;
mod collective;
mod event;
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
