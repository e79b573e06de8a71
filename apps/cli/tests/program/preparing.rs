//! Categories, text and pictures through the program: what is chosen, said, stored, and done to rows never seen.

use crate::{Folder, fails, ok, shared};
use std::fmt::Write as _;

/// A table of every kind: a category, a text, a number with gaps, a target that depends on category and text.
fn mixed(rows: usize) -> String {
    let mut text = String::from("color,note,size,target\n");
    for i in 0..rows {
        let color = ["red", "green", "blue"][i % 3];
        let word = if i % 2 == 0 { "good" } else { "bad" };
        let size = if i % 5 == 0 { String::new() } else { (i * i % 17).to_string() };
        let class = if i % 2 == 0 && i % 3 != 1 { "yes" } else { "no" };
        writeln!(text, "{color},\"a {word} thing number{i} came, that day\",{size},{class}").unwrap();
    }
    text
}

#[test]
fn categories_and_text_in_one_chain() {
    let folder = Folder::new("mixed");
    let (data, model) = (folder.write("d.csv", &mixed(120)), folder.file("m.pel"));
    let new = folder.write("new.csv", "color,note,size\nblue,a good day,3\nmauve,bad,\n");
    let fit =
        |prepare: &str| ok(&format!("fit logistic {} --prepare {prepare} -o {}", data.display(), model.display()));
    let predict = || format!("predict {} {}", model.display(), new.display());

    let said = fit("auto");
    assert!(
        said.contains("1 category column (color) becomes 3 one-hot columns; a level not seen in training is refused"),
        "{said}"
    );
    assert!(said.contains("1 text column (note) becomes tf-idf weights of the words"), "{said}");
    assert!(said.contains("standard scores with missing values at the mean, alongside the words"), "{said}");
    let refused = fails(&predict());
    assert!(refused.contains("row 2, column \"color\": the level \"mauve\" was not seen"), "{refused}");
    assert!(refused.contains("known are blue, green, red (--prepare one-hot=ignore"), "{refused}");

    for prepare in [
        "one-hot=ignore,tf-idf:numbers=scaled",
        "tf-idf,ordinal=ignore,impute,scale",
        "frequency=ignore,bag-of-words=binary,impute",
    ] {
        fit(prepare);
        assert_eq!(ok(&predict()), "prediction\nyes\nno\n", "{prepare}");
    }
    fit("ordinal:order=red<green<mauve<blue,tf-idf,impute");
    assert_eq!(ok(&predict()).lines().count(), 3);
    let twice = fails(&format!("fit logistic {} --prepare ordinal,one-hot", data.display()));
    assert!(twice.contains("ordinal already encodes categories"), "{twice}");
    let gone = fails(&format!("fit logistic {} --prepare tf-idf:min_df=200,impute", data.display()));
    assert!(gone.contains("column \"note\": none of its") && gone.contains("lower min_df"), "{gone}");
}

#[test]
fn reasons_are_told_before_and_after_a_fit() {
    let folder = Folder::new("reasons");
    let data = folder.write("d.csv", &mixed(120));
    let read = |line: String| serde_json::from_str::<serde_json::Value>(&ok(&line)).unwrap();
    let fitted = read(format!("fit logistic {} --json", data.display()));
    let inspected = read(format!("inspect {} --json", data.display()));
    assert_eq!(inspected["auto"]["target"], "target");
    assert_eq!(inspected["auto"]["steps"], fitted["reasons"]);
    assert_eq!(fitted["reasons"][0]["step"], fitted["preparation"][0]);
    assert_eq!(fitted["preparation"], serde_json::json!(["one-hot,tf-idf:numbers=scaled"]));
    // What auto wrote can be asked for.
    let asked = read(format!("fit logistic {} --prepare one-hot,tf-idf:numbers=scaled --json", data.display()));
    assert_eq!(asked["certificate"], fitted["certificate"]);
    let text = ok(&format!("inspect {}", data.display()));
    assert!(text.contains("--prepare auto if \"target\" is the target:\n  one-hot,tf-idf:numbers=scaled\n"), "{text}");
}

#[test]
fn spam_is_told_from_ham() {
    let Some(data) = shared("sms_spam/SMSSpamCollection.gz") else { return };
    for prepare in ["auto", "bag-of-words=binary:stem=english"] {
        let line = format!("fit logistic {} --target 0 --holdout 0.2 --prepare {prepare} --json", data.display());
        let fitted: serde_json::Value = serde_json::from_str(&ok(&line)).unwrap();
        let accuracy = fitted["score"]["accuracy"].as_f64().unwrap();
        assert!(accuracy > 0.96, "{prepare}: {accuracy}");
    }
}

#[test]
fn pictures_are_resized_and_cut() {
    let (Some(images), Some(labels)) =
        (shared("mnist/t10k-images-idx3-ubyte.gz"), shared("mnist/t10k-labels-idx1-ubyte.gz"))
    else {
        return;
    };
    let target = format!("--target {} --holdout 0.3 --json", labels.display());
    for prepare in ["resize=9x9,scale", "scale,resize=8x8,patches=4:stride=4"] {
        let fitted = ok(&format!("fit logistic {} {target} --prepare {prepare}", images.display()));
        let fitted: serde_json::Value = serde_json::from_str(&fitted).unwrap();
        let accuracy = fitted["score"]["accuracy"].as_f64().unwrap();
        assert!(accuracy > 0.85, "{prepare}: {accuracy}");
    }
    let large = fails(&format!("fit logistic {} {target} --prepare patches=29", images.display()));
    assert!(large.contains("fit into images of 28 x 28"), "{large}");
}

#[test]
fn a_folder_of_pictures_of_different_sizes() {
    let Some(source) = shared("test_images_skimage") else { return };
    let folder = Folder::new("pictures");
    for (class, names) in
        [("texture", ["brick.png", "grass.png", "gravel.png"]), ("thing", ["camera.png", "horse.png", "coins.png"])]
    {
        std::fs::create_dir_all(folder.file(&format!("all/{class}"))).unwrap();
        for name in names {
            std::fs::copy(source.join(name), folder.file(&format!("all/{class}/{name}"))).unwrap();
        }
    }
    let (all, model) = (folder.file("all"), folder.file("m.pel"));
    let told = ok(&format!("inspect {}", all.display()));
    assert!(
        told.contains("6 images (image) of") && told.contains("resized to the most common one, 512 x 512 x 1"),
        "{told}"
    );
    ok(&format!("fit logistic {} --prepare resize=8x6,scale -o {}", all.display(), model.display()));
    let predicted = ok(&format!("predict {} {}", model.display(), all.display()));
    for line in predicted.lines().skip(1) {
        let (file, class) = line.split_once(',').unwrap();
        assert!(file.starts_with(&format!("{class}/")), "{line}");
    }
    assert_eq!(predicted.lines().count(), 7);
    let unequal = fails(&format!("fit logistic {} --prepare none", all.display()));
    assert!(unequal.contains("differs in size") && unequal.contains("--prepare resize"), "{unequal}");
}
