//! Subscripts of an array from addresses and strides.

use crate::gnu::transfer::Section;
use std::fmt;
use xmp_coarray::front_end::plan::Axis;
use xmp_source::Bounds;

/// Elements of a list that a message shows.
const SHOWN: usize = 8;

/// An array in one piece.
#[derive(Clone, Debug)]
pub struct Array {
    /// The bounds of each dimension.
    pub dims: Vec<Bounds>,
    /// Bytes of an element.
    pub element: i64,
}

/// The subscripts of a section, one of each dimension; none of a scalar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subscripts(Vec<Subscript>);

/// The subscript of a dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subscript {
    /// A scalar.
    One(i64),
    /// A range that is not empty.
    Range {
        /// The first value.
        first: i64,
        /// The last value.
        last: i64,
        /// From one value to the next.
        step: i64,
    },
    /// A vector.
    List(Vec<i64>),
}

/// A subscript that is out of bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The first such value.
    pub subscript: i64,
    /// Number of the dimension, from 1.
    pub dimension: usize,
    /// The bounds of the dimension.
    pub bounds: Bounds,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault { subscript, dimension, bounds: Bounds { lower, upper } } = self;
        write!(f, "subscript {subscript} of dimension {dimension} is not in {lower}:{upper}")
    }
}

impl Array {
    /// Bytes of all elements.
    pub fn size(&self) -> Option<i64> {
        self.dims.iter().try_fold(self.element, |size, dim| size.checked_mul(extent(dim)))
    }

    /// Elements from one index of each dimension to the next; `None` of an array that is empty in a dimension before the last one.
    fn strides(&self) -> Option<Vec<i64>> {
        let mut stride = 1i64;
        let strides = self.dims.iter().map(|dim| {
            let own = Some(stride).filter(|&own| own > 0)?;
            stride = stride.checked_mul(extent(dim))?;
            Some(own)
        });
        strides.collect()
    }

    /// Whether byte `offset` is farther from the array than subscripts of default kind lead: then it is one of another object.
    pub fn is_of_another_object(&self, offset: usize) -> bool {
        let distance = (offset as i64).checked_div_euclid(self.element);
        let farthest = i64::from(i32::MAX).saturating_mul(
            self.strides().map_or(1, |strides| strides.iter().copied().fold(1, i64::max)),
        );
        distance.is_some_and(|distance| distance.checked_abs().is_none_or(|it| it > farthest))
    }

    /// The subscripts of a section whose base is `offset` bytes from the start of the array, and the bytes from the start
    /// of its first element to the base. All but the last subscript of the first element are in bounds. `None` if the
    /// section does not consist of elements of the array.
    pub fn subscripts(&self, offset: usize, section: &Section) -> Option<(Subscripts, i64)> {
        // An address in front of the coarray is a negative offset.
        let start = (offset as i64).checked_add(section.start())?;
        let (mut index, within) =
            (start.checked_div_euclid(self.element)?, start.checked_rem_euclid(self.element)?);
        let strides = self.strides()?;
        let mut subscripts = vec![Subscript::One(0); strides.len()];
        for (dim, stride) in strides.iter().enumerate().rev() {
            let lower = self.dims[dim].lower;
            subscripts[dim] = Subscript::One(lower.checked_add(index.div_euclid(*stride))?);
            index = index.rem_euclid(*stride);
        }
        let axes = section.axes();
        let mut next = 0;
        for (number, axis) in axes.iter().enumerate() {
            let later = axes.len() - number - 1;
            let mut dims = next..strides.len().checked_sub(later)?;
            let dim = match axis {
                Axis::Stride { extent: 1, .. } => dims.next()?,
                _ => dims.rev().find(|&dim| self.runs_along(axis, strides[dim]))?,
            };
            let bytes = strides[dim].checked_mul(self.element)?;
            let Subscript::One(first) = subscripts[dim] else { return None };
            subscripts[dim] = match axis {
                Axis::Stride { extent: 1, .. } => Subscript::One(first),
                Axis::Stride { extent, stride } => {
                    let step = stride / bytes;
                    let steps = i64::try_from(*extent).ok()?.checked_sub(1)?;
                    let last = first.checked_add(steps.checked_mul(step)?)?;
                    Subscript::Range { first, last, step }
                }
                Axis::Index(offsets) => {
                    Subscript::List(offsets.iter().map(|offset| first + offset / bytes).collect())
                }
            };
            next = dim + 1;
        }
        Some((Subscripts(subscripts), within))
    }

