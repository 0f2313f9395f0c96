//! From the axes of both sides to the loops of a plan: pairs them, computes the bytes that each side touches, and merges
//! dimensions.

use smallvec::SmallVec;
use std::ops::Range;
use xmp_core::{Error, Result, nest};

/// One dimension of one side of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis<'a> {
    /// A subscript triplet, or a whole dimension.
    Stride {
        /// Number of elements.
        extent: usize,
        /// Bytes from one element to the next; may be negative.
        stride: i64,
    },
    /// A vector subscript: byte offsets of the elements from the base of this side.
    Index(&'a [i64]),
}

/// How one side moves along a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step<'a> {
    /// By this number of bytes each time.
    Stride(i64),
    /// To these byte offsets.
    Index(&'a [i64]),
}

/// One loop of a plan.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dim<'a> {
    pub(super) extent: usize,
    pub(super) dst: Step<'a>,
    pub(super) src: Step<'a>,
}

/// The elements of one operand of a transfer.
#[derive(Clone, Debug)]
pub(super) struct SideLayout {
    /// Bytes of a unit on this side.
    pub(super) unit: usize,
    /// Offset of the first unit that the loops visit, from the base that the user knows.
    pub(super) start: i64,
    /// Bytes touched, relative to that base.
    pub(super) bytes: Range<i64>,
}

/// How to carry out one transfer; valid for any two base addresses.
#[derive(Clone, Debug)]
pub struct Plan<'a> {
    pub(super) dst: SideLayout,
    pub(super) src: SideLayout,
    /// Elements, as the user counts them.
    pub(super) elements: usize,
    /// Loops, innermost first; meaningless if there are no elements.
    pub(super) dims: SmallVec<[Dim<'a>; 4]>,
}

impl Axis<'_> {
    /// Number of elements along this dimension.
    #[inline]
    pub fn extent(&self) -> usize {
        match self {
            Axis::Stride { extent, .. } => *extent,
            Axis::Index(list) => list.len(),
        }
    }
}

/// Offsets of one side while its axes are being visited.
struct Reach {
    unit: usize,
    start: i64,
    low: i64,
    high: i64,
}

impl Reach {
    fn new(unit: usize) -> Reach {
        Reach { unit, start: 0, low: 0, high: 0 }
    }

    fn widen(&mut self, low: i64, high: i64) -> Option<()> {
        self.low = self.low.checked_add(low)?;
        self.high = self.high.checked_add(high)?;
        Some(())
    }

    /// Adds an axis of two elements or more; `None` is overflow.
    fn axis<'a>(&mut self, axis: &Axis<'a>) -> Option<Step<'a>> {
        match *axis {
            Axis::Stride { extent, stride } => {
                let last = stride.checked_mul(i64::try_from(extent - 1).ok()?)?;
                self.widen(last.min(0), last.max(0))?;
                Some(Step::Stride(stride))
            }
            Axis::Index(list) => {
                let (low, high) = bounds(list);
                self.widen(low, high)?;
                let Some(stride) = even_step(list) else { return Some(Step::Index(list)) };
                self.start = self.start.checked_add(list[0])?;
                Some(Step::Stride(stride))
            }
        }
    }

    /// Adds an axis of one element.
    fn single(&mut self, axis: &Axis) -> Option<()> {
        if let Axis::Index(list) = axis {
            self.widen(list[0], list[0])?;
            self.start = self.start.checked_add(list[0])?;
        }
        Some(())
    }

    /// Visits the axis in the opposite direction.
    fn flip(&mut self, stride: &mut i64, extent: usize) -> Option<()> {
        self.start = self.start.checked_add(stride.checked_mul((extent - 1) as i64)?)?;
        *stride = stride.checked_neg()?;
        Some(())
    }

    fn finish(self) -> Option<SideLayout> {
        let high = self.high.checked_add(i64::try_from(self.unit).ok()?)?;
        high.checked_sub(self.low)?;
        Some(SideLayout { unit: self.unit, start: self.start, bytes: self.low..high })
    }
}

/// The least and the greatest of a list.
fn bounds(list: &[i64]) -> (i64, i64) {
    list.iter().fold((i64::MAX, i64::MIN), |(low, high), &at| (low.min(at), high.max(at)))
}

