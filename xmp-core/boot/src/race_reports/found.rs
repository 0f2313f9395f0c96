//! The report of a race: both statements, both images, the variable, and what would order them.

use super::cure::Cure;
use super::ignore::Ignored;
use super::place::pair;
use super::program::{PROGRAM, Program, Selector, leave};
use super::report::Report;
use super::{files, recorded, reporting, sarif};
use crate::failure::Complaint;
use crate::races::{AllocatedPart, Begun, Entry, Kind, Race, RaceAccess, Races};
use crate::rank::Rank;
use crate::settings::RaceAction;
use std::collections::HashSet;
use std::io::Write as _;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;
use xmp_map::hash;
use xmp_source::Statement;

/// Both accesses, and the start of the variable.
type ReportedRace = (RaceAccess, RaceAccess, Option<u64>);

/// The races of this image that the user does not want reported.
static KNOWN: LazyLock<Mutex<HashSet<ReportedRace>>> = LazyLock::new(Mutex::default);

/// An image has found a race. Each pair of statements is reported once in a job.
#[cold]
pub(super) fn found(race: &Race) -> Option<Entry> {
    let program = PROGRAM.get()?;
    let (image, _) = (program.member)()?;
    let races = image.races()?;
    let reporting = reporting::begin();
    let known = (race.mine, race.other, (program.start_of)(race.offset));
    let mut all_known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if all_known.contains(&known) {
        return Some(Entry::IGNORED);
    }
    let found = FoundRace::new(program, image.rank(), races, race);
    let places = [&found.mine, &found.other].map(Access::place);
    if Ignored::get().names(&found.other.object, &places) {
        all_known.insert(known);
        return Some(Entry::IGNORED);
    }
    drop(all_known);
    // Without room in the table the race is reported all the same.
    let entered = races.enter(found.key());
    let entry = entered.map(|(entry, _)| entry);
    match entered {
        Some((_, false)) => return entry,
        Some((entry, true)) => {
            races.describe(entry, &found.lines());
        }
        None => {}
    }
    let me = image.rank();
    let report =
        Report { place: None, what: found.text(), statement: found.mine.statement.clone() };
    match image.settings().races {
        RaceAction::All => {
            // An error of standard error cannot be reported anywhere.
            let _ = std::io::stderr().lock().write_all(report.text(&me).as_bytes());
            files::write_at_end(image, races);
        }
        RaceAction::First => {
            leave();
            // The end of the process waits for reports.
            drop(reporting);
            // An image that finds the same race waits for the words of this one.
            Complaint::start(image.job(), me);
            (program.end_with)(report)
        }
    }
    entry
}

/// A race in the words of the user.
struct FoundRace {
    mine: Access,
    other: Access,
    /// Which of them is by an operation in the background.
    begun: Option<Begun>,
    cure: Cure,
    /// When it was found.
    time: Duration,
}

/// A part of a block whose name is not known: `element 3 of the coarray allocated at main.rs:12 on image 2`.
fn part_of_block(me: Rank, races: Races<'_>, race: &Race, selector: Selector) -> Option<String> {
    let AllocatedPart { number, is_element, site } = races.allocated.part(race.offset)?;
    let statement = races.statement(me, site)?;
    let unit = if is_element { "element" } else { "byte" };
    let image = match selector {
        Selector::Image => format!(" on {}", race.of),
        Selector::None => String::new(),
    };
    Some(format!("{unit} {number} of the coarray allocated at {statement}{image}"))
}

/// One of its accesses.
struct Access {
    image: Rank,
    kind: Kind,
    statement: Option<Statement>,
    /// The element, in the words of this image.
    object: String,
}

impl FoundRace {
    fn new(program: &Program, me: Rank, races: Races<'_>, race: &Race) -> FoundRace {
        let name = |selector| {
            let known = (program.name_of)(race.of, race.offset, selector);
            known.or_else(|| part_of_block(me, races, race, selector))
        };
        let access = |side: RaceAccess, selector, unknown: String| Access {
            image: side.image,
            kind: side.kind,
            statement: races.statement(side.image, side.site),
            object: name(selector).unwrap_or(unknown),
        };
        let is_own = race.of == me;
        let own = if is_own { Selector::None } else { Selector::Image };
        let mine = access(race.mine, own, format!("memory of {}", race.of));
        let other = access(race.other, Selector::Image, format!("the same memory of {}", race.of));
        let ordered_at = races.statement(race.mine.image, race.ordered_at);
        let [first, second] = [&mine, &other].map(|access| access.statement.as_ref());
        let cure = Cure::of_race(first, second, ordered_at.as_ref(), race.begun);
        FoundRace { mine, other, begun: race.begun, cure, time: recorded::now() }
    }

    /// What equal races of all images have in common.
    fn key(&self) -> u64 {
        let mut sides = [&self.mine, &self.other].map(|it| (it.place(), it.kind.writes()));
        sides.sort();
        hash::of(&sides) | 1
    }

    /// What follows `FILE:LINE: IMAGE: `.
    fn text(&self) -> String {
        let FoundRace { mine, other, begun, cure, .. } = self;
        let operation = match mine.kind {
            Kind::Read => "read of",
            Kind::Write => "write to",
            Kind::AtomicRead => "atomic read of",
            Kind::AtomicWrite => "atomic write to",
        };
        let does = other.does();
        let who = match begun {
            Some(Begun::Other) => "the operation that it has begun".into(),
            Some(Begun::Mine) | None => other.image.to_string(),
        };
        let place = match &other.statement {
            Some(statement) => format!("at {statement}"),
            None => "in a statement that is not remembered".into(),
        };
        format!(
            "{operation} {}: {who} {does} {place}, and nothing orders the two statements: {cure}",
            mine.object
        )
    }

    /// The race for editors.
    fn sarif(&self) -> String {
        let place = |access: &Access| access.statement.as_ref().and_then(Statement::place);
        let [mine, other] = [&self.mine, &self.other];
        let text = format!("{}: {}", mine.image, self.text());
        let does = format!("{} {}", other.image, other.does());
        sarif::result((&text, place(mine)), (&does, place(other)))
    }

    /// The race for the library that records.
    fn recorded(&self) -> String {
        let sides = [&self.mine, &self.other];
        let sides = sides.map(|it| (it.image.get() + 1, it.place(), it.does()));
        recorded::line(self.time, sides, &self.cure.to_string())
    }

    /// What the end of the job says of it: a line for the user, for editors, and for the library that records.
    fn lines(&self) -> String {
        let pair = pair([&self.mine, &self.other].map(Access::place));
        format!("{pair}\n{}\n{}", self.sarif(), self.recorded())
    }
}

impl Access {
    /// `writes x(3)[2]`.
    fn does(&self) -> String {
        let verb = match self.kind {
            Kind::Read => "reads",
            Kind::Write => "writes",
            Kind::AtomicRead => "atomically reads",
            Kind::AtomicWrite => "atomically writes",
        };
        format!("{verb} {}", self.object)
    }

    /// `file:line`, or as much of that as is known.
    fn place(&self) -> String {
        self.statement.as_ref().map_or_else(|| "an unknown statement".into(), Statement::to_string)
    }
}
