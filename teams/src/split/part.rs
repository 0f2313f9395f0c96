//! The arguments of one image in FORM TEAM, and the members of one team.

/// The arguments of one image in FORM TEAM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Number of its team.
    pub number: i64,
    /// The index in its team that NEW_INDEX= asks for.
    pub new_index: Option<i64>,
}

/// The word that stands for a choice without NEW_INDEX=.
const NONE: i64 = i64::MIN;

impl Choice {
    /// Encodes the choice for the exchange among the images.
    pub fn to_words(self) -> [i64; 2] {
        // An index that equals the word becomes its neighbour, which is as invalid.
        let index = self.new_index.map_or(NONE, |index| index.max(NONE + 1));
        [self.number, index]
    }

    /// Decodes what [`Choice::to_words`] has made.
    pub fn from_words([number, index]: [i64; 2]) -> Choice {
        Choice { number, new_index: (index != NONE).then_some(index) }
    }
}

/// The images of one team, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part<'a> {
    /// At a constant distance.
    Every {
        /// The first.
        start: u32,
        /// The distance from one to the next; not 0 if there are several.
        stride: i32,
        /// The number of images.
        len: u32,
    },
    /// Each image by itself.
    List(&'a [u32]),
}

impl Part<'_> {
    /// The images.
    pub fn positions(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.len() as u32).map(|k| match *self {
            Part::Every { start, stride, .. } => start.wrapping_add_signed(stride * k as i32),
            Part::List(images) => images[k as usize],
        })
    }

    /// The number of images.
    pub fn len(&self) -> usize {
        match *self {
            Part::Every { len, .. } => len as usize,
            Part::List(images) => images.len(),
        }
    }

    /// Always false: a team has an image.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
