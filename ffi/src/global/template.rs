//! Templates, which programs declare, fix and distribute in several calls.

use super::error::{DirectiveError, Outcome};
use super::nodes::NodeSet;
use super::objects::{Described, Object};
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};
use std::ffi::c_int;
use std::rc::Rc;
use xmp_core::Error;
use xmp_core::global::{
    Distribution, Format, MappingError, Nodes, Progression, Subscript, Template,
};

/// A template.
#[derive(Debug)]
pub struct TemplateObject {
    ndims: usize,
    declared: RefCell<Declared>,
}

/// The declarations of the program so far.
#[derive(Debug)]
struct Declared {
    bounds: Option<Vec<(i64, i64)>>,
    onto: Option<Rc<Object<NodeSet>>>,
    formats: Vec<Option<Format>>,
    /// Known when all of it is known.
    distribution: Option<Rc<Distribution>>,
    /// The distribution onto all nodes of a family, if the nodes are one set of several.
    widest: Option<Rc<Distribution>>,
    origins: Vec<Origin>,
}

/// A variable of the program with the first index that this image has of a dimension.
#[derive(Debug)]
struct Origin {
    dim: usize,
    /// Indices of the dimension that others have before.
    before: i64,
    place: &'static Cell<c_int>,
}

/// One dimension of a reference: first, last, step; `None` for `*`.
pub type Triplet = Option<(i64, i64, i64)>;

/// A reference.
pub type Triplets = SmallVec<[Triplet; 4]>;

/// The meaning of a reference, as far as that is known without the referenced object.
pub type Subscripts = SmallVec<[Subscript; 4]>;

impl Described for TemplateObject {
    const KIND: c_int = 2201;
    const NAME: &'static str = "a template";

    fn dimensions(&self) -> usize {
        self.ndims
    }
}

impl TemplateObject {
    /// A template whose dimensions have no bounds and no formats yet.
    pub fn new(ndims: usize) -> TemplateObject {
        let formats = vec![None; ndims];
        let declared = Declared {
            bounds: None,
            onto: None,
            formats,
            distribution: None,
            widest: None,
            origins: Vec::new(),
        };
        TemplateObject { ndims, declared: RefCell::new(declared) }
    }

    /// Number of dimensions.
    pub fn ndims(&self) -> usize {
        self.ndims
    }

    /// What is wrong with the template or a reference to it, in the language of the nodes that it is distributed onto.
    pub fn wrong(&self, wrong: DirectiveError) -> Error {
        self.wrong_in(wrong, self.is_in_c())
    }

    /// Whether a program in C has declared its nodes. The last dimension of a template in C comes first here.
    pub fn is_in_c(&self) -> bool {
        self.declared.borrow().onto.as_ref().is_some_and(|onto| onto.is_in_c())
    }

    fn wrong_in(&self, wrong: DirectiveError, is_in_c: bool) -> Error {
        match wrong {
            DirectiveError::Mapping(error) if is_in_c => error.in_c(self.ndims).of("template"),
            wrong => wrong.of("template"),
        }
    }

    /// The bounds of its dimensions (`template_fix` if it was declared without).
    ///
    /// # Errors
    /// For another number of bounds, and for bounds that do not fit its formats.
    pub fn fix(&self, bounds: Vec<(i64, i64)>) -> Outcome {
        Template::fixed(&bounds)?;
        if bounds.len() != self.ndims {
            let (what, given) = ("bounds", bounds.len());
            return Err(MappingError::Rank { what, given, needed: self.ndims }.into());
        }
        self.declared.borrow_mut().bounds = Some(bounds);
        self.complete()
    }

    /// Distributes it, once, by formats of all dimensions.
    ///
    /// # Errors
    /// Those of [`Template::distribute`]. Nothing has changed then.
    pub fn distribute_onto(
        &self,
        formats: Vec<Format>,
        nodes: Rc<Object<NodeSet>>,
    ) -> Result<(), Error> {
        let checked = self.as_declared().and_then(|mut declared| {
            Ok(declared.distribute(formats.clone(), nodes.nodes.clone())?)
        });
        checked.map_err(|wrong| self.wrong_in(wrong, nodes.is_in_c()))?;
        let mut declared = self.declared.borrow_mut();
        declared.onto = Some(nodes);
        declared.formats = formats.into_iter().map(Some).collect();
        drop(declared);
        self.complete().map_err(|wrong| self.wrong(wrong))
    }

    /// Fixes what is open: the bounds, unless they are known, and formats.
    ///
    /// # Errors
    /// Those of [`Template::fix`]. Nothing has changed then.
    pub fn fix_open(
        &self,
        bounds: Option<Vec<(i64, i64)>>,
        formats: Option<Vec<Format>>,
    ) -> Outcome {
        let known = bounds.or_else(|| self.bounds());
        let bounds = known.ok_or(DirectiveError::Mapping(MappingError::NotFixed("shape")))?;
        self.as_declared()?.fix(&bounds, formats.as_deref())?;
        let mut declared = self.declared.borrow_mut();
        declared.bounds = Some(bounds);
        if let Some(formats) = formats {
            declared.formats = formats.into_iter().map(Some).collect();
        }
        drop(declared);
        self.complete()
    }

