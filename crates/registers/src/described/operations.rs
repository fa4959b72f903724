//! What operations go by: situations, and the types of event, inspection and ticket.

use super::sets::{ENTITY, PRIORITY, SITUATION_KIND};
use super::{name, plain};
use crate::describe::{Default, FieldSpec, Kind, Register, Rows, unique_name, words};

pub const SITUATION: Register = Register {
    about: "As situações por que passam benefícios, eventos, vistorias, chamados e consultas: cor, prazo e para onde levam.",
    section: "O dia a dia",
    columns: &["entidade", "tipo", "padrao", "prazoHoras", "ordem"],
    unique: &[unique_name(&["nome", "entidade"])],
    filters: &["entidade", "tipo"],
    ..plain(
        words!("situacao", "codSituacao", "situação", "situações", "a", "uma"),
        ("situacao", "codSituacao", "situation"),
        "situations",
        &[
            name("O nome da situação; cada entidade tem as suas.", r#""AGUARDANDO PEÇAS""#).folded("folded_name"),
            FieldSpec::new("entidade", "entity", Kind::Choice(ENTITY)).required().fixed().told(
                "Entidade",
                "De que registros é a situação; não muda depois de cadastrada.",
                r#""evento""#,
            ).hinted("De que registros é a situação; não muda depois de cadastrada."),
            FieldSpec::new("tipo", "kind", Kind::Choice(SITUATION_KIND)).required().fixed().told(
                "Tipo",
                "O tipo fixo: de um benefício ATIVO, PENDENTE, SUSPENSO, INATIVO ou CANCELADO; das outras entidades ABERTO, ANDAMENTO, CONCLUIDO ou CANCELADO. Não muda depois de cadastrada.",
                r#""ANDAMENTO""#,
            ).hinted("O que o sistema entende por ela; não muda depois de cadastrada."),
            FieldSpec::new("corDestaque", "colour", Kind::Colour).required().told(
                "Cor",
                "A cor de destaque, em seis dígitos hexadecimais.",
                r#""F9AB00""#,
            ),
            FieldSpec::new("corInversa", "", Kind::ReadableOn("corDestaque")).told(
                "Cor do texto",
                "A cor em que um texto sobre a de destaque se lê; é calculada.",
                r#""000000""#,
            ),
            FieldSpec::new("padrao", "is_default", Kind::Flag).otherwise(Default::Flag(false)).told(
                "Padrão",
                "Se é a que vale quando só o tipo é dito. Cada tipo de cada entidade tem uma: marcar outra a toma desta.",
                "false",
            ).hinted("A que vale quando só o tipo é dito. Marcar esta desmarca a anterior."),
            FieldSpec::new("ordem", "position", Kind::Integer { least: 1, most: 1_000_000 })
                .otherwise(Default::Code)
                .told("Ordem", "O lugar entre as outras, nas telas.", "7").hinted("O lugar entre as outras nas telas: 1 vem primeiro."),
            FieldSpec::new("prazoHoras", "limit_hours", Kind::Integer { least: 1, most: 87_600 }).told(
                "Prazo em horas",
                "Depois de quantas horas nela alguém deve olhar; sem prazo onde não vem.",
                "72",
            ).hinted("Depois dele o registro aparece como atrasado; vazio, nunca."),
            FieldSpec::new(
                "proximas",
                "",
                Kind::References {
                    to: "situacao",
                    rows: Rows { table: "situation_moves", own: "situation", part: "next", position: None },
                },
            )
            .told("Pode levar a", "As situações a que ela pode levar, pelos códigos; vazia, a qualquer uma.", "[]").hinted("Sem nenhuma marcada, pode levar a qualquer outra."),
        ],
    )
};

pub const CLAIM_TYPE: Register = Register {
    about: "O que pode acontecer a um associado: colisão, roubo, vidros…",
    section: "O dia a dia",
    unique: &[unique_name(&["nome"])],
    ..plain(
        words!("tipoEvento", "codTipoEvento", "tipo de evento", "tipos de evento", "o", "um"),
        ("tipoEvento", "codTipoEvento", "claim_type"),
        "claim_types",
        &[name("O nome do tipo.", r#""Granizo""#)],
    )
};

pub const INSPECTION_TYPE: Register = Register {
    about: "As vistorias que se fazem, e o que o vistoriador confere em cada uma.",
    section: "O dia a dia",
    columns: &["checklist"],
    unique: &[unique_name(&["nome"])],
    ..plain(
        words!("tipoVistoria", "codTipoVistoria", "tipo de vistoria", "tipos de vistoria", "o", "um"),
        ("tipoVistoria", "codTipoVistoria", "inspection_type"),
        "inspection_types",
        &[
            name("O nome do tipo.", r#""Vistoria de retorno""#),
            FieldSpec::new("checklist", "checklist", Kind::Lines { longest: 200 })
                .told("Checklist", "O que o vistoriador confere, na ordem.", r#"["Pneus", "Lataria"]"#)
                .hinted("Um item por linha, na ordem em que se confere."),
        ],
    )
};

pub const TICKET_TYPE: Register = Register {
    about: "Os assuntos do help desk, e a prioridade com que cada um começa.",
    section: "O dia a dia",
    columns: &["prioridade"],
    unique: &[unique_name(&["nome"])],
    ..plain(
        words!("tipoHelpDesk", "codTipoHelpDesk", "tipo de help desk", "tipos de help desk", "o", "um"),
        ("tipoHelpDesk", "codTipoHelpDesk", "ticket_type"),
        "ticket_types",
        &[
            name("O nome do tipo.", r#""Segunda via de carteirinha""#),
            FieldSpec::new("prioridade", "priority", Kind::Choice(PRIORITY))
                .otherwise(Default::Number(2))
                .told("Prioridade", "A de um chamado que não diz a sua; Média onde não vem.", r#""Média""#)
                .hinted("Um chamado que não diz a sua começa com esta."),
        ],
    )
};
