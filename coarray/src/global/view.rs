//! Node arrays, templates and what is done on them, as methods of [`Image`].

use super::DistArray;
use crate::typed::{Party, called};
use bytemuck::Pod;
use std::rc::Rc;
use xmp_collectives::{Number, Op};
use xmp_core::global::{Format, Kind, Nodes, Order, Size, Template};
use xmp_core::{Image, Result};
use xmp_teams::{Selection, task};

/// The global view; see [`crate::global`].
pub trait GlobalView: Party {
    /// The first of the executing images as a grid of this shape; in the order of C, the last dimension fastest.
    ///
    /// # Errors
    /// When there are too few.
    #[track_caller]
    fn nodes<const N: usize>(&self, shape: [usize; N]) -> Result<Rc<Nodes>> {
        let executing = self.image().executing();
        let sizes = shape.map(Size::Nodes);
        called("nodes", self.image(), || {
            let nodes = Nodes::new(&sizes, Order::C, Kind::Executing, executing.members());
            nodes.map(Rc::new).map_err(|error| error.of("nodes"))
        })
    }

    /// An index space of these extents whose dimensions are distributed over the nodes: those that are not
    /// [`Format::Collapsed`], from left to right. Along dimensions of nodes that are left, all have the same.
    ///
    /// # Errors
    /// When formats and nodes do not fit together.
    #[track_caller]
    fn template<const N: usize>(
        &self,
        nodes: &Rc<Nodes>,
        extents: [usize; N],
        formats: [Format; N],
    ) -> Result<Template> {
        let bounds = extents.map(|extent| (0, i64::try_from(extent).unwrap_or(i64::MAX) - 1));
        let named = |error: xmp_core::global::MappingError| error.of("template");
        called("template", self.image(), || {
            let mut template = Template::fixed(&bounds).map_err(named)?;
            template.distribute(formats.into(), nodes.clone()).map_err(named)?;
            Ok(template)
        })
    }

    /// An array with an element for each index of the template, all zeros. Communicates nothing.
    ///
    /// # Errors
    /// When the template is not fixed or has another number of dimensions; out of memory.
    #[track_caller]
    fn array<T: Pod, const N: usize>(&self, template: &Template) -> Result<DistArray<'_, T, N>> {
        self.array_with_shadow(template, [0; N])
    }

    /// An array of zeros with a shadow: `shadow[d]` elements of the neighbours are stored on both sides of dimension d.
    ///
    /// # Errors
    /// The errors of [`GlobalView::array`]; when a dimension with a shadow is cyclic.
    #[track_caller]
    fn array_with_shadow<T: Pod, const N: usize>(
        &self,
        template: &Template,
        widths: [usize; N],
    ) -> Result<DistArray<'_, T, N>> {
        called("array", self.image(), || DistArray::new(self.image(), template, widths))
    }

    /// Runs `body` on these nodes, which execute alone meanwhile; the other images go on at once, with `None`. Entering
    /// and leaving communicate nothing. See [`xmp_teams::task`].
    ///
    /// # Errors
    /// When a node is not in the executing set; what `body` returns.
    fn task_on<T>(
        &self,
        nodes: &Nodes,
        body: impl FnOnce(&Image) -> Result<T>,
    ) -> Result<Option<T>> {
        let executing = self.image().executing();
        // Says which one is missing.
        xmp_collectives::global::set_of(self.image(), nodes)?;
        let index = |position| {
            let rank = nodes.members().rank(position).expect("a node");
            executing.position_of(rank).expect("a member, as was just seen") + 1
        };
        let indices: Vec<usize> = (0..nodes.len()).map(index).collect();
        task(self.image(), Selection::list(indices), body)?.transpose()
    }

    /// Combines the `data` of these nodes, element by element; all of them get the result. Nothing happens on other
    /// images. A reference with [`xmp_core::global::Subscript::Own`] is another set on each image, and all do it at
    /// once.
    ///
    /// # Errors
    /// When a node is not in the executing set; when one has stopped or failed.
    fn reduce_on<T: Number>(&self, nodes: &Nodes, data: &mut [T], op: Op) -> Result<()> {
        match xmp_collectives::global::set_of(self.image(), nodes)? {
            Some(set) => xmp_collectives::allreduce(self.image(), &set, data, op),
            None => Ok(()),
        }
    }
}

impl GlobalView for Image {}
