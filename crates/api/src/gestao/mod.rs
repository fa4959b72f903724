//! The management API: the registers and daily work of the association.

pub mod arquivo;
pub mod associado;
pub mod auditoria;
pub mod base;
pub mod beneficio;
pub mod cadastro;
pub mod caso;
pub mod consulta;
pub mod entrega;
pub mod evento;
pub mod exportacao;
pub mod help_desk;
pub mod historico;
pub mod importacao;
pub mod negocio;
pub mod receptor;
pub mod sessao;
pub mod usuario;
pub mod vistoria;
