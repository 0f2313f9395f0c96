//! Distribution of the indices of one template dimension over one dimension of nodes.
//!
//! Every format numbers the indices of a node densely, in their order: *ordinals*, from 0. They are the local indices
//! of loops, and up to shadow and the start of an array those of its elements.

use super::error::{MappingError, Result};
use super::runs::Runs;
use crate::counted::counted;
use smallvec::{SmallVec, smallvec};

/// A distribution format (XcalableMP 1.4, 4.3.3).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// `*`: every node has all indices.
    Collapsed,
    /// `block`: [`Format::BlockOf`] with the smallest width that suffices.
    Block,
    /// `block(n)`: node k has the k-th n indices; the last nodes may have none.
    BlockOf(i64),
    /// `cyclic`, which is `cyclic(1)`.
    Cyclic,
    /// `cyclic(n)`: blocks of n are assigned to the nodes in turn.
    CyclicOf(i64),
    /// `gblock(m)`: node k has the next m(k) indices.
    Gblock(Vec<i64>),
    /// `gblock(*)`: known when the template is fixed.
    GblockStar,
}

impl Format {
    /// Checks the format of the dimension number `dim` (from 1) as far as possible before its bounds are known.
    ///
    /// # Errors
    /// [`MappingError::Dimension`] for a width below 1, and a mapping array with a negative size or another number of
    /// sizes than nodes.
    pub fn check(&self, dim: usize, nodes: usize) -> Result<()> {
        let why = match self {
            Format::BlockOf(width @ ..1) | Format::CyclicOf(width @ ..1) => {
                format!("blocks of {width} indices")
            }
            Format::Gblock(sizes) if sizes.len() != nodes => {
                format!("{} of gblock for {}", counted(sizes.len(), "size"), counted(nodes, "node"))
            }
            Format::Gblock(sizes) => match sizes.iter().find(|&&size| size < 0) {
                Some(size) => format!("a gblock of {size} indices"),
                None => return Ok(()),
            },
            _ => return Ok(()),
        };
        Err(MappingError::Dimension { dim, why })
    }
}

/// A template dimension that is distributed over a number of nodes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Axis {
    lower: i64,
    upper: i64,
    nodes: usize,
    manner: Manner,
}

/// A distribution format with its resolved widths.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Manner {
    Collapsed,
    /// Blocks of this width, all on different nodes.
    Block(i64),
    /// Blocks of this width in turn.
    Cyclic(i64),
    /// The start of each node's block, counted from the lower bound, and the end of the last.
    Gblock(Vec<i64>),
}

impl Axis {
    /// The dimension number `dim` (from 1) with these bounds, lower and upper, over `nodes` nodes; a collapsed one over 1.
    ///
    /// # Errors
    /// [`MappingError::BlockTooSmall`], [`MappingError::GblockSum`], [`MappingError::NotFixed`] for
    /// [`Format::GblockStar`], [`MappingError::Dimension`] for an empty dimension, a width below 1, and a mapping array
    /// with a negative size or another number of sizes than nodes.
    pub fn new(dim: usize, bounds: (i64, i64), format: &Format, nodes: usize) -> Result<Axis> {
        let (lower, upper) = bounds;
        let wrong = |why: String| MappingError::Dimension { dim, why };
        let extent = match upper.checked_sub(lower).and_then(|steps| steps.checked_add(1)) {
            Some(extent) if extent > 0 => extent,
            _ => return Err(wrong(format!("bounds {lower}:{upper} have no index"))),
        };
        let count = nodes as i64;
        format.check(dim, nodes)?;
        let manner = match format {
            Format::Collapsed => Manner::Collapsed,
            Format::Block => Manner::Block((extent - 1) / count + 1),
            Format::BlockOf(width) => {
                let width = *width;
                if width.saturating_mul(count) < extent {
                    return Err(MappingError::BlockTooSmall { dim, width, nodes, extent });
                }
                Manner::Block(width.min(extent))
            }
            Format::Cyclic => Manner::Cyclic(1),
            Format::CyclicOf(width) => Manner::Cyclic((*width).min(extent)),
            Format::GblockStar => return Err(MappingError::NotFixed("gblock mapping array")),
            Format::Gblock(sizes) => {
                let mut starts = vec![0_i64];
                for size in sizes {
                    let last = starts[starts.len() - 1];
                    starts.push(last.saturating_add(*size));
                }
                let sum = starts[nodes];
                if sum != extent {
                    return Err(MappingError::GblockSum { dim, sum, extent });
                }
                Manner::Gblock(starts)
            }
        };
        // One node has all indices, in one block.
        let manner = match manner {
            Manner::Cyclic(_) if nodes == 1 => Manner::Block(extent),
            manner => manner,
        };
        Ok(Axis { lower, upper, nodes, manner })
    }

