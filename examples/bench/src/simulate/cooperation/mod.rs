//! Multinode cooperation on large machines: the figures of Que, Yu, Tipparaju, Vetter, Wang: Network-Friendly One-Sided
//! Communication Through Multinode Cooperation on Petascale Cray XT5 Systems (CCGrid 2011; "the paper"), by the
//! simulator of requests.

mod figures;
mod start;
mod verdicts;

use crate::error::Error;
use crate::plots::{Across, Chart, Curve, Scale};
use crate::table::{Table, short};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use xmp_collectives::simulation::Costs;

/// What is simulated.
pub struct Plan {
    /// Names of networks, and what things cost there.
    pub networks: Vec<(&'static str, Costs)>,
    /// What the numbers that look random come from.
    pub seed: u64,
    /// Fewer points, smaller jobs.
    pub quick: bool,
}

impl Plan {
    /// Images of the figures of contention, and those on a host.
    fn contenders(&self) -> (u32, u32) {
        if self.quick { (128, 4) } else { (1024, 4) }
    }
}

/// A picture: curves with their labels.
pub struct Figure {
    /// Name in files.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// The horizontal axis.
    pub across: Across,
    /// The vertical axis.
    pub scale: Scale,
    /// The curves.
    pub curves: Vec<Curve>,
    /// Whether all points are in the table, or in the picture and the CSV file only.
    pub tabulated: bool,
}

/// Simulates everything, draws it and writes its values; the text of the tables.
pub fn report(plan: &Plan, out: &Path) -> Result<String, Error> {
    let mut text = String::from("\n# Simulation of cooperation\n\n");
    for (name, costs) in &plan.networks {
        let _ = writeln!(text, "{name}: {:?}", costs.network);
    }
    let mut csv = String::from("figure,curve,x,value,unit\n");
    let bar = crate::contest::progress(figures::ALL.len() as u64);
    for (name, make) in figures::ALL {
        bar.set_message(*name);
        for figure in make(plan) {
            tabulate(&mut text, &figure);
            list(&mut csv, &figure);
            draw(figure, out)?;
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    text.push_str(&verdicts::report(plan));
    text.push_str(&start::report(plan));
    for (name, content) in [("cooperation.csv", &csv), ("cooperation.md", &text)] {
        let path = out.join(name);
        fs::write(&path, content).map_err(Error::write(&path))?;
    }
    Ok(text)
}

fn tabulate(text: &mut String, figure: &Figure) {
    if !figure.tabulated {
        return;
    }
    let mut xs: Vec<f64> =
        figure.curves.iter().flat_map(|curve| &curve.points).map(|point| point.0).collect();
    xs.sort_by(f64::total_cmp);
    xs.dedup();
    let labels = figure.curves.iter().map(|curve| curve.label.clone());
    let mut table = Table::new([figure.across.name().to_owned()].into_iter().chain(labels));
    for x in xs {
        let mut cells = vec![x.to_string()];
        cells.extend(figure.curves.iter().map(|curve| {
            let found = curve.points.iter().find(|point| point.0 == x);
            found.map_or_else(|| "-".to_owned(), |point| short(point.1))
        }));
        table.push(cells);
    }
    let _ = write!(text, "\n## {} ({})\n\n{}", figure.title, figure.scale.name(), table.render());
}

fn list(csv: &mut String, figure: &Figure) {
    for curve in &figure.curves {
        for (x, value) in &curve.points {
            let (name, unit) = (&figure.name, figure.scale.name());
            let _ = writeln!(csv, "{name},{},{x},{value:e},{unit}", curve.label);
        }
    }
}

fn draw(figure: Figure, out: &Path) -> Result<(), Error> {
    let path = out.join(format!("cooperation-{}.svg", figure.name));
    let Figure { title, across, scale, curves, .. } = figure;
    Chart { caption: format!("{title}, simulated"), across, scale, curves }.draw(&path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quick_run_has_all_tables_and_files_and_is_repeatable() {
        let directory = tempfile::tempdir().unwrap();
        let plan = || Plan { networks: vec![("XT", Costs::xt())], seed: 3, quick: true };
        let first = report(&plan(), directory.path()).unwrap();
        assert_eq!(first, report(&plan(), directory.path()).unwrap());
        for word in
            ["Memory", "fetch-and-add", "strided put", "application", "Targets", "Allocation"]
        {
            assert!(first.contains(word), "{word}");
        }
        let files = fs::read_dir(directory.path()).unwrap();
        let pictures = files.filter(|file| {
            file.as_ref().is_ok_and(|file| file.path().extension().is_some_and(|e| e == "svg"))
        });
        assert!(pictures.count() >= 6);
    }
}
