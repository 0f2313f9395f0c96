//! The call of a collective operation: its name, and those of its arguments that all images give alike.

use crate::array_shape::ArrayShape;
use crate::moved;
use crate::reduction::Reduction;
use std::borrow::Cow;
use std::fmt::{self, Display};
use xmp_core::Rank;
use xmp_core::counted::counted;
use xmp_core::language::Language;

/// The call of an image: the operation, and those of its arguments that all images must give alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    operation: Name,
    /// The name of the reduction.
    reduction: Name,
    /// The number of the program's operation; 0 without one.
    procedure: u64,
    /// The number of the type of elements that are moved.
    moved: u64,
    count: u64,
    /// Bytes of an element.
    element: u64,
    shape: ArrayShape,
    /// The position of the root, from 1; 0 if the operation has none.
    root: u64,
    /// A hash of the mappings and sections of arrays; 0 if the operation has none.
    mapping: u64,
    /// 1 if the image refuses the operation because of its arguments, otherwise 0.
    refuses: u64,
}

impl Call {
    /// A call of the operation with this name.
    pub fn of(operation: &str) -> Call {
        Call {
            operation: Name::new(operation),
            reduction: Name::new(""),
            procedure: 0,
            moved: 0,
            count: 0,
            element: 0,
            shape: ArrayShape::NONE,
            root: 0,
            mapping: 0,
            refuses: 0,
        }
    }

    /// A call of the operation with this name that the image refuses because of its arguments.
    pub fn refused(operation: &str) -> Call {
        Call { refuses: 1, ..Call::of(operation) }
    }

    /// The call with `count` elements of `element` bytes from each image.
    pub fn elements(self, count: usize, element: usize) -> Call {
        Call { count: count as u64, element: element as u64, ..self }
    }

    /// The call with a reduction of this name.
    pub(crate) fn reduction(self, name: &str) -> Call {
        Call { reduction: Name::new(name), ..self }
    }

    /// The call with elements of the type of this number ([`moved`]), which it moves.
    pub(crate) fn moving(self, code: u32) -> Call {
        Call { moved: code.into(), ..self }
    }

    /// The call with the program's operation of this number.
    pub(crate) fn by_procedure(self, number: u32) -> Call {
        Call { procedure: number.into(), ..self }
    }

    /// The call with `count` elements from each image, and this reduction.
    pub fn combined(self, count: usize, reduction: &Reduction<'_>) -> Call {
        let name = Name::new(&reduction.to_string());
        let call = self.elements(count, reduction.element()).by_procedure(reduction.procedure());
        Call { reduction: name, ..call }.of_shape(reduction.shape())
    }

    /// The call with an array of this shape.
    pub(crate) fn of_shape(self, shape: ArrayShape) -> Call {
        Call { shape, ..self }
    }

    /// The call with the image at this 0-based position as root.
    pub fn root(self, position: usize) -> Call {
        Call { root: (position as u64).saturating_add(1), ..self }
    }

    /// The call with arrays and sections that have this hash.
    pub fn mapped(self, mapping: u64) -> Call {
        Call { mapping, ..self }
    }

    /// The call in the words of a language.
    pub(crate) fn in_words_of(self, language: Language) -> Call {
        let reduction = self.reduction.to_string();
        let operation = Name::new(&language.collective(&self.operation.to_string(), &reduction));
        Call { operation, reduction: Name::new(&language.reduction(&reduction)), ..self }
    }

    /// The first difference to another call. `statements` are those of both images, nothing where they are the same.
    pub(crate) fn difference(
        &self,
        other: &Call,
        [me, it]: [Rank; 2],
        statements: [&str; 2],
    ) -> String {
        let [here, there] = statements.map(|statement| match statement {
            "" => String::new(),
            place => format!(" ({place})"),
        });
        if self.operation != other.operation {
            let (mine, its) = (self.operation, other.operation);
            return format!("{me} executes {mine}{here}, {it} {its}{there}");
        }
        if self.refuses != other.refuses {
            let (who, place) = if self.refuses != 0 { (me, here) } else { (it, there) };
            return format!(
                "{who} refuses the arguments that it gives to {}{place}",
                self.operation
            );
        }
        if self.reduction != other.reduction {
            return format!(
                "{me} wants the {}{here}, {it} the {}{there}",
                self.reduction, other.reduction
            );
        }
        if let Some(lengths) = self.difference_of_lengths(other, [me, it], [&here, &there]) {
            return lengths;
        }
        if self.shape != other.shape {
            let [mine, its] = [self, other].map(|call| call.shape.to_string());
            if mine == its {
                return format!("{me}{here} and {it}{there} give arrays of different shapes");
            }
            return format!("{me} gives {mine}{here}, {it} gives {its}{there}");
        }
        if self.mapping != other.mapping {
            return format!(
                "{me}{here} and {it}{there} give arrays that are mapped differently, or different parts of them"
            );
        }
        if self.procedure != other.procedure {
            return format!("{me}{here} and {it}{there} give different operations");
        }
        let root = |call: &Call| match call.root {
            0 => "missing".to_string(),
            u64::MAX => "no image".to_string(),
            root => format!("image {root}"),
        };
        format!("the root is {} on {me}{here}, {} on {it}{there}", root(self), root(other))
    }

