//! Multinode cooperation on large machines: the figures of Que, Yu, Tipparaju, Vetter, Wang: Network-Friendly One-Sided
//! Communication Through Multinode Cooperation on Petascale Cray XT5 Systems (CCGrid 2011; "the paper"), by the
//! simulator of requests.

mod figures;
mod plan;
mod verdicts;

use super::figure;
use crate::error::Error;
use crate::output::Output;
use std::fmt::Write;
use verdicts::Verdicts;

pub use plan::Plan;

/// Simulates everything, and writes tables and values.
pub fn report(plan: &Plan, output: &Output) -> Result<Verdicts, Error> {
    let mut text = String::new();
    for (name, costs) in &plan.networks {
        let _ = writeln!(text, "* {name}: {:?}", costs.network);
    }
    let mut csv = figure::HEAD.to_owned();
    let bar = crate::contest::progress(figures::ALL.len() as u64);
    for (name, make) in figures::ALL {
        bar.set_message(*name);
        for figure in make(plan) {
            // A curve with a point for every few images is no table to read.
            if figure.across != figures::ASKING_IMAGE {
                figure.tabulate(&mut text);
            }
            figure.list(&mut csv);
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    let verdicts = verdicts::judge(plan);
    text.push_str(&verdicts.text());
    output.data("cooperation.csv", &csv)?;
    let title = "Simulation of cooperation";
    output.document("cooperation.md", title, &verdicts.targets.to_string(), &text)?;
    Ok(verdicts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use xmp_simulate::Costs;

    #[test]
    fn a_quick_run_has_all_tables_and_is_repeatable() {
        let directory = tempfile::tempdir().unwrap();
        let run = || {
            let output = Output::new(directory.path().to_owned()).unwrap();
            let plan = Plan { networks: vec![("XT", Costs::xt())], seed: 3, quick: true };
            report(&plan, &output).unwrap();
            ["cooperation.md", "cooperation.csv"]
                .map(|file| fs::read_to_string(directory.path().join(file)).unwrap())
        };
        let [text, csv] = run();
        for word in ["Memory", "fetch-and-add", "application", "Targets"] {
            assert!(text.contains(word), "{word}");
        }
        for curve in ["memory,direct,192,", "fetch-add-20-percent-xt,", "put-4096-0-percent-xt,"] {
            assert!(csv.contains(curve), "{curve}");
        }
        assert_eq!([text, csv], run());
    }
}
