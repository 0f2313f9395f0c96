//! The statements that would order the two statements of a race, with lines where both are in one file. Their order in a loop is
//! known where they and the last synchronisation are in one procedure.

use super::place::file_and_line;
use crate::races::Begun;
use std::fmt;
use xmp_source::Statement;

/// What would order two statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Cure {
    /// The images synchronise between the two lines, after the first one and before the second one. `wraps`: the second one is
    /// that of the next pass of a loop.
    /// `last`: where they have synchronised last, in words.
    Between { first: u32, second: u32, wraps: bool, last: Option<String> },
    /// Both images execute the same line: one at a time.
    OneAtATime { line: u32, last: Option<String> },
    /// The images synchronise between the two; `last` as above.
    Somewhere { last: Option<String> },
    /// An image waits for the operation that it has begun in a statement before it executes another one.
    WaitBefore { begun: String, next: String },
    /// The same before the images synchronise.
    WaitFirst { begun: String },
}

impl Cure {
    /// For two statements of images that have synchronised at a third one last. `begun`: which of the two has begun an operation whose
    /// completion does not order them.
    pub(super) fn of_race(
        mine: Option<&Statement>,
        other: Option<&Statement>,
        ordered_at: Option<&Statement>,
        begun: Option<Begun>,
    ) -> Cure {
        let name = |it: Option<&Statement>| match it.and_then(Statement::place) {
            Some(place) => format!("the operation of {place}"),
            None => "the operation".into(),
        };
        match begun {
            None => Cure::new(mine, other, ordered_at),
            Some(Begun::Mine) => Cure::WaitFirst { begun: name(mine) },
            Some(Begun::Other) => Cure::WaitBefore {
                begun: name(other),
                next: mine.and_then(Statement::place).unwrap_or_else(|| "this statement".into()),
            },
        }
    }

    /// For two statements of images that have synchronised at a third one last.
    fn new(
        one: Option<&Statement>,
        other: Option<&Statement>,
        ordered_at: Option<&Statement>,
    ) -> Cure {
        let all = [one, other, ordered_at];
        let procedures = all.map(|statement| statement.and_then(Statement::procedure));
        let in_one_procedure = procedures.iter().all(|procedure| *procedure == procedures[0]);
        let places = all.map(|statement| statement.and_then(Statement::place));
        Cure::of_places(places, in_one_procedure)
    }

    fn of_places([one, other, ordered_at]: [Option<String>; 3], in_one_procedure: bool) -> Cure {
        let [one, other, last] =
            [&one, &other, &ordered_at].map(|place| file_and_line(place.as_deref()?));
        let (file, one, other) = match (one, other) {
            (Some((file, one)), Some((its, other))) if its == file => (file, one, other),
            _ => return Cure::Somewhere { last: ordered_at },
        };
        let last = last.filter(|(its, _)| *its == file).map(|(_, line)| line);
        let in_words = last.map(|line| format!("line {line}")).or(ordered_at);
        if one == other {
            return Cure::OneAtATime { line: one, last: in_words };
        }
        let (low, high) = (one.min(other), one.max(other));
        // Statements that follow the last synchronisation come first; those before it come in the next pass of a loop.
        let wraps = in_one_procedure && last.is_some_and(|last| low < last && last < high);
        let (first, second) = if wraps { (high, low) } else { (low, high) };
        Cure::Between { first, second, wraps, last: in_words }
    }
}

impl fmt::Display for Cure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let last = match self {
            Cure::WaitBefore { begun, next } => {
                return write!(f, "wait for {begun} before {next}");
            }
            Cure::WaitFirst { begun } => {
                return write!(f, "wait for {begun} before the two images synchronise");
            }
            Cure::Between { first, second, wraps, last } => {
                let next = if *wraps { "the next execution of " } else { "" };
                write!(
                    f,
                    "synchronise the two images between line {first} and {next}line {second} (sync images, an event)"
                )?;
                last
            }
            Cure::OneAtATime { line, last } => {
                write!(
                    f,
                    "let one image at a time execute line {line} (a lock, critical), or synchronise the two images between the \
                     one's execution of it and the other's (sync images, an event)"
                )?;
                last
            }
            Cure::Somewhere { last } => {
                f.write_str("synchronise the two images between them")?;
                last
            }
        };
        last.as_ref().map_or(Ok(()), |last| write!(f, "; they last did at {last}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cure(one: &str, other: &str, last: &str) -> String {
        let place = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Cure::of_places([one, other, last].map(place), true).to_string()
    }

    #[test]
    fn the_lines_are_in_the_order_in_which_a_loop_executes_them() {
        let text = cure("src/a.f90:37", "src/a.f90:33", "src/a.f90:40");
        assert_eq!(
            text,
            "synchronise the two images between line 33 and line 37 (sync images, an event); they last did at line 40"
        );
        let text = cure("a.f90:33", "a.f90:37", "a.f90:34");
        assert!(text.contains("between line 37 and the next execution of line 33 ("), "{text}");
        let text = cure("a.f90:37", "a.f90:33", "b.f90:35");
        let its = "between line 33 and line 37 (sync images, an event); they last did at b.f90:35";
        assert!(text.ends_with(its), "{text}");
    }

    #[test]
    fn statements_of_several_procedures_are_not_said_to_be_in_a_loop() {
        let statement = |procedure: &str, line: u32| {
            Statement::from_text(&format!("{line}\n{procedure}\na.c")).expect("a statement")
        };
        let cure = |one: &str, other: &str, last: &str| {
            let [one, other, last] = [statement(one, 9), statement(other, 14), statement(last, 12)];
            Cure::new(Some(&one), Some(&other), Some(&last)).to_string()
        };
        assert!(
            cure("main", "main", "main").contains("line 14 and the next execution of line 9 (")
        );
        for [one, other, last] in
            [["give", "take", "main"], ["give", "take", "give"], ["give", "give", "main"]]
        {
            let text = cure(one, other, last);
            assert!(text.contains("between line 9 and line 14 (sync images"), "{text}");
        }
    }

    #[test]
    fn one_line_is_executed_by_one_image_at_a_time() {
        assert_eq!(
            cure("a.f90:3", "a.f90:3", ""),
            "let one image at a time execute line 3 (a lock, critical), or synchronise the two images between the one's \
             execution of it and the other's (sync images, an event)"
        );
    }

    #[test]
    fn an_operation_in_the_background_is_to_be_waited_for() {
        let statement = |line: u32| Statement::from_text(&format!("{line}\nmain\na.c")).unwrap();
        let [one, other] = [statement(14), statement(9)];
        let cure = |begun| Cure::of_race(Some(&one), Some(&other), None, Some(begun)).to_string();
        let before = "wait for the operation of a.c:9 before a.c:14";
        assert_eq!(cure(Begun::Other), before);
        let first = "wait for the operation of a.c:14 before the two images synchronise";
        assert_eq!(cure(Begun::Mine), first);
    }

    #[test]
    fn without_lines_of_one_file_the_statements_are_named_alone() {
        for (one, other) in [("a.f90:3", "b.f90:3"), ("", "a.f90:3"), ("a", "a")] {
            assert_eq!(cure(one, other, ""), "synchronise the two images between them");
            let last = "synchronise the two images between them; they last did at c.f90:9";
            assert_eq!(cure(one, other, "c.f90:9"), last);
        }
    }
}
