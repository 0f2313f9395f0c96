//! Bounds of loops: the iterations of this image.

use super::classify::{Counter, Kind};
use super::items::Item;
use super::openmp::share_loop;
use super::reach::Reached;
use super::source::Statement;
use super::tokens::uses;
use super::unit::{TranslationResult, Unit, integer, operand};
use super::writer::Code;
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::Kind as Directive;
use crate::meaning::Layout;
use crate::meaning::nest::unbound_step;
use crate::meaning::openmp::{Share, check_clauses, collapsed, collapsed_blocks};

/// A value beyond all bounds of loops; the run-time library has the same.
const FAR: &str = "1073741824";

/// The remedy for a step that cannot be computed.
const STEPS: &str = "a loop over a cyclic dimension needs a number, and one with `/unbound/` the step 1; for other loops, assign what \
                     calls a function to a variable first";

/// A `do` statement of a nest.
#[derive(Clone, Debug)]
pub struct Counted<'a> {
    pub item: usize,
    pub statement: &'a Statement,
    pub counter: Counter,
}

/// The indices of this image in the dimension that a loop belongs to, as expressions.
#[derive(Clone, Debug)]
pub struct Own {
    pub first: String,
    pub last: String,
    /// Width and distance of blocks.
    pub blocks: Option<(String, String)>,
    pub layout: Layout,
}

impl Own {
    /// The condition that this image has an index.
    pub fn has(&self, index: &str) -> String {
        let Self { first, last, blocks, .. } = self;
        let mut condition = format!("{index} >= {first} .and. {index} <= {last}");
        if let Some((width, distance)) = blocks {
            condition += &format!(" .and. modulo({index} - ({first}), {distance}) < {width}");
        }
        condition
    }
}

/// The first and the last index of this image, as code.
#[derive(Clone, Copy)]
struct Between<'a> {
    from: &'a str,
    to: &'a str,
}

/// Bounds of a counting loop, as expressions.
#[derive(Debug)]
pub struct Bounds {
    pub first: String,
    pub last: String,
    pub step: i64,
}

/// Bounds of a loop over the iterations of this image.
#[derive(Debug)]
pub struct Ends {
    pub first: String,
    pub last: String,
    /// 1 where nothing is written.
    pub step: String,
}

