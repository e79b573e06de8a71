//! Rows as people write them: `0,5-9`.

use base::{Error, Result};

/// The numbers of rows in a text such as `0,5-9`, all below `count`.
pub fn rows_of(text: &str, count: usize) -> Result<Vec<usize>> {
    let wrong = || Error::parameter("rows", text, format!("must be rows such as 0,5-9, below {count}"));
    let mut rows = vec![];
    for part in text.split(',') {
        let (from, to) = part.trim().split_once('-').unwrap_or((part.trim(), part.trim()));
        let (from, to): (usize, usize) = (from.parse().map_err(|_| wrong())?, to.parse().map_err(|_| wrong())?);
        if from > to || to >= count {
            return Err(wrong());
        }
        rows.extend(from..=to);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_numbers_and_ranges_below_the_count() {
        assert_eq!(rows_of("0,5-7, 2", 8).unwrap(), [0, 5, 6, 7, 2]);
        for wrong in ["8", "3-2", "x", "", "1,,2", "-1"] {
            assert!(rows_of(wrong, 8).unwrap_err().to_string().contains("below 8"), "{wrong}");
        }
    }
}
