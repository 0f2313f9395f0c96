//! The comparison of the templates that images fix.
//!
//! Each image computes by its own template where elements are. With other bounds, or other sizes of blocks, loops leave elements out or
//! execute them twice, and a gmove takes other elements, without a message. All executing images execute `template_fix` with the same
//! values (XcalableMP 1.4, 4.4.1), so it is a barrier in which they compare these.

use super::template::TemplateObject;
use xmp_collectives::statement::{Difference, Statement, WORDS};
use xmp_collectives::{barrier_comparing, complete_before_barrier};
use xmp_core::{Error, Image, Rank, Result, hash};

/// The number of the statement among those that are compared. ALLOCATE and DEALLOCATE have the first ones.
const TEMPLATE_FIX: u8 = 9;

/// Compares a template that was just fixed with those of the other executing images.
///
/// # Errors
/// When they differ, and when an image has ended or executes another statement.
pub fn compare(image: &Image, template: &TemplateObject) -> Result<()> {
    let set = image.executing();
    let statement =
        Statement::new("template_fix", TEMPLATE_FIX, words(template), |own, other| own == other);
    complete_before_barrier(image, &set)?;
    match barrier_comparing(image, &set, &statement)? {
        None => Ok(()),
        Some(difference) => Err(Error::Invalid(text(&difference))),
    }
}

/// The bounds of the first two dimensions of the source, the number of dimensions, a hash of all bounds, and one of the formats.
fn words(template: &TemplateObject) -> [u64; WORDS] {
    let mut bounds = template.bounds().unwrap_or_default();
    if template.is_in_c() {
        bounds.reverse();
    }
    let [(a, b), (c, d)] = [0, 1].map(|dim| bounds.get(dim).copied().unwrap_or_default());
    let [a, b, c, d] = [a, b, c, d].map(|bound| bound as u64);
    [a, b, c, d, bounds.len() as u64, hash::of(&bounds), hash::of(&template.formats())]
}

fn text(Difference { first, other }: &Difference) -> String {
    let fixed = |words: Option<(u8, [u64; WORDS])>| words.filter(|(kind, _)| *kind == TEMPLATE_FIX);
    let (one, another) = (first.0, other.0);
    match (fixed(first.1), fixed(other.1)) {
        (Some((_, own)), Some((_, theirs))) => {
            let [own_bounds, other_bounds] = [own, theirs].map(shown);
            if own_bounds != other_bounds {
                format!("{one} gives the bounds {own_bounds}, {another} {other_bounds}")
            } else if own[..6] != theirs[..6] {
                format!("{one} and {another} give different bounds of dimension 3 or later ones")
            } else {
                format!("{one} and {another} give different sizes of blocks")
            }
        }
        (None, _) => missing(one),
        _ => missing(another),
    }
}

/// The bounds of the first two dimensions.
fn shown([a, b, c, d, count, ..]: [u64; WORDS]) -> String {
    let [first, second] =
        [(a, b), (c, d)].map(|(lower, upper)| format!("{}:{}", lower as i64, upper as i64));
    if count > 1 { format!("{first}, {second}") } else { first }
}

fn missing(image: Rank) -> String {
    format!("{image} does not execute this directive")
}
