# %% [markdown]
# # Which rows are strange, and why
# A one-class SVM learns what is usual; every row it finds strange is told column by column, and the parts add up.

# %%
import numpy as np

import pellucid

rng = np.random.default_rng(0)
names = ["temperature", "pressure", "flow", "vibration"]
usual = rng.normal([60.0, 2.0, 10.0, 0.1], [2.0, 0.1, 1.0, 0.02], size=(500, 4))
new = np.array([[60.5, 2.05, 10.2, 0.11], [61.0, 2.0, 9.8, 0.35], [48.0, 2.1, 10.0, 0.1]])

# %% [markdown]
# Columns of such different scales are brought to one first.

# %%
scale = pellucid.StandardScaler().fit(usual)
detector = pellucid.OneClassSVM(nu=0.05).fit(scale.transform(usual))
print("1 is usual, -1 strange:", detector.predict(scale.transform(new)))

# %%
why = detector.explain(scale.transform(new))
for row, (relevance, score) in enumerate(zip(why.values, why.balance["score"])):
    column = int(np.argmax(relevance))
    print(f"row {row}: outlierness {score:.2f}, most of it from {names[column]} ({relevance[column]:.2f})")
parts = why.balance["sum"] + why.balance["absorbed"] + why.balance["lost"]
assert np.allclose(parts, why.balance["score"])
assert names[int(np.argmax(why.values[1]))] == "vibration"
assert names[int(np.argmax(why.values[2]))] == "temperature"

# %% [markdown]
# In a notebook `why` draws itself; as a file:

# %%
with open("anomaly.svg", "w", encoding="utf-8") as file:
    file.write(why.plot(row=1))
