use super::*;
use proptest::prelude::*;

/// By the words of the standard.
fn model(choices: &[Choice]) -> Option<BTreeMap<i64, Vec<u32>>> {
    let mut teams: BTreeMap<i64, Vec<u32>> = BTreeMap::new();
    for (position, choice) in choices.iter().enumerate() {
        teams.entry(choice.number).or_default().push(position as u32);
    }
    for (&number, members) in &mut teams {
        let asks = |index: usize| {
            let asked =
                |&&image: &&u32| choices[image as usize].new_index == Some(index as i64 + 1);
            members.iter().filter(asked).copied().collect::<Vec<u32>>()
        };
        let given: Vec<Vec<u32>> = (0..members.len()).map(asks).collect();
        let count = |choice: &&Choice| choice.number == number && choice.new_index.is_some();
        let valid = given.iter().all(|images| images.len() < 2)
            && given.iter().flatten().count() == choices.iter().filter(count).count();
        if number < 1 || !valid {
            return None;
        }
        let mut rest = members.iter().filter(|&&image| choices[image as usize].new_index.is_none());
        let ordered = given.iter().map(|i| i.first().or_else(|| rest.next()).copied().unwrap());
        *members = ordered.collect();
    }
    Some(teams)
}

fn check(choices: &[Choice]) -> Result<(), TestCaseError> {
    let split = split(choices);
    let Some(teams) = model(choices) else {
        let refused = matches!(split, Err(Error::Team { .. } | Error::Invalid(_)));
        prop_assert!(refused, "{split:?}");
        return Ok(());
    };
    let split = split.unwrap();
    let mut numbers: Vec<i64> = split.teams().map(|team| team.0).collect();
    numbers.sort_unstable();
    prop_assert_eq!(numbers, teams.keys().copied().collect::<Vec<_>>());
    for (&number, members) in &teams {
        let part = split.part(number).unwrap();
        prop_assert_eq!(part.positions().collect::<Vec<_>>(), &members[..]);
        prop_assert!(!part.is_empty());
        for other in [number - 1, number.wrapping_add(1), number - 7, i64::MAX - number, i64::MIN] {
            prop_assert_eq!(split.part(other).is_some(), teams.contains_key(&other), "{}", other);
        }
    }
    Ok(())
}

fn numbered(images: u32, number: impl Fn(i64) -> i64) -> Vec<Choice> {
    (0..images).map(|p| Choice { number: number(p.into()), new_index: None }).collect()
}

proptest! {
    #[test]
    fn any_choices_give_the_teams_of_the_standard(
        choices in prop::collection::vec((-1i64..9, prop::option::weighted(0.1, -1i64..6)), 1..40),
        offset in 0i64..3,
    ) {
        let choice = |&(number, new_index): &(i64, _)| Choice { number: number + offset, new_index };
        check(&choices.iter().map(choice).collect::<Vec<_>>())?;
    }

    #[test]
    fn permuted_teams_have_the_order_that_was_asked_for(
        teams in prop::collection::vec(1i64..4, 1..40),
        seed in any::<u64>(),
        asking in 0u64..4,
    ) {
        // Indices in the order of a hash; every image, or some, ask.
        let hash = |p: usize| (p as u64 + 1).wrapping_mul(seed | 1).rotate_left(17);
        let index = |p: usize| {
            let before = |&q: &usize| teams[q] == teams[p] && (hash(q), q) < (hash(p), p);
            1 + (0..teams.len()).filter(before).count() as i64
        };
        let ask = |p: usize| (asking == 0 || hash(p) % (asking + 1) != 0).then(|| index(p));
        let choices: Vec<Choice> = (0..teams.len())
            .map(|p| Choice { number: teams[p], new_index: ask(p) })
            .collect();
        check(&choices)?;
    }

    #[test]
    fn lines_of_grids_are_formulas(
        inner in 1i64..6, len in 1i64..6, layers in 1i64..6,
        (step, rotation, base) in (prop::sample::select(vec![-3i64, -1, 1, 2]), 0i64..30, 1i64..50),
    ) {
        let teams = inner * layers;
        let number = |p: i64| {
            let place = p % inner + inner * (p / inner / len);
            base + 3 * teams + step * ((place + rotation) % teams)
        };
        let choices = numbered((inner * len * layers) as u32, number);
        check(&choices)?;
        prop_assert_eq!(split(&choices).unwrap().memory(), 0);
    }

    #[test]
    fn blocks_and_every_nth_are_formulas_also_if_they_do_not_divide(
        images in 1u32..60, n in 1i64..20,
    ) {
        for choices in [numbered(images, |p| 1 + p / n), numbered(images, |p| 1 + (p + 1) % n)] {
            check(&choices)?;
            prop_assert_eq!(split(&choices).unwrap().memory(), 0);
        }
    }
}

