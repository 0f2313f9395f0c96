//! The statements behind return addresses, each of which is looked up once.

use crate::part::Part;
use std::collections::HashMap;
use xmp_source::{Modules, Statement};

/// Number of a place in the list of all.
pub type Place = usize;

/// A statement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// `file:line`, or the procedure where there is no debugging information.
    pub text: String,
    /// The procedure that it is in, if it is known.
    pub procedure: Option<String>,
}

/// The statements of a job: `file:line`, or the procedure where there is no debugging information.
#[derive(Debug)]
pub struct Places {
    positions: Vec<Position>,
    numbers: HashMap<String, Place>,
    files: Modules,
    /// What the process of the current part has mapped, and the places of its addresses.
    modules: Modules,
    known: HashMap<u64, Place>,
}

impl Places {
    /// No places.
    pub fn new() -> Places {
        Places {
            positions: Vec::new(),
            numbers: HashMap::new(),
            files: Modules::default(),
            modules: Modules::default(),
            known: HashMap::new(),
        }
    }

    /// Has the addresses that follow be those of this part.
    pub fn enter(&mut self, part: &Part) {
        self.modules = self.files.with_maps(&part.maps);
        self.known.clear();
    }

    /// The place of a return address.
    pub fn find(&mut self, address: u64) -> Place {
        if let Some(&place) = self.known.get(&address) {
            return place;
        }
        // The call is in front of the address that it returns to.
        let statement = Statement::at(&self.modules, (address as usize).saturating_sub(1));
        let procedure = statement.as_ref().and_then(Statement::procedure);
        let text = statement.map_or_else(|| "unknown".to_string(), |it| it.to_string());
        let place = *self.numbers.entry(text).or_insert_with_key(|text| {
            self.positions.push(Position { text: text.clone(), procedure });
            self.positions.len() - 1
        });
        self.known.insert(address, place);
        place
    }

    /// All places, by their numbers.
    pub fn into_positions(self) -> Vec<Position> {
        self.positions
    }
}

impl Default for Places {
    fn default() -> Places {
        Places::new()
    }
}
