//! Files that are messy and can be read: what comes out, and what is said.

use crate::Case;

/// Rows `0..n` made by `row`, below a header.
fn rows(header: &str, n: usize, row: impl Fn(usize) -> String) -> String {
    format!("{header}\n") + &(0..n).map(|i| row(i) + "\n").collect::<String>()
}

const ID: &str = "names the rows (id), which machines leave out";

/// Headers of all kinds.
fn headers() -> Vec<Case> {
    let no = "no header found";
    vec![
        Case::table(
            "words behind an empty corner",
            "\"\",\"german\",\"english\"\n1,Haus,house\n2,Hof,yard\n3,Bach,brook\n",
            "0:id=1|2|3 german:category=Haus|Hof|Bach english:category=house|yard|brook",
            &[ID],
        ),
        Case::table(
            "a header of words and years",
            "Country Name,Country Code,Indicator Name,Indicator Code,1960,1961,1962\nA,AA,x,y,1,2,3\nB,BB,x,y,4,5,6\n",
            "Country Name:category=A|B Country Code:category=AA|BB Indicator Name:category=x|x Indicator Code:category=y|y 1960:number=1|4 1961:number=2|5 1962:number=3|6",
            &[],
        ),
        Case::table(
            "doubled names",
            "a,a,c\n1,2,x\n3,4,x\n",
            "a:number=1|3 a_2:number=2|4 c:category=x|x",
            &["duplicate column names became \"a_2\""],
        ),
        Case::table(
            "three of a name",
            "a,a,a\n1,2,3\n3,4,5\n",
            "a:number=1|3 a_2:number=2|4 a_3:number=3|5",
            &["\"a_2\", \"a_3\""],
        ),
        Case::table(
            "doubled names over words",
            "c,c\nu,v\nu,w\nu,v\nu,w\n",
            "c:category=u|u|u|u c_2:category=v|w|v|w",
            &["duplicate column names"],
        ),
        Case::table(
            "a separator at the end of every line",
            "a,b,\n1,x,\n2,y,\n",
            "a:number=1|2 b:category=x|y",
            &["is empty, has no name and is left out"],
        ),
        Case::table(
            "a separator at the end of the rows",
            "a,b\n1,x,\n2,y,\n",
            "a:number=1|2 b:category=x|y",
            &["is left out"],
        ),
        Case::table("a separator at the end of the header", "a,b,\n1,x\n2,y\n", "a:number=1|2 b:category=x|y", &[]),
        Case::table(
            "a semicolon at the end of every line",
            "a;b;\n1,5;x;\n2,5;y;\n",
            "a:number=1.5|2.5 b:category=x|y",
            &["decimal comma", "is left out"],
        ),
        Case::table(
            "an empty name in the middle",
            "a,,c\n1,2,x\n3,4,x\n",
            "a:number=1|3 1:number=2|4 c:category=x|x",
            &[],
        ),
        Case::table(
            "an index without a name",
            "\"\",a,b\n0,5,x\n1,7,y\n2,6,x\n",
            "0:id=0|1|2 a:number=5|7|6 b:category=x|y|x",
            &[ID],
        ),
        Case::table(
            "an index of pandas",
            "Unnamed: 0,a,b\n0,5,x\n1,7,y\n2,6,x\n",
            "Unnamed: 0:id=0|1|2 a:number=5|7|6 b:category=x|y|x",
            &[ID],
        ),
        Case::table(
            "R's write.table",
            "\"a\" \"b\"\n\"1\" 5 \"x\"\n\"2\" 7 \"y\"\n\"3\" 6 \"x\"\n",
            "row:id=1|2|3 a:number=5|7|6 b:category=x|y|x",
            &["one field short", ID],
        ),
        Case::table(
            "R's write.csv with names of rows",
            "\"\",\"a\"\n\"r1\",5.5\n\"r2\",7\n",
            "0:category=r1|r2 a:number=5.5|7",
            &[],
        ),
        Case::table(
            "R's write.table with tabs",
            "a\tb\n1\t5\tx\n2\t7\ty\n3\t6\tx\n",
            "row:id=1|2|3 a:number=5|7|6 b:category=x|y|x",
            &["one field short"],
        ),
        Case::table(
            "no header over words",
            "red,s\nblue,m\nred,m\n",
            "0:category=red|blue|red 1:category=s|m|m",
            &[no],
        ),
        Case::table("no header over numbers", "3,4\n1,2\n", "0:number=3|1 1:number=4|2", &[]),
        Case::table(
            "a header of years",
            "country,1990,1991,1992\nA,1,2,3\nB,4,5,6\n",
            "country:category=A|B 1990:number=1|4 1991:number=2|5 1992:number=3|6",
            &[],
        ),
        Case::table(
            "a header of numbers and a target",
            "1,2,3,target\n0.5,0.1,0.2,x\n0.3,0.2,0.1,y\n",
            "1:number=0.5|0.3 2:number=0.1|0.2 3:number=0.2|0.1 target:category=x|y",
            &[],
        ),
        Case::table("blanks around names", " a , b \n 1 , x \n 2 , y \n", "a:number=1|2 b:category=x|y", &[]),
        Case::table("a comma in a name", "\"a, b\",c\n1,x\n2,y\n", "a, b:number=1|2 c:category=x|y", &[]),
        Case::table("a line end in a name", "\"a\nb\",c\n1,x\n2,y\n", "a\nb:number=1|2 c:category=x|y", &[]),
        Case::table("a name with a quote", "\"a\"\"b\",c\n1,x\n2,y\n", "a\"b:number=1|2 c:category=x|y", &[]),
        Case::table("names in other letters", "größe,цена\n1,2\n3,4\n", "größe:number=1|3 цена:number=2|4", &[]),
        Case::table(
            "a title above",
            "Sales of 2023\na,b\n1,x\n2,y\n3,x\n",
            "a:number=1|2|3 b:category=x|y|x",
            &["line 1 above the table is skipped"],
        ),
        Case::table(
            "a title and a blank line above",
            "Sales of 2023\n\na,b,c\n1,2,x\n3,4,y\n",
            "a:number=1|3 b:number=2|4 c:category=x|y",
            &["lines 1 to 2 above the table are skipped"],
        ),
        Case::table(
            "a title filled up with separators",
            "Sales,,\n,,\na,b,c\n1,2,x\n3,4,y\n",
            "a:number=1|3 b:number=2|4 c:category=x|y",
            &["above the table are skipped"],
        ),
        Case::table(
            "several titles",
            "Sales\nof 2023\nby hand\na,b,c\n1,2,x\n3,4,y\n5,6,x\n",
            "a:number=1|3|5 b:number=2|4|6 c:category=x|y|x",
            &["lines 1 to 3"],
        ),
        Case::table(
            "comments above",
            "# made by hand\n# in 2023\na,b\n1,x\n2,y\n",
            "a:number=1|2 b:category=x|y",
            &["skipped as comments"],
        ),
        Case::table(
            "a comment in the middle",
            "# by hand\na,b\n1,x\n# more\n2,y\n",
            "a:number=1|2 b:category=x|y",
            &["comments"],
        ),
        Case::table(
            "a comment that names the columns",
            "# a b\n1 2\n3 4\n",
            "a:number=1|3 b:number=2|4",
            &["comments"],
        ),
        Case::table("a header with a mark", "#a\tb\n1\tx\n2\ty\n", "a:number=1|2 b:category=x|y", &["comments"]),
        Case::table("sep=;", "sep=;\na;b\n1;x\n2;y\n", "a:number=1|2 b:category=x|y", &["names the separator"]),
        Case::table("sep=,", "sep=,\r\na,b\r\n1,x\r\n2,y\r\n", "a:number=1|2 b:category=x|y", &["names the separator"]),
        Case::table(
            "sep=| in quotes",
            "\"sep=|\"\na|b\n1|x\n2|y\n",
            "a:number=1|2 b:category=x|y",
            &["names the separator"],
        ),
        Case::table("a header alone", "name,size\n", "0:category=name 1:category=size", &[no]),
        Case::table("one row below a header", "a,b\n1,x\n", "a:number=1 b:category=x", &[]),
        Case::table("one column", "a\n1\n2\n", "a:number=1|2", &[]),
        Case::table("one column of words", "colour\nred\nblue\nred\nblue\n", "colour:category=red|blue|red|blue", &[]),
        Case::table(
            "texts below names",
            "name,comment\nAnna Smith,so so\nBob Jones,fine\n",
            "name:id=Anna Smith|Bob Jones comment:category=so so|fine",
            &[ID],
        ),
    ]
}

