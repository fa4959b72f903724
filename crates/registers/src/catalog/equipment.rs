//! Registers of equipment and payment: trackers, their installations, credit cards.

use super::{build_plain_register, build_text_field};
use crate::describe::{
    FieldDefault, FieldSpec, FieldType, RecordVisibility, Register, SearchMethod, require_unique, words,
};

const SUPPLIER: FieldSpec = FieldSpec::new("codFornecedor", "supplier", FieldType::Reference("fornecedor"))
    .with_texts("Fornecedor", "De quem é, ou quem o instalou.", "1");
const IMEI: FieldSpec = FieldSpec::new("imei", "imei", FieldType::Serial { longest: 20 }).with_texts(
    "IMEI",
    "O IMEI.",
    r#""356938035643809""#,
);
const SERIAL: FieldSpec = FieldSpec::new("numeroSerie", "serial_number", FieldType::Serial { longest: 50 })
    .with_texts("Número de série", "O número de série, guardado em maiúsculas.", r#""SN00000700""#);
const MODEL: FieldSpec =
    build_text_field("modelo", "model", 100, "Modelo", "O modelo.", r#""Rastreador RS-4G""#);
const MAKER: FieldSpec =
    build_text_field("fabricante", "maker", 100, "Fabricante", "O fabricante.", r#""Sinal Exemplo""#);

pub const TRACKER: Register = Register {
    about: "Os aparelhos da associação, também os que estão na reserva.",
    section: "Equipamentos e cartões",
    columns: &["imei", "modelo", "codFornecedor"],
    unique: &[require_unique(&["numeroSerie"]), require_unique(&["imei"])],
    search: SearchMethod::Beginnings(&["numeroSerie", "imei"]),
    remembered: false,
    ..build_plain_register(
        words!("rastreador", "codRastreador", "rastreador", "rastreadores", "o", "um"),
        ("rastreador", "codRastreador", "tracker"),
        "trackers",
        &[
            SERIAL.make_required(),
            IMEI,
            MODEL,
            MAKER,
            SUPPLIER,
            FieldSpec::new("observacao", "note", FieldType::Note)
                .with_texts("Observação", "O que mais se sabe dele.", r#""Reserva da matriz.""#)
                .with_hint("O número de série ou o IMEI. Dele vêm os outros dados."),
        ],
    )
};

pub const INSTALLATION: Register = Register {
    about: "Que rastreador está em que veículo, desde quando e até quando.",
    section: "Equipamentos e cartões",
    columns: &["numeroSerie", "modelo", "dataInstalacao", "dataRemocao"],
    within: RecordVisibility::Benefit,
    filters: &["codBeneficio", "codRastreador"],
    needs_filter: true,
    remembered: false,
    ..build_plain_register(
        words!("instalacao", "codInstalacao", "instalação", "instalações", "a", "uma"),
        ("instalacao", "codInstalacao", "installation"),
        "installations",
        &[
            FieldSpec::new("codBeneficio", "benefit", FieldType::Benefit).make_required().make_fixed().with_texts(
                "Benefício",
                "O benefício veicular; não muda depois de cadastrada.",
                "1",
            ).with_hint("O código do benefício veicular, que está no alto da página dele."),
            FieldSpec::new("codRastreador", "tracker", FieldType::Reference("rastreador")).with_texts(
                "Rastreador",
                "O rastreador da base, de que vêm número de série, IMEI, modelo, fabricante e fornecedor. Ele está em um veículo por vez.",
                "70",
            ),
            SERIAL.make_searchable(),
            IMEI.make_searchable(),
            MODEL.make_searchable(),
            MAKER.make_searchable(),
            SUPPLIER,
            build_text_field("localInstalacao", "place", 200, "Local", "Onde no veículo.", r#""Sob o painel""#),
            FieldSpec::new("dataInstalacao", "installed_on", FieldType::Date).with_texts(
                "Instalado em",
                "O dia da instalação; hoje onde não vem.",
                r#""14/11/2026""#,
            ).with_hint("Hoje, se ficar vazio."),
            FieldSpec::new("dataRemocao", "removed_on", FieldType::Date).with_texts(
                "Removido em",
                "O dia da remoção, que torna a instalação inativa.",
                "null",
            ).with_hint("Com ela a instalação deixa de estar em uso."),
        ],
    )
};

pub const CREDIT_CARD: Register = Register {
    about: "Os cartões em que um associado é cobrado. O número inteiro nunca é guardado.",
    section: "Equipamentos e cartões",
    columns: &["nomeTitular", "bandeira", "ultimosDigitos", "validade", "principal"],
    within: RecordVisibility::Person,
    filters: &["codPessoa"],
    needs_filter: true,
    remembered: false,
    ..build_plain_register(
        words!("cartaoCredito", "codCartao", "cartão de crédito", "cartões de crédito", "o", "um"),
        ("cartaoCredito", "codCartao", "credit_card"),
        "credit_cards",
        &[
            FieldSpec::new("codPessoa", "person", FieldType::Person).make_required().make_fixed().with_texts(
                "Pessoa",
                "De quem é o cartão; não muda depois de cadastrado.",
                "1",
            ).with_hint("O código do associado, que está no alto da página dele."),
            build_text_field("nomeTitular", "holder", 200, "Titular", "O nome impresso no cartão.", r#""ANA B LIMA""#)
                .make_required()
                .make_searchable(),
            build_text_field("bandeira", "brand", 50, "Bandeira", "A bandeira.", r#""Visa""#).make_required(),
            FieldSpec::new("ultimosDigitos", "last_digits", FieldType::Digits(4)).make_required().with_texts(
                "Últimos dígitos",
                "Os quatro últimos dígitos. O número inteiro e o código de segurança nunca são recebidos.",
                r#""4242""#,
            ).with_hint("Só os quatro últimos. Nunca digite o número inteiro nem o código de segurança."),
            FieldSpec::new("validade", "valid_until", FieldType::Month).make_required().with_texts(
                "Validade",
                "O mês e o ano da validade.",
                r#""11/2029""#,
            ).with_hint("Mês e ano, como 11/2029."),
            FieldSpec::new("tokenGateway", "gateway_token", FieldType::Secret { longest: 500 }).make_required().with_texts(
                "Token",
                "O que o gateway de pagamento deu no lugar do número. É guardado e não é mostrado.",
                r#""tok_9xK2mVbQ""#,
            ).with_hint("O que o gateway deu no lugar do número. É guardado e não é mostrado de novo."),
            FieldSpec::new("principal", "is_main", FieldType::Flag).with_default(FieldDefault::Flag(false)).with_texts(
                "Principal",
                "Se é o que se cobra; marcar um o toma dos outros da pessoa.",
                "true",
            ).with_hint("O que se cobra. Marcar este desmarca os outros da pessoa."),
        ],
    )
};
