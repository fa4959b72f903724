//! The records of the interface, one module for each of its sections. A field's comment is what the documentation
//! shows to whoever integrates, so it is in Portuguese.

mod access;
mod administration;
mod benefit;
mod user;

pub use access::{AcessoTO, LojaPermitidaTO, PlanoAcessoTO};
pub use administration::CodigoNomeTO;
pub use benefit::{DiaVencimentoTO, ListaDiaVencimentoTO, SituacaoBeneficioTO, TipoVeiculoBean};
pub use user::{UsuarioInput, UsuarioTO};
