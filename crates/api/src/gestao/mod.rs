//! What the association registers and operates by itself.

pub mod auditoria;
pub mod cadastro;
pub mod entrega;
pub mod historico;
pub mod receptor;
pub mod usuario;
