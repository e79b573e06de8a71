//! A run that was stopped goes on from its checkpoint as if it had not been, byte for byte.

use crate::toys::run;
use base::*;
use pellucid_network::train::*;
use pellucid_network::{Autoencoder, Mlp};
use std::sync::Mutex;

struct Kept(Mutex<Vec<Record>>);

impl Checkpoint for Kept {
    fn due(&self) -> bool {
        true
    }
    fn keep(&self, record: Record) -> Result<()> {
        self.0.lock().unwrap().push(record);
        Ok(())
    }
}

fn check(learner: &dyn Learner, data: &Dataset) {
    let kept = Kept(Mutex::new(vec![]));
    let whole = learner.fit(data, None, &Run { checkpoint: Some(&kept), ..run(5) }).unwrap();
    let records = kept.0.into_inner().unwrap();
    assert_eq!(records.len(), 6, "one for each epoch");
    for at in [0, 3] {
        let resumed = learner.fit(data, Some(&records[at]), &run(5)).unwrap();
        assert_eq!(resumed.machine.record(), whole.machine.record(), "resumed after epoch {}", at + 1);
        assert_eq!(resumed.certificate, whole.certificate);
    }
}

#[test]
fn checkpoints_go_on_byte_for_byte() {
    let data = testkit::toy_classes(4);
    let base = Training { epochs: 6, batch: 16, ..Training::default() };
    for training in [
        base.clone(),
        Training {
            optimizer: Optimizer::Sgd,
            schedule: Schedule::Cosine,
            rate: 0.1,
            averaging: Averaging::All,
            ..base.clone()
        },
        Training {
            optimizer: Optimizer::Nesterov,
            averaging: Averaging::Last,
            last: 3,
            validation: 0.2,
            ..base.clone()
        },
        Training {
            optimizer: Optimizer::Rprop,
            precision: Precision::F64,
            regularizer: Regularizer::L2,
            ..base.clone()
        },
        Training {
            optimizer: Optimizer::AdaGrad,
            order: Order::Random,
            local_rates: LocalRates::Curvature,
            ..base.clone()
        },
    ] {
        check(&Mlp { hidden: vec![7.0], dropout: 0.2, batch_norm: true, training, ..Mlp::default() }, &data);
    }
    check(&Mlp { training: base.clone(), ..Mlp::default() }, &testkit::toy_values(4));
    check(&Autoencoder { code: 1, training: base, ..Autoencoder::default() }, &data);
}

#[test]
fn a_machine_is_a_start_too_and_others_are_refused() {
    let data = testkit::toy_values(4);
    let mlp = Mlp { hidden: vec![6.0], training: Training { epochs: 5, ..Training::default() }, ..Mlp::default() };
    let first = mlp.fit(&data, None, &run(5)).unwrap();
    let cost = |fitted: &Fitted| fitted.certificate.objective.unwrap();
    let more = mlp.fit(&data, Some(&first.machine.record()), &run(6)).unwrap();
    assert!(cost(&more) < cost(&first), "{} {}", cost(&more), cost(&first));
    let other = Mlp { hidden: vec![7.0], ..mlp.clone() };
    let error = other.fit(&data, Some(&first.machine.record()), &run(5)).err().unwrap();
    assert!(error.to_string().contains("other layers"), "{error}");
}
