"""The tests ask for one learner more than the catalog has: what is true of it is true of every later one."""

import os

os.environ["PELLUCID_TRIAL"] = "1"
os.environ["SCIPY_ARRAY_API"] = "1"  # Else scikit-learn skips a check.
