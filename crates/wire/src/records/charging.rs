//! Charging runs: what a month is charged, its preview, and the requests that lead it on.

use super::nested::build_nullable_schema;
use super::{JsonAmount, PagedRecord};
use crate::input;
use crate::read::{BoundedInt, MonthText};
use domain::finance::NotChargedReason;
use domain::{BranchCode, GroupCode};
use serde::Serialize;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;
use utoipa::{PartialSchema, ToSchema};

input! {
    /// A cobrança de um mês.
    pub struct CobrancaInput = "CobrancaInputTO" {
        /// O mês que se cobra (MM/aaaa).
        month "mes": required MonthText = "12/2026",
        /// Só os benefícios deste grupo de proteção.
        group "codGrupo": optional GroupCode = 1,
        /// Só os benefícios desta loja; obrigatório para quem não vê todas.
        branch "codLoja": optional BranchCode = 1,
        /// Só os benefícios com este dia de vencimento.
        due_day "diaVencimento": optional BoundedInt<1, 31> = 10,
        /// Quantos meses de uma vez, a partir deste, como um carnê; 1, onde não vem.
        instalments "parcelas": optional BoundedInt<1, 12> = 1,
    }
}

input! {
    /// O que se procura entre as cobranças.
    pub struct CobrancaQuery = "CobrancaQueryTO" {
        /// O mês que se cobra (MM/aaaa).
        month "mes": optional MonthText = "12/2026",
        /// O número da página, a partir de 1.
        page "pagina": optional BoundedInt<1, { i32::MAX }> = 1,
    }
}

input! {
    /// Quais benefícios de uma cobrança.
    pub struct CobrancaBeneficioQuery = "CobrancaBeneficioQueryTO" {
        /// `true`: só os cobrados; `false`: só os que não são cobrados.
        charged "cobrado": optional bool = false,
        /// Só os que não são cobrados por este motivo.
        reason "motivo": optional NotChargedReason = "SEM_PRECO",
        /// O número da página, a partir de 1.
        page "pagina": optional BoundedInt<1, { i32::MAX }> = 1,
    }
}

/// A cobrança de um mês.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CobrancaTO {
    /// Código da cobrança.
    #[schema(examples(12))]
    pub cod_cobranca: i32,
    /// O mês que se cobra.
    #[schema(examples("12/2026"))]
    pub mes: String,
    /// Código do grupo de proteção; `null`, se são todos.
    #[schema(examples(1))]
    pub cod_grupo: Option<i32>,
    /// Código da loja; `null`, se são todas.
    #[schema(examples(1))]
    pub cod_loja: Option<i32>,
    /// Dia de vencimento; `null`, se são todos.
    #[schema(examples(10))]
    pub dia_vencimento: Option<i32>,
    /// Quantos meses de uma vez.
    #[schema(examples(1))]
    pub parcelas: i32,
    /// `PREPARANDO`, `PREPARADA` (à espera de aprovação), `EMITINDO`, `EMITIDA`, `DESFAZENDO`, `DESFEITA` ou
    /// `DESCARTADA`.
    #[schema(examples("PREPARADA"))]
    pub situacao: &'static str,
    /// O dia cujos preços e descontos valem.
    #[schema(examples("25/11/2026"))]
    pub data_preparo: String,
    /// O dia em que os títulos foram emitidos.
    #[schema(examples("26/11/2026"))]
    pub data_emissao: Option<String>,
    /// Quantos benefícios foram vistos até agora: os cobrados e os que não são.
    #[schema(examples(1200))]
    pub beneficios: i64,
    /// Quantos deles são cobrados.
    #[schema(examples(1180))]
    pub cobrados: i64,
    /// Quanto se cobra deles, em todas as parcelas.
    #[schema(value_type = f64, examples(150.55))]
    pub valor: JsonAmount,
    /// Quantos títulos foram emitidos até agora.
    #[schema(examples(1100))]
    pub titulos: i64,
    /// O valor dos títulos emitidos.
    #[schema(value_type = f64, examples(150.55))]
    pub valor_titulos: JsonAmount,
    /// Quantos títulos foram cancelados ao desfazer.
    #[schema(examples(0))]
    pub titulos_cancelados: i64,
    /// Quantos títulos ficaram ao desfazer, porque já tinham pagamento.
    #[schema(examples(0))]
    pub titulos_mantidos: i64,
    /// Nome de quem preparou; `null`, se foi o agendamento.
    #[schema(examples("Ana Prado"))]
    pub nome_usuario: Option<String>,
    /// Nome de quem aprovou.
    #[schema(examples("Rita Alves"))]
    pub nome_aprovador: Option<String>,
    /// Por que foi desfeita.
    #[schema(examples("Preço errado."))]
    pub motivo: Option<String>,
}

