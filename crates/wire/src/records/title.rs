//! Titles: the search, the full record with its settlements, and the requests that issue and settle them.

use super::{JsonAmount, TituloLinhaTO, TituloPagamentoTO};
use crate::input;
use crate::read::{
    BoundedInt, LenientDate, LenientMember, MonthText, ProgramAmount, ProgramDate, ProgramLine, ProgramNote,
};
use domain::finance::LaunchKind;
use domain::{
    BenefitCode, BoundedText, BranchCode, Date, Money, MoneyAccountCode, NoteText, PersonCode,
    SettlementTypeCode, TitleCode, TitleTypeCode,
};
use serde::Serialize;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;
use utoipa::{PartialSchema, ToSchema};

input! {
    /// O que se procura entre os títulos.
    pub struct PesquisaTituloQuery = "PesquisaTituloQueryTO" {
        /// `Crédito` (o que se recebe), `Débito` (o que se paga) ou `Rateio`, com ou sem acento.
        launch_kind "tipo": required LenientMember<LaunchKind> = "Crédito",
        /// `Aberto`, `Pendente`, `Liquidado`, `Cancelado` ou `Vencido` (aberto e já vencido); várias, separadas por vírgula
        /// ou em parâmetros repetidos, também como `situacao[]`.
        situation "situacao": optional String = "Aberto",
        /// CPF ou CNPJ da pessoa, com ou sem máscara.
        document "cpfCnpj": optional String = "529.982.247-25",
        /// A placa de um veículo protegido: os títulos de quem o protege agora ou foi o último a protegê-lo.
        plate "placa": optional String = "ABC1D23",
        /// Código da pessoa.
        person "codPessoa": optional PersonCode = 555,
        /// Código da loja.
        branch "codLoja": optional BranchCode = 1,
        /// Emitidos nesta data ou depois (dd/MM/aaaa).
        issued_from "dataEmissaoInicial": optional LenientDate = "01/11/2026",
        /// Emitidos nesta data ou antes (dd/MM/aaaa).
        issued_to "dataEmissaoFinal": optional LenientDate = "30/11/2026",
        /// Com vencimento nesta data ou depois (dd/MM/aaaa).
        due_from "dataVencimentoInicial": optional LenientDate = "01/11/2026",
        /// Com vencimento nesta data ou antes (dd/MM/aaaa).
        due_to "dataVencimentoFinal": optional LenientDate = "30/11/2026",
        /// Liquidados nesta data ou depois (dd/MM/aaaa).
        settled_from "dataLiquidacaoInicial": optional LenientDate = "01/11/2026",
        /// Liquidados nesta data ou antes (dd/MM/aaaa).
        settled_to "dataLiquidacaoFinal": optional LenientDate = "30/11/2026",
        /// Quantos títulos pular desde o primeiro; vêm até 100 por vez.
        offset "inicio": optional BoundedInt<0, { i32::MAX }> = 0,
    }
}

/// Os títulos encontrados, pelo vencimento e pelo código.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ListaTituloTO {
    /// Quantos títulos há ao todo.
    #[schema(examples(1))]
    pub quantidade: i64,
    /// Até 100 títulos, a partir de `inicio`.
    pub itens: Vec<TituloListaTO>,
}

/// Um título, na lista.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TituloListaTO {
    /// Celular da pessoa; vazio se não há.
    #[schema(examples("(11)98765-4321"))]
    pub celular: String,
    /// Código da pessoa.
    #[schema(examples(555))]
    pub cod_pessoa: i32,
    /// Código do título.
    #[schema(examples(9001))]
    pub cod_titulo: i32,
    /// CPF ou CNPJ da pessoa.
    #[schema(examples("529.982.247-25"))]
    pub cpf_cnpj_pessoa: Option<String>,
    /// Data de emissão.
    #[schema(examples("01/11/2026"))]
    pub data_emissao: String,
    /// Data da última liquidação que vale.
    #[schema(examples("09/11/2026"))]
    pub data_liquidacao: Option<String>,
    /// Data de vencimento.
    #[schema(examples("10/11/2026"))]
    pub data_vencimento: String,
    /// O que se cobra.
    #[schema(examples("Mensalidade"))]
    pub descricao: String,
    /// Nome de quem deve ou recebe.
    #[schema(examples("Maria Souza"))]
    pub nome_devedor_credor: String,
    /// Nome da loja.
    #[schema(examples("Matriz"))]
    pub nome_loja: String,
    /// Os números sequenciais dos benefícios.
    #[schema(examples(json!([1201])))]
    pub sequencial_beneficio: Vec<i32>,
    /// `PENDENTE`, `ABERTO`, `LIQUIDADO` ou `CANCELADO`.
    #[schema(examples("ABERTO"))]
    pub situacao: &'static str,
    /// `Crédito`, `Débito` ou `Rateio`.
    #[schema(examples("Crédito"))]
    pub tipo: &'static str,
    /// O valor do título.
    #[schema(value_type = f64, examples(150.55))]
    pub valor: JsonAmount,
    /// A soma do que já foi recebido ou pago.
    #[schema(value_type = f64, examples(150.55))]
    pub valor_liquidado: JsonAmount,
}

