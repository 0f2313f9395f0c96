//! The races of a job: for each one how often it was found, both statements with their lines of source text, and what would order them.

use super::html::escaped;
use crate::races::{Race, RaceAccess};
use crate::units::time;
use std::fmt::{self, Display};

/// A list of races.
pub struct Races<'a>(pub &'a [Race]);

impl Display for Races<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "<ol class=\"races\">")?;
        for race in self.0 {
            let Race { time: first, sides, cure, .. } = race;
            let first = time((*first).max(0) as u64);
            writeln!(f, "<li>found {}, first after {first}\n<table>", race.times())?;
            sides.iter().try_for_each(|side| statement(side, f))?;
            writeln!(f, "</table>\n<p>{}</p></li>", escaped(&sentence(cure)))?;
        }
        write!(f, "</ol>")
    }
}

fn statement(side: &RaceAccess, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let RaceAccess { image, place, access, source } = side;
    let source = source.as_deref().unwrap_or_default();
    writeln!(
        f,
        "<tr><td>{}</td><td>image {image} {}</td><td class=\"source\">{}</td></tr>",
        escaped(place),
        escaped(access),
        escaped(source)
    )
}

/// A text as a sentence.
fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(characters).chain(['.']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_statements_are_shown_with_their_source() {
        let side = |image, source: Option<&str>| RaceAccess {
            image,
            place: format!("a.f90:{image}"),
            access: "writes x(1)".into(),
            source: source.map(Into::into),
        };
        let sides = [side(1, Some("if (a < b) x = 1")), side(2, None)];
        let race = Race { count: 12, time: 5_000_000, sides, cure: "synchronise them".into() };
        let text = Races(&[race]).to_string();
        for part in [
            "found 12 times, first after 5",
            "<td>a.f90:1</td><td>image 1 writes x(1)</td><td class=\"source\">if (a &lt; b) x = 1</td>",
            "<td>a.f90:2</td><td>image 2 writes x(1)</td><td class=\"source\"></td>",
            "<p>Synchronise them.</p>",
        ] {
            assert!(text.contains(part), "{text}");
        }
    }
}
