//! The columns of each kind of file, with the names by which associations call them.

use super::{Cell, Column};
use domain::ImportKind;

pub fn columns(kind: ImportKind) -> &'static [Column] {
    match kind {
        ImportKind::Members => MEMBERS,
        ImportKind::Vehicles => VEHICLES,
        ImportKind::Dependents => DEPENDENTS,
        ImportKind::Leads => LEADS,
        ImportKind::Plans => PLANS,
        ImportKind::Sellers => SELLERS,
    }
}

const fn column(
    name: &'static str,
    label: &'static str,
    cell: Cell,
    synonyms: &'static [&'static str],
) -> Column {
    Column { name, label, cell, required: false, synonyms }
}

const fn needed(
    name: &'static str,
    label: &'static str,
    cell: Cell,
    synonyms: &'static [&'static str],
) -> Column {
    Column { required: true, ..column(name, label, cell, synonyms) }
}

const BRANCH: Column = column(
    "codLoja",
    "Loja",
    Cell::Branch,
    &["Código da loja", "Unidade", "Filial", "Regional", "Nome da loja"],
);
const CONSULTANT: Column = column(
    "codConsultor",
    "Consultor",
    Cell::Consultant,
    &["Código do consultor", "Vendedor", "Consultora", "Nome do consultor", "Nome do vendedor"],
);
const REPRESENTATIVE: Column = column(
    "codRepresentante",
    "Representante",
    Cell::Representative,
    &["Código do representante", "Nome do representante"],
);
const EMAIL: Column =
    column("email", "E-mail", Cell::Text, &["Mail", "Correio eletrônico", "Endereço de e-mail"]);
const SEX: Column = column("sexo", "Sexo", Cell::Sex, &["Gênero"]);
const BIRTH: Column = column(
    "dataNascimento",
    "Data de nascimento",
    Cell::Date,
    &["Data de nasc.", "Data nascimento", "Dt nascimento", "Dt. nasc.", "Data nasc", "Nascimento", "Nasc."],
);

const MEMBERS: &[Column] = &[
    needed(
        "cpfCnpj",
        "CPF ou CNPJ",
        Cell::Document,
        &[
            "CPF",
            "CNPJ",
            "CPF/CNPJ",
            "CPF CNPJ",
            "Documento",
            "CPF do associado",
            "CPF do titular",
            "Nº CPF",
            "CGC",
        ],
    ),
    needed(
        "nomePessoa",
        "Nome",
        Cell::Text,
        &[
            "Nome completo",
            "Nome do associado",
            "Associado",
            "Nome da pessoa",
            "Razão social",
            "Nome/Razão social",
            "Cliente",
            "Nome do cliente",
            "Titular",
        ],
    ),
    column(
        "codPessoa",
        "Código da pessoa",
        Cell::Number,
        &["Código", "Cód.", "Código do associado", "Cod associado", "Matrícula", "ID"],
    ),
    BRANCH,
    column(
        "codigoIntegracao",
        "Código de integração",
        Cell::Text,
        &["Código externo", "Código antigo", "Código no sistema antigo"],
    ),
    EMAIL,
    SEX,
    BIRTH,
    column(
        "celular",
        "Celular",
        Cell::Phone,
        &[
            "Telefone celular",
            "WhatsApp",
            "Cel.",
            "Fone celular",
            "Telefone 1",
            "Telefone",
            "Fone",
            "Contato",
        ],
    ),
    column(
        "telefoneFixo",
        "Telefone fixo",
        Cell::Phone,
        &["Fixo", "Telefone residencial", "Telefone 2", "Fone residencial"],
    ),
    column(
        "outroTelefone",
        "Outro telefone",
        Cell::Phone,
        &["Telefone comercial", "Telefone 3", "Recado", "Telefone de recado"],
    ),
    column("recebeEmail", "Recebe e-mail", Cell::Flag, &["Aceita e-mail"]),
    column("recebeWhatsApp", "Recebe WhatsApp", Cell::Flag, &["Aceita WhatsApp"]),
    column(
        "identidade",
        "RG",
        Cell::Text,
        &["Identidade", "Nº RG", "Número da identidade", "Registro geral"],
    ),
    column("orgaoExpedidor", "Órgão expedidor", Cell::Text, &["Órgão emissor", "Emissor", "Expedidor"]),
    column(
        "dataExpedicao",
        "Data de expedição",
        Cell::Date,
        &["Expedição", "Data de emissão do RG", "Data expedição"],
    ),
    column("nomeMae", "Nome da mãe", Cell::Text, &["Mãe", "Filiação"]),
    column("estadoCivil", "Estado civil", Cell::CivilState, &[]),
    column(
        "numeroCnh",
        "CNH",
        Cell::Text,
        &["Número da CNH", "Nº CNH", "Habilitação", "Carteira de habilitação"],
    ),
    column("categoriaCnh", "Categoria da CNH", Cell::Text, &["Categoria CNH", "Cat. CNH"]),
    column(
        "validadeCnh",
        "Validade da CNH",
        Cell::Date,
        &["Validade CNH", "Vencimento da CNH", "Vencimento CNH"],
    ),
    column("nomeFantasia", "Nome fantasia", Cell::Text, &["Fantasia"]),
    column("inscricaoEstadual", "Inscrição estadual", Cell::Text, &["IE"]),
    column("inscricaoMunicipal", "Inscrição municipal", Cell::Text, &["IM"]),
    column("representanteLegal", "Representante legal", Cell::Text, &["Responsável legal"]),
    column("nomeEmpresa", "Empresa", Cell::Text, &["Empresa em que trabalha", "Nome da empresa"]),
    column("cnpjEmpresa", "CNPJ da empresa", Cell::Document, &["CNPJ empresa"]),
    CONSULTANT,
    REPRESENTATIVE,
    column("endereco.cep", "CEP", Cell::Cep, &["Código postal"]),
    column("endereco.tipoLogradouro", "Tipo de logradouro", Cell::Text, &["Tipo logradouro"]),
    column("endereco.logradouro", "Logradouro", Cell::Text, &["Rua", "Endereço", "Avenida"]),
    column("endereco.numero", "Número", Cell::Text, &["Nº", "Num.", "Número do endereço"]),
    column("endereco.complemento", "Complemento", Cell::Text, &["Compl."]),
    column("endereco.bairro", "Bairro", Cell::Text, &[]),
    column("endereco.cidade", "Cidade", Cell::Text, &["Município"]),
    column("endereco.uf", "UF", Cell::Uf, &["Estado"]),
    column("endereco.tipoEndereco", "Tipo de endereço", Cell::Text, &["Tipo endereço"]),
];