/// Numbers of all kinds.
fn numbers() -> Vec<Case> {
    let style = |style: &str| format!("numbers are read as {style}");
    let mut cases = vec![
        Case::table("dollars", "v;w\n$1,234.50;a\n$5;b\n", "v:number=1234.5|5 w:category=a|b", &[&style("1,234.5")]),
        Case::table(
            "euros behind",
            "v;w\n1.234,50 €;a\n5 €;b\n",
            "v:number=1234.5|5 w:category=a|b",
            &[&style("1.234,5")],
        ),
        Case::table("pounds", "v,w\n£5.20,a\n£7,b\n", "v:number=5.2|7 w:category=a|b", &["such as \"£5.20\" as 5.2"]),
        Case::table("names of a currency", "v,w\nUSD 5.20,a\nUSD 7,b\n", "v:number=5.2|7 w:category=a|b", &["as 5.2"]),
        Case::table(
            "percent",
            "v,w\n12.5%,a\n3%,b\n",
            "v:number=12.5|3 w:category=a|b",
            &["such as \"12.5%\" as 12.5"],
        ),
        Case::table("percent with a blank", "v;w\n12,5 %;a\n3 %;b\n", "v:number=12.5|3 w:category=a|b", &["as 12.5"]),
        Case::table(
            "thousands of commas in quotes",
            "v,w\n\"1,234\",a\n\"12,345,678\",b\n",
            "v:number=1234|12345678 w:category=a|b",
            &[&style("1,234.5")],
        ),
        Case::table(
            "thousands of points",
            "v;w\n1.234.567;a\n12;b\n",
            "v:number=1234567|12 w:category=a|b",
            &[&style("1.234,5")],
        ),
        Case::table(
            "thousands of points beside decimal commas",
            "v;w\n1.234;0,5\n5.678;1,5\n",
            "v:number=1234|5678 w:number=0.5|1.5",
            &[&style("1.234,5"), "decimal comma"],
        ),
        Case::table(
            "thousands of blanks",
            "v;w\n115 343;a\n7;b\n",
            "v:number=115343|7 w:category=a|b",
            &[&style("1 234.5")],
        ),
        Case::table(
            "thousands of blanks that do not break",
            "v;w\n115\u{a0}343,5;a\n7;b\n",
            "v:number=115343.5|7 w:category=a|b",
            &[&style("1 234,5")],
        ),
        Case::table(
            "thousands of thin blanks",
            "v;w\n115\u{2009}343;a\n1\u{202f}000;b\n",
            "v:number=115343|1000 w:category=a|b",
            &[&style("1 234.5")],
        ),
        Case::table(
            "thousands of quotes",
            "v;w\n1'234.5;a\n7;b\n",
            "v:number=1234.5|7 w:category=a|b",
            &[&style("1'234.5")],
        ),
        Case::table(
            "thousands beside small numbers, by tabs",
            "v\tw\n1,234\ta\n999\tb\n",
            "v:number=1234|999 w:category=a|b",
            &[&style("1,234.5")],
        ),
        Case::table(
            "a minus of mathematics",
            "v,w\n\u{2212}3.5,a\n4,b\n",
            "v:number=-3.5|4 w:category=a|b",
            &["as -3.5"],
        ),
        Case::table(
            "negatives of accountants",
            "v,w\n\"(1,234)\",a\n500,b\n",
            "v:number=-1234|500 w:category=a|b",
            &["as -1234"],
        ),
        Case::table("decimal commas", "v;w\n1,5;a\n2,25;b\n", "v:number=1.5|2.25 w:category=a|b", &["decimal comma"]),
        Case::table(
            "decimal commas in quotes",
            "v,w\n\"1,5\",a\n\"2,25\",b\n",
            "v:number=1.5|2.25 w:category=a|b",
            &["decimal comma"],
        ),
        Case::table(
            "points here, commas there",
            "v;w\n1.5;1,5\n2.5;2,5\n",
            "v:number=1.5|2.5 w:number=1.5|2.5",
            &[&style("1234,5")],
        ),
        Case::table("exponents", "v,w\n1e3,a\n-2.5E-2,b\n", "v:number=1000|-0.025 w:category=a|b", &[]),
        Case::table("plus signs and bare points", "v,w\n+7,a\n.5,b\n5.,c\n", "v:number=7|0.5|5 w:category=a|b|c", &[]),
        Case::table(
            "numbers in quotes",
            "\"v\",\"w\"\n\"1\",\"a\"\n\"2.5\",\"b\"\n",
            "v:number=1|2.5 w:category=a|b",
            &[],
        ),
        Case::table(
            "infinity",
            "v,w\n1,a\ninf,b\n3,c\n",
            "v:number=1|-|3 w:category=a|b|c",
            &["1 cell is read as missing (\"inf\" in line 3)"],
        ),
        Case::table(
            "negative infinity",
            "v,w\n1,a\n-Infinity,b\n3,c\n",
            "v:number=1|-|3 w:category=a|b|c",
            &["\"-Infinity\" in line 3"],
        ),
        Case::table(
            "a number beyond all",
            "v,w\n1,a\n1e999,b\n3,c\n",
            "v:number=1|-|3 w:category=a|b|c",
            &["\"1e999\" in line 3"],
        ),
        Case::table(
            "large whole numbers",
            "v,w\n9007199254740993,a\n5,b\n5,c\n",
            "v:number=9.007199254740992e15|5|5 w:category=a|b|c",
            &["1 whole number beyond 2^53 is rounded", "type v=id"],
        ),
        Case::table(
            "large keys",
            rows("key,w", 25, |i| format!("90071992547409{},{}", 930 + i, ["a", "b"][i % 2])),
            "key:id=90071992547409930|90071992547409931|90071992547409932|90071992547409933|90071992547409934|90071992547409935|+19 w:category=a|b|a|b|a|b|+19",
            &[ID],
        ),
        Case::table(
            "flags in words",
            "v,w\ntrue,1\nfalse,2\ntrue,3\n",
            "v:category=true|false|true w:number=1|2|3",
            &[],
        ),
        Case::table("flags in letters", "v,w\nY,1\nN,2\nY,3\nN,4\n", "v:category=Y|N|Y|N w:number=1|2|3|4", &[]),
        Case::table(
            "levels with a plus",
            rows("kids,w", 20, |i| format!("{},{}", ["0", "3+"][i % 2], i % 3)),
            "kids:category=0|3+|0|3+|0|3+|+14 w:number=0|1|2|0|1|2|+14",
            &[],
        ),
        Case::table(
            "mostly numbers, and some words",
            rows("v,w", 20, |i| if i % 4 == 0 { "few,1".into() } else { format!("{i},2") }),
            "v:category=few|1|2|3|few|5|+14 w:number=1|2|2|2|1|2|+14",
            &["is read as a category: 15 of 20 cells are numbers, \"few\" in line 2 is not"],
        ),
        Case::table(
            "telephones",
            "v,w\n030 123 456,1\n040 123 456,2\n",
            "v:category=030 123 456|040 123 456 w:number=1|2",
            &[],
        ),
        Case::table(
            "codes of an area in parentheses",
            "v,w\n(030),1\n(040),2\n(030),3\n",
            "v:category=(030)|(040)|(030) w:number=1|2|3",
            &[],
        ),
        Case::table("versions", "v,w\n1.2.3,1\n1.12.10,2\n", "v:category=1.2.3|1.12.10 w:number=1|2", &[]),
        Case::table("times of the day", "v,w\n12:30,1\n13:45,2\n", "v:category=12:30|13:45 w:number=1|2", &[]),
    ];
    for gap in
        ["-", "--", ".", "...", "unknown", "Unknown", "none", "missing", "n.a.", "n/d", "\u{2013}", "not available"]
    {
        let text = rows("v,w", 12, |i| if i == 4 { format!("{gap},x") } else { format!("{}.5,x", i) });
        let expected = "v:number=0.5|1.5|2.5|3.5|-|5.5|+6 w:category=x|x|x|x|x|x|+6";
        let said = format!("1 cell is read as missing ({gap:?} in line 6)");
        cases.push(Case::table(format!("{gap} between numbers"), text, expected, &[&said]));
    }
    for gap in ["#N/A", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!"] {
        let text = rows("v,w", 12, |i| if i == 4 { format!("{gap},x") } else { format!("{}.5,{gap}", i) });
        let expected = "v:number=0.5|1.5|2.5|3.5|-|5.5|+6 w:category=-|-|-|-|x|-|+6";
        let said = format!("1 cell is read as missing ({gap:?} in line 6)");
        let others = format!("11 cells that are errors of a spreadsheet are read as missing (first {gap:?} in line 2)");
        cases.push(Case::table(format!("{gap} of a spreadsheet"), text, expected, &[&said, &others]));
    }
    for gap in ["?", "NA", "N/A", "na", "n/a", "NaN", "nan", "NULL", "null", "None", "NaT", "<NA>", ""] {
        let text = format!("v,w\n1,x\n{gap},y\n3,{gap}\n");
        cases.push(Case::table(format!("{gap:?} for a gap"), text, "v:number=1|-|3 w:category=x|y|-", &[]));
    }
    cases
}

