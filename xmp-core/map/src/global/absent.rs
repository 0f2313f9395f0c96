//! The nodes that iterations or elements belong to and that do not execute.

use super::error::{MappingError, Result};
use super::nodes::{Coords, Nodes};
use super::progression::Progression;
use super::template::Distribution;
use crate::rank::Rank;
use smallvec::SmallVec;
use std::collections::BTreeSet;

/// The indices of a template dimension, or the numbers of nodes, that iterations are on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indices {
    /// The indices of the image that asks.
    Own,
    /// Indices that are not known yet: one of the nodes has to execute.
    Unknown,
    /// All.
    All,
    /// These.
    Row(Progression),
}

/// The coordinates of nodes along one of their dimensions.
#[derive(Clone, Debug)]
enum Coordinates {
    Own,
    Unknown,
    All,
    These(SmallVec<[usize; 8]>),
}

/// A node that does not execute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absent {
    /// Its coordinates.
    pub coords: Coords,
    /// Its image.
    pub rank: Rank,
}

impl Distribution {
    /// The nodes that have any of these indices, as the image `own` sees them, and do not execute: none without indices, or
    /// if all execute.
    ///
    /// # Errors
    /// [`MappingError::Rank`] and [`MappingError::Outside`].
    pub fn absent(
        &self,
        indices: &[Indices],
        own: Rank,
        executes: Option<&dyn Fn(Rank) -> bool>,
    ) -> Result<Vec<Absent>> {
        let bounds: SmallVec<[(i64, i64); 4]> =
            self.axes().iter().map(|axis| (axis.lower(), axis.upper())).collect();
        let is_any = are_some(indices, &bounds)?;
        let Some(executes) = executes.filter(|_| is_any) else { return Ok(Vec::new()) };
        let nodes = self.nodes();
        let mut along = vec![Coordinates::All; nodes.shape().len()];
        let mut found = Vec::new();
        for (dim, (indices, axis)) in indices.iter().zip(self.axes()).enumerate() {
            let Some(over) = self.node_dim(dim) else { continue };
            along[over] = coordinates(indices, |row| {
                let has = |node: &usize| {
                    found.clear();
                    axis.owned(*node).iter().for_each(|runs| runs.positions(row, &mut found));
                    !found.is_empty()
                };
                (0..axis.nodes()).filter(has).collect()
            });
        }
        Ok(absent(nodes, &along, own, executes))
    }
}

impl Nodes {
    /// Those of the nodes with these numbers that do not execute, as [`Distribution::absent`].
    ///
    /// # Errors
    /// [`MappingError::Rank`] and [`MappingError::Outside`].
    pub fn absent(
        &self,
        indices: &[Indices],
        own: Rank,
        executes: Option<&dyn Fn(Rank) -> bool>,
    ) -> Result<Vec<Absent>> {
        let first = self.order().first();
        let bounds = |&size: &usize| (first, first + size as i64 - 1);
        let bounds: SmallVec<[(i64, i64); 4]> = self.shape().iter().map(bounds).collect();
        let is_any = are_some(indices, &bounds)?;
        let Some(executes) = executes.filter(|_| is_any) else { return Ok(Vec::new()) };
        let number = |row: &Progression| row.iter().map(|index| (index - first) as usize).collect();
        let along: Vec<Coordinates> =
            indices.iter().map(|indices| coordinates(indices, number)).collect();
        Ok(absent(self, &along, own, executes))
    }
}

/// Whether indices are selected in all dimensions, which have these bounds.
fn are_some(indices: &[Indices], bounds: &[(i64, i64)]) -> Result<bool> {
    let (given, needed) = (indices.len(), bounds.len());
    if given != needed {
        return Err(MappingError::Rank { what: "subscript", given, needed });
    }
    if indices.iter().any(|of| matches!(of, Indices::Row(Progression { count: 0, .. }))) {
        return Ok(false);
    }
    for (dim, (indices, &(lower, upper))) in indices.iter().zip(bounds).enumerate() {
        if let Indices::Row(row) = indices
            && !row.is_within(lower, upper)
        {
            let (first, last) = (row.first, row.last());
            return Err(MappingError::Outside { dim: dim + 1, first, last, lower, upper });
        }
    }
    Ok(true)
}

fn coordinates(
    indices: &Indices,
    of_row: impl FnOnce(&Progression) -> SmallVec<[usize; 8]>,
) -> Coordinates {
    match indices {
        Indices::Own => Coordinates::Own,
        Indices::Unknown => Coordinates::Unknown,
        Indices::All => Coordinates::All,
        Indices::Row(row) => Coordinates::These(of_row(row)),
    }
}