impl Unit<'_> {
    /// Writes the bounds of this image into a `do` statement, of which the iterations go on beyond its bounds by these widths.
    /// Without the condition there are no iterations. What is reached by subscripts is checked before.
    pub fn bound(
        &mut self,
        counted: &Counted<'_>,
        own: &Own,
        beyond: Option<(String, String)>,
        condition: Option<&str>,
        reached: &[Reached],
    ) -> TranslationResult {
        let Counted { item, statement, counter } = counted;
        let (from, to) = (own.first.as_str(), own.last.as_str());
        let mut bounds = Bounds {
            first: statement.text[counter.first.clone()].to_owned(),
            last: statement.text[counter.last.clone()].to_owned(),
            step: 1,
        };
        let scope = self.scope_of(*item);
        let step = step(statement, counter)?;
        let share = match (&own.blocks, &step) {
            (None, _) => Share::Piece,
            (_, Step::Number(1 | -1)) if own.layout == Layout::Cyclic(true) => Share::Apart,
            _ => Share::Blocks,
        };
        self.check_openmp(counted, share)?;
        match step {
            Step::Number(step) => bounds.step = step,
            Step::Computed(step) if beyond.is_none() && own.blocks.is_none() && !calls(step) => {
                self.needs[scope].interfaces = true;
                let ends = bounds.within_by(step, Between { from, to }, condition);
                self.replace_bounds(counted, reached, &ends);
                return Ok(());
            }
            Step::Computed(_) => {
                let span = counter.step.clone().unwrap_or_default();
                let title = "the step of this loop is no number";
                return Err(Diagnostic::new(statement.span(span), title).help(STEPS));
            }
        }
        if bounds.step.abs() > 1 && calls(&bounds.first) {
            self.needs[scope].interfaces = true;
        }
        if let Some((below, above)) = beyond {
            if bounds.step != 1 {
                return Err(unbound_step(statement.whole()));
            }
            bounds.first += &format!(" - {}", operand(&below));
            bounds.last += &format!(" + {}", operand(&above));
        }
        let ends = match &own.blocks {
            None => bounds.within(from, to, condition),
            Some((_, distance)) if share == Share::Apart => {
                bounds.apart(Between { from, to }, distance, condition)
            }
            Some(blocks) => {
                let between = Between { from, to };
                let code = self.blocks(counted, &bounds, between, blocks, condition, reached)?;
                self.output.replace(*item, code);
                return Ok(());
            }
        };
        self.replace_bounds(counted, reached, &ends);
        Ok(())
    }

    /// Replaces the bounds of a loop, and checks the elements that it accesses.
    fn replace_bounds(&mut self, counted: &Counted<'_>, reached: &[Reached], ends: &Ends) {
        let Counted { item, statement, counter } = counted;
        let head = &statement.text[..counter.first.start];
        self.output.replace(*item, vec![ends.statement(head)]);
        self.check_before(counted, reached, ends);
    }

    /// Checks the elements that a loop with these bounds accesses, before it and before the directives of OpenMP that
    /// it belongs to.
    fn check_before(&mut self, counted: &Counted<'_>, reached: &[Reached], ends: &Ends) {
        if reached.is_empty() {
            return;
        }
        let scope = self.scope_of(counted.item);
        self.needs[scope].interfaces = true;
        let checks = reached.iter().map(|of| of.check(&variable_of(counted), ends.all())).collect();
        self.output.before(self.before_loop(counted.item), checks);
    }

    /// The item before which statements come that precede a loop and the directives of OpenMP that it belongs to.
    pub fn before_loop(&self, item: usize) -> usize {
        let start = match self.openmp_of(item) {
            Some((openmp, outer, start)) if collapsed(&openmp) > outer => start,
            _ => item,
        };
        // A directive of OpenMP may be before the `loop` directive.
        let is_loop = |item: usize| matches!(&self.items[item], Item::Directive(of) if matches!(of.kind, Directive::Loop(_)));
        if start > 0 && is_loop(start - 1) { start - 1 } else { start }
    }

    /// The number of loops, from this one on, that threads share by the directive of OpenMP before it or before a loop
    /// around it.
    fn threaded(&self, item: usize) -> usize {
        self.openmp_of(item)
            .map_or(0, |(openmp, outer, _)| collapsed(&openmp).saturating_sub(outer))
    }

    /// The directives of OpenMP before a loop, or before the next one around it that has any, the number of loops
    /// between, and the loop after the directives.
    fn openmp_of(&self, item: usize) -> Option<(String, usize, usize)> {
        let end = self.scopes.ends[&item];
        let around = |start: &&usize| **start <= item && self.scopes.ends[*start] >= end;
        let mut starts: Vec<usize> = self.scopes.ends.keys().filter(around).copied().collect();
        starts.sort_by_key(|start| std::cmp::Reverse(*start));
        let loops =
            starts.into_iter().filter(|at| matches!(self.items[*at].kind(), Some(Kind::Do(_))));
        let openmp = |(outer, start)| (self.output.openmp_before(start), outer, start);
        loops.enumerate().map(openmp).find(|(openmp, ..)| !openmp.is_empty())
    }

    /// Refuses clauses of OpenMP that mean something else for a loop of which a node has this share.
    fn check_openmp(&self, counted: &Counted<'_>, share: Share) -> TranslationResult {
        let shared = self.openmp_of(counted.item);
        match shared.filter(|(openmp, outer, _)| share_loop(openmp) && collapsed(openmp) > *outer) {
            Some((openmp, ..)) => {
                let place = counted.statement.whole();
                check_clauses(&openmp, share, &variable_of(counted), place)
            }
            None => Ok(()),
        }
    }

    /// A loop over blocks around the loop of the user.
    fn blocks(
        &mut self,
        counted: &Counted<'_>,
        bounds: &Bounds,
        own: Between<'_>,
        (width, distance): &(String, String),
        condition: Option<&str>,
        reached: &[Reached],
    ) -> Result<Vec<Code>, Diagnostic> {
        let Between { from, to } = own;
        let Counted { item, statement, counter } = counted;
        let end = self.scopes.ends[item];
        let shared = self.scopes.ends.values().filter(|other| **other == end).count() > 1;
        if shared {
            return Err(Diagnostic::new(
                self.statement(end).whole(),
                "this statement ends several loops, one of them over cyclic blocks",
            )
            .help("give each loop an `end do` of its own"));
        }
        if self.threaded(*item) > 1 {
            return Err(collapsed_blocks(statement.whole()));
        }
        for inner in item + 1..end {
            if let Some(statement) = self.items[inner].statement()
                && let Some(at) = uses(&statement.code, "exit").next()
                && (at == 0 || statement.code.starts_with("if"))
            {
                return Err(Diagnostic::new(
                    statement.whole(),
                    "`exit` cannot leave a loop over cyclic blocks",
                )
                .help("the iterations of other images would go on"));
            }
        }
        let block = self.counter(self.scope_of(*item));
        let Bounds { first, last, step } = bounds;
        let (first, last, sign) = if *step > 0 {
            let first = format!("{from} + (max({first}, {from}) - ({from}))/{distance}*{distance}");
            (first, format!("min({last}, {to})"), "")
        } else {
            let first = down_from(first, Between { from, to }, distance);
            (first, format!("max({} - {width} + 1, {from})", operand(last)), "-")
        };
        let last = guarded(last, condition, *step < 0);
        let outer = format!("do {block} = {first}, {last}, {sign}{distance}");
        let inner = bounds.within(&block, &format!("min({to}, {block} + {width} - 1)"), None);
        self.output.within(end, vec!["end do".into()]);
        let scope = self.scope_of(*item);
        self.needs[scope].interfaces |= !reached.is_empty();
        let mut code = vec![outer.into()];
        code.extend(reached.iter().map(|of| of.check(&variable_of(counted), inner.all())));
        code.push(inner.statement(&statement.text[..counter.first.start]));
        Ok(code)
    }
}

