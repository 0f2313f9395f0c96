//! The bounds of this image, written into the header of a counting loop.

use super::companions::{Companion, has_effect};
use super::counted::Counted;
use super::nest_check::Level;
use super::on::LOCAL;
use super::unit::{TranslationResult, Unit};
use crate::diagnostics::Diagnostic;
use crate::meaning::Layout;
use crate::meaning::communicate::Widths;
use crate::meaning::nest::unbound_step;
use crate::meaning::openmp::{Share, collapsed_blocks};

/// A loop, its range and the special properties of its dimension.
#[derive(Debug)]
pub struct Bounded<'a> {
    /// The name of the variable that holds the range of this image.
    pub range: String,
    /// The loop.
    pub counted: Counted,
    /// Its place in the nest.
    pub level: Level,
    /// Its width in `expand`.
    pub widths: Option<Widths<'a>>,
    /// The layout of its dimension of the template.
    pub layout: Option<Layout>,
    /// Whether it is one side of a margin that the loop executes at a time.
    pub is_margin: bool,
    /// The number of loops, from this one on, that a pragma of OpenMP distributes among threads.
    pub threaded: usize,
}

/// The pattern of the iterations of this image in a loop.
pub fn share(layout: Option<Layout>, counted: &Counted) -> Share {
    match layout {
        Some(Layout::Cyclic(true)) if counted.step == "1" && counted.upwards => Share::Apart,
        Some(Layout::Cyclic(_)) => Share::Blocks,
        _ => Share::Piece,
    }
}

impl Unit<'_> {
    /// Writes the bounds of this image into the header of a `for` statement.
    ///
    /// # Errors
    /// For a step other than 1 in a loop that is expanded.
    pub fn bound(&mut self, counter: &Bounded<'_>) -> TranslationResult {
        let Bounded { range, counted, level, widths, layout, is_margin, threaded } = counter;
        let step = &counted.step;
        let (mut lower, mut upper) = (String::new(), String::new());
        if let Some(Widths { lower: below, upper: above, flag: true }) = widths {
            if step != "1" {
                return Err(unbound_step(counted.update.clone()));
            }
            // A margin within the image's own part leaves the bounds of the loop.
            let beyond = if *is_margin { "xmprt_beyond" } else { "" };
            (lower, upper) =
                (format!(" - {beyond}({})", below.text), format!(" + {beyond}({})", above.text));
            if !counted.upwards {
                (lower, upper) = (upper, lower);
            }
        }
        // Bounds have the widest type of a variable: without a cast, the compiler warns of a conversion.
        let cast = format!("(__typeof__({}))", counted.variable);
        self.accompany(counted, range, *layout)?;
        let is_beside = self.bound_is_set_beside(counted)?;
        let [around, after] = if is_beside {
            ["(", ")"].map(str::to_owned)
        } else {
            self.around_first(counted, level)
        };
        let checked = is_beside.then(|| self.checked_first(counted, level));
        let checked = checked.as_deref();
        let mut within = range.clone();
        if layout.is_some_and(Layout::is_cyclic) {
            let first = &self.normal.text[counted.first.clone()];
            let first = format!("{around}{first}{after}");
            if share(*layout, counted) == Share::Apart {
                let from = format!("{cast}xmprt_block_from({range}, {around}");
                self.edits.wrap(&counted.first, from, format!("{after})"));
                self.edits.replace(
                    counted.update.clone(),
                    format!("{} += {cast}{range}.period", counted.variable),
                );
                return self.bound_end(counted, range, "", checked);
            }
            if *threaded > 1 {
                return Err(collapsed_blocks(counted.statement.start..counted.first.start));
            }
            let start = format!("{LOCAL}at_{}", counted.variable);
            let (from, test, change) = if counted.upwards {
                ("xmprt_block_from", format!("<= {range}.last"), "+=")
            } else {
                ("xmprt_block_down_from", format!(">= {range}.first"), "-=")
            };
            let outer = format!(
                "for (long {start} = {from}({range}, {first}); {start} {test}; {start} {change} {range}.period) "
            );
            self.edits.wrap(&counted.statement, outer, "");
            // The threads share the blocks: OpenMP sees another loop than the one that the variable counts.
            if let (true, Some(assigned)) = (*threaded > 0, counted.assigned) {
                self.edits.insert(assigned, format!("__typeof__({0}) ", counted.variable));
            }
            within = format!("xmprt_block({range}, {start})");
        }
        // The loop over the blocks has checked it.
        let [around, after] =
            if within == *range { [around, after] } else { ["(", ")"].map(str::to_owned) };
        let from = if counted.upwards { "xmprt_loop_from" } else { "xmprt_loop_down_from" };
        self.edits.wrap(
            &counted.first,
            format!("{cast}{from}({within}, {around}"),
            format!("{after}{lower}, {step})"),
        );
        self.bound_end(counted, &within, &upper, checked)
    }

    /// Sets the variables beside the counter, which has the values of this image's iterations in the range of this
    /// name.
    ///
    /// # Errors
    /// Where a first value or a step would be computed twice, and may change something.
    fn accompany(
        &mut self,
        counted: &Counted,
        range: &str,
        layout: Option<Layout>,
    ) -> TranslationResult {
        let first = self.normal.text[counted.first.clone()].to_owned();
        for Companion { name, first: value, update, step: (step, grows) } in &counted.companions {
            // Each block begins with the first value again.
            let again = &self.normal.text[value.clone()];
            let again = if share(layout, counted) == Share::Blocks { again } else { "" };
            if [&first, &counted.step, step, again]
                .into_iter()
                .any(|text| has_effect(text, self.macros))
            {
                return Err(Diagnostic::new(
                    update.clone(),
                    format!("`{name}` counts beside an expression that may change something"),
                )
                .help("assign the expression to a variable before the loop"));
            }
            let variable = &counted.variable;
            let distance = if counted.upwards {
                format!("(({variable}) - ({first}))")
            } else {
                format!("(({first}) - ({variable}))")
            };
            let sign = if *grows { '+' } else { '-' };
            self.edits.wrap(value, "(", format!(") {sign} {distance} / {} * {step}", counted.step));
            if share(layout, counted) == Share::Apart {
                self.edits.replace(
                    update.clone(),
                    format!("{name} {sign}= (__typeof__({variable})){range}.period * {step}"),
                );
            }
        }
        Ok(())
    }

    /// Writes the end of this image's iterations, after the check of all of them if that is here.
    fn bound_end(
        &mut self,
        counted: &Counted,
        within: &str,
        upper: &str,
        checked: Option<&str>,
    ) -> TranslationResult {
        let end = match counted.comparison {
            "<" => "xmprt_loop_below",
            "<=" => "xmprt_loop_upto",
            ">" => "xmprt_loop_above",
            _ => "xmprt_loop_downto",
        };
        let checked = checked.map_or(String::new(), |check| format!("(void){check}, "));
        self.edits.wrap(
            &counted.bound,
            format!("{end}({within}, ({checked}"),
            format!("){upper})"),
        );
        if counted.unsigned {
            // Bounds have a sign: without iterations they may be negative.
            self.edits.wrap(&counted.compared, "(long)", "");
        }
        // `!=` becomes a comparison with a direction.
        let between = counted.compared.end.min(counted.bound.end)
            ..counted.compared.start.max(counted.bound.start);
        if let Some(at) = self.normal.text[between.clone()].find("!=") {
            let turned = counted.bound.start < counted.compared.start;
            let operator = if (counted.comparison == "<") == turned { ">" } else { "<" };
            let at = between.start + at;
            self.edits.replace(at..at + 2, operator);
        }
        Ok(())
    }
}