/// The step of a list whose elements are equally spaced.
fn even_step(list: &[i64]) -> Option<i64> {
    let step = list[1].checked_sub(list[0])?;
    list.windows(2).all(|pair| pair[1].checked_sub(pair[0]) == Some(step)).then_some(step)
}

/// The plan of a transfer before anything is merged.
pub(super) fn pair<'a>(
    dst_size: usize,
    src_size: usize,
    dst: &[Axis<'a>],
    src: &[Axis<'a>],
) -> Result<Plan<'a>> {
    let (dst_elements, src_elements) = (elements(dst)?, elements(src)?);
    if dst_elements == 0 || dst_size == 0 {
        if !src.is_empty() && src_elements != dst_elements {
            return Err(nonconforming(dst, src));
        }
        let nothing = |unit| SideLayout { unit, start: 0, bytes: 0..0 };
        let dims = SmallVec::new();
        return Ok(Plan { dst: nothing(dst_size), src: nothing(src_size), elements: 0, dims });
    }
    let too_large = || overflow(dst, src);
    let bytes = dst_elements.checked_mul(dst_size.max(src_size)).ok_or_else(too_large)?;
    i64::try_from(bytes).map_err(|_| too_large())?;
    let (mut to, mut from) = (Reach::new(dst_size), Reach::new(src_size));
    let dims = pair_axes(&mut to, &mut from, dst, src)?;
    let (to, from) = to.finish().zip(from.finish()).ok_or_else(too_large)?;
    Ok(Plan { dst: to, src: from, elements: dst_elements, dims })
}

