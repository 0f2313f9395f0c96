//! The text of a statement's place.

/// The file and the line of `file:line`; `None` of other texts, such as that of a statement without debugging information.
pub(super) fn file_and_line(place: &str) -> Option<(&str, u32)> {
    let (file, line) = place.rsplit_once(':')?;
    Some((file, line.parse().ok()?))
}

/// Two places in the order of their lines.
pub(super) fn pair(mut places: [String; 2]) -> String {
    places.sort_by(|one, other| file_and_line(one).cmp(&file_and_line(other)));
    places.join(" and ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_has_a_file_and_a_line() {
        assert_eq!(file_and_line("src/a:b.f90:12"), Some(("src/a:b.f90", 12)));
        for other in ["a.f90", "a.f90:", "a.f90:x", "solve (in a.so)"] {
            assert_eq!(file_and_line(other), None, "{other}");
        }
    }

    #[test]
    fn a_pair_is_in_the_order_of_its_lines() {
        let pair = |places: [&str; 2]| super::pair(places.map(str::to_owned));
        assert_eq!(pair(["a.f90:12", "a.f90:9"]), "a.f90:9 and a.f90:12");
        assert_eq!(pair(["b.f90:1", "a.f90:9"]), "a.f90:9 and b.f90:1");
    }
}