    /// The first difference of the types and numbers of elements.
    fn difference_of_lengths(
        &self,
        other: &Call,
        [me, it]: [Rank; 2],
        [here, there]: [&str; 2],
    ) -> Option<String> {
        if self.moved != other.moved && self.moved.min(other.moved) > u64::from(u8::MAX) {
            return Some(format!("{me}{here} and {it}{there} give different lengths of the parts"));
        }
        if self.moved != other.moved {
            let [mine, its] = [self, other].map(|call| moved::name(call.moved as u32));
            return Some(format!("{me} gives {mine}{here}, {it} gives {its}{there}"));
        }
        if self.element != other.element {
            let (mine, its) = (counted(self.element, "byte"), other.element);
            return Some(format!("{me} gives elements of {mine}{here}, {it} of {its}{there}"));
        }
        if self.count == other.count {
            return None;
        }
        let is_moved = self.element == 1 && self.reduction == Name::new("");
        let counts = [self.count, other.count];
        // A part of an element may be there on one image.
        let ([mine, its], unit) = if is_moved {
            moved::in_one_unit([self, other].map(|call| call.moved as u32), counts)
        } else {
            (counts, "element")
        };
        let mine = counted(mine, unit);
        Some(format!("{me} gives {mine}{here}, {it} gives {its}{there}"))
    }
}

/// A short text that can be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Name([u8; 32]);

impl Name {
    /// The beginning of a text, with zero bytes after it.
    fn new(text: &str) -> Name {
        let mut bytes = [0; 32];
        let len = text.len().min(bytes.len());
        bytes[..len].copy_from_slice(&text.as_bytes()[..len]);
        Name(bytes)
    }
}

impl Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text(&self.0))
    }
}

/// The text that ends with these bytes or before the first zero.
pub(crate) fn text(bytes: &[u8]) -> Cow<'_, str> {
    let len = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..len])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Op;
    use xmp_core::number::ElemType;

    #[test]
    fn texts_name_images_and_values() {
        let images = [Rank::new(0), Rank::new(2)];
        let text = |a: Call, b: Call| a.difference(&b, images, ["", ""]);
        let sum = |count| Call::of("allreduce").combined(count, &Reduction::number::<f64>(Op::Sum));
        assert_eq!(text(sum(10), sum(12)), "image 1 gives 10 elements, image 3 gives 12");
        assert_eq!(
            text(sum(1), Call::of("allreduce").combined(1, &Reduction::number::<i32>(Op::Min))),
            "image 1 wants the sum of f64, image 3 the minimum of i32"
        );
        assert_eq!(
            text(sum(1), Call::of("barrier")),
            "image 1 executes allreduce, image 3 barrier"
        );
        assert_eq!(
            sum(1).difference(&Call::of("barrier"), images, ["a.f90:3", "a.f90:7"]),
            "image 1 executes allreduce (a.f90:3), image 3 barrier (a.f90:7)"
        );
        let fortran = |call: Call| call.in_words_of(Language::Fortran);
        let least = Call::of("reduce").combined(1, &Reduction::number::<i32>(Op::Min));
        assert_eq!(
            text(fortran(sum(1)), fortran(least)),
            "image 1 executes co_sum, image 3 co_min"
        );
        let to_one = Call::of("reduce").combined(1, &Reduction::number::<f64>(Op::Sum)).root(1);
        assert_eq!(
            text(fortran(sum(1)), fortran(to_one)),
            "the root is missing on image 1, image 2 on image 3"
        );
        let whole = Call::of("allreduce").combined(1, &Reduction::number::<i32>(Op::Sum));
        assert_eq!(
            text(fortran(sum(1)), fortran(whole)),
            "image 1 wants the sum of real(8), image 3 the sum of integer(4)"
        );
        assert_eq!(
            text(Call::of("gmove").mapped(7), Call::refused("gmove")),
            "image 3 refuses the arguments that it gives to gmove"
        );
        let broadcast = |len, root| Call::of("broadcast").elements(1, len).root(root);
        assert_eq!(
            text(broadcast(4, 0), broadcast(8, 0)),
            "image 1 gives elements of 4 bytes, image 3 of 8"
        );
        assert_eq!(
            text(
                broadcast(1, 0).elements(40, 1).moving(moved::code(ElemType::Real(8))),
                broadcast(1, 0).elements(48, 1).moving(moved::code(ElemType::Real(8)))
            ),
            "image 1 gives 5 elements, image 3 gives 6"
        );
        assert_eq!(
            text(broadcast(4, 0), broadcast(4, 1)),
            "the root is image 1 on image 1, image 2 on image 3"
        );
    }

    #[test]
    fn long_names_are_cut() {
        let name = Name::new(&"\u{e4}".repeat(40));
        assert_eq!(name.to_string(), "\u{e4}".repeat(16));
    }
}
