//! Sales registers: funnels and their stages.

use super::{build_name_field, build_plain_register};
use crate::describe::{FieldDefault, FieldSpec, FieldType, Register, require_unique_name, words};

const POSITION: FieldSpec =
    FieldSpec::new("ordem", "position", FieldType::Integer { least: 1, most: 1_000_000 })
        .with_default(FieldDefault::Code)
        .with_texts("Ordem", "O lugar entre os outros, a partir de 1.", "9")
        .with_hint("O lugar entre os outros: 1 vem primeiro.");

pub const FUNNEL: Register = Register {
    about: "Os caminhos por que uma venda passa; cada um é um quadro em Vendas.",
    section: "Vendas",
    columns: &["ordem"],
    unique: &[require_unique_name(&["nome"])],
    ..build_plain_register(
        words!("funil", "codFunil", "funil", "funis", "o", "um"),
        ("funil", "codFunil", "funnel"),
        "funnels",
        &[build_name_field("O nome do funil.", r#""Reativação""#), POSITION],
    )
};

pub const STAGE: Register = Register {
    about: "Os passos de cada funil, da primeira conversa ao fechamento.",
    section: "Vendas",
    columns: &["codFunil", "ordem"],
    unique: &[require_unique_name(&["nome", "codFunil"])],
    filters: &["codFunil"],
    ..build_plain_register(
        words!("etapa", "codEtapa", "etapa", "etapas", "a", "uma"),
        ("etapa", "codEtapa", "stage"),
        "stages",
        &[
            build_name_field("O nome da etapa; cada funil tem as suas.", r#""Vistoria marcada""#),
            FieldSpec::new("codFunil", "funnel", FieldType::Reference("funil"))
                .make_required()
                .make_fixed()
                .with_texts("Funil", "O funil da etapa; não muda depois de cadastrada.", "1")
                .with_hint("Não muda depois de cadastrada."),
            POSITION,
            FieldSpec::new("corDestaque", "colour", FieldType::Colour).make_required().with_texts(
                "Cor",
                "A cor de destaque, em seis dígitos hexadecimais.",
                r#""1A73E8""#,
            ),
        ],
    )
};
