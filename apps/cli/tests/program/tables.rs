//! Tables as people have them: what the program makes of them and says.

use crate::{Folder, fails, ok, pellucid, run};
use std::path::Path;

/// What the program says on standard error, where it must succeed.
#[track_caller]
fn notes(line: &str) -> String {
    let output = run(line);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{line}\n{said}");
    said
}

/// Rows of a number, a category and a class that follows from them.
fn shop(rows: usize, price: impl Fn(usize) -> String) -> String {
    let row =
        |i: usize| format!("{};{};{}\n", price(i), ["red", "blue"][i % 2], if i % 40 < 20 { "no" } else { "yes" });
    "price;colour;buy\n".to_string() + &(0..rows).map(row).collect::<String>()
}

#[test]
fn d2_headers_with_doubled_and_empty_names() {
    let folder = Folder::new("d2");
    let rows: String = (0..40).map(|i| format!("{},{},red,{}\n", i % 7, i % 5, ["no", "yes"][i % 2])).collect();
    let doubled = folder.write("doubled.csv", &format!("a,a,colour,buy\n{rows}"));
    let said = notes(&format!("inspect {}", doubled.display()));
    assert!(said.contains("duplicate column names became \"a_2\""), "{said}");
    let rows: String = (0..40).map(|i| format!("{},{},\n", i % 7, ["no", "yes"][i % 2])).collect();
    let trailing = folder.write("trailing.csv", &format!("size,buy,\n{rows}"));
    let about = ok(&format!("inspect {}", trailing.display()));
    assert!(
        about.contains("40 rows, 2 columns") && about.contains("size: number") && about.contains("buy: category"),
        "{about}"
    );
}

#[test]
fn d4_a_typo_stops_a_fit_and_the_user_decides() {
    let folder = Folder::new("d4");
    let text = shop(80, |i| if i == 50 { "1o23".into() } else { format!("{}.5", i % 40) });
    let data = folder.write("shop.csv", &text);
    let line = format!("fit logistic {}", data.display());
    let error = fails(&line);
    assert!(error.contains("shop.csv:52:1: \"1o23\" is not a number, as 79 other cells are"), "{error}");
    assert!(error.contains("--missing '1o23'") && error.contains("--type price=text"), "{error}");
    assert!(notes(&format!("{line} --missing 1o23")).contains("target"));
    let about = ok(&format!("inspect {} --type price=category", data.display()));
    assert!(about.contains("price: category"), "{about}");
    let error = fails(&format!("inspect {} --type prize=category", data.display()));
    assert!(error.contains("has no column \"prize\", which is given a type; did you mean \"price\"?"), "{error}");
    let error = fails(&format!("inspect {} --type price=colour", data.display()));
    assert!(error.contains("must be COLUMN=TYPE"), "{error}");
}

#[test]
fn d5_a_model_reads_new_rows_as_it_was_taught() {
    let folder = Folder::new("d5");
    // 1.000 to 40.000 with points between the thousands, and a proof of the decimal comma.
    let text = shop(80, |i| format!("{}.000,5", i % 40 + 1));
    let data = folder.write("shop.csv", &text);
    let model = folder.file("m.pel");
    let said = notes(&format!("fit logistic {} -o {}", data.display(), model.display()));
    assert!(said.contains("column \"price\": numbers are read as 1.234,5"), "{said}");
    // Alone, 35.000 could be 35; and 2.000 could be 2.
    let new = folder.write("new.csv", "price;colour\n35.000;red\n2.000;blue\n");
    assert_eq!(ok(&format!("predict {} {}", model.display(), new.display())), "prediction\nyes\nno\n");
    let plain = folder.write("plain.csv", "price;colour\n35000;red\n2000;blue\n");
    assert_eq!(ok(&format!("predict {} {}", model.display(), plain.display())), "prediction\nyes\nno\n");
    let doubtful = folder.write("doubtful.csv", "v;w\n1,234;a\n5,678;b\n");
    let error = fails(&format!("inspect {}", doubtful.display()));
    assert!(error.contains("doubtful.csv:2:1: \"1,234\" may be 1234 or 1.234; say which"), "{error}");
    assert!(ok(&format!("inspect {} --decimal ,", doubtful.display())).contains("v: number, 1.234 to 5.678"));
    assert!(ok(&format!("inspect {} --decimal .", doubtful.display())).contains("v: number, 1234 to 5678"));
    let days = folder.write("days.csv", "d,v\n01/02/2023,1\n03/04/2023,2\n");
    assert!(fails(&format!("inspect {}", days.display())).contains("--date-format dmy"));
    let about = ok(&format!("inspect {} --date-format %m/%d/%Y", days.display()));
    assert!(about.contains("d: date, 2023-01-02 to 2023-03-04"), "{about}");
    assert!(
        fails(&format!("inspect {} --date-format never", days.display())).contains("must be dmy, mdy, ymd or a format")
    );
}

