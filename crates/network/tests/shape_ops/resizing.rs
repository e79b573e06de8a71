//! Resampling against the definition, over all dimensions at once.

use super::helper::*;
use base::graph::*;

#[derive(Clone, Copy)]
struct Way {
    resizing: Resizing,
    places: &'static str,
    rounding: &'static str,
    exclude: bool,
    smooth: bool,
}

fn op(way: Way) -> Op {
    Op::Resize {
        resizing: way.resizing,
        places: way.places.into(),
        rounding: way.rounding.into(),
        cubic: -0.75,
        exclude: way.exclude,
        smooth: way.smooth,
    }
}

/// The weights of all old elements of an axis for a new one, as the standard's reference text says.
fn weights(way: Way, n: usize, m: usize, scale: f64, i: usize) -> Vec<f64> {
    let i = i as f64;
    let x = match way.places {
        "half_pixel" => (i + 0.5) / scale - 0.5,
        "pytorch_half_pixel" => {
            if m > 1 {
                (i + 0.5) / scale - 0.5
            } else {
                0.0
            }
        }
        "asymmetric" => i / scale,
        _ => {
            if m == 1 {
                0.0
            } else {
                i * (n as f64 - 1.0) / (m as f64 - 1.0)
            }
        }
    };
    let mut all = vec![0.0; n];
    let clamp = |k: f64| k.clamp(0.0, n as f64 - 1.0) as usize;
    if way.resizing == Resizing::Nearest {
        let k = match way.rounding {
            "round_prefer_floor" => {
                if x - x.floor() <= 0.5 {
                    x.floor()
                } else {
                    x.ceil()
                }
            }
            "round_prefer_ceil" => {
                if x - x.floor() < 0.5 {
                    x.floor()
                } else {
                    x.ceil()
                }
            }
            "floor" => x.floor(),
            _ => x.ceil(),
        };
        all[clamp(k)] = 1.0;
        return all;
    }
    let s = if way.smooth { scale.min(1.0) } else { 1.0 };
    let a = -0.75;
    let filter = |t: f64| {
        let t = t.abs();
        match way.resizing {
            Resizing::Linear => f64::max(1.0 - t, 0.0),
            _ if t <= 1.0 => (a + 2.0) * t.powi(3) - (a + 3.0) * t.powi(2) + 1.0,
            _ if t < 2.0 => a * t.powi(3) - 5.0 * a * t.powi(2) + 8.0 * a * t - 4.0 * a,
            _ => 0.0,
        }
    };
    // Far enough on both sides that every filter has ended.
    let mut sum = 0.0;
    for k in -100..100 + n as i64 {
        let k = k as f64;
        let w = filter((k - x) * s);
        if way.exclude && (k < 0.0 || k >= n as f64) {
            continue;
        }
        sum += w;
        all[clamp(k)] += w;
    }
    if way.exclude || s < 1.0 {
        all.iter_mut().for_each(|w| *w /= sum);
    }
    all
}

#[test]
fn resampled_in_every_way() {
    let mut seed = 0;
    for resizing in [Resizing::Nearest, Resizing::Linear, Resizing::Cubic] {
        for places in ["half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"] {
            for rounding in ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"] {
                for (exclude, smooth) in [(false, false), (true, false), (false, true), (true, true)] {
                    let nearest = resizing == Resizing::Nearest;
                    if nearest && (exclude || smooth) || !nearest && rounding != "floor" {
                        continue;
                    }
                    let way = Way { resizing, places, rounding, exclude, smooth };
                    for by_size in [false, true] {
                        seed += 1;
                        let n = [1, 2, 1 + pick(seed, 0, 9), 1 + pick(seed, 1, 9)];
                        let x = reals(&n, seed);
                        let drawn = [
                            1.0,
                            1.0,
                            0.4 + 2.0 * pick(seed, 2, 16) as f64 / 10.0,
                            2.0 / (1 + pick(seed, 3, 4)) as f64,
                        ];
                        let m: Vec<usize> = n.iter().zip(drawn).map(|(&n, s)| (n as f64 * s) as usize).collect();
                        if by_size && m.contains(&0) {
                            continue;
                        }
                        let scale: Vec<f64> = match by_size {
                            true => n.iter().zip(&m).map(|(&n, &m)| m as f64 / n as f64).collect(),
                            false => drawn.to_vec(),
                        };
                        let inputs = match by_size {
                            true => {
                                let sizes: Vec<i64> = m.iter().map(|&m| m as i64).collect();
                                vec![In::Fed(x.clone()), In::Absent, In::Absent, list(&sizes)]
                            }
                            false => {
                                let scales = Tensor::f64([4], drawn.to_vec()).unwrap();
                                vec![In::Fed(x.clone()), In::Absent, In::Constant(scales)]
                            }
                        };
                        let rows: Vec<Vec<Vec<f64>>> = (0..4)
                            .map(|a| (0..m[a]).map(|i| weights(way, n[a], m[a], scale[a], i)).collect())
                            .collect();
                        check(&run(&op(way), &inputs), &m, 1e-12, |i| {
                            let weight = |j: &Vec<usize>| (0..4).map(|a| rows[a][i[a]][j[a]]).product::<f64>();
                            indices(&n).iter().map(|j| weight(j) * at(&x, j)).sum()
                        });
                        check_slopes(&op(way), &inputs, 1);
                    }
                }
            }
        }
    }
}

#[test]
fn sizes_follow_the_precision_of_the_scales() {
    let way =
        Way { resizing: Resizing::Nearest, places: "asymmetric", rounding: "floor", exclude: false, smooth: false };
    let scales = In::Constant(Tensor::f32([1], vec![0.7]).unwrap());
    let empty = In::Constant(Tensor::f32([0], vec![]).unwrap());
    let x = In::Fed(wholes(&[10], 0, 99, 1));
    assert_eq!(run(&op(way), &[x.clone(), empty.clone(), scales]).shape(), [7]);
    assert_eq!(run(&op(way), &[x, empty.clone(), empty, list(&[3])]).shape(), [3], "empty is absent");
}
