//! The trained numbers of a graph by name, to be stored apart from it and put back.

use base::graph::{Graph, Tensor};
use base::{Error, Result, nearest};
use std::collections::BTreeMap;

/// The weights that may be trained, by name. Two of one name cannot be told apart and are an error.
pub fn named_weights(graph: &Graph) -> Result<BTreeMap<String, Tensor>> {
    let mut named = BTreeMap::new();
    for weight in graph.weights().iter().filter(|w| w.trained) {
        if named.insert(weight.name.clone(), weight.tensor.clone()).is_some() {
            return Err(Error::format("graph", format!("two weights are called {:?}", weight.name)));
        }
    }
    Ok(named)
}

/// The graph with other numbers in the weights of these names, each of the same shape and type.
///
/// Every name must be that of a weight that may be trained; weights that are not named stay as they are.
pub fn with_weights(graph: Graph, named: &BTreeMap<String, Tensor>) -> Result<Graph> {
    let known = named_weights(&graph)?;
    if let Some(name) = named.keys().find(|name| !known.contains_key(*name)) {
        let near = nearest(name, known.keys().map(String::as_str));
        let must = near.map_or("must be the name of a weight".to_string(), |n| format!("did you mean {n:?}?"));
        return Err(Error::parameter("weight", name, must));
    }
    let trained = |(i, w): (usize, &base::graph::Weight)| w.trained.then(|| (i, w.name.clone()));
    let places: Vec<(usize, String)> = graph.weights().iter().enumerate().filter_map(trained).collect();
    places.into_iter().try_fold(graph, |graph, (i, name)| match named.get(&name) {
        Some(tensor) => graph.with_weight(i, tensor.clone()),
        None => Ok(graph),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::graph::{Source, Weight};

    #[test]
    fn weights_go_out_and_come_back() {
        let weight = |name: &str, trained| Weight {
            name: name.into(),
            tensor: Tensor::f32([2], vec![1.0, 2.0]).unwrap(),
            trained,
        };
        let build = |weights| Graph::new(vec![], weights, vec![], vec![("y".into(), Source::Weight(0))]).unwrap();
        let graph = build(vec![weight("a", true), weight("b", false), weight("c", true)]);
        let mut named = named_weights(&graph).unwrap();
        assert_eq!(named.keys().collect::<Vec<_>>(), ["a", "c"]);
        named.insert("c".into(), Tensor::f32([2], vec![5.0, 6.0]).unwrap());
        let changed = with_weights(graph.clone(), &named).unwrap();
        assert_eq!(changed.weights()[2].tensor.to_f64(), [5.0, 6.0]);
        assert_eq!(changed.weights()[0], graph.weights()[0]);
        let wrong = |name: &str, tensor: Tensor| with_weights(graph.clone(), &[(name.to_string(), tensor)].into());
        assert!(wrong("b", Tensor::f32([2], vec![0.0; 2]).unwrap()).is_err());
        assert!(wrong("a", Tensor::f32([1], vec![0.0]).unwrap()).is_err());
        assert!(wrong("a", Tensor::f64([2], vec![0.0; 2]).unwrap()).is_err());
        assert!(named_weights(&build(vec![weight("a", true), weight("a", true)])).is_err());
    }
}
