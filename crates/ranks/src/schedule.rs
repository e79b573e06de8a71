//! Who meets whom: rounds in which every pair meets once and nobody meets two at a time (a 1-factorisation of the complete
//! graph).
//!
//! Of k nodes with k even, node k − 1 stands in the centre and the others on a circle of m = k − 1. In round r the centre
//! meets r, and a meets b with a + b = 2r (mod m). With k odd there is no centre: m = k, and whoever meets itself rests.
//! (Numbers from 0; for odd k some prints take m = k − 1, which misses pairs.)
//!
//! **Use.** Classes of one machine meet in rounds, each pair with a worker of its own; so do machines, whose classes travel
//! in bundles.
//!
//! - E. Mendelsohn, A. Rosa: *One-factorizations of the complete graph: a survey.* J. Graph Theory 9 (1985) 43-65.

/// How many rounds `k` nodes need until every pair has met: k − 1 if k is even, k if it is odd, none for one node.
pub fn rounds(k: usize) -> usize {
    match k {
        0 | 1 => 0,
        _ => circle(k),
    }
}

/// Whom a node meets in a round, if anybody; nodes and rounds from 0.
pub fn partner(k: usize, node: usize, round: usize) -> Option<usize> {
    if node >= k || round >= rounds(k) {
        return None;
    }
    let (m, centre, even) = (circle(k), k - 1, k.is_multiple_of(2));
    if even && node == centre {
        return Some(round);
    }
    match (2 * round + m - node) % m {
        other if other != node => Some(other),
        // On the axis of the round: the centre's partner.
        _ => even.then_some(centre),
    }
}

/// The pairs (a, b), a < b, that meet in a round, by a.
pub fn pairs(k: usize, round: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..k).filter_map(move |a| partner(k, a, round).filter(|&b| a < b).map(|b| (a, b)))
}

/// Nodes on the circle.
fn circle(k: usize) -> usize {
    if k.is_multiple_of(2) { k.saturating_sub(1) } else { k }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_round_is_a_matching_and_every_pair_meets_once() {
        for k in 0..=60 {
            assert_eq!(rounds(k), if k < 2 { 0 } else { k - 1 + k % 2 }, "{k} nodes");
            let mut met = vec![0; k * k];
            for round in 0..rounds(k) {
                let mut resting = 0;
                for a in 0..k {
                    match partner(k, a, round) {
                        Some(b) => {
                            assert!(b != a && partner(k, b, round) == Some(a), "{k} nodes, round {round}: {a} and {b}");
                            met[a * k + b] += 1;
                        }
                        None => resting += 1,
                    }
                }
                assert_eq!(resting, k % 2, "{k} nodes, round {round}");
                assert_eq!(pairs(k, round).count(), k / 2);
            }
            assert!((0..k * k).all(|p| met[p] == usize::from(p / k != p % k)), "{k} nodes");
            assert_eq!(partner(k, 0, rounds(k)), None);
            assert_eq!(partner(k, k, 0), None);
        }
    }

    #[test]
    fn four_nodes_meet_as_one_would_write_it_down() {
        let all: Vec<Vec<(usize, usize)>> = (0..3).map(|r| pairs(4, r).collect()).collect();
        assert_eq!(all, [vec![(0, 3), (1, 2)], vec![(0, 2), (1, 3)], vec![(0, 1), (2, 3)]]);
    }
}
