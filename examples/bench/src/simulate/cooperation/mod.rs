//! Multinode cooperation on large machines: the figures of Que, Yu, Tipparaju, Vetter, Wang: Network-Friendly One-Sided
//! Communication Through Multinode Cooperation on Petascale Cray XT5 Systems (CCGrid 2011; "the paper"), by the
//! simulator of requests.

mod figures;
mod plan;
mod start;
mod verdicts;

use crate::error::Error;
use crate::output::Output;
use crate::plots::{Chart, Point};
use crate::table::{Table, short};
use figures::Figure;
use std::fmt::Write;
use verdicts::Verdicts;

pub use plan::Plan;

/// Simulates everything, and writes tables, values and pictures.
pub fn report(plan: &Plan, output: &mut Output) -> Result<Verdicts, Error> {
    let mut text = String::new();
    for (name, costs) in &plan.networks {
        let _ = writeln!(text, "* {name}: {:?}", costs.network);
    }
    let mut csv = String::from("figure,curve,x,value,unit\n");
    let bar = crate::contest::progress(figures::ALL.len() as u64);
    for (name, make) in figures::ALL {
        bar.set_message(*name);
        for figure in make(plan) {
            tabulate(&mut text, &figure);
            list(&mut csv, &figure);
            draw(figure, output)?;
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    let verdicts = verdicts::judge(plan);
    text.push_str(&verdicts.text());
    text.push_str(&start::report(plan));
    output.data("cooperation.csv", &csv)?;
    let title = "Simulation of cooperation";
    output.document("cooperation.md", title, &verdicts.targets.to_string(), &text)?;
    Ok(verdicts)
}

fn tabulate(text: &mut String, figure: &Figure) {
    if !figure.tabulated {
        return;
    }
    let mut xs: Vec<f64> =
        figure.curves.iter().flat_map(|curve| &curve.points).map(|point| point.x).collect();
    xs.sort_by(f64::total_cmp);
    xs.dedup();
    let labels = figure.curves.iter().map(|curve| curve.label.clone());
    let mut table = Table::new([figure.across.name().to_owned()].into_iter().chain(labels));
    for x in xs {
        let mut cells = vec![x.to_string()];
        cells.extend(figure.curves.iter().map(|curve| {
            let found = curve.points.iter().find(|point| point.x == x);
            found.map_or_else(|| "-".to_owned(), |point| short(point.y))
        }));
        table.push(cells);
    }
    let _ = write!(text, "\n## {} ({})\n\n{}", figure.title, figure.scale.name(), table.markdown());
}

fn list(csv: &mut String, figure: &Figure) {
    for curve in &figure.curves {
        for Point { x, y, .. } in &curve.points {
            let (name, unit) = (&figure.name, figure.scale.name());
            let _ = writeln!(csv, "{name},{},{x},{y:e},{unit}", curve.label);
        }
    }
}

fn draw(figure: Figure, output: &mut Output) -> Result<(), Error> {
    let Figure { name, title, across, scale, curves, .. } = figure;
    let chart = Chart { caption: format!("{title}, simulated"), across, scale, curves };
    output.simulated_chart(&format!("cooperation-{name}.svg"), chart)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::fs;
    use std::path::PathBuf;
    use xmp_simulate::Costs;

    #[test]
    fn a_quick_run_has_all_tables_and_files_and_is_repeatable() {
        let directory = tempfile::tempdir().unwrap();
        let run = || {
            let mut output = Output::new(directory.path().to_owned()).unwrap();
            let plan = Plan { networks: vec![("XT", Costs::xt())], seed: 3, quick: true };
            report(&plan, &mut output).unwrap();
            output.finish().unwrap();
            fs::read_dir(directory.path())
                .unwrap()
                .map(|entry| entry.unwrap().path())
                .filter(|path| !path.ends_with("index.html"))
                .map(|path| (path.clone(), fs::read_to_string(path).unwrap()))
                .collect::<BTreeMap<_, _>>()
        };
        let first = run();
        assert_eq!(first, run());
        let text = &first[&directory.path().join("cooperation.md")];
        for word in
            ["Memory", "fetch-and-add", "strided put", "application", "Targets", "Allocation"]
        {
            assert!(text.contains(word), "{word}");
        }
        let is_picture = |path: &&PathBuf| path.extension().is_some_and(|ending| ending == "svg");
        let pictures: Vec<_> = first.keys().filter(is_picture).collect();
        assert!(pictures.len() >= 6);
        // The page has them all.
        let page = fs::read_to_string(directory.path().join("index.html")).unwrap();
        for picture in pictures {
            let link = format!("src=\"{}\"", picture.file_name().unwrap().display());
            assert!(page.contains(&link), "{link}");
        }
        let tables = text.lines().filter(|line| line.starts_with("|--")).count();
        assert_eq!(page.matches("<table>").count(), tables);
    }
}