/// Uma cobrança com os totais.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CobrancaCompletaTO {
    #[serde(flatten)]
    pub cobranca: CobrancaTO,
    #[serde(flatten)]
    pub totais: CobrancaTotaisTO,
}

/// One object with the fields of both: a schema of two parts could not refuse fields that neither has.
impl PartialSchema for CobrancaCompletaTO {
    fn schema() -> RefOr<Schema> {
        match (CobrancaTO::schema(), CobrancaTotaisTO::schema()) {
            (RefOr::T(Schema::Object(mut all)), RefOr::T(Schema::Object(more))) => {
                all.description = Some("Uma cobrança com os totais.".to_owned());
                all.properties.extend(more.properties);
                all.required.extend(more.required);
                all.into()
            }
            (all, _) => all,
        }
    }
}

impl ToSchema for CobrancaCompletaTO {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        CobrancaTotaisTO::schemas(schemas);
    }
}

/// Os totais de uma cobrança.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CobrancaTotaisTO {
    /// Quanto se cobra de cada item e natureza.
    pub itens: Vec<CobrancaItemTO>,
    /// Quantos benefícios não são cobrados, por motivo.
    pub motivos: Vec<CobrancaMotivoTO>,
    #[schema(schema_with = describe_previous_run)]
    pub mes_anterior: Option<CobrancaAnteriorTO>,
    /// Os lançamentos avulsos à espera que esta cobrança não leva. Cada um pode ter um título só dele.
    pub lancamentos_de_fora: CobrancaLancamentosTO,
}

/// Lançamentos avulsos, em soma.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CobrancaLancamentosTO {
    /// Quantos são.
    #[schema(examples(2))]
    pub quantidade: i64,
    /// Quanto somam.
    #[schema(value_type = f64, examples(35.90))]
    pub valor: JsonAmount,
}

fn describe_previous_run() -> RefOr<Schema> {
    build_nullable_schema::<CobrancaAnteriorTO>("O que o mês anterior cobrou dos mesmos benefícios.")
}

/// Quanto uma cobrança soma de um item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CobrancaItemTO {
    /// Código do item de cobrança.
    #[schema(examples(1))]
    pub cod_item_cobranca: i32,
    /// Nome do item de cobrança.
    #[schema(examples("Taxa de administração"))]
    pub nome: String,
    /// `INDENIZACAO`, `REEMBOLSO`, `ADMINISTRACAO` ou `OPERACAO`.
    #[schema(examples("ADMINISTRACAO"))]
    pub natureza: &'static str,
    /// Em quantas linhas.
    #[schema(examples(1180))]
    pub quantidade: i64,
    /// Quanto se cobra, antes dos descontos.
    #[schema(value_type = f64, examples(150.55))]
    pub valor: JsonAmount,
    /// Quanto se desconta.
    #[schema(value_type = f64, examples(150.55))]
    pub desconto: JsonAmount,
}

/// Quantos benefícios não são cobrados por um motivo.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CobrancaMotivoTO {
    /// O motivo, como em `motivo` de um benefício da cobrança.
    #[schema(examples("SEM_PRECO"))]
    pub motivo: &'static str,
    /// Quantos benefícios.
    #[schema(examples(3))]
    pub quantidade: i64,
}

/// O que o mês anterior cobrou, em uma ou mais cobranças, para comparar.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CobrancaAnteriorTO {
    /// Código da última dessas cobranças.
    #[schema(examples(11))]
    pub cod_cobranca: i32,
    /// O mês que se cobrou.
    #[schema(examples("11/2026"))]
    pub mes: String,
    /// Quantos benefícios foram cobrados.
    #[schema(examples(1150))]
    pub cobrados: i64,
    /// Quanto se cobrou deles.
    #[schema(value_type = f64, examples(150.55))]
    pub valor: JsonAmount,
}

