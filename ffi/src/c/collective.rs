//! Collective operations on a team. The macro `collectives!` declares each one as two functions: one returns when the
//! operation is complete, the other begins it.

use super::argument::{Data, List, null};
use super::outcome::{functions, outcome};
use super::request::{RequestHandle, begin};
use super::team::{TeamHandle, set_of};
use super::types::{Combination, Type, op_of, reduction_of};
use crate::process::instance;
use std::cell::Cell;
use std::ffi::{c_int, c_uint, c_void};
use std::rc::Rc;
use xmp_coarray::front_end::sync_memory;
use xmp_collectives::nonblocking::{self, Combine, Handle};
use xmp_collectives::part_buffers::{AlltoallBuffers, GatherBuffers, ScatterBuffers};
use xmp_collectives::{Op, Parts, Reduction};
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Result};

/// The collectives of the crate that return when they are complete, and how they take a reduction.
mod blocking {
    use super::{Reduction, Result};
    pub use xmp_collectives::raw::*;

    /// The outcome.
    pub fn outcome(outcome: Result<()>) -> Result<()> {
        outcome
    }

    /// The reduction.
    pub fn combine<'a, 'b>(by: &'a Reduction<'b>) -> &'a Reduction<'b> {
        by
    }
}

/// The collectives of the crate that begin an operation, and how they take a reduction.
mod begun {
    use super::{Combine, Handle, Reduction, Result};
    pub use xmp_collectives::nonblocking::raw::*;

    /// The result of a collective: some collectives can be refused.
    pub trait Outcome {
        /// The operation.
        fn begun(self) -> Result<Handle<'static, ()>>;
    }
    impl Outcome for Handle<'static, ()> {
        fn begun(self) -> Result<Handle<'static, ()>> {
            Ok(self)
        }
    }
    impl Outcome for Result<Handle<'static, ()>> {
        fn begun(self) -> Result<Handle<'static, ()>> {
            self
        }
    }

    /// The operation, if it has begun.
    pub fn outcome(outcome: impl Outcome) -> Result<Handle<'static, ()>> {
        outcome.begun()
    }

    /// The reduction.
    pub fn combine(by: &Reduction<'static>) -> Combine {
        Combine::By(*by)
    }
}

/// Calls a collective of `raw`, which is [`blocking`] or [`begun`].
macro_rules! call {
    ($collective:ident($($argument:expr),*)) => {{
        let image = &instance().image;
        // SAFETY: the contract of entries: all memory is as long as the arguments say that the body has checked, and
        // stays so until a begun operation is complete.
        raw::outcome(unsafe { raw::$collective(image, $($argument),*) })
    }};
}

/// Declares collectives: a function that returns when the collective is complete, and a function that begins it. The
/// body checks the arguments; then it calls a collective by `call!`.
macro_rules! collectives {
    ($(
        $(#[$doc:meta])*
        fn $name:ident, $begin:ident($($argument:ident: $type:ty),* $(,)?) $body:block
    )*) => { $(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($argument: $type),*) -> c_int {
            use self::blocking as raw;
            outcome(stringify!($name), || $body)
        }

        /// Begins the same. Its memory stays valid, and lengths and offsets do during the call.
        #[unsafe(no_mangle)]
        pub extern "C" fn $begin(
            $($argument: $type,)*
            request: Option<&Cell<RequestHandle>>,
        ) -> c_int {
            use self::begun as raw;
            begin(stringify!($begin), request, || $body)
        }
    )* };
}

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
        let (send, receive) = (send.start(), receive.start());
        call!(alltoallv(&set, &AlltoallBuffers::new(send, send_parts, receive, receive_parts)))
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

