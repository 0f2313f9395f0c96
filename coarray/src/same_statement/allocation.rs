//! The allocations of an ALLOCATE statement: the words that images compare, and the texts of messages.

use xmp_collectives::statement::WORDS;
use xmp_core::counted::counted;

/// The coarrays that an ALLOCATE statement allocates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allocation {
    /// Bytes of all its coarrays.
    pub bytes: u64,
    /// A hash of the facts that `bytes` and `only` do not have. For one coarray these are its dynamic type, and its bounds if `only` has
    /// none; for more coarrays their sizes, bounds and dynamic types, in their order.
    pub shapes: u32,
    /// The variables: a number of the program in the upper half, a number of the variables in the lower half; 0 if they are not known.
    /// Images of different programs do not compare it.
    pub variables: u32,
    /// The coarray, if the statement allocates one.
    pub only: Option<OnlyCoarray>,
}

/// The only coarray of an ALLOCATE statement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OnlyCoarray {
    /// Bytes of an element.
    pub element: u64,
    /// The number of its basic type in the ABI of the compiler.
    pub basic: u8,
    /// Number of dimensions.
    pub rank: u8,
    /// Number of codimensions.
    pub corank: u8,
    /// Its bounds, and then its cobounds, if all of them are known and fit.
    pub bounds: Option<[Bound; MAX_BOUNDS]>,
}

/// The greatest number of bounds and cobounds that images compare one by one, and name. Of a coarray with more bounds they compare a hash.
pub const MAX_BOUNDS: usize = 4;

/// The number of subscripts of the last codimension, which has no upper bound.
pub const NO_UPPER_BOUND: u32 = u32::MAX;

/// The bounds of a dimension or of a codimension, as a word that images compare: the lower one in its upper half, the number of subscripts
/// in the lower one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bound(u64);

/// The bit for known bounds in the word of [`OnlyCoarray`].
const KNOWN: u64 = 1 << 63;

/// Bits of an element's size in the word of [`OnlyCoarray`].
const ELEMENT: u32 = 48;

impl Allocation {
    #[inline(always)]
    pub(super) fn words(&self) -> [u64; WORDS] {
        let which = u64::from(self.variables) << 32 | u64::from(self.shapes);
        let Some(OnlyCoarray { element, basic, rank, corank, bounds }) = self.only else {
            return [self.bytes, which, 0, 0, 0, 0, 0];
        };
        let kind = u64::from(basic & 0x7f) << 56
            | u64::from(rank & 15) << 52
            | u64::from(corank & 15) << ELEMENT
            | element.min((1 << ELEMENT) - 1);
        match bounds {
            Some([Bound(a), Bound(b), Bound(c), Bound(d)]) => {
                [self.bytes, which, KNOWN | kind, a, b, c, d]
            }
            None => [self.bytes, which, kind, 0, 0, 0, 0],
        }
    }

    pub(super) fn of_words([bytes, which, kind, bounds @ ..]: [u64; WORDS]) -> Allocation {
        let only = OnlyCoarray {
            element: kind & ((1 << ELEMENT) - 1),
            basic: (kind >> 56) as u8 & 0x7f,
            rank: (kind >> 52) as u8 & 15,
            corank: (kind >> ELEMENT) as u8 & 15,
            bounds: (kind & KNOWN != 0).then(|| bounds.map(Bound)),
        };
        Allocation {
            bytes,
            shapes: which as u32,
            variables: (which >> 32) as u32,
            only: (kind != 0).then_some(only),
        }
    }

    /// Tells whether the variables of two allocations can be compared.
    fn know_variables(&self, other: &Allocation) -> bool {
        let [own, theirs] = [self, other].map(|of| of.variables >> 16);
        own != 0 && own == theirs
    }

    /// Tells whether two images allocate the same, as far as they can know.
    pub(super) fn matches(&self, other: &Allocation) -> bool {
        let variables = if self.know_variables(other) { self.variables } else { other.variables };
        *other == Allocation { variables, ..*self }
    }

