//! Random nested programs of teams, task regions and allocations on real images, against a reference model: who is
//! in which team, where blocks are, and what memory is in use after every step.

mod model;
mod random;

use model::World;
use random::Random;
use xmp_collectives::barrier;
use xmp_core::Image;
use xmp_core::transport::threads;
use xmp_teams::{Selection, Team, change, end, form, task};

/// The statements that all images execute together: they execute in the initial team, at the start or re-entered from
/// teams.
fn together(image: &Image, world: &mut World, common: &mut Random, level: usize) {
    let mut random = common.fork(0);
    some_steps(image, world, &mut random, 0);
    for _ in 0..2 {
        let teams = world.teams(common);
        let number = teams.number_of(image.rank());
        let team = form(image, number, teams.new_index_of(image.rank())).unwrap();
        world.check_team(image, &team, &teams);
        let again = level < 2 && common.below(2) == 0;
        let mut random = common.fork(number as u64);
        change(image, &team).unwrap();
        world.enter(image, Some(number));
        descend(image, world, &mut random, 1, &mut |image, world| {
            if again {
                change(image, &Team::initial(image)).unwrap();
                world.enter(image, Some(-1));
                assert_eq!(Team::current(image), Team::initial(image));
                together(image, world, &mut common.clone(), level + 1);
                leave(image, world);
            }
        });
        // The part that the images have in common.
        common.below(1 << 20);
        leave(image, world);
        assert_eq!(team.check_usable(image), Ok(()));
        some_steps(image, world, &mut common.fork(1), 0);
    }
}

/// Into teams of teams, as deep as each team likes, then `inside`, and back.
fn descend(
    image: &Image,
    world: &mut World,
    random: &mut Random,
    depth: usize,
    inside: &mut dyn FnMut(&Image, &mut World),
) {
    some_steps(image, world, random, depth);
    if depth == 4 || random.below(2) == 0 {
        return inside(image, world);
    }
    let teams = world.teams(random);
    let number = teams.number_of(image.rank());
    let team = form(image, number, teams.new_index_of(image.rank())).unwrap();
    world.check_team(image, &team, &teams);
    let mut inner = random.fork(number as u64);
    change(image, &team).unwrap();
    world.enter(image, Some(number));
    descend(image, world, &mut inner, depth + 1, inside);
    leave(image, world);
    some_steps(image, world, random, depth);
}

fn leave(image: &Image, world: &mut World) {
    let ended = end(image).unwrap();
    ended.outcome().unwrap();
    world.leave(image, Some(ended.released()));
}

/// Operations among the images of the executing set, the same on all.
fn some_steps(image: &Image, world: &mut World, random: &mut Random, depth: usize) {
    for _ in 0..random.below(8) {
        match random.below(8) {
            0..4 => world.allocate(image, random),
            4..6 => world.free(image, random),
            6 if depth < 6 => region(image, world, random, depth),
            _ => world.compare(image),
        }
        world.check(image);
    }
}

/// A task region for some of the images, which may leave blocks after.
fn region(image: &Image, world: &mut World, random: &mut Random, depth: usize) {
    let images = image.executing().len();
    let first = 1 + random.below(images as u64) as usize;
    let last = first + random.below((images - first) as u64 + 1) as usize;
    let mut inner = random.fork(7);
    let inside = task(image, Selection::from(first..=last), |image| {
        world.enter(image, None);
        some_steps(image, world, &mut inner, depth + 1);
        if depth < 5 && inner.below(3) == 0 {
            descend(image, world, &mut inner, 4, &mut |_, _| ());
        }
    });
    if inside.unwrap().is_some() {
        world.leave(image, None);
    }
}

fn run(images: u32, hosts: u32, seeds: std::ops::Range<u64>) {
    let steps = threads::run(images, hosts, |image| {
        let mut world = World::new(image);
        for seed in seeds.clone() {
            together(image, &mut world, &mut Random::new(seed), 0);
            world.clear(image);
            // All images have let go of their teams' tables.
            barrier(image, &image.executing()).unwrap();
            image.memory().reclaim();
            assert_eq!(image.memory().usage().map(|heap| heap.0), [0; 3], "seed {seed}");
            assert_eq!(image.stack().depth(), 1);
        }
        world.steps()
    })
    .unwrap();
    println!("{images} images, {hosts} hosts: {steps:?} steps");
}

#[test]
fn alone_and_in_pairs() {
    run(1, 1, 0..20);
    run(2, 1, 0..30);
    run(2, 2, 0..10);
}

#[test]
fn three_and_four() {
    run(3, 1, 0..20);
    run(3, 2, 0..15);
    run(4, 1, 20..45);
    run(4, 2, 0..10);
}

#[test]
fn seven_and_eight() {
    run(7, 1, 0..15);
    run(7, 2, 0..8);
    run(8, 1, 0..15);
    run(8, 2, 0..8);
    run(17, 3, 0..3);
}
