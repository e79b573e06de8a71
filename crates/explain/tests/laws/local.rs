//! LIME as its listing reads, and on segments of pictures.

use crate::{close, numbers, run};
use base::graph::{Draft, Op, Unary};
use base::{Features, Inputs, Outputs, Points, Result, Run, Seed, Shape};
use network::NetworkMachine;
use pellucid_explain::attribution::{self, Absent, Groups, Local};
use pellucid_explain::{Context, Method, Pieces, Question, QuickShift, Scored, Tuning, explain_with, to_unit};

/// A score that is no line: products of neighbours.
struct Products(usize);

impl Scored for Products {
    fn columns(&self) -> usize {
        self.0
    }

    fn values(&self, points: &Points, _: &Run<'_>) -> Result<Vec<f64>> {
        let line = |x: &[f64]| x.windows(2).map(|w| w[0] * w[1] + 0.3 * w[0]).sum();
        Ok(numbers(points).chunks_exact(self.0).map(line).collect())
    }

    fn gradients(&self, _: &Points, _: &Run<'_>) -> Result<(Vec<f64>, Vec<f64>)> {
        unreachable!("LIME asks for scores alone")
    }
}

/// The solution of a x = b by Gauss and Jordan.
fn solved(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    for i in 0..b.len() {
        let best = (i..b.len()).max_by(|&p, &q| a[p][i].abs().total_cmp(&a[q][i].abs())).unwrap();
        a.swap(i, best);
        b.swap(i, best);
        for j in (0..b.len()).filter(|&j| j != i) {
            let factor = a[j][i] / a[i][i];
            let line = a[i].clone();
            a[j].iter_mut().zip(line).for_each(|(x, y)| *x -= factor * y);
            b[j] -= factor * b[i];
        }
    }
    (0..b.len()).map(|i| b[i] / a[i][i]).collect()
}

#[test]
fn lime_by_its_listing() {
    let (d, side) = (12, 3);
    let groups = Groups::new(d, Some(Shape::Series { length: d, channels: 1 }), side);
    let (s, instead) = (groups.count, [0.25; 12]);
    assert_eq!(s, 4);
    let x: Vec<f64> = (0..2 * d).map(|i| Seed(3).at(i).unit() * 2.0 - 0.7).collect();
    let how = Local { samples: 60, width: 0.25, ridge: 0.7 };
    let absent = Absent { groups: &groups, instead: &instead };
    let points = Points::dense(x.clone(), 2, d).unwrap();
    let told = attribution::lime(&Products(d), &points, &absent, how, &run()).unwrap();
    // Random bits, the first row all ones.
    let seed = run().seed.fork("lime");
    let bit = |k: usize, g: usize| f64::from(u8::from(k == 0 || seed.at(k).at(g).unit() < 0.5));
    let features: Vec<Vec<f64>> = (0..how.samples).map(|k| (0..s).map(|g| bit(k, g)).collect()).collect();
    assert!(features.iter().any(|f| f.iter().sum::<f64>() == 0.0), "the guard is met: a row without any piece");
    for row in 0..2 {
        let own = &x[row * d..(row + 1) * d];
        // One unknown more for the intercept, which is not penalised.
        let (mut a, mut b) = (vec![vec![0.0; s + 1]; s + 1], vec![0.0; s + 1]);
        for f in &features {
            let hidden: Vec<f64> = (0..d).map(|c| if f[c / side] == 1.0 { own[c] } else { instead[c] }).collect();
            let y = Products(d).values(&Points::dense(hidden, 1, d).unwrap(), &run()).unwrap()[0];
            let length = |v: &[f64]| v.iter().map(|z| z * z).sum::<f64>().sqrt();
            let both: f64 = f.iter().zip(&features[0]).map(|(p, q)| p * q).sum();
            let cosine = if length(f) == 0.0 { 0.0 } else { both / (length(f) * length(&features[0])) };
            let weight = (-(1.0 - cosine).powi(2) / how.width.powi(2)).exp().sqrt();
            let z: Vec<f64> = f.iter().copied().chain([1.0]).collect();
            for i in 0..=s {
                b[i] += weight * z[i] * y;
                (0..=s).for_each(|j| a[i][j] += weight * z[i] * z[j]);
            }
        }
        (0..s).for_each(|i| a[i][i] += how.ridge);
        let found = solved(a, b);
        let spread: Vec<f64> = (0..d).map(|c| found[c / side]).collect();
        close(&numbers(&told.values)[row * d..(row + 1) * d], &spread, 1e-9, "lime");
    }
}