    /// The subscripts that lead to these positions in array element order, which count from 0 on in each dimension. `None` of another number
    /// of dimensions, and of positions between elements.
    pub fn subscripts_at(&self, positions: &[Subscript]) -> Option<Subscripts> {
        let strides = self.strides()?;
        if strides.len() != positions.len() {
            return None;
        }
        let subscript = |((position, &stride), dim): ((&Subscript, &i64), &Bounds)| {
            let of = |position: i64| {
                (position % stride == 0).then(|| dim.lower.checked_add(position / stride))?
            };
            Some(match position {
                Subscript::One(only) => Subscript::One(of(*only)?),
                Subscript::List(values) => {
                    Subscript::List(values.iter().map(|&value| of(value)).collect::<Option<_>>()?)
                }
                Subscript::Range { first, last, step } => {
                    let step = Some(step / stride).filter(|&step| step != 0)?;
                    Subscript::Range { first: of(*first)?, last: of(*last)?, step }
                }
            })
        };
        let found = positions.iter().zip(&strides).zip(&self.dims).map(subscript);
        Some(Subscripts(found.collect::<Option<_>>()?))
    }

    /// Whether an axis leads from one index to others of a dimension with this stride in elements.
    fn runs_along(&self, axis: &Axis<'_>, stride: i64) -> bool {
        let bytes = stride.saturating_mul(self.element);
        let is_multiple = |distance: i64| distance % bytes == 0;
        match axis {
            Axis::Stride { stride, .. } => *stride != 0 && is_multiple(*stride),
            Axis::Index(offsets) => offsets.iter().all(|&offset| is_multiple(offset)),
        }
    }

    /// The last dimension with a subscript that is out of bounds, if there is one.
    pub fn fault(&self, subscripts: &Subscripts) -> Option<Fault> {
        let mut dims = self.dims.iter().zip(&subscripts.0).enumerate().rev();
        dims.find_map(|(number, (&bounds, subscript))| {
            let subscript = subscript.first_outside(bounds)?;
            Some(Fault { subscript, dimension: number + 1, bounds })
        })
    }

    /// Other subscripts of the same elements, instead of those whose subscript of this dimension (from 1) is out of bounds.
    /// The last dimension's are moved into their bounds, and those before them out of theirs. Others leave their bounds at the
    /// other end, and the next dimension's change by 1. `None` if more subscripts would be out of bounds.
    pub fn shifted(&self, subscripts: &Subscripts, dimension: usize) -> Option<Subscripts> {
        let is_last = dimension == self.dims.len();
        let outer = if is_last { dimension.checked_sub(1)? } else { dimension };
        let inner = outer.checked_sub(1)?;
        let Bounds { lower, upper } = self.dims[dimension - 1];
        let (least, greatest) = subscripts.0[dimension - 1].ends()?;
        let lines = if is_last && greatest > upper {
            greatest.checked_sub(upper)?
        } else if is_last {
            least.min(lower).checked_sub(lower)?
        } else if greatest > upper {
            -1
        } else {
            1
        };
        let mut moved = subscripts.0.clone();
        moved[outer] = moved[outer].plus(lines.checked_neg()?)?;
        moved[inner] = moved[inner].plus(lines.checked_mul(extent(&self.dims[inner]))?)?;
        let (least, greatest) = moved[outer].ends()?;
        let Bounds { lower, upper } = self.dims[outer];
        let is_inside = lines != 0 && least >= lower && greatest <= upper;
        is_inside.then_some(Subscripts(moved))
    }
}

impl Subscript {
    /// The least and the greatest value.
    fn ends(&self) -> Option<(i64, i64)> {
        match self {
            Subscript::One(only) => Some((*only, *only)),
            Subscript::Range { first, last, .. } => Some((*first.min(last), *first.max(last))),
            Subscript::List(values) => Some((*values.iter().min()?, *values.iter().max()?)),
        }
    }

