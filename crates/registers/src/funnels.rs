//! The funnel that every association is born with. It renames it and adds to it as it likes. Migration 6 gives the same to
//! the associations that were there before.

use domain::Colour;

pub struct BornFunnel {
    pub name: &'static str,
    /// In the order in which a deal goes through them.
    pub stages: &'static [(&'static str, Colour)],
}

pub const FUNNEL: BornFunnel = BornFunnel {
    name: "Vendas",
    stages: &[
        ("Novo contato", Colour::rgb(0x1A_73E8)),
        ("Qualificação", Colour::rgb(0x84_30CE)),
        ("Proposta enviada", Colour::rgb(0xF9_AB00)),
        ("Negociação", Colour::rgb(0xE3_7400)),
        ("Fechamento", Colour::rgb(0x18_8038)),
    ],
};
