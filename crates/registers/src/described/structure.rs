//! What an association has before it has members: branches, plans, sellers, suppliers, days, types of vehicle, fields.

use super::sets::{BENEFIT_KIND, FIELD_KIND, SELLER_KIND, VEHICLE_CATEGORY};
use super::{CEP, CITY, COMPLEMENT, DISTRICT, NUMBER, STATE, STREET, STREET_KIND};
use super::{document, email, landline, mobile, name, plain, text};
use crate::describe::{Default, FieldSpec, Kind, Register, Rows, Within, unique, unique_name, words};

pub const BRANCH: Register = Register {
    about: "As unidades da associação. Cada associado, benefício e usuário pertence a alguma.",
    section: "A associação",
    within: Within::Branch("code"),
    unique: &[unique_name(&["nome"])],
    ..plain(
        words!("loja", "codLoja", "loja", "lojas", "a", "uma"),
        ("loja", "codLoja", "branch"),
        "branches",
        &[name("O nome da loja (unidade).", r#""Filial Leste""#)],
    )
};

pub const PLAN: Register = Register {
    about: "O que a associação oferece: o que protege e quanto custa por mês.",
    section: "A associação",
    columns: &["tipoBeneficio", "valor"],
    unique: &[unique_name(&["nome"])],
    filters: &["tipoBeneficio"],
    ..plain(
        words!("plano", "codPlano", "plano", "planos", "o", "um"),
        ("plano", "codPlano", "plan"),
        "plans",
        &[
            name("O nome do plano.", r#""Proteção Bronze""#),
            FieldSpec::new("tipoBeneficio", "benefit_kind", Kind::Choice(BENEFIT_KIND))
                .required()
                .fixed()
                .told(
                    "Tipo de benefício",
                    "O que o plano protege; não muda depois de cadastrado.",
                    r#""VEICULAR""#,
                )
                .hinted("Não muda depois de cadastrado."),
            FieldSpec::new("valor", "price", Kind::Money)
                .required()
                .told(
                    "Valor",
                    "O valor mensal. Os benefícios que já têm o plano ficam com o que têm.",
                    "89.9",
                )
                .hinted("Por mês. Quem já tem o plano continua com o valor que tem."),
            FieldSpec::new("descricao", "description", Kind::Note).searched().told(
                "Descrição",
                "O que o plano inclui.",
                r#""Colisão, roubo e furto, com guincho de 200 km.""#,
            ),
        ],
    )
};

pub const SELLER: Register = Register {
    about: "Consultores e representantes que vendem os planos, e a loja de cada um.",
    section: "A associação",
    columns: &["tipo", "codLoja", "telefoneCelular"],
    within: Within::Branch("branch"),
    filters: &["tipo", "codLoja"],
    ..plain(
        words!("vendedor", "codVendedor", "vendedor", "vendedores", "o", "um"),
        ("vendedor", "codVendedor", "seller"),
        "sellers",
        &[
            name("O nome do vendedor.", r#""Ana Lima""#),
            FieldSpec::new("tipo", "kind", Kind::Choice(SELLER_KIND)).required().told(
                "Tipo",
                "Consultor ou Representante.",
                r#""Consultor""#,
            ),
            FieldSpec::new("codLoja", "branch", Kind::Reference("loja")).required().told(
                "Loja",
                "A loja em que vende.",
                "1",
            ),
            document("O CPF ou CNPJ do vendedor.", r#""529.982.247-25""#),
            email(),
            mobile(),
            landline(),
            DISTRICT,
            CITY,
            STATE,
        ],
    )
};

pub const SUPPLIER: Register = Register {
    about: "Oficinas, guinchos e outros que prestam serviço à associação.",
    section: "A associação",
    columns: &["tipoFornecedor", "telefoneCelular", "cidade"],
    unique: &[unique(&["cpfCnpj"])],
    remembered: false,
    ..plain(
        words!("fornecedor", "codFornecedor", "fornecedor", "fornecedores", "o", "um"),
        ("fornecedor", "codFornecedor", "supplier"),
        "suppliers",
        &[
            name("O nome ou a razão social.", r#""Oficina Boa Rota Ltda""#),
            text("nomeFantasia", "trade_name", 200, "Nome fantasia", "O nome fantasia.", r#""Boa Rota""#)
                .searched(),
            document("O CPF ou CNPJ; dois fornecedores não têm o mesmo.", r#""45.997.418/0001-53""#),
            text(
                "inscricaoEstadual",
                "state_registration",
                30,
                "Inscrição estadual",
                "A inscrição estadual.",
                r#""110042490114""#,
            ),
            text("tipoFornecedor", "kind", 100, "Tipo", "O que fornece.", r#""Oficina""#).searched(),
            email(),
            mobile(),
            landline(),
            STREET_KIND,
            STREET,
            NUMBER,
            COMPLEMENT,
            DISTRICT,
            CITY,
            STATE,
            CEP,
        ],
    )
};

/// The day is its own code.
pub const DUE_DAY: Register = Register {
    about: "Os dias do mês em que um associado pode escolher pagar.",
    section: "A associação",
    example: 12,
    key: "day",
    counter: None,
    codes: (1, 31),
    ..plain(
        words!("vencimento", "dia", "dia de vencimento", "dias de vencimento", "o", "um"),
        ("vencimento", "dia", ""),
        "due_days",
        &[],
    )
};

pub const VEHICLE_TYPE: Register = Register {
    about: "Os tipos de veículo que a associação aceita, cada um em uma categoria.",
    section: "A associação",
    columns: &["categoria"],
    unique: &[unique_name(&["nome"])],
    ..plain(
        words!("tipoVeiculo", "codTipoVeiculo", "tipo de veículo", "tipos de veículo", "o", "um"),
        ("tipoVeiculo", "codTipoVeiculo", "vehicle_type"),
        "vehicle_types",
        &[
            name("O nome do tipo.", r#""Triciclo""#),
            FieldSpec::new("categoria", "category", Kind::Choice(VEHICLE_CATEGORY)).required().told(
                "Categoria",
                "A categoria fixa a que o tipo pertence.",
                r#""Motocicleta""#,
            ),
        ],
    )
};

pub const ADDITIONAL_FIELD: Register = Register {
    about: "Perguntas próprias da associação, respondidas em cada benefício.",
    section: "A associação",
    columns: &["tipoBeneficio", "tipo", "obrigatorio"],
    unique: &[unique_name(&["nome", "tipoBeneficio"])],
    filters: &["tipoBeneficio"],
    ..plain(
        words!("campoAdicional", "codCampo", "campo adicional", "campos adicionais", "o", "um"),
        ("campoAdicional", "codCampo", "field"),
        "additional_fields",
        &[
            name("O nome do campo; cada tipo de benefício tem os seus.", r#""Número do motor""#)
                .folded("folded_name"),
            FieldSpec::new("tipoBeneficio", "benefit_kind", Kind::Choice(BENEFIT_KIND))
                .required()
                .fixed()
                .told(
                    "Tipo de benefício",
                    "Os benefícios que têm o campo; não muda depois de cadastrado.",
                    r#""VEICULAR""#,
                )
                .hinted("Não muda depois de cadastrado."),
            FieldSpec::new("tipo", "kind", Kind::Choice(FIELD_KIND))
                .required()
                .fixed()
                .told("Tipo", "O que o campo guarda; não muda depois de cadastrado.", r#""Texto""#)
                .hinted("O que se pode digitar nele; não muda depois de cadastrado."),
            FieldSpec::new("obrigatorio", "required", Kind::Flag)
                .otherwise(Default::Flag(false))
                .told("Obrigatório", "Se o console exige um valor.", "false")
                .hinted("O console só salva o benefício com ele preenchido."),
            FieldSpec::new("tamanhoMaximo", "longest", Kind::Integer { least: 1, most: 4000 })
                .told("Tamanho máximo", "Quantos caracteres um texto pode ter; só para o tipo Texto.", "40")
                .hinted("Em caracteres; só para o tipo Texto."),
            FieldSpec::new(
                "opcoes",
                "",
                Kind::Items {
                    longest: 200,
                    rows: Rows {
                        table: "additional_field_options",
                        own: "field",
                        part: "name",
                        position: Some("position"),
                    },
                },
            )
            .told("Opções", "O que a lista oferece, na ordem; só para o tipo Lista.", "[]")
            .hinted("Uma por linha, na ordem; só para o tipo Lista."),
        ],
    )
};
