//! The teams of a job, from what the images have recorded: which team executes each operation, which image a partner's
//! index means, and which calls of the images are the same collective operation.

use crate::format::{INITIAL, PARENT, Record};
use crate::operation::{Kind, Operation};
use crate::part::Part;
use std::collections::{BTreeMap, HashMap, HashSet};
use xmp_map::hash;

/// A team, the same on all its images. FORM TEAM makes one for each number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Team(u64);

impl Team {
    /// All images.
    pub const INITIAL: Team = Team(0);
    /// A task whose images are not known.
    const UNKNOWN: Team = Team(u64::MAX);

    /// The team that the `count`-th FORM TEAM in a team makes of the images that give `number`.
    fn formed(parent: Team, count: u64, number: i32) -> Team {
        Team(hash::of(&(parent, count, number)))
    }

    /// The images of a task, which are in this order.
    fn of_task(images: &[i32]) -> Team {
        Team(hash::of(images))
    }
}

/// A collective operation of a team.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Call {
    /// The team.
    pub team: Team,
    /// How often the team has executed the operation before.
    pub before: u64,
    /// The operation: images whose operations differ do not execute the same one.
    pub operation: Operation,
}

/// What has made a coarray: the same on all images.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// Its number among those of the program itself, from 1, which are allocated before the first collective operation.
    Static(u64),
    /// The collective allocation.
    Allocated(Call),
}

/// An event variable or a lock, which is an element of a coarray, on any image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Variable {
    /// The coarray.
    pub origin: Origin,
    /// The element.
    pub element: u32,
}

/// What is known of an operation by the team that executes it. Images are numbers in the initial team, from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// The image it communicates with; 0: none, or not known.
    pub partner: u32,
    /// Images of SYNC IMAGES, or of a task.
    pub list: Vec<u32>,
    /// The collective operation that it is a call of.
    pub call: Option<Call>,
    /// The event variable or lock.
    pub variable: Option<Variable>,
    /// UNTIL_COUNT of EVENT WAIT; 0 is 1.
    pub until: u32,
}

/// The teams of a job.
#[derive(Debug, Default)]
pub struct Teams {
    /// The images that have recorded.
    images: Vec<u32>,
    /// The images of each team but the initial one, by index.
    members: HashMap<Team, BTreeMap<i64, u32>>,
    /// For each part, the teams behind its handles.
    handles: Vec<HashMap<u64, Team>>,
}

/// How far the replay of an image's records has come.
struct Replay {
    stack: Vec<Team>,
    handles: HashMap<u64, Team>,
    formed: HashMap<Team, u64>,
    executed: HashMap<(Team, Operation), u64>,
    image: u32,
    /// Teams without this image.
    others: HashSet<Team>,
    /// The coarrays by what the image knows them by, and how many of them are of the program itself.
    coarrays: HashMap<u64, Origin>,
    statics: u64,
}

/// An operation among those of all images.
#[derive(Clone, Copy)]
struct Located {
    /// The team in which its partners are counted.
    team: Option<Team>,
    call: Option<Call>,
    variable: Option<Variable>,
}

impl Replay {
    fn new(image: u32) -> Replay {
        Replay {
            stack: vec![Team::INITIAL],
            handles: HashMap::new(),
            formed: HashMap::new(),
            executed: HashMap::new(),
            image,
            others: HashSet::new(),
            coarrays: HashMap::new(),
            statics: 0,
        }
    }

    fn current(&self) -> Team {
        self.stack.last().copied().unwrap_or(Team::INITIAL)
    }

    fn team_of(&self, handle: u64) -> Option<Team> {
        match handle {
            0 => Some(self.current()),
            INITIAL => Some(Team::INITIAL),
            PARENT => Some(self.stack.iter().rev().nth(1).copied().unwrap_or(Team::INITIAL)),
            handle => self.handles.get(&handle).copied(),
        }
    }