impl Bounds {
    /// The iterations whose value is between two others.
    fn within(&self, from: &str, to: &str, condition: Option<&str>) -> Ends {
        let Self { first, last, step } = self;
        let (first, last) = match *step {
            1 => (format!("max({first}, {from})"), format!("min({last}, {to})")),
            -1 => (format!("min({first}, {to})"), format!("max({last}, {from})")),
            2.. => (self.start(from, to), format!("min({last}, {to})")),
            _ => (self.start(from, to), format!("max({last}, {from})")),
        };
        Ends { first, last: guarded(last, condition, *step < 0), step: step.to_string() }
    }

    /// The iterations whose value is between two others, for a step that is an expression.
    fn within_by(&self, step: &str, own: Between<'_>, condition: Option<&str>) -> Ends {
        let Between { from, to } = own;
        let (first, last) = (integer(&self.first), integer(&self.last));
        let is_on =
            condition.map_or("1".to_owned(), |condition| format!("merge(1, 0, {condition})"));
        // Two conversions that look alike would be two calls of one function.
        let first = format!("xmprt_fortran_start({first}, {from}, {to}, int({step}))");
        let last = format!("xmprt_fortran_stop({last}, {from}, {to}, int({step}, 4), {is_on})");
        Ends { first, last, step: step.to_owned() }
    }

    /// The first value at an index or beyond it. An expression that calls functions occurs there once: gfortran cannot
    /// compile loops of OpenMP that call a function twice.
    fn start(&self, from: &str, to: &str) -> String {
        let Self { first, step, .. } = self;
        if calls(first) {
            return format!("xmprt_fortran_start({}, {from}, {to}, {step})", integer(first));
        }
        let (start, by) = (operand(first), step.abs());
        if *step > 0 {
            format!("{start} + (max({first}, {from}) - {start} + {by} - 1)/{by}*{by}")
        } else {
            format!("{start} - ({start} - min({first}, {to}) + {by} - 1)/{by}*{by}")
        }
    }

    /// The first indices of the blocks of one index each that are between two others.
    fn apart(&self, own: Between<'_>, distance: &str, condition: Option<&str>) -> Ends {
        let Self { first, last, step } = self;
        let Between { from, to } = own;
        let (first, last, sign) = if *step == 1 {
            let first = format!(
                "{from} + (max({first}, {from}) - ({from}) + {distance} - 1)/{distance}*{distance}"
            );
            (first, format!("min({last}, {to})"), "")
        } else {
            (down_from(first, own, distance), format!("max({last}, {from})"), "-")
        };
        let last = guarded(last, condition, *step < 0);
        Ends { first, last, step: format!("{sign}{distance}") }
    }
}

impl Ends {
    fn all(&self) -> [&str; 3] {
        [&self.first, &self.last, &self.step]
    }

    fn statement(&self, head: &str) -> Code {
        let Self { first, last, step } = self;
        let step = if step == "1" { String::new() } else { format!(", {step}") };
        format!("{head}{first}, {last}{step}").into()
    }
}

/// The start of the last block that begins at an index or before it; before all blocks if there is none.
fn down_from(index: &str, own: Between<'_>, distance: &str) -> String {
    let Between { from, to } = own;
    format!("{from} + ((min({index}, {to}) - ({from}) + {distance})/{distance} - 1)*{distance}")
}

/// The last value of a loop that has no iterations without the condition.
fn guarded(last: String, condition: Option<&str>, downwards: bool) -> String {
    let sign = if downwards { "" } else { "-" };
    condition.map_or(last.clone(), |condition| format!("merge({last}, {sign}{FAR}, {condition})"))
}

/// The name of the variable that a loop counts.
pub fn variable_of(counted: &Counted<'_>) -> String {
    counted.statement.code[counted.counter.variable.clone()].to_owned()
}

/// Whether an expression may call functions.
fn calls(text: &str) -> bool {
    text.contains('(')
}

/// The header of a loop.
pub enum Step<'a> {
    Number(i64),
    /// An expression.
    Computed(&'a str),
}

/// The step of a loop: a number other than 0, or an expression.
pub fn step<'a>(statement: &'a Statement, counter: &Counter) -> Result<Step<'a>, Diagnostic> {
    let Some(span) = &counter.step else { return Ok(Step::Number(1)) };
    let text = statement.code[span.clone()].replace([' ', '(', ')'], "");
    match text.parse() {
        Ok(0) => refuse(statement.span(span.clone()), "the step of this loop is 0"),
        Ok(step) => Ok(Step::Number(step)),
        Err(_) => Ok(Step::Computed(&statement.text[span.clone()])),
    }
}