/// Um título inteiro.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TituloTO {
    /// Código do título.
    #[schema(examples(9001))]
    pub cod_titulo: i32,
    /// Código da pessoa.
    #[schema(examples(555))]
    pub cod_pessoa: i32,
    /// Código da loja.
    #[schema(examples(1))]
    pub cod_loja: i32,
    /// Código do tipo de título.
    #[schema(examples(1))]
    pub cod_tipo_titulo: i32,
    /// Nome da pessoa.
    #[schema(examples("Maria Souza"))]
    pub nome_pessoa: String,
    /// CPF ou CNPJ da pessoa.
    #[schema(examples("529.982.247-25"))]
    pub cpf_cnpj_pessoa: Option<String>,
    /// Nome da loja.
    #[schema(examples("Matriz"))]
    pub nome_loja: String,
    /// Nome do tipo de título.
    #[schema(examples("Mensalidade"))]
    pub nome_tipo_titulo: String,
    /// Data de emissão.
    #[schema(examples("01/11/2026"))]
    pub data_emissao: String,
    /// Data de vencimento.
    #[schema(examples("10/11/2026"))]
    pub data_vencimento: String,
    /// Data de cancelamento.
    #[schema(examples("12/11/2026"))]
    pub data_cancelamento: Option<String>,
    /// Data em que foi lançado.
    #[schema(examples("01/11/2026"))]
    pub data_lancamento: Option<String>,
    /// O valor do título.
    #[schema(value_type = f64, examples(150.55))]
    pub valor: JsonAmount,
    /// `PENDENTE`, `ABERTO`, `LIQUIDADO` ou `CANCELADO`.
    #[schema(examples("ABERTO"))]
    pub situacao: &'static str,
    /// O que se cobra.
    #[schema(examples("Mensalidade"))]
    pub descricao: String,
    /// `CREDITO`, `DEBITO` ou `RATEIO`.
    #[schema(examples("CREDITO"))]
    pub tipo_lancamento: &'static str,
    /// `F` (pessoa física) ou `J` (jurídica).
    #[schema(examples("F"))]
    pub tipo_pessoa: &'static str,
    /// Nome do usuário que cadastrou o título.
    #[schema(examples("Ana Prado"))]
    pub nome_usuario_cadastro: Option<String>,
    /// Observação.
    #[schema(examples("Combinado por telefone."))]
    pub observacao: Option<String>,
    /// Endereço do boleto em vigor em PDF, que abre sem senha; `null` sem boleto.
    #[schema(examples("https://amparo.example/documento/3q2-7wAAAAB"))]
    pub url_fatura: Option<String>,
    /// Os benefícios que o título cobra.
    pub beneficios: Vec<TituloBeneficioTO>,
    /// O que já foi recebido ou pago, também o que foi estornado.
    pub liquidacoes: Vec<LiquidacaoTO>,
}

/// Um benefício que o título cobra.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TituloBeneficioTO {
    /// Código do benefício.
    #[schema(examples(777))]
    pub cod_beneficio: i32,
    /// Código do consultor.
    #[schema(examples(3))]
    pub cod_consultor: Option<i32>,
    /// Código do representante.
    #[schema(examples(4))]
    pub cod_representante: Option<i32>,
    /// Nome do consultor.
    #[schema(examples("Carlos Lima"))]
    pub nome_consultor: Option<String>,
    /// Nome do representante.
    #[schema(examples("Rita Alves"))]
    pub nome_representante: Option<String>,
    /// Nome da situação do benefício.
    #[schema(examples("ATIVO"))]
    pub nome_situacao: String,
    /// Tipo da situação do benefício.
    #[schema(examples("ATIVO"))]
    pub tipo_situacao: &'static str,
    /// O que o benefício protege.
    #[schema(examples("ABC1D23 - FIAT ARGO 1.0"))]
    pub descricao: String,
}

