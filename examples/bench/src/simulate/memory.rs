//! Memory of form team: the teams' index maps against full tables.

use crate::table::Table;
use xmp_core::hash;
use xmp_simulate::Footprint;
use xmp_teams::split::{Choice, split};

/// The tables for these numbers of images, with this many on a host.
pub fn report(images: &[u32], per_host: usize) -> String {
    let mut table = Table::new([
        "images",
        "teams",
        "bytes an image",
        "bytes a host, once",
        "bytes a host in all",
        "full tables, a host",
        "part of it",
    ]);
    for &images in images {
        for (name, number) in shapes(images) {
            let choice = |image| Choice { number: number(image), new_index: None };
            let choices: Vec<Choice> = (0..i64::from(images)).map(choice).collect();
            let made = split(&choices).expect("all numbers are positive");
            let footprint = Footprint::of(&made, true);
            let full = Footprint::of_full_tables(images as usize).on_host(per_host);
            let all = footprint.on_host(per_host);
            table.push(vec![
                images.to_string(),
                name.to_owned(),
                footprint.image.to_string(),
                footprint.host.to_string(),
                all.to_string(),
                full.to_string(),
                format!("{:.2} %", 100.0 * all as f64 / full as f64),
            ]);
        }
    }
    format!(
        "\n## Memory of form team, {per_host} images a host\n\nIndex maps beyond the fixed size of a team variable; \
         full tables: a word for each image on each image, as in UHCAF.\n\n{}",
        table.markdown()
    )
}

/// Team numbers by image, from 0.
type Number = Box<dyn Fn(i64) -> i64>;

/// Rows and columns of the most square grid, and as many teams at random.
fn shapes(images: u32) -> [(&'static str, Number); 3] {
    let images = i64::from(images);
    let columns = (1..=images)
        .filter(|columns| images % columns == 0)
        .min_by_key(|columns| (columns - images / columns).abs())
        .unwrap_or(1);
    let rows = images / columns;
    [
        ("rows of a grid", Box::new(move |image| 1 + image / columns)),
        ("columns of a grid", Box::new(move |image| 1 + image % columns)),
        ("at random", Box::new(move |image| 1 + random(image) % rows)),
    ]
}

/// A number that looks random.
fn random(seed: i64) -> i64 {
    (hash::mixed(seed.cast_unsigned().wrapping_mul(hash::STEP)) >> 1).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_columns_of_four_thousand_images_take_nothing() {
        let text = report(&[4096], 16);
        let lines: Vec<&str> = text.lines().filter(|line| line.contains("of a grid")).collect();
        assert_eq!(lines.len(), 2);
        assert!(lines.iter().all(|line| line.contains("0.00 %")), "{text}");
        assert!(text.contains("at random"));
    }
}
