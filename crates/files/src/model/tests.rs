//! Records survive the file; hostile files are refused.

use super::*;
use base::{Buffer, Field, Memory};

fn sample() -> Record {
    let leaf = |x: f64| {
        Record::new("leaf", 3)
            .with_array("means", &[2, 1], vec![x, f64::NAN])
            .with("offset", x)
            .with("ids", vec![7u32, u32::MAX])
    };
    Record::new("chain", 2)
        .with("machine", Record::new("forest", 1).with("parts", vec![leaf(-0.0), leaf(f64::INFINITY)]))
        .with_array("single", &[3], vec![1.5f32, f32::MIN_POSITIVE, -0.0])
        .with_array("empty", &[0, 4], Vec::<f64>::new())
        .with_array("scalar", &[], vec![0.1])
        .with("rows", vec![0u64, u64::MAX])
        .with("signed", vec![i64::MIN, -1, i64::MAX])
        .with("low", f64::NEG_INFINITY)
        .with("tiny", 5e-324)
        .with("long", 0.1 + 0.2)
        .with("big", i64::MIN)
        .with("yes", true)
        .with("name", "a \"quoted\"\n/slash % é \u{0}")
        .with("names", vec!["".to_string(), "x".to_string()])
        .with("none", Vec::<String>::new())
        .with("no parts", Vec::<Record>::new())
        .with_array("__metadata__", &[1], vec![1.0])
        .with_array("a/b%2F", &[1], vec![2.0])
        .with("", "no name")
}

/// Bits, since NaN differs from itself and -0.0 does not differ from 0.0.
fn bits(record: &Record) -> String {
    fn show(record: &Record, out: &mut String) {
        out.push_str(&format!("{} {} {{", record.kind(), record.version()));
        for (name, field) in record.fields() {
            out.push_str(&format!("{name:?}="));
            match field {
                Field::Number(x) => out.push_str(&format!("{:x}", x.to_bits())),
                Field::Array { shape, values: Buffer::F32(v) } => {
                    out.push_str(&format!("{shape:?}{:x?}", v.iter().map(|x| x.to_bits()).collect::<Vec<_>>()));
                }
                Field::Array { shape, values: Buffer::F64(v) } => {
                    out.push_str(&format!("{shape:?}{:x?}", v.iter().map(|x| x.to_bits()).collect::<Vec<_>>()));
                }
                Field::Part(part) => show(part, out),
                Field::Parts(parts) => parts.iter().for_each(|p| show(p, out)),
                other => out.push_str(&format!("{other:?}")),
            }
            out.push(';');
        }
        out.push('}');
    }
    let mut out = String::new();
    show(record, &mut out);
    out
}

fn read(bytes: &[u8]) -> Result<Record> {
    parse_model("m.pel", Arc::new(bytes.to_vec()), &Run::quiet(1))
}

/// A file of a head and numbers.
fn file(head: &str, numbers: &[u8]) -> Vec<u8> {
    [&(head.len() as u64).to_le_bytes()[..], head.as_bytes(), numbers].concat()
}