fn pair_axes<'a>(
    to: &mut Reach,
    from: &mut Reach,
    dst: &[Axis<'a>],
    src: &[Axis<'a>],
) -> Result<SmallVec<[Dim<'a>; 4]>> {
    let too_large = || overflow(dst, src);
    let mut dims = SmallVec::new();
    for axis in dst.iter().filter(|axis| axis.extent() == 1) {
        to.single(axis).ok_or_else(too_large)?;
    }
    for axis in src.iter().filter(|axis| axis.extent() == 1) {
        from.single(axis).ok_or_else(too_large)?;
    }
    let mut sources = src.iter().filter(|axis| axis.extent() != 1);
    for axis in dst.iter().filter(|axis| axis.extent() != 1) {
        let extent = axis.extent();
        let mut dst_step = to.axis(axis).ok_or_else(too_large)?;
        let mut src_step = match sources.next() {
            _ if src.is_empty() => Step::Stride(0),
            Some(source) if source.extent() == extent => from.axis(source).ok_or_else(too_large)?,
            _ => return Err(nonconforming(dst, src)),
        };
        if let Step::Stride(stride) = dst_step
            && stride.unsigned_abs() < to.unit as u64
        {
            return Err(coinciding(extent, to.unit, stride));
        }
        // Upwards at the destination, so that a section reversed on both sides is an ordinary one.
        if let (Step::Stride(d @ ..0), Step::Stride(s)) = (&mut dst_step, &mut src_step) {
            to.flip(d, extent).and_then(|()| from.flip(s, extent)).ok_or_else(too_large)?;
        }
        dims.push(Dim { extent, dst: dst_step, src: src_step });
    }
    match sources.next() {
        None => Ok(dims),
        Some(_) => Err(nonconforming(dst, src)),
    }
}

#[cold]
fn coinciding(extent: usize, unit: usize, stride: i64) -> Error {
    Error::Invalid(if stride == 0 {
        format!("the {extent} elements of a dimension of the destination coincide: its stride is 0")
    } else {
        format!(
            "the {extent} elements of a dimension of the destination overlap: each has {unit} bytes, and its stride is {stride} bytes"
        )
    })
}

/// The elements of a transfer between two blocks that are contiguous as the axes are: the most
/// common one, found without planning. `None`: not obviously so, or too large.
#[inline]
pub(super) fn one_block(size: usize, dst: &[Axis], src: &[Axis]) -> Option<usize> {
    if dst.len() != src.len() {
        return None;
    }
    let mut elements = 1usize;
    let mut bytes = i64::try_from(size).ok()?;
    for pair in dst.iter().zip(src) {
        let (&Axis::Stride { extent, stride }, &Axis::Stride { extent: other, stride: apart }) =
            pair
        else {
            return None;
        };
        if extent != other || extent == 0 || (extent > 1 && (stride != bytes || apart != bytes)) {
            return None;
        }
        bytes = bytes.checked_mul(i64::try_from(extent).ok()?)?;
        elements = elements.checked_mul(extent)?;
    }
    (bytes > 0).then_some(elements)
}

/// The axes of a contiguous buffer with the shape of `section`.
///
/// # Errors
/// [`Error::SizeOverflow`] if its size does not fit 63 bits.
pub fn contiguous(size: usize, section: &[Axis]) -> Result<SmallVec<[Axis<'static>; 4]>> {
    let mut stride = i64::try_from(size).ok();
    section
        .iter()
        .map(|axis| {
            let this = stride.ok_or_else(|| overflow(section, section))?;
            let extent = axis.extent();
            // Extent 0: nothing will be transferred, so the stride does not matter.
            stride = i64::try_from(extent.max(1)).ok().and_then(|extent| this.checked_mul(extent));
            Ok(Axis::Stride { extent, stride: this })
        })
        .collect()
}

/// Number of elements.
fn elements(axes: &[Axis]) -> Result<usize> {
    if axes.iter().any(|axis| axis.extent() == 0) {
        return Ok(0);
    }
    axes.iter()
        .try_fold(1usize, |product, axis| product.checked_mul(axis.extent()))
        .ok_or_else(|| Error::SizeOverflow(format!("an array of shape {}", shape(axes))))
}

#[cold]
fn nonconforming(dst: &[Axis], src: &[Axis]) -> Error {
    Error::Invalid(format!(
        "the shapes do not conform: {} at the destination, {} at the source",
        shape(dst),
        shape(src)
    ))
}

#[cold]
fn overflow(dst: &[Axis], src: &[Axis]) -> Error {
    Error::SizeOverflow(format!(
        "a transfer of shape {} to shape {} reaches beyond 63 bits",
        shape(src),
        shape(dst)
    ))
}

fn shape(axes: &[Axis]) -> String {
    let extents: Vec<String> = axes.iter().map(|axis| axis.extent().to_string()).collect();
    format!("({})", extents.join(","))
}

impl Plan<'_> {
    /// Orders the loops by how far they move at the destination, nearest innermost, and joins every
    /// loop with the one around it where that continues it on both sides.
    pub(super) fn merge(&mut self) {
        if self.dims.len() < 2 {
            return;
        }
        nest::sort_by_key(&mut self.dims, |dim| distance(&dim.dst));
        let mut kept = 0;
        for outer in 1..self.dims.len() {
            let (inner, dim) = (self.dims[kept], self.dims[outer]);
            if continues(inner.extent, &inner.dst, &dim.dst)
                && continues(inner.extent, &inner.src, &dim.src)
            {
                self.dims[kept].extent *= dim.extent;
            } else {
                kept += 1;
                self.dims[kept] = dim;
            }
        }
        self.dims.truncate(kept + 1);
    }

    /// Makes the innermost loop a part of the unit if it is contiguous on both sides. (Once merged,
    /// at most one loop can be.)
    pub(super) fn contract(&mut self) {
        let unit = Step::Stride(self.dst.unit as i64);
        if let Some(&Dim { extent, dst, src }) = self.dims.first()
            && dst == unit
            && src == unit
        {
            self.dst.unit *= extent;
            self.src.unit *= extent;
            self.dims.remove(0);
        }
    }
}

/// How far apart the elements are, on average.
fn distance(step: &Step) -> u64 {
    match step {
        Step::Stride(stride) => stride.unsigned_abs(),
        Step::Index(list) => {
            let (low, high) = bounds(list);
            high.abs_diff(low) / (list.len() as u64 - 1)
        }
    }
}

/// Whether `outer` starts anew where `inner` would be after `extent` steps.
fn continues(extent: usize, inner: &Step, outer: &Step) -> bool {
    match (inner, outer) {
        (Step::Stride(inner), Step::Stride(outer)) => {
            inner.checked_mul(extent as i64) == Some(*outer)
        }
        _ => false,
    }
}
