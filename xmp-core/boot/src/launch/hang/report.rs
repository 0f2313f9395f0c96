//! The waits of images as text: the message of a deadlock, and the table of all images.

use super::survey::{Survey, WaitingStatement};
use super::words;
use crate::failure::probing::{Needs, missing};
use crate::rank::Rank;
use crate::wait::Need;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Variables for which the images of a statement have a line each. The images of more variables have one line, which has some of them.
const MAX_VARIABLES: usize = 4;

/// Images that wait in the same statement, for the same variable or for one of many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) images: BTreeSet<Rank>,
    /// In the words of the language: `sync all`.
    operation: String,
    /// The variables that the images wait for, where they are known: `ready(3)`.
    variables: BTreeMap<Rank, String>,
    /// `file:line`, or another description of the statement.
    pub(super) place: Option<String>,
    need: Need,
    /// The images that they wait for.
    missing: BTreeSet<Rank>,
    /// The longest time that one of the images has waited.
    pub(super) since: Duration,
}

impl Group {
    /// The group as a row of the table.
    pub(super) fn into_row(self) -> Row {
        Row {
            need: self.need(),
            since: (!self.since.is_zero()).then_some(self.since),
            state: self.operation(),
            images: self.images,
            place: self.place,
        }
    }

    /// The operation with its variables: `event wait (ready(3))`.
    fn operation(&self) -> String {
        let mut variables: Vec<&str> = Vec::new();
        for variable in self.images.iter().filter_map(|rank| self.variables.get(rank)) {
            if variables.contains(&&**variable) {
                continue;
            }
            if variables.len() == MAX_VARIABLES {
                variables.push("...");
                break;
            }
            variables.push(variable);
        }
        if variables.is_empty() {
            return self.operation.clone();
        }
        format!("{} ({})", self.operation, variables.join(", "))
    }

    /// The need of the images, as the end of a sentence.
    pub(super) fn need(&self) -> Option<String> {
        words::need(&self.need, &self.missing, self.images.len())
    }
}

/// The waits of `images`, whose statements were asked for; those that wait in the same statement are together.
pub(super) fn groups(survey: &Survey, images: &BTreeSet<Rank>) -> Vec<Group> {
    let needs = survey.needs();
    let few = statements_of_few_variables(survey, images);
    let mut groups: Vec<Group> = Vec::new();
    for rank in images {
        let waiting = &survey.waits[rank];
        let Some(statement) = waiting.statement.clone() else { continue };
        let is_apart = few.contains(&(&statement.operation, &statement.place));
        let WaitingStatement { operation, variable, place, .. } = statement;
        let group = Group {
            images: BTreeSet::from([*rank]),
            operation,
            variables: variable.into_iter().map(|variable| (*rank, variable)).collect(),
            place,
            need: waiting.need.clone(),
            missing: missing(&waiting.need, &needs),
            since: waiting.since,
        };
        let is_same = |other: &&mut Group| {
            other.operation == group.operation
                && other.place == group.place
                && other.need.posts == group.need.posts
                && (!is_apart || other.variables.values().next() == group.variables.values().next())
        };
        match groups.iter_mut().find(is_same) {
            Some(other) => {
                other.images.extend(group.images);
                other.variables.extend(group.variables);
                other.missing.extend(group.missing);
                other.since = other.since.max(group.since);
            }
            None => groups.push(group),
        }
    }
    groups.into_iter().flat_map(|group| separated(group, &needs)).collect()
}

/// The statements, by operation and place, in which `images` wait for few variables in all.
fn statements_of_few_variables<'a>(
    survey: &'a Survey,
    images: &BTreeSet<Rank>,
) -> BTreeSet<(&'a String, &'a Option<String>)> {
    let mut variables: BTreeMap<_, BTreeSet<&Option<String>>> = BTreeMap::new();
    for statement in images.iter().filter_map(|rank| survey.waits[rank].statement.as_ref()) {
        let WaitingStatement { operation, variable, place, .. } = statement;
        variables.entry((operation, place)).or_default().insert(variable);
    }
    let few = variables.into_iter().filter(|(_, variables)| variables.len() <= MAX_VARIABLES);
    few.map(|(statement, _)| statement).collect()
}