    /// With this number added to all values.
    fn plus(&self, number: i64) -> Option<Subscript> {
        let plus = |value: &i64| value.checked_add(number);
        Some(match self {
            Subscript::One(only) => Subscript::One(plus(only)?),
            Subscript::Range { first, last, step } => {
                Subscript::Range { first: plus(first)?, last: plus(last)?, step: *step }
            }
            Subscript::List(values) => {
                Subscript::List(values.iter().map(plus).collect::<Option<_>>()?)
            }
        })
    }

    fn first_outside(&self, Bounds { lower, upper }: Bounds) -> Option<i64> {
        let is_outside = |value: &i64| !(lower..=upper).contains(value);
        match self {
            Subscript::One(only) => Some(*only).filter(is_outside),
            Subscript::List(values) => values.iter().copied().find(is_outside),
            Subscript::Range { first, .. } if is_outside(first) => Some(*first),
            Subscript::Range { first, last, step } => {
                // The first step that leads out of the bounds.
                let room = if *step > 0 { upper - first } else { first - lower };
                let outside = first + (room / step.abs() + 1) * step;
                is_outside(last).then_some(outside)
            }
        }
    }
}

impl fmt::Display for Subscripts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return Ok(());
        }
        let texts: Vec<String> = self.0.iter().map(Subscript::to_string).collect();
        write!(f, "({})", texts.join(", "))
    }
}

impl fmt::Display for Subscript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subscript::One(only) => write!(f, "{only}"),
            Subscript::Range { first, last, step: 1 } => write!(f, "{first}:{last}"),
            Subscript::Range { first, last, step } => write!(f, "{first}:{last}:{step}"),
            Subscript::List(values) => {
                let shown: Vec<String> = values.iter().take(SHOWN).map(i64::to_string).collect();
                let more = if values.len() > SHOWN { ", ..." } else { "" };
                write!(f, "[{}{more}]", shown.join(", "))
            }
        }
    }
}