/// Declares reductions: for all images (`result_image` 0) or for one, and the beginning of one for all.
macro_rules! reductions {
    ($($(#[$doc:meta])* $name:ident $begin:ident $op:ident;)*) => { $(
        functions! {
            $(#[$doc])*
            fn $name(team: TeamHandle, data: Data, count: usize, element: c_uint, result_image: c_int) {
                combine(team, data, count, Type::of(element)?, Op::$op, result_image)
            }
        }

        /// Begins the same for all images.
        #[unsafe(no_mangle)]
        pub extern "C" fn $begin(
            team: TeamHandle,
            data: Data,
            count: usize,
            element: c_uint,
            request: Option<&Cell<RequestHandle>>,
        ) -> c_int {
            use self::begun as raw;
            begin(stringify!($begin), request, || {
                let set = set_of(team)?;
                let reduction = Type::of(element)?.reduction(Op::$op)?;
                data.check("data", count, reduction.element())?;
                call!(allreduce(&set, data.start(), count, raw::combine(&reduction)))
            })
        }
    )* };
}

reductions! {
    /// The sum.
    xmprt_co_sum xmprt_begin_co_sum Sum;
    /// The least.
    xmprt_co_min xmprt_begin_co_min Min;
    /// The greatest.
    xmprt_co_max xmprt_begin_co_max Max;
}

/// Combines numbers of a type for all images (`result_image` 0) or for one.
fn combine(
    team: TeamHandle,
    data: Data,
    count: usize,
    element: Type,
    op: Op,
    result_image: c_int,
) -> Result<()> {
    let set = set_of(team)?;
    data.check("data", count, element.reduction(op)?.element())?;
    let root = result_position(&set, result_image)?;
    element.combine(Combination { set: &set, root, data, count, op })
}

/// The position of the image that gets a result; `None` for all images (`result_image` 0).
fn result_position(set: &ImageSet, result_image: c_int) -> Result<Option<usize>> {
    match result_image {
        0 => Ok(None),
        index => position(set, index).map(Some),
    }
}

/// Combines the `count` elements at `data` of the images of a set; without a result image all of them get the result.
fn reduce(
    set: &ImageSet,
    data: Data,
    count: usize,
    reduction: &Reduction<'_>,
    result_image: c_int,
) -> Result<()> {
    let (image, start) = (&instance().image, data.start());
    // SAFETY: the contract of entries: `data` has `count` elements.
    unsafe {
        match result_position(set, result_image)? {
            None => blocking::allreduce(image, set, start, count, reduction),
            Some(root) => blocking::reduce(image, set, root, start, count, reduction),
        }
    }
}

functions! {
    /// A combination by an operation of the header.
    fn xmprt_co_reduce_op(
        team: TeamHandle, data: Data, count: usize, element: c_uint, op: c_uint, result_image: c_int,
    ) {
        if let (Ok(element), Some(op)) = (Type::of(element), op_of(op)) {
            return combine(team, data, count, element, op, result_image);
        }
        let set = set_of(team)?;
        let reduction = reduction_of(element, op)?;
        data.check("data", count, reduction.element())?;
        reduce(&set, data, count, &reduction, result_image)
    }
}

/// Begins the same for all images.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_begin_co_reduce_op(
    team: TeamHandle,
    data: Data,
    count: usize,
    element: c_uint,
    op: c_uint,
    request: Option<&Cell<RequestHandle>>,
) -> c_int {
    use self::begun as raw;
    begin("xmprt_begin_co_reduce_op", request, || {
        let set = set_of(team)?;
        let reduction = reduction_of(element, op)?;
        data.check("data", count, reduction.element())?;
        call!(allreduce(&set, data.start(), count, raw::combine(&reduction)))
    })
}

/// A program's operation: makes the element at the first address the combination of it and the one at the second; the third is
/// the program's own.
type Operation = Option<extern "C" fn(*mut c_void, *const c_void, *mut c_void)>;

/// The operation as the collectives call it.
fn combination(
    operation: Operation,
    context: Data,
) -> Result<impl Fn(*mut u8, *const u8) + 'static> {
    let operation = operation.ok_or_else(|| null("operation"))?;
    let context = context.start().cast();
    Ok(move |left: *mut u8, right: *const u8| operation(left.cast(), right.cast(), context))
}

/// Checks elements of a program's operation.
fn check_elements(data: Data, count: usize, element_bytes: usize) -> Result<()> {
    if element_bytes == 0 {
        return Err(Error::Invalid("element_bytes is 0".into()));
    }
    data.check("data", count, element_bytes)
}

functions! {
    /// CO_REDUCE.
    fn xmprt_co_reduce(
        team: TeamHandle, data: Data, count: usize, element_bytes: usize, operation: Operation, context: Data,
        result_image: c_int,
    ) {
        let set = set_of(team)?;
        check_elements(data, count, element_bytes)?;
        let combine = combination(operation, context)?;
        let reduction = Reduction::user(element_bytes, &combine);
        reduce(&set, data, count, &reduction, result_image)
    }
}

