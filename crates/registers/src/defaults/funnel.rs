//! The default funnel of a new association, which it may rename and extend. Migration 6 adds the same to existing
//! associations.

use domain::Colour;

pub struct InitialFunnel {
    pub name: &'static str,
    /// In the order in which a deal passes through them.
    pub stages: &'static [(&'static str, Colour)],
}

pub const FUNNEL: InitialFunnel = InitialFunnel {
    name: "Vendas",
    stages: &[
        ("Novo contato", Colour::from_rgb(0x1A_73E8)),
        ("Qualificação", Colour::from_rgb(0x84_30CE)),
        ("Proposta enviada", Colour::from_rgb(0xF9_AB00)),
        ("Negociação", Colour::from_rgb(0xE3_7400)),
        ("Fechamento", Colour::from_rgb(0x18_8038)),
    ],
};
