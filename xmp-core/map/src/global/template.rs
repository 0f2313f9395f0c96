//! Templates: index spaces that are distributed over nodes (XcalableMP 1.4, 4.3.2 and 4.3.3).

use super::distribution::{Axis, Format};
use super::error::{MappingError, Result};
use super::nodes::{Coords, Nodes, Subscript};
use super::progression::Progression;
use crate::rank::Rank;
use smallvec::SmallVec;
use std::rc::Rc;

/// A template: bounds that may not be known yet, and their distribution, once it is declared.
#[derive(Clone, Debug)]
pub struct Template {
    ndims: usize,
    bounds: Option<Vec<(i64, i64)>>,
    onto: Option<(Vec<Format>, Rc<Nodes>)>,
    distribution: Option<Rc<Distribution>>,
}

/// A template that is fixed and distributed. Immutable.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Distribution {
    nodes: Rc<Nodes>,
    axes: Vec<Axis>,
    /// Dimension of the nodes that each dimension is distributed over.
    node_dims: SmallVec<[Option<usize>; 4]>,
}

impl Template {
    /// A template with these bounds of each dimension.
    ///
    /// # Errors
    /// [`MappingError::Dimension`] when a dimension has no index; [`MappingError::Rank`] when there is none.
    pub fn fixed(bounds: &[(i64, i64)]) -> Result<Template> {
        let mut template = Template::unfixed(bounds.len())?;
        template.fix(bounds, None)?;
        Ok(template)
    }

    /// A template with `ndims` dimensions whose bounds are not known yet (`template t(:)`).
    ///
    /// # Errors
    /// [`MappingError::Rank`] without dimensions.
    pub fn unfixed(ndims: usize) -> Result<Template> {
        match ndims {
            0 => Err(MappingError::Rank { what: "range", given: 0, needed: 1 }),
            _ => Ok(Template { ndims, bounds: None, onto: None, distribution: None }),
        }
    }

    /// Number of dimensions.
    pub fn ndims(&self) -> usize {
        self.ndims
    }

    /// Bounds of each dimension, if it is fixed.
    pub fn bounds(&self) -> Option<&[(i64, i64)]> {
        self.bounds.as_deref()
    }

    /// Formats and nodes that it is distributed by, if it is.
    pub fn onto(&self) -> Option<(&[Format], &Rc<Nodes>)> {
        self.onto.as_ref().map(|(formats, nodes)| (&formats[..], nodes))
    }

    /// Distributes it: the dimensions whose format is not `*`, from left to right, over those of the nodes. Nodes may
    /// have more dimensions: along these, all nodes have the same.
    ///
    /// # Errors
    /// [`MappingError::Again`]; [`MappingError::Rank`] for another number of formats than dimensions, or more of them
    /// that are not `*` than the nodes have dimensions; those of [`Format::check`] and, if the bounds are known, of
    /// [`Axis::new`]. The template is unchanged then.
    pub fn distribute(&mut self, formats: Vec<Format>, nodes: Rc<Nodes>) -> Result<()> {
        if self.onto.is_some() {
            return Err(MappingError::Again("distributed"));
        }
        if formats.len() != self.ndims {
            let given = formats.len();
            return Err(MappingError::Rank { what: "format", given, needed: self.ndims });
        }
        let spread = formats.iter().filter(|format| **format != Format::Collapsed).count();
        let needed = nodes.shape().len();
        if spread > needed {
            return Err(MappingError::Rank {
                what: "distributed dimension",
                given: spread,
                needed,
            });
        }
        let distributed = formats.iter().enumerate();
        let distributed = distributed.filter(|(_, format)| **format != Format::Collapsed);
        for ((dim, format), &nodes) in distributed.zip(nodes.shape()) {
            format.check(dim + 1, nodes)?;
        }
        if let Some(bounds) = &self.bounds
            && !formats.contains(&Format::GblockStar)
        {
            self.distribution = Some(Rc::new(Distribution::new(bounds, &formats, &nodes)?));
        }
        self.onto = Some((formats, nodes));
        Ok(())
    }

