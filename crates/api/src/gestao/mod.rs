//! What the association registers and operates by itself.

pub mod usuario;
