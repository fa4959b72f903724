//! The records of the API, one module for each of its sections. A field's comment is published in the documentation, so
//! it is in Portuguese.

mod access;
mod administration;
mod amount;
mod base;
mod benefit;
mod benefit_input;
mod benefit_search;
mod books;
mod case;
mod case_input;
mod case_parts;
mod change;
mod charging;
mod claim;
mod contact;
mod credit;
mod credit_card;
mod deal;
mod deal_input;
mod dependent;
mod equipment;
mod export;
mod file;
mod finance;
mod full_benefit;
mod import;
mod item;
mod lead;
mod management;
mod member;
mod member_search;
mod money_overview;
mod nested;
mod page;
mod pending_charge;
mod person;
mod pricing;
mod receiver;
mod sales;
mod slip;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_of_input;
mod title;
mod title_detail;
mod title_import;
mod title_revision;
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
pub use books::{BalanceteContaTO, BalanceteQuery, BalanceteTO, RazaoLinhaTO, RazaoQuery};
pub use case::{CasoItemTO, ConsultaGestaoTO, EventoGestaoTO, HelpDeskGestaoTO, VistoriaGestaoTO};
pub use case_input::{
    AtrasadosQuery, CasoCampos, CasoQuery, ChecklistItemInput, ConsultaGestaoInput, EventoGestaoInput,
    HelpDeskGestaoInput, NotaInput, SituacaoInput, VistoriaGestaoInput,
};
pub use case_parts::{ChecklistItemTO, EventoRelacionadoTO, NotaTO, ProximaSituacaoTO};
pub use change::{AlteracaoTO, HistoricoRegistroTO};
pub use charging::{
    CobrancaAnteriorTO, CobrancaBeneficioQuery, CobrancaBeneficioTO, CobrancaCompletaTO, CobrancaInput,
    CobrancaItemTO, CobrancaLancamentosTO, CobrancaLinhaTO, CobrancaMantidosQuery, CobrancaMotivoTO,
    CobrancaQuery, CobrancaTO, CobrancaTituloTO, CobrancaTotaisTO,
};
pub use claim::{EventoListaTO, EventoTO, PesquisaEventoQuery, PessoaTO};
pub use contact::{EnderecoInput, EnderecoTO, TelefoneInput, TelefoneTO};
pub use credit::{CreditoDevolucaoInput, CreditoInput, CreditoQuery, CreditoTO, ListaCreditoTO};
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
    TituloExportacaoQuery,
};
pub use file::{ArquivoQuery, ArquivoTO};
pub use finance::{FormaPagamentoTO, TipoLiquidacaoTO, TipoTituloTO};
pub use full_benefit::BeneficioTO;
pub use import::{
    CampoImportacaoTO, ColunaInput, ColunaTO, ColunasInput, DepoisDaLinhaQuery, ErroImportacaoTO,
    ImportacaoArquivoQuery, ImportacaoQuery, ImportacaoTO, InicioImportacaoInput, MantidoTO,
};
pub use item::{ItemBeneficioGestaoTO, ItemBeneficioInput, ItemBeneficioOutputTO, PrecoItemTO};
pub use lead::{
    ContatoInput, EtapaTO, FunilTO, LeadInput, LeadOutputTO, PesquisaLeadQuery, PessoaLeadOutputTO,
};
pub use management::{
    AuditoriaQuery, AuditoriaTO, HistoricoQuery, HistoricoTO, MudancaTO, PessoaVistaTO, RegistroAuditoriaTO,
};
pub use member::{AssociadoTO, BeneficioResumoTO};
pub use member_search::{PesquisaAssociadoOutputTO, PesquisaAssociadoQuery};
pub use money_overview::{
    FaixaAtrasoTO, MesVencimentoTO, ResumoFinanceiroQuery, ResumoFinanceiroTO, TitulosAbertosTO,
};
pub use page::{ListPage, PagedRecord};
pub use pending_charge::{
    LancamentoInput, LancamentoQuery, LancamentoTO, LancamentoTituloInput, ListaLancamentoTO,
};
pub use person::{AssociadoInput, PessoaCampos, PessoaInput, PessoaOutputTO};
pub use pricing::{
    DescontoBeneficioInput, DescontoBeneficioTO, DescontoEncerramentoInput, ValorCombinadoInput,
    ValorCombinadoQuery, ValorCombinadoTO,
};
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
pub use slip::{BoletoListaTO, BoletoTO, CodigoBarrasTO, ListaBoletoTO, PesquisaBoletoQuery};
pub use title::{
    FechamentoInput, LiquidacaoInput, LiquidacaoTO, ListaTituloTO, MotivoFinanceiroInput, PeriodoAlteracaoTO,
    PeriodosTO, PesquisaTituloQuery, RecebimentoInput, SaldoPessoaTO, TituloBeneficioTO, TituloGestaoInput,
    TituloGestaoTO, TituloHojeTO, TituloInput, TituloListaTO, TituloTO, VencimentoInput,
};
pub use title_detail::{TituloLinhaTO, TituloPagamentoTO, TituloPixTO};
pub use title_import::{SaldoInicialInput, TituloImportadoInput};
pub use title_revision::{
    RevisaoAplicadaTO, RevisaoInput, RevisaoNovoTO, RevisaoQuery, RevisaoResumoTO, RevisaoTO, RevisaoTituloTO,
};
pub use user::{UsuarioAlteracaoInput, UsuarioInput, UsuarioQuery, UsuarioTO};
pub use validation::{ValidacaoBeneficioInput, ValidacaoBeneficioOutputTO};
pub use vehicle::{VeiculoCampos, VeiculoInput, VeiculoTO};