/// Rows to test by are read as the model was taught, so that a fit says what `score` says.
#[test]
fn d5_a_fit_tests_as_score_does() {
    let folder = Folder::new("d5-test");
    let data = folder.write("shop.csv", &shop(80, |i| format!("{}.000,5", i % 40 + 1)));
    let header = std::fs::read_to_string(&data).unwrap().lines().next().unwrap().to_string();
    // Alone, these would be read as 1 to 40.
    let text = shop(80, |i| format!("{}.000", i % 40 + 1));
    assert!(text.starts_with(&header), "{header}");
    let (test, model) = (folder.write("test.csv", &text), folder.file("m.pel"));
    let fitted =
        ok(&format!("fit logistic {} --test {} --json -o {}", data.display(), test.display(), model.display()));
    let fitted: serde_json::Value = serde_json::from_str(&fitted).unwrap();
    let scored = ok(&format!("score {} {} --json", model.display(), test.display()));
    let scored: serde_json::Value = serde_json::from_str(&scored).unwrap();
    assert_eq!(fitted["score"]["accuracy"], scored["accuracy"], "{fitted} / {scored}");
    assert!(scored["accuracy"].as_f64().unwrap() > 0.9, "{scored}");
    let error = fails(&format!("fit logistic {} --test nowhere.csv -o {}", data.display(), model.display()));
    assert!(error.contains("nowhere.csv"), "{error}");
}

#[test]
fn d6_row_numbers_are_left_out_and_said() {
    let folder = Folder::new("d6");
    let rows: String = (0..60).map(|i| format!("{},{}.5,{}\n", i + 1, i * 7 % 11, ["a", "b", "c"][i / 20])).collect();
    let data = folder.write("iris.csv", &format!("\"\",size,species\n{rows}"));
    let line = format!("fit tree {}", data.display());
    let said = notes(&line);
    assert!(said.contains("column \"0\": names the rows (id), which machines leave out"), "{said}");
    // By the row number alone the tree would be right everywhere.
    let honest = ok(&format!("{line} --holdout 0.3 --json"));
    let object: serde_json::Value = serde_json::from_str(&honest).unwrap();
    assert!(object["score"]["accuracy"].as_f64().unwrap() < 0.9, "{honest}");
    let kept = ok(&format!("{line} --type 0=number --holdout 0.3 --json"));
    let object: serde_json::Value = serde_json::from_str(&kept).unwrap();
    assert!(object["score"]["accuracy"].as_f64().unwrap() > 0.9, "{kept}");
    // A target that is asked for is no id.
    assert!(run(&format!("fit ridge {} --target 0", data.display())).status.success());
}

#[test]
fn d10_later_rows_are_not_strange_for_their_time() {
    let folder = Folder::new("d10");
    let log = |from: usize| -> String {
        let row = |i: usize| {
            format!(
                "2023-{:02}-{:02} {:02}:00:00,{}.5,{}\n",
                1 + i / 28 / 24 % 12,
                1 + i / 24 % 28,
                i % 24,
                i * 7 % 11,
                i * 5 % 13
            )
        };
        "timestamp,a,b\n".to_string() + &(from..from + 300).map(row).collect::<String>()
    };
    let (early, late) = (folder.write("early.csv", &log(0)), folder.write("late.csv", &log(3000)));
    let model = folder.file("m.pel");
    let output = run(&format!("fit one-class-svm {} -o {} --set nu=0.1", early.display(), model.display()));
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(told.contains("1 date column (timestamp) is left out: without a target"), "{told}");
    let scores = ok(&format!("predict {} {}", model.display(), late.display()));
    let strange = scores.lines().skip(1).filter(|l| l.starts_with("anomaly,")).count();
    assert!(strange < 150, "{strange} of 300 later rows are anomalous");
}

