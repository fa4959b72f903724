//! What the association registers and operates by itself.

pub mod associado;
pub mod auditoria;
pub mod base;
pub mod beneficio;
pub mod entrega;
pub mod historico;
pub mod negocio;
pub mod receptor;
pub mod usuario;
