//! Median and spread of the repetitions.

/// What the repetitions of a row came to; microseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The middle value; of an even number, the mean of the two middle ones.
    pub median: f64,
    /// The least value.
    pub min: f64,
    /// The greatest value.
    pub max: f64,
    /// How many repetitions there were.
    pub count: usize,
}

/// Summarises the values; `None` if there are none.
pub fn summarise(values: &[f64]) -> Option<Summary> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (&min, &max) = (sorted.first()?, sorted.last()?);
    let count = sorted.len();
    let median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2.0;
    Some(Summary { median, min, max, count })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_of_the_sorted_values() {
        assert_eq!(
            summarise(&[3.0, 1.0, 2.0]),
            Some(Summary { median: 2.0, min: 1.0, max: 3.0, count: 3 })
        );
        assert_eq!(summarise(&[4.0, 1.0]).unwrap().median, 2.5);
        assert_eq!(summarise(&[]), None);
    }
}
