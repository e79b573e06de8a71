//! Specs read and written: drawn round trips, all words of the catalog, errors with their place.

use super::*;
use crate::{
    Dataset, EmptyCatalog, Error, Fitted, Machine, Needs, NumberOr, Plan, Record, Run, Size, Traits, Wanted, Weighting,
};
use std::sync::Arc;

crate::choices! {
    /// Words beside a number.
    pub enum Word {
        /// One.
        Auto = "auto",
        /// Another.
        Wide = "wide" | "broad",
    }
}

crate::settings! {
    /// A learner proper.
    pub struct Toy {
        /// how many
        pub k: usize = 5, in Range::AtLeast(1.0), as "n_neighbors";
        /// strength
        pub penalty: f64 = 1.0, in Range::Positive, as "1/C";
        /// sizes
        pub sizes: Vec<f64> = vec![], in Range::Any;
        /// a text
        pub note: String = String::new(), in Range::Any;
        /// a number or a word
        pub width: NumberOr<Word> = NumberOr::Word(Word::Auto), in Range::Positive;
        /// loud
        pub loud: bool = false, in Range::Any;
        /// the learner that does the work
        pub held: Spec = Spec::named("toy"), in Range::Any;
    }
}

crate::settings! {
    /// A step.
    pub struct Move {
        /// how
        pub how: String = String::new(), in Range::Any;
        /// by how much
        pub by: Vec<f64> = vec![], in Range::Any;
        /// back
        pub back: bool = false, in Range::Any;
    }
}

crate::settings! {
    /// A step with a name that another one continues.
    pub struct MoveFar {
        /// how far
        pub far: f64 = 1.0, in Range::Any;
    }
}

crate::settings! {
    /// A step without settings.
    pub struct Still {
    }
}

macro_rules! learners {
    ($($type:ident $name:literal),+) => {
        $(impl Learner for $type {
            fn name(&self) -> &'static str {
                $name
            }
            fn traits(&self) -> Traits<'_> {
                let targets = Wanted::Nothing;
                Traits::new(Needs { targets, table: false, missing: true, weights: Weighting::None })
            }
            fn learn(&self, _: &Dataset, _: Option<&Record>, _: &Run<'_>) -> Result<Fitted> {
                Err(Error::Cancelled)
            }
            fn plan(&self, _: &Size) -> Plan {
                Plan { fit: 0.0, predict: 0.0, bytes: 0.0, advice: None }
            }
        })+
    };
}

learners!(Toy "toy", Move "move", MoveFar "move-far", Still "still");

crate::settings! {
    /// A wrapping step.
    pub struct Twice {
        /// how often
        pub times: usize = 2, in Range::AtLeast(1.0);
    }
}

impl Wrapping for Twice {
    fn name(&self) -> &'static str {
        "twice"
    }
    fn around(&self, learner: Box<dyn Learner>) -> Box<dyn Learner> {
        // That it was there can be told by the second pipeline.
        Box::new(Pipeline { steps: vec![Box::new(Still {}), learner] })
    }
    fn boxed(&self) -> Box<dyn Wrapping> {
        Box::new(self.clone())
    }
    fn makes_rows(&self) -> bool {
        true
    }
    fn splits_rows(&self) -> bool {
        false
    }
    fn takes_tables(&self) -> bool {
        false
    }
}

struct Toys;

impl Catalog for Toys {
    fn learner(&self, name: &str) -> Result<Box<dyn Learner>> {
        Ok(match name {
            "toy" | "plaything" => Box::new(Toy::default()),
            "move" => Box::new(Move::default()),
            "move-far" => Box::new(MoveFar::default()),
            "still" => Box::new(Still {}),
            "twice" => return Err(Error::parameter("machine", name, "is a step")),
            _ => {
                let near = crate::nearest(name, self.names()).unwrap_or("nothing");
                return Err(Error::parameter("machine", name, format!("no such machine; did you mean {near}?")));
            }
        })
    }

    fn machine(&self, record: &Record) -> Result<Arc<dyn Machine>> {
        EmptyCatalog.machine(record)
    }

    fn part(&self, name: &str) -> Result<SpecPart> {
        Ok(match name {
            "twice" => SpecPart::Wrapper(Box::new(Twice::default())),
            "move" | "move-far" | "still" => SpecPart::Step(self.learner(name)?),
            _ => SpecPart::Learner(self.learner(name)?),
        })
    }

    fn names(&self) -> Vec<&'static str> {
        vec!["toy", "move", "move-far", "still", "twice"]
    }
}

fn parsed(text: &str) -> Spec {
    Spec::parse(text, &Toys).unwrap()
}

