//! Operations registers: situations, and the types of claim, inspection and ticket.

use super::sets::{ENTITY, PRIORITY, SITUATION_KIND};
use super::{build_name_field, build_plain_register};
use crate::describe::{FieldDefault, FieldSpec, FieldType, PartTable, Register, require_unique_name, words};

pub const SITUATION: Register = Register {
    about: "As situações por que passam benefícios, eventos, vistorias, chamados e consultas: cor, prazo e para onde levam.",
    section: "O dia a dia",
    columns: &["entidade", "tipo", "padrao", "cobra", "prazoHoras", "ordem"],
    unique: &[require_unique_name(&["nome", "entidade"])],
    filters: &["entidade", "tipo"],
    ..build_plain_register(
        words!("situacao", "codSituacao", "situação", "situações", "a", "uma"),
        ("situacao", "codSituacao", "situation"),
        "situations",
        &[
            build_name_field("O nome da situação; cada entidade tem as suas.", r#""AGUARDANDO PEÇAS""#).with_folded_column("folded_name"),
            FieldSpec::new("entidade", "entity", FieldType::Choice(ENTITY)).make_required().make_fixed().with_texts(
                "Entidade",
                "De que registros é a situação; não muda depois de cadastrada.",
                r#""evento""#,
            ).with_hint("De que registros é a situação; não muda depois de cadastrada."),
            FieldSpec::new("tipo", "kind", FieldType::Choice(SITUATION_KIND)).make_required().make_fixed().with_texts(
                "Tipo",
                "O tipo fixo: de um benefício ATIVO, PENDENTE, SUSPENSO, INATIVO ou CANCELADO; das outras entidades ABERTO, ANDAMENTO, CONCLUIDO ou CANCELADO. Não muda depois de cadastrada.",
                r#""ANDAMENTO""#,
            ).with_hint("O que o sistema entende por ela; não muda depois de cadastrada."),
            FieldSpec::new("corDestaque", "colour", FieldType::Colour).make_required().with_texts(
                "Cor",
                "A cor de destaque, em seis dígitos hexadecimais.",
                r#""F9AB00""#,
            ),
            FieldSpec::new("corInversa", "", FieldType::ReadableOn("corDestaque")).with_texts(
                "Cor do texto",
                "A cor em que um texto sobre a de destaque se lê; é calculada.",
                r#""000000""#,
            ),
            FieldSpec::new("padrao", "is_default", FieldType::Flag).with_default(FieldDefault::Flag(false)).with_texts(
                "Padrão",
                "Se é a que vale quando só o tipo é dito. Cada tipo de cada entidade tem uma: marcar outra a toma desta.",
                "false",
            ).with_hint("A que vale quando só o tipo é dito. Marcar esta desmarca a anterior."),
            FieldSpec::new("ordem", "position", FieldType::Integer { least: 1, most: 1_000_000 })
                .with_default(FieldDefault::Code)
                .with_texts("Ordem", "O lugar entre as outras, nas telas.", "7").with_hint("O lugar entre as outras nas telas: 1 vem primeiro."),
            FieldSpec::new("prazoHoras", "limit_hours", FieldType::Integer { least: 1, most: 87_600 }).with_texts(
                "Prazo em horas",
                "Depois de quantas horas nela alguém deve olhar; sem prazo onde não vem.",
                "72",
            ).with_hint("Depois dele o registro aparece como atrasado; vazio, nunca."),
            FieldSpec::new("cobra", "is_charged", FieldType::Flag).with_texts(
                "Cobra mensalidade",
                "Se a mensalidade de um benefício nesta situação é cobrada. Onde não vem, as de tipo ATIVO e SUSPENSO cobram e as outras não; só as de benefício podem cobrar.",
                "false",
            ).with_hint("Só para situações de benefício: quem está nela recebe a mensalidade."),
            FieldSpec::new(
                "proximas",
                "",
                FieldType::References {
                    to: "situacao",
                    rows: PartTable { table: "situation_moves", record_column: "situation", item_column: "next", position: None },
                },
            )
            .with_texts("Pode levar a", "As situações a que ela pode levar, pelos códigos; vazia, a qualquer uma.", "[]").with_hint("Sem nenhuma marcada, pode levar a qualquer outra."),
        ],
    )
};

pub const CLAIM_TYPE: Register = Register {
    about: "O que pode acontecer a um associado: colisão, roubo, vidros…",
    section: "O dia a dia",
    unique: &[require_unique_name(&["nome"])],
    ..build_plain_register(
        words!("tipoEvento", "codTipoEvento", "tipo de evento", "tipos de evento", "o", "um"),
        ("tipoEvento", "codTipoEvento", "claim_type"),
        "claim_types",
        &[build_name_field("O nome do tipo.", r#""Granizo""#)],
    )
};

pub const INSPECTION_TYPE: Register = Register {
    about: "As vistorias que se fazem, e o que o vistoriador confere em cada uma.",
    section: "O dia a dia",
    columns: &["checklist"],
    unique: &[require_unique_name(&["nome"])],
    ..build_plain_register(
        words!("tipoVistoria", "codTipoVistoria", "tipo de vistoria", "tipos de vistoria", "o", "um"),
        ("tipoVistoria", "codTipoVistoria", "inspection_type"),
        "inspection_types",
        &[
            build_name_field("O nome do tipo.", r#""Vistoria de retorno""#),
            FieldSpec::new("checklist", "checklist", FieldType::Lines { longest: 200 })
                .with_texts("Checklist", "O que o vistoriador confere, na ordem.", r#"["Pneus", "Lataria"]"#)
                .with_hint("Um item por linha, na ordem em que se confere."),
        ],
    )
};

pub const TICKET_TYPE: Register = Register {
    about: "Os assuntos do help desk, e a prioridade com que cada um começa.",
    section: "O dia a dia",
    columns: &["prioridade"],
    unique: &[require_unique_name(&["nome"])],
    ..build_plain_register(
        words!("tipoHelpDesk", "codTipoHelpDesk", "tipo de help desk", "tipos de help desk", "o", "um"),
        ("tipoHelpDesk", "codTipoHelpDesk", "ticket_type"),
        "ticket_types",
        &[
            build_name_field("O nome do tipo.", r#""Segunda via de carteirinha""#),
            FieldSpec::new("prioridade", "priority", FieldType::Choice(PRIORITY))
                .with_default(FieldDefault::Number(2))
                .with_texts(
                    "Prioridade",
                    "A de um chamado que não diz a sua; Média onde não vem.",
                    r#""Média""#,
                )
                .with_hint("Um chamado que não diz a sua começa com esta."),
        ],
    )
};