#[test]
fn d10_explanations_of_dates_name_the_column() {
    let folder = Folder::new("d10-explain");
    let row = |i: usize| {
        format!("2023-01-{:02} {:02}:00,{},{}\n", 1 + i / 24, i % 24, i % 3, if i % 24 < 12 { "am" } else { "pm" })
    };
    let data = folder.write("d.csv", &("when,x,half\n".to_string() + &(0..240).map(row).collect::<String>()));
    let model = folder.file("m.pel");
    let said = ok(&format!("fit logistic {} -o {}", data.display(), model.display()));
    assert!(said.contains("1 date column (when) becomes hour, weekday, month and days since the first row"), "{said}");
    let score: serde_json::Value =
        serde_json::from_str(&ok(&format!("score {} {} --json", model.display(), data.display()))).unwrap();
    assert!(score["accuracy"].as_f64().unwrap() > 0.95, "{score}");
    let told = ok(&format!("explain {} {} --rows 1", model.display(), data.display()));
    assert!(told.contains("when") && !told.contains("when: hour"), "{told}");
}

#[test]
fn d16_files_of_other_kinds() {
    let folder = Folder::new("d16");
    let lines: String =
        (0..40).map(|i| format!("{{\"size\": {}, \"buy\": \"{}\"}}\n", i % 10, ["no", "yes"][i % 2])).collect();
    let json = folder.write("d.jsonl", &lines);
    assert!(ok(&format!("inspect {}", json.display())).contains("data (json): 40 rows, 2 columns"));
    let model = folder.file("m.pel");
    ok(&format!("fit logistic {} -o {}", json.display(), model.display()));
    assert_eq!(ok(&format!("predict {} {}", model.display(), json.display())).lines().count(), 41);
    let page = folder.write("page.csv", "<!DOCTYPE html>\n<html><body>Not found</body></html>\n");
    assert!(fails(&format!("fit logistic {}", page.display())).contains("page.csv: is a web page (HTML)"));
    std::fs::write(folder.file("book.xlsx"), b"PK\x03\x04\x14\0\x06\0\x08\0[Content_Types].xml xl/workbook.xml")
        .unwrap();
    let error = fails(&format!("inspect {}", folder.file("book.xlsx").display()));
    assert!(error.contains("is an Excel workbook (.xlsx), which is not supported; save the sheet as CSV"), "{error}");
    let titled = folder.write("titled.csv", "Sales of 2023\n\na,b\n1,2\n3,4\n5,6\n");
    let said = notes(&format!("inspect {}", titled.display()));
    assert!(said.contains("lines 1 to 2 above the table are skipped"), "{said}");
}

#[test]
fn d25_clusterings_do_not_see_the_label() {
    let folder = Folder::new("d25");
    let rows: String = (0..60).map(|i| format!("{}.5,{}.25,{}\n", i * 7 % 11, i * 3 % 7, ["a", "b"][i % 2])).collect();
    let data = folder.write("d.csv", &format!("x,z,target\n{rows}"));
    let model = folder.file("m.pel");
    for machine in ["kmeans", "one-class-svm"] {
        let said = notes(&format!("fit {machine} {} -o {}", data.display(), model.display()));
        assert!(said.contains("column \"target\" is left out, for it is named like a target"), "{said}");
        let about = ok(&format!("inspect {}", model.display()));
        assert!(about.contains("takes 2 table columns: x, z"), "{about}");
        let output = run(&format!("score {} {}", model.display(), data.display()));
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!error.contains("\"target\": is missing"), "{error}");
        ok(&format!("predict {} {}", model.display(), data.display()));
        ok(&format!("fit {machine} {} --target none -o {}", data.display(), model.display()));
        assert!(ok(&format!("inspect {}", model.display())).contains("x, z, target"));
    }
}