    /// Fixes the open parts: the bounds of a template declared with `:`, and, if they are given, formats; only those
    /// that were `gblock(*)` may differ (`template_fix`).
    ///
    /// # Errors
    /// [`MappingError::Again`] when no part is open; [`MappingError::Rank`] for another number of bounds or formats;
    /// [`MappingError::Dimension`] for bounds without an index, and for other formats than it was distributed by; those
    /// of [`Axis::new`]. The template is unchanged then.
    pub fn fix(&mut self, bounds: &[(i64, i64)], formats: Option<&[Format]>) -> Result<()> {
        let open = |format: &Format| *format == Format::GblockStar;
        let maps_open = self.onto.as_ref().is_some_and(|(formats, _)| formats.iter().any(open));
        if self.bounds.as_deref().is_some_and(|known| !maps_open || known != bounds) {
            return Err(MappingError::Again("fixed"));
        }
        if bounds.len() != self.ndims {
            let given = bounds.len();
            return Err(MappingError::Rank { what: "range", given, needed: self.ndims });
        }
        for (dim, &(lower, upper)) in bounds.iter().enumerate() {
            let why = format!("bounds {lower}:{upper} have no index");
            if upper < lower || upper.checked_sub(lower).is_none_or(|steps| steps == i64::MAX) {
                return Err(MappingError::Dimension { dim: dim + 1, why });
            }
        }
        let mut onto = self.onto.clone();
        if let (Some((known, _)), Some(formats)) = (&mut onto, formats) {
            if formats.len() != self.ndims {
                let given = formats.len();
                return Err(MappingError::Rank { what: "format", given, needed: self.ndims });
            }
            for (dim, (known, format)) in known.iter_mut().zip(formats).enumerate() {
                let why = || format!("{format:?} is not what it is distributed by, {known:?}");
                match (&*known, format) {
                    (Format::GblockStar, Format::Gblock(_)) => *known = format.clone(),
                    (known, format) if known == format => {}
                    _ => return Err(MappingError::Dimension { dim: dim + 1, why: why() }),
                }
            }
        }
        if let Some((formats, nodes)) = &onto
            && !formats.iter().any(open)
        {
            self.distribution = Some(Rc::new(Distribution::new(bounds, formats, nodes)?));
        }
        self.onto = onto;
        self.bounds = Some(bounds.to_vec());
        Ok(())
    }

    /// The distribution.
    ///
    /// # Errors
    /// [`MappingError::NotFixed`] when bounds or mapping arrays are open, or it is not distributed.
    pub fn distribution(&self) -> Result<&Rc<Distribution>> {
        self.distribution.as_ref().ok_or(match (&self.bounds, &self.onto) {
            (None, _) => MappingError::NotFixed("shape"),
            (_, None) => MappingError::NotFixed("distribution"),
            _ => MappingError::NotFixed("gblock mapping array"),
        })
    }
}

impl Distribution {
    fn new(bounds: &[(i64, i64)], formats: &[Format], nodes: &Rc<Nodes>) -> Result<Distribution> {
        let mut next = 0;
        let mut node_dims: SmallVec<[Option<usize>; 4]> = SmallVec::new();
        let mut axes = Vec::with_capacity(bounds.len());
        for (dim, (bounds, format)) in bounds.iter().zip(formats).enumerate() {
            let over = (*format != Format::Collapsed).then_some(next);
            next += usize::from(over.is_some());
            axes.push(Axis::new(
                dim + 1,
                *bounds,
                format,
                over.map_or(1, |dim| nodes.shape()[dim]),
            )?);
            node_dims.push(over);
        }
        Ok(Distribution { nodes: nodes.clone(), axes, node_dims })
    }

    /// A distribution without dimensions, for objects that all these nodes have entirely.
    pub fn whole(nodes: Rc<Nodes>) -> Distribution {
        Distribution { nodes, axes: Vec::new(), node_dims: SmallVec::new() }
    }

    /// The nodes.
    pub fn nodes(&self) -> &Rc<Nodes> {
        &self.nodes
    }

    /// The dimensions.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// The dimension of the nodes that a dimension is distributed over; `None` for `*`.
    pub fn node_dim(&self, axis: usize) -> Option<usize> {
        self.node_dims[axis]
    }

    /// The coordinate along a template dimension of the node with these coordinates.
    pub fn coord(&self, axis: usize, coords: &[usize]) -> usize {
        self.node_dims[axis].map_or(0, |dim| coords[dim])
    }