#[test]
fn numbers_may_be_as_large_as_they_like() {
    for numbers in [
        vec![i64::MAX, 1, i64::MAX, 1],
        vec![1, i64::MAX, i64::MAX - 1, 2],
        vec![i64::MAX - 2, i64::MAX, i64::MAX - 1],
        vec![1, i64::MAX / 2 + 1, i64::MAX],
    ] {
        check(&numbered(numbers.len() as u32, |p| numbers[p as usize])).unwrap();
    }
}

#[test]
fn uneven_halves_take_a_few_words() {
    let split = split(&numbered(4096, |p| if p < 1000 { 7 } else { 2 })).unwrap();
    assert_eq!(split.part(7), Some(Part::Every { start: 0, stride: 1, len: 1000 }));
    assert!(split.memory() <= 64);
}

#[test]
fn errors_name_image_and_team() {
    let text = |choices: &[(i64, Option<i64>)]| {
        let choice = |&(number, new_index): &(i64, _)| Choice { number, new_index };
        split(&choices.iter().map(choice).collect::<Vec<_>>()).unwrap_err().to_string()
    };
    assert_eq!(text(&[(2, None), (0, None)]), "team number 0, which image 2 gave, is not positive");
    assert_eq!(
        text(&[(2, None), (3, Some(2)), (2, None)]),
        "team 3: new index 2 of image 2 is not in 1:1, the images of the team"
    );
    assert_eq!(
        text(&[(2, Some(1)), (2, Some(1))]),
        "team 2: new index 1 of image 2 is asked for by image 1, too"
    );
    assert!(text(&[(1, Some(i64::MIN))]).contains("not in 1:1"));
}

#[test]
fn the_rest_after_a_failure_close_up_in_the_order_that_they_ask_for() {
    let order = |indices: &[Option<i64>]| {
        let choice = |&new_index: &Option<i64>| Choice { number: 7, new_index };
        let choices: Vec<Choice> = indices.iter().map(choice).collect();
        split_rest(&choices).map(|split| split.part(7).unwrap().positions().collect::<Vec<_>>())
    };
    assert_eq!(order(&[Some(2)]), Ok(vec![0]));
    assert_eq!(order(&[Some(1), Some(3), Some(4), Some(6)]), Ok(vec![0, 1, 2, 3]));
    assert_eq!(order(&[Some(i64::MAX), Some(5), Some(1)]), Ok(vec![2, 1, 0]));
    // An image without NEW_INDEX= gets an index that is left.
    assert_eq!(order(&[Some(2), None, Some(1)]), Ok(vec![2, 0, 1]));
    assert_eq!(order(&[None, Some(9), Some(1), None]), Ok(vec![2, 0, 3, 1]));
    // No index at all, or of two images.
    assert!(order(&[Some(0), Some(1)]).unwrap_err().to_string().contains("is not in 1:2"));
    assert!(order(&[Some(3), Some(3)]).unwrap_err().to_string().contains("by image 1, too"));
}

#[test]
fn choices_survive_the_exchange() {
    for new_index in [None, Some(1), Some(0), Some(-1), Some(i64::MAX)] {
        let choice = Choice { number: 5, new_index };
        assert_eq!(Choice::from_words(choice.to_words()), choice);
    }
    let worst = Choice { number: 5, new_index: Some(i64::MIN) };
    assert!(Choice::from_words(worst.to_words()).new_index.is_some());
}
