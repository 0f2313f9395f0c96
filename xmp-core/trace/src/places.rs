//! The statements behind return addresses, each of which is looked up once.

use crate::part::Part;
use std::collections::HashMap;
use xmp_source::{Modules, Statement};

/// Number of a place in the list of all.
pub type Place = usize;

/// The statements of a job: `file:line`, or the procedure where there is no debugging information.
#[derive(Debug)]
pub struct Places {
    texts: Vec<String>,
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
            texts: Vec::new(),
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
        let text = statement.map_or_else(|| "unknown".to_string(), |it| it.to_string());
        let place = *self.numbers.entry(text).or_insert_with_key(|text| {
            self.texts.push(text.clone());
            self.texts.len() - 1
        });
        self.known.insert(address, place);
        place
    }

    /// All places, by their numbers.
    pub fn into_texts(self) -> Vec<String> {
        self.texts
    }
}

impl Default for Places {
    fn default() -> Places {
        Places::new()
    }
}
