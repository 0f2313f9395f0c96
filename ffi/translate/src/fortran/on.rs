//! References to nodes and templates, as arguments of the run-time library.

use super::unit::{Unit, descriptor, operand, wide_integer};
use crate::diagnostics::Diagnostic;
use crate::directive::{Reference, Subscript, Text};
use crate::meaning::{Language, Target};

/// Nothing, where a reference may be left out.
pub const NOTHING: &str = "0_8";

impl Unit<'_> {
    /// The object of a reference.
    ///
    /// # Errors
    /// When there is no such object, or the reference has another number of dimensions.
    pub fn target(&self, reference: &Reference, scope: usize) -> Result<Target, Diagnostic> {
        let name = &reference.name.text;
        let nodes = self.objects.nodes_at(name, scope).map(|nodes| nodes.dims);
        let template = self.objects.template_at(name, scope);
        let template = template.map(|(number, template)| (number, template.dims));
        Target::of(reference, nodes, template, Language::Fortran)
    }

    /// A reference as arguments.
    ///
    /// # Errors
    /// As [`Unit::target`].
    pub fn on(&self, reference: &Reference, scope: usize) -> Result<On, Diagnostic> {
        self.target(reference, scope)?;
        let object = descriptor(&reference.name.text);
        let is_all = |of: &Subscript| matches!(of, Subscript::All(_));
        let at = if reference.subscripts.iter().all(is_all) {
            None
        } else {
            Some(list(&ranges(reference)))
        };
        Ok(On { object, at })
    }

    /// A reference as arguments, or the executing nodes.
    ///
    /// # Errors
    /// As [`Unit::target`].
    pub fn on_or_nothing(
        &self,
        reference: Option<&Reference>,
        scope: usize,
    ) -> Result<On, Diagnostic> {
        reference.map_or_else(|| Ok(On::executing()), |reference| self.on(reference, scope))
    }
}

/// A reference as arguments: the object, and the ranges of its dimensions unless it is all of it.
#[derive(Clone, Debug)]
pub struct On {
    /// The handle.
    pub object: String,
    /// The list of ranges.
    pub at: Option<String>,
}

impl On {
    /// The executing nodes.
    pub fn executing() -> Self {
        Self { object: NOTHING.to_owned(), at: None }
    }

    /// The object, and the ranges as the argument with this name.
    pub fn named(&self, at: &str) -> String {
        let Self { object, .. } = self;
        self.at.as_ref().map_or(object.clone(), |ranges| format!("{object}, {at}={ranges}"))
    }

    /// The arguments `on` and `at` by their names.
    pub fn arguments(&self) -> String {
        format!("on={}", self.named("at"))
    }
}

/// A range of a dimension as entries of a list: first index, number of indices, step.
pub type Range = [String; 1];

/// All indices of a dimension.
pub fn whole() -> Range {
    ["0, -1, 1".to_owned()]
}

/// The place of this image (`*`).
pub fn own_place() -> Range {
    ["0, -2, 1".to_owned()]
}

/// One index.
pub fn single(index: &str) -> Range {
    [format!("{}, 1, 0", wide_integer(index))]
}

/// The indices from a first to a last one. Each expression is evaluated once.
pub fn between(first: &str, last: &str, step: &str) -> Range {
    if !(calls_nothing(first) && calls_nothing(step)) {
        let [first, last, step] = [first, last, step].map(|text| format!("int({text}, 8)"));
        return [format!("transfer(xmprt_fortran_indices({first}, {last}, {step}), [0_8])")];
    }
    let [first, last, step] = [first, last, step].map(wide_integer);
    let numbers = [&first, &last].map(|text| text.parse::<i64>());
    // Where one of the numbers is an expression, the count has 64 bits.
    let count = match (step.parse::<i64>(), numbers) {
        (Ok(0), _) => "2".into(),
        (Ok(step), [Ok(first), Ok(last)]) => ((last - first + step) / step).max(0).to_string(),
        (Ok(1), _) => format!("max({last} - {} + 1, 0_8)", operand(&first)),
        _ => format!("max(({last} - {} + {1})/{1}, 0_8)", operand(&first), operand(&step)),
    };
    [format!("{first}, {count}, {step}")]
}

/// Whether an expression calls no function, as its characters tell.
fn calls_nothing(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || "_%+-* ".contains(c))
}

/// The ranges of the dimensions of a reference.
pub fn ranges(reference: &Reference) -> Vec<Range> {
    let object = descriptor(&reference.name.text);
    let range = |(nth, subscript): (usize, &Subscript)| match subscript {
        Subscript::Star(_) => own_place(),
        Subscript::All(_) => whole(),
        Subscript::At(text) => single(&text.text),
        Subscript::Range { first, second, step, .. } => {
            let bound = |text: &Option<Text>, upper: u8| {
                let bound = || format!("xmprt_fortran_bound({object}, {}, {upper})", nth + 1);
                text.as_ref().map_or_else(bound, |text| text.text.clone())
            };
            let step = step.as_ref().map_or("1", |text| text.text.as_str());
            between(&bound(first, 0), &bound(second, 1), step)
        }
    };
    reference.subscripts.iter().enumerate().map(range).collect()
}

/// Numbers of 8 bytes as an array constructor.
pub fn list<const N: usize>(entries: &[[String; N]]) -> String {
    format!("[integer(8) :: {}]", entries.concat().join(", "))
}
