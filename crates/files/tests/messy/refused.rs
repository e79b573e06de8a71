//! Files that a careful person would send back, with what is said.

use crate::Case;

/// Forty rows of a number and a category, one of which is replaced.
fn forty(line: usize, with: &str) -> String {
    let row = |i: usize| if i + 2 == line { with.to_string() } else { format!("{}.5,{}", i, ["u", "v"][i % 2]) };
    "x,c\n".to_string() + &(0..40).map(|i| row(i) + "\n").collect::<String>()
}

/// Cases that are refused.
pub fn cases() -> Vec<Case> {
    let mut cases = vec![
        Case::refused(
            "a typo in a number",
            forty(20, "1o23,u"),
            &["t.csv:20:1: \"1o23\" is not a number", "missing '1o23'", "type x=text"],
        ),
        Case::refused("a unit behind one number", forty(9, "5kg,u"), &["t.csv:9:1: \"5kg\" is not a number"]),
        Case::refused("two decimal points", forty(9, "5.5.5,u"), &["t.csv:9:1: \"5.5.5\" is not a number"]),
        Case::refused("a decimal comma among points", forty(30, "\"5,5\",u"), &["t.csv:30:1: \"5,5\" is not a number"]),
        Case::refused("a tilde", forty(9, "~5,u"), &["t.csv:9:1: \"~5\""]),
        Case::refused("a bound", forty(9, "<0.1,u"), &["t.csv:9:1: \"<0.1\""]),
        Case::refused("a range", forty(9, "3-5,u"), &["t.csv:9:1: \"3-5\""]),
        Case::refused("a date among numbers", forty(9, "2023-01-01,u"), &["t.csv:9:1: \"2023-01-01\" is not a number"]),
        Case::refused("a word in the first row", forty(2, "none of these,u"), &["t.csv:2:1: \"none of these\""]),
        Case::refused(
            "a line of units",
            "size,weight\nkg,g\n".to_string() + &"1.5,2\n2.5,3\n".repeat(20),
            &["t.csv:2:1: \"kg\" is not a number"],
        ),
        Case::refused(
            "a header in two lines",
            "size,weight\nof all,of one\n".to_string() + &"1.5,2\n2.5,3\n".repeat(20),
            &["t.csv:2:1: \"of all\" is not a number"],
        ),
        Case::refused("totals at the end", forty(99, "") + "Total,\n", &["t.csv:42:1: \"Total\" is not a number"]),
        Case::refused(
            "totals that add up",
            "region,sales\nN,1\nS,2\nW,3\nE,4\nTotal,10\n",
            &["t.csv:6:1: \"Total\" begins a line of totals"],
        ),
        Case::refused(
            "means at the end",
            "region,sales\nN,1\nS,2\nW,3\nE,4\nAverage,2.5\n",
            &["t.csv:6:1: \"Average\" begins a line of totals"],
        ),
        Case::refused("the header again in the middle", forty(20, "x,c"), &["t.csv:20:1: \"x\" is not a number"]),
        Case::refused("a row too short", "a,b\n1,2\n3\n4,5\n", &["t.csv:3: has 1 field, the first line has 2 fields"]),
        Case::refused("a row too long", "a,b\n1,2\n3,4,5\n4,5\n", &["t.csv:3: has 3 fields"]),
        Case::refused("an unquoted comma in a text", "a,b\n1,Smith\n2,Smith, John\n3,x\n", &["t.csv:3: has 3 fields"]),
        Case::refused(
            "a quote never closed",
            "a,b\n1,\"x\n2,y\n",
            &["t.csv:2:2: a quote is opened here and never closed"],
        ),
        Case::refused("text behind a quote", "a,b\n1,\"x\"y\n2,z\n", &["t.csv:2:2: text after the closing quote"]),
        Case::refused("a NUL byte", "a,b\n1,\0\n", &["t.csv"]),
        Case::refused("an empty file", "", &["t.csv", "empty"]),
        Case::refused("blank lines alone", "\n\n \n", &["is empty"]),
        Case::refused(
            "days and months nobody can tell apart",
            "when,v\n01/02/2023,1\n03/04/2023,2\n",
            &["t.csv:2:1: \"01/02/2023\" is ambiguous", "date-format dmy"],
        ),
        Case::refused(
            "commas that may be decimals or thousands",
            "v;w\n1,234;a\n5,678;b\n",
            &["t.csv:2:1: \"1,234\" may be 1234 or 1.234", "decimal ,"],
        ),
        Case::refused(
            "percent here and there",
            "v,w\n5%,a\n0.5,b\n7%,c\n",
            &["t.csv:3:1: \"0.5\" has no percent sign"],
        ),
        Case::refused("two currencies", "v,w\n$5,a\n€6,b\n$7,c\n", &["t.csv:3:1: \"€6\" has another currency"]),
        Case::refused(
            "a bad date among dates",
            "d,v\n".to_string()
                + &(1..=20)
                    .map(|i| format!("{},1\n", if i == 7 { "2023-02-30".into() } else { format!("2023-01-{i:02}") }))
                    .collect::<String>(),
            &["t.csv:8:1: \"2023-02-30\" is not a date"],
        ),
        Case::refused(
            "JSON with lists",
            "{\"a\": 1, \"b\": [1, 2]}\n{\"a\": 2, \"b\": []}\n",
            &["\"b\" is a list or an object"],
        ),
        Case::refused("JSON cut off", "{\"a\": 1}\n{\"a\": \n", &["t.csv:", "is not valid JSON"]),
        Case::refused(
            "a web page",
            "<!DOCTYPE html>\n<html><body><table><tr><td>1</td></tr></table></body></html>\n",
            &["is a web page (HTML)", "CSV"],
        ),
        Case::refused("a web page with blanks before", "\n\n  <html lang=\"en\">\n", &["is a web page (HTML)"]),
        Case::refused("an XML document", "<?xml version=\"1.0\"?>\n<a><b>1</b></a>\n", &["is an XML document"]),
        Case::refused("a PDF", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n".to_vec(), &["is a PDF document", "CSV"]),
        Case::refused(
            "an Excel workbook",
            b"PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0[Content_Types].xml xl/workbook.xml".to_vec(),
            &["is an Excel workbook (.xlsx)", "save the sheet as CSV"],
        ),
        Case::refused(
            "an old Excel file",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0\0\0".to_vec(),
            &["is an old Excel or Word file"],
        ),
        Case::refused(
            "an OpenDocument sheet",
            b"PK\x03\x04\x14\0\0\0\0\0mimetypeapplication/vnd.oasis.opendocument.spreadsheet".to_vec(),
            &["is an OpenDocument file (.ods)"],
        ),
        Case::refused(
            "an archive",
            b"PK\x03\x04\x14\0\0\0\x08\0....................data.csv".to_vec(),
            &["is an archive (ZIP)", "unpack"],
        ),
        Case::refused("packed with bzip2", b"BZh91AY&SY\x8a\0\0".to_vec(), &["is packed with bzip2", "unpack"]),
        Case::refused("packed with xz", b"\xfd7zXZ\0\0\x04".to_vec(), &["is packed with xz"]),
        Case::refused("packed with Zstandard", b"\x28\xb5\x2f\xfd\x04\0".to_vec(), &["is packed with Zstandard"]),
        Case::refused("a SQLite database", b"SQLite format 3\0\x10\0".to_vec(), &["is a SQLite database"]),
        Case::refused("an HDF5 file", b"\x89HDF\r\n\x1a\n\0".to_vec(), &["is an HDF5 file"]),
        Case::refused("a MATLAB file", b"MATLAB 5.0 MAT-file, Platform".to_vec(), &["is a MATLAB file"]),
        Case::refused("a pickle", b"\x80\x04\x95\x1a\0\0\0".to_vec(), &["is a Python pickle, which is code"]),
        Case::refused("a Feather file", b"ARROW1\0\0".to_vec(), &["is an Arrow file"]),
        Case::refused("an R data file", b"RDX3\nX\n\0".to_vec(), &["is an R data file"]),
        Case::refused("a GIF", b"GIF89a\x01\0".to_vec(), &["is a GIF image"]),
    ];
    for (gap, at) in [("1o", 5), ("abc", 11), ("??", 17), ("5 5 5", 23), ("O", 29), ("l2", 35)] {
        let words = format!("t.csv:{at}:1: {gap:?} is not a number");
        cases.push(Case::refused(format!("{gap} among numbers"), forty(at, &format!("{gap},u")), &[&words]));
    }
    cases
}
