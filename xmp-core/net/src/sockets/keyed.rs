//! A hash with a key. It proves that its sender knows the key, which is a secret and is never sent.

// The std's only hasher with a key. It is deprecated because hash tables should not name one.
#[expect(deprecated)]
use std::hash::SipHasher;

/// A secret.
pub type Secret = [u8; 16];

/// The hash (SipHash-2-4) of these parts with the key. Parts have lengths that both ends know.
pub(crate) fn hash(key: &Secret, parts: &[&[u8]]) -> u64 {
    use std::hash::Hasher;
    let half = |at: usize| u64::from_le_bytes(key[at..][..8].try_into().expect("eight bytes"));
    #[expect(deprecated)]
    let mut hasher = SipHasher::new_with_keys(half(0), half(8));
    parts.iter().for_each(|part| hasher.write(part));
    hasher.finish()
}

/// The secret of one of those who share the secret `of_all`.
pub(crate) fn secret_of(of_all: &Secret, number: u32) -> Secret {
    let half = |which: u8| hash(of_all, &[&[which], &number.to_le_bytes()]).to_le_bytes();
    let mut secret = [0; 16];
    secret[..8].copy_from_slice(&half(b'a'));
    secret[8..].copy_from_slice(&half(b'b'));
    secret
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vectors of the function's authors have this key, and these bytes.
    #[test]
    fn it_is_siphash_2_4() {
        let key: Secret = std::array::from_fn(|byte| byte as u8);
        let bytes: [u8; 15] = std::array::from_fn(|byte| byte as u8);
        assert_eq!(hash(&key, &[&bytes]), 0xa129_ca61_49be_45e5);
        assert_eq!(hash(&key, &[&bytes[..4], &bytes[4..]]), hash(&key, &[&bytes]));
    }

    #[test]
    fn each_has_a_secret_of_its_own() {
        let key = [7; 16];
        assert_eq!(secret_of(&key, 3), secret_of(&key, 3));
        assert_ne!(secret_of(&key, 3), secret_of(&key, 4));
        assert_ne!(secret_of(&key, 3), secret_of(&[8; 16], 3));
    }
}
