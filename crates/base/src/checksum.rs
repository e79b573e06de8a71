//! A checksum by which data, settings and blocks of a file are recognised.

/// A checksum that is fed piece by piece (FNV-1a over eight bytes at a time, 64 bits): finds slips, not forgers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checksum(u64);

impl Default for Checksum {
    fn default() -> Self {
        Checksum(0xcbf2_9ce4_8422_2325)
    }
}

impl Checksum {
    /// Takes in some bytes; how they are cut into calls is part of what is summed.
    pub fn add(&mut self, bytes: &[u8]) {
        let mut word = |part: &[u8]| {
            let mut eight = [0; 8];
            eight[..part.len()].copy_from_slice(part);
            self.0 = (self.0 ^ u64::from_le_bytes(eight)).wrapping_mul(0x0000_0100_0000_01b3);
            self.0 ^= self.0 >> 29;
        };
        bytes.chunks(8).for_each(&mut word);
        word(&(bytes.len() as u64).to_le_bytes());
    }

    /// The sum so far.
    pub fn sum(self) -> u64 {
        self.0
    }
}