fn says(text: &str) -> String {
    Spec::parse(text, &Toys).unwrap_err().to_string()
}

#[test]
fn the_grammar_means_what_it_says() {
    let written = |text: &str| parsed(text).to_string();
    for text in [
        "toy",
        "toy=3",
        "toy:k=3:penalty=0.5",
        "toy:sizes=\"10,20\":k=2",
        "still,twice=3,move=up:by=4,toy:k=1",
        "(move=up,still),toy",
        "toy:held=(still,toy:k=2:held=(toy=9))",
        "toy:held=move:loud",
        "move:by=\"1,2\",toy:note=\"a, (b): \"\"c\"\"\"",
        "move-far=2,toy:width=wide",
    ] {
        assert_eq!(written(text), text);
    }
    for (text, own) in [
        (" plaything : n_neighbors = 3 ", "toy:k=3"),
        ("toy:C=4", "toy:penalty=0.25"),
        ("toy:k=1:k=2", "toy:k=2"),
        ("toy:loud=yes:width=broad", "toy:loud:width=wide"),
        ("toy:loud=no:width=0.50", "toy:loud=false:width=0.5"),
        ("move=far:far=3,toy", "move-far:far=3,toy"),
        ("((toy:k=3))", "toy:k=3"),
        ("still,(still,toy)", "still,still,toy"),
        // A comma belongs to a learner proper: it begins a setting or is part of a value.
        ("still,toy:k=10,penalty=0.1", "still,toy:k=10:penalty=0.1"),
        ("toy,k=2", "toy:k=2"),
        ("toy:sizes=1,2,3,k=4", "toy:sizes=\"1,2,3\":k=4"),
        ("toy:note=a,k=3", "toy:note=\"a,k=3\""),
        // Signs in the middle of a plain text are part of it.
        ("move=my(1).onnx@\"x\",toy", "move=\"my(1).onnx@\"\"x\"\"\",toy"),
    ] {
        assert_eq!(written(text), own, "{text}");
        assert_eq!(parsed(own), parsed(text), "{text}");
    }
    assert_eq!(spec_words("a=1:b=\"x,y\", (c,d) ,,e=(f,g):h"), ["a=1:b=\"x,y\"", "(c,d)", "e=(f,g):h"]);
}

fn spec_words(text: &str) -> Vec<&str> {
    items(text)
}

#[test]
fn slips_are_named_with_their_place() {
    assert_eq!(says("toi"), "machine = toi: no such machine; did you mean toy?");
    assert_eq!(says("still,toi"), "machine = toi: no such machine; did you mean toy? (item 2: toi)");
    assert_eq!(
        says("toy:kk=3"),
        "setting = kk: no such setting; the settings are k, penalty, sizes, note, width, loud, held"
    );
    assert_eq!(says("toy:penalti=3"), "setting = penalti: no such setting; did you mean penalty?");
    assert_eq!(says("twice=0,toy"), "times = 0: must be at least 1 (item 1: twice=0)");
    assert_eq!(says("toy=x"), "k = x: must be a whole number");
    assert_eq!(says("toy:width=wied"), "width = wied: must be a number or one of auto, wide (wide?)");
    assert_eq!(says("toy:width=-1"), "width = -1: must be greater than 0");
    assert_eq!(says("still=3,toy"), "still = 3: has no settings (item 1: still=3)");
    assert_eq!(says("toy,still"), "machine = still: nothing comes after toy, which is not a step (item 1: toy)");
    assert_eq!(says("still,twice"), "machine = twice: is a step");
    assert_eq!(says("toy:held=(toy"), "machine = (toy: the parenthesis at its start is not closed");
    assert_eq!(says("toy:held=(toy:k=0)"), "k = 0: must be at least 1");
    assert!(says(&format!("{}toy", "toy:held=(".repeat(50))).contains("parenthes"));
    assert!(says(&format!("{}toy{}", "toy:held=(".repeat(50), ")".repeat(50))).contains("at most 32"));
    assert!(says("").contains("no such machine"));
    let alone = Toy::default().set_text("held", "toy").unwrap_err().to_string();
    assert!(alone.contains("give the run a catalog"), "{alone}");
}