/// Dinheiro recebido ou pago por um título: `total` = `valor` + `juros` + `multa` + `acrescimo` + `despesas` −
/// `desconto`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LiquidacaoTO {
    /// Código da liquidação.
    #[schema(examples(81))]
    pub cod_liquidacao: i32,
    /// Código do tipo de liquidação; `null`, se foi pago com o crédito da pessoa ou no sistema antigo.
    #[schema(examples(3))]
    pub cod_tipo_liquidacao: Option<i32>,
    /// Nome do tipo de liquidação.
    #[schema(examples("Pix"))]
    pub nome_tipo_liquidacao: String,
    /// Data do pagamento.
    #[schema(examples("09/11/2026"))]
    pub data_liquidacao: String,
    /// Data em que o dinheiro entrou na conta.
    #[schema(examples("10/11/2026"))]
    pub data_credito: String,
    /// Quanto liquidou do valor do título.
    #[schema(value_type = f64, examples(150.55))]
    pub valor: JsonAmount,
    /// Quanto entrou, saiu ou veio do crédito da pessoa por este título.
    #[schema(value_type = f64, examples(150.55))]
    pub total: JsonAmount,
    /// Desconto dado.
    #[schema(value_type = f64, examples(150.55))]
    pub desconto: JsonAmount,
    /// Acréscimo.
    #[schema(value_type = f64, examples(150.55))]
    pub acrescimo: JsonAmount,
    /// Juros.
    #[schema(value_type = f64, examples(150.55))]
    pub juros: JsonAmount,
    /// Multa.
    #[schema(value_type = f64, examples(150.55))]
    pub multa: JsonAmount,
    /// Despesas.
    #[schema(value_type = f64, examples(150.55))]
    pub despesas: JsonAmount,
    /// Banco da conta.
    #[schema(examples("001"))]
    pub banco: Option<String>,
    /// Agência da conta.
    #[schema(examples("1234-5"))]
    pub agencia: Option<String>,
    /// Código da conta, se foi em um banco.
    #[schema(examples(2))]
    pub cod_conta: Option<i32>,
    /// Código do caixa, se foi em um caixa.
    #[schema(examples(1))]
    pub cod_caixa: Option<i32>,
    /// Nome da conta.
    #[schema(examples("Conta bancária"))]
    pub descricao_conta: Option<String>,
    /// Nome do caixa.
    #[schema(examples("Caixa"))]
    pub descricao_caixa: Option<String>,
    /// Nome do usuário que registrou.
    #[schema(examples("Ana Prado"))]
    pub nome_liquidante: Option<String>,
    /// Nome do usuário que estornou; com ele, a liquidação não conta mais.
    #[schema(examples(json!(null)))]
    pub nome_estornador: Option<String>,
}

input! {
    /// Um título novo.
    pub struct TituloInput = "TituloInputTO" {
        /// Código do benefício, que deve ser da pessoa.
        benefit "codBeneficio": required BenefitCode = 777,
        /// Código da pessoa.
        person "codPessoa": required PersonCode = 555,
        /// Código do tipo de título, que diz se é de crédito ou de débito.
        title_type "codTipoTitulo": required TitleTypeCode = 1,
        /// O valor, de no mínimo 0.01: um número ou, entre aspas, também com vírgula ("1.150,55").
        amount "valor": required ProgramAmount = 150.55,
        /// O que se cobra; onde não vem, o nome do tipo. Quebras de linha se tornam espaços.
        description "descricao": optional ProgramLine<500> = "Mensalidade de novembro",
        /// Data de vencimento; onde não vem, o próximo dia de vencimento do benefício. A hora, se vier, não conta.
        due "vencimento": optional ProgramDate = "2026-12-10",
        /// Data de emissão; onde não vem, hoje. A hora, se vier, não conta.
        issued "dataEmissao": optional ProgramDate = "2026-11-18",
        /// Observação.
        note "observacao": optional ProgramNote = "Combinado por telefone.",
    }
}

