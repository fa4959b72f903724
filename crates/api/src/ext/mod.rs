//! The API, version 1.84: one module for each part of its paths.

pub mod administracao;
pub mod associado;
pub mod autenticacao;
pub mod beneficio;
pub mod boleto;
pub mod crm;
pub mod evento;
pub mod financeiro;
mod pix_picture;
pub mod validacao;
