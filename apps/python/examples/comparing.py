# %% [markdown]
# # Comparing machines
# Every machine meets the same held-out rows; the page has means, intervals and significance.

# %%
from sklearn.datasets import load_wine
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import pellucid

X, y = load_wine(return_X_y=True)
machines = {
    "forest": pellucid.RandomForestClassifier(n_estimators=50),
    "neighbours": make_pipeline(pellucid.StandardScaler(), pellucid.KNeighborsClassifier()),
    "margin": make_pipeline(pellucid.StandardScaler(), pellucid.SVC()),
}
found = pellucid.compare(machines, X, y, folds=5, path="comparison.html")
for name, mean, deviation in zip(found.machine, found.mean, found.deviation):
    print(f"{name:12} {found.measure} {mean:.3f} ± {deviation:.3f}")
assert min(found.mean) > 0.9

# %% [markdown]
# scikit-learn's own tools take the same machines; a fit says how far it is from the optimum.

# %%
search = GridSearchCV(machines["margin"], {"svc__C": [0.1, 1.0, 10.0]}, cv=5).fit(X, y)
best = search.best_estimator_[-1]
print("C =", best.C, "gap:", best.certificate_.gap)
assert best.certificate_.converged
