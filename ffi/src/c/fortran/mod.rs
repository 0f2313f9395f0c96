//! The functions of `xmprt_fortran.h`, which Fortran programs with directives call beside `xmprt_global.h`. Data of any
//! type comes as a descriptor of `ISO_Fortran_binding.h`, bounds are default integers.
//!
//! ```text
//! data.rs         data of any type and rank
//! array.rs        what an image has of a template and of an array
//! memory.rs       the memory of parts of arrays
//! communicate.rs  reductions and broadcasts
//! moves.rs        gmove with variables of the program
//! images.rs       image indices that are numbers of nodes
//! files.rs        files and records
//! loops.rs        bounds of loops
//! fail.rs         errors in statements
//! ```

mod array;
mod communicate;
mod data;
mod fail;
mod files;
mod images;
mod loops;
mod memory;
mod moves;
