//! Stars of processes that are threads, with a process manager in memory.

use super::*;
use std::collections::HashMap;
use std::sync::{Arc, Barrier, Mutex};
use std::thread;

/// The process manager of a job.
#[derive(Debug)]
struct Store {
    barrier: Barrier,
    values: Mutex<HashMap<String, Vec<u8>>>,
}

/// One process's part of it.
#[derive(Debug)]
struct Part {
    store: Arc<Store>,
    rank: u32,
    size: u32,
}

impl Manager for Part {
    fn rank(&self) -> Rank {
        Rank::new(self.rank)
    }

    fn size(&self) -> u32 {
        self.size
    }

    fn publish(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        let before = self.store.values.lock().unwrap().insert(name.into(), bytes.into());
        assert_eq!(before, None, "a name is used once");
        Ok(())
    }

    fn meet(&mut self) -> Result<()> {
        self.store.barrier.wait();
        Ok(())
    }

    fn find(&mut self, _: Rank, name: &str) -> Result<Vec<u8>> {
        Ok(self.store.values.lock().unwrap()[name].clone())
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }

    fn abort(&mut self, _: i32, _: &str) {}
}

/// Longer than any test takes.
const LONG: Duration = Duration::from_secs(600);

fn later() -> Instant {
    Instant::now() + LONG
}

/// The results of `body` as each process of a star.
fn star<T: Send>(size: u32, body: impl Fn(Rank, Star, Secret) -> T + Sync) -> Vec<T> {
    let (barrier, values) = (Barrier::new(size as usize), Mutex::default());
    let store = Arc::new(Store { barrier, values });
    let body = &body;
    thread::scope(|scope| {
        let process = |rank| {
            let mut part = Part { store: store.clone(), rank, size };
            scope.spawn(move || {
                let (star, secret) = Star::form(&mut part, 7, None, later()).unwrap();
                body(Rank::new(rank), star, secret)
            })
        };
        let all: Vec<_> = (0..size).map(process).collect();
        all.into_iter().map(|process| process.join().unwrap()).collect()
    })
}

#[test]
fn all_processes_get_the_bytes_of_all_and_one_secret() {
    for size in [1, 2, 5] {
        let found = star(size, |rank, mut star, secret| {
            let one = star.allgather(&[rank.get() as u8; 2], later()).unwrap();
            let none = star.allgather(&[], later()).unwrap();
            assert!(none.is_empty());
            // More than the system holds.
            let long = star.allgather(&vec![1; 3 << 20], later()).unwrap();
            assert_eq!(long.len(), (3 << 20) * size as usize);
            (one, secret)
        });
        let all: Vec<u8> = (0..size as u8).flat_map(|rank| [rank, rank]).collect();
        assert!(found.iter().all(|(one, secret)| *one == all && *secret == found[0].1));
        assert_ne!(found[0].1, Secret::default());
    }
}

#[test]
fn those_that_stay_exchange_without_the_others() {
    let found = star(5, |rank, mut star, _| {
        let stays = |rank: Rank| rank.get().is_multiple_of(2);
        star.keep(rank, stays);
        if stays(rank) { star.allgather(&[rank.get() as u8], later()).unwrap() } else { Vec::new() }
    });
    assert_eq!(found, [vec![0, 2, 4], vec![], vec![0, 2, 4], vec![], vec![0, 2, 4]]);
}

#[test]
fn a_process_that_leaves_ends_the_exchange_of_all() {
    for leaver in [0, 2] {
        let found = star(3, |rank, mut star, _| {
            (rank.get() != leaver).then(|| star.allgather(&[1], later()))
        });
        let errors: Vec<_> = found.into_iter().flatten().collect();
        assert_eq!(errors, [Err(Error::JobEnding), Err(Error::JobEnding)]);
    }
}

#[test]
fn a_process_that_does_not_answer_is_named() {
    let barrier = Barrier::new(3);
    let found = star(3, |rank, mut star, _| {
        let said = (rank.get() == 0)
            .then(|| star.allgather(&[], Instant::now() + Duration::from_millis(50)));
        barrier.wait();
        said
    });
    let text = found[0].clone().unwrap().unwrap_err().to_string();
    assert!(text.contains("image 2 does not answer"), "{text}");
}

#[test]
fn bytes_that_are_no_card_are_found_out() {
    assert!(split(&[0; Card::BYTES]).is_none());
    assert!(split(&[0; Card::BYTES + 8]).is_some());
}