input! {
    /// O recebimento de um título.
    pub struct LiquidacaoInput = "LiquidacaoInputTO" {
        /// Código do título.
        title "codTitulo": required TitleCode = 9001,
        /// Quanto foi pago: um número ou, entre aspas, também com vírgula. O que passar do devido fica como crédito da
        /// pessoa.
        amount "valorPago": required ProgramAmount = 150.55,
        /// Código do tipo de liquidação.
        settlement_type "codTipoLiquidacao": required SettlementTypeCode = 3,
        /// Observação.
        note "observacao": optional ProgramNote = "Pago no balcão.",
    }
}

input! {
    /// Um título novo, ou várias parcelas de um valor.
    pub struct TituloGestaoInput = "TituloGestaoInputTO" {
        /// Código da pessoa.
        person "codPessoa": required PersonCode = 555,
        /// Os códigos dos benefícios que se cobram, de uma só loja; pode ser nenhum.
        benefits "codBeneficios": optional Vec<BenefitCode> = [777],
        /// Código do tipo de título, que diz se é de crédito ou de débito.
        title_type "codTipoTitulo": required TitleTypeCode = 1,
        /// O valor de todas as parcelas juntas.
        amount "valor": required Money = 900.00,
        /// Em quantas parcelas mensais; 1, onde não vem.
        instalments "parcelas": optional BoundedInt<1, 60> = 3,
        /// O que se cobra; onde não vem, o nome do tipo.
        description "descricao": optional BoundedText<200> = "Participação em evento",
        /// Vencimento da primeira parcela; onde não vem, o próximo dia de vencimento do benefício.
        due "vencimento": optional Date = "2026-12-10",
        /// Data de emissão; onde não vem, hoje.
        issued "dataEmissao": optional Date = "2026-11-18",
        /// Observação.
        note "observacao": optional NoteText = "Combinado por telefone.",
        /// Se uma conta a pagar espera liberação antes de ser lançada.
        waits "aguardarLiberacao": optional bool = false,
    }
}

input! {
    /// O recebimento de um título.
    pub struct RecebimentoInput = "RecebimentoInputTO" {
        /// Quanto foi pago; o que passar do devido fica como crédito da pessoa.
        amount "valorPago": required Money = 150.55,
        /// Código do tipo de liquidação.
        settlement_type "codTipoLiquidacao": required SettlementTypeCode = 3,
        /// Código da conta ou do caixa; onde não vem, o do tipo de liquidação.
        account "codContaFinanceira": optional MoneyAccountCode = 1,
        /// O dia em que foi pago, que decide multa e juros; onde não vem, hoje.
        paid_on "dataPagamento": optional Date = "2026-11-18",
        /// Observação.
        note "observacao": optional NoteText = "Pago no balcão.",
    }
}

input! {
    /// Por que se faz.
    pub struct MotivoFinanceiroInput = "MotivoFinanceiroInputTO" {
        /// O motivo.
        reason "motivo": required BoundedText<500> = "Cobrado em dobro.",
    }
}

input! {
    /// Um vencimento novo.
    pub struct VencimentoInput = "VencimentoInputTO" {
        /// O novo vencimento.
        due "vencimento": required Date = "2026-12-20",
        /// O motivo.
        reason "motivo": required BoundedText<500> = "Pedido do associado.",
    }
}

input! {
    /// O mês que se fecha, com os anteriores.
    pub struct FechamentoInput = "FechamentoInputTO" {
        /// Mês e ano (MM/aaaa).
        month "mes": required MonthText = "10/2026",
    }
}

/// Um título com o que se deve hoje.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TituloGestaoTO {
    #[serde(flatten)]
    pub titulo: TituloTO,
    #[serde(flatten)]
    pub hoje: TituloHojeTO,
}

/// One object with the fields of both: a schema of two parts could not refuse fields that neither has.
impl PartialSchema for TituloGestaoTO {
    fn schema() -> RefOr<Schema> {
        match (TituloTO::schema(), TituloHojeTO::schema()) {
            (RefOr::T(Schema::Object(mut all)), RefOr::T(Schema::Object(more))) => {
                all.description = Some("Um título com o que se deve hoje.".to_owned());
                all.properties.extend(more.properties);
                all.required.extend(more.required);
                all.into()
            }
            (all, _) => all,
        }
    }
}

