//! Declarative directives, checked against one another: `nodes`, `template`, `distribute` and `shadow`.

use super::{Dim, Language, Layout};
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::{Format, Span, Text, Width};
use xmp_map::counted::counted;

/// The error that a name is declared again.
pub fn twice(name: &Text, how: &str) -> Diagnostic {
    Diagnostic::new(name.span.clone(), format!("`{}` is {how} twice", name.text))
}

/// The error that something is not declared.
pub fn unknown(what: &str, name: &Text, language: Language) -> Diagnostic {
    let wrong = format!("there is no {what} `{}` here", name.text);
    Diagnostic::new(name.span.clone(), wrong)
        .help(format!("declare it before, {}", language.scopes()))
        .lacks(&name.text)
}

/// The error that there is no array for a directive.
pub fn no_array(name: &Text, language: Language) -> Diagnostic {
    let place = match language {
        Language::C => "be after the declaration, in the same block",
        Language::Fortran => "be in the specification part that declares the array",
    };
    Diagnostic::new(name.span.clone(), format!("there is no array `{}` here", name.text))
        .help(format!("the directive has to {place}"))
}

/// The error that an array is not distributed.
pub fn not_distributed(name: &Text) -> Diagnostic {
    Diagnostic::new(name.span.clone(), format!("`{}` is not distributed", name.text))
        .help("write the directive `align` after its declaration")
        .lacks(&name.text)
}

/// The text about a number of things that an object does not need.
pub fn wrong_count(given: (usize, &str), needed: (usize, &str), name: &str) -> String {
    format!("{} for {} of `{name}`", counted(given.0, given.1), counted(needed.0, needed.1))
}

/// Checks a number of formats, subscripts or widths, `what` in the singular, against the dimensions of an object.
///
/// # Errors
/// Names the object and both numbers.
pub fn check_count(
    (given, what): (usize, &str),
    needed: usize,
    name: &str,
    place: &Span,
) -> Result<(), Diagnostic> {
    if given == needed {
        return Ok(());
    }
    let wrong = wrong_count((given, what), (needed, "dimension"), name);
    Err(Diagnostic::new(place.clone(), wrong).help(match what {
        "format" => "write a format for each dimension, `*` for one that is not distributed",
        _ => "",
    }))
}

/// Checks that an object can have this number of dimensions.
///
/// # Errors
/// Names it and the greatest number.
pub fn check_dims(dims: usize, name: &Text, language: Language) -> Result<(), Diagnostic> {
    let most = language.max_dims();
    if dims <= most {
        return Ok(());
    }
    refuse(&name.span, format!("`{}` has {dims} dimensions, {most} are possible", name.text))
}

/// Checks a `distribute` directive for one template, which has `dims` dimensions and may be distributed already.
///
/// # Errors
/// For formats that fit neither the template nor the nodes, which have `node_dims` dimensions.
pub fn check_distribution(
    template: &Text,
    (dims, is_distributed): (usize, bool),
    formats: &[Format],
    (onto, node_dims): (&Text, usize),
) -> Result<(), Diagnostic> {
    check_count((formats.len(), "format"), dims, &template.text, &template.span)?;
    if is_distributed {
        return Err(twice(template, "distributed"));
    }
    let over = formats.iter().filter(|format| !matches!(format, Format::Star(_))).count();
    if over == node_dims {
        return Ok(());
    }
    let (over, node_dims) =
        (counted(over, "distributed dimension"), counted(node_dims, "dimension"));
    let wrong = format!("{over} onto {node_dims} of `{}`", onto.text);
    Err(Diagnostic::new(onto.span.clone(), wrong)
        .help("each dimension of the nodes takes one distributed dimension of the template"))
}

/// The error of a template without `distribute`; `remedy` says where the directive belongs.
pub fn template_not_distributed(template: &Text, remedy: &str) -> Diagnostic {
    let wrong = format!("the template `{}` is not distributed", template.text);
    Diagnostic::new(template.span.clone(), wrong).help(remedy).lacks(&template.text)
}

/// Checks the widths of a `shadow` directive for an array, which may have a shadow already.
///
/// # Errors
/// For widths that do not fit its dimensions.
pub fn check_shadow(
    array: &Text,
    dims: &[Dim],
    has_shadow: bool,
    widths: &[Width],
) -> Result<(), Diagnostic> {
    if has_shadow {
        return refuse(&array.span, format!("`{}` has two shadows", array.text));
    }
    check_count((widths.len(), "width"), dims.len(), &array.text, &array.span)?;
    let cyclic = dims.iter().zip(widths).filter(|(dim, _)| dim.layout.is_cyclic());
    for (_, width) in cyclic {
        if let Width::Widths { lower, upper, .. } = width
            && (lower.text != "0" || upper.text != "0")
        {
            return refuse(&lower.span, "a cyclic dimension cannot have a shadow");
        }
    }
    Ok(())
}

/// The layouts of the dimensions of an array with full shadows: an image stores all indices there, of which its part is
/// in `layout`.
pub fn fill(dims: &mut [Dim], widths: &[Width], layout: Layout) {
    for (dim, width) in dims.iter_mut().zip(widths) {
        if matches!(width, Width::Full(_)) && dim.layout != Layout::Whole {
            dim.layout = layout;
        }
    }
}

/// Whether two shadows of `dims` dimensions have the same widths.
pub fn same_shadow(dims: usize, left: &[Width], right: &[Width]) -> bool {
    let text = |width: Option<&Width>| match width {
        None => "0:0".to_owned(),
        Some(Width::Full(_)) => "*".to_owned(),
        Some(Width::Widths { lower, upper, .. }) => format!("{}:{}", lower.text, upper.text),
    };
    (0..dims).all(|dim| text(left.get(dim)) == text(right.get(dim)))
}
