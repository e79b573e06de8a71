//! Files of other programs that are not read here, by name, with what to do instead.

/// What a file is and what can be done, if it is one of those that people have and that are not read here.
pub(crate) fn name(head: &[u8]) -> Option<(&'static str, &'static str)> {
    const CSV: &str = "save the table as CSV";
    const UNPACK: &str = "unpack it first (gzip is read as it is)";
    const PICTURE: &str = "save it as PNG or JPEG";
    let magics: [(&[u8], &str, &str); 29] = [
        (b"%PDF-", "a PDF document", CSV),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel or Word file (.xls, .doc)", CSV),
        (b"{\\rtf", "a text document (RTF)", CSV),
        (b"SQLite format 3\0", "a SQLite database", "write a table of it as CSV (sqlite3 -csv -header)"),
        (b"\x89HDF\r\n\x1a\n", "an HDF5 file", "write its arrays as NPY or NPZ"),
        (b"MATLAB 5.0 MAT-file", "a MATLAB file", "write its arrays as CSV, or as NPZ with SciPy"),
        (b"$FL2", "an SPSS file", CSV),
        (b"$FL3", "an SPSS file", CSV),
        (b"<stata_dta>", "a Stata file", CSV),
        (b"ARROW1", "an Arrow file (Feather)", "write it as Parquet or CSV"),
        (b"FEA1", "an Arrow file (Feather)", "write it as Parquet or CSV"),
        (b"ORC", "an ORC file", "write it as Parquet or CSV"),
        (b"Obj\x01", "an Avro file", "write it as Parquet or CSV"),
        (b"RDX2\n", "an R data file", "write the table with write.csv"),
        (b"RDX3\n", "an R data file", "write the table with write.csv"),
        (b"X\n\0\0\0", "an R object (RDS)", "write the table with write.csv"),
        (b"BZh", "packed with bzip2", UNPACK),
        (b"\xfd7zXZ\0", "packed with xz", UNPACK),
        (b"\x28\xb5\x2f\xfd", "packed with Zstandard", UNPACK),
        (b"7z\xbc\xaf\x27\x1c", "an archive (7z)", UNPACK),
        (b"Rar!\x1a\x07", "an archive (RAR)", UNPACK),
        (b"GIF8", "a GIF image", PICTURE),
        (b"II*\0", "a TIFF image", PICTURE),
        (b"MM\0*", "a TIFF image", PICTURE),
        (b"\x80\x02", "a Python pickle, which is code", CSV),
        (b"\x80\x03", "a Python pickle, which is code", CSV),
        (b"\x80\x04", "a Python pickle, which is code", CSV),
        (b"\x80\x05", "a Python pickle, which is code", CSV),
        (b"\x7fELF", "a program", "name a file of data"),
    ];
    // Texts may well begin with the letters of a short mark; then they go on with letters.
    let binary = |magic: &[u8]| magic.len() > 3 || head.iter().take(64).any(|b| *b == 0 || *b >= 0x80);
    let found = magics.iter().find(|(magic, ..)| head.starts_with(magic) && binary(magic));
    if let Some((_, what, instead)) = found {
        return Some((what, instead));
    }
    if head.starts_with(b"RIFF") && head.get(8..12) == Some(b"WEBP") {
        return Some(("a WebP image", PICTURE));
    }
    if head.starts_with(b"PK\x03\x04") {
        return packed(head);
    }
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let start = text.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(0);
    let begins = |word: &str| text[start..].get(..word.len()).is_some_and(|t| t.eq_ignore_ascii_case(word.as_bytes()));
    let web = "save the table as CSV: the page may also say why a download failed";
    match () {
        _ if ["<!doctype html", "<html", "<head", "<table", "<body"].iter().any(|w| begins(w)) => {
            Some(("a web page (HTML)", web))
        }
        _ if begins("<?xml") || begins("<!doctype") => Some(("an XML document", CSV)),
        _ => None,
    }
}

/// What an archive of the ZIP kind is, by the names in it: office documents, or files that must be unpacked.
fn packed(head: &[u8]) -> Option<(&'static str, &'static str)> {
    let has = |word: &str| memchr::memmem::find(head, word.as_bytes()).is_some();
    let sheet = "save the sheet as CSV (in Excel: Save As, CSV UTF-8)";
    match () {
        _ if has("application/vnd.oasis.opendocument") => {
            Some(("an OpenDocument file (.ods)", "save the sheet as CSV"))
        }
        _ if has("xl/workbook") || has("xl/worksheets") || has("xl/_rels") || has("xl/styles") => {
            Some(("an Excel workbook (.xlsx)", sheet))
        }
        _ if has("word/") || has("ppt/") => Some(("an office document", "save the table as CSV")),
        _ if has("[Content_Types].xml") => Some(("an Excel workbook (.xlsx) or another office document", sheet)),
        // Arrays of NumPy are what is read of archives.
        _ if has(".npy") || head.len() < 30 => None,
        _ => Some(("an archive (ZIP)", "unpack it first")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d16_files_of_other_programs_are_named() {
        for (head, what) in [
            (&b"PK\x03\x04\x14\0\x06\0[Content_Types].xml...xl/workbook.xml"[..], "an Excel workbook (.xlsx)"),
            (b"PK\x03\x04....mimetypeapplication/vnd.oasis.opendocument.spreadsheet", "an OpenDocument file (.ods)"),
            (b"PK\x03\x04\x14\0\0\0\x08\0..........................data.csv", "an archive (ZIP)"),
            (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel or Word file (.xls, .doc)"),
            (b"\n <!DOCTYPE html>\n<html>", "a web page (HTML)"),
            (b"<?xml version=\"1.0\"?>", "an XML document"),
            (b"%PDF-1.7", "a PDF document"),
            (b"BZh91AY&SY\x00\x01", "packed with bzip2"),
            (b"\x80\x04\x95\x10", "a Python pickle, which is code"),
        ] {
            assert_eq!(name(head).map(|n| n.0), Some(what));
        }
        for head in [&b"ORC,x\n1,2\n"[..], b"BZh,b\n1,2\n", b"a<b\n1\n", b"<5,x\n", b"PK\x03\x04..arr_0.npy", b""] {
            assert_eq!(name(head), None);
        }
    }
}