impl ToSchema for TituloGestaoTO {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        TituloTO::schemas(schemas);
        TituloHojeTO::schemas(schemas);
    }
}

/// O que se deve hoje de um título.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TituloHojeTO {
    /// O que falta do valor.
    #[schema(value_type = f64, examples(150.55))]
    pub valor_aberto: JsonAmount,
    /// Multa devida hoje.
    #[schema(value_type = f64, examples(150.55))]
    pub multa_devida: JsonAmount,
    /// Juros devidos hoje.
    #[schema(value_type = f64, examples(150.55))]
    pub juros_devidos: JsonAmount,
    /// Desconto de quem paga tudo hoje; só até `dataLimiteDesconto`.
    #[schema(value_type = f64, examples(0.0))]
    pub desconto_pontualidade: JsonAmount,
    /// O último dia do desconto de pontualidade; `null`, se não há.
    #[schema(examples("04/11/2026"))]
    pub data_limite_desconto: Option<String>,
    /// Quanto do crédito da pessoa pode pagar este título.
    #[schema(value_type = f64, examples(0.0))]
    pub credito_disponivel: JsonAmount,
    /// O que liquida o título hoje.
    #[schema(value_type = f64, examples(150.55))]
    pub valor_devido: JsonAmount,
    /// Se está aberto depois do vencimento.
    #[schema(examples(true))]
    pub vencido: bool,
    /// O vencimento original.
    #[schema(examples("10/11/2026"))]
    pub data_vencimento_original: String,
    /// O número da parcela.
    #[schema(examples(1))]
    pub parcela: i32,
    /// Quantas parcelas são.
    #[schema(examples(1))]
    pub parcelas: i32,
    /// Por que foi cancelado.
    #[schema(examples("Cobrado em dobro."))]
    pub motivo_cancelamento: Option<String>,
    /// Do que se compõe o valor.
    pub linhas: Vec<TituloLinhaTO>,
    /// O que mais se sabe de cada uma de `liquidacoes`.
    pub pagamentos: Vec<TituloPagamentoTO>,
}

/// O que a pessoa deve e o crédito que tem.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SaldoPessoaTO {
    /// Se não há nada vencido.
    #[schema(examples(true))]
    pub em_dia: bool,
    /// Quantos títulos estão abertos.
    #[schema(examples(2))]
    pub titulos_abertos: i64,
    /// A soma do que está aberto.
    #[schema(value_type = f64, examples(150.55))]
    pub valor_aberto: JsonAmount,
    /// Quantos títulos estão vencidos.
    #[schema(examples(1))]
    pub titulos_vencidos: i64,
    /// A soma do que está vencido, sem multa e juros.
    #[schema(value_type = f64, examples(150.55))]
    pub valor_vencido: JsonAmount,
    /// O que pagou a mais ou adiantado, e ainda não foi usado nem devolvido.
    #[schema(value_type = f64, examples(150.55))]
    pub credito: JsonAmount,
}

/// Os meses fechados.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PeriodosTO {
    /// O último mês fechado (MM/aaaa).
    #[schema(examples("10/2026"))]
    pub fechado_ate: Option<String>,
    /// O mês que já pode ser fechado (MM/aaaa).
    #[schema(examples("11/2026"))]
    pub proximo: Option<String>,
    /// Os fechamentos e as reaberturas, do mais novo ao mais antigo.
    pub alteracoes: Vec<PeriodoAlteracaoTO>,
}

/// Um fechamento ou uma reabertura.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PeriodoAlteracaoTO {
    /// `true` se fechou, `false` se reabriu.
    #[schema(examples(true))]
    pub fechamento: bool,
    /// O último mês fechado depois disso (MM/aaaa).
    #[schema(examples("10/2026"))]
    pub fechado_ate: Option<String>,
    /// O motivo da reabertura.
    #[schema(examples("Faltou um recebimento."))]
    pub motivo: Option<String>,
    /// Código do usuário.
    #[schema(examples(1))]
    pub cod_usuario: Option<i32>,
    /// Quando.
    #[schema(examples("2026-11-14T10:32:05-03:00"))]
    pub data_hora: String,
}
