//! What belongs to a vehicle or to a person: trackers, their installations, credit cards.

use super::{plain, text};
use crate::describe::{Default, FieldSpec, Kind, Register, Search, Within, unique, words};

const SUPPLIER: FieldSpec = FieldSpec::new("codFornecedor", "supplier", Kind::Reference("fornecedor")).told(
    "Fornecedor",
    "De quem é, ou quem o instalou.",
    "1",
);
const IMEI: FieldSpec = FieldSpec::new("imei", "imei", Kind::Serial { longest: 20 }).told(
    "IMEI",
    "O IMEI.",
    r#""356938035643809""#,
);
const SERIAL: FieldSpec = FieldSpec::new("numeroSerie", "serial_number", Kind::Serial { longest: 50 }).told(
    "Número de série",
    "O número de série, guardado em maiúsculas.",
    r#""SN00000700""#,
);
const MODEL: FieldSpec = text("modelo", "model", 100, "Modelo", "O modelo.", r#""Rastreador RS-4G""#);
const MAKER: FieldSpec =
    text("fabricante", "maker", 100, "Fabricante", "O fabricante.", r#""Sinal Exemplo""#);

pub const TRACKER: Register = Register {
    about: "Os aparelhos da associação, também os que estão na reserva.",
    section: "Equipamentos e cartões",
    columns: &["imei", "modelo", "codFornecedor"],
    unique: &[unique(&["numeroSerie"]), unique(&["imei"])],
    search: Search::Beginnings(&["numeroSerie", "imei"]),
    remembered: false,
    ..plain(
        words!("rastreador", "codRastreador", "rastreador", "rastreadores", "o", "um"),
        ("rastreador", "codRastreador", "tracker"),
        "trackers",
        &[
            SERIAL.required(),
            IMEI,
            MODEL,
            MAKER,
            SUPPLIER,
            FieldSpec::new("observacao", "note", Kind::Note)
                .told("Observação", "O que mais se sabe dele.", r#""Reserva da matriz.""#)
                .hinted("O número de série ou o IMEI. Dele vêm os outros dados."),
        ],
    )
};

pub const INSTALLATION: Register = Register {
    about: "Que rastreador está em que veículo, desde quando e até quando.",
    section: "Equipamentos e cartões",
    columns: &["numeroSerie", "modelo", "dataInstalacao", "dataRemocao"],
    within: Within::Benefit,
    filters: &["codBeneficio", "codRastreador"],
    needs_filter: true,
    remembered: false,
    ..plain(
        words!("instalacao", "codInstalacao", "instalação", "instalações", "a", "uma"),
        ("instalacao", "codInstalacao", "installation"),
        "installations",
        &[
            FieldSpec::new("codBeneficio", "benefit", Kind::Benefit).required().fixed().told(
                "Benefício",
                "O benefício veicular; não muda depois de cadastrada.",
                "1",
            ).hinted("O código do benefício veicular, que está no alto da página dele."),
            FieldSpec::new("codRastreador", "tracker", Kind::Reference("rastreador")).told(
                "Rastreador",
                "O rastreador da base, de que vêm número de série, IMEI, modelo, fabricante e fornecedor. Ele está em um veículo por vez.",
                "70",
            ),
            SERIAL.searched(),
            IMEI.searched(),
            MODEL.searched(),
            MAKER.searched(),
            SUPPLIER,
            text("localInstalacao", "place", 200, "Local", "Onde no veículo.", r#""Sob o painel""#),
            FieldSpec::new("dataInstalacao", "installed_on", Kind::Date).told(
                "Instalado em",
                "O dia da instalação; hoje onde não vem.",
                r#""14/11/2026""#,
            ).hinted("Hoje, se ficar vazio."),
            FieldSpec::new("dataRemocao", "removed_on", Kind::Date).told(
                "Removido em",
                "O dia da remoção, que torna a instalação inativa.",
                "null",
            ).hinted("Com ela a instalação deixa de estar em uso."),
        ],
    )
};

pub const CREDIT_CARD: Register = Register {
    about: "Os cartões em que um associado é cobrado. O número inteiro nunca é guardado.",
    section: "Equipamentos e cartões",
    columns: &["nomeTitular", "bandeira", "ultimosDigitos", "validade", "principal"],
    within: Within::Person,
    filters: &["codPessoa"],
    needs_filter: true,
    remembered: false,
    ..plain(
        words!("cartaoCredito", "codCartao", "cartão de crédito", "cartões de crédito", "o", "um"),
        ("cartaoCredito", "codCartao", "credit_card"),
        "credit_cards",
        &[
            FieldSpec::new("codPessoa", "person", Kind::Person).required().fixed().told(
                "Pessoa",
                "De quem é o cartão; não muda depois de cadastrado.",
                "1",
            ).hinted("O código do associado, que está no alto da página dele."),
            text("nomeTitular", "holder", 200, "Titular", "O nome impresso no cartão.", r#""ANA B LIMA""#)
                .required()
                .searched(),
            text("bandeira", "brand", 50, "Bandeira", "A bandeira.", r#""Visa""#).required(),
            FieldSpec::new("ultimosDigitos", "last_digits", Kind::Digits(4)).required().told(
                "Últimos dígitos",
                "Os quatro últimos dígitos. O número inteiro e o código de segurança nunca são recebidos.",
                r#""4242""#,
            ).hinted("Só os quatro últimos. Nunca digite o número inteiro nem o código de segurança."),
            FieldSpec::new("validade", "valid_until", Kind::Month).required().told(
                "Validade",
                "O mês e o ano da validade.",
                r#""11/2029""#,
            ).hinted("Mês e ano, como 11/2029."),
            FieldSpec::new("tokenGateway", "gateway_token", Kind::Secret { longest: 500 }).required().told(
                "Token",
                "O que o gateway de pagamento deu no lugar do número. É guardado e não é mostrado.",
                r#""tok_9xK2mVbQ""#,
            ).hinted("O que o gateway deu no lugar do número. É guardado e não é mostrado de novo."),
            FieldSpec::new("principal", "is_main", Kind::Flag).otherwise(Default::Flag(false)).told(
                "Principal",
                "Se é o que se cobra; marcar um o toma dos outros da pessoa.",
                "true",
            ).hinted("O que se cobra. Marcar este desmarca os outros da pessoa."),
        ],
    )
};
