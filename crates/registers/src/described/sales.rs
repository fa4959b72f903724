//! The sales board: its funnels and their stages.

use super::{name, plain};
use crate::describe::{Default, FieldSpec, Kind, Register, unique_name, words};

const POSITION: FieldSpec = FieldSpec::new("ordem", "position", Kind::Integer { least: 1, most: 1_000_000 })
    .otherwise(Default::Code)
    .told("Ordem", "O lugar entre os outros, a partir de 1.", "9")
    .hinted("O lugar entre os outros: 1 vem primeiro.");

pub const FUNNEL: Register = Register {
    about: "Os caminhos por que uma venda passa; cada um é um quadro em Vendas.",
    section: "Vendas",
    columns: &["ordem"],
    unique: &[unique_name(&["nome"])],
    ..plain(
        words!("funil", "codFunil", "funil", "funis", "o", "um"),
        ("funil", "codFunil", "funnel"),
        "funnels",
        &[name("O nome do funil.", r#""Reativação""#), POSITION],
    )
};

pub const STAGE: Register = Register {
    about: "Os passos de cada funil, da primeira conversa ao fechamento.",
    section: "Vendas",
    columns: &["codFunil", "ordem"],
    unique: &[unique_name(&["nome", "codFunil"])],
    filters: &["codFunil"],
    ..plain(
        words!("etapa", "codEtapa", "etapa", "etapas", "a", "uma"),
        ("etapa", "codEtapa", "stage"),
        "stages",
        &[
            name("O nome da etapa; cada funil tem as suas.", r#""Vistoria marcada""#),
            FieldSpec::new("codFunil", "funnel", Kind::Reference("funil"))
                .required()
                .fixed()
                .told("Funil", "O funil da etapa; não muda depois de cadastrada.", "1")
                .hinted("Não muda depois de cadastrada."),
            POSITION,
            FieldSpec::new("corDestaque", "colour", Kind::Colour).required().told(
                "Cor",
                "A cor de destaque, em seis dígitos hexadecimais.",
                r#""1A73E8""#,
            ),
        ],
    )
};