/// A group that waits for images outside of it is described without its members' waits for one another; otherwise each
/// of its images is described by itself.
fn separated(group: Group, needs: &Needs) -> Vec<Group> {
    let outside: BTreeSet<Rank> = group.missing.difference(&group.images).copied().collect();
    if !outside.is_empty() || group.missing.is_empty() {
        return vec![Group { missing: outside, ..group }];
    }
    let alone = |&rank: &Rank| Group {
        images: BTreeSet::from([rank]),
        missing: missing(&needs[&rank], needs),
        ..group.clone()
    };
    group.images.iter().map(alone).collect()
}

/// `deadlock: image 1: event wait, pipeline.f90:14, needs 1 post; images 2-4: sync all, ...`
pub(super) fn deadlock(groups: &[Group]) -> String {
    format!("deadlock: {}", list(groups))
}

/// The message about images that all wait, where it is not certain that they wait for ever. The hosts of the images `unknown`
/// have not answered.
pub(super) fn idle(who: &str, groups: &[Group], seconds: u64, unknown: &BTreeSet<Rank>) -> String {
    let text = format!("{who} have waited for {seconds} s, perhaps for ever: {}", list(groups));
    if unknown.is_empty() {
        return text;
    }
    let verb = if unknown.len() == 1 { "is on a host" } else { "are on hosts" };
    format!("{text}; {} {verb} that did not answer", words::images(unknown))
}

fn list(groups: &[Group]) -> String {
    let parts = groups.iter().map(|group| {
        let parts = [Some(group.operation()), group.place.clone(), group.need()];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        format!("{}: {}", words::images(&group.images), parts.join(", "))
    });
    parts.collect::<Vec<_>>().join("; ")
}

/// A row of the table: images that do the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) images: BTreeSet<Rank>,
    /// Their activity.
    pub(super) state: String,
    pub(super) place: Option<String>,
    pub(super) need: Option<String>,
    /// The time of this activity, if it is known.
    pub(super) since: Option<Duration>,
}

/// The resources that the process of an image uses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Load {
    /// Processor time, in percent of the time that has passed.
    pub(crate) processor: f64,
    /// Memory in use, in bytes.
    pub(crate) resident: u64,
}

/// The mean processor time of these images, and the most memory of one.
fn load_of(images: &BTreeSet<Rank>, loads: &[Option<Load>]) -> [String; 2] {
    let known = images.iter().filter_map(|rank| loads.get(rank.index()).copied().flatten());
    let known: Vec<Load> = known.collect();
    if known.is_empty() {
        return [String::new(), String::new()];
    }
    let mean = known.iter().map(|load| load.processor).sum::<f64>() / known.len() as f64;
    let most = known.iter().map(|load| load.resident).max().unwrap_or(0);
    [format!("{mean:.0} %"), format!("{:.1} MiB", most as f64 / 1048576.0)]
}

/// The rows in columns, the row of the lowest image first; with the resources that the images use, if they are given.
pub(super) fn table(mut rows: Vec<Row>, loads: Option<&[Option<Load>]>) -> String {
    rows.sort_by(|one, other| one.images.first().cmp(&other.images.first()));
    let mut header = vec!["images", "state", "statement", "needs", "for"];
    if loads.is_some() {
        header.splice(1..1, ["processor", "memory"]);
    }
    let cells = rows.into_iter().map(|row| {
        let since = row.since.map(|since| format!("{:.1} s", since.as_secs_f64()));
        let [place, need, since] = [row.place, row.need, since].map(Option::unwrap_or_default);
        let mut cells = vec![words::numbers(&row.images), row.state, place, need, since];
        if let Some(loads) = loads {
            cells.splice(1..1, load_of(&row.images, loads));
        }
        cells
    });
    let header = header.into_iter().map(String::from).collect();
    let lines: Vec<Vec<String>> = std::iter::once(header).chain(cells).collect();
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max();
    let widths: Vec<usize> = (0..lines[0].len()).filter_map(width).collect();
    let line = |cells: &Vec<String>| {
        let padded = cells.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}"));
        format!("  {}", padded.collect::<Vec<_>>().join("  ").trim_end())
    };
    lines.iter().map(line).collect::<Vec<_>>().join("\n")
}