    /// The nodes that have any of these template indices, as the image `own` sees them (`on t(..)`): of each dimension
    /// a range of nodes, so a reference must not skip nodes with a long step. A subscript [`Subscript::Own`] means the
    /// coordinate of `own`.
    ///
    /// # Errors
    /// [`MappingError::Rank`], [`MappingError::Outside`], [`MappingError::Dimension`] under the conditions of
    /// [`Nodes::section`]; also for steps that skip nodes irregularly.
    pub fn nodes_of(&self, subscripts: &[Subscript], own: Rank) -> Result<Nodes> {
        if subscripts.len() != self.axes.len() {
            let (given, needed) = (subscripts.len(), self.axes.len());
            return Err(MappingError::Rank { what: "subscript", given, needed });
        }
        let first = self.nodes.order().first();
        let mut of_nodes = vec![Subscript::All; self.nodes.shape().len()];
        for (dim, (subscript, axis)) in subscripts.iter().zip(&self.axes).enumerate() {
            let row = match *subscript {
                Subscript::At(index) => Progression::one(index),
                Subscript::Some(row) => row,
                Subscript::All | Subscript::Own => {
                    if let Some(over) = self.node_dims[dim] {
                        of_nodes[over] = *subscript;
                    }
                    continue;
                }
            };
            let dim_number = dim + 1;
            if row.count == 0 {
                let why = "the subscript selects no index".into();
                return Err(MappingError::Dimension { dim: dim_number, why });
            }
            if !row.is_within(axis.lower(), axis.upper()) {
                return Err(MappingError::Outside {
                    dim: dim_number,
                    first: row.first,
                    last: row.last(),
                    lower: axis.lower(),
                    upper: axis.upper(),
                });
            }
            let Some(over) = self.node_dims[dim] else { continue };
            let mut owners: SmallVec<[i64; 8]> = SmallVec::new();
            let mut found = Vec::new();
            for node in 0..axis.nodes() {
                found.clear();
                axis.owned(node).iter().for_each(|runs| runs.positions(&row, &mut found));
                if !found.is_empty() {
                    owners.push(node as i64);
                }
            }
            of_nodes[over] = match (*subscript, &owners[..]) {
                (Subscript::At(_), &[node]) => Subscript::At(node + first),
                (_, owners) => {
                    let step = owners.get(1).map_or(1, |second| second - owners[0]);
                    let row = Progression { first: owners[0], step, count: owners.len() as i64 };
                    if !row.iter().eq(owners.iter().copied()) {
                        let why = format!(
                            "the indices are on nodes {owners:?}, which no triplet selects"
                        );
                        return Err(MappingError::Dimension { dim: dim_number, why });
                    }
                    Subscript::Some(row.shifted(first))
                }
            };
        }
        self.nodes.section(&of_nodes, own)
    }

    /// Coordinates of the nodes that own a template index: `None` along node dimensions where all do.
    pub fn owner(&self, index: &[i64]) -> SmallVec<[Option<usize>; 4]> {
        let mut owner = SmallVec::from_elem(None, self.nodes.shape().len());
        for ((axis, over), &index) in self.axes.iter().zip(&self.node_dims).zip(index) {
            if let Some(over) = over {
                owner[*over] = Some(axis.owner(index));
            }
        }
        owner
    }

