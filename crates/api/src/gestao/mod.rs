//! The management API: the registers and daily work of the association.

pub mod arquivo;
pub mod associado;
pub mod auditoria;
pub mod base;
pub mod beneficio;
pub mod cadastro;
pub mod caso;
pub mod cobranca;
pub mod consulta;
pub mod desconto;
pub mod entrega;
pub mod evento;
pub mod exportacao;
pub mod financeiro;
pub mod help_desk;
pub mod historico;
pub mod importacao;
pub mod lancamento;
pub mod livro;
pub mod negocio;
pub mod receptor;
pub mod revisao;
pub mod sessao;
pub mod usuario;
pub mod valor_combinado;
pub mod vistoria;