    /// First index.
    pub fn lower(&self) -> i64 {
        self.lower
    }

    /// Last index.
    pub fn upper(&self) -> i64 {
        self.upper
    }

    /// Number of indices.
    pub fn extent(&self) -> i64 {
        self.upper - self.lower + 1
    }

    /// Number of nodes; 1 if every node has all indices.
    pub fn nodes(&self) -> usize {
        match self.manner {
            Manner::Collapsed => 1,
            _ => self.nodes,
        }
    }

    /// Whether every node has all indices (`*`).
    pub fn is_collapsed(&self) -> bool {
        self.manner == Manner::Collapsed
    }

    /// Whether each node has one block: then its neighbours have the indices around it.
    pub fn is_blocked(&self) -> bool {
        !matches!(self.manner, Manner::Cyclic(_))
    }

    /// Width of a block; `None` for gblock and `*`.
    pub fn width(&self) -> Option<i64> {
        match self.manner {
            Manner::Block(width) | Manner::Cyclic(width) => Some(width),
            Manner::Collapsed | Manner::Gblock(_) => None,
        }
    }

    /// The node that has an index.
    ///
    /// # Panics
    /// When the index is not in the dimension.
    pub fn owner(&self, index: i64) -> usize {
        assert!((self.lower..=self.upper).contains(&index), "template index {index}");
        let distance = index - self.lower;
        match &self.manner {
            Manner::Collapsed => 0,
            Manner::Block(width) => (distance / width) as usize,
            Manner::Cyclic(width) => (distance / width) as usize % self.nodes,
            // The last block that starts at or before it; empty blocks start there, too, but are before it.
            Manner::Gblock(starts) => starts.partition_point(|&start| start <= distance) - 1,
        }
    }

    /// The indices of a node.
    pub fn owned(&self, node: usize) -> SmallVec<[Runs; 2]> {
        let node = node as i64;
        let extent = self.extent();
        let mut owned: SmallVec<[Runs; 2]> = smallvec![];
        match &self.manner {
            Manner::Collapsed => owned.extend(Runs::one(self.lower, extent)),
            Manner::Block(width) => {
                let start = (node * width).min(extent);
                owned.extend(Runs::one(self.lower + start, (*width).min(extent - start)));
            }
            Manner::Cyclic(width) => {
                let (start, round) = (node * width, width * self.nodes as i64);
                let rounds = extent / round;
                let rest = (extent - rounds * round - start).clamp(0, *width);
                let first = self.lower + start;
                // A whole block at the end is one more of the others.
                let whole = rounds + i64::from(rest == *width);
                owned.extend(Runs::every(first, *width, round, whole));
                if rest < *width {
                    owned.extend(Runs::one(first + rounds * round, rest));
                }
            }
            Manner::Gblock(starts) => {
                let (start, end) = (starts[node as usize], starts[node as usize + 1]);
                owned.extend(Runs::one(self.lower + start, end - start));
            }
        }
        owned
    }

    /// How many indices of a node are before `index`: its ordinal, if the node has it. Indices may be outside the
    /// dimension.
    pub fn before(&self, node: usize, index: i64) -> i64 {
        let distance = index.clamp(self.lower, self.upper + 1) - self.lower;
        let node = node as i64;
        match &self.manner {
            Manner::Collapsed => distance,
            Manner::Block(width) => (distance - node * width).clamp(0, *width),
            Manner::Cyclic(width) => {
                let round = width * self.nodes as i64;
                distance / round * width + (distance % round - node * width).clamp(0, *width)
            }
            Manner::Gblock(starts) => {
                let (start, end) = (starts[node as usize], starts[node as usize + 1]);
                (distance - start).clamp(0, end - start)
            }
        }
    }

    /// Number of indices of a node.
    pub fn count(&self, node: usize) -> i64 {
        self.before(node, self.upper + 1)
    }