/// Dates of all kinds, each two days.
fn dates() -> Vec<Case> {
    let both = "d:date=2023-12-31|2023-02-01 v:number=1|2";
    let dmy = "dates are read as day, month, year";
    let mdy = "dates are read as month, day, year";
    let case =
        |name: &str, a: &str, b: &str, said: &[&str]| Case::table(name, format!("d;v\n{a};1\n{b};2\n"), both, said);
    vec![
        case("ISO", "2023-12-31", "2023-02-01", &[]),
        case("points", "31.12.2023", "01.02.2023", &[dmy]),
        case("points without zeros", "31.12.2023", "1.2.2023", &[dmy]),
        case("points and short years", "31.12.23", "01.02.23", &[dmy]),
        case("American", "12/31/2023", "02/01/2023", &[mdy]),
        case("American, short", "12/31/23", "2/1/23", &[mdy]),
        case("British", "31/12/2023", "01/02/2023", &[dmy]),
        case("hyphens", "31-12-2023", "01-02-2023", &[dmy]),
        case("year first", "2023/12/31", "2023/02/01", &["dates are read as year, month, day"]),
        case("names of months", "31 Dec 2023", "1 Feb 2023", &[dmy]),
        case("names of months with hyphens", "31-Dec-23", "01-Feb-23", &[dmy]),
        case("names of months in front", "Dec 31, 2023", "February 1, 2023", &[mdy]),
        case("points, days below 13 beside others", "31.12.2023", "01.02.2023", &[dmy]),
        Case::table(
            "points that fit two orders",
            "d;v\n01.02.2023;1\n03.04.2023;2\n",
            "d:date=2023-02-01|2023-04-03 v:number=1|2",
            &[dmy],
        ),
        Case::table(
            "another column shows the order",
            "d;e\n01/02/2023;13/02/2023\n03/04/2023;14/02/2023\n",
            "d:date=2023-02-01|2023-04-03 e:date=2023-02-13|2023-02-14",
            &[dmy],
        ),
        Case::table(
            "ISO with times and zones",
            "d,v\n2023-01-01T00:00:00Z,1\n2023-01-01T02:00:00+01:00,2\n",
            "d:date=2023-01-01|2023-01-01T01:00:00Z v:number=1|2",
            &[],
        ),
        Case::table(
            "ISO with blanks and fractions",
            "d,v\n2023-01-01 10:00:00.5,1\n2023-01-02,2\n",
            "d:date=2023-01-01T10:00:00.5Z|2023-01-02 v:number=1|2",
            &[],
        ),
        Case::table(
            "with the time in the afternoon",
            "d,v\n12/31/2023 2:30 PM,1\n1/1/2024 12:00 AM,2\n",
            "d:date=2023-12-31T14:30:00Z|2024-01-01 v:number=1|2",
            &[mdy],
        ),
        Case::table(
            "a gap among dates",
            "d,v\n2023-12-31,1\n,2\n-,3\n2023-02-01,4\n",
            "d:date=2023-12-31|-|-|2023-02-01 v:number=1|2|3|4",
            &["read as missing"],
        ),
        Case::table(
            "the first of every month",
            "d,v\n1/1/2023,1\n2/1/2023,2\n3/1/2023,3\n",
            "d:date=2023-01-01|2023-02-01|2023-03-01 v:number=1|2|3",
            &[mdy],
        ),
        Case::table("years alone stay numbers", "d,v\n2021,1\n2022,2\n", "d:number=2021|2022 v:number=1|2", &[]),
        Case::table("quarters are words", "d,v\n2021Q1,1\n2021Q2,2\n", "d:category=2021Q1|2021Q2 v:number=1|2", &[]),
    ]
}