/// Sums of rectified pixels of a picture, as a network.
fn machine(height: usize, width: usize) -> NetworkMachine {
    let count = height * width * 3;
    let mut draft = Draft::rows(count);
    let weights: Vec<f64> = (0..count * 2).map(|i| Seed(8).at(i).unit() - 0.4).collect();
    let w = draft.weight("w", &[count, 2], weights).unwrap();
    let b = draft.weight("b", &[2], vec![0.1, -0.1]).unwrap();
    let dense = draft.node("dense", Op::Dense { transposed: false }, &[Draft::INPUT, w, b]);
    let y = draft.node("relu", Op::Unary(Unary::Relu), &[dense]);
    let features = Features::unnamed(count).shaped(Shape::Image { height, width, channels: 3 }).unwrap();
    let outputs = Outputs::values(["a", "b"].map(String::from).to_vec().into());
    NetworkMachine::new(draft.graph(y).unwrap(), features, outputs).unwrap()
}

#[test]
fn lime_hides_segments_of_pictures() {
    let (h, w) = (20, 24);
    let machine = machine(h, w);
    let byte = |i: usize| ((i / 3 / w / 7 * 83 + i / 3 % w / 9 * 57 + i % 3 * 20 + i / 1000 * 11) % 256) as f64;
    let pixels: Vec<f64> = (0..2 * h * w * 3).map(byte).collect();
    let points = Points::dense(pixels.clone(), 2, h * w * 3).unwrap();
    let how = QuickShift { kernel_size: 2.0, max_dist: 30.0, ratio: 0.5 };
    let ask = |rows: &Points, method, pieces| {
        let tuning =
            Tuning { samples: 40, patch: 5, kernel_size: 2.0, max_dist: 30.0, ratio: 0.5, pieces, ..Tuning::default() };
        let question = Question { method: Some(method), output: Some(0) };
        let context = Context { tuning, background: None };
        explain_with(&machine, &Inputs::Points(rows.clone()), question, &context, &run()).unwrap().relevance
    };
    for method in [Method::Lime, Method::KernelShap] {
        let told = numbers(&ask(&points, method, Pieces::Segments).values);
        let usual = numbers(&ask(&points, method, Pieces::Auto).values);
        assert_eq!(usual == told, method == Method::Lime, "{method:?}: segments are for lime alone");
        let patches = ask(&points, method, Pieces::Patches);
        assert_ne!(numbers(&patches.values), told);
        for (row, own) in told.chunks_exact(h * w * 3).enumerate() {
            let image = &pixels[row * h * w * 3..(row + 1) * h * w * 3];
            let cut = how.cut(&to_unit(image), (h, w, 3), &run()).unwrap();
            assert!(cut.count > 3, "{}", cut.count);
            let mut seen = vec![None; cut.count];
            for (place, pixel) in own.chunks_exact(3).enumerate() {
                assert!(pixel.iter().all(|r| r == &pixel[0]), "channels go together");
                assert_eq!(*seen[cut.of[place]].get_or_insert(pixel[0]), pixel[0], "a segment has one number");
            }
            assert!(seen.iter().flatten().any(|r| *r != 0.0));
            // Alone as beside another.
            assert_eq!(numbers(&ask(&points.slice(row..row + 1), method, Pieces::Segments).values), own);
        }
    }
    let shap = ask(&points, Method::KernelShap, Pieces::Segments);
    assert_eq!(shap.balance.as_ref().map(Vec::len), Some(2), "accounts of both rows");
    assert!(shap.balance.unwrap().iter().all(|b| b.open() < 1e-9));
}
