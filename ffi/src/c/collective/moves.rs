//! Broadcast, gather, scatter, exchanges and scans, and the barrier in the background.

use super::buffers::{
    Rooted, check_apart, check_parts, equal_part, given_part, own_position, parts, parts_of_root,
    position,
};
use super::entry::{begun, call, collectives};
use crate::c::argument::{Data, List};
use crate::c::outcome::outcome;
use crate::c::request::{RequestHandle, begin};
use crate::c::team::{TeamHandle, set_of};
use crate::c::types::reduction_of;
use crate::process::instance;
use std::cell::Cell;
use std::ffi::{c_int, c_uint};
use xmp_coarray::front_end::sync_memory;
use xmp_collectives::Parts;
use xmp_collectives::nonblocking;
use xmp_collectives::part_buffers::{AlltoallBuffers, GatherBuffers, ScatterBuffers};
use xmp_core::Error;

collectives! {
    /// The bytes of one image for all.
    fn xmprt_co_broadcast, xmprt_begin_co_broadcast(team: TeamHandle, data: Data, bytes: usize, source_image: c_int) {
        let set = set_of(team)?;
        let root = position(&set, source_image)?;
        data.check("data", bytes, 1)?;
        call!(broadcast(&set, root, data.start(), bytes))
    }

    /// The bytes of all images for all. `all` has room for as many of each image; they do not overlap.
    fn xmprt_co_allgather, xmprt_begin_co_allgather(team: TeamHandle, all: Data, mine: Data, bytes: usize) {
        let set = set_of(team)?;
        let mine = equal_part(&set, own_position(&set), mine, all, bytes)?;
        call!(allgather(&set, mine.start(), all.start(), bytes))
    }

    /// Gathers parts of any length, which are anywhere in `all`, on all images.
    fn xmprt_co_allgatherv, xmprt_begin_co_allgatherv(
        team: TeamHandle, all: Data, lens: List<usize>, offsets: List<usize>, mine: Data, bytes: usize,
    ) {
        let set = set_of(team)?;
        let (lens, offsets) = (lens.of("lens", set.len())?, offsets.of("offsets", set.len())?);
        check_parts("all", all, lens, offsets)?;
        let (parts, me) = (Parts::Given { lens, offsets }, own_position(&set));
        check_apart("all", &parts)?;
        let (given, bytes) = given_part(&set, me, mine, bytes, all, &parts)?;
        if bytes != lens[me] {
            let len = lens[me];
            return Err(Error::Invalid(format!("bytes is {bytes}, and lens[{me}], for this image, is {len}")));
        }
        for (&len, &offset) in lens.iter().zip(offsets).filter(|_| !mine.is_in_place()) {
            given.apart(bytes, all.part(offset), len, ["mine", "all"])?;
        }
        call!(allgatherv(&set, given.start(), all.start(), &parts))
    }

    /// The bytes of all images for one, where `all` has room for as many of each image. They do not overlap.
    fn xmprt_co_gather, xmprt_begin_co_gather(
        team: TeamHandle, all: Data, mine: Data, bytes: usize, result_image: c_int,
    ) {
        let Rooted { set, root } = Rooted::new(team, result_image)?;
        let mine = equal_part(&set, root, mine, all, bytes)?;
        call!(gather(&set, root, mine.start(), all.start(), bytes))
    }

    /// Gathers parts of any length, which are anywhere in `all`, on one image.
    fn xmprt_co_gatherv, xmprt_begin_co_gatherv(
        team: TeamHandle, all: Data, lens: List<usize>, offsets: List<usize>, mine: Data, bytes: usize,
        result_image: c_int,
    ) {
        let Rooted { set, root } = Rooted::new(team, result_image)?;
        let parts = parts_of_root(&set, root, all, lens, offsets)?;
        check_apart("all", &parts)?;
        let (mine, bytes) = given_part(&set, root, mine, bytes, all, &parts)?;
        let (mine, all) = (mine.start(), all.start());
        call!(gatherv(&set, root, &GatherBuffers::new(mine, bytes, all, parts)))
    }

    /// The bytes of one image, which has a part in `all` for each image. They do not overlap.
    fn xmprt_co_scatter, xmprt_begin_co_scatter(
        team: TeamHandle, mine: Data, all: Data, bytes: usize, source_image: c_int,
    ) {
        let Rooted { set, root } = Rooted::new(team, source_image)?;
        let mine = equal_part(&set, root, mine, all, bytes)?;
        call!(scatter(&set, root, all.start(), mine.start(), bytes))
    }

    /// Scatters parts of any length, which are anywhere in `all`, from one image.
    fn xmprt_co_scatterv, xmprt_begin_co_scatterv(
        team: TeamHandle, mine: Data, bytes: usize, all: Data, lens: List<usize>, offsets: List<usize>,
        source_image: c_int,
    ) {
        let Rooted { set, root } = Rooted::new(team, source_image)?;
        let parts = parts_of_root(&set, root, all, lens, offsets)?;
        let (mine, bytes) = given_part(&set, root, mine, bytes, all, &parts)?;
        let (mine, all) = (mine.start(), all.start());
        call!(scatterv(&set, root, &ScatterBuffers::new(all, parts, mine, bytes)))
    }

    /// A part of each image for each image. `send` and `receive` do not overlap.
    fn xmprt_co_alltoall, xmprt_begin_co_alltoall(team: TeamHandle, receive: Data, send: Data, bytes: usize) {
        let set = set_of(team)?;
        receive.check("receive", bytes, set.len())?;
        let all = bytes * set.len();
        if send.is_in_place() {
            return call!(alltoall_in_place(&set, receive.start(), bytes));
        }
        send.check("send", bytes, set.len())?;
        send.apart(all, receive, all, ["send", "receive"])?;
        call!(alltoall(&set, send.start(), receive.start(), bytes))
    }

    /// Exchanges parts of any length, which are anywhere, between all images.
    fn xmprt_co_alltoallv, xmprt_begin_co_alltoallv(
        team: TeamHandle, receive: Data, receive_lens: List<usize>, receive_offsets: List<usize>,
        send: Data, send_lens: List<usize>, send_offsets: List<usize>,
    ) {
        let set = set_of(team)?;
        let send_parts = parts(&set, "send", send, send_lens, send_offsets)?;
        let receive_parts = parts(&set, "receive", receive, receive_lens, receive_offsets)?;
        check_apart("receive", &receive_parts)?;
        let (send, receive) = (send.start(), receive.start());
        call!(alltoallv(&set, &AlltoallBuffers::new(send, send_parts, receive, receive_parts)))
    }

    /// The combination of all images, of which each gets its own part. `all` and `mine` do not overlap.
    fn xmprt_co_reduce_scatter, xmprt_begin_co_reduce_scatter(
        team: TeamHandle, mine: Data, all: Data, count: usize, element: c_uint, op: c_uint,
    ) {
        let set = set_of(team)?;
        let reduction = reduction_of(element, op)?;
        if mine.is_in_place() {
            return Err(Error::Invalid("mine is XMPRT_IN_PLACE, which this function does not have".into()));
        }
        let bytes = reduction.element();
        mine.check("mine", count, bytes)?;
        let part = count * bytes;
        all.check("all", part, set.len())?;
        mine.apart(part, all, part * set.len(), ["mine", "all"])?;
        call!(reduce_scatter(&set, all.start(), mine.start(), count, raw::combine(&reduction)))
    }

    /// A combination of the images up to this one.
    fn xmprt_co_scan, xmprt_begin_co_scan(team: TeamHandle, data: Data, count: usize, element: c_uint, op: c_uint) {
        let set = set_of(team)?;
        let reduction = reduction_of(element, op)?;
        data.check("data", count, reduction.element())?;
        call!(scan(&set, data.start(), count, raw::combine(&reduction)))
    }

    /// A combination of the images before this one.
    fn xmprt_co_exscan, xmprt_begin_co_exscan(
        team: TeamHandle, data: Data, count: usize, element: c_uint, op: c_uint,
    ) {
        let set = set_of(team)?;
        let reduction = reduction_of(element, op)?;
        data.check("data", count, reduction.element())?;
        call!(exscan(&set, data.start(), count, raw::combine(&reduction)))
    }
}

/// Begins a barrier.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_begin_sync(
    team: TeamHandle,
    request: Option<&Cell<RequestHandle>>,
) -> c_int {
    begin("xmprt_begin_sync", request, || {
        let (image, set) = (&instance().image, set_of(team)?);
        sync_memory(image)?;
        Ok(begun::of_team(image, &set, || nonblocking::barrier(image, &set)))
    })
}
