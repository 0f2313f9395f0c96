use super::survey::{Outcome, Survey};
use crate::endpoint::State;
use std::cell::RefCell;

fn waits(generation: u32, looks: u32) -> State {
    State { generation, looks }
}

#[test]
fn a_survey_needs_all_images_to_wait_and_to_agree() {
    let states = RefCell::new([waits(0, 1), waits(7, 0), waits(3, 5)]);
    let state = |image: usize| states.borrow()[image];
    assert_eq!(Survey::begin([0, 1, 2], state, |_| true).err(), Some(1));
    assert_eq!(Survey::begin([0, 2], state, |image| image != 2).err(), Some(2));
    assert!(Survey::begin([0, 2], state, |_| true).is_ok());
}

#[test]
fn a_survey_ends_when_every_image_has_looked_again() {
    let states = RefCell::new([waits(0, 1), waits(3, u32::MAX - 4)]);
    let state = |image: usize| states.borrow()[image];
    let mut survey = Survey::begin([0, 1], state, |_| true).unwrap();
    assert_eq!(survey.confirm(state), Outcome::Open);
    states.borrow_mut()[1].looks += 2;
    assert_eq!(survey.confirm(state), Outcome::Open);
    states.borrow_mut()[0].looks += 1;
    assert_eq!(survey.confirm(state), Outcome::Open, "the look may have begun before");
    states.borrow_mut()[0].looks += 1;
    assert_eq!(survey.confirm(state), Outcome::Deadlock);
}

#[test]
fn an_image_that_goes_on_ends_a_survey() {
    let states = RefCell::new([waits(0, 1), waits(3, 1)]);
    let state = |image: usize| states.borrow()[image];
    let mut survey = Survey::begin([0, 1], state, |_| true).unwrap();
    // It has waited again since, for longer.
    *states.borrow_mut() = [waits(0, 9), waits(4, 9)];
    assert_eq!(survey.confirm(state), Outcome::Active(1));
}

#[test]
fn no_other_image_is_a_deadlock() {
    let mut survey = Survey::<usize>::begin([], |_| waits(0, 0), |_| true).unwrap();
    assert_eq!(survey.confirm(|_| waits(0, 0)), Outcome::Deadlock);
}
