//! Conversion between integers and reals of all kinds.

use crate::plan::Row;
use xmp_core::number::{ElemType, F80, F128};

/// A type that numbers consist of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Component {
    I1,
    I2,
    I4,
    I8,
    I16,
    R4,
    R8,
    R10,
    R16,
}

impl Component {
    /// The component of a type of numbers; `None` for other types.
    pub(super) fn of(number: ElemType) -> Option<Component> {
        match number {
            ElemType::Integer(1) => Some(Component::I1),
            ElemType::Integer(2) => Some(Component::I2),
            ElemType::Integer(4) => Some(Component::I4),
            ElemType::Integer(8) => Some(Component::I8),
            ElemType::Integer(16) => Some(Component::I16),
            ElemType::Real(4) | ElemType::Complex(4) => Some(Component::R4),
            ElemType::Real(8) | ElemType::Complex(8) => Some(Component::R8),
            ElemType::Real(10) | ElemType::Complex(10) => Some(Component::R10),
            ElemType::Real(16) | ElemType::Complex(16) => Some(Component::R16),
            _ => None,
        }
    }
}

/// The function for a row of components.
pub(super) fn row(from: Component, to: Component) -> unsafe fn(Row) {
    match from {
        Component::I1 => row_from::<i8>(to),
        Component::I2 => row_from::<i16>(to),
        Component::I4 => row_from::<i32>(to),
        Component::I8 => row_from::<i64>(to),
        Component::I16 => row_from::<i128>(to),
        Component::R4 => row_from::<f32>(to),
        Component::R8 => row_from::<f64>(to),
        Component::R10 => row_from::<F80>(to),
        Component::R16 => row_from::<F128>(to),
    }
}

fn row_from<S: Number>(to: Component) -> unsafe fn(Row) {
    match to {
        Component::I1 => convert::<S, i8>,
        Component::I2 => convert::<S, i16>,
        Component::I4 => convert::<S, i32>,
        Component::I8 => convert::<S, i64>,
        Component::I16 => convert::<S, i128>,
        Component::R4 => convert::<S, f32>,
        Component::R8 => convert::<S, f64>,
        Component::R10 => convert::<S, F80>,
        Component::R16 => convert::<S, F128>,
    }
}

/// Converts a row. Contiguous ones are compiled apart: their loops are vectorised.
///
/// # Safety
/// The conditions of [`super::Converter::convert_row`], for elements that hold an `S` and a `D`.
unsafe fn convert<S: Cast<D>, D>(row: Row) {
    let (to, from) = (size_of::<D>() as isize, size_of::<S>() as isize);
    // SAFETY: the row's elements are accessible.
    unsafe {
        if (row.dst_stride, row.src_stride) == (to, from) {
            convert_strided::<S, D>(row, to, from);
        } else {
            convert_strided::<S, D>(row, row.dst_stride, row.src_stride);
        }
    }
}

/// # Safety
/// As `convert`.
#[inline(always)]
unsafe fn convert_strided<S: Cast<D>, D>(row: Row, to: isize, from: isize) {
    for k in 0..row.extent as isize {
        // SAFETY: the row's elements are accessible; any bytes are an `S`.
        unsafe {
            let value = row.src.offset(k * from).cast::<S>().read_unaligned();
            row.dst.offset(k * to).cast::<D>().write_unaligned(value.cast());
        }
    }
}

/// Conversion of a component, as the table of the parent module has it. Any bytes are a value of a
/// type that implements this.
trait Cast<D>: Copy {
    fn cast(self) -> D;
}

/// A component: converts to all others.
trait Number:
    Cast<i8>
    + Cast<i16>
    + Cast<i32>
    + Cast<i64>
    + Cast<i128>
    + Cast<f32>
    + Cast<f64>
    + Cast<F80>
    + Cast<F128>
{
}

/// What Rust converts itself, in just the way wanted.
macro_rules! native {
    ($($from:ty),*; $to:tt) => { $( native!(@ $from; $to); )* };
    (@ $from:ty; [$($to:ty),*]) => {
        impl Number for $from {}
        $( impl Cast<$to> for $from {
            #[inline(always)]
            fn cast(self) -> $to {
                self as $to
            }
        } )*
    };
}
native!(i8, i16, i32, i64, i128, f32, f64; [i8, i16, i32, i64, i128, f32, f64]);

/// What Rust does not know, from and to integers.
macro_rules! wide_integers {
    ($wide:ty; $($integer:ty),*) => { $(
        impl Cast<$wide> for $integer {
            fn cast(self) -> $wide {
                <$wide>::from(i128::from(self))
            }
        }
        impl Cast<$integer> for $wide {
            fn cast(self) -> $integer {
                let nearest = i128::from(<$integer>::MIN)..=i128::from(<$integer>::MAX);
                self.to_i128().clamp(*nearest.start(), *nearest.end()) as $integer
            }
        }
    )* };
}
wide_integers!(F80; i8, i16, i32, i64, i128);
wide_integers!(F128; i8, i16, i32, i64, i128);

/// What Rust does not know, from and to reals.
macro_rules! wide_reals {
    ($($from:ty => $($to:ty),*;)*) => { $($(
        impl Cast<$to> for $from {
            fn cast(self) -> $to {
                self.into()
            }
        }
    )*)* };
}
wide_reals! {
    f32 => F80, F128;
    f64 => F80, F128;
    F80 => f32, f64, F80, F128;
    F128 => f32, f64, F80, F128;
}
impl Number for F80 {}
impl Number for F128 {}
