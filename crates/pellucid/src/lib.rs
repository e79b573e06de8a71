//! Learning machines you can see through: the door to all of Pellucid.
