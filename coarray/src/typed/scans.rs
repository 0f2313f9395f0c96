//! Collectives in which each image gets what those up to it contribute, as methods of an image or on a team.

use super::call_site::called;
use super::operand::Operand;
use super::operation::without_unwinding;
use super::statements::Statements;
use xmp_collectives::{Number, Op, exscan, exscan_by, scan, scan_by};
use xmp_core::Result;

/// Prefix sums over images and the like. As [`Statements`], they refer to the executing set, or to the team that they
/// are used on. All return the errors that [`co_scan`](Scans::co_scan) lists.
///
/// ```
/// use xmp_coarray::prelude::*;
///
/// run_on_threads(4, |image| {
///     // Where each image begins in a list to which image k adds k elements.
///     let mut begin = image.this_image();
///     image.co_exscan(&mut begin, Op::Sum)?;
///     if image.this_image() > 1 {
///         assert_eq!(begin, [1, 3, 6][image.this_image() - 2]);
///     }
///     Ok(())
/// })?;
/// # Ok::<(), Error>(())
/// ```
pub trait Scans: Statements {
    /// Sum, least or greatest of this image and all before it.
    ///
    /// # Errors
    /// When an image has stopped or failed. What is in `operand` is unspecified then.
    #[track_caller]
    fn co_scan(
        &self,
        operand: &mut (impl Operand<Element: Number> + ?Sized),
        op: Op,
    ) -> Result<()> {
        let (image, set) = (self.image(), self.set());
        called("co_scan", image, || scan(image, &set, operand.elements(), op))
    }

    /// Sum, least or greatest of all images before this one; image 1 keeps its operand.
    #[track_caller]
    fn co_exscan(
        &self,
        operand: &mut (impl Operand<Element: Number> + ?Sized),
        op: Op,
    ) -> Result<()> {
        let (image, set) = (self.image(), self.set());
        called("co_exscan", image, || exscan(image, &set, operand.elements(), op))
    }

    /// Inclusive scan with an associative operation, which need not be commutative.
    #[track_caller]
    fn co_scan_by<O: Operand + ?Sized>(
        &self,
        operand: &mut O,
        operation: impl Fn(O::Element, O::Element) -> O::Element,
    ) -> Result<()> {
        let (image, set) = (self.image(), self.set());
        called("co_scan_by", image, || {
            scan_by(image, &set, operand.elements(), without_unwinding(operation))
        })
    }

    /// Exclusive scan with an associative operation, which need not be commutative.
    #[track_caller]
    fn co_exscan_by<O: Operand + ?Sized>(
        &self,
        operand: &mut O,
        operation: impl Fn(O::Element, O::Element) -> O::Element,
    ) -> Result<()> {
        let (image, set) = (self.image(), self.set());
        called("co_exscan_by", image, || {
            exscan_by(image, &set, operand.elements(), without_unwinding(operation))
        })
    }
}

impl<S: Statements + ?Sized> Scans for S {}