    /// The template as declared so far. Formats that come one by one are in it when all have come.
    fn as_declared(&self) -> Outcome<Template> {
        let declared = self.declared.borrow();
        let mut template = match &declared.bounds {
            Some(bounds) => Template::fixed(bounds)?,
            None => Template::unfixed(self.ndims)?,
        };
        let formats: Option<Vec<Format>> = declared.formats.iter().cloned().collect();
        if let (Some(nodes), Some(formats)) = (&declared.onto, formats) {
            template.distribute(formats, nodes.nodes.clone())?;
        }
        Ok(template)
    }

    /// The nodes that it is distributed onto; its formats are declared anew.
    pub fn onto(&self, nodes: Rc<Object<NodeSet>>) {
        let mut declared = self.declared.borrow_mut();
        declared.onto = Some(nodes);
        declared.formats.fill(None);
        declared.origins.clear();
        (declared.distribution, declared.widest) = (None, None);
    }

    /// The format of a dimension, from 0.
    ///
    /// # Errors
    /// When there is no such dimension, and when all is known and does not fit together.
    pub fn distribute(&self, dim: usize, format: Format) -> Outcome {
        let mut declared = self.declared.borrow_mut();
        let Some(place) = declared.formats.get_mut(dim) else {
            return Err(DirectiveError::because(format!(
                "the template has no dimension {}",
                dim as i64 + 1
            )));
        };
        *place = Some(format);
        drop(declared);
        self.complete()
    }

    /// The first index of this image in the dimension, which comes after `before` others, is written to a place as soon
    /// as the bounds are known, and whenever they change.
    pub fn note_origin(&self, dim: usize, before: i64, place: &'static Cell<c_int>) {
        let mut declared = self.declared.borrow_mut();
        declared.origins.retain(|origin| origin.dim != dim);
        declared.origins.push(Origin { dim, before, place });
        declared.write_origins();
    }

    /// Computes the distribution as soon as all parts of it are known. An error that does not depend on the bounds is
    /// found before.
    fn complete(&self) -> Outcome {
        let mut declared = self.declared.borrow_mut();
        (declared.distribution, declared.widest) = (None, None);
        declared.write_origins();
        let formats: Option<Vec<Format>> = declared.formats.iter().cloned().collect();
        let (Some(onto), Some(formats)) = (&declared.onto, formats) else { return Ok(()) };
        let Some(bounds) = &declared.bounds else {
            Template::unfixed(self.ndims)?.distribute(formats, onto.nodes.clone())?;
            return Ok(());
        };
        if formats.contains(&Format::GblockStar) {
            return Ok(());
        }
        let distribute = |nodes: &Rc<Nodes>| -> Outcome<Rc<Distribution>> {
            let mut template = Template::fixed(bounds)?;
            template.distribute(formats.clone(), nodes.clone())?;
            Ok(template.distribution()?.clone())
        };
        let distribution = distribute(&onto.nodes)?;
        let widest = onto.family.as_ref().map(distribute).transpose()?;
        (declared.distribution, declared.widest) = (Some(distribution), widest);
        Ok(())
    }

    /// The formats of its dimensions, as far as they are known.
    pub fn formats(&self) -> Vec<Option<Format>> {
        self.declared.borrow().formats.clone()
    }

    /// Its bounds, if they are known.
    pub fn bounds(&self) -> Option<Vec<(i64, i64)>> {
        self.declared.borrow().bounds.clone()
    }

    /// Whether its bounds and formats are known.
    pub fn is_fixed(&self) -> bool {
        let declared = self.declared.borrow();
        declared.bounds.is_some() && !declared.formats.contains(&Some(Format::GblockStar))
    }

    /// The nodes that it is distributed onto.
    ///
    /// # Errors
    /// When it is not distributed.
    pub fn nodes(&self) -> Outcome<Rc<Object<NodeSet>>> {
        let nodes = self.declared.borrow().onto.clone();
        nodes.ok_or(DirectiveError::Mapping(MappingError::NotFixed("distribution")))
    }

    /// The format of a dimension, from 0; `None` as long as it is not known.
    pub fn format(&self, dim: usize) -> Option<Format> {
        self.declared.borrow().formats.get(dim).cloned().flatten()
    }

    /// The distribution onto all nodes of the family that its nodes are one of, if they are.
    pub fn widest(&self) -> Option<Rc<Distribution>> {
        self.declared.borrow().widest.clone()
    }

    /// The distribution.
    ///
    /// # Errors
    /// When it is not fixed or not distributed.
    pub fn distribution(&self) -> Outcome<Rc<Distribution>> {
        let declared = self.declared.borrow();
        declared.distribution.clone().ok_or_else(|| {
            DirectiveError::Mapping(MappingError::NotFixed(
                match (&declared.bounds, &declared.onto) {
                    (None, _) => "shape",
                    (_, None) => "distribution",
                    _ if declared.formats.contains(&Some(Format::GblockStar)) => {
                        "gblock mapping array"
                    }
                    _ => "distribution",
                },
            ))
        })
    }
}

impl Declared {
    fn write_origins(&self) {
        let Some(bounds) = &self.bounds else { return };
        for &Origin { dim, before, place } in &self.origins {
            place.set((bounds[dim].0 + before) as c_int);
        }
    }
}

/// Subscripts of a reference to nodes or to a template.
///
/// # Errors
/// For a step of 0.
pub fn subscripts(triplets: &[Triplet]) -> Outcome<Subscripts> {
    let subscript = |triplet: &Triplet| match *triplet {
        None => Ok(Subscript::Own),
        Some((first, last, step)) => {
            Progression::from_bounds(first, last, step).map(Subscript::Some)
        }
    };
    Ok(triplets.iter().map(subscript).collect::<Result<_, _>>()?)
}