    /// The difference between the allocations of two images, for a message.
    pub(super) fn difference(&self, [one, other]: [String; 2], theirs: &Allocation) -> String {
        let texts: [fn(&Allocation) -> Option<String>; 3] =
            [|of| Some(of.described()), Allocation::with_bounds, Allocation::with_element];
        for text in texts {
            if let (Some(own), Some(theirs)) = (text(self), text(theirs))
                && own != theirs
            {
                return format!("{one} allocates {own}, {other} {theirs}");
            }
        }
        if self.know_variables(theirs) && self.variables != theirs.variables {
            return format!("{one} and {other} allocate different coarrays, of the same size");
        }
        let what = match (self.only, theirs.only) {
            (Some(own), Some(theirs)) if own.basic != theirs.basic => {
                "a coarray of different types"
            }
            (Some(OnlyCoarray { bounds: Some(_), .. }), Some(_)) => {
                "a coarray of different dynamic types"
            }
            (Some(_), Some(_)) => "a coarray of different bounds, cobounds or dynamic types",
            _ => "coarrays of different sizes, bounds, cobounds or dynamic types",
        };
        format!("{one} and {other} allocate {what}")
    }

    /// The coarrays in the user's terms.
    pub(super) fn described(&self) -> String {
        let Some(only) = self.only else {
            return format!("coarrays of {}", counted(self.bytes, "byte"));
        };
        let extents: Vec<String> =
            only.dimensions().iter().map(|bound| bound.extent().to_string()).collect();
        match extents.len() {
            2.. => format!("a coarray of shape ({})", extents.join(", ")),
            1 => format!("a coarray of {}", counted(&extents[0], "element")),
            0 => {
                format!("a coarray of {}", counted(self.bytes / only.element.max(1), "element"))
            }
        }
    }

    /// The coarray with its bounds and cobounds, if they are known.
    fn with_bounds(&self) -> Option<String> {
        let only = self.only.filter(|only| only.bounds.is_some())?;
        let dimensions: Vec<String> = only.dimensions().iter().map(Bound::text).collect();
        let codimensions: Vec<String> = only.codimensions().iter().map(Bound::text).collect();
        let codimensions = codimensions.join(", ");
        Some(match dimensions.len() {
            0 => format!("a coarray with the cobounds [{codimensions}]"),
            _ => format!("a coarray with the bounds ({})[{codimensions}]", dimensions.join(", ")),
        })
    }

    /// The coarray with the size of its elements.
    fn with_element(&self) -> Option<String> {
        let only = self.only?;
        let each = if only.dimensions().len() > 1 { "with elements of" } else { "of" };
        Some(format!("{} {each} {}", self.described(), counted(only.element, "byte")))
    }
}

impl OnlyCoarray {
    /// The bounds of its dimensions, if they are known.
    fn dimensions(&self) -> &[Bound] {
        let bounds = self.bounds.as_ref();
        bounds.map_or(&[], |bounds| &bounds[..usize::from(self.rank).min(MAX_BOUNDS)])
    }

    /// The bounds of its codimensions, if they are known.
    fn codimensions(&self) -> &[Bound] {
        let (rank, corank) = (usize::from(self.rank), usize::from(self.corank));
        let bounds = self.bounds.as_ref();
        bounds.and_then(|bounds| bounds.get(rank..rank + corank)).unwrap_or_default()
    }
}

impl Bound {
    /// Those of a lower bound and a number of subscripts, which is [`NO_UPPER_BOUND`] for the last codimension; `None` if they do not
    /// fit.
    #[inline]
    pub fn new(lower: isize, extent: u64) -> Option<Bound> {
        let (lower, extent) = (i32::try_from(lower).ok()?, u32::try_from(extent).ok()?);
        Some(Bound(u64::from(lower as u32) << 32 | u64::from(extent)))
    }

    /// The word.
    #[inline]
    pub fn word(self) -> u64 {
        self.0
    }

    fn lower(self) -> i32 {
        (self.0 >> 32) as i32
    }

    fn extent(self) -> u32 {
        self.0 as u32
    }

    /// As the source writes it.
    fn text(&self) -> String {
        let (lower, extent) = (self.lower(), self.extent());
        if lower == 1 && extent == NO_UPPER_BOUND {
            return "*".into();
        }
        if extent == NO_UPPER_BOUND {
            return format!("{lower}:*");
        }
        format!("{lower}:{}", i64::from(lower) + i64::from(extent) - 1)
    }
}
