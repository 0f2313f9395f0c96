//! The trampolines of AArch64.

/// BTI C, which may be the first instruction.
const BTI: u32 = 0xd503_245f;
/// LDR of X17 and X18 from an address relative to the instruction, without the distance, and BR X17.
const LOAD_TARGET: u32 = 0x5800_0011;
const LOAD_CHAIN: u32 = 0x5800_0012;
const JUMP: u32 = 0xd61f_0220;
/// The distance in words.
const DISTANCE: u32 = 0x00ff_ffe0;

/// Where a trampoline of these bytes leads to; `None` if they are none.
pub fn target_of(byte: impl Fn(usize) -> u8) -> Option<usize> {
    let instruction = |at: usize| u32::from_le_bytes(std::array::from_fn(|part| byte(at + part)));
    let start = if instruction(0) == BTI { 4 } else { 0 };
    let load = instruction(start);
    if load & !DISTANCE != LOAD_TARGET
        || instruction(start + 4) & !DISTANCE != LOAD_CHAIN
        || instruction(start + 8) != JUMP
    {
        return None;
    }
    let place = start + 4 * ((load & DISTANCE) >> 5) as usize;
    Some(usize::from_le_bytes(std::array::from_fn(|part| byte(place + part))))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `ldr x17, .+16; ldr x18, .+20; br x17; nop; .xword target, chain`, as GCC 12 writes it.
    const PLAIN: [u32; 8] =
        [0x5800_0091, 0x5800_00b2, 0xd61f_0220, 0xd503_201f, 0x0403_0201, 0x0807_0605, 9, 9];

    fn target(instructions: &[u32]) -> Option<usize> {
        let code: Vec<u8> = instructions.iter().flat_map(|word| word.to_le_bytes()).collect();
        target_of(|at| code[at])
    }

    #[test]
    fn only_trampolines_lead_elsewhere() {
        assert_eq!(target(&PLAIN), Some(0x0807_0605_0403_0201));
        assert_eq!(target(&[&[BTI][..], &PLAIN].concat()), Some(0x0807_0605_0403_0201));
        // The frame of a function; a load of another register; another jump.
        assert_eq!(target(&[0xa9bf_7bfd, 0x9100_03fd]), None);
        assert_eq!(target(&[0x5800_0090, 0x5800_00b2, 0xd61f_0220]), None);
        assert_eq!(target(&[0x5800_0091, 0x5800_00b2, 0xd65f_03c0]), None);
    }
}
