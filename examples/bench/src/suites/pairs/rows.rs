//! The rows. A group is a program; its rows are what it tells the time of.

use crate::rows::Row;
use crate::targets::{Against, Target};

/// Elements of the memory of another image, one by one.
const ELEMENTS: &[Target] = &[Target::new(Against::RawMpi, 3.0)];
/// As fast as MPI.
const MPI: &[Target] = &[Target::new(Against::RawMpi, 1.0)];

/// The same where an element at a time is passed on.
const PIPELINE: &[Target] = &[Target::new(Against::RawMpi, 1.05)];
/// What the coarrays reached on 16 cores.
const TRANSPOSITION: &[Target] = &[Target::new(Against::RawMpi, 0.4)];

const fn row(group: &'static str, name: &'static str, size: u64, title: &'static str) -> Row {
    Row::new(group, name, size, title).mpi().quick()
}

const fn halo(name: &'static str, elements: u64, title: &'static str) -> Row {
    Row::new("halo", name, elements, title).mpi()
}

/// All rows, in the order of the programs.
pub const ROWS: &[Row] = &[
    halo("halo_read_elements", 100, "halo, elements read").quick().targets(ELEMENTS),
    halo("halo_read_blocks", 100, "halo, blocks read").quick().targets(MPI),
    halo("halo_write_elements", 100, "halo, elements written").quick().targets(ELEMENTS),
    halo("halo_write_blocks", 100, "halo, blocks written").quick().targets(MPI),
    halo("halo_read_elements", 2000, "halo, elements read").targets(ELEMENTS),
    halo("halo_read_blocks", 2000, "halo, blocks read").targets(MPI),
    halo("halo_write_elements", 2000, "halo, elements written").targets(ELEMENTS),
    halo("halo_write_blocks", 2000, "halo, blocks written").targets(MPI),
    row("volume", "volume_step", 257, "finite volumes, step").targets(MPI),
    row("volume", "volume_exchange", 257, "finite volumes, exchange").targets(MPI),
    row("pipeline", "pipeline", 1000, "pipeline").targets(PIPELINE),
    row("pipeline", "pipeline_events", 1000, "pipeline, events").targets(PIPELINE),
    row("transpose", "transpose", 1024, "transposition").targets(TRANSPOSITION),
    row("gradient", "cg_columns", 4096, "CG, sums of columns").targets(MPI),
    row("gradient", "cg_teams", 4096, "CG, teams of rows").targets(MPI),
    row("tiles", "tiles", 20480, "3-D stencil, halos of a type").targets(MPI),
    row("particles", "particles", 4000, "particles, events").targets(MPI),
    row("queue", "queue", 1000, "work queue, atomics").targets(MPI),
    row("himeno", "himeno", 524_288, "Himeno, Jacobi").targets(MPI),
];
