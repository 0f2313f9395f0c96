use super::*;
use crate::plots::{Across, Curve, Scale, Side};
use crate::table::Table;

fn chart(caption: &str, count: usize) -> Chart {
    let points =
        [(8.0, 1.0), (64.0, 2.0), (512.0, 3.0)][..count].iter().map(|&p| p.into()).collect();
    let curve = Curve { label: "ours".to_owned(), side: Side::Ours, form: 0, points };
    let caption = caption.to_owned();
    Chart { caption, across: Across::Bytes, scale: Scale::Time, curves: vec![curve] }
}

/// What stands in quotes behind each `attribute`.
fn values<'a>(page: &'a str, attribute: &str) -> Vec<&'a str> {
    let start = format!(" {attribute}=\"");
    let parts = page.split(start.as_str()).skip(1);
    parts.map(|part| part.split('"').next().unwrap()).collect()
}

/// The page of a run with two documents, each with a table, two pictures and a file of values; its directory, too.
fn example() -> (tempfile::TempDir, String) {
    let directory = tempfile::tempdir().unwrap();
    let mut output = Output::new(directory.path().to_owned()).unwrap();
    for (file, cell) in [("table.md", "atomic_fetch_add <= 0.1"), ("simulation.md", "a | b <i>")] {
        let mut table = Table::new(["row", "what"]);
        table.push(vec!["first".to_owned(), cell.to_owned()]);
        let body = format!("## Times\n\n{}", table.markdown());
        output
            .document(file, &format!("Title of {file}"), "3 rows: ours ahead in 3", &body)
            .unwrap();
    }
    output.chart("put-time.svg", chart("put [time]", 3)).unwrap();
    output.chart("no-curve.svg", chart("nothing", 1)).unwrap();
    output.simulated_chart("simulated.svg", chart("simulated", 3)).unwrap();
    output.data("values.csv", "row,value\n").unwrap();
    let path = output.finish().unwrap();
    let page = fs::read_to_string(path).unwrap();
    (directory, page)
}

#[test]
fn every_link_of_the_page_leads_somewhere() {
    let (directory, page) = example();
    let links = values(&page, "href");
    let pictures = values(&page, "src");
    assert_eq!(pictures, ["put-time.svg", "simulated.svg"]);
    assert!(["table.md", "simulation.md", "values.csv"].iter().all(|file| links.contains(file)));
    let ids = values(&page, "id");
    for link in links.into_iter().chain(pictures) {
        match link.strip_prefix('#') {
            Some(id) => assert!(ids.contains(&id), "{link}"),
            None => assert!(directory.path().join(link).is_file(), "{link}"),
        }
    }
}

#[test]
fn the_page_has_every_table_and_shows_html_as_text() {
    let (_directory, page) = example();
    assert_eq!(page.matches("<table>").count(), 2);
    assert!(page.contains("<td>atomic_fetch_add &lt;= 0.1</td>"), "{page}");
    assert!(page.contains("<td>a | b &lt;i&gt;</td>"), "{page}");
}

#[test]
fn the_verdict_is_first_and_machine_date_and_version_are_last() {
    let (_directory, page) = example();
    let [verdict, table, footer] =
        ["ours ahead in 3", "<table>", "<hr />"].map(|text| page.find(text).unwrap());
    assert!(verdict < table && table < footer);
    let origin = Origin::here();
    for text in [&origin.processor, &origin.version, &origin.date[..10].to_owned()] {
        assert!(page[footer..].contains(text.as_str()), "{text}");
    }
}
