//! The entries of the menu.

/// A menu entry: name in the code, label, path.
pub type MenuEntry = (&'static str, &'static str, &'static str);

pub const WORK: &[MenuEntry] = &[
    ("painel", "Painel", ""),
    ("associados", "Associados", "/associados"),
    ("beneficios", "Benefícios", "/beneficios"),
    ("eventos", "Eventos", "/eventos"),
    ("vistorias", "Vistorias", "/vistorias"),
    ("help-desk", "Help desk", "/help-desk"),
    ("consultas", "Consultas", "/consultas"),
    ("vendas", "Vendas", "/vendas"),
];
pub const ADMINISTRATION: &[MenuEntry] = &[
    ("cadastros", "Cadastros", "/cadastros"),
    ("importar", "Importar", "/importar"),
    ("usuarios", "Usuários", "/usuarios"),
    ("gatilhos", "Gatilhos", "/gatilhos"),
    ("auditoria", "Auditoria", "/auditoria"),
    ("emails", "E-mails", "/emails"),
];