fn extent(dim: &Bounds) -> i64 {
    dim.upper.saturating_sub(dim.lower).saturating_add(1).max(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// u(0:201, 0:51) of 8 bytes.
    fn heat() -> Array {
        let dims = [201, 51].map(|upper| Bounds { lower: 0, upper });
        Array { dims: dims.to_vec(), element: 8 }
    }

    #[test]
    fn positions_of_each_dimension_lead_to_its_subscripts() {
        let found = |positions: &[Subscript]| {
            let subscripts = heat().subscripts_at(positions)?;
            Some((subscripts.to_string(), heat().fault(&subscripts).map(|fault| fault.subscript)))
        };
        let row = [Subscript::Range { first: -1, last: 3, step: 1 }, Subscript::One(404)];
        assert_eq!(found(&row), Some(("(-1:3, 2)".into(), Some(-1))));
        let column = [Subscript::One(0), Subscript::Range { first: 202, last: 606, step: 202 }];
        assert_eq!(found(&column), Some(("(0, 1:3)".into(), None)));
        let list = [Subscript::List(vec![5, 202]), Subscript::One(0)];
        assert_eq!(found(&list), Some(("([5, 202], 0)".into(), Some(202))));
        assert_eq!(found(&[Subscript::One(0), Subscript::One(1)]), None);
        assert_eq!(found(&[Subscript::One(0)]), None);
    }

    #[test]
    fn an_address_that_no_subscripts_of_default_kind_lead_to_is_that_of_another_object() {
        // The last dimension has the greatest stride: 202 elements.
        let last = 202 * 8 * i64::from(i32::MAX);
        for (offset, expected) in [
            (0, false),
            (-8, false),
            (last, false),
            (-last, false),
            (last + 8, true),
            (i64::MIN, true),
        ] {
            assert_eq!(heat().is_of_another_object(offset as usize), expected, "{offset}");
        }
    }

    fn section(axes: &[(usize, i64)]) -> Section {
        let mut section = Section::whole();
        for &(extent, stride) in axes {
            section.add_range(extent, stride);
        }
        section
    }

    /// The subscripts, the fault in them, and the other ones with the same addresses.
    fn described(array: &Array, element: i64, axes: &[(usize, i64)]) -> [String; 3] {
        let offset = (element * array.element) as usize;
        let (subscripts, within) = array.subscripts(offset, &section(axes)).unwrap();
        assert_eq!(within, 0);
        let fault = array.fault(&subscripts).map(|fault| {
            let Fault { subscript, dimension, bounds: Bounds { lower, upper } } = fault;
            format!("{subscript} of {dimension}: {lower}:{upper}")
        });
        let dimension = array.fault(&subscripts).map(|fault| fault.dimension);
        let others = dimension.and_then(|dimension| array.shifted(&subscripts, dimension));
        let others = others.map(|others| others.to_string());
        [subscripts.to_string(), fault.unwrap_or_default(), others.unwrap_or_default()]
    }

    #[test]
    fn subscripts_follow_from_addresses() {
        let column = |number: i64| described(&heat(), 1 + 202 * number, &[(200, 8)]);
        assert_eq!(column(51), ["(1:200, 51)", "", ""]);
        assert_eq!(column(52), ["(1:200, 52)", "52 of 2: 0:51", "(203:402, 51)"]);
        assert_eq!(column(-1), ["(1:200, -1)", "-1 of 2: 0:51", "(-201:-2, 0)"]);
        let row = described(&heat(), 5, &[(53, 202 * 8)]);
        assert_eq!(row, ["(5, 0:52)", "52 of 2: 0:51", ""]);
        // From a column into the next one.
        let two = described(&heat(), 100 + 202 * 3, &[(150, 8)]);
        assert_eq!(two, ["(100:249, 3)", "202 of 1: 0:201", "(-102:47, 4)"]);
        let back = described(&heat(), 1 + 202 * 3, &[(4, -8)]);
        assert_eq!(back, ["(1:-2:-1, 3)", "-1 of 1: 0:201", "(203:200:-1, 2)"]);
        let last = described(&heat(), 100 + 202 * 50, &[(103, 8), (2, 202 * 8)]);
        assert_eq!(last, ["(100:202, 50:51)", "202 of 1: 0:201", ""]);
        let both = described(&heat(), 5 + 202, &[(4, 16), (2, -202 * 8)]);
        assert_eq!(both, ["(5:11:2, 1:0:-1)", "", ""]);
    }

    #[test]
    fn one_dimension_has_one_reading() {
        let dims = vec![Bounds { lower: 1, upper: 10 }];
        let array = Array { dims, element: 4 };
        assert_eq!(described(&array, 14, &[]), ["(15)", "15 of 1: 1:10", ""]);
        assert_eq!(described(&array, -1, &[]), ["(0)", "0 of 1: 1:10", ""]);
        assert_eq!(described(&array, 4, &[(11, 4)]), ["(5:15)", "11 of 1: 1:10", ""]);
        assert_eq!(described(&array, 9, &[(5, -12)]), ["(10:-2:-3)", "-2 of 1: 1:10", ""]);
        assert_eq!(described(&array, 0, &[(4, 16)]), ["(1:13:4)", "13 of 1: 1:10", ""]);
        let mut list = Section::whole();
        list.add_list(vec![0, 16, 44]);
        let (subscripts, _) = array.subscripts(0, &list).unwrap();
        assert_eq!(subscripts.to_string(), "([1, 5, 12])");
        assert_eq!(array.fault(&subscripts).unwrap().subscript, 12);
    }

    #[test]
    fn an_array_that_is_empty_in_its_last_dimension_has_subscripts() {
        let [some, none] = [3, 0].map(|upper| Bounds { lower: 1, upper });
        let vector = Array { dims: vec![none], element: 4 };
        assert_eq!(described(&vector, 1, &[]), ["(2)", "2 of 1: 1:0", ""]);
        assert_eq!(described(&vector, 0, &[(3, 4)]), ["(1:3)", "1 of 1: 1:0", ""]);
        let matrix = Array { dims: vec![some, none], element: 4 };
        assert_eq!(described(&matrix, 4, &[]), ["(2, 2)", "2 of 2: 1:0", ""]);
        // The address does not depend on the second subscript.
        let matrix = Array { dims: vec![none, some], element: 4 };
        assert_eq!(matrix.subscripts(0, &section(&[])), None);
    }

    #[test]
    fn what_is_no_section_of_the_array_has_no_subscripts() {
        assert_eq!(heat().subscripts(0, &section(&[(3, 12)])), None);
        assert_eq!(heat().subscripts(0, &section(&[(2, 8), (2, 16), (2, 1616)])), None);
        let scalar = Array { dims: vec![], element: 4 };
        assert_eq!(scalar.subscripts(0, &section(&[])).unwrap().0.to_string(), "");
    }
}
