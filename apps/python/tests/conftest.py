"""The tests ask for one learner more than the catalog has: what is true of it is true of every later one."""

import os

os.environ["PELLUCID_TRIAL"] = "1"