/// Columns that name the rows, and those that only look so.
fn ids() -> Vec<Case> {
    let table = |name: &str, first: &dyn Fn(usize) -> String| {
        rows(&format!("{name},x,c"), 24, |i| format!("{},{}.5,{}", first(i), 7 * i % 5, ["u", "v"][i % 2]))
    };
    let rest = "x:number=0.5|2.5|4.5|1.5|3.5|0.5|+18 c:category=u|v|u|v|u|v|+18";
    let is = |kind: &str, name: &str, cells: &str| format!("{name}:{kind}={cells}|+18 {rest}");
    vec![
        Case::table("Id", table("Id", &|i| i.to_string()), is("id", "Id", "0|1|2|3|4|5"), &[ID]),
        Case::table(
            "customer_id, in no order",
            table("customer_id", &|i| (7919 * (i + 1) % 1000).to_string()),
            is("id", "customer_id", "919|838|757|676|595|514"),
            &[ID],
        ),
        Case::table(
            "PassengerId",
            table("PassengerId", &|i| (i + 1).to_string()),
            is("id", "PassengerId", "1|2|3|4|5|6"),
            &[ID],
        ),
        Case::table("row", table("row", &|i| (2 * i).to_string()), is("id", "row", "0|2|4|6|8|10"), &[ID]),
        Case::table(
            "the first column counts",
            table("case", &|i| (i + 1).to_string()),
            is("id", "case", "1|2|3|4|5|6"),
            &[ID],
        ),
        Case::table(
            "codes",
            table("CustomerNo", &|i| format!("C-{}", 100 + i)),
            is("id", "CustomerNo", "C-100|C-101|C-102|C-103|C-104|C-105"),
            &[ID],
        ),
        Case::table(
            "codes by any name",
            table("code", &|i| format!("C-{}", 100 + i)),
            is("id", "code", "C-100|C-101|C-102|C-103|C-104|C-105"),
            &[ID],
        ),
        Case::table(
            "uuid",
            table("uuid", &|i| format!("{i:08x}-0000")),
            is("id", "uuid", "00000000-0000|00000001-0000|00000002-0000|00000003-0000|00000004-0000|00000005-0000"),
            &[ID],
        ),
        Case::table(
            "years are no ids",
            table("year", &|i| (2000 + i).to_string()),
            is("number", "year", "2000|2001|2002|2003|2004|2005"),
            &[],
        ),
        Case::table(
            "steps of time are no ids",
            table("time", &|i| i.to_string()),
            is("number", "time", "0|1|2|3|4|5"),
            &[],
        ),
        Case::table(
            "different prices are no ids",
            table("price", &|i| (100 + 13 * i).to_string()),
            is("number", "price", "100|113|126|139|152|165"),
            &[],
        ),
        Case::table(
            "measurements are no ids",
            table("mass", &|i| format!("{}.25", 10 + i)),
            is("number", "mass", "10.25|11.25|12.25|13.25|14.25|15.25"),
            &[],
        ),
        Case::table(
            "ids that repeat are none",
            table("store_id", &|i| (i / 2).to_string()),
            is("number", "store_id", "0|0|1|1|2|2"),
            &[],
        ),
    ]
}