#[test]
fn d35_inspect_shows_ranges_of_dates_and_is_short() {
    let folder = Folder::new("d35");
    let dates = folder.write("d.csv", "when,x\n2023-01-01,1\n2023-03-05,2\n2023-02-01,2\n");
    assert!(ok(&format!("inspect {}", dates.display())).contains("when: date, 2023-01-01 to 2023-03-05"));
    let names: Vec<String> = (0..500).map(|i| format!("c{i}")).collect();
    let row: Vec<String> = (0..500).map(|i| format!("{i}.5")).collect();
    let row = row.join(",");
    let wide = folder.write("wide.csv", &format!("{}\n{row}\n{row}\n", names.join(",")));
    let about = ok(&format!("inspect {}", wide.display()));
    assert!(
        about.lines().count() < 60 && about.contains("and 460 columns more: 460 number (--all shows them)"),
        "{about}"
    );
    assert!(ok(&format!("inspect {} --all", wide.display())).contains("c499: number"));
}

#[test]
fn d36_errors_say_file_line_and_rows_from_one() {
    let folder = Folder::new("d36");
    let data = folder.write("shop.csv", &shop(80, |i| format!("{}.5", i % 40)));
    let model = folder.file("m.pel");
    ok(&format!("fit logistic {} --prepare one-hot,scale -o {}", data.display(), model.display()));
    let new = folder.write("new.csv", "price;colour\n1.5;red\n\n2.5;red\n3.5;mauve\n");
    let error = fails(&format!("predict {} {}", model.display(), new.display()));
    assert!(error.contains("new.csv:5: row 3, column \"colour\": the level \"mauve\" was not seen"), "{error}");
    let piped = pellucid(&["predict".as_ref(), model.as_os_str(), "-".as_ref()])
        .stdin(std::fs::File::open(&new).unwrap())
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&piped.stderr).into_owned();
    assert!(error.contains("row 3, column \"colour\""), "{error}");
}

#[test]
fn d38_a_gap_at_prediction_is_told_with_its_line_and_what_to_do() {
    let folder = Folder::new("d38");
    let data = folder.write("shop.csv", &shop(80, |i| format!("{}.5", i % 40)));
    let model = folder.file("m.pel");
    let fit = format!("fit logistic {} -o {}", data.display(), model.display());
    ok(&fit);
    let new = folder.write("new.csv", "price;colour\n1.5;red\n;red\n");
    let error = fails(&format!("predict {} {}", model.display(), new.display()));
    assert!(error.contains("new.csv:3: row 2, column \"price\": is missing"), "{error}");
    assert!(error.contains("--prepare impute,auto"), "{error}");
    ok(&format!("{fit} --prepare impute,auto"));
    assert_eq!(ok(&format!("predict {} {}", model.display(), new.display())).lines().count(), 3);
}

#[test]
fn d39_weights_are_named_as_their_column() {
    let folder = Folder::new("d39");
    let rows: String =
        (0..40).map(|i| format!("{},{},{}\n", i % 7, if i == 3 { -1.0 } else { 1.0 }, ["a", "b"][i % 2])).collect();
    let data = folder.write("d.csv", &format!("x,w,c\n{rows}"));
    let error = fails(&format!("fit logistic {} --weights w", data.display()));
    assert!(error.contains("d.csv:5: row 4, column \"w\": -1 is not a weight"), "{error}");
    let data = folder.write("zero.csv", &format!("x,w,c\n{}", rows.replace("-1", "0")));
    let told = ok(&format!("fit logistic {} --weights w", data.display()));
    assert!(told.starts_with("logistic fitted on 39 rows"), "{told}");
}

#[test]
fn d43_files_of_r_are_fitted() {
    let folder = Folder::new("d43");
    let rows: String = (0..40).map(|i| format!("\"{}\" {}.5 \"{}\"\n", i + 1, i % 10, ["a", "b"][i % 2])).collect();
    let data = folder.write("d.txt", &format!("\"x\" \"c\"\n{rows}"));
    let said = notes(&format!("fit logistic {}", data.display()));
    assert!(said.contains("the header is one field short"), "{said}");
    assert!(Path::new(&data).exists());
}
