# %% [markdown]
# # Explaining an ONNX file
# Any network in an ONNX file is explained as it is, without the framework it came from. Here one of ours is written and
# read back; a file of yours is used in the same way.

# %%
import numpy as np
from sklearn.datasets import load_digits

import pellucid

X, y = load_digits(return_X_y=True)
network = pellucid.MLPClassifier(hidden_layer_sizes=(32,), max_iter=30).fit(X[:1500], y[:1500])
print("accuracy:", network.score(X[1500:], y[1500:]))
pellucid.save(network, "digits.onnx")

# %%
print(*sorted(pellucid.methods("digits.onnx")), sep=", ")

# %% [markdown]
# Integrated gradients add up to the score less that of the baseline; LRP says what the bias took.

# %%
rows = X[1500:1504]
for method in ("input-gradient", "integrated-gradients", "lrp-epsilon"):
    why = pellucid.explain("digits.onnx", rows, method=method)
    place = int(np.argmax(why.values[0]))
    print(f"{method:22} class {why.outputs[0]}, most relevant pixel: row {place // 8}, column {place % 8}")
    if why.balance is not None:
        parts = why.balance["sum"] + why.balance["absorbed"] + why.balance["lost"]
        assert np.allclose(parts, why.balance["score"], rtol=1e-4, atol=1e-4)