#[test]
fn everything_comes_back_bit_by_bit() {
    let bytes = model_bytes(&sample()).unwrap();
    assert_eq!(bytes, model_bytes(&sample()).unwrap());
    let back = read(&bytes).unwrap();
    assert_eq!(bits(&back), bits(&sample()));
    assert_eq!(model_bytes(&back).unwrap(), bytes);
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains(r#""machine/parts/1/means":{"dtype":"F64","shape":[2,1]"#), "{text}");
    assert!(!bits(&sample().with("x", 1.0)).eq(&bits(&sample())));
}

#[test]
fn random_numbers_come_back_exactly() {
    let seed = base::Seed(5);
    let mut record = Record::new("numbers", 1);
    for i in 0..20_000 {
        let a = (seed.at(2 * i).unit() * 4_294_967_296.0) as u64;
        let b = (seed.at(2 * i + 1).unit() * 4_294_967_296.0) as u64;
        record = record.with(&format!("{i:05}"), f64::from_bits(a << 32 | b));
    }
    let back = read(&model_bytes(&record).unwrap()).unwrap();
    for (name, field) in record.fields() {
        let (Field::Number(x), y) = (field, back.number(name).unwrap()) else { panic!() };
        assert!(x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan(), "{x:e} became {y:e}");
    }
}

#[test]
fn arrays_are_windows_on_aligned_files_and_copies_elsewhere() {
    let record = Record::new("a", 1).with_array("x", &[1000], vec![1.25; 1000]).with("ids", vec![3u32; 11]);
    let bytes = model_bytes(&record).unwrap();
    let run = Run { memory: Memory::limited(20_000), ..Run::quiet(1) };
    for shift in 0..8 {
        // An owner that starts `shift` bytes after an aligned place.
        struct Shifted(Vec<u8>, usize);
        impl AsRef<[u8]> for Shifted {
            fn as_ref(&self) -> &[u8] {
                &self.0[self.1..]
            }
        }
        let mut moved = vec![0; bytes.len() + 16];
        let start = moved.as_ptr().align_offset(8) + shift;
        moved[start..start + bytes.len()].copy_from_slice(&bytes);
        moved.truncate(start + bytes.len());
        let owner: Owner = Arc::new(Shifted(moved, start));
        let back = parse_model("m", owner, &run).unwrap();
        assert_eq!(back, record);
        let copied = [0, 8000 + 44, 8000 + 44, 8000 + 44, 8000, 8044, 8044, 8044][shift];
        assert_eq!(run.memory.used(), copied, "shift {shift}");
    }
}

#[test]
fn files_are_mapped_and_written_whole() {
    let folder = std::env::temp_dir().join(format!("pellucid-model-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("m.pel");
    let run = Run { memory: Memory::limited(1_100_000), ..Run::quiet(1) };
    let record = sample().with_array("large", &[100, 1000], vec![0.5; 100_000]);
    write_model(&path, &record, &run).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), model_bytes(&record).unwrap());
    let back = read_model(&path, &run).unwrap();
    assert_eq!(bits(&back), bits(&record));
    // The map is counted once, and nothing is copied.
    assert_eq!(run.memory.used(), std::fs::metadata(&path).unwrap().len());
    drop(back);
    assert_eq!(run.memory.used(), 0);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn wrong_shapes_and_deep_records_are_not_written() {
    assert!(model_bytes(&Record::new("a", 1).with_array("x", &[2], vec![1.0])).is_err());
    assert!(model_bytes(&Record::new("a", 1).with_array("x", &[usize::MAX, 2], vec![1.0])).is_err());
    let nest = |depth| (0..depth).fold(Record::new("a", 1), |r, _| Record::new("a", 1).with("p", vec![r]));
    let deepest = model_bytes(&nest(24)).unwrap();
    assert_eq!(read(&deepest), Ok(nest(24)));
    assert!(model_bytes(&nest(25)).is_err());
}

#[test]
fn hostile_files_are_refused_with_a_reason() {
    let meta = r#""__metadata__":{"format":"pellucid","version":"1","record":"{\"kind\":\"a\",\"version\":1,\"fields\":{\"x\":{\"array\":\"x\"}}}"}"#;
    let one = |x: &str| format!("{{{meta},\"x\":{x}}}");
    let good = r#"{"dtype":"F64","shape":[2],"data_offsets":[0,16]}"#;
    assert!(read(&file(&one(good), &[0; 16])).is_ok());
    let head = |length: u64| length.to_le_bytes().to_vec();
    let cases: Vec<(Vec<u8>, &str)> = vec![
        (vec![], "too few"),
        (head(u64::MAX), "at most"),
        (head(100_000_001), "at most"),
        (head(50), "truncated"),
        (file("[]", &[]), "not a JSON object"),
        (file("{", &[]), "not JSON"),
        (file("{}", &[]), "not a Pellucid model"),
        (file("{\"__metadata__\":{\"format\":1}}", &[]), "not text"),
        (file(&one(good).replace("\"version\":\"1\"", "\"version\":\"2\""), &[0; 16]), "use a newer one"),
        (file(&one(good).replace("\"version\":\"1\"", "\"version\":\"x\""), &[0; 16]), "use a newer one"),
        (file(&one(good).replace("record", "other"), &[0; 16]), "no record"),
        (file(&one(good), &[0; 15]), "lies at"),
        (file(&one(good), &[0; 17]), "the file at"),
        (file(&one(r#"{"dtype":"F64","shape":[2],"data_offsets":[8,24]}"#), &[0; 24]), "hole"),
        (file(&one(r#"{"dtype":"F64","shape":[3],"data_offsets":[0,16]}"#), &[0; 16]), "has shape"),
        (file(&one(r#"{"dtype":"F64","shape":[2],"data_offsets":[16,0]}"#), &[0; 16]), "lies at"),
        (file(&one(r#"{"dtype":"F64","shape":[4294967296,4294967296],"data_offsets":[0,16]}"#), &[0; 16]), "has shape"),
        (file(&one(r#"{"dtype":"F64","shape":[0,4294967296,4294967296],"data_offsets":[0,0]}"#), &[]), "has shape"),
        (file(&one(r#"{"dtype":"F64","shape":[-2],"data_offsets":[0,16]}"#), &[0; 16]), "negative"),
        (file(&one(r#"{"dtype":"F64","shape":[2.0],"data_offsets":[0,16]}"#), &[0; 16]), "whole numbers"),
        (file(&one(r#"{"dtype":"BF16","shape":[8],"data_offsets":[0,16]}"#), &[0; 16]), "of type \"BF16\""),
        (file(&one(r#"{"dtype":"F64","shape":[2],"data_offsets":[0,16],"call":1}"#), &[0; 16]), "unknown key"),
        (file(&one(&format!("{good},\"y\":{good}")), &[0; 16]), "overlap"),
        (file(&one(&format!("{good},\"x\":{good}")), &[0; 16]), "is duplicated"),
        (file(&one(good).replace("array\\\":\\\"x", "array\\\":\\\"y"), &[0; 16]), "does not exist"),
        (file(&format!("{{{}}}", meta.replace("{\\\"array\\\":\\\"x\\\"}", "null")), &[]), "no known type"),
        (file(&one(good).replace("{\\\"array\\\":\\\"x\\\"}", "1"), &[0; 16]), "belongs to no field"),
        (file(&format!("{{{}}}", meta.replace("\\\"version\\\":1", "\\\"version\\\":-1")), &[]), "not a version"),
    ];
    for (bytes, says) in cases {
        let error = read(&bytes).unwrap_err().to_string();
        assert!(error.contains(says) && error.starts_with("m.pel: "), "{error:?} does not say {says:?}");
    }
    // A record that would take more than the memory there is.
    let texts = format!(
        "{{\\\"kind\\\":\\\"a\\\",\\\"version\\\":1,\\\"fields\\\":{{\\\"t\\\":[{}\\\"\\\"]}}}}",
        "\\\"\\\",".repeat(10_000)
    );
    let bytes = file(&format!(r#"{{"__metadata__":{{"format":"pellucid","version":"1","record":"{texts}"}}}}"#), &[]);
    assert!(read(&bytes).is_ok());
    let run = Run { memory: Memory::limited(300_000), ..Run::quiet(1) };
    assert!(matches!(parse_model("m", Arc::new(bytes), &run), Err(Error::Memory { .. })));
}