const VEHICLES: &[Column] = &[
    needed(
        "cpfCnpj",
        "CPF ou CNPJ do titular",
        Cell::Document,
        &[
            "CPF",
            "CNPJ",
            "CPF/CNPJ",
            "CPF CNPJ",
            "Documento",
            "CPF do titular",
            "CPF do associado",
            "Titular",
            "CPF titular",
            "CPF associado",
        ],
    ),
    column("codBeneficio", "Código do benefício", Cell::Number, &["Código", "Cód.", "ID"]),
    column("sequencial", "Sequencial", Cell::Number, &["Número sequencial", "Seq."]),
    column(
        "numeroCartaoDesconto",
        "Cartão",
        Cell::Card,
        &["Número do cartão", "Cartão de desconto", "Nº do cartão"],
    ),
    column("placa", "Placa", Cell::Text, &["Placa do veículo", "Placa veículo"]),
    column("chassi", "Chassi", Cell::Text, &["Chassis", "Nº do chassi", "Número do chassi"]),
    column("codPlano", "Plano", Cell::Plan, &["Código do plano", "Nome do plano", "Produto"]),
    column("situacao", "Situação", Cell::Text, &["Status", "Situação do benefício"]),
    column(
        "diaVencimento",
        "Dia de vencimento",
        Cell::Number,
        &["Vencimento", "Dia vencimento", "Dia do vencimento", "Dia venc."],
    ),
    column(
        "dataAdesao",
        "Data de adesão",
        Cell::Date,
        &["Adesão", "Data adesão", "Data do contrato", "Data de contrato"],
    ),
    BRANCH,
    CONSULTANT,
    REPRESENTATIVE,
    column(
        "codigoIntegracao",
        "Código de integração",
        Cell::Text,
        &["Código externo", "Código antigo", "Contrato", "Número do contrato"],
    ),
    column("observacao", "Observação", Cell::Text, &["Observações", "Obs."]),
    column("renavam", "Renavam", Cell::Text, &["Nº Renavam"]),
    column("marca", "Marca", Cell::Text, &["Fabricante", "Montadora"]),
    column("modelo", "Modelo", Cell::Text, &["Veículo", "Modelo do veículo"]),
    column(
        "anoFabricacao",
        "Ano de fabricação",
        Cell::Year,
        &["Ano", "Ano fab.", "Ano fabricação", "Ano fab/mod", "Ano de fabricação e modelo"],
    ),
    column("anoModelo", "Ano do modelo", Cell::Year, &["Ano mod.", "Ano modelo", "Ano/modelo"]),
    column("cor", "Cor", Cell::Text, &["Cor do veículo"]),
    column("combustivel", "Combustível", Cell::Fuel, &[]),
    column("categoria", "Categoria", Cell::Category, &["Categoria do veículo"]),
    column("codTipoVeiculo", "Tipo de veículo", Cell::VehicleType, &["Tipo do veículo", "Tipo"]),
    column("numeroPortas", "Número de portas", Cell::Number, &["Portas", "Nº de portas"]),
    column("valorVeiculo", "Valor do veículo", Cell::Money, &["Valor FIPE", "Valor", "FIPE"]),
    column("valorProtegido", "Valor protegido", Cell::Money, &["Valor coberto"]),
    column(
        "valorParticipacao",
        "Participação",
        Cell::Money,
        &["Valor da participação", "Cota de participação", "Franquia"],
    ),
    column("codigoFipe", "Código FIPE", Cell::Text, &["Cód. FIPE"]),
];

