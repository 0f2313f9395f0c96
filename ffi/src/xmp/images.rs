//! Images, time and MPI as users ask for them by name (XcalableMP 1.4, 4.8 and 7.1).

use crate::global::{Descriptor, NodeSet, Object};
use crate::process::{self, any_thread, communicator_of_nodes, instance};
use crate::xmp::entry::{List, for_c, for_fortran};
use crate::xmp::error::Outcome;
use std::cell::Cell;
use std::ffi::{c_double, c_int};
use xmp_core::Rank;
use xmp_core::plugin::Communicator;

/// Declares inquiries that have no arguments and enter no lock, by all their names.
macro_rules! inquiries {
    ($($(#[$doc:meta])* $($name:ident)+: $result:ty = $answer:expr;)*) => { $(
        inquiries!(@each $answer, $result, [$(#[$doc])*] $($name)+);
    )* };
    (@each $answer:expr, $result:ty, [$(#[$doc:meta])*] $name:ident $($more:ident)*) => {
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() -> $result {
            $answer
        }
        inquiries!(@each $answer, $result, [$(#[$doc])*] $($more)*);
    };
    (@each $answer:expr, $result:ty, [$(#[$doc:meta])*]) => {};
}

inquiries! {
    /// The number of this image among the executing ones, from 1.
    xmp_node_num xmp_node_num_: c_int = any_thread().image.stack().index_and_size().0 as c_int;
    /// The number of this image among the executing ones, from 0.
    xmpc_node_num xmpc_this_image: c_int = xmp_node_num() - 1;
    /// The number of executing images.
    xmp_num_nodes xmp_num_nodes_ xmp_num_images: c_int = any_thread().image.stack().index_and_size().1 as c_int;
    /// The number of this image among all, from 1.
    xmp_all_node_num xmp_all_node_num_: c_int = any_thread().image.rank().image() as c_int;
    /// The number of this image among all, from 0.
    xmpc_all_node_num: c_int = xmp_all_node_num() - 1;
    /// The number of all images.
    xmp_all_num_nodes xmp_all_num_nodes_: c_int = any_thread().image.job().images() as c_int;
    /// Seconds since a point in time that is the same for all images of a machine.
    xmp_wtime xmp_wtime_: c_double = seconds(libc::clock_gettime);
    /// The resolution of [`xmp_wtime`] in seconds.
    xmp_wtick xmp_wtick_: c_double = seconds(libc::clock_getres);
}

/// The time that `clock` gives of the monotonic clock.
fn seconds(clock: unsafe extern "C" fn(libc::clockid_t, *mut libc::timespec) -> c_int) -> c_double {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a valid place; this clock is always there.
    unsafe { clock(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec as c_double + time.tv_nsec as c_double * 1e-9
}

/// Ends this image with a status.
#[unsafe(no_mangle)]
pub extern "C" fn xmp_exit(status: c_int) -> ! {
    process::stop(status)
}

/// The communicator of the executing images.
fn communicator() -> Outcome<Communicator> {
    let instance = instance();
    Ok(communicator_of_nodes(instance, &instance.image.executing())?.0)
}

for_c! {
    /// The communicator of the executing images, an `MPI_Comm` of whatever size: it is returned in the same register.
    "xmp_get_mpi_comm" fn xmp_get_mpi_comm() -> u64 {
        Ok(communicator()?.c)
    }
}

for_fortran! {
    /// The communicator of the executing images.
    "xmp_get_mpi_comm" fn xmp_get_mpi_comm_() -> c_int {
        Ok(communicator()?.fortran)
    }
}

/// Translates image indices of some nodes, or of the executing set without any. An index that means no image becomes 0.
fn translate(
    from: &[Cell<c_int>],
    to: &[Cell<c_int>],
    nodes: Option<&NodeSet>,
    translated: impl Fn(Rank) -> Option<i64>,
) {
    let executing = instance().image.executing();
    let members = nodes.map_or(executing.members(), |nodes| nodes.nodes.members());
    for (from, to) in from.iter().zip(to) {
        let position = usize::try_from(from.get()).ok().and_then(|index| index.checked_sub(1));
        let rank = position.and_then(|position| members.rank(position));
        to.set(rank.and_then(&translated).map_or(0, |index| index as c_int));
    }
}

for_fortran! {
    /// Image indices among all images, of those among the executing images or the images of some nodes.
    "xmp_get_primary_image_index" fn xmp_get_primary_image_index_(
        count: c_int, indices: List<c_int>, primary: List<c_int>, nodes: Option<&Cell<Descriptor>>,
    ) {
        let nodes = nodes.map(|nodes| nodes.get().object::<NodeSet>()).transpose()?;
        let count = usize::try_from(count).unwrap_or(0);
        let all = |rank: Rank| Some(rank.image().into());
        translate(indices.of(count)?, primary.of(count)?, nodes.map(|nodes| &**nodes), all);
        Ok(())
    }

    /// Image indices among the executing images, of those among the images of some nodes; 0 for images that do not
    /// execute.
    "xmp_get_image_index" fn xmp_get_image_index_(
        count: c_int, indices: List<c_int>, current: List<c_int>, nodes: &Object<NodeSet>,
    ) {
        let executing = instance().image.executing();
        let among = |rank| executing.position_of(rank).map(|position| position as i64 + 1);
        let count = usize::try_from(count).unwrap_or(0);
        translate(indices.of(count)?, current.of(count)?, Some(nodes), among);
        Ok(())
    }
}
