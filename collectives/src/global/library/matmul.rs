//! `xmp_matmul` by panels. A panel is some columns of the left factor and as many rows of the right one. Of each panel an
//! image gets the elements that its part of the product needs, so its memory is bounded, whatever the mappings.

use super::elements::LocalElements;
use super::temporary::Temporary;
use super::{Caller, Typed, invalid, shape, shown};
use crate::global::Storage;
use crate::global::gmove::Kind;
use crate::global::operator::Element;
use std::ops::{Add, Mul};
use xmp_core::global::{Order, Pick, Progression, Section};
use xmp_core::{Error, Result};

/// Bytes of both panels together, about.
const PANEL: i64 = 4 << 20;
/// Fewest and most columns of a panel.
const WIDTHS: [i64; 2] = [16, 256];

const NAME: &str = "matmul";

/// Assigns the matrix product of `a` and `b` to `x`. An element of the product is summed up in the order of the columns
/// of `a`.
///
/// # Errors
/// [`Error::Invalid`] for arrays that are no matrices or do not fit together, types that are not the same or are no
/// numbers; and those of [`crate::global::prepare_gmove()`].
pub fn matmul(caller: Caller<'_>, x: Typed<'_>, a: Typed<'_>, b: Typed<'_>) -> Result<()> {
    let [of_x, of_a, of_b] = [x, a, b].map(|it| shape(it.storage));
    let fits = matches!(
        (&of_x[..], &of_a[..], &of_b[..]),
        ([m, n], [rows, k], [also, columns]) if m == rows && n == columns && k == also
    );
    if !fits {
        let [x, a, b] = [of_x, of_a, of_b].map(|shape| shown(&shape));
        return Err(invalid(NAME, &format!("{x} cannot be the product of {a} and {b}")));
    }
    if a.element != x.element || b.element != x.element {
        let types = format!("{} from {} and {}", x.element, a.element, b.element);
        return Err(invalid(NAME, &types));
    }
    let arrays = [x, a, b].map(|it| it.storage);
    caller.check_nodes(NAME, &arrays)?;
    [x, a, b].into_iter().try_for_each(|it| it.check(NAME))?;
    // SAFETY: the elements have these types, of which any bits are a value.
    unsafe {
        match x.element {
            Element::Integer(1) | Element::Unsigned(1) => product::<Wrapping<u8>>(caller, arrays),
            Element::Integer(2) | Element::Unsigned(2) => product::<Wrapping<u16>>(caller, arrays),
            Element::Integer(4) | Element::Unsigned(4) => product::<Wrapping<u32>>(caller, arrays),
            Element::Integer(8) | Element::Unsigned(8) => product::<Wrapping<u64>>(caller, arrays),
            Element::Real(4) => product::<f32>(caller, arrays),
            Element::Real(8) => product::<f64>(caller, arrays),
            Element::Complex(4) => product::<Complex<f32>>(caller, arrays),
            Element::Complex(8) => product::<Complex<f64>>(caller, arrays),
            other => Err(Error::Invalid(format!("{NAME}: there is no product of {other}"))),
        }
    }
}

type Wrapping<T> = std::num::Wrapping<T>;

/// A complex number.
#[derive(Clone, Copy, Debug, Default)]
struct Complex<T>([T; 2]);

impl<T: Add<Output = T>> Add for Complex<T> {
    type Output = Complex<T>;
    fn add(self, other: Complex<T>) -> Complex<T> {
        let (Complex([a, b]), Complex([c, d])) = (self, other);
        Complex([a + c, b + d])
    }
}

impl<T: Copy + Mul<Output = T> + Add<Output = T> + std::ops::Sub<Output = T>> Mul for Complex<T> {
    type Output = Complex<T>;
    fn mul(self, other: Complex<T>) -> Complex<T> {
        let (Complex([a, b]), Complex([c, d])) = (self, other);
        Complex([a * c - b * d, a * d + b * c])
    }
}