    /// The coordinates of an image, if it is one of the nodes.
    pub fn coords(&self, rank: Rank) -> Option<Coords> {
        self.nodes.coords(rank)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::global::nodes::{Kind, Order, Size};
    use crate::members::Members;

    fn nodes(shape: &[usize]) -> Rc<Nodes> {
        let sizes: Vec<Size> = shape.iter().map(|&size| Size::Nodes(size)).collect();
        let all = Members::all(shape.iter().product());
        Rc::new(Nodes::new(&sizes, Order::Fortran, Kind::Entire, &all).unwrap())
    }

    #[test]
    fn dimensions_are_distributed_from_left_to_right() {
        let mut template = Template::fixed(&[(1, 8), (1, 5), (0, 9)]).unwrap();
        let formats = vec![Format::Block, Format::Collapsed, Format::Cyclic];
        template.distribute(formats, nodes(&[2, 3])).unwrap();
        let distribution = template.distribution().unwrap();
        assert_eq!([0, 1, 2].map(|dim| distribution.node_dim(dim)), [Some(0), None, Some(1)]);
        assert_eq!(distribution.owner(&[5, 2, 7]).as_slice(), [Some(1), Some(1)]);
        assert_eq!(distribution.coord(2, &[1, 2]), 2);
    }

    #[test]
    fn references_select_the_owners() {
        let mut template = Template::fixed(&[(1, 8), (0, 9)]).unwrap();
        template.distribute(vec![Format::Block, Format::Cyclic], nodes(&[2, 3])).unwrap();
        let distribution = template.distribution().unwrap();
        let ranks = |subscripts: &[Subscript]| {
            let nodes = distribution.nodes_of(subscripts, Rank::new(3)).unwrap();
            let members = nodes.members();
            (0..members.len()).map(|k| members.rank(k).unwrap().get()).collect::<Vec<_>>()
        };
        let some = |first, last, step| {
            Subscript::Some(Progression::from_bounds(first, last, step).unwrap())
        };
        assert_eq!(ranks(&[Subscript::At(5), Subscript::At(4)]), [3]);
        assert_eq!(ranks(&[some(1, 4, 1), Subscript::All]), [0, 2, 4]);
        assert_eq!(ranks(&[some(3, 5, 1), Subscript::Own]), [2, 3]);
        assert_eq!(ranks(&[Subscript::Own, some(0, 2, 2)]), [1, 5]);
        assert_eq!(ranks(&[Subscript::All, Subscript::All]), [0, 1, 2, 3, 4, 5]);
        let outside = distribution.nodes_of(&[Subscript::At(9), Subscript::All], Rank::new(0));
        assert_eq!(
            outside.unwrap_err().of("t").to_string(),
            "t: dimension 1: 9:9 is not within 1:8"
        );
    }

    #[test]
    fn templates_are_fixed_once() {
        let mut template = Template::unfixed(2).unwrap();
        let not_fixed = |template: &Template| template.distribution().unwrap_err().to_string();
        assert_eq!(not_fixed(&template), "the template is not fixed: its shape is not known yet");
        template.distribute(vec![Format::Block, Format::GblockStar], nodes(&[2, 2])).unwrap();
        assert!(matches!(
            template.distribute(vec![Format::Block, Format::Block], nodes(&[2, 2])),
            Err(MappingError::Again("distributed"))
        ));
        template.fix(&[(1, 4), (1, 6)], None).unwrap();
        assert_eq!(
            not_fixed(&template),
            "the template is not fixed: its gblock mapping array is not known yet"
        );
        let formats = |sizes: &[i64]| [Format::Block, Format::Gblock(sizes.to_vec())];
        let bad = template.fix(&[(1, 4), (1, 6)], Some(&formats(&[2, 3])));
        assert_eq!(bad, Err(MappingError::GblockSum { dim: 2, sum: 5, extent: 6 }));
        let other = [Format::Cyclic, Format::Gblock(vec![3, 3])];
        let bad = template.fix(&[(1, 4), (1, 6)], Some(&other));
        assert!(matches!(bad, Err(MappingError::Dimension { dim: 1, .. })), "{bad:?}");
        assert_eq!(
            template.fix(&[(1, 4), (1, 7)], Some(&formats(&[2, 5]))),
            Err(MappingError::Again("fixed"))
        );
        template.fix(&[(1, 4), (1, 6)], Some(&formats(&[2, 4]))).unwrap();
        assert_eq!(template.distribution().unwrap().axes()[1].owner(3), 1);
        assert_eq!(
            template.fix(&[(1, 4), (1, 6)], Some(&formats(&[2, 4]))),
            Err(MappingError::Again("fixed"))
        );
    }

    #[test]
    fn formats_are_checked_before_the_bounds_are_known() {
        let bad = |formats: &[Format]| {
            let mut template = Template::unfixed(2).unwrap();
            let error = template.distribute(formats.to_vec(), nodes(&[2, 2])).unwrap_err();
            // It is unchanged.
            template.distribute(vec![Format::Block, Format::Block], nodes(&[2, 2])).unwrap();
            error.to_string()
        };
        assert_eq!(bad(&[Format::Block, Format::CyclicOf(0)]), "dimension 2: blocks of 0 indices");
        assert_eq!(bad(&[Format::BlockOf(-1), Format::Block]), "dimension 1: blocks of -1 indices");
        let gblock = |sizes: &[i64]| [Format::Collapsed, Format::Gblock(sizes.to_vec())];
        assert_eq!(bad(&gblock(&[1, 2, 3])), "dimension 2: 3 sizes of gblock for 2 nodes");
        assert_eq!(bad(&gblock(&[4, -2])), "dimension 2: a gblock of -2 indices");
    }

    #[test]
    fn bad_distributions_are_named_and_change_nothing() {
        let mut template = Template::fixed(&[(1, 8), (1, 8)]).unwrap();
        let bad = template.distribute(vec![Format::Block], nodes(&[2]));
        assert_eq!(bad.unwrap_err().to_string(), "1 format for 2 dimensions");
        let bad = template.distribute(vec![Format::Block, Format::Block], nodes(&[4]));
        assert_eq!(bad.unwrap_err().to_string(), "2 distributed dimensions for 1 dimension");
        let bad = template.distribute(vec![Format::Collapsed, Format::BlockOf(1)], nodes(&[4]));
        assert!(matches!(bad, Err(MappingError::BlockTooSmall { dim: 2, .. })));
        assert_eq!(template.distribution().unwrap_err(), MappingError::NotFixed("distribution"));
        template.distribute(vec![Format::Collapsed, Format::Block], nodes(&[4])).unwrap();
        assert!(matches!(Template::fixed(&[]), Err(MappingError::Rank { .. })));
        assert!(matches!(Template::fixed(&[(3, 2)]), Err(MappingError::Dimension { dim: 1, .. })));
    }
}
