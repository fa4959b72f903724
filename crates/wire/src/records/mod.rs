//! The records of the API, one module for each of its sections. A field's comment is published in the documentation, so
//! it is in Portuguese.

mod access;
mod administration;
mod amount;
mod base;
mod benefit;
mod benefit_input;
mod benefit_search;
mod case;
mod case_input;
mod case_parts;
mod change;
mod claim;
mod contact;
mod credit_card;
mod deal;
mod deal_input;
mod dependent;
mod equipment;
mod export;
mod file;
mod full_benefit;
mod import;
mod item;
mod lead;
mod management;
mod member;
mod member_search;
mod nested;
mod page;
mod person;
mod receiver;
mod sales;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_of_input;
mod user;
mod validation;
mod vehicle;

pub use access::{AcessoTO, LojaPermitidaTO, PlanoAcessoTO, SessaoEncerradaTO};
pub use administration::{
    CampoAdicionalOutputTO, CodigoNomeTO, FornecedorTO, PesquisaVendedorOutputTO, PesquisaVendedorQuery,
};
pub use amount::JsonAmount;
pub use base::{BaseInput, BaseTO, ParceiroValidacaoInput, ParceiroValidacaoTO, read_base_body};
pub use benefit::{
    BeneficioOutputTO, DiaVencimentoTO, ListaDiaVencimentoTO, SituacaoBeneficioTO, TipoVeiculoBean,
};
pub use benefit_input::{
    BeneficioAlteracaoInput, BeneficioCampos, BeneficioInput, BeneficioVeiculoInput, CampoAdicionalInput,
    CancelamentoInput, ItemAlteracaoInput, SituacaoBeneficioInput,
};
pub use benefit_search::{
    CampoAdicionalValorTO, ListaBeneficioQuery, PesquisaBeneficioOutputTO, PesquisaBeneficioQuery,
    PlanoValorTO,
};
pub use case::{CasoItemTO, ConsultaGestaoTO, EventoGestaoTO, HelpDeskGestaoTO, VistoriaGestaoTO};
pub use case_input::{
    AtrasadosQuery, CasoCampos, CasoQuery, ChecklistItemInput, ConsultaGestaoInput, EventoGestaoInput,
    HelpDeskGestaoInput, NotaInput, SituacaoInput, VistoriaGestaoInput,
};
pub use case_parts::{ChecklistItemTO, EventoRelacionadoTO, NotaTO, ProximaSituacaoTO};
pub use change::{AlteracaoTO, HistoricoRegistroTO};
pub use claim::{EventoListaTO, EventoTO, PesquisaEventoQuery, PessoaTO};
pub use contact::{EnderecoInput, EnderecoTO, TelefoneInput, TelefoneTO};
pub use credit_card::CartaoCreditoTO;
pub use deal::{
    HistoricoNegocioTO, NegocioDependenteTO, NegocioOutputTO, NegocioTO, PesquisaNegocioOutputTO,
    PesquisaNegocioQuery,
};
pub use deal_input::{NegocioAlteracaoInput, NegocioCriacaoInput, NegocioDependenteInput, NegocioInput};
pub use dependent::{
    DependenteBasicoOutputTO, DependenteCompletoOutputTO, DependenteInput, PesquisaDependenteOutputTO,
    PesquisaDependenteQuery, PlanoReferenciaInput, TitularTO,
};
pub use equipment::RastreadorInstalacaoTO;
pub use export::{
    AuditoriaExportacaoQuery, BeneficioExportacaoQuery, EntregaExportacaoQuery, ExportacaoQuery,
};
pub use file::{ArquivoQuery, ArquivoTO};
pub use full_benefit::BeneficioTO;
pub use import::{
    CampoImportacaoTO, ColunaInput, ColunaTO, ColunasInput, DepoisDaLinhaQuery, ErroImportacaoTO,
    ImportacaoArquivoQuery, ImportacaoQuery, ImportacaoTO, InicioImportacaoInput, MantidoTO,
};
pub use item::{ItemBeneficioInput, ItemBeneficioOutputTO};
pub use lead::{
    ContatoInput, EtapaTO, FunilTO, LeadInput, LeadOutputTO, PesquisaLeadQuery, PessoaLeadOutputTO,
};
pub use management::{
    AuditoriaQuery, AuditoriaTO, HistoricoQuery, HistoricoTO, MudancaTO, PessoaVistaTO, RegistroAuditoriaTO,
};
pub use member::{AssociadoTO, BeneficioResumoTO};
pub use member_search::{PesquisaAssociadoOutputTO, PesquisaAssociadoQuery};
pub use page::{ListPage, PagedRecord};
pub use person::{AssociadoInput, PessoaCampos, PessoaInput, PessoaOutputTO};
pub use receiver::{
    CabecalhoInput, EntregaQuery, EntregaTO, EntregasTO, MotivoInput, ReceptorAlteracaoInput,
    ReceptorCriadoTO, ReceptorInput, ReceptorTO, ReenvioInput, ReenvioTO, SegredoTO, TentativaTO,
    TesteReceptorInput, TesteReceptorTO,
};
pub use sales::{
    EtapaInput, EtapaQuadroTO, GanhoInput, LeadAlteracaoInput, LeadGestaoTO, LeadMaisTO, LeadQuery,
    NegocioAndamentoTO, NegocioCompletoTO, NegocioGestaoTO, NegocioQuery, NegocioResultadoTO, PerdaInput,
    QuadroQuery, QuadroTO, ReaberturaInput,
};
pub use user::{UsuarioAlteracaoInput, UsuarioInput, UsuarioQuery, UsuarioTO};
pub use validation::{ValidacaoBeneficioInput, ValidacaoBeneficioOutputTO};
pub use vehicle::{VeiculoCampos, VeiculoInput, VeiculoTO};