#[test]
fn a_spec_is_built_as_a_list_is_folded() {
    let built = |text: &str| format!("{:?}", parsed(text).build(&Toys).unwrap());
    assert!(built("toy:k=3").starts_with("toy [(\"k\", Whole(3))"), "a bare learner stays bare");
    let spec = parsed("still,twice,move=up,toy:k=3");
    assert_eq!((spec.name.as_str(), spec.get("k"), spec.before.len()), ("toy", Some(&Value::Whole(3)), 3));
    let learner = spec.build(&Toys).unwrap();
    assert_eq!((learner.name(), learner.get("k")), ("toy", Ok(Value::Whole(3))));
    let parts: Vec<SpecPart> = spec.before.iter().map(|step| step.part(&Toys).unwrap()).collect();
    assert!(matches!(&parts[..], [SpecPart::Step(_), SpecPart::Wrapper(_), SpecPart::Step(_)]));
    assert!(matches!(parsed("(still,move),toy").before[0].part(&Toys), Ok(SpecPart::Step(_))));
    assert!(Spec::named("toy").with("k", Value::Text("x".into())).build(&Toys).is_err());
}

#[test]
fn a_learner_that_holds_a_learner_is_set_from_text_stored_and_read_back() {
    let mut toy = Toy::default();
    toy.set_text_with("held", "still,toy:k=7,width=0.5", &Toys).unwrap();
    assert_eq!(toy.held, parsed("still,toy:k=7:width=0.5"));
    assert_eq!(toy.held.build(&Toys).unwrap().get("width"), Ok(Value::Number(0.5)));
    let spec = Spec::of(&toy);
    let back = Spec::read(&spec.record()).unwrap();
    assert_eq!(back, spec);
    assert_eq!(format!("{:?}", back.build(&Toys).unwrap()), format!("{:?}", &toy as &dyn Learner));
    assert_eq!(parsed(&spec.to_string()).settings, spec.settings);
    let mut other = Toy::default();
    other.set("held", toy.get("held").unwrap()).unwrap();
    assert_eq!(other.held, toy.held);
    assert!(other.set("held", Value::Text("toy".into())).is_err());
    assert!(Spec::read(&Record::new("spec", 1)).is_err());
}

/// A spec drawn by digits of a seed, nested at most so deep.
fn drawn(seed: &mut u64, depth: usize, step: bool) -> Spec {
    let mut next = |n: u64| {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 33) % n
    };
    const TEXTS: [&str; 8] = ["", "up", "a,b", "x:y=1", "(odd", "say \"so\"", " blank ", "é,ü"];
    let name = if step { ["move", "still", "twice", "move-far"][next(4) as usize] } else { "toy" };
    let mut spec = Spec::named(name);
    let numbers = |n: u64| (0..n).map(|i| i as f64 / 3.0 - 0.25).collect::<Vec<_>>();
    let mut given: Vec<(&str, Value)> = match name {
        "toy" => vec![
            ("k", Value::Whole(1 + next(9) as i64)),
            ("penalty", Value::Number((1 + next(99)) as f64 * 1e-7)),
            ("sizes", Value::List(numbers(next(4)))),
            ("note", Value::Text(TEXTS[next(8) as usize].into())),
            ("width", if next(2) == 0 { Value::Text("wide".into()) } else { Value::Number(0.1) }),
            ("loud", Value::Flag(next(2) == 0)),
        ],
        "move" => vec![
            ("how", Value::Text(TEXTS[next(8) as usize].into())),
            ("by", Value::List(numbers(next(4)))),
            ("back", Value::Flag(next(2) == 0)),
        ],
        "twice" => vec![("times", Value::Whole(1 + next(5) as i64))],
        "move-far" => vec![("far", Value::Number(-1.5))],
        _ => vec![],
    };
    spec.short = !given.is_empty() && next(2) == 0;
    let kept = given.len().min(usize::from(spec.short) + next(7) as usize);
    given.truncate(kept);
    let (steps, hold) = (next(3), next(2) == 0);
    spec.settings = given.into_iter().map(|(name, value)| (name.to_string(), value)).collect();
    if depth > 0 && !step {
        spec.before = (0..steps).map(|_| drawn(seed, depth - 1, true)).collect();
        if hold {
            spec = spec.with("held", Value::Learner(drawn(seed, depth - 1, false)));
        }
    }
    spec
}

#[test]
fn what_is_written_is_read_back_equal() {
    let mut seed = 1;
    for _ in 0..2000 {
        let spec = drawn(&mut seed, 3, false);
        let text = spec.to_string();
        assert_eq!(Spec::parse(&text, &Toys).as_ref(), Ok(&spec), "{text}");
        assert_eq!(Spec::read(&spec.record()).as_ref(), Ok(&spec), "{text}");
        // Cut anywhere, it is a spec or an error.
        let cut = (seed >> 40) as usize % (text.len() + 1);
        if text.is_char_boundary(cut) {
            let again = Spec::parse(&text[..cut], &Toys).map(|s| Spec::parse(&s.to_string(), &Toys) == Ok(s));
            assert_ne!(again, Ok(false), "{}", &text[..cut]);
        }
    }
}
