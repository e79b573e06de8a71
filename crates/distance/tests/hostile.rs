//! Small data of shapes nobody plans for: very many columns. What costs the entries must not cost the
//! columns, and nothing may take minutes.

use pellucid_distance::Vq;
use testkit::{ends_within, wide_sparse};

#[test]
fn r6_vq_ends_on_sparse_rows_of_very_many_columns() {
    ends_within(30, &Vq::default(), &wide_sparse());
}
