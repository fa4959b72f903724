//! The columns of plans and sellers.

use super::{BRANCH, EMAIL, build_optional_field, build_required_field};
use crate::import_sheet::fields::{ImportField, ImportFieldKind};

pub(super) const PLANS: &[ImportField] = &[
    build_required_field("nome", "Nome", ImportFieldKind::Text, &["Plano", "Nome do plano", "Produto"]),
    build_optional_field("codPlano", "Código do plano", ImportFieldKind::Number, &["Código", "Cód.", "ID"]),
    build_optional_field(
        "tipoBeneficio",
        "Tipo de benefício",
        ImportFieldKind::BenefitKind,
        &["Tipo", "Categoria"],
    ),
    build_optional_field("valor", "Valor", ImportFieldKind::Money, &["Preço", "Mensalidade", "Valor mensal"]),
    build_optional_field("descricao", "Descrição", ImportFieldKind::Text, &["Coberturas", "Detalhes"]),
    build_optional_field(
        "codGrupo",
        "Grupo de proteção",
        ImportFieldKind::ProtectionGroup,
        &["Grupo", "Nome do grupo"],
    ),
    build_optional_field("codItemCobranca", "Item de cobrança", ImportFieldKind::ChargeItem, &["Item"]),
    build_optional_field(
        "taxaAdesao",
        "Taxa de adesão",
        ImportFieldKind::Money,
        &["Adesão", "Valor da adesão"],
    ),
    build_optional_field("ativo", "Ativo", ImportFieldKind::Flag, &["Situação", "Status"]),
];

pub(super) const SELLERS: &[ImportField] = &[
    build_required_field(
        "nome",
        "Nome",
        ImportFieldKind::Text,
        &["Vendedor", "Consultor", "Nome completo", "Nome do vendedor"],
    ),
    build_optional_field(
        "codVendedor",
        "Código do vendedor",
        ImportFieldKind::Number,
        &["Código", "Cód.", "ID"],
    ),
    build_optional_field("tipo", "Tipo", ImportFieldKind::SellerKind, &["Função", "Cargo", "Perfil"]),
    BRANCH,
    build_optional_field(
        "cpfCnpj",
        "CPF ou CNPJ",
        ImportFieldKind::Document,
        &["CPF", "CNPJ", "CPF/CNPJ", "Documento"],
    ),
    EMAIL,
    build_optional_field(
        "telefoneCelular",
        "Celular",
        ImportFieldKind::Phone,
        &["Telefone", "WhatsApp", "Telefone celular", "Fone"],
    ),
    build_optional_field("telefoneFixo", "Telefone fixo", ImportFieldKind::Phone, &["Fixo", "Telefone 2"]),
    build_optional_field("bairro", "Bairro", ImportFieldKind::Text, &[]),
    build_optional_field("cidade", "Cidade", ImportFieldKind::Text, &["Município"]),
    build_optional_field("uf", "UF", ImportFieldKind::Uf, &["Estado"]),
    build_optional_field("ativo", "Ativo", ImportFieldKind::Flag, &["Situação", "Status"]),
];
