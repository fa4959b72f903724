//! The columns of open titles and opening balances.

use super::{build_optional_field, build_required_field};
use crate::import_sheet::fields::{ImportField, ImportFieldKind};

const OWNER: ImportField = build_optional_field(
    "cpfCnpj",
    "CPF ou CNPJ",
    ImportFieldKind::Document,
    &[
        "CPF",
        "CNPJ",
        "CPF/CNPJ",
        "CPF CNPJ",
        "Documento",
        "CPF do associado",
        "CPF do titular",
        "CPF do cliente",
        "CPF/CNPJ do associado",
        "Sacado",
    ],
);
const OWNER_CODE: ImportField = build_optional_field(
    "codPessoa",
    "Código da pessoa",
    ImportFieldKind::Number,
    &["Código do associado", "Cod associado", "Matrícula", "Código do cliente"],
);
const GROUP: ImportField = build_optional_field(
    "codGrupo",
    "Grupo de proteção",
    ImportFieldKind::ProtectionGroup,
    &["Grupo", "Código do grupo", "Nome do grupo"],
);
const TITLE_NOTE: ImportField =
    build_optional_field("observacao", "Observação", ImportFieldKind::Text, &["Observações", "Obs."]);

pub(super) const TITLES: &[ImportField] = &[
    OWNER,
    OWNER_CODE,
    build_required_field(
        "codTipoTitulo",
        "Tipo de título",
        ImportFieldKind::TitleType,
        &["Tipo", "Tipo do título", "Código do tipo", "Categoria", "Natureza"],
    ),
    build_required_field(
        "valor",
        "Valor",
        ImportFieldKind::Money,
        &["Valor do título", "Valor original", "Valor do boleto", "Valor R$", "Valor da parcela"],
    ),
    build_required_field(
        "vencimento",
        "Vencimento",
        ImportFieldKind::Date,
        &["Data de vencimento", "Data vencimento", "Dt vencimento", "Dt. venc.", "Venc.", "Vence em"],
    ),
    build_optional_field(
        "dataEmissao",
        "Data de emissão",
        ImportFieldKind::Date,
        &["Emissão", "Data emissão", "Dt emissão", "Emitido em", "Lançamento", "Data de lançamento"],
    ),
    build_optional_field(
        "descricao",
        "Descrição",
        ImportFieldKind::Text,
        &["Histórico", "Referência", "Referente a", "Competência"],
    ),
    build_optional_field(
        "parcela",
        "Parcela",
        ImportFieldKind::Instalment,
        &["Nº da parcela", "Número da parcela", "Parcela/total", "Parc."],
    ),
    build_optional_field(
        "parcelas",
        "Total de parcelas",
        ImportFieldKind::Number,
        &["Parcelas", "Número de parcelas", "Qtd parcelas", "Quantidade de parcelas", "Nº de parcelas"],
    ),
    build_optional_field(
        "sequencial",
        "Sequencial do benefício",
        ImportFieldKind::Number,
        &["Sequencial", "Seq.", "Benefício", "Número sequencial"],
    ),
    build_optional_field(
        "numeroCartaoDesconto",
        "Cartão do benefício",
        ImportFieldKind::Card,
        &["Cartão", "Número do cartão", "Nº do cartão", "Cartão de desconto"],
    ),
    build_optional_field("placa", "Placa", ImportFieldKind::Text, &["Placa do veículo", "Placa veículo"]),
    build_optional_field(
        "valorPago",
        "Valor já pago",
        ImportFieldKind::Money,
        &["Valor pago", "Pago", "Já pago", "Recebido", "Valor recebido", "Valor liquidado"],
    ),
    build_optional_field(
        "dataPagamento",
        "Data do pagamento",
        ImportFieldKind::Date,
        &["Pago em", "Data pagamento", "Data de pagamento", "Recebido em", "Data de liquidação"],
    ),
    TITLE_NOTE,
    build_optional_field(
        "codigoExterno",
        "Código no sistema antigo",
        ImportFieldKind::Text,
        &[
            "Código",
            "Cód.",
            "ID",
            "Código externo",
            "Código antigo",
            "Código do título",
            "Número do título",
            "Nº do título",
            "Título",
            "Nosso número",
            "Número do documento",
        ],
    ),
];

pub(super) const OPENING_BALANCES: &[ImportField] = &[
    OWNER,
    OWNER_CODE,
    build_optional_field(
        "codContaFinanceira",
        "Conta ou caixa",
        ImportFieldKind::MoneyAccount,
        &["Conta", "Caixa", "Conta bancária", "Código da conta", "Nome da conta", "Banco"],
    ),
    build_required_field(
        "valor",
        "Saldo",
        ImportFieldKind::SignedMoney,
        &["Valor", "Saldo inicial", "Crédito", "Valor do crédito", "Saldo da conta", "Saldo atual"],
    ),
    build_optional_field(
        "data",
        "Data do saldo",
        ImportFieldKind::Date,
        &["Data", "Em", "Posição em", "Saldo em", "Data base"],
    ),
    GROUP,
];
