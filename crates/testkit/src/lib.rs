//! The promises every learner keeps, as tests.
