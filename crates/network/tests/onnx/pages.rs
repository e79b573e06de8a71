//! What the page on ONNX says is what the program does.

use crate::golden::root;
use pellucid_network::operators;
use std::collections::BTreeSet;

/// The names in backquotes between two marks of the page.
fn named(mark: &str) -> BTreeSet<String> {
    let page = std::fs::read_to_string(root().join("docs/src/onnx.md")).unwrap();
    let part = page.split(&format!("<!-- {mark} -->")).nth(1).unwrap().split("<!-- end -->").next().unwrap();
    part.split('`').skip(1).step_by(2).map(str::to_string).collect()
}

#[test]
fn the_page_lists_the_operators_that_are_read() {
    let name = |o: pellucid_network::Operator| match o.domain {
        "" => o.name.to_string(),
        domain => format!("{domain}.{}", o.name),
    };
    let read: BTreeSet<String> = operators().into_iter().map(name).collect();
    assert_eq!(named("read"), read);
}

#[test]
fn the_page_lists_those_that_are_not() {
    let file = std::fs::read_to_string(root().join("golden/onnx/unsupported.txt")).unwrap();
    let missing: BTreeSet<String> = file.lines().skip(1).map(str::to_string).collect();
    assert_eq!(named("unsupported"), missing);
    assert!(named("read").is_disjoint(&missing));
}
