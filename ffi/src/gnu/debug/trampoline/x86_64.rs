//! The trampolines of x86-64.

/// ENDBR64, which may be the first instruction.
const ENDBR: [u8; 4] = [0xf3, 0x0f, 0x1e, 0xfa];
/// MOV R11 to 32 bits, and to 64 bits.
const MOV_32: [u8; 2] = [0x41, 0xbb];
const MOV_64: [u8; 2] = [0x49, 0xbb];
/// MOV R10 to 64 bits, JMP R11.
const MOV_CHAIN: [u8; 2] = [0x49, 0xba];
const JUMP: [u8; 3] = [0x49, 0xff, 0xe3];

/// Where a trampoline of these bytes leads to; `None` if they are none.
pub fn target_of(byte: impl Fn(usize) -> u8) -> Option<usize> {
    let is = |at: usize, code: &[u8]| code.iter().zip(at..).all(|(&code, at)| byte(at) == code);
    let start = if is(0, &ENDBR) { ENDBR.len() } else { 0 };
    let len = match () {
        () if is(start, &MOV_64) => 8,
        () if is(start, &MOV_32) => 4,
        () => return None,
    };
    let chain = start + MOV_64.len() + len;
    if !is(chain, &MOV_CHAIN) || !is(chain + MOV_CHAIN.len() + 8, &JUMP) {
        return None;
    }
    Some((0..len).fold(0, |address, at| address | usize::from(byte(start + 2 + at)) << (8 * at)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_trampolines_lead_elsewhere() {
        let long = [&ENDBR[..], &MOV_64, &[1, 2, 3, 4, 5, 6, 7, 8], &MOV_CHAIN, &[0; 8], &JUMP];
        let long = long.concat();
        assert_eq!(target_of(|at| long[at]), Some(0x0807_0605_0403_0201));
        let short = [&MOV_32[..], &[1, 2, 3, 0x84], &MOV_CHAIN, &[0xff; 8], &JUMP].concat();
        assert_eq!(target_of(|at| short[at]), Some(0x8403_0201));
        for broken in [&[0x55, 0x48][..], &MOV_64, &ENDBR] {
            let code = [broken, &[0x90; 40]].concat();
            assert_eq!(target_of(|at| code[at]), None);
        }
    }
}