    fn step(&mut self, record: &Record) -> Located {
        if record.operation.is_on_nodes() && !record.list.is_empty() {
            let nodes = Team::of_task(&record.list);
            self.handles.insert(record.team, nodes);
            if !record.list.contains(&(self.image as i32)) {
                self.others.insert(nodes);
            }
        }
        let team = match record.operation {
            Operation::ChangeTeam => self.team_of(record.object),
            _ => self.team_of(record.team),
        };
        let known = team.filter(|team| *team != Team::UNKNOWN && !self.others.contains(team));
        let call = known.filter(|_| record.operation.is_collective()).map(|team| {
            let executed = self.executed.entry((team, record.operation)).or_default();
            *executed += 1;
            Call { team, before: *executed - 1, operation: record.operation }
        });
        match record.operation {
            Operation::FormTeam => {
                let parent = self.current();
                let count = self.formed.entry(parent).or_default();
                *count += 1;
                self.handles.insert(record.object, Team::formed(parent, *count, record.partner));
            }
            Operation::ChangeTeam => self.stack.push(team.unwrap_or(Team::INITIAL)),
            Operation::TaskBegin if record.object != 0 => {
                let task = match &record.list[..] {
                    [] => Team::UNKNOWN,
                    images => Team::of_task(images),
                };
                self.handles.insert(record.object, task);
                self.stack.push(task);
            }
            Operation::EndTeam | Operation::TaskEnd if self.stack.len() > 1 => {
                _ = self.stack.pop();
            }
            _ => {}
        }
        let origin = self.coarrays.get(&record.object).filter(|_| record.operation.has_variable());
        let variable = origin.map(|&origin| Variable { origin, element: record.element });
        self.note_coarray(record, call);
        Located { team, call, variable }
    }

    fn note_coarray(&mut self, record: &Record, call: Option<Call>) {
        match (record.operation, call) {
            (_, _) if record.object == 0 => {}
            (Operation::Allocate, _) if self.executed.is_empty() => {
                self.statics += 1;
                self.coarrays.insert(record.object, Origin::Static(self.statics));
            }
            (Operation::AllocateAll, Some(call)) => {
                self.coarrays.insert(record.object, Origin::Allocated(call));
            }
            _ => {}
        }
    }
}

impl Teams {
    /// The teams of these parts, and the contexts of all their records.
    pub fn of(parts: &[Part]) -> (Teams, Vec<Vec<Context>>) {
        let images = parts.iter().map(|part| part.image).collect();
        let mut teams = Teams { images, ..Teams::default() };
        let mut located: Vec<Vec<Located>> = Vec::new();
        for part in parts {
            let mut replay = Replay::new(part.image);
            let here: Vec<Located> =
                part.records.iter().map(|record| replay.step(record)).collect();
            for (record, Located { team, .. }) in part.records.iter().zip(&here) {
                // The index in the new team is 0 where the statement has not returned.
                if record.operation == Operation::ChangeTeam
                    && record.team > 0
                    && let Some(team) = team
                {
                    let members = teams.members.entry(*team).or_default();
                    members.insert(record.team as i64, part.image);
                }
                let is_named = matches!(record.operation, Operation::TaskBegin)
                    || record.operation.is_on_nodes();
                if is_named && !record.list.is_empty() {
                    let images = record.list.iter().map(|&image| image as u32);
                    let task = Team::of_task(&record.list);
                    teams.members.entry(task).or_insert_with(|| (1..).zip(images).collect());
                }
            }
            located.push(here);
            teams.handles.push(replay.handles);
        }
        let contexts = parts.iter().zip(located).map(|(part, located)| {
            let records = part.records.iter().zip(located);
            records.map(|(record, located)| teams.context(record, located)).collect()
        });
        let contexts = contexts.collect();
        (teams, contexts)
    }

    fn context(&self, record: &Record, located: Located) -> Context {
        let Located { team, call, variable } = located;
        let Some(team) = team else { return Context { call, variable, ..Context::default() } };
        let is_image = !matches!(record.operation, Operation::FormTeam | Operation::ChangeTeam);
        let partner = if is_image { self.image(team, record.partner) } else { 0 };
        let list = match (record.operation.kind(), record.partner) {
            (Kind::SyncImages, -1) => self.images_of(team),
            (Kind::SyncImages, _) => {
                record.list.iter().map(|&index| self.image(team, index)).collect()
            }
            // They are images of all.
            _ if record.operation.lists_images() => {
                record.list.iter().map(|&image| image as u32).collect()
            }
            _ => Vec::new(),
        };
        let until = match (record.operation.kind(), &record.list[..]) {
            (Kind::Await, &[until]) => until as u32,
            _ => 0,
        };
        Context { partner, list, call, variable, until }
    }

    /// The image with this index in a team; 0 if it is not known.
    fn image(&self, team: Team, index: i32) -> u32 {
        match team {
            Team::INITIAL => u32::try_from(index).unwrap_or(0),
            team => {
                self.members.get(&team).and_then(|all| all.get(&index.into())).copied().unwrap_or(0)
            }
        }
    }

    fn images_of(&self, team: Team) -> Vec<u32> {
        match team {
            Team::INITIAL => self.images.clone(),
            team => {
                self.members.get(&team).into_iter().flat_map(|all| all.values().copied()).collect()
            }
        }
    }

