//! The fixed sets that register fields choose from, as database numbers and external names. A test in `wire` compares
//! them with its own tables.

pub const ENTITY: &[(i64, &str)] =
    &[(1, "beneficio"), (2, "evento"), (3, "vistoria"), (4, "helpDesk"), (5, "consulta")];

pub const SITUATION_KIND: &[(i64, &str)] = &[
    (1, "ATIVO"),
    (2, "PENDENTE"),
    (3, "SUSPENSO"),
    (4, "INATIVO"),
    (5, "CANCELADO"),
    (6, "ABERTO"),
    (7, "ANDAMENTO"),
    (8, "CONCLUIDO"),
];

pub const BENEFIT_KIND: &[(i64, &str)] =
    &[(0, "VEICULAR"), (1, "SAUDE"), (2, "DIVERSOS"), (3, "CONSORCIO"), (4, "A24H")];

pub const SELLER_KIND: &[(i64, &str)] = &[(1, "Consultor"), (2, "Representante")];

pub const FIELD_KIND: &[(i64, &str)] =
    &[(1, "Texto"), (2, "Numero"), (3, "Data"), (4, "Logico"), (5, "Lista")];

pub const VEHICLE_CATEGORY: &[(i64, &str)] = &[
    (1, "Bicicleta"),
    (2, "Caminhao"),
    (3, "Leve"),
    (4, "Motocicleta"),
    (5, "Pickup"),
    (6, "Utilitario"),
    (7, "Onibus"),
    (8, "Outro"),
];

pub const PRIORITY: &[(i64, &str)] = &[(1, "Baixa"), (2, "Média"), (3, "Alta"), (4, "Urgente")];

pub const CHARGE_ITEM_KIND: &[(i64, &str)] = &[
    (1, "TAXA_ADMINISTRACAO"),
    (2, "RATEIO"),
    (3, "ADICIONAL"),
    (4, "ADESAO"),
    (5, "VISTORIA"),
    (6, "REATIVACAO"),
    (7, "FUNDO_RESERVA"),
    (8, "PARTICIPACAO"),
    (9, "PENALIDADE"),
    (10, "MULTA_JUROS"),
    (11, "DESPESA"),
];

/// The four natures of a charge in Complementary Law 213/2025.
pub const LEGAL_NATURE: &[(i64, &str)] =
    &[(1, "INDENIZACAO"), (2, "REEMBOLSO"), (3, "ADMINISTRACAO"), (4, "OPERACAO")];

pub const SHORTFALL_TREATMENT: &[(i64, &str)] = &[(1, "PROXIMA_COBRANCA"), (2, "DISPENSA")];

pub const LAUNCH_KIND: &[(i64, &str)] = &[(1, "CREDITO"), (2, "DEBITO"), (3, "RATEIO")];

pub const MONEY_ACCOUNT_KIND: &[(i64, &str)] = &[(1, "BANCO"), (2, "CAIXA")];

/// The banks whose slips are known, by their numbers.
pub const SLIP_BANK: &[(i64, &str)] = &[
    (1, "BANCO_DO_BRASIL"),
    (33, "SANTANDER"),
    (104, "CAIXA"),
    (237, "BRADESCO"),
    (341, "ITAU"),
    (748, "SICREDI"),
    (756, "SICOOB"),
];

/// Display labels, where they differ from the external name.
const LABELS: &[(&str, &str)] = &[
    ("beneficio", "Benefício"),
    ("evento", "Evento"),
    ("vistoria", "Vistoria"),
    ("helpDesk", "Help desk"),
    ("consulta", "Consulta"),
    ("titulo", "Título"),
    ("BANCO_DO_BRASIL", "Banco do Brasil"),
    ("SANTANDER", "Santander"),
    ("CAIXA", "Caixa"),
    ("BRADESCO", "Bradesco"),
    ("ITAU", "Itaú"),
    ("SICREDI", "Sicredi"),
    ("SICOOB", "Sicoob"),
    ("ATIVO", "Ativo"),
    ("PENDENTE", "Pendente"),
    ("SUSPENSO", "Suspenso"),
    ("INATIVO", "Inativo"),
    ("CANCELADO", "Cancelado"),
    ("ABERTO", "Aberto"),
    ("ANDAMENTO", "Em andamento"),
    ("CONCLUIDO", "Concluído"),
    ("VEICULAR", "Veicular"),
    ("SAUDE", "Saúde"),
    ("DIVERSOS", "Diversos"),
    ("CONSORCIO", "Consórcio"),
    ("A24H", "Assistência 24H"),
    ("Numero", "Número"),
    ("Logico", "Sim ou não"),
    ("Caminhao", "Caminhão"),
    ("Utilitario", "Utilitário"),
    ("Onibus", "Ônibus"),
    ("TAXA_ADMINISTRACAO", "Taxa de administração"),
    ("RATEIO", "Rateio"),
    ("ADICIONAL", "Adicional"),
    ("ADESAO", "Adesão"),
    ("VISTORIA", "Vistoria"),
    ("REATIVACAO", "Reativação"),
    ("FUNDO_RESERVA", "Fundo de reserva"),
    ("PARTICIPACAO", "Participação em evento"),
    ("PENALIDADE", "Penalidade"),
    ("MULTA_JUROS", "Multa e juros"),
    ("DESPESA", "Despesa"),
    ("INDENIZACAO", "I – Indenizações e despesas de eventos"),
    ("REEMBOLSO", "II – Reembolso de despesas adiantadas"),
    ("ADMINISTRACAO", "III – Taxa de administração"),
    ("OPERACAO", "IV – Outras despesas da operação"),
    ("PROXIMA_COBRANCA", "Entra na próxima cobrança"),
    ("DISPENSA", "É dispensada"),
    ("CREDITO", "Crédito"),
    ("DEBITO", "Débito"),
    ("BANCO", "Banco"),
    ("CAIXA", "Caixa"),
];

/// The display label of a set member.
pub fn find_choice_label(name: &'static str) -> &'static str {
    LABELS.iter().find(|(known, _)| *known == name).map_or(name, |(_, label)| label)
}