/// Quotes, blanks and what else is in the text.
fn forms() -> Vec<Case> {
    let both = "a:number=1|2 b:category=x|y";
    vec![
        Case::table("the end mark of DOS", "a,b\r\n1,x\r\n2,y\x1a", both, &[]),
        Case::table("the end mark of DOS before a line end", "a,b\r\n1,x\r\n2,y\x1a\r\n", both, &[]),
        Case::table("the end mark of DOS in quotes", "a,b\n1,x\n2,\"y\x1a\"\n", both, &[]),
        Case::table("blank lines", "a,b\n\n1,x\n\n\n2,y\n\n", both, &[]),
        Case::table("blanks at the ends of lines", "a,b \n1,x \n2,y  \n", both, &[]),
        Case::table("no line end at the end", "a,b\n1,x\n2,y", both, &[]),
        Case::table("a line end in quotes", "a,b\n1,\"x\nz\"\n2,y\n", "a:number=1|2 b:category=x\nz|y", &[]),
        Case::table("a separator in quotes", "a,b\n1,\"x,z\"\n2,y\n", "a:number=1|2 b:category=x,z|y", &[]),
        Case::table("doubled quotes", "a,b\n1,\"say \"\"x\"\"\"\n2,y\n", "a:number=1|2 b:category=say \"x\"|y", &[]),
        Case::table("quotes within a word", "a,b\n1,6\" nail\n2,y\n", "a:number=1|2 b:category=6\" nail|y", &[]),
        Case::table("quotes that are letters, by tabs", "a\tb\n1\t\"x\n2\ty\n", "a:number=1|2 b:category=\"x|y", &[]),
        Case::table("several blanks", "a   b\n1   x\n2   y\n", both, &[]),
        Case::table("columns set with blanks", "   a  b\n   1  2\n  10 20\n", "a:number=1|10 b:number=2|20", &[]),
        Case::table("mixed line ends", "a,b\r\n1,x\n2,y\r\n", both, &[]),
        Case::table("a zero-width mark at the start", "\u{feff}a,b\n1,x\n2,y\n", both, &[]),
        Case::table("a column without values", "a,b,c\n1,,x\n2,,y\n", "a:number=1|2 b:number=-|- c:category=x|y", &[]),
        Case::table("a row without values", "a,b\n1,x\n,\n2,y\n", "a:number=1|-|2 b:category=x|-|y", &[]),
        Case::table(
            "missing in quotes among words",
            "a,b\n1,\"NA\"\n2,NA\n3,y\n",
            "a:number=1|2|3 b:category=NA|-|y",
            &[],
        ),
        Case::table(
            "leading zeros",
            "zip,v\n00501,1\n10115,2\n00501,3\n",
            "zip:number=501|10115|501 v:number=1|2|3",
            &["leading zeros"],
        ),
        Case::table("records of JSON", "{\"a\": 1, \"b\": \"x\"}\n{\"a\": 2, \"b\": \"y\"}\n", both, &[]),
        Case::table("an array of JSON", "[{\"a\": 1, \"b\": \"x\"},\n {\"a\": 2, \"b\": \"y\"}]", both, &[]),
        Case::table(
            "records with gaps",
            "{\"a\": 1}\n{\"a\": null, \"b\": \"y\"}\n",
            "a:number=1|- b:category=-|y",
            &[],
        ),
        Case::table(
            "totals that do not add up",
            "region,sales\nN,1\nS,2\nW,3\nE,4\nTotal,11\n",
            "region:category=N|S|W|E|Total sales:number=1|2|3|4|11",
            &["the last line (6) has \"Total\""],
        ),
        Case::table(
            "prose",
            rows("t,v", 20, |i| format!("this is text number {i},{}", i % 3)),
            "t:text=this is text number 0|this is text number 1|this is text number 2|this is text number 3|this is text number 4|this is text number 5|+14 v:number=0|1|2|0|1|2|+14",
            &[],
        ),
        Case::table(
            "many columns",
            "a,b,c,d,e,f,g\n1,2,3,4,5,6,x\n1,2,3,4,5,6,y\n",
            "a:number=1|1 b:number=2|2 c:number=3|3 d:number=4|4 e:number=5|5 f:number=6|6 g:category=x|y",
            &[],
        ),
        Case::table("words that begin with a mark", "tag,n\n#a,1\n#b,2\n", "tag:category=#a|#b n:number=1|2", &[]),
    ]
}

/// All of them.
pub fn cases() -> Vec<Case> {
    [headers(), numbers(), dates(), ids(), forms()].into_iter().flatten().collect()
}