/// Begins the same for all images. The operation stays valid until it is complete.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_begin_co_reduce(
    team: TeamHandle,
    data: Data,
    count: usize,
    element_bytes: usize,
    operation: Operation,
    context: Data,
    request: Option<&Cell<RequestHandle>>,
) -> c_int {
    begin("xmprt_begin_co_reduce", request, || {
        let set = set_of(team)?;
        check_elements(data, count, element_bytes)?;
        let combine = Combine::User(element_bytes, Box::new(combination(operation, context)?));
        // SAFETY: the contract of entries: `data` has `count` elements, and stays valid until the operation is complete.
        Ok(unsafe { begun::allreduce(&instance().image, &set, data.start(), count, combine) })
    })
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
        Ok(nonblocking::barrier(image, &set))
    })
}

/// The 0-based position of an image index.
fn position(set: &ImageSet, index: c_int) -> Result<usize> {
    set.rank_of_index(index.into()).map(|_| index as usize - 1)
}

/// The images of a team and the position of the root among them.
struct Rooted {
    set: Rc<ImageSet>,
    root: usize,
}

impl Rooted {
    /// With the image of this index as root.
    fn new(team: TeamHandle, index: c_int) -> Result<Rooted> {
        let set = set_of(team)?;
        let root = position(&set, index)?;
        Ok(Rooted { set, root })
    }
}

/// The position of this image, which is in all sets that it has a handle of.
fn own_position(set: &ImageSet) -> usize {
    set.position().expect("a member of the set")
}

/// Checks that this image, which is not the root, has not asked for its part of the root's memory.
fn not_in_place(mine: Data) -> Result<()> {
    if mine.is_in_place() {
        return Err(Error::Invalid(
            "mine is XMPRT_IN_PLACE, which is for the image that has the whole only".into(),
        ));
    }
    Ok(())
}

/// The part of this image where all have `bytes` bytes. Checks, on the root, that `all` can have the parts of all
/// images, and that `mine` is its part of `all` or does not overlap it.
fn equal_part(set: &ImageSet, root: usize, mine: Data, all: Data, bytes: usize) -> Result<Data> {
    if set.position() != Some(root) {
        not_in_place(mine)?;
        mine.check("mine", bytes, 1)?;
        return Ok(mine);
    }
    all.check("all", bytes, set.len())?;
    if mine.is_in_place() {
        return Ok(all.part(root * bytes));
    }
    mine.check("mine", bytes, 1)?;
    mine.apart(bytes, all, bytes * set.len(), ["mine", "all"])?;
    Ok(mine)
}

/// The part of this image, and its length, where the root has parts of any length; as [`equal_part`].
fn given_part(
    set: &ImageSet,
    root: usize,
    mine: Data,
    bytes: usize,
    all: Data,
    parts: &Parts<'_>,
) -> Result<(Data, usize)> {
    if set.position() != Some(root) {
        not_in_place(mine)?;
    } else if mine.is_in_place() {
        return Ok((all.part(parts.offset(root)), parts.len(root)));
    }
    mine.check("mine", bytes, 1)?;
    Ok((mine, bytes))
}

/// Checks parts of `data`, which messages call `name`.
fn check_parts(name: &str, data: Data, lens: &[usize], offsets: &[usize]) -> Result<()> {
    for (&len, &offset) in lens.iter().zip(offsets) {
        if len > 0 {
            data.check(name, offset.saturating_add(len), 1)?;
        }
    }
    Ok(())
}

/// Parts of `data`, one for each image of a team.
fn parts<'a>(
    set: &ImageSet,
    name: &str,
    data: Data,
    lens: List<usize>,
    offsets: List<usize>,
) -> Result<Parts<'a>> {
    let lens = lens.of("lens", set.len())?;
    let offsets = offsets.of("offsets", set.len())?;
    check_parts(name, data, lens, offsets)?;
    Ok(Parts::Given { lens, offsets })
}

/// Parts of `data` on the root, one for each image of a team. On the other images the arguments are not looked at.
fn parts_of_root<'a>(
    set: &ImageSet,
    root: usize,
    data: Data,
    lens: List<usize>,
    offsets: List<usize>,
) -> Result<Parts<'a>> {
    if set.position() == Some(root) {
        parts(set, "all", data, lens, offsets)
    } else {
        Ok(Parts::Equal(0))
    }
}
