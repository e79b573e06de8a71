"""Types of the package; written by stubs.py, do not change by hand."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from os import PathLike
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import Bunch

from . import datasets as datasets

__version__: str
__all__: list[str]

class FitWarning(UserWarning): ...

class Certificate:
    converged: bool
    interrupted: bool
    steps: int
    objective: float | None
    gap_kind: str
    gap: float | None
    warnings: tuple[str, ...]
    facts: dict[str, Any]

class Machine:
    @property
    def outputs(self) -> dict[str, Any]: ...
    @property
    def inputs(self) -> dict[str, Any]: ...
    @property
    def certificate(self) -> dict[str, Any]: ...
    def record(self) -> bytes: ...
    @staticmethod
    def read(bytes: bytes) -> Machine: ...

class Explanation:
    values: Any
    features: list[str]
    scores: np.ndarray
    outputs: np.ndarray
    balance: dict[str, np.ndarray] | None
    method: str
    note: str | None
    def __len__(self) -> int: ...
    def to_pandas(self) -> Any: ...
    def plot(self, row: int = 0) -> str: ...

def compare(
    models: Sequence[BaseEstimator] | Mapping[str, BaseEstimator],
    X: Any,
    y: Any,
    *,
    folds: int = 5,
    repeats: int = 1,
    measure: str | None = None,
    path: str | PathLike[str] | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Bunch: ...
def estimators() -> list[type[BaseEstimator]]: ...
def explain(model: Any, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
def load(
    model: str | PathLike[str] | bytes,
    *,
    shift: float | Sequence[float] | None = None,
    factor: float | Sequence[float] | None = None,
    node: str | None = None,
    names: Sequence[str] | str | PathLike[str] | None = None,
    softmax: bool = False,
) -> Any: ...
def methods(model: Any) -> dict[str, str]: ...
def options(
    *,
    memory: int | str | None = None,
    time: float | None = None,
    progress: Callable[[str, int, int | None, float | None], Any] | Literal[True] | None = None,
) -> AbstractContextManager[None]: ...
def read(path: str | PathLike[str], target: str | None = None) -> Bunch: ...
def report(model: BaseEstimator, X: Any, y: Any, path: str | PathLike[str] | None = None) -> str: ...
def save(model: BaseEstimator, path: str | PathLike[str]) -> None: ...

class AgglomerativeClustering(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    n_clusters: int | None
    linkage: Literal['single', 'average', 'complete', 'ward'] | None
    metric: Literal['euclidean', 'manhattan', 'chebyshev', 'l2', 'l1', 'cityblock'] | None
    distance_threshold: float | None
    n_jobs: int | None
    def __init__(
        self,
        n_clusters: int | None = 2,
        *,
        linkage: Literal['single', 'average', 'complete', 'ward'] | None = 'ward',
        metric: Literal['euclidean', 'manhattan', 'chebyshev', 'l2', 'l1', 'cityblock'] | None = 'euclidean',
        distance_threshold: float | None = 0.0,
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None) -> Self: ...
    def predict(self, X: Any) -> np.ndarray: ...

class Autoencoder(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    n_components: int | None
    hidden_layer_sizes: Sequence[float] | None
    activation: Literal['identity', 'logistic', 'symmetric-logistic', 'tanh', 'erf', 'softsign', 'sign', 'piecewise-linear', 'relu', 'leaky-relu', 'softplus', 'elu', 'selu', 'gelu', 'swish', 'mish'] | None
    returns: Literal['code', 'reconstruction', 'error'] | None
    cost: Literal['auto', 'quadratic', 'minkowski', 'makram-ebeid', 'cross-entropy', 'binary-cross-entropy'] | None
    r: float | None
    solver: Literal['adam', 'sgd', 'momentum', 'nesterov', 'adagrad', 'rmsprop', 'rprop', 'lbfgs'] | None
    learning_rate_init: float | None
    learning_rate: Literal['constant', 'inverse', 'power', 'inverse-log', 'linear', 'cosine', 'one-cycle'] | None
    delay: float | None
    power: float | None
    momentum: float | None
    beta_2: float | None
    local_rates: Literal['none', 'fan-in', 'curvature'] | None
    max_iter: int | None
    batch_size: int | None
    order: Literal['shuffled', 'random', 'given', 'drawn'] | None
    penalty: Literal['none', 'l2', 'elimination', 'lp'] | None
    alpha: float | None
    p: float | None
    max_norm: float | None
    norm_of: Literal['all', 'unit'] | None
    clip: float | None
    averaging: Literal['none', 'last', 'all'] | None
    last: int | None
    validation_fraction: float | None
    n_iter_no_change: int | None
    tol: float | None
    precision: Literal['f32', 'f64'] | None
    random_state: int | Any | None
    n_jobs: int | None
    def __init__(
        self,
        n_components: int | None = 2,
        *,
        hidden_layer_sizes: Sequence[float] | None = (),
        activation: Literal['identity', 'logistic', 'symmetric-logistic', 'tanh', 'erf', 'softsign', 'sign', 'piecewise-linear', 'relu', 'leaky-relu', 'softplus', 'elu', 'selu', 'gelu', 'swish', 'mish'] | None = 'relu',
        returns: Literal['code', 'reconstruction', 'error'] | None = 'code',
        cost: Literal['auto', 'quadratic', 'minkowski', 'makram-ebeid', 'cross-entropy', 'binary-cross-entropy'] | None = 'auto',
        r: float | None = 1.5,
        solver: Literal['adam', 'sgd', 'momentum', 'nesterov', 'adagrad', 'rmsprop', 'rprop', 'lbfgs'] | None = 'adam',
        learning_rate_init: float | None = 0.003,
        learning_rate: Literal['constant', 'inverse', 'power', 'inverse-log', 'linear', 'cosine', 'one-cycle'] | None = 'cosine',
        delay: float | None = 1000.0,
        power: float | None = 0.75,
        momentum: float | None = 0.9,
        beta_2: float | None = 0.999,
        local_rates: Literal['none', 'fan-in', 'curvature'] | None = 'none',
        max_iter: int | None = 100,
        batch_size: int | None = 32,
        order: Literal['shuffled', 'random', 'given', 'drawn'] | None = 'shuffled',
        penalty: Literal['none', 'l2', 'elimination', 'lp'] | None = 'none',
        alpha: float | None = 0.0001,
        p: float | None = 1.0,
        max_norm: float | None = 0.0,
        norm_of: Literal['all', 'unit'] | None = 'unit',
        clip: float | None = 0.0,
        averaging: Literal['none', 'last', 'all'] | None = 'none',
        last: int | None = 10,
        validation_fraction: float | None = 0.0,
        n_iter_no_change: int | None = 10,
        tol: float | None = 0.0001,
        precision: Literal['f32', 'f64'] | None = 'f64',
        random_state: int | Any | None = 0,
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray: ...
    def transform(self, X: Any) -> Any: ...

class BackwardFeatureSelector(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    estimator: BaseEstimator | None
    n_features_to_select: int | None
    cv: int | None
    tol: float | None
    scoring: str | float | None
    random_state: int | Any | None
    def __init__(
        self,
        estimator: BaseEstimator | None = None,
        *,
        n_features_to_select: int | None = 0,
        cv: int | None = 5,
        tol: float | None = 0.0,
        scoring: str | float | None = 'usual',
        random_state: int | Any | None = 0,
    ) -> None: ...
    def decision_function(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def details(self, X: Any, more: Any, **named: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, more: Any, **named: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def predict_log_proba(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def predict_proba(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def score(self, X: Any, y: Any = None) -> float: ...
    def score_samples(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...

class CalibratedClassifierCV(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    estimator: BaseEstimator | None
    method: Literal['platt', 'isotonic', 'sigmoid'] | None
    cv: int | None
    random_state: int | Any | None
    def __init__(
        self,
        estimator: BaseEstimator | None = None,
        *,
        method: Literal['platt', 'isotonic', 'sigmoid'] | None = 'platt',
        cv: int | None = 5,
        random_state: int | Any | None = 0,
    ) -> None: ...
    def decision_function(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def details(self, X: Any, more: Any, **named: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, more: Any, **named: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def predict_log_proba(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def predict_proba(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def score(self, X: Any, y: Any = None) -> float: ...
    def score_samples(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...

class CascadeClassifier(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    classes_: np.ndarray
    n_units: int | None
    n_candidates: int | None
    max_iter: int | None
    alpha: float | None
    tol: float | None
    class_weight: Mapping[Any, float] | str | None
    random_state: int | Any | None
    n_jobs: int | None
    def __init__(
        self,
        n_units: int | None = 10,
        *,
        n_candidates: int | None = 8,
        max_iter: int | None = 100,
        alpha: float | None = 0.01,
        tol: float | None = 0.0001,
        class_weight: Mapping[Any, float] | str | None = None,
        random_state: int | Any | None = 0,
        n_jobs: int | None = None,
    ) -> None: ...
    def decision_function(self, X: Any) -> np.ndarray: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any) -> np.ndarray: ...
    def predict_log_proba(self, X: Any) -> np.ndarray: ...
    def predict_proba(self, X: Any) -> np.ndarray: ...

class CascadeRegressor(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    n_units: int | None
    n_candidates: int | None
    max_iter: int | None
    alpha: float | None
    tol: float | None
    random_state: int | Any | None
    n_jobs: int | None
    def __init__(
        self,
        n_units: int | None = 10,
        *,
        n_candidates: int | None = 8,
        max_iter: int | None = 100,
        alpha: float | None = 0.01,
        tol: float | None = 0.0001,
        random_state: int | Any | None = 0,
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any) -> np.ndarray: ...

class Center(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    n_jobs: int | None
    def __init__(
        self,
        *,
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray: ...
    def transform(self, X: Any) -> Any: ...

class ClassWeights(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    estimator: BaseEstimator | None
    ratio: float | None
    random_state: int | Any | None
    def __init__(
        self,
        estimator: BaseEstimator | None = None,
        *,
        ratio: float | None = 1.0,
        random_state: int | Any | None = 0,
    ) -> None: ...
    def decision_function(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def details(self, X: Any, more: Any, **named: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, more: Any, **named: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def predict_log_proba(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def predict_proba(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def score(self, X: Any, y: Any = None) -> float: ...
    def score_samples(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...

class CompetitiveVQ(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    n_clusters: int | None
    init: Literal['k-means++', 'random', 'first'] | None
    max_iter: int | None
    learning_rate: float | None
    final_learning_rate: float | None
    schedule: Literal['constant', 'linear', 'exponential'] | None
    warm_start: bool
    random_state: int | Any | None
    n_jobs: int | None
    def __init__(
        self,
        n_clusters: int | None = 8,
        *,
        init: Literal['k-means++', 'random', 'first'] | None = 'random',
        max_iter: int | None = 50,
        learning_rate: float | None = 0.1,
        final_learning_rate: float | None = 0.001,
        schedule: Literal['constant', 'linear', 'exponential'] | None = 'exponential',
        warm_start: bool = False,
        random_state: int | Any | None = 0,
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any) -> np.ndarray: ...

class ConformalDetector(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    estimator: BaseEstimator | None
    share: float | None
    alpha: float | None
    guarantee: Literal['all', 'missed'] | None
    random_state: int | Any | None
    def __init__(
        self,
        estimator: BaseEstimator | None = None,
        *,
        share: float | None = 0.2,
        alpha: float | None = 0.1,
        guarantee: Literal['all', 'missed'] | None = 'all',
        random_state: int | Any | None = 0,
    ) -> None: ...
    def decision_function(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def details(self, X: Any, more: Any, **named: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, more: Any, **named: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def predict_log_proba(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def predict_proba(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def score(self, X: Any, y: Any = None) -> float: ...
    def score_samples(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...

class ConvolutionalClassifier(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    classes_: np.ndarray
    layers: str | float | None
    scale: Literal['auto', 'columns', 'all', 'none'] | None
    cost: Literal['auto', 'quadratic', 'minkowski', 'makram-ebeid', 'cross-entropy', 'binary-cross-entropy'] | None
    r: float | None
    solver: Literal['adam', 'sgd', 'momentum', 'nesterov', 'adagrad', 'rmsprop', 'rprop', 'lbfgs'] | None
    learning_rate_init: float | None
    learning_rate: Literal['constant', 'inverse', 'power', 'inverse-log', 'linear', 'cosine', 'one-cycle'] | None
    delay: float | None
    power: float | None
    momentum: float | None
    beta_2: float | None
    local_rates: Literal['none', 'fan-in', 'curvature'] | None
    max_iter: int | None
    batch_size: int | None
    order: Literal['shuffled', 'random', 'given', 'drawn'] | None
    penalty: Literal['none', 'l2', 'elimination', 'lp'] | None
    alpha: float | None
    p: float | None
    max_norm: float | None
    norm_of: Literal['all', 'unit'] | None
    clip: float | None
    averaging: Literal['none', 'last', 'all'] | None
    last: int | None
    validation_fraction: float | None
    n_iter_no_change: int | None
    tol: float | None
    precision: Literal['f32', 'f64'] | None
    class_weight: Mapping[Any, float] | str | None
    warm_start: bool
    random_state: int | Any | None
    n_jobs: int | None
    def __init__(
        self,
        layers: str | float | None = 'conv 16 3x3 relu, pool 2, conv 32 3x3 relu, pool 2, dense 128 relu, dropout 0.25',
        *,
        scale: Literal['auto', 'columns', 'all', 'none'] | None = 'auto',
        cost: Literal['auto', 'quadratic', 'minkowski', 'makram-ebeid', 'cross-entropy', 'binary-cross-entropy'] | None = 'auto',
        r: float | None = 1.5,
        solver: Literal['adam', 'sgd', 'momentum', 'nesterov', 'adagrad', 'rmsprop', 'rprop', 'lbfgs'] | None = 'adam',
        learning_rate_init: float | None = 0.003,
        learning_rate: Literal['constant', 'inverse', 'power', 'inverse-log', 'linear', 'cosine', 'one-cycle'] | None = 'one-cycle',
        delay: float | None = 1000.0,
        power: float | None = 0.75,
        momentum: float | None = 0.9,
        beta_2: float | None = 0.999,
        local_rates: Literal['none', 'fan-in', 'curvature'] | None = 'none',
        max_iter: int | None = 10,
        batch_size: int | None = 64,
        order: Literal['shuffled', 'random', 'given', 'drawn'] | None = 'shuffled',
        penalty: Literal['none', 'l2', 'elimination', 'lp'] | None = 'none',
        alpha: float | None = 0.0001,
        p: float | None = 1.0,
        max_norm: float | None = 0.0,
        norm_of: Literal['all', 'unit'] | None = 'unit',
        clip: float | None = 0.0,
        averaging: Literal['none', 'last', 'all'] | None = 'none',
        last: int | None = 10,
        validation_fraction: float | None = 0.0,
        n_iter_no_change: int | None = 10,
        tol: float | None = 0.0001,
        precision: Literal['f32', 'f64'] | None = 'f32',
        class_weight: Mapping[Any, float] | str | None = None,
        warm_start: bool = False,
        random_state: int | Any | None = 0,
        n_jobs: int | None = None,
    ) -> None: ...
    def decision_function(self, X: Any) -> np.ndarray: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any) -> np.ndarray: ...
    def predict_log_proba(self, X: Any) -> np.ndarray: ...
    def predict_proba(self, X: Any) -> np.ndarray: ...

class ConvolutionalRegressor(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    layers: str | float | None
    scale: Literal['auto', 'columns', 'all', 'none'] | None
    cost: Literal['auto', 'quadratic', 'minkowski', 'makram-ebeid', 'cross-entropy', 'binary-cross-entropy'] | None
    r: float | None
    solver: Literal['adam', 'sgd', 'momentum', 'nesterov', 'adagrad', 'rmsprop', 'rprop', 'lbfgs'] | None
    learning_rate_init: float | None
    learning_rate: Literal['constant', 'inverse', 'power', 'inverse-log', 'linear', 'cosine', 'one-cycle'] | None
    delay: float | None
    power: float | None
    momentum: float | None
    beta_2: float | None
    local_rates: Literal['none', 'fan-in', 'curvature'] | None
    max_iter: int | None
    batch_size: int | None
    order: Literal['shuffled', 'random', 'given', 'drawn'] | None
    penalty: Literal['none', 'l2', 'elimination', 'lp'] | None
    alpha: float | None
    p: float | None
    max_norm: float | None
    norm_of: Literal['all', 'unit'] | None
    clip: float | None
    averaging: Literal['none', 'last', 'all'] | None
    last: int | None
    validation_fraction: float | None
    n_iter_no_change: int | None
    tol: float | None
    precision: Literal['f32', 'f64'] | None
    warm_start: bool
    random_state: int | Any | None
    n_jobs: int | None
    def __init__(
        self,
        layers: str | float | None = 'conv 16 3x3 relu, pool 2, conv 32 3x3 relu, pool 2, dense 128 relu, dropout 0.25',
        *,
        scale: Literal['auto', 'columns', 'all', 'none'] | None = 'auto',
        cost: Literal['auto', 'quadratic', 'minkowski', 'makram-ebeid', 'cross-entropy', 'binary-cross-entropy'] | None = 'auto',
        r: float | None = 1.5,
        solver: Literal['adam', 'sgd', 'momentum', 'nesterov', 'adagrad', 'rmsprop', 'rprop', 'lbfgs'] | None = 'adam',
        learning_rate_init: float | None = 0.003,
        learning_rate: Literal['constant', 'inverse', 'power', 'inverse-log', 'linear', 'cosine', 'one-cycle'] | None = 'one-cycle',
        delay: float | None = 1000.0,
        power: float | None = 0.75,
        momentum: float | None = 0.9,
        beta_2: float | None = 0.999,
        local_rates: Literal['none', 'fan-in', 'curvature'] | None = 'none',
        max_iter: int | None = 10,
        batch_size: int | None = 64,
        order: Literal['shuffled', 'random', 'given', 'drawn'] | None = 'shuffled',
        penalty: Literal['none', 'l2', 'elimination', 'lp'] | None = 'none',
        alpha: float | None = 0.0001,
        p: float | None = 1.0,
        max_norm: float | None = 0.0,
        norm_of: Literal['all', 'unit'] | None = 'unit',
        clip: float | None = 0.0,
        averaging: Literal['none', 'last', 'all'] | None = 'none',
        last: int | None = 10,
        validation_fraction: float | None = 0.0,
        n_iter_no_change: int | None = 10,
        tol: float | None = 0.0001,
        precision: Literal['f32', 'f64'] | None = 'f32',
        warm_start: bool = False,
        random_state: int | Any | None = 0,
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any) -> np.ndarray: ...

class CountFrequencyEncoder(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    handle_unknown: Literal['refuse', 'ignore', 'error'] | None
    max_levels: int | None
    n_jobs: int | None
    def __init__(
        self,
        handle_unknown: Literal['refuse', 'ignore', 'error'] | None = 'refuse',
        *,
        max_levels: int | None = 10000,
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray: ...
    def transform(self, X: Any) -> Any: ...

class CountVectorizer(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    weights: Literal['tf-idf', 'counts', 'binary'] | None
    max_features: int | None
    min_df: int | None
    max_df: float | None
    ngrams: int | None
    min_length: int | None
    stop_words: str | float | None
    stem: Literal['none', 'arabic', 'danish', 'dutch', 'english', 'finnish', 'french', 'german', 'greek', 'hungarian', 'italian', 'norwegian', 'portuguese', 'romanian', 'russian', 'spanish', 'swedish', 'tamil', 'turkish'] | None
    numbers: Literal['as-is', 'scaled'] | None
    n_jobs: int | None
    def __init__(
        self,
        weights: Literal['tf-idf', 'counts', 'binary'] | None = 'counts',
        *,
        max_features: int | None = 100000,
        min_df: int | None = 1,
        max_df: float | None = 1.0,
        ngrams: int | None = 1,
        min_length: int | None = 2,
        stop_words: str | float | None = '',
        stem: Literal['none', 'arabic', 'danish', 'dutch', 'english', 'finnish', 'french', 'german', 'greek', 'hungarian', 'italian', 'norwegian', 'portuguese', 'romanian', 'russian', 'spanish', 'swedish', 'tamil', 'turkish'] | None = 'none',
        numbers: Literal['as-is', 'scaled'] | None = 'as-is',
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray: ...
    def transform(self, X: Any) -> Any: ...

class DatetimeFeatures(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    dates: Literal['parts', 'seconds', 'leave-out'] | None
    n_jobs: int | None
    def __init__(
        self,
        dates: Literal['parts', 'seconds', 'leave-out'] | None = 'parts',
        *,
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray: ...
    def transform(self, X: Any) -> Any: ...

class DecisionTreeClassifier(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    classes_: np.ndarray
    criterion: Literal['auto', 'gini', 'entropy', 'squared-error'] | None
    max_depth: int | None
    min_samples_split: float | None
    min_samples_leaf: float | None
    min_weight_fraction_leaf: float | None
    min_impurity_decrease: float | None
    max_features: float | Literal['auto', 'all', 'sqrt', 'log2', 'third'] | None
    ccp_alpha: float | None
    boxes: bool | None
    class_weight: Mapping[Any, float] | str | None
    random_state: int | Any | None
    n_jobs: int | None
    def __init__(
        self,
        criterion: Literal['auto', 'gini', 'entropy', 'squared-error'] | None = 'auto',
        *,
        max_depth: int | None = 0,
        min_samples_split: float | None = 0.0,
        min_samples_leaf: float | None = 0.0,
        min_weight_fraction_leaf: float | None = 0.0,
        min_impurity_decrease: float | None = 0.0,
        max_features: float | Literal['auto', 'all', 'sqrt', 'log2', 'third'] | None = 'all',
        ccp_alpha: float | None = 0.0,
        boxes: bool | None = False,
        class_weight: Mapping[Any, float] | str | None = None,
        random_state: int | Any | None = 0,
        n_jobs: int | None = None,
    ) -> None: ...
    def decision_function(self, X: Any) -> np.ndarray: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any) -> np.ndarray: ...
    def predict_log_proba(self, X: Any) -> np.ndarray: ...
    def predict_proba(self, X: Any) -> np.ndarray: ...

class DecisionTreeRegressor(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    criterion: Literal['auto', 'gini', 'entropy', 'squared-error'] | None
    max_depth: int | None
    min_samples_split: float | None
    min_samples_leaf: float | None
    min_weight_fraction_leaf: float | None
    min_impurity_decrease: float | None
    max_features: float | Literal['auto', 'all', 'sqrt', 'log2', 'third'] | None
    ccp_alpha: float | None
    boxes: bool | None
    random_state: int | Any | None
    n_jobs: int | None
    def __init__(
        self,
        criterion: Literal['auto', 'gini', 'entropy', 'squared-error'] | None = 'auto',
        *,
        max_depth: int | None = 0,
        min_samples_split: float | None = 0.0,
        min_samples_leaf: float | None = 0.0,
        min_weight_fraction_leaf: float | None = 0.0,
        min_impurity_decrease: float | None = 0.0,
        max_features: float | Literal['auto', 'all', 'sqrt', 'log2', 'third'] | None = 'all',
        ccp_alpha: float | None = 0.0,
        boxes: bool | None = False,
        random_state: int | Any | None = 0,
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any) -> np.ndarray: ...

class DropSparseColumns(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    share: float | None
    n_jobs: int | None
    def __init__(
        self,
        share: float | None = 0.5,
        *,
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray: ...
    def transform(self, X: Any) -> Any: ...

class ELMClassifier(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    classes_: np.ndarray
    n_units: int | None
    activation: Literal['identity', 'logistic', 'symmetric-logistic', 'tanh', 'erf', 'softsign', 'sign', 'piecewise-linear', 'relu', 'leaky-relu', 'softplus', 'elu', 'selu', 'gelu', 'swish', 'mish'] | None
    scale: float | None
    alpha: float | None
    class_weight: Mapping[Any, float] | str | None
    random_state: int | Any | None
    n_jobs: int | None
    def __init__(
        self,
        n_units: int | None = 200,
        *,
        activation: Literal['identity', 'logistic', 'symmetric-logistic', 'tanh', 'erf', 'softsign', 'sign', 'piecewise-linear', 'relu', 'leaky-relu', 'softplus', 'elu', 'selu', 'gelu', 'swish', 'mish'] | None = 'tanh',
        scale: float | None = 1.0,
        alpha: float | None = 0.1,
        class_weight: Mapping[Any, float] | str | None = None,
        random_state: int | Any | None = 0,
        n_jobs: int | None = None,
    ) -> None: ...
    def decision_function(self, X: Any) -> np.ndarray: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any) -> np.ndarray: ...
    def predict_log_proba(self, X: Any) -> np.ndarray: ...
    def predict_proba(self, X: Any) -> np.ndarray: ...

class ELMRegressor(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    n_units: int | None
    activation: Literal['identity', 'logistic', 'symmetric-logistic', 'tanh', 'erf', 'softsign', 'sign', 'piecewise-linear', 'relu', 'leaky-relu', 'softplus', 'elu', 'selu', 'gelu', 'swish', 'mish'] | None
    scale: float | None
    alpha: float | None
    random_state: int | Any | None
    n_jobs: int | None
    def __init__(
        self,
        n_units: int | None = 200,
        *,
        activation: Literal['identity', 'logistic', 'symmetric-logistic', 'tanh', 'erf', 'softsign', 'sign', 'piecewise-linear', 'relu', 'leaky-relu', 'softplus', 'elu', 'selu', 'gelu', 'swish', 'mish'] | None = 'tanh',
        scale: float | None = 1.0,
        alpha: float | None = 0.1,
        random_state: int | Any | None = 0,
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any) -> np.ndarray: ...

class ElasticNet(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    alpha: float | None
    l1_ratio: float | None
    fit_intercept: bool | None
    tol: float | None
    max_iter: int | None
    warm_start: bool
    n_jobs: int | None
    def __init__(
        self,
        alpha: float | None = 1.0,
        *,
        l1_ratio: float | None = 0.5,
        fit_intercept: bool | None = True,
        tol: float | None = 1e-10,
        max_iter: int | None = 100000,
        warm_start: bool = False,
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any) -> np.ndarray: ...

class GaussianMixture(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    n_components: int | None
    covariance_type: Literal['isotropic', 'diagonal', 'full', 'spherical', 'diag'] | None
    n_init: int | None
    max_iter: int | None
    tol: float | None
    reg_covar: float | None
    sigma: float | None
    warm_start: bool
    random_state: int | Any | None
    n_jobs: int | None
    def __init__(
        self,
        n_components: int | None = 3,
        *,
        covariance_type: Literal['isotropic', 'diagonal', 'full', 'spherical', 'diag'] | None = 'full',
        n_init: int | None = 3,
        max_iter: int | None = 500,
        tol: float | None = 1e-06,
        reg_covar: float | None = 1e-06,
        sigma: float | None = 0.0,
        warm_start: bool = False,
        random_state: int | Any | None = 0,
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def fit_predict(self, X: Any, y: Any = None) -> np.ndarray: ...
    def predict(self, X: Any) -> np.ndarray: ...
    def predict_proba(self, X: Any) -> np.ndarray: ...
    def score(self, X: Any, y: Any = None) -> float: ...
    def score_samples(self, X: Any) -> np.ndarray: ...

class GaussianMixtureImputer(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    n_components: int | None
    covariance_type: Literal['isotropic', 'diagonal', 'full', 'spherical', 'diag'] | None
    sample_posterior: bool | None
    n_init: int | None
    max_iter: int | None
    tol: float | None
    reg_covar: float | None
    random_state: int | Any | None
    n_jobs: int | None
    def __init__(
        self,
        n_components: int | None = 3,
        *,
        covariance_type: Literal['isotropic', 'diagonal', 'full', 'spherical', 'diag'] | None = 'full',
        sample_posterior: bool | None = False,
        n_init: int | None = 3,
        max_iter: int | None = 500,
        tol: float | None = 1e-06,
        reg_covar: float | None = 1e-06,
        random_state: int | Any | None = 0,
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray: ...
    def transform(self, X: Any) -> Any: ...

class GaussianNoise(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    estimator: BaseEstimator | None
    noise: float | None
    copies: int | None
    random_state: int | Any | None
    def __init__(
        self,
        estimator: BaseEstimator | None = None,
        *,
        noise: float | None = 0.1,
        copies: int | None = 1,
        random_state: int | Any | None = 0,
    ) -> None: ...
    def decision_function(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def details(self, X: Any, more: Any, **named: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, more: Any, **named: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def predict_log_proba(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def predict_proba(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def score(self, X: Any, y: Any = None) -> float: ...
    def score_samples(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...

class HotDeckImputer(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    n_neighbors: int | None
    random_state: int | Any | None
    n_jobs: int | None
    def __init__(
        self,
        n_neighbors: int | None = 5,
        *,
        random_state: int | Any | None = 0,
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray: ...
    def transform(self, X: Any) -> Any: ...

class ImageResizer(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    size: str | float | None
    n_jobs: int | None
    def __init__(
        self,
        size: str | float | None = 'most-common',
        *,
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray: ...
    def transform(self, X: Any) -> Any: ...

class IterativeImputer(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    max_iter: int | None
    alpha: float | None
    tol: float | None
    sample_posterior: bool | None
    random_state: int | Any | None
    n_jobs: int | None
    def __init__(
        self,
        max_iter: int | None = 10,
        *,
        alpha: float | None = 1.0,
        tol: float | None = 0.001,
        sample_posterior: bool | None = False,
        random_state: int | Any | None = 0,
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray: ...
    def transform(self, X: Any) -> Any: ...

class KMeans(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    n_clusters: int | None
    init: Literal['k-means++', 'random', 'first'] | None
    n_init: int | None
    max_iter: int | None
    warm_start: bool
    random_state: int | Any | None
    n_jobs: int | None
    def __init__(
        self,
        n_clusters: int | None = 8,
        *,
        init: Literal['k-means++', 'random', 'first'] | None = 'k-means++',
        n_init: int | None = 10,
        max_iter: int | None = 300,
        warm_start: bool = False,
        random_state: int | Any | None = 0,
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any) -> np.ndarray: ...

class KMedoids(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    n_clusters: int | None
    metric: Literal['euclidean', 'manhattan', 'chebyshev', 'l2', 'l1', 'cityblock'] | None
    max_iter: int | None
    n_jobs: int | None
    def __init__(
        self,
        n_clusters: int | None = 8,
        *,
        metric: Literal['euclidean', 'manhattan', 'chebyshev', 'l2', 'l1', 'cityblock'] | None = 'euclidean',
        max_iter: int | None = 100,
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any) -> np.ndarray: ...

class KNNImputer(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    n_neighbors: int | None
    weights: Literal['uniform', 'distance'] | None
    n_jobs: int | None
    def __init__(
        self,
        n_neighbors: int | None = 5,
        *,
        weights: Literal['uniform', 'distance'] | None = 'uniform',
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray: ...
    def transform(self, X: Any) -> Any: ...

class KNeighborsClassifier(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    classes_: np.ndarray
    n_neighbors: int | None
    weights: Literal['uniform', 'distance'] | None
    p: float | None
    algorithm: Literal['auto', 'blocks', 'tree', 'brute', 'kd_tree'] | None
    class_weight: Mapping[Any, float] | str | None
    n_jobs: int | None
    def __init__(
        self,
        n_neighbors: int | None = 5,
        *,
        weights: Literal['uniform', 'distance'] | None = 'uniform',
        p: float | None = 2.0,
        algorithm: Literal['auto', 'blocks', 'tree', 'brute', 'kd_tree'] | None = 'auto',
        class_weight: Mapping[Any, float] | str | None = None,
        n_jobs: int | None = None,
    ) -> None: ...
    def decision_function(self, X: Any) -> np.ndarray: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any) -> np.ndarray: ...
    def predict_log_proba(self, X: Any) -> np.ndarray: ...
    def predict_proba(self, X: Any) -> np.ndarray: ...

class KNeighborsRegressor(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    n_neighbors: int | None
    weights: Literal['uniform', 'distance'] | None
    p: float | None
    algorithm: Literal['auto', 'blocks', 'tree', 'brute', 'kd_tree'] | None
    n_jobs: int | None
    def __init__(
        self,
        n_neighbors: int | None = 5,
        *,
        weights: Literal['uniform', 'distance'] | None = 'uniform',
        p: float | None = 2.0,
        algorithm: Literal['auto', 'blocks', 'tree', 'brute', 'kd_tree'] | None = 'auto',
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any) -> np.ndarray: ...

class KernelAdaTron(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    classes_: np.ndarray
    C: float | None
    eta: float | None
    max_iter: int | None
    tol: float | None
    kernel: Literal['linear', 'polynomial', 'gaussian', 'laplacian', 'exponential', 'student', 'sigmoid', 'arccos', 'chi-squared', 'intersection', 'precomputed', 'poly', 'rbf'] | None
    gamma: float | Literal['scale', 'auto', 'median', 'nearest'] | None
    sigma: float | None
    q: float | None
    coef0: float | None
    degree: int | None
    a: float | None
    depth: int | None
    n_jobs: int | None
    def __init__(
        self,
        C: float | None = inf,
        *,
        eta: float | None = 1.0,
        max_iter: int | None = 10000,
        tol: float | None = 1e-06,
        kernel: Literal['linear', 'polynomial', 'gaussian', 'laplacian', 'exponential', 'student', 'sigmoid', 'arccos', 'chi-squared', 'intersection', 'precomputed', 'poly', 'rbf'] | None = 'gaussian',
        gamma: float | Literal['scale', 'auto', 'median', 'nearest'] | None = 'scale',
        sigma: float | None = 0.0,
        q: float | None = 2.0,
        coef0: float | None = 0.0,
        degree: int | None = 3,
        a: float | None = 1.0,
        depth: int | None = 1,
        n_jobs: int | None = None,
    ) -> None: ...
    def decision_function(self, X: Any) -> np.ndarray: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any) -> Self: ...
    def predict(self, X: Any) -> np.ndarray: ...
    def predict_log_proba(self, X: Any) -> np.ndarray: ...
    def predict_proba(self, X: Any) -> np.ndarray: ...

class KernelDensity(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    nu: float | None
    kernel: Literal['linear', 'polynomial', 'gaussian', 'laplacian', 'exponential', 'student', 'sigmoid', 'arccos', 'chi-squared', 'intersection', 'precomputed', 'poly', 'rbf'] | None
    gamma: float | Literal['scale', 'auto', 'median', 'nearest'] | None
    sigma: float | None
    q: float | None
    coef0: float | None
    degree: int | None
    a: float | None
    depth: int | None
    n_jobs: int | None
    def __init__(
        self,
        nu: float | None = 0.05,
        *,
        kernel: Literal['linear', 'polynomial', 'gaussian', 'laplacian', 'exponential', 'student', 'sigmoid', 'arccos', 'chi-squared', 'intersection', 'precomputed', 'poly', 'rbf'] | None = 'gaussian',
        gamma: float | Literal['scale', 'auto', 'median', 'nearest'] | None = 'scale',
        sigma: float | None = 0.0,
        q: float | None = 2.0,
        coef0: float | None = 0.0,
        degree: int | None = 3,
        a: float | None = 1.0,
        depth: int | None = 1,
        n_jobs: int | None = None,
    ) -> None: ...
    def decision_function(self, X: Any) -> np.ndarray: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any) -> np.ndarray: ...
    def score_samples(self, X: Any) -> np.ndarray: ...

class Lasso(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    alpha: float | None
    fit_intercept: bool | None
    tol: float | None
    max_iter: int | None
    warm_start: bool
    n_jobs: int | None
    def __init__(
        self,
        alpha: float | None = 1.0,
        *,
        fit_intercept: bool | None = True,
        tol: float | None = 1e-10,
        max_iter: int | None = 100000,
        warm_start: bool = False,
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any) -> np.ndarray: ...

class LinearRegression(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    method: Literal['auto', 'left', 'right', 'unified', 'iterative'] | None
    fit_intercept: bool | None
    tol: float | None
    max_iter: int | None
    n_jobs: int | None
    def __init__(
        self,
        method: Literal['auto', 'left', 'right', 'unified', 'iterative'] | None = 'auto',
        *,
        fit_intercept: bool | None = True,
        tol: float | None = 1e-12,
        max_iter: int | None = 10000,
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any) -> np.ndarray: ...

class LinearSVMClassifier(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    classes_: np.ndarray
    C: float | None
    multi_class: Literal['auto', 'one-vs-rest', 'weston-watkins', 'crammer-singer', 'lee-lin-wahba', 'mmr', 'adm', 'ats', 'atm', 'ovr', 'ww', 'cs', 'llw'] | None
    loss: Literal['hinge', 'squared-hinge', 'logistic', 'squared_hinge', 'log'] | None
    margin: float | None
    fit_intercept: bool | None
    intercept_scaling: float | None
    tol: float | None
    gap: float | None
    max_iter: int | None
    bundles: int | None
    prune: float | None
    class_weight: Mapping[Any, float] | str | None
    random_state: int | Any | None
    n_jobs: int | None
    def __init__(
        self,
        C: float | None = 1.0,
        *,
        multi_class: Literal['auto', 'one-vs-rest', 'weston-watkins', 'crammer-singer', 'lee-lin-wahba', 'mmr', 'adm', 'ats', 'atm', 'ovr', 'ww', 'cs', 'llw'] | None = 'auto',
        loss: Literal['hinge', 'squared-hinge', 'logistic', 'squared_hinge', 'log'] | None = 'hinge',
        margin: float | None = 1.0,
        fit_intercept: bool | None = True,
        intercept_scaling: float | None = 1.0,
        tol: float | None = 0.01,
        gap: float | None = 0.0,
        max_iter: int | None = 1000,
        bundles: int | None = 8,
        prune: float | None = 0.0,
        class_weight: Mapping[Any, float] | str | None = None,
        random_state: int | Any | None = 0,
        n_jobs: int | None = None,
    ) -> None: ...
    def decision_function(self, X: Any) -> np.ndarray: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any) -> np.ndarray: ...
    def predict_log_proba(self, X: Any) -> np.ndarray: ...
    def predict_proba(self, X: Any) -> np.ndarray: ...

class LinearSVRegressor(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    C: float | None
    epsilon: float | None
    loss: Literal['epsilon-insensitive', 'squared-epsilon-insensitive', 'epsilon_insensitive', 'squared_epsilon_insensitive'] | None
    fit_intercept: bool | None
    intercept_scaling: float | None
    tol: float | None
    gap: float | None
    max_iter: int | None
    random_state: int | Any | None
    n_jobs: int | None
    def __init__(
        self,
        C: float | None = 1.0,
        *,
        epsilon: float | None = 0.0,
        loss: Literal['epsilon-insensitive', 'squared-epsilon-insensitive', 'epsilon_insensitive', 'squared_epsilon_insensitive'] | None = 'epsilon-insensitive',
        fit_intercept: bool | None = True,
        intercept_scaling: float | None = 1.0,
        tol: float | None = 0.0001,
        gap: float | None = 0.0,
        max_iter: int | None = 1000,
        random_state: int | Any | None = 0,
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any) -> np.ndarray: ...

class LogTransformer(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    epsilon: float | None
    n_jobs: int | None
    def __init__(
        self,
        epsilon: float | None = 1.0,
        *,
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray: ...
    def transform(self, X: Any) -> Any: ...

class LogisticRegression(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    classes_: np.ndarray
    C: float | None
    fit_intercept: bool | None
    tol: float | None
    max_iter: int | None
    solver: Literal['newton', 'lbfgs'] | None
    class_weight: Mapping[Any, float] | str | None
    warm_start: bool
    n_jobs: int | None
    def __init__(
        self,
        C: float | None = 1.0,
        *,
        fit_intercept: bool | None = True,
        tol: float | None = 1e-08,
        max_iter: int | None = 1000,
        solver: Literal['newton', 'lbfgs'] | None = 'newton',
        class_weight: Mapping[Any, float] | str | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
    ) -> None: ...
    def decision_function(self, X: Any) -> np.ndarray: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any) -> np.ndarray: ...
    def predict_log_proba(self, X: Any) -> np.ndarray: ...
    def predict_proba(self, X: Any) -> np.ndarray: ...

class MLPClassifier(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    classes_: np.ndarray
    hidden_layer_sizes: Sequence[float] | None
    activation: Literal['identity', 'logistic', 'symmetric-logistic', 'tanh', 'erf', 'softsign', 'sign', 'piecewise-linear', 'relu', 'leaky-relu', 'softplus', 'elu', 'selu', 'gelu', 'swish', 'mish'] | None
    output: Literal['identity', 'logistic', 'symmetric-logistic', 'tanh', 'erf', 'softsign', 'sign', 'piecewise-linear', 'relu', 'leaky-relu', 'softplus', 'elu', 'selu', 'gelu', 'swish', 'mish'] | None
    steepness: float | None
    leak: float | None
    dropout: float | None
    input_dropout: float | None
    drop_connect: float | None
    batch_norm: bool | None
    prune: Literal['none', 'obd', 'obs'] | None
    keep: float | None
    scale: Literal['auto', 'columns', 'all', 'none'] | None
    cost: Literal['auto', 'quadratic', 'minkowski', 'makram-ebeid', 'cross-entropy', 'binary-cross-entropy'] | None
    r: float | None
    solver: Literal['adam', 'sgd', 'momentum', 'nesterov', 'adagrad', 'rmsprop', 'rprop', 'lbfgs'] | None
    learning_rate_init: float | None
    learning_rate: Literal['constant', 'inverse', 'power', 'inverse-log', 'linear', 'cosine', 'one-cycle'] | None
    delay: float | None
    power: float | None
    momentum: float | None
    beta_2: float | None
    local_rates: Literal['none', 'fan-in', 'curvature'] | None
    max_iter: int | None
    batch_size: int | None
    order: Literal['shuffled', 'random', 'given', 'drawn'] | None
    penalty: Literal['none', 'l2', 'elimination', 'lp'] | None
    alpha: float | None
    p: float | None
    max_norm: float | None
    norm_of: Literal['all', 'unit'] | None
    clip: float | None
    averaging: Literal['none', 'last', 'all'] | None
    last: int | None
    validation_fraction: float | None
    n_iter_no_change: int | None
    tol: float | None
    precision: Literal['f32', 'f64'] | None
    class_weight: Mapping[Any, float] | str | None
    warm_start: bool
    random_state: int | Any | None
    n_jobs: int | None
    def __init__(
        self,
        hidden_layer_sizes: Sequence[float] | None = (100,),
        *,
        activation: Literal['identity', 'logistic', 'symmetric-logistic', 'tanh', 'erf', 'softsign', 'sign', 'piecewise-linear', 'relu', 'leaky-relu', 'softplus', 'elu', 'selu', 'gelu', 'swish', 'mish'] | None = 'relu',
        output: Literal['identity', 'logistic', 'symmetric-logistic', 'tanh', 'erf', 'softsign', 'sign', 'piecewise-linear', 'relu', 'leaky-relu', 'softplus', 'elu', 'selu', 'gelu', 'swish', 'mish'] | None = 'identity',
        steepness: float | None = 1.0,
        leak: float | None = 0.01,
        dropout: float | None = 0.0,
        input_dropout: float | None = 0.0,
        drop_connect: float | None = 0.0,
        batch_norm: bool | None = False,
        prune: Literal['none', 'obd', 'obs'] | None = 'none',
        keep: float | None = 0.5,
        scale: Literal['auto', 'columns', 'all', 'none'] | None = 'auto',
        cost: Literal['auto', 'quadratic', 'minkowski', 'makram-ebeid', 'cross-entropy', 'binary-cross-entropy'] | None = 'auto',
        r: float | None = 1.5,
        solver: Literal['adam', 'sgd', 'momentum', 'nesterov', 'adagrad', 'rmsprop', 'rprop', 'lbfgs'] | None = 'adam',
        learning_rate_init: float | None = 0.003,
        learning_rate: Literal['constant', 'inverse', 'power', 'inverse-log', 'linear', 'cosine', 'one-cycle'] | None = 'cosine',
        delay: float | None = 1000.0,
        power: float | None = 0.75,
        momentum: float | None = 0.9,
        beta_2: float | None = 0.999,
        local_rates: Literal['none', 'fan-in', 'curvature'] | None = 'none',
        max_iter: int | None = 100,
        batch_size: int | None = 32,
        order: Literal['shuffled', 'random', 'given', 'drawn'] | None = 'shuffled',
        penalty: Literal['none', 'l2', 'elimination', 'lp'] | None = 'none',
        alpha: float | None = 0.0001,
        p: float | None = 1.0,
        max_norm: float | None = 0.0,
        norm_of: Literal['all', 'unit'] | None = 'unit',
        clip: float | None = 0.0,
        averaging: Literal['none', 'last', 'all'] | None = 'none',
        last: int | None = 10,
        validation_fraction: float | None = 0.0,
        n_iter_no_change: int | None = 10,
        tol: float | None = 0.0001,
        precision: Literal['f32', 'f64'] | None = 'f64',
        class_weight: Mapping[Any, float] | str | None = None,
        warm_start: bool = False,
        random_state: int | Any | None = 0,
        n_jobs: int | None = None,
    ) -> None: ...
    def decision_function(self, X: Any) -> np.ndarray: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any) -> np.ndarray: ...
    def predict_log_proba(self, X: Any) -> np.ndarray: ...
    def predict_proba(self, X: Any) -> np.ndarray: ...

class MLPRegressor(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    hidden_layer_sizes: Sequence[float] | None
    activation: Literal['identity', 'logistic', 'symmetric-logistic', 'tanh', 'erf', 'softsign', 'sign', 'piecewise-linear', 'relu', 'leaky-relu', 'softplus', 'elu', 'selu', 'gelu', 'swish', 'mish'] | None
    output: Literal['identity', 'logistic', 'symmetric-logistic', 'tanh', 'erf', 'softsign', 'sign', 'piecewise-linear', 'relu', 'leaky-relu', 'softplus', 'elu', 'selu', 'gelu', 'swish', 'mish'] | None
    steepness: float | None
    leak: float | None
    dropout: float | None
    input_dropout: float | None
    drop_connect: float | None
    batch_norm: bool | None
    prune: Literal['none', 'obd', 'obs'] | None
    keep: float | None
    scale: Literal['auto', 'columns', 'all', 'none'] | None
    cost: Literal['auto', 'quadratic', 'minkowski', 'makram-ebeid', 'cross-entropy', 'binary-cross-entropy'] | None
    r: float | None
    solver: Literal['adam', 'sgd', 'momentum', 'nesterov', 'adagrad', 'rmsprop', 'rprop', 'lbfgs'] | None
    learning_rate_init: float | None
    learning_rate: Literal['constant', 'inverse', 'power', 'inverse-log', 'linear', 'cosine', 'one-cycle'] | None
    delay: float | None
    power: float | None
    momentum: float | None
    beta_2: float | None
    local_rates: Literal['none', 'fan-in', 'curvature'] | None
    max_iter: int | None
    batch_size: int | None
    order: Literal['shuffled', 'random', 'given', 'drawn'] | None
    penalty: Literal['none', 'l2', 'elimination', 'lp'] | None
    alpha: float | None
    p: float | None
    max_norm: float | None
    norm_of: Literal['all', 'unit'] | None
    clip: float | None
    averaging: Literal['none', 'last', 'all'] | None
    last: int | None
    validation_fraction: float | None
    n_iter_no_change: int | None
    tol: float | None
    precision: Literal['f32', 'f64'] | None
    warm_start: bool
    random_state: int | Any | None
    n_jobs: int | None
    def __init__(
        self,
        hidden_layer_sizes: Sequence[float] | None = (100,),
        *,
        activation: Literal['identity', 'logistic', 'symmetric-logistic', 'tanh', 'erf', 'softsign', 'sign', 'piecewise-linear', 'relu', 'leaky-relu', 'softplus', 'elu', 'selu', 'gelu', 'swish', 'mish'] | None = 'relu',
        output: Literal['identity', 'logistic', 'symmetric-logistic', 'tanh', 'erf', 'softsign', 'sign', 'piecewise-linear', 'relu', 'leaky-relu', 'softplus', 'elu', 'selu', 'gelu', 'swish', 'mish'] | None = 'identity',
        steepness: float | None = 1.0,
        leak: float | None = 0.01,
        dropout: float | None = 0.0,
        input_dropout: float | None = 0.0,
        drop_connect: float | None = 0.0,
        batch_norm: bool | None = False,
        prune: Literal['none', 'obd', 'obs'] | None = 'none',
        keep: float | None = 0.5,
        scale: Literal['auto', 'columns', 'all', 'none'] | None = 'auto',
        cost: Literal['auto', 'quadratic', 'minkowski', 'makram-ebeid', 'cross-entropy', 'binary-cross-entropy'] | None = 'auto',
        r: float | None = 1.5,
        solver: Literal['adam', 'sgd', 'momentum', 'nesterov', 'adagrad', 'rmsprop', 'rprop', 'lbfgs'] | None = 'adam',
        learning_rate_init: float | None = 0.003,
        learning_rate: Literal['constant', 'inverse', 'power', 'inverse-log', 'linear', 'cosine', 'one-cycle'] | None = 'cosine',
        delay: float | None = 1000.0,
        power: float | None = 0.75,
        momentum: float | None = 0.9,
        beta_2: float | None = 0.999,
        local_rates: Literal['none', 'fan-in', 'curvature'] | None = 'none',
        max_iter: int | None = 100,
        batch_size: int | None = 32,
        order: Literal['shuffled', 'random', 'given', 'drawn'] | None = 'shuffled',
        penalty: Literal['none', 'l2', 'elimination', 'lp'] | None = 'none',
        alpha: float | None = 0.0001,
        p: float | None = 1.0,
        max_norm: float | None = 0.0,
        norm_of: Literal['all', 'unit'] | None = 'unit',
        clip: float | None = 0.0,
        averaging: Literal['none', 'last', 'all'] | None = 'none',
        last: int | None = 10,
        validation_fraction: float | None = 0.0,
        n_iter_no_change: int | None = 10,
        tol: float | None = 0.0001,
        precision: Literal['f32', 'f64'] | None = 'f64',
        warm_start: bool = False,
        random_state: int | Any | None = 0,
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any) -> np.ndarray: ...

class MinMaxScaler(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    n_jobs: int | None
    def __init__(
        self,
        *,
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray: ...
    def transform(self, X: Any) -> Any: ...

class MultipleImputation(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    estimator: BaseEstimator | None
    n_imputations: int | None
    max_iter: int | None
    alpha: float | None
    tol: float | None
    random_state: int | Any | None
    def __init__(
        self,
        estimator: BaseEstimator | None = None,
        *,
        n_imputations: int | None = 5,
        max_iter: int | None = 10,
        alpha: float | None = 1.0,
        tol: float | None = 0.001,
        random_state: int | Any | None = 0,
    ) -> None: ...
    def decision_function(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def details(self, X: Any, more: Any, **named: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, more: Any, **named: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def predict_log_proba(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def predict_proba(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def score(self, X: Any, y: Any = None) -> float: ...
    def score_samples(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...

class NearestCentroid(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    classes_: np.ndarray
    n_prototypes: int | None
    random_state: int | Any | None
    n_jobs: int | None
    def __init__(
        self,
        n_prototypes: int | None = 1,
        *,
        random_state: int | Any | None = 0,
        n_jobs: int | None = None,
    ) -> None: ...
    def decision_function(self, X: Any) -> np.ndarray: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any) -> np.ndarray: ...
    def predict_log_proba(self, X: Any) -> np.ndarray: ...
    def predict_proba(self, X: Any) -> np.ndarray: ...

class NetworkActivations(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    file: str | float | None
    shift: float | None
    factor: float | None
    n_jobs: int | None
    def __init__(
        self,
        file: str | float | None = '',
        *,
        shift: float | None = 0.0,
        factor: float | None = 1.0,
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray: ...
    def transform(self, X: Any) -> Any: ...

class NoisyCopies(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    estimator: BaseEstimator | None
    noise: float | None
    sampling_strategy: float | None
    random_state: int | Any | None
    def __init__(
        self,
        estimator: BaseEstimator | None = None,
        *,
        noise: float | None = 0.1,
        sampling_strategy: float | None = 1.0,
        random_state: int | Any | None = 0,
    ) -> None: ...
    def decision_function(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def details(self, X: Any, more: Any, **named: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, more: Any, **named: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def predict_log_proba(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def predict_proba(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def score(self, X: Any, y: Any = None) -> float: ...
    def score_samples(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...

class Normalizer(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    p: float | None
    n_jobs: int | None
    def __init__(
        self,
        p: float | None = 2.0,
        *,
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray: ...
    def transform(self, X: Any) -> Any: ...

class NuSVC(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    classes_: np.ndarray
    nu: float | None
    kernel: Literal['linear', 'polynomial', 'gaussian', 'laplacian', 'exponential', 'student', 'sigmoid', 'arccos', 'chi-squared', 'intersection', 'precomputed', 'poly', 'rbf'] | None
    gamma: float | Literal['scale', 'auto', 'median', 'nearest'] | None
    sigma: float | None
    q: float | None
    coef0: float | None
    degree: int | None
    a: float | None
    depth: int | None
    tol: float | None
    max_iter: int | None
    cache_size: int | None
    precision: Literal['auto', 'f32', 'f64'] | None
    n_jobs: int | None
    def __init__(
        self,
        nu: float | None = 0.5,
        *,
        kernel: Literal['linear', 'polynomial', 'gaussian', 'laplacian', 'exponential', 'student', 'sigmoid', 'arccos', 'chi-squared', 'intersection', 'precomputed', 'poly', 'rbf'] | None = 'gaussian',
        gamma: float | Literal['scale', 'auto', 'median', 'nearest'] | None = 'scale',
        sigma: float | None = 0.0,
        q: float | None = 2.0,
        coef0: float | None = 0.0,
        degree: int | None = 3,
        a: float | None = 1.0,
        depth: int | None = 1,
        tol: float | None = 0.001,
        max_iter: int | None = 100000000,
        cache_size: int | None = 2000,
        precision: Literal['auto', 'f32', 'f64'] | None = 'auto',
        n_jobs: int | None = None,
    ) -> None: ...
    def decision_function(self, X: Any) -> np.ndarray: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any) -> np.ndarray: ...
    def predict_log_proba(self, X: Any) -> np.ndarray: ...
    def predict_proba(self, X: Any) -> np.ndarray: ...

class NuSVR(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    C: float | None
    nu: float | None
    kernel: Literal['linear', 'polynomial', 'gaussian', 'laplacian', 'exponential', 'student', 'sigmoid', 'arccos', 'chi-squared', 'intersection', 'precomputed', 'poly', 'rbf'] | None
    gamma: float | Literal['scale', 'auto', 'median', 'nearest'] | None
    sigma: float | None
    q: float | None
    coef0: float | None
    degree: int | None
    a: float | None
    depth: int | None
    tol: float | None
    max_iter: int | None
    cache_size: int | None
    precision: Literal['auto', 'f32', 'f64'] | None
    n_jobs: int | None
    def __init__(
        self,
        C: float | None = 1.0,
        *,
        nu: float | None = 0.5,
        kernel: Literal['linear', 'polynomial', 'gaussian', 'laplacian', 'exponential', 'student', 'sigmoid', 'arccos', 'chi-squared', 'intersection', 'precomputed', 'poly', 'rbf'] | None = 'gaussian',
        gamma: float | Literal['scale', 'auto', 'median', 'nearest'] | None = 'scale',
        sigma: float | None = 0.0,
        q: float | None = 2.0,
        coef0: float | None = 0.0,
        degree: int | None = 3,
        a: float | None = 1.0,
        depth: int | None = 1,
        tol: float | None = 0.001,
        max_iter: int | None = 100000000,
        cache_size: int | None = 2000,
        precision: Literal['auto', 'f32', 'f64'] | None = 'auto',
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any) -> np.ndarray: ...

class OneClassSVM(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    nu: float | None
    kernel: Literal['linear', 'polynomial', 'gaussian', 'laplacian', 'exponential', 'student', 'sigmoid', 'arccos', 'chi-squared', 'intersection', 'precomputed', 'poly', 'rbf'] | None
    gamma: float | Literal['scale', 'auto', 'median', 'nearest'] | None
    sigma: float | None
    q: float | None
    coef0: float | None
    degree: int | None
    a: float | None
    depth: int | None
    tol: float | None
    max_iter: int | None
    cache_size: int | None
    precision: Literal['auto', 'f32', 'f64'] | None
    n_jobs: int | None
    def __init__(
        self,
        nu: float | None = 0.05,
        *,
        kernel: Literal['linear', 'polynomial', 'gaussian', 'laplacian', 'exponential', 'student', 'sigmoid', 'arccos', 'chi-squared', 'intersection', 'precomputed', 'poly', 'rbf'] | None = 'gaussian',
        gamma: float | Literal['scale', 'auto', 'median', 'nearest'] | None = 'scale',
        sigma: float | None = 0.0,
        q: float | None = 2.0,
        coef0: float | None = 0.0,
        degree: int | None = 3,
        a: float | None = 1.0,
        depth: int | None = 1,
        tol: float | None = 0.001,
        max_iter: int | None = 100000000,
        cache_size: int | None = 2000,
        precision: Literal['auto', 'f32', 'f64'] | None = 'auto',
        n_jobs: int | None = None,
    ) -> None: ...
    def decision_function(self, X: Any) -> np.ndarray: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any) -> np.ndarray: ...
    def score_samples(self, X: Any) -> np.ndarray: ...

class OneHotEncoder(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    handle_unknown: Literal['refuse', 'ignore', 'error'] | None
    max_levels: int | None
    beyond: Literal['refuse', 'frequency', 'error'] | None
    n_jobs: int | None
    def __init__(
        self,
        handle_unknown: Literal['refuse', 'ignore', 'error'] | None = 'refuse',
        *,
        max_levels: int | None = 10000,
        beyond: Literal['refuse', 'frequency', 'error'] | None = 'refuse',
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray: ...
    def transform(self, X: Any) -> Any: ...

class OrdinalEncoder(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    handle_unknown: Literal['refuse', 'ignore', 'error'] | None
    order: str | float | None
    max_levels: int | None
    beyond: Literal['refuse', 'frequency', 'error'] | None
    n_jobs: int | None
    def __init__(
        self,
        handle_unknown: Literal['refuse', 'ignore', 'error'] | None = 'refuse',
        *,
        order: str | float | None = '',
        max_levels: int | None = 10000,
        beyond: Literal['refuse', 'frequency', 'error'] | None = 'refuse',
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray: ...
    def transform(self, X: Any) -> Any: ...

class PCA(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    n_components: int | None
    share: float | None
    n_jobs: int | None
    def __init__(
        self,
        n_components: int | None = 0,
        *,
        share: float | None = 0.95,
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray: ...
    def transform(self, X: Any) -> Any: ...

class PatchExtractor(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    side: int | None
    stride: int | None
    n_jobs: int | None
    def __init__(
        self,
        side: int | None = 2,
        *,
        stride: int | None = 1,
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray: ...
    def transform(self, X: Any) -> Any: ...

class RBFClassifier(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    classes_: np.ndarray
    n_units: int | None
    spread: Literal['isotropic', 'diagonal', 'full', 'pooled'] | None
    width: float | None
    alpha: float | None
    n_init: int | None
    max_iter: int | None
    class_weight: Mapping[Any, float] | str | None
    random_state: int | Any | None
    n_jobs: int | None
    def __init__(
        self,
        n_units: int | None = 20,
        *,
        spread: Literal['isotropic', 'diagonal', 'full', 'pooled'] | None = 'isotropic',
        width: float | None = 1.0,
        alpha: float | None = 0.001,
        n_init: int | None = 4,
        max_iter: int | None = 0,
        class_weight: Mapping[Any, float] | str | None = None,
        random_state: int | Any | None = 0,
        n_jobs: int | None = None,
    ) -> None: ...
    def decision_function(self, X: Any) -> np.ndarray: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any) -> np.ndarray: ...
    def predict_log_proba(self, X: Any) -> np.ndarray: ...
    def predict_proba(self, X: Any) -> np.ndarray: ...

class RBFRegressor(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    n_units: int | None
    spread: Literal['isotropic', 'diagonal', 'full', 'pooled'] | None
    width: float | None
    alpha: float | None
    n_init: int | None
    max_iter: int | None
    random_state: int | Any | None
    n_jobs: int | None
    def __init__(
        self,
        n_units: int | None = 20,
        *,
        spread: Literal['isotropic', 'diagonal', 'full', 'pooled'] | None = 'isotropic',
        width: float | None = 1.0,
        alpha: float | None = 0.001,
        n_init: int | None = 4,
        max_iter: int | None = 0,
        random_state: int | Any | None = 0,
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any) -> np.ndarray: ...

class RandomFlip(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    estimator: BaseEstimator | None
    axis: Literal['horizontal', 'vertical'] | None
    random_state: int | Any | None
    def __init__(
        self,
        estimator: BaseEstimator | None = None,
        *,
        axis: Literal['horizontal', 'vertical'] | None = 'horizontal',
        random_state: int | Any | None = 0,
    ) -> None: ...
    def decision_function(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def details(self, X: Any, more: Any, **named: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, more: Any, **named: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def predict_log_proba(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def predict_proba(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def score(self, X: Any, y: Any = None) -> float: ...
    def score_samples(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...

class RandomForestClassifier(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    classes_: np.ndarray
    n_estimators: int | None
    criterion: Literal['auto', 'gini', 'entropy', 'squared-error'] | None
    max_features: float | Literal['auto', 'all', 'sqrt', 'log2', 'third'] | None
    bootstrap: bool | None
    max_depth: int | None
    min_samples_split: float | None
    min_samples_leaf: float | None
    min_weight_fraction_leaf: float | None
    min_impurity_decrease: float | None
    oob_score: bool | None
    boxes: bool | None
    class_weight: Mapping[Any, float] | str | None
    random_state: int | Any | None
    n_jobs: int | None
    def __init__(
        self,
        n_estimators: int | None = 100,
        *,
        criterion: Literal['auto', 'gini', 'entropy', 'squared-error'] | None = 'auto',
        max_features: float | Literal['auto', 'all', 'sqrt', 'log2', 'third'] | None = 'auto',
        bootstrap: bool | None = True,
        max_depth: int | None = 0,
        min_samples_split: float | None = 0.0,
        min_samples_leaf: float | None = 0.0,
        min_weight_fraction_leaf: float | None = 0.0,
        min_impurity_decrease: float | None = 0.0,
        oob_score: bool | None = True,
        boxes: bool | None = False,
        class_weight: Mapping[Any, float] | str | None = None,
        random_state: int | Any | None = 0,
        n_jobs: int | None = None,
    ) -> None: ...
    def decision_function(self, X: Any) -> np.ndarray: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any) -> np.ndarray: ...
    def predict_log_proba(self, X: Any) -> np.ndarray: ...
    def predict_proba(self, X: Any) -> np.ndarray: ...

class RandomForestRegressor(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    n_estimators: int | None
    criterion: Literal['auto', 'gini', 'entropy', 'squared-error'] | None
    max_features: float | Literal['auto', 'all', 'sqrt', 'log2', 'third'] | None
    bootstrap: bool | None
    max_depth: int | None
    min_samples_split: float | None
    min_samples_leaf: float | None
    min_weight_fraction_leaf: float | None
    min_impurity_decrease: float | None
    oob_score: bool | None
    boxes: bool | None
    random_state: int | Any | None
    n_jobs: int | None
    def __init__(
        self,
        n_estimators: int | None = 100,
        *,
        criterion: Literal['auto', 'gini', 'entropy', 'squared-error'] | None = 'auto',
        max_features: float | Literal['auto', 'all', 'sqrt', 'log2', 'third'] | None = 'auto',
        bootstrap: bool | None = True,
        max_depth: int | None = 0,
        min_samples_split: float | None = 0.0,
        min_samples_leaf: float | None = 0.0,
        min_weight_fraction_leaf: float | None = 0.0,
        min_impurity_decrease: float | None = 0.0,
        oob_score: bool | None = True,
        boxes: bool | None = False,
        random_state: int | Any | None = 0,
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any) -> np.ndarray: ...

class RandomOverSampler(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    estimator: BaseEstimator | None
    sampling_strategy: float | None
    random_state: int | Any | None
    def __init__(
        self,
        estimator: BaseEstimator | None = None,
        *,
        sampling_strategy: float | None = 1.0,
        random_state: int | Any | None = 0,
    ) -> None: ...
    def decision_function(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def details(self, X: Any, more: Any, **named: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, more: Any, **named: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def predict_log_proba(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def predict_proba(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def score(self, X: Any, y: Any = None) -> float: ...
    def score_samples(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...

class RandomRotation(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    estimator: BaseEstimator | None
    degrees: float | None
    copies: int | None
    edge: Literal['zero', 'nearest'] | None
    random_state: int | Any | None
    def __init__(
        self,
        estimator: BaseEstimator | None = None,
        *,
        degrees: float | None = 10.0,
        copies: int | None = 1,
        edge: Literal['zero', 'nearest'] | None = 'zero',
        random_state: int | Any | None = 0,
    ) -> None: ...
    def decision_function(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def details(self, X: Any, more: Any, **named: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, more: Any, **named: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def predict_log_proba(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def predict_proba(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def score(self, X: Any, y: Any = None) -> float: ...
    def score_samples(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...

class RandomShift(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    estimator: BaseEstimator | None
    pixels: int | None
    copies: int | None
    edge: Literal['zero', 'nearest'] | None
    random_state: int | Any | None
    def __init__(
        self,
        estimator: BaseEstimator | None = None,
        *,
        pixels: int | None = 1,
        copies: int | None = 2,
        edge: Literal['zero', 'nearest'] | None = 'zero',
        random_state: int | Any | None = 0,
    ) -> None: ...
    def decision_function(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def details(self, X: Any, more: Any, **named: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, more: Any, **named: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def predict_log_proba(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def predict_proba(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def score(self, X: Any, y: Any = None) -> float: ...
    def score_samples(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...

class RandomUnderSampler(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    estimator: BaseEstimator | None
    sampling_strategy: float | None
    random_state: int | Any | None
    def __init__(
        self,
        estimator: BaseEstimator | None = None,
        *,
        sampling_strategy: float | None = 1.0,
        random_state: int | Any | None = 0,
    ) -> None: ...
    def decision_function(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def details(self, X: Any, more: Any, **named: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, more: Any, **named: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def predict_log_proba(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def predict_proba(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def score(self, X: Any, y: Any = None) -> float: ...
    def score_samples(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...

class RegressionImputer(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    alpha: float | None
    sample_posterior: bool | None
    random_state: int | Any | None
    n_jobs: int | None
    def __init__(
        self,
        alpha: float | None = 1.0,
        *,
        sample_posterior: bool | None = False,
        random_state: int | Any | None = 0,
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray: ...
    def transform(self, X: Any) -> Any: ...

class Ridge(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    alpha: float | None
    fit_intercept: bool | None
    posterior: bool | None
    noise: float | None
    solver: Literal['auto', 'direct', 'iterative'] | None
    tol: float | None
    max_iter: int | None
    n_jobs: int | None
    def __init__(
        self,
        alpha: float | None = 1.0,
        *,
        fit_intercept: bool | None = True,
        posterior: bool | None = False,
        noise: float | None = 0.0,
        solver: Literal['auto', 'direct', 'iterative'] | None = 'auto',
        tol: float | None = 1e-12,
        max_iter: int | None = 10000,
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any) -> np.ndarray: ...

class RobustScaler(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    middle: float | None
    n_jobs: int | None
    def __init__(
        self,
        middle: float | None = 0.5,
        *,
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray: ...
    def transform(self, X: Any) -> Any: ...

class SMOTE(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    estimator: BaseEstimator | None
    k_neighbors: int | None
    sampling_strategy: float | None
    random_state: int | Any | None
    def __init__(
        self,
        estimator: BaseEstimator | None = None,
        *,
        k_neighbors: int | None = 5,
        sampling_strategy: float | None = 1.0,
        random_state: int | Any | None = 0,
    ) -> None: ...
    def decision_function(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def details(self, X: Any, more: Any, **named: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, more: Any, **named: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def predict_log_proba(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def predict_proba(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def score(self, X: Any, y: Any = None) -> float: ...
    def score_samples(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...

class SVC(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    classes_: np.ndarray
    C: float | None
    multiclass: Literal['pairs', 'rest', 'ovo', 'ovr'] | None
    kernel: Literal['linear', 'polynomial', 'gaussian', 'laplacian', 'exponential', 'student', 'sigmoid', 'arccos', 'chi-squared', 'intersection', 'precomputed', 'poly', 'rbf'] | None
    gamma: float | Literal['scale', 'auto', 'median', 'nearest'] | None
    sigma: float | None
    q: float | None
    coef0: float | None
    degree: int | None
    a: float | None
    depth: int | None
    tol: float | None
    max_iter: int | None
    cache_size: int | None
    precision: Literal['auto', 'f32', 'f64'] | None
    class_weight: Mapping[Any, float] | str | None
    warm_start: bool
    n_jobs: int | None
    def __init__(
        self,
        C: float | None = 1.0,
        *,
        multiclass: Literal['pairs', 'rest', 'ovo', 'ovr'] | None = 'pairs',
        kernel: Literal['linear', 'polynomial', 'gaussian', 'laplacian', 'exponential', 'student', 'sigmoid', 'arccos', 'chi-squared', 'intersection', 'precomputed', 'poly', 'rbf'] | None = 'gaussian',
        gamma: float | Literal['scale', 'auto', 'median', 'nearest'] | None = 'scale',
        sigma: float | None = 0.0,
        q: float | None = 2.0,
        coef0: float | None = 0.0,
        degree: int | None = 3,
        a: float | None = 1.0,
        depth: int | None = 1,
        tol: float | None = 0.001,
        max_iter: int | None = 100000000,
        cache_size: int | None = 2000,
        precision: Literal['auto', 'f32', 'f64'] | None = 'auto',
        class_weight: Mapping[Any, float] | str | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
    ) -> None: ...
    def decision_function(self, X: Any) -> np.ndarray: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any) -> np.ndarray: ...
    def predict_log_proba(self, X: Any) -> np.ndarray: ...
    def predict_proba(self, X: Any) -> np.ndarray: ...

class SVDD(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    nu: float | None
    kernel: Literal['linear', 'polynomial', 'gaussian', 'laplacian', 'exponential', 'student', 'sigmoid', 'arccos', 'chi-squared', 'intersection', 'precomputed', 'poly', 'rbf'] | None
    gamma: float | Literal['scale', 'auto', 'median', 'nearest'] | None
    sigma: float | None
    q: float | None
    coef0: float | None
    degree: int | None
    a: float | None
    depth: int | None
    tol: float | None
    max_iter: int | None
    cache_size: int | None
    precision: Literal['auto', 'f32', 'f64'] | None
    n_jobs: int | None
    def __init__(
        self,
        nu: float | None = 0.05,
        *,
        kernel: Literal['linear', 'polynomial', 'gaussian', 'laplacian', 'exponential', 'student', 'sigmoid', 'arccos', 'chi-squared', 'intersection', 'precomputed', 'poly', 'rbf'] | None = 'gaussian',
        gamma: float | Literal['scale', 'auto', 'median', 'nearest'] | None = 'scale',
        sigma: float | None = 0.0,
        q: float | None = 2.0,
        coef0: float | None = 0.0,
        degree: int | None = 3,
        a: float | None = 1.0,
        depth: int | None = 1,
        tol: float | None = 0.001,
        max_iter: int | None = 100000000,
        cache_size: int | None = 2000,
        precision: Literal['auto', 'f32', 'f64'] | None = 'auto',
        n_jobs: int | None = None,
    ) -> None: ...
    def decision_function(self, X: Any) -> np.ndarray: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any) -> np.ndarray: ...
    def score_samples(self, X: Any) -> np.ndarray: ...

class SVR(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    C: float | None
    epsilon: float | None
    kernel: Literal['linear', 'polynomial', 'gaussian', 'laplacian', 'exponential', 'student', 'sigmoid', 'arccos', 'chi-squared', 'intersection', 'precomputed', 'poly', 'rbf'] | None
    gamma: float | Literal['scale', 'auto', 'median', 'nearest'] | None
    sigma: float | None
    q: float | None
    coef0: float | None
    degree: int | None
    a: float | None
    depth: int | None
    tol: float | None
    max_iter: int | None
    cache_size: int | None
    precision: Literal['auto', 'f32', 'f64'] | None
    n_jobs: int | None
    def __init__(
        self,
        C: float | None = 1.0,
        *,
        epsilon: float | None = 0.1,
        kernel: Literal['linear', 'polynomial', 'gaussian', 'laplacian', 'exponential', 'student', 'sigmoid', 'arccos', 'chi-squared', 'intersection', 'precomputed', 'poly', 'rbf'] | None = 'gaussian',
        gamma: float | Literal['scale', 'auto', 'median', 'nearest'] | None = 'scale',
        sigma: float | None = 0.0,
        q: float | None = 2.0,
        coef0: float | None = 0.0,
        degree: int | None = 3,
        a: float | None = 1.0,
        depth: int | None = 1,
        tol: float | None = 0.001,
        max_iter: int | None = 100000000,
        cache_size: int | None = 2000,
        precision: Literal['auto', 'f32', 'f64'] | None = 'auto',
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any) -> np.ndarray: ...

class SelectKBest(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    k: int | None
    score_func: Literal['correlation', 'mutual-information', 'f-value'] | None
    share: float | None
    bins: int | None
    n_jobs: int | None
    def __init__(
        self,
        k: int | None = 0,
        *,
        score_func: Literal['correlation', 'mutual-information', 'f-value'] | None = 'correlation',
        share: float | None = 0.5,
        bins: int | None = 10,
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray: ...
    def transform(self, X: Any) -> Any: ...

class SequentialFeatureSelector(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    estimator: BaseEstimator | None
    n_features_to_select: int | None
    cv: int | None
    tol: float | None
    scoring: str | float | None
    random_state: int | Any | None
    def __init__(
        self,
        estimator: BaseEstimator | None = None,
        *,
        n_features_to_select: int | None = 0,
        cv: int | None = 5,
        tol: float | None = 0.0,
        scoring: str | float | None = 'usual',
        random_state: int | Any | None = 0,
    ) -> None: ...
    def decision_function(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def details(self, X: Any, more: Any, **named: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, more: Any, **named: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def predict(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def predict_log_proba(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def predict_proba(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...
    def score(self, X: Any, y: Any = None) -> float: ...
    def score_samples(self, X: Any, more: Any, **named: Any) -> np.ndarray: ...

class SimpleImputer(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    strategy: Literal['mean', 'median', 'zero', 'most-frequent'] | None
    add_indicator: bool | None
    n_jobs: int | None
    def __init__(
        self,
        strategy: Literal['mean', 'median', 'zero', 'most-frequent'] | None = 'mean',
        *,
        add_indicator: bool | None = False,
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray: ...
    def transform(self, X: Any) -> Any: ...

class StandardScaler(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    with_mean: bool | None
    with_std: bool | None
    n_jobs: int | None
    def __init__(
        self,
        with_mean: bool | None = True,
        *,
        with_std: bool | None = True,
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray: ...
    def transform(self, X: Any) -> Any: ...

class SymmetricScaler(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    n_jobs: int | None
    def __init__(
        self,
        *,
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray: ...
    def transform(self, X: Any) -> Any: ...

class TfidfVectorizer(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    max_features: int | None
    min_df: int | None
    max_df: float | None
    ngrams: int | None
    min_length: int | None
    stop_words: str | float | None
    stem: Literal['none', 'arabic', 'danish', 'dutch', 'english', 'finnish', 'french', 'german', 'greek', 'hungarian', 'italian', 'norwegian', 'portuguese', 'romanian', 'russian', 'spanish', 'swedish', 'tamil', 'turkish'] | None
    numbers: Literal['as-is', 'scaled'] | None
    n_jobs: int | None
    def __init__(
        self,
        max_features: int | None = 100000,
        *,
        min_df: int | None = 1,
        max_df: float | None = 1.0,
        ngrams: int | None = 1,
        min_length: int | None = 2,
        stop_words: str | float | None = '',
        stem: Literal['none', 'arabic', 'danish', 'dutch', 'english', 'finnish', 'french', 'german', 'greek', 'hungarian', 'italian', 'norwegian', 'portuguese', 'romanian', 'russian', 'spanish', 'swedish', 'tamil', 'turkish'] | None = 'none',
        numbers: Literal['as-is', 'scaled'] | None = 'as-is',
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray: ...
    def transform(self, X: Any) -> Any: ...

class Whitener(BaseEstimator):
    machine_: Machine
    certificate_: Certificate
    n_features_in_: int
    n_components: int | None
    n_jobs: int | None
    def __init__(
        self,
        n_components: int | None = 0,
        *,
        n_jobs: int | None = None,
    ) -> None: ...
    def details(self, X: Any) -> dict[str, np.ndarray]: ...
    def explain(self, X: Any, method: str | None = None, output: Any = None, **settings: Any) -> Explanation: ...
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self: ...
    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray: ...
    def transform(self, X: Any) -> Any: ...
