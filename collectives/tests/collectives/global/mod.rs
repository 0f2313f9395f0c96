//! The global view against a model: the whole array on every image.

mod calls;
mod ending;
mod file;
mod gmove;
mod library;
mod model;
mod on;
mod reflect;
mod refusals;
