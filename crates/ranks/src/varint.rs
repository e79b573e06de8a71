//! Whole numbers in as few bytes as they need: seven bits a byte, lowest first, the eighth says that more follow (LEB128).

/// Appends a number.
pub fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes a number from the front, if there is one that 64 bits hold.
pub fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0u64;
    for (i, &byte) in bytes.iter().enumerate() {
        let low = u64::from(byte & 0x7f);
        let shift = 7 * i as u32;
        if shift > 63 || (low << shift) >> shift != low {
            return None;
        }
        number |= low << shift;
        if byte < 0x80 {
            *bytes = &bytes[i + 1..];
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_and_what_is_none_is_refused() {
        let numbers: Vec<u64> =
            (0..64).flat_map(|b| [(1u64 << b) - 1, 1 << b, (1 << b) + 1]).chain([u64::MAX]).collect();
        let mut bytes = vec![];
        numbers.iter().for_each(|&n| put(&mut bytes, n));
        let mut rest = &bytes[..];
        let back: Vec<u64> = numbers.iter().map_while(|_| take(&mut rest)).collect();
        assert_eq!((back, rest.len()), (numbers, 0));
        for bad in
            [&[][..], &[0x80], &[0xff; 9], &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2], &[0x80; 11]]
        {
            assert_eq!(take(&mut &bad[..]), None, "{bad:?}");
        }
    }
}