/// Computes the product of arrays that fit together.
///
/// # Safety
/// The arrays have elements of type `T`, of which any bits are a value.
unsafe fn product<T: Copy + Default + Add<Output = T> + Mul<Output = T>>(
    caller: Caller<'_>,
    [x, a, b]: [&Storage; 3],
) -> Result<()> {
    let own = LocalElements::of(x, caller.image.rank());
    // The elements of a line of the product are contiguous: a column in Fortran, a row in C. One factor has lines for the
    // lines of the product, the other one the numbers that multiply them.
    let (along, across) = match x.array.order() {
        Order::Fortran => (0, 1),
        Order::C => (1, 0),
    };
    let mut line = vec![T::default(); own.dim(along).len()];
    let width = width(x, size_of::<T>() as i64);
    let a_dim = a.array.dims()[1];
    for first in (0..a_dim.extent()).step_by(width as usize) {
        let count = width.min(a_dim.extent() - first);
        let left = panel(caller, x, a, 1, first, count)?;
        let right = panel(caller, x, b, 0, first, count)?;
        let (lines, numbers) = match x.array.order() {
            Order::Fortran => (&left, &right),
            Order::C => (&right, &left),
        };
        // SAFETY: panels have elements of this type (contract above).
        let (lines, numbers) = unsafe { (lines.elements::<T>(), numbers.elements::<T>()) };
        if line.is_empty() {
            continue;
        }
        for (k, start) in own.dim(across).iter().enumerate() {
            let place = |at: &i64| x.base.wrapping_offset((start + at) as isize).cast::<T>();
            if first == 0 {
                line.fill(T::default());
            } else {
                // SAFETY: this image stores the element, which has this type (`Storage::new`, contract above).
                let known = own.dim(along).iter().map(|at| unsafe { place(at).read_unaligned() });
                line.iter_mut().zip(known).for_each(|(value, known)| *value = known);
            }
            let count = count as usize;
            add_lines(&mut line, lines, &numbers[k * count..(k + 1) * count]);
            for (at, value) in own.dim(along).iter().zip(&line) {
                // SAFETY: this image stores the element, which has this type (`Storage::new`, contract above).
                unsafe { place(at).write_unaligned(*value) };
            }
        }
    }
    Ok(())
}

/// Adds the lines, which follow one another in `lines`, times the numbers.
#[inline]
fn add_lines<T: Copy + Add<Output = T> + Mul<Output = T>>(
    line: &mut [T],
    lines: &[T],
    numbers: &[T],
) {
    let len = line.len();
    let mut rest = lines;
    let mut four = numbers.chunks_exact(4);
    for by in &mut four {
        let (now, later) = rest.split_at(4 * len);
        rest = later;
        let (a, b) = now.split_at(2 * len);
        let ((a, b), (c, d)) = (a.split_at(len), b.split_at(len));
        for i in 0..len {
            line[i] = line[i] + a[i] * by[0] + b[i] * by[1] + c[i] * by[2] + d[i] * by[3];
        }
    }
    for (&by, one) in four.remainder().iter().zip(rest.chunks_exact(len)) {
        line.iter_mut().zip(one).for_each(|(value, &one)| *value = *value + one * by);
    }
}

/// Number of columns of a panel: the same on all images.
fn width(x: &Storage, element: i64) -> i64 {
    let array = &x.array;
    let most =
        |dim: usize| (0..array.parts(dim)).map(|part| array.count(dim, part)).max().unwrap_or(0);
    (PANEL / ((most(0) + most(1)) * element).max(1)).clamp(WIDTHS[0], WIDTHS[1])
}

/// The panel of a factor with `count` columns or rows, from `first` on: the rows or columns of it that this image has of
/// `x`.
fn panel<'i>(
    caller: Caller<'i>,
    x: &Storage,
    factor: &Storage,
    dim: usize,
    first: i64,
    count: i64,
) -> Result<Temporary<'i>> {
    let mapping = x.array.collapsed(dim, 0, count - 1).map_err(|error| error.of(NAME))?;
    let panel = Temporary::new(NAME, caller.image, mapping, x.element)?;
    let of_factor = factor.array.dims()[dim];
    let row = Progression { first: of_factor.lower + first, step: 1, count };
    let mut picks = [Pick::All; 2];
    picks[dim] = Pick::Row(row);
    let from = Section::new(&factor.array, &picks).map_err(|error| error.of(NAME))?;
    let to = Section::all(&panel.storage.array);
    let left = panel.storage.section(&to);
    let right = factor.section(&from);
    caller.assign(Kind { name: NAME, transposed: false }, left, right)?;
    Ok(panel)
}