    /// The index with an ordinal. With blocks, ordinals may go beyond the node's indices; negative ones are before its
    /// block, where its shadow is.
    pub fn index(&self, node: usize, ordinal: i64) -> i64 {
        let start = match &self.manner {
            Manner::Collapsed => 0,
            Manner::Block(width) => node as i64 * width,
            Manner::Cyclic(width) => {
                let round = width * self.nodes as i64;
                let (blocks, rest) = (ordinal.div_euclid(*width), ordinal.rem_euclid(*width));
                return self.lower + blocks * round + node as i64 * width + rest;
            }
            Manner::Gblock(starts) => starts[node],
        };
        self.lower + start + ordinal
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A format for `extent` indices and `nodes` nodes.
    pub fn any_format(extent: i64, nodes: usize) -> impl Strategy<Value = Format> {
        let least = (extent - 1) / nodes as i64 + 1;
        let cuts = prop::collection::vec(0..=extent, nodes - 1);
        let gblock = cuts.prop_map(move |mut cuts| {
            cuts.extend([0, extent]);
            cuts.sort_unstable();
            Format::Gblock(cuts.windows(2).map(|pair| pair[1] - pair[0]).collect())
        });
        prop_oneof![
            Just(Format::Collapsed),
            Just(Format::Block),
            (least..least + 4).prop_map(Format::BlockOf),
            Just(Format::Cyclic),
            (1i64..6).prop_map(Format::CyclicOf),
            gblock,
        ]
    }

    /// The owner of each index, by assigning them one after the other.
    pub fn owners(extent: i64, format: &Format, nodes: usize) -> Vec<usize> {
        let block = (extent + nodes as i64 - 1) / nodes as i64;
        (0..extent)
            .map(|distance| match format {
                Format::Collapsed => 0,
                Format::Block => (distance / block) as usize,
                Format::BlockOf(width) => (distance / width) as usize,
                Format::Cyclic => distance as usize % nodes,
                Format::CyclicOf(width) => (distance / width) as usize % nodes,
                Format::Gblock(sizes) => {
                    let mut end = 0;
                    sizes
                        .iter()
                        .position(|size| {
                            end += size;
                            distance < end
                        })
                        .unwrap()
                }
                Format::GblockStar => unreachable!("not a format of a fixed template"),
            })
            .collect()
    }

    proptest! {
        #[test]
        fn everything_follows_from_the_owners(
            (lower, extent, nodes, format) in (-9i64..9, 1i64..60, 1usize..8).prop_flat_map(
                |(lower, extent, nodes)| (Just(lower), Just(extent), Just(nodes), any_format(extent, nodes)))
        ) {
            let axis = Axis::new(1, (lower, lower + extent - 1), &format, nodes).unwrap();
            let owners = owners(extent, &format, nodes);
            let all = if format == Format::Collapsed { 1 } else { nodes };
            prop_assert_eq!(axis.nodes(), all);
            for node in 0..all {
                let mut ordinal = 0;
                let mut owned = Vec::new();
                for (k, &owner) in owners.iter().enumerate() {
                    let index = lower + k as i64;
                    prop_assert_eq!(axis.before(node, index), ordinal);
                    if owner == node {
                        prop_assert_eq!(axis.owner(index), node);
                        prop_assert_eq!(axis.index(node, ordinal), index);
                        owned.push(index);
                        ordinal += 1;
                    }
                }
                prop_assert_eq!(axis.count(node), ordinal);
                let runs = axis.owned(node);
                let found: Vec<i64> = runs.iter().flat_map(Runs::iter).collect();
                prop_assert_eq!(found, owned);
                prop_assert!(runs.len() <= 2);
            }
        }
    }

    #[test]
    fn bad_formats_are_named() {
        let text = |bounds, format: Format, nodes| {
            Axis::new(2, bounds, &format, nodes).unwrap_err().of("template t").to_string()
        };
        assert_eq!(
            text((1, 10), Format::BlockOf(2), 4),
            "template t: dimension 2: 4 blocks of 2 do not cover an extent of 10"
        );
        assert_eq!(
            text((1, 10), Format::Gblock(vec![3, 3, 3]), 3),
            "template t: dimension 2: the sizes of gblock sum to 9, the extent of the dimension is 10"
        );
        assert_eq!(
            text((1, 10), Format::Gblock(vec![5, 5]), 3),
            "template t: dimension 2: 2 sizes of gblock for 3 nodes"
        );
        assert_eq!(
            text((1, 10), Format::Gblock(vec![15, -5]), 2),
            "template t: dimension 2: a gblock of -5 indices"
        );
        assert_eq!(
            text((1, 10), Format::GblockStar, 2),
            "template t: the template is not fixed: its gblock mapping array is not known yet"
        );
        assert_eq!(
            text((1, 10), Format::CyclicOf(0), 2),
            "template t: dimension 2: blocks of 0 indices"
        );
        assert_eq!(
            text((5, 4), Format::Block, 2),
            "template t: dimension 2: bounds 5:4 have no index"
        );
        assert_eq!(
            text((i64::MIN, i64::MAX), Format::Block, 2),
            format!("template t: dimension 2: bounds {}:{} have no index", i64::MIN, i64::MAX)
        );
        assert_eq!(
            text((0, 99), Format::Gblock(vec![i64::MAX, i64::MAX]), 2),
            format!(
                "template t: dimension 2: the sizes of gblock sum to {}, the extent of the dimension is 100",
                i64::MAX
            )
        );
    }
}
