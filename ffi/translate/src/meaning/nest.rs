//! `loop`: the dimensions of `on` that the loops after the directive count.

use super::communicate::Widths;
use super::declare::check_count;
use super::{Language, Layout, fastest_first, index_and_offset};
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::{Loop, Reference, Span, Subscript, Text};

/// A dimension that a loop counts.
#[derive(Clone, Debug)]
pub struct Counted<'a> {
    /// The number of the loop among those that were found.
    pub nth: usize,
    /// The variable.
    pub name: String,
    /// The number that is added to it.
    pub offset: String,
    /// The change of an image's iterations by `expand` and its like.
    pub widths: Option<Widths<'a>>,
}

/// The subscript of a dimension of `on`.
#[derive(Clone, Debug)]
pub enum Axis<'a> {
    /// `*`: where the image is.
    Own,
    /// `:`
    All,
    /// One index.
    Value(&'a Text),
    /// The variable of a loop.
    Counted(Counted<'a>),
}

/// The variables whose loops belong to a directive, as far as there are loops that count them.
pub fn wanted(of: &Loop, language: Language) -> Vec<String> {
    let subscripts = of.on.subscripts.iter();
    let names = subscripts.filter_map(|subscript| counts(subscript, of, language));
    names.map(|(name, _)| name).collect()
}

/// The variable and the offset of a subscript of `on`, if a loop can count it.
fn counts(subscript: &Subscript, of: &Loop, language: Language) -> Option<(String, String)> {
    let Subscript::At(text) = subscript else { return None };
    let folded = language.folded(&text.text);
    let (name, offset) = index_and_offset(&folded)?;
    let is_listed = of.indices.is_empty() || of.indices.iter().any(|index| index.text == name);
    is_listed.then(|| (name.to_owned(), offset))
}

/// The meaning of each dimension of `on`, the fastest first. `found` has the variables of the loops that were found for
/// [`wanted`] ones; `inside` returns whether a loop after the directive counts a variable; the layouts are the layouts
/// of the template.
///
/// # Errors
/// For variables without a loop or a subscript, and subscripts that are no indices.
pub fn axes<'a>(
    of: &'a Loop,
    layouts: &[Layout],
    found: &[String],
    inside: &dyn Fn(&str) -> bool,
    language: Language,
) -> Result<Vec<Axis<'a>>, Diagnostic> {
    let wanted = wanted(of, language);
    if let Some(extra) = of.indices.iter().find(|index| !wanted.contains(&index.text)) {
        let wrong = format!("the loop variable `{}` is not in `on`", extra.text);
        return refuse(&extra.span, wrong);
    }
    let mut widths = widths(of)?;
    let mut axes: Vec<Axis<'a>> = Vec::new();
    for (dim, subscript) in fastest_first(&of.on).into_iter().enumerate() {
        let text = match subscript {
            Subscript::Star(_) => {
                axes.push(Axis::Own);
                continue;
            }
            Subscript::All(_) => {
                axes.push(Axis::All);
                continue;
            }
            Subscript::At(text) => text,
            Subscript::Range { span, .. } => return Err(range(span.clone(), language)),
        };
        let counted = counts(subscript, of, language);
        let nth = counted.as_ref().and_then(|(name, _)| found.iter().position(|of| of == name));
        let Some((nth, (name, offset))) = nth.zip(counted.clone()) else {
            match counted {
                Some((name, _)) if !of.indices.is_empty() || found.is_empty() => {
                    return Err(no_loop(text, &name, language));
                }
                _ => check_value(text, inside, language)?,
            }
            axes.push(Axis::Value(text));
            continue;
        };
        let same = |axis: &Axis<'_>| matches!(axis, Axis::Counted(other) if other.nth == nth);
        if axes.iter().any(same) {
            return refuse(&text.span, format!("`{name}` occurs twice in `on`"));
        }
        let widths = widths.get_mut(dim).and_then(Option::take);
        if let Some(widths) = &widths
            && layouts.get(dim).is_some_and(|layout| layout.is_cyclic())
        {
            return refuse(&widths.lower.span, "a cyclic dimension cannot be expanded");
        }
        axes.push(Axis::Counted(Counted { nth, name, offset, widths }));
    }
    if axes.iter().any(|axis| matches!(axis, Axis::Counted(_))) {
        return Ok(axes);
    }
    let help = format!(
        "write `on t(i)`, where `i` is the variable of the `{}` statement after the directive",
        language.counting()
    );
    Err(Diagnostic::new(of.on.span.clone(), "no loop variable is in `on`").help(help))
}

/// The widths of `expand` and its like, the fastest dimension first; none where they are 0.
fn widths(of: &Loop) -> Result<Vec<Option<Widths<'_>>>, Diagnostic> {
    let Some((_, given, _, span)) = &of.extent else { return Ok(Vec::new()) };
    let Reference { name, subscripts, .. } = &of.on;
    check_count((given.len(), "width"), subscripts.len(), &name.text, span)?;
    let width = |width| {
        let widths = Widths::of(width, "loop")?;
        Ok(Some(widths).filter(|of| of.lower.text != "0" || of.upper.text != "0"))
    };
    let mut widths = given.iter().map(width).collect::<Result<Vec<_>, Diagnostic>>()?;
    if of.on.brackets == Some(crate::directive::Brackets::Square) {
        widths.reverse();
    }
    Ok(widths)
}

/// An index that no loop of the directive counts is known before the loops.
fn check_value(
    text: &Text,
    inside: &dyn Fn(&str) -> bool,
    language: Language,
) -> Result<(), Diagnostic> {
    let folded = language.folded(&text.text);
    let Some((name, _)) = index_and_offset(&folded).filter(|(name, _)| inside(name)) else {
        return Ok(());
    };
    let wrong = format!("`{name}` counts an inner loop, but is not among the loop variables");
    Err(Diagnostic::new(text.span.clone(), wrong)
        .help(format!("add `{name}` to the loop variables, or write `:` for it")))
}

/// The error of a variable that no loop counts.
fn no_loop(text: &Text, name: &str, language: Language) -> Diagnostic {
    let wrong = format!(
        "there is no `{}` statement that counts `{name}` after the directive",
        language.counting()
    );
    Diagnostic::new(text.span.clone(), wrong)
}

fn range(span: Span, language: Language) -> Diagnostic {
    Diagnostic::new(span, "a range is not allowed in `loop .. on`").help(format!(
        "write `:` for all indices, and the bounds in the `{}` statement",
        language.counting()
    ))
}

/// The error of a loop that goes on beyond its bounds with another step than 1.
pub fn unbound_step(place: Span) -> Diagnostic {
    Diagnostic::new(place, "a loop that is expanded beyond its bounds has a step of 1")
}