/// Um benefício de uma cobrança: o que se cobra dele, ou por que não se cobra.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CobrancaBeneficioTO {
    /// Código do benefício.
    #[schema(examples(777))]
    pub cod_beneficio: i32,
    /// Código da pessoa.
    #[schema(examples(555))]
    pub cod_pessoa: i32,
    /// Nome da pessoa.
    #[schema(examples("Maria Souza"))]
    pub nome_pessoa: String,
    /// Código da loja.
    #[schema(examples(1))]
    pub cod_loja: i32,
    /// A placa do veículo.
    #[schema(examples("ABC1D23"))]
    pub placa: Option<String>,
    /// O primeiro vencimento.
    #[schema(examples("10/12/2026"))]
    pub data_vencimento: Option<String>,
    /// Quanto se cobra, em todas as parcelas.
    #[schema(value_type = f64, examples(150.55))]
    pub valor: JsonAmount,
    /// Por que não se cobra: `SAIU`, `SITUACAO_NAO_COBRA`, `SEM_DIA_DE_VENCIMENTO`, `ENTROU_DEPOIS_DO_CORTE`,
    /// `JA_COBRADO`, `CARNE`, `SEM_PRECO`, `DESCONTO_TOTAL`, `ALTERADO_DEPOIS_DA_PREVIA`, `NAO_UTILIZAVEL`,
    /// `LANCAMENTO_ALTERADO`, `LANCAMENTO_SEM_COBRANCA`, `INCLUIDO_DEPOIS_DA_PREVIA` ou
    /// `TITULO_FORA_DA_COBRANCA` (importado ou emitido à mão para o mês); `null`, se se cobra.
    #[schema(examples(json!(null)))]
    pub motivo: Option<&'static str>,
    /// O primeiro título que o cobra, depois de emitido.
    #[schema(examples(9001))]
    pub cod_titulo: Option<i32>,
    /// Do que se compõe o valor.
    pub linhas: Vec<CobrancaLinhaTO>,
}

input! {
    /// Que página dos títulos mantidos.
    pub struct CobrancaMantidosQuery = "CobrancaMantidosQueryTO" {
        /// O número da página, a partir de 1.
        page "pagina": optional BoundedInt<1, { i32::MAX }> = 1,
    }
}

/// Um título que ficou quando a cobrança foi desfeita.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CobrancaTituloTO {
    /// Código do título.
    #[schema(examples(1))]
    pub cod_titulo: i32,
}

impl PagedRecord for CobrancaTituloTO {
    const PAGE: &'static str = "ListaCobrancaTituloTO";
    const TEXT: &'static str = "Uma página dos títulos que ficaram.";
}

impl PagedRecord for CobrancaBeneficioTO {
    const PAGE: &'static str = "ListaCobrancaBeneficioTO";
    const TEXT: &'static str = "Uma página dos benefícios de uma cobrança.";
}

/// Uma linha do que se cobra de um benefício.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CobrancaLinhaTO {
    /// O número da parcela, a partir de 1.
    #[schema(examples(1))]
    pub parcela: i32,
    /// Código do item de cobrança.
    #[schema(examples(1))]
    pub cod_item_cobranca: i32,
    /// Nome do item de cobrança.
    #[schema(examples("Taxa de administração"))]
    pub nome: String,
    /// `INDENIZACAO`, `REEMBOLSO`, `ADMINISTRACAO` ou `OPERACAO`.
    #[schema(examples("ADMINISTRACAO"))]
    pub natureza: &'static str,
    /// `CONTRIBUICAO`, `ADICIONAL`, `ADESAO`, `AVULSO` ou `DESCONTO`.
    #[schema(examples("CONTRIBUICAO"))]
    pub origem: &'static str,
    /// Quanto se cobra; 0 em um desconto.
    #[schema(value_type = f64, examples(150.55))]
    pub valor: JsonAmount,
    /// Quanto se desconta.
    #[schema(value_type = f64, examples(150.55))]
    pub desconto: JsonAmount,
    /// De onde vem o preço: `COMBINADO` com o associado, `TABELA` de preços ou `PLANO`; `null`, se a linha não é o preço
    /// de um plano.
    #[schema(examples("TABELA"))]
    pub origem_valor: Option<&'static str>,
    /// Código do preço da tabela (`/gestao/tabelaPreco`), se veio dela.
    #[schema(examples(12))]
    pub cod_preco: Option<i32>,
    /// O que é, se há mais a dizer.
    #[schema(examples("Proteção 360"))]
    pub descricao: Option<String>,
}