    /// The image with this index in the team that a part's handle means; 0 if it is not known.
    pub fn image_by_handle(&self, part: usize, handle: u64, index: i32) -> u32 {
        let team = match handle {
            0 | INITIAL => Some(Team::INITIAL),
            handle => self.handles.get(part).and_then(|handles| handles.get(&handle)).copied(),
        };
        team.map_or(0, |team| self.image(team, index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{Record, UNKNOWN};

    fn record(operation: Operation) -> Record {
        Record {
            operation,
            thread: 0,
            partner: 0,
            begin: 1,
            end: 2,
            address: 3,
            bytes: 0,
            team: 0,
            object: 0,
            element: 0,
            list: Vec::new(),
        }
    }

    /// Images 1 and 3 form team 1, images 2 and 4 team 2; handles differ from image to image.
    fn part(image: u32) -> Part {
        use Operation::{ChangeTeam, EndTeam, FormTeam, Put, SyncAll, SyncImages};
        let handle = 1000 + u64::from(image);
        let (number, index) = (2 - (image % 2) as i32, u64::from(image.div_ceil(2)));
        let records = vec![
            Record { partner: 2, ..record(Put) },
            Record { partner: number, object: handle, ..record(FormTeam) },
            Record { object: handle, team: index, ..record(ChangeTeam) },
            Record { partner: 2, ..record(Put) },
            record(SyncAll),
            Record { partner: -1, ..record(SyncImages) },
            record(EndTeam),
            Record { list: vec![1, 4], ..record(SyncImages) },
            record(SyncAll),
        ];
        Part { image, images: 4, records, ..Part::default() }
    }

    #[test]
    fn partners_are_found_in_the_team_that_executes() {
        let parts: Vec<Part> = (1..=4).map(part).collect();
        let (teams, contexts) = Teams::of(&parts);
        assert_eq!([0, 1].map(|part: usize| contexts[part][0].partner), [2, 2]);
        assert_eq!([0, 1, 2, 3].map(|part: usize| contexts[part][3].partner), [3, 4, 3, 4]);
        assert_eq!(contexts[0][5].list, [1, 3]);
        assert_eq!(contexts[0][7].list, [1, 4]);
        assert_eq!((teams.image_by_handle(1, 1002, 2), teams.image_by_handle(1, 7, 2)), (4, 0));
    }

    #[test]
    fn partners_within_a_task_are_nodes_of_the_task() {
        use Operation::{Put, SyncAll, TaskBegin, TaskEnd};
        let part = |image: u32| {
            let task = Record { object: 9, list: vec![2, 3], ..record(TaskBegin) };
            let put = || Record { partner: 2, ..record(Put) };
            let records = vec![task, put(), record(SyncAll), record(TaskEnd), put()];
            Part { image, images: 4, records, ..Part::default() }
        };
        let (teams, contexts) = Teams::of(&[part(2), part(3)]);
        assert_eq!([1, 4].map(|record: usize| contexts[0][record].partner), [3, 2]);
        assert_eq!(contexts[0][0].list, [2, 3]);
        assert!(contexts[0][2].call.is_some() && contexts[0][2].call == contexts[1][2].call);
        assert_eq!(teams.image_by_handle(0, 9, 2), 3);
    }

    #[test]
    fn nodes_of_a_directive_are_a_team_of_those_that_are_among_them() {
        use Operation::{Barrier, Reduction};
        let on = |operation, list| Record { team: 9, list, ..record(operation) };
        let part = |image: u32| {
            let records = vec![
                on(Barrier, vec![2, 3]),
                on(Barrier, Vec::new()),
                on(Reduction, Vec::new()),
                record(Barrier),
                Record { team: UNKNOWN, ..record(Barrier) },
            ];
            Part { image, images: 3, records, ..Part::default() }
        };
        let (_, contexts) = Teams::of(&[part(1), part(2), part(3)]);
        assert_eq!(contexts[1], contexts[2]);
        let calls: Vec<_> = contexts[1].iter().map(|it| it.call.map(|it| it.before)).collect();
        assert_eq!(calls, [Some(0), Some(1), Some(0), Some(0), None]);
        let calls: Vec<_> = contexts[0].iter().map(|it| it.call).collect();
        assert_eq!(calls, [None, None, None, contexts[1][3].call, None]);
    }

    #[test]
    fn calls_of_one_collective_operation_are_equal_on_the_images_of_its_team_only() {
        let parts: Vec<Part> = (1..=4).map(part).collect();
        let (_, contexts) = Teams::of(&parts);
        let call = |part: usize, record: usize| contexts[part][record].call.unwrap();
        for record in [1, 8] {
            assert!((1..4).all(|part| call(part, record) == call(0, record)));
        }
        assert_eq!(call(0, 4), call(2, 4));
        assert_ne!(call(0, 4), call(1, 4));
        assert_eq!((call(0, 4).before, call(0, 8).before, call(0, 8).team), (0, 0, Team::INITIAL));
        assert_eq!(contexts[0][0].call, None);
    }
}