const DEPENDENTS: &[Column] = &[
    column(
        "titular",
        "CPF ou CNPJ do titular",
        Cell::Document,
        &["CPF do titular", "CPF titular", "Titular", "CPF do associado", "CPF associado", "CPF responsável"],
    ),
    column("codBeneficio", "Código do benefício", Cell::Number, &["Benefício"]),
    column("placa", "Placa do benefício", Cell::Text, &["Placa"]),
    column("codDependente", "Código do dependente", Cell::Number, &["Código", "Cód.", "ID"]),
    needed(
        "nome",
        "Nome",
        Cell::Text,
        &["Nome do dependente", "Dependente", "Nome completo", "Beneficiário"],
    ),
    column("cpf", "CPF", Cell::Document, &["CPF do dependente", "CPF dependente", "Documento"]),
    BIRTH,
    needed("parentesco", "Parentesco", Cell::Kinship, &["Grau de parentesco", "Vínculo", "Relação"]),
    SEX,
    column("ativo", "Ativo", Cell::Flag, &["Situação", "Status"]),
    column("identidade", "RG", Cell::Text, &["Identidade"]),
    column("telefone", "Telefone", Cell::Phone, &["Celular", "Fone", "WhatsApp"]),
    EMAIL,
    column(
        "numeroCartaoDesconto",
        "Cartão",
        Cell::Card,
        &["Número do cartão", "Nº do cartão", "Cartão de desconto"],
    ),
    column("codPlano", "Plano", Cell::Plan, &["Código do plano", "Nome do plano"]),
];

const LEADS: &[Column] = &[
    needed("nome", "Nome", Cell::Text, &["Nome completo", "Lead", "Contato", "Cliente"]),
    column("documento", "CPF ou CNPJ", Cell::Document, &["CPF", "CNPJ", "CPF/CNPJ", "Documento"]),
    column("codLead", "Código do lead", Cell::Number, &["Código", "Cód.", "ID"]),
    column(
        "celular",
        "Celular",
        Cell::Phone,
        &["Telefone", "WhatsApp", "Telefone celular", "Fone", "Telefone 1"],
    ),
    column("telefoneFixo", "Telefone fixo", Cell::Phone, &["Fixo", "Telefone 2"]),
    EMAIL,
    column("empresa", "Empresa", Cell::Text, &["Nome da empresa"]),
    column("cidade", "Cidade", Cell::Text, &["Município"]),
    column("uf", "UF", Cell::Uf, &["Estado"]),
    column("mensagem", "Mensagem", Cell::Text, &["Observação", "Observações", "Obs.", "Interesse"]),
    column("origem", "Origem", Cell::Text, &["Canal", "Campanha", "Fonte"]),
    CONSULTANT,
    BRANCH,
];

const PLANS: &[Column] = &[
    needed("nome", "Nome", Cell::Text, &["Plano", "Nome do plano", "Produto"]),
    column("codPlano", "Código do plano", Cell::Number, &["Código", "Cód.", "ID"]),
    column("tipoBeneficio", "Tipo de benefício", Cell::BenefitKind, &["Tipo", "Categoria"]),
    column("valor", "Valor", Cell::Money, &["Preço", "Mensalidade", "Valor mensal"]),
    column("descricao", "Descrição", Cell::Text, &["Coberturas", "Detalhes"]),
    column("ativo", "Ativo", Cell::Flag, &["Situação", "Status"]),
];

const SELLERS: &[Column] = &[
    needed("nome", "Nome", Cell::Text, &["Vendedor", "Consultor", "Nome completo", "Nome do vendedor"]),
    column("codVendedor", "Código do vendedor", Cell::Number, &["Código", "Cód.", "ID"]),
    column("tipo", "Tipo", Cell::SellerKind, &["Função", "Cargo", "Perfil"]),
    BRANCH,
    column("cpfCnpj", "CPF ou CNPJ", Cell::Document, &["CPF", "CNPJ", "CPF/CNPJ", "Documento"]),
    EMAIL,
    column("telefoneCelular", "Celular", Cell::Phone, &["Telefone", "WhatsApp", "Telefone celular", "Fone"]),
    column("telefoneFixo", "Telefone fixo", Cell::Phone, &["Fixo", "Telefone 2"]),
    column("bairro", "Bairro", Cell::Text, &[]),
    column("cidade", "Cidade", Cell::Text, &["Município"]),
    column("uf", "UF", Cell::Uf, &["Estado"]),
    column("ativo", "Ativo", Cell::Flag, &["Situação", "Status"]),
];
