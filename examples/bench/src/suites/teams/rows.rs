//! The rows of the suite of teams with their targets.
//!
//! Synchronisation is a group for each number of images in a team, because OpenCoarrays 2.10 can synchronise the
//! first team only that a program forms.

use super::cg;
use crate::rows::Row;
use crate::targets::{Against, Target};

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

const BARRIER: &[Target] = &[
    Target::at(2, Against::Anyone, 0.7),
    Target::at(4, Against::Anyone, 0.4),
    Target::at(8, Against::Anyone, 0.4),
];
const CONSTRUCTION: &[Target] = &[Target::new(Against::Anyone, 0.3)];
const SUM_ONE: &[Target] = &[
    Target::at(2, Against::Anyone, 0.7),
    Target::at(4, Against::Anyone, 0.4),
    Target::at(8, Against::Anyone, 0.4),
];
const SUM_MIDDLE: &[Target] = &[Target::new(Against::Anyone, 0.6)];
/// 0.7 of what the memory allows: the limit's row moves the bytes that must move, and does nothing else.
const SUM_LARGE: &[Target] =
    &[Target::new(Against::Anyone, 0.6), Target::new(Against::Limit, 1.0 / 0.7)];
const BROADCAST: &[Target] = &[Target::new(Against::Anyone, 0.8)];
/// Never slower than raw MPI; from class W on faster than the Fortran 2008 form.
const CG: &[Target] = &[Target::new(Against::RawMpi, 1.0)];
const CG_FASTER: &[Target] = &[
    Target::new(Against::RawMpi, 1.0),
    Target::at(8, Against::OurRow("cg_f2008"), 1.0 / 1.06),
    Target::at(16, Against::OurRow("cg_f2008"), 1.0 / 1.06),
];
const CG_SUMS: &[Target] = &[Target::new(Against::OurRow("cg_teams"), 1.1)];

const fn sync_team(group: &'static str, members: u32, title: &'static str) -> Row {
    Row::new(group, "sync_team", members as u64, title)
        .mpi()
        .hosts()
        .least_images(members)
        .targets(BARRIER)
}

const fn sync_images(group: &'static str, members: u32, title: &'static str) -> Row {
    Row::new(group, "sync_images", members as u64, title).hosts().least_images(members)
}

const fn sum(bytes: u64, title: &'static str) -> Row {
    Row::new("collective", "team_sum", bytes, title).mpi().hosts().techniques()
}

const fn cg_row(name: &'static str, order: u64, title: &'static str) -> Row {
    Row::new(cg::GROUP, name, order, title)
}

/// All rows.
pub const ROWS: &[Row] = &[
    Row::new("sync2", "sync_all", 0, "sync all").mpi().hosts().quick(),
    sync_team("sync2", 2, "sync team, teams of 2").quick(),
    sync_images("sync2", 2, "sync images, groups of 2").quick(),
    sync_team("sync4", 4, "sync team, teams of 4").quick(),
    sync_images("sync4", 4, "sync images, groups of 4").quick(),
    sync_team("sync8", 8, "sync team, teams of 8").quick(),
    sync_images("sync8", 8, "sync images, groups of 8").quick(),
    sync_team("sync16", 16, "sync team, teams of 16").quick(),
    sync_images("sync16", 16, "sync images, groups of 16").quick(),
    Row::new("form", "form_team", 0, "form team").mpi().hosts().quick(),
    Row::new("form", "form_change_end", 0, "form + change + end team")
        .mpi()
        .hosts()
        .quick()
        .targets(CONSTRUCTION),
    Row::new("change", "change_team", 0, "change + end team").mpi().hosts().quick(),
    sum(8, "co_sum in a team, 8 B").quick().targets(SUM_ONE),
    sum(64, "co_sum in a team, 64 B"),
    sum(KIB, "co_sum in a team, 1 KiB").quick().targets(SUM_MIDDLE),
    sum(4 * KIB, "co_sum in a team, 4 KiB").targets(SUM_MIDDLE),
    sum(16 * KIB, "co_sum in a team, 16 KiB").targets(SUM_MIDDLE),
    sum(64 * KIB, "co_sum in a team, 64 KiB").quick().targets(SUM_MIDDLE),
    sum(256 * KIB, "co_sum in a team, 256 KiB"),
    sum(MIB, "co_sum in a team, 1 MiB").limit().quick().targets(SUM_LARGE),
    sum(8 * MIB, "co_sum in a team, 8 MiB").limit().targets(SUM_LARGE),
    Row::new("broadcast", "team_broadcast", MIB, "co_broadcast in a team, 1 MiB")
        .mpi()
        .hosts()
        .quick()
        .targets(BROADCAST),
    cg_row("cg_f2008", cg::S, "CG class S, Fortran 2008").quick(),
    cg_row("cg_teams", cg::S, "CG class S, teams").mpi().quick().targets(CG),
    cg_row("cg_sums", cg::S, "CG class S, a team a sum").quick().targets(CG_SUMS),
    cg_row("cg_f2008", cg::W, "CG class W, Fortran 2008"),
    cg_row("cg_teams", cg::W, "CG class W, teams").mpi().targets(CG_FASTER),
    cg_row("cg_sums", cg::W, "CG class W, a team a sum").targets(CG_SUMS),
    cg_row("cg_f2008", cg::A, "CG class A, Fortran 2008"),
    cg_row("cg_teams", cg::A, "CG class A, teams").mpi().targets(CG_FASTER),
    cg_row("cg_sums", cg::A, "CG class A, a team a sum").targets(CG_SUMS),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows;

    #[test]
    fn rows_are_different_and_what_their_targets_compare_with_is_measured() {
        rows::check(ROWS);
    }
}
