//! The check that all iterations of a distributed loop belong to nodes that execute.

use super::companions::{has_effect, words};
use super::counted::Counted;
use super::on::{BOUNDS, LOCAL, PREFIX, object, operand};
use super::unit::Unit;
use crate::diagnostics::Diagnostic;
use crate::directive::{Brackets, Loop};
use crate::meaning::Target;
use crate::meaning::nest::Axis;

/// A loop of a nest, as the library checks it.
#[derive(Clone, Debug)]
pub struct Level {
    /// The variable that describes the nest.
    nest: String,
    dim: usize,
    offset: String,
    /// The dimensions that loops around it and in it count, as sets of bits.
    outer: u32,
    inner: u32,
}

/// The description of a nest: the statements that declare it, and its loops, one for each counted dimension.
pub struct NestCheck {
    /// The declarations.
    pub declared: String,
    /// The loops, in the order of their dimensions.
    pub levels: Vec<Level>,
}

impl Unit<'_> {
    /// Describes the nest of a directive for the library; `starts` are the places of the loops, by their number.
    pub fn nest_check(
        &self,
        of: &Loop,
        target: Target,
        axes: &[Axis<'_>],
        starts: &[usize],
    ) -> NestCheck {
        let name = &of.on.name.text;
        let counted = |(dim, axis): (usize, &Axis<'_>)| match axis {
            Axis::Counted(index) => {
                Some((dim, index.name.clone(), index.offset.clone(), starts[index.nth]))
            }
            _ => None,
        };
        let counted: Vec<_> = axes.iter().enumerate().filter_map(counted).collect();
        let label = &counted.first().expect("a loop counts a dimension").1;
        let [nest, at, of_nodes] =
            ["nest", "given", "bounds"].map(|what| format!("{LOCAL}{what}_{label}"));
        // The library counts nodes from 1.
        let from_0 = matches!(target, Target::Nodes(_)) && of.on.brackets == Some(Brackets::Square);
        let more = if from_0 { " + 1" } else { "" };
        let (mut declared, bounds, nodes) = match target {
            Target::Template(number, _) => {
                let onto = self.objects.templates[number].onto.as_ref();
                (String::new(), format!("{BOUNDS}{name}"), onto.map_or("", |onto| &onto.text))
            }
            Target::Nodes(dims) => {
                let bounds = |dim| format!("{{1, xmprt_nodes_size({PREFIX}{name}, {dim})}}");
                let bounds = (0..dims).map(bounds).collect::<Vec<_>>().join(", ");
                (
                    format!(" const xmprt_extent {of_nodes}[] = {{{bounds}}};"),
                    of_nodes,
                    name.as_str(),
                )
            }
        };
        let (mut ranges, mut partly) = (Vec::new(), format!("xmprt_partly({})", object(&of.on)));
        for (dim, axis) in axes.iter().enumerate() {
            ranges.push(match axis {
                Axis::Own => "xmprt_own()".to_owned(),
                Axis::All | Axis::Counted(_) => "xmprt_whole()".to_owned(),
                Axis::Value(text) => {
                    let index = format!("{}{more}", operand(text));
                    partly += &format!(" || xmprt_outside(&{bounds}[{dim}], {index})");
                    format!("xmprt_at({index})")
                }
            });
        }
        declared += &format!(
            " const xmprt_range {at}[] = {{{}}}; const xmprt_nest {nest} = {{{}, {at}, {bounds}, {partly}, \"{nodes}\"}};",
            ranges.join(", "),
            object(&of.on)
        );
        let level = |(dim, _, offset, start): &(usize, String, String, usize)| {
            let others = |is_one: &dyn Fn(usize) -> bool| {
                let bits = counted.iter().filter(|(.., other)| is_one(*other)).map(|of| 1 << of.0);
                bits.sum::<u32>()
            };
            let (outer, inner) = (others(&|other| other < *start), others(&|other| other > *start));
            let (nest, offset) = (nest.clone(), format!("{offset}{more}"));
            Level { nest, dim: *dim, offset, outer, inner }
        };
        let levels = counted.iter().map(level).collect();
        NestCheck { declared, levels }
    }

    /// The expression of the first value of a loop, after the check of its iterations.
    pub fn checked_first(&self, counted: &Counted, level: &Level) -> String {
        let [around, after] = self.around_first(counted, level);
        format!("{around}{}{after}", &self.normal.text[counted.first.clone()])
    }

    /// The text around the first value of a loop that checks its iterations.
    pub fn around_first(&self, counted: &Counted, level: &Level) -> [String; 2] {
        let Level { nest, dim, offset, outer, inner } = level;
        let bound = &self.normal.text[counted.bound.clone()];
        let sign = if counted.upwards { "" } else { "-" };
        let last = match counted.comparison {
            "<" => format!("(long)({bound}) - 1"),
            ">" => format!("(long)({bound}) + 1"),
            _ => format!("(long)({bound})"),
        };
        let (step, variable) = (&counted.step, &counted.variable);
        let more = format!(
            "{last}, {sign}{step}, {offset}, &{nest}, {dim}, {outer}, {inner}, \"loop: {variable}\", __FILE__, __LINE__)"
        );
        if has_effect(&self.normal.text[counted.first.clone()], self.macros) {
            // C evaluates arguments in any order, and the first value before the bound.
            let first = format!("{LOCAL}first");
            let before = format!("__extension__({{ const long {first} = (long)(");
            return [before, format!("); xmprt_counted({first}, {more}; }})")];
        }
        ["xmprt_counted((long)(".to_owned(), format!("), {more}")]
    }

    /// Whether the bound of a loop uses a variable that the header of the loop sets after the first value: the check is in the condition
    /// then.
    ///
    /// # Errors
    /// Where the first value would be computed several times, and may change something.
    pub fn bound_is_set_beside(&self, counted: &Counted) -> Result<bool, Diagnostic> {
        let bound = &self.normal.text[counted.bound.clone()];
        let uses = |name: &&String| words(bound).any(|word| word == *name);
        let Some(name) = counted.beside.iter().find(|name| uses(name)) else { return Ok(false) };
        if has_effect(&self.normal.text[counted.first.clone()], self.macros) {
            return Err(Diagnostic::new(
                counted.bound.clone(),
                format!("`{name}` is set in the header of this loop, beside an expression that may change something"),
            )
            .help("assign the expression to a variable before the loop"));
        }
        Ok(true)
    }
}
