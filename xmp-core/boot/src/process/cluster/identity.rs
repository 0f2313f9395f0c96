//! The identity of an image: the properties that all images of a job must have in common, and the message if they do
//! not.

use super::program::Program;
use crate::job::page::JobPage;
use crate::settings::Settings;

/// Bytes in which an identity is sent.
pub const TEXT: usize = 4096;
/// The name of the item that is the program.
pub const PROGRAM: &str = "the program";
/// Separators between the parts of an item, and between items: characters that no setting contains.
const PART: char = '\u{1f}';
const ITEM: char = '\u{1e}';

/// The items of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity(Vec<Item>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Item {
    /// Its name in messages.
    name: String,
    /// The compared value.
    value: String,
    /// The text of the value in messages.
    text: String,
}

impl Identity {
    /// The identity of a process with this program and these settings.
    pub fn new(program: &Program, settings: &Settings) -> Identity {
        let item =
            |name: &str, value: String, text: String| Item { name: name.into(), value, text };
        let library = format!("{} (job page {})", env!("CARGO_PKG_VERSION"), JobPage::VERSION);
        let path = program.path.display();
        let mut items = vec![
            item("the version of XMP", library.clone(), library),
            item(
                PROGRAM,
                format!("{} {}", program.len, program.hash),
                format!("{path} ({} bytes, digest {:016x})", program.len, program.hash),
            ),
        ];
        for (name, value) in settings.alike() {
            items.push(item(&format!("setting {name}"), value.clone(), value));
        }
        Identity(items)
    }

    /// A hash of the items.
    pub fn digest(&self) -> u64 {
        let bytes =
            self.0.iter().flat_map(|item| item.name.bytes().chain([0]).chain(item.value.bytes()));
        // FNV-1a.
        bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    }

    /// As bytes, cut off after [`TEXT`].
    pub fn to_bytes(&self) -> [u8; TEXT] {
        let items = self
            .0
            .iter()
            .map(|Item { name, value, text }| format!("{name}{PART}{value}{PART}{text}{ITEM}"));
        let mut bytes = [0; TEXT];
        let text: String = items.collect();
        let len = text.len().min(TEXT);
        bytes[..len].copy_from_slice(&text.as_bytes()[..len]);
        bytes
    }

    /// From bytes, which another version of this library may have sent.
    pub fn from_bytes(bytes: &[u8]) -> Identity {
        let text = String::from_utf8_lossy(bytes);
        let item = |item: &str| {
            let mut parts = item.split(PART).map(str::to_string);
            Some(Item { name: parts.next()?, value: parts.next()?, text: parts.next()? })
        };
        Identity(text.split(ITEM).filter_map(item).collect())
    }

    /// The first difference: its name, and its text in `self` and in `other`.
    pub fn difference(&self, other: &Identity) -> Option<(String, String, String)> {
        const NOTHING: &str = "nothing of the kind";
        let differs = |item: &&Item| other.value_of(&item.name) != Some(&item.value);
        if let Some(item) = self.0.iter().find(differs) {
            let its = other.0.iter().find(|its| its.name == item.name);
            let text = its.map_or(NOTHING, |its| &its.text);
            return Some((item.name.clone(), item.text.clone(), text.into()));
        }
        let only = other.0.iter().find(|item| self.value_of(&item.name).is_none())?;
        Some((only.name.clone(), NOTHING.into(), only.text.clone()))
    }

    fn value_of(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|item| item.name == name).map(|item| &*item.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn identity(hash: u64, name: &'static str, value: &'static str) -> Identity {
        let settings = Settings::from_pairs(&[(name, value)]).unwrap();
        Identity::new(&Program { path: "/bin/program".into(), len: 5, hash }, &settings)
    }

    #[test]
    fn identities_travel() {
        let one = identity(7, "XMP_COLL", "barrier:flat");
        assert_eq!(Identity::from_bytes(&one.to_bytes()), one);
        assert_eq!(Identity::from_bytes(&[0xff; TEXT]), Identity(Vec::new()));
        // The path does not matter, nor how long images wait.
        let mut elsewhere = identity(7, "XMP_COLL", "barrier:flat");
        elsewhere.0[1].text = "/usr/bin/program".into();
        assert_eq!((one.difference(&elsewhere), one.digest()), (None, elsewhere.digest()));
        let patient = identity(7, "XMP_SPIN", "5");
        assert_eq!(patient.difference(&identity(7, "XMP_YIELDS", "5")), None);
    }

    #[test]
    fn differences_have_names() {
        let one = identity(7, "", "");
        for (other, name, text) in [
            (identity(8, "", ""), "the program", "/bin/program"),
            (identity(7, "XMP_CHECK", "1"), "setting XMP_CHECK", "true"),
            (identity(7, "XMP_COLL", "barrier:flat"), "setting XMP_COLL", "flat"),
        ] {
            assert_ne!(one.digest(), other.digest());
            let found = one.difference(&other).unwrap();
            assert!(found.0 == name && found.2.contains(text), "{found:?}");
        }
        let nothing = Identity(Vec::new());
        assert_eq!(one.difference(&nothing).unwrap().2, "nothing of the kind");
        assert_eq!(nothing.difference(&one).unwrap().1, "nothing of the kind");
    }

    /// Bytes with many separators.
    fn some_bytes() -> impl Strategy<Value = Vec<u8>> {
        let byte = prop_oneof![Just(PART as u8), Just(ITEM as u8), 0..3_u8, any::<u8>()];
        prop::collection::vec(byte, 0..200)
    }

    proptest! {
        /// A process with another version of the library may send anything.
        #[test]
        fn any_bytes_are_an_identity_that_can_be_compared(one in some_bytes(), other in some_bytes()) {
            let [one, other] = [one, other].map(|bytes| Identity::from_bytes(&bytes));
            let [different, reverse] = [one.difference(&other), other.difference(&one)];
            if one == other {
                prop_assert_eq!(one.digest(), other.digest());
            } else if one.0.is_empty() || other.0.is_empty() {
                prop_assert!(different.is_some() && reverse.is_some());
            }
            prop_assert_eq!(Identity::from_bytes(&other.to_bytes()), other);
        }
    }
}
