//! What the association registers and operates by itself.

pub mod auditoria;
pub mod caso;
pub mod consulta;
pub mod cadastro;
pub mod entrega;
pub mod evento;
pub mod help_desk;
pub mod historico;
pub mod receptor;
pub mod usuario;
pub mod vistoria;
