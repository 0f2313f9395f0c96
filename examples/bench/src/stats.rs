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

/// The least value that this many percent of the values do not exceed; `None` if there are none.
pub fn percentile(values: &[f64], percent: usize) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_the_least_value_that_so_many_values_do_not_exceed() {
        let values: Vec<f64> = (1..=20).rev().map(f64::from).collect();
        assert_eq!(percentile(&values, 95), Some(19.0));
        assert_eq!(percentile(&values, 96), Some(20.0));
        assert_eq!(percentile(&[7.0], 95), Some(7.0));
        assert_eq!(percentile(&[], 95), None);
    }

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
