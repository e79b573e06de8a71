//! The wire format of protocol buffers, reading and writing.
//!
//! A message is a sequence of fields, each a key (number · 8 + wire type, a varint) and a value: a varint, 8 bytes, 4
//! bytes, or a length and as many bytes. Reading borrows: a field's bytes are a slice of the message, whose length was
//! checked against what is there, so that nothing is allocated on a file's word. Groups (wire types 3 and 4), which
//! nothing we read has, are refused. Messages inside messages are slices that the caller may or may not look into;
//! nothing here recurses.
//!
//! - Protocol Buffers, *Encoding*.

use base::{Error, Result};

/// How errors call a file whose name is put in later.
pub(super) const FILE: &str = "ONNX";

/// The value of a field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value<'a> {
    Varint(u64),
    Eight([u8; 8]),
    Bytes(&'a [u8]),
    Four([u8; 4]),
}

/// The fields of a message, one after the other; an error ends them.
pub(super) struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    pub fn new(message: &'a [u8]) -> Self {
        Fields { rest: message }
    }

    fn read(&mut self) -> Result<(u32, Value<'a>)> {
        let key = varint(&mut self.rest)?;
        let number = u32::try_from(key >> 3).ok().filter(|&n| n > 0);
        let number = number.ok_or_else(|| damaged(format!("a field has the key {key}")))?;
        let value = match key & 7 {
            0 => Value::Varint(varint(&mut self.rest)?),
            1 => Value::Eight(exactly(&mut self.rest)?),
            2 => {
                let length = varint(&mut self.rest)?;
                Value::Bytes(take(&mut self.rest, length)?)
            }
            5 => Value::Four(exactly(&mut self.rest)?),
            other => return Err(damaged(format!("field {number} has the unknown wire type {other}"))),
        };
        Ok((number, value))
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u32, Value<'a>)>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.read();
        if field.is_err() {
            self.rest = &[];
        }
        Some(field)
    }
}

/// The next number of seven bits a byte, lowest first.
pub(super) fn varint(rest: &mut &[u8]) -> Result<u64> {
    let mut value = 0u64;
    for shift in (0..70).step_by(7) {
        let Some((&byte, after)) = rest.split_first() else { return Err(damaged("it ends in the middle of a number")) };
        *rest = after;
        // The tenth byte has room for one bit; more of them are no number of 64 bits.
        if shift == 63 && byte > 1 {
            break;
        }
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(value);
        }
    }
    Err(damaged("a number has more than 64 bits"))
}

fn take<'a>(rest: &mut &'a [u8], length: u64) -> Result<&'a [u8]> {
    match usize::try_from(length).ok().and_then(|n| rest.split_at_checked(n)) {
        Some((bytes, after)) => {
            *rest = after;
            Ok(bytes)
        }
        None => Err(damaged(format!("a field of {length} bytes where {} are left", rest.len()))),
    }
}

fn exactly<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N]> {
    let bytes = take(rest, N as u64)?;
    bytes.try_into().map_err(|_| damaged("it ends in the middle of a number"))
}

/// An error about the file as a whole.
pub(super) fn damaged(why: impl Into<base::Message>) -> Error {
    Error::format(FILE, format!("is not an ONNX model, or corrupt: {}", why.into()))
}

/// A message being written.
#[derive(Debug, Default)]
pub(super) struct Message(Vec<u8>);

impl Message {
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    fn push_varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    pub fn int(&mut self, field: u32, value: i64) {
        self.push_varint(u64::from(field) << 3);
        self.push_varint(value as u64);
    }

    pub fn float(&mut self, field: u32, value: f32) {
        self.push_varint(u64::from(field) << 3 | 5);
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub fn bytes(&mut self, field: u32, bytes: &[u8]) {
        self.push_varint(u64::from(field) << 3 | 2);
        self.push_varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    pub fn text(&mut self, field: u32, text: &str) {
        self.bytes(field, text.as_bytes());
    }

    pub fn message(&mut self, field: u32, message: Message) {
        self.bytes(field, &message.0);
    }

    /// A message that ends with a field of so many bytes, which `fill` appends.
    pub fn message_with_tail(
        &mut self,
        field: u32,
        mut head: Message,
        tail: u32,
        length: usize,
        fill: impl FnOnce(&mut Vec<u8>),
    ) {
        head.push_varint(u64::from(tail) << 3 | 2);
        head.push_varint(length as u64);
        self.push_varint(u64::from(field) << 3 | 2);
        self.push_varint((head.0.len() + length) as u64);
        self.0.reserve(head.0.len() + length);
        self.0.extend_from_slice(&head.0);
        fill(&mut self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> Result<Vec<(u32, Value<'_>)>> {
        Fields::new(bytes).collect()
    }

    #[test]
    fn what_is_written_is_read() {
        let mut inner = Message::default();
        inner.text(3, "höhe");
        let mut message = Message::default();
        let ints = [0, 1, 127, 128, 300, i64::MAX, -1, i64::MIN];
        ints.iter().for_each(|&i| message.int(1, i));
        message.float(2, -0.5);
        message.message(1 << 20, inner);
        let bytes = message.into_bytes();
        let fields = all(&bytes).unwrap();
        let expected = ints.map(|i| (1, Value::Varint(i as u64)));
        assert_eq!(fields[..8], expected);
        assert_eq!(fields[8], (2, Value::Four((-0.5f32).to_le_bytes())));
        let (field, Value::Bytes(inner)) = fields[9] else { panic!("{:?}", fields[9]) };
        assert_eq!((field, all(inner).unwrap()), (1 << 20, vec![(3, Value::Bytes("höhe".as_bytes()))]));
        for cut in 1..bytes.len() {
            // A cut message is shorter or refused, never longer.
            assert!(all(&bytes[..cut]).is_err() || all(&bytes[..cut]).unwrap().len() < fields.len());
        }
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let says = |bytes: &[u8]| all(bytes).unwrap_err().to_string();
        assert!(says(b"\x0a\xff\xff\xff\xff\x0f").ends_with("a field of 4294967295 bytes where 0 are left"));
        assert!(says(b"\x08\x80").ends_with("it ends in the middle of a number"));
        assert!(says(b"\x0b").ends_with("field 1 has the unknown wire type 3"));
        assert!(says(b"\x00\x00").ends_with("a field has the key 0"));
        assert!(says(b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02").ends_with("more than 64 bits"));
        assert_eq!(all(b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01").unwrap(), [(1, Value::Varint(u64::MAX))]);
        assert!(says(b"\x09abc").ends_with("a field of 8 bytes where 3 are left"));
    }
}
