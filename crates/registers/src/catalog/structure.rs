//! Registers that exist before any member: branches, plans, sellers, suppliers, due days, vehicle types, fields.

use super::sets::{BENEFIT_KIND, FIELD_KIND, SELLER_KIND, VEHICLE_CATEGORY};
use super::{CEP, CITY, COMPLEMENT, DISTRICT, NUMBER, STATE, STREET, STREET_KIND};
use super::{
    build_document_field, build_email_field, build_landline_field, build_mobile_field, build_name_field,
    build_plain_register, build_text_field,
};
use crate::describe::{
    FieldDefault, FieldSpec, FieldType, PartTable, RecordVisibility, Register, require_unique,
    require_unique_name, words,
};

pub const BRANCH: Register = Register {
    about: "As unidades da associação. Cada associado, benefício e usuário pertence a alguma.",
    section: "A associação",
    within: RecordVisibility::Branch("code"),
    unique: &[require_unique_name(&["nome"])],
    ..build_plain_register(
        words!("loja", "codLoja", "loja", "lojas", "a", "uma"),
        ("loja", "codLoja", "branch"),
        "branches",
        &[build_name_field("O nome da loja (unidade).", r#""Filial Leste""#)],
    )
};

pub const PLAN: Register = Register {
    about: "O que a associação oferece: o que protege e quanto custa por mês.",
    section: "A associação",
    columns: &["tipoBeneficio", "valor", "codGrupo"],
    unique: &[require_unique_name(&["nome"])],
    filters: &["tipoBeneficio"],
    ..build_plain_register(
        words!("plano", "codPlano", "plano", "planos", "o", "um"),
        ("plano", "codPlano", "plan"),
        "plans",
        &[
            build_name_field("O nome do plano.", r#""Proteção Bronze""#),
            FieldSpec::new("tipoBeneficio", "benefit_kind", FieldType::Choice(BENEFIT_KIND))
                .make_required()
                .make_fixed()
                .with_texts(
                    "Tipo de benefício",
                    "O que o plano protege; não muda depois de cadastrado.",
                    r#""VEICULAR""#,
                )
                .with_hint("Não muda depois de cadastrado."),
            FieldSpec::new("valor", "price", FieldType::Money)
                .make_required()
                .with_texts(
                    "Valor",
                    "O valor mensal. Os benefícios que já têm o plano ficam com o que têm.",
                    "89.9",
                )
                .with_hint("Por mês. Quem já tem o plano continua com o valor que tem."),
            FieldSpec::new("descricao", "description", FieldType::Note).make_searchable().with_texts(
                "Descrição",
                "O que o plano inclui.",
                r#""Colisão, roubo e furto, com guincho de 200 km.""#,
            ),
            FieldSpec::new("codGrupo", "protection_group", FieldType::Reference("grupoProtecao"))
                .with_default(FieldDefault::Number(1))
                .with_texts(
                    "Grupo de proteção",
                    "O grupo de proteção a que o plano pertence; o grupo 1 onde não vem.",
                    "1",
                )
                .with_hint("Quem tem o plano divide as despesas deste grupo, e de nenhum outro."),
            FieldSpec::new("codItemCobranca", "charge_item", FieldType::Reference("itemCobranca"))
                .with_texts(
                    "Item de cobrança",
                    "O item de cobrança em que entra o valor do plano. Sem ele, o primeiro plano de um benefício entra \
                     como diz a regra de cobrança, e os outros como adicional.",
                    "1",
                )
                .with_hint("Em branco, o primeiro plano entra como taxa de administração, e os outros como adicional."),
            FieldSpec::new("taxaAdesao", "joining_fee", FieldType::Money)
                .with_texts(
                    "Taxa de adesão",
                    "O que se cobra uma vez de quem adere ao plano; nada onde não vem.",
                    "150",
                )
                .with_hint("Cobrada uma vez, de quem adere ao plano."),
        ],
    )
};

pub const SELLER: Register = Register {
    about: "Consultores e representantes que vendem os planos, e a loja de cada um.",
    section: "A associação",
    columns: &["tipo", "codLoja", "telefoneCelular"],
    within: RecordVisibility::Branch("branch"),
    filters: &["tipo", "codLoja"],
    ..build_plain_register(
        words!("vendedor", "codVendedor", "vendedor", "vendedores", "o", "um"),
        ("vendedor", "codVendedor", "seller"),
        "sellers",
        &[
            build_name_field("O nome do vendedor.", r#""Ana Lima""#),
            FieldSpec::new("tipo", "kind", FieldType::Choice(SELLER_KIND)).make_required().with_texts(
                "Tipo",
                "Consultor ou Representante.",
                r#""Consultor""#,
            ),
            FieldSpec::new("codLoja", "branch", FieldType::Reference("loja")).make_required().with_texts(
                "Loja",
                "A loja em que vende.",
                "1",
            ),
            build_document_field("O CPF ou CNPJ do vendedor.", r#""529.982.247-25""#),
            build_email_field(),
            build_mobile_field(),
            build_landline_field(),
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
    unique: &[require_unique(&["cpfCnpj"])],
    remembered: false,
    ..build_plain_register(
        words!("fornecedor", "codFornecedor", "fornecedor", "fornecedores", "o", "um"),
        ("fornecedor", "codFornecedor", "supplier"),
        "suppliers",
        &[
            build_name_field("O nome ou a razão social.", r#""Oficina Boa Rota Ltda""#),
            build_text_field(
                "nomeFantasia",
                "trade_name",
                200,
                "Nome fantasia",
                "O nome fantasia.",
                r#""Boa Rota""#,
            )
            .make_searchable(),
            build_document_field(
                "O CPF ou CNPJ; dois fornecedores não têm o mesmo.",
                r#""45.997.418/0001-53""#,
            ),
            build_text_field(
                "inscricaoEstadual",
                "state_registration",
                30,
                "Inscrição estadual",
                "A inscrição estadual.",
                r#""110042490114""#,
            ),
            build_text_field("tipoFornecedor", "kind", 100, "Tipo", "O que fornece.", r#""Oficina""#)
                .make_searchable(),
            build_email_field(),
            build_mobile_field(),
            build_landline_field(),
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

/// The day itself is the code.
pub const DUE_DAY: Register = Register {
    about: "Os dias do mês em que um associado pode escolher pagar.",
    section: "A associação",
    example: 12,
    key: "day",
    counter: None,
    codes: (1, 31),
    ..build_plain_register(
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
    unique: &[require_unique_name(&["nome"])],
    ..build_plain_register(
        words!("tipoVeiculo", "codTipoVeiculo", "tipo de veículo", "tipos de veículo", "o", "um"),
        ("tipoVeiculo", "codTipoVeiculo", "vehicle_type"),
        "vehicle_types",
        &[
            build_name_field("O nome do tipo.", r#""Triciclo""#),
            FieldSpec::new("categoria", "category", FieldType::Choice(VEHICLE_CATEGORY))
                .make_required()
                .with_texts("Categoria", "A categoria fixa a que o tipo pertence.", r#""Motocicleta""#),
        ],
    )
};

pub const ADDITIONAL_FIELD: Register = Register {
    about: "Perguntas próprias da associação, respondidas em cada benefício.",
    section: "A associação",
    columns: &["tipoBeneficio", "tipo", "obrigatorio"],
    unique: &[require_unique_name(&["nome", "tipoBeneficio"])],
    filters: &["tipoBeneficio"],
    ..build_plain_register(
        words!("campoAdicional", "codCampo", "campo adicional", "campos adicionais", "o", "um"),
        ("campoAdicional", "codCampo", "field"),
        "additional_fields",
        &[
            build_name_field("O nome do campo; cada tipo de benefício tem os seus.", r#""Número do motor""#)
                .with_folded_column("folded_name"),
            FieldSpec::new("tipoBeneficio", "benefit_kind", FieldType::Choice(BENEFIT_KIND))
                .make_required()
                .make_fixed()
                .with_texts(
                    "Tipo de benefício",
                    "Os benefícios que têm o campo; não muda depois de cadastrado.",
                    r#""VEICULAR""#,
                )
                .with_hint("Não muda depois de cadastrado."),
            FieldSpec::new("tipo", "kind", FieldType::Choice(FIELD_KIND))
                .make_required()
                .make_fixed()
                .with_texts("Tipo", "O que o campo guarda; não muda depois de cadastrado.", r#""Texto""#)
                .with_hint("O que se pode digitar nele; não muda depois de cadastrado."),
            FieldSpec::new("obrigatorio", "required", FieldType::Flag)
                .with_default(FieldDefault::Flag(false))
                .with_texts("Obrigatório", "Se o console exige um valor.", "false")
                .with_hint("O console só salva o benefício com ele preenchido."),
            FieldSpec::new("tamanhoMaximo", "longest", FieldType::Integer { least: 1, most: 4000 })
                .with_texts(
                    "Tamanho máximo",
                    "Quantos caracteres um texto pode ter; só para o tipo Texto.",
                    "40",
                )
                .with_hint("Em caracteres; só para o tipo Texto."),
            FieldSpec::new(
                "opcoes",
                "",
                FieldType::Items {
                    longest: 200,
                    rows: PartTable {
                        table: "additional_field_options",
                        record_column: "field",
                        item_column: "name",
                        position: Some("position"),
                    },
                },
            )
            .with_texts("Opções", "O que a lista oferece, na ordem; só para o tipo Lista.", "[]")
            .with_hint("Uma por linha, na ordem; só para o tipo Lista."),
        ],
    )
};
