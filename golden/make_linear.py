"""Writes golden/linear/*: data and the answers of SciPy and scikit-learn.

Run with Python 3.11+ and the packages named in each file's first line: python golden/make_linear.py
"""
import os
import numpy as np, scipy, sklearn
from scipy.linalg import pinv
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import DotProduct
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "linear")
SCIPY = f"scipy {scipy.__version__}, golden/make_linear.py"
SKLEARN = f"scikit-learn {sklearn.__version__}, golden/make_linear.py"


def write(name, maker, values):
    with open(os.path.join(HERE, name + ".txt"), "w") as f:
        f.write(f"# {maker}\n")
        f.writelines(f"{float(v)!r}\n" for v in np.ravel(values))


r = np.random.RandomState(0)


def data(name, n, d, classes=0):
    """Points with columns of different size and correlation, weights, and a target."""
    X = r.randn(n, d) @ (np.eye(d) + 0.3 * r.randn(d, d)) * np.linspace(0.5, 3.0, d) + np.linspace(-2, 2, d)
    w = r.uniform(0.2, 3.0, n)
    if classes:
        y = np.argmax(X @ r.randn(d, classes) + 1.5 * r.randn(n, classes), axis=1).astype(float)
        y[:classes] = np.arange(classes)
    else:
        y = X @ r.randn(d) + 3.0 + 0.5 * r.randn(n)
    write(name, f"numpy {np.__version__}, golden/make_linear.py: {n} rows of {d} coordinates, weight, target", np.c_[X, w, y])
    return X, w, y


def parts(model):
    return np.r_[np.ravel(model.coef_), np.ravel(model.intercept_)]


# Tall (left), wide (right) and rank-deficient (only the unified limit exists).
for name, n, d in (("tall", 40, 6), ("wide", 8, 20)):
    X, w, y = data(name, n, d)
    write(name + "_pinv", SCIPY, pinv(X) @ y)
    write(name + "_regression", SKLEARN, parts(LinearRegression(tol=1e-15).fit(X, y, sample_weight=w)))
    for gamma in (0.01, 1.0, 100.0):
        write(f"{name}_ridge_{gamma:g}", SKLEARN, parts(Ridge(alpha=gamma, solver="cholesky").fit(X, y, sample_weight=w)))
    # The posterior of weights with prior variance tau^2 is a Gaussian process with kernel tau^2 x.x'.
    noise, gamma = 0.25, 2.0
    gp = GaussianProcessRegressor(kernel=(noise / gamma) * DotProduct(sigma_0=1e-12, sigma_0_bounds="fixed"), alpha=noise, optimizer=None)
    mean, deviation = gp.fit(X, y).predict(X, return_std=True)
    write(name + "_posterior", SKLEARN + ", Gaussian process with noise 0.25 and kernel 0.125 x.x': means, then variances of a new observation",
          np.r_[mean, deviation**2 + noise])
X, w, y = data("deficient", 30, 5)
write("deficient_pinv", SCIPY + ", fourth column replaced by the sum of the first two", pinv(np.c_[X[:, :3], X[:, 0] + X[:, 1], X[:, 4]]) @ y)

for name, n, d, classes in (("two", 60, 4, 2), ("four", 120, 5, 4)):
    X, w, y = data(name, n, d, classes)
    for gamma in (0.01, 1.0, 30.0):
        for weights, mark in ((None, ""), (w, "_weighted")):
            model = LogisticRegression(C=1 / gamma, tol=1e-14, max_iter=100000, solver="newton-cholesky").fit(X, y, sample_weight=weights)
            write(f"{name}_logistic_{gamma:g}{mark}", SKLEARN + ": probabilities row by row", model.predict_proba(X))