/// The selected nodes that do not execute, in element order. Of nodes that differ in unknown coordinates only, the first one, and only
/// where none of them executes.
fn absent(
    nodes: &Nodes,
    along: &[Coordinates],
    own: Rank,
    executes: &dyn Fn(Rank) -> bool,
) -> Vec<Absent> {
    let own = nodes.coords(own);
    // An image that is no node has no coordinates, and so it has no iterations, either.
    let is_unknown = |of: &Coordinates| match of {
        Coordinates::Unknown => true,
        Coordinates::Own => own.is_none(),
        _ => false,
    };
    let selects = |(of, (dim, coord)): (&Coordinates, (usize, &usize))| match of {
        Coordinates::Own => own.as_ref().is_none_or(|own| own[dim] == *coord),
        Coordinates::These(some) => some.contains(coord),
        Coordinates::Unknown | Coordinates::All => true,
    };
    let selected = (0..nodes.len()).filter_map(|position| {
        let coords = nodes.coords_at(position);
        let is_one = along.iter().zip(coords.iter().enumerate()).all(selects);
        let rank = nodes.members().rank(position).expect("a position of the nodes");
        is_one.then_some(Absent { coords, rank })
    });
    let (present, mut absent): (Vec<Absent>, Vec<Absent>) =
        selected.partition(|node| executes(node.rank));
    if absent.is_empty() || !along.iter().any(is_unknown) {
        return absent;
    }
    let known = |node: &Absent| -> Coords {
        let known = |(of, &coord)| if is_unknown(of) { 0 } else { coord };
        along.iter().zip(&node.coords).map(known).collect()
    };
    let mut seen: BTreeSet<Coords> = present.iter().map(known).collect();
    absent.retain(|node| seen.insert(known(node)));
    absent
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::global::nodes::{Kind, Order, Size};
    use crate::global::{Format, Template};
    use crate::members::Members;
    use std::rc::Rc;

    fn nodes(shape: &[usize]) -> Rc<Nodes> {
        let sizes: Vec<Size> = shape.iter().map(|&size| Size::Nodes(size)).collect();
        let all = Members::all(shape.iter().product());
        Rc::new(Nodes::new(&sizes, Order::Fortran, Kind::Entire, &all).unwrap())
    }

    fn row(first: i64, last: i64, step: i64) -> Indices {
        Indices::Row(Progression::from_bounds(first, last, step).unwrap())
    }

    /// The images that are missing where these execute.
    fn missing(
        of: &Distribution,
        indices: &[Indices],
        own: u32,
        executing: &[u32],
    ) -> Result<Vec<u32>> {
        let executes = |rank: Rank| executing.contains(&rank.get());
        let absent = of.absent(indices, Rank::new(own), Some(&executes))?;
        Ok(absent.iter().map(|node| node.rank.get()).collect())
    }

    #[test]
    fn nodes_that_have_indices_and_do_not_execute() {
        let mut template = Template::fixed(&[(0, 11)]).unwrap();
        template.distribute(vec![Format::Block], nodes(&[4])).unwrap();
        let of = template.distribution().unwrap();
        assert_eq!(missing(of, &[row(0, 11, 1)], 0, &[0, 1]), Ok(vec![2, 3]));
        assert_eq!(missing(of, &[row(0, 5, 1)], 0, &[0, 1]), Ok(vec![]));
        assert_eq!(missing(of, &[row(8, 0, -4)], 1, &[0, 1]), Ok(vec![2]));
        assert_eq!(missing(of, &[row(90, 80, 1)], 0, &[0, 1]), Ok(vec![]), "no index");
        let outside = MappingError::Outside { dim: 1, first: 0, last: 12, lower: 0, upper: 11 };
        assert_eq!(missing(of, &[row(0, 12, 1)], 0, &[0, 1, 2, 3]), Err(outside));
    }

    #[test]
    fn dimensions_whose_iterations_are_not_known_yet() {
        let mut template = Template::fixed(&[(1, 4), (1, 6)]).unwrap();
        template.distribute(vec![Format::Cyclic, Format::Block], nodes(&[2, 3])).unwrap();
        let of = template.distribution().unwrap();
        // Nodes (1,1), (2,1) and (1,2) are images 0, 1 and 2.
        let executing = [0, 1, 2];
        let whole = row(1, 4, 1);
        assert_eq!(missing(of, &[whole, Indices::Unknown], 2, &executing), Ok(vec![]));
        assert_eq!(missing(of, &[whole, Indices::All], 0, &executing), Ok(vec![3, 4, 5]));
        assert_eq!(missing(of, &[Indices::Own, row(1, 4, 1)], 0, &executing), Ok(vec![]));
        assert_eq!(missing(of, &[Indices::Own, row(1, 4, 1)], 1, &executing), Ok(vec![3]));
        assert_eq!(missing(of, &[Indices::Unknown, row(5, 6, 1)], 0, &executing), Ok(vec![4]));
        assert_eq!(missing(of, &[Indices::Own, row(1, 2, 1)], 9, &[1]), Ok(vec![]), "no node");
    }

    #[test]
    fn nodes_by_their_numbers() {
        let nodes = nodes(&[3]);
        let executes = |rank: Rank| rank.get() != 1;
        let of = |row| nodes.absent(&[row], Rank::new(0), Some(&executes));
        let second = Absent { coords: Coords::from_elem(1, 1), rank: Rank::new(1) };
        assert_eq!(of(row(1, 3, 1)), Ok(vec![second]));
        assert_eq!(of(row(1, 3, 2)), Ok(vec![]));
        assert!(matches!(of(row(1, 4, 1)), Err(MappingError::Outside { last: 4, .. })));
    }
}
