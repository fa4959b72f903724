//! What the association registers and operates by itself.

pub mod auditoria;
pub mod historico;
pub mod usuario;
