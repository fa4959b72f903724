//! The columns of each kind of import file, with the names that associations use for them.

use super::fields::{ImportField, ImportFieldKind};
use domain::ImportKind;

pub fn list_import_fields(kind: ImportKind) -> &'static [ImportField] {
    match kind {
        ImportKind::Members => MEMBERS,
        ImportKind::Vehicles => VEHICLES,
        ImportKind::Dependents => DEPENDENTS,
        ImportKind::Leads => LEADS,
        ImportKind::Plans => PLANS,
        ImportKind::Sellers => SELLERS,
        ImportKind::Titles => TITLES,
        ImportKind::OpeningBalances => OPENING_BALANCES,
    }
}

const fn build_optional_field(
    name: &'static str,
    label: &'static str,
    cell: ImportFieldKind,
    synonyms: &'static [&'static str],
) -> ImportField {
    ImportField { name, label, cell, required: false, synonyms }
}

const fn build_required_field(
    name: &'static str,
    label: &'static str,
    cell: ImportFieldKind,
    synonyms: &'static [&'static str],
) -> ImportField {
    ImportField { required: true, ..build_optional_field(name, label, cell, synonyms) }
}

const BRANCH: ImportField = build_optional_field(
    "codLoja",
    "Loja",
    ImportFieldKind::Branch,
    &["Código da loja", "Unidade", "Filial", "Regional", "Nome da loja"],
);
const CONSULTANT: ImportField = build_optional_field(
    "codConsultor",
    "Consultor",
    ImportFieldKind::Consultant,
    &["Código do consultor", "Vendedor", "Consultora", "Nome do consultor", "Nome do vendedor"],
);
const REPRESENTATIVE: ImportField = build_optional_field(
    "codRepresentante",
    "Representante",
    ImportFieldKind::Representative,
    &["Código do representante", "Nome do representante"],
);
const EMAIL: ImportField = build_optional_field(
    "email",
    "E-mail",
    ImportFieldKind::Text,
    &["Mail", "Correio eletrônico", "Endereço de e-mail"],
);
const SEX: ImportField = build_optional_field("sexo", "Sexo", ImportFieldKind::Sex, &["Gênero"]);
const BIRTH: ImportField = build_optional_field(
    "dataNascimento",
    "Data de nascimento",
    ImportFieldKind::Date,
    &["Data de nasc.", "Data nascimento", "Dt nascimento", "Dt. nasc.", "Data nasc", "Nascimento", "Nasc."],
);

const MEMBERS: &[ImportField] = &[
    build_required_field(
        "cpfCnpj",
        "CPF ou CNPJ",
        ImportFieldKind::Document,
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
    build_required_field(
        "nomePessoa",
        "Nome",
        ImportFieldKind::Text,
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
    build_optional_field(
        "codPessoa",
        "Código da pessoa",
        ImportFieldKind::Number,
        &["Código", "Cód.", "Código do associado", "Cod associado", "Matrícula", "ID"],
    ),
    BRANCH,
    build_optional_field(
        "codigoIntegracao",
        "Código de integração",
        ImportFieldKind::Text,
        &["Código externo", "Código antigo", "Código no sistema antigo"],
    ),
    EMAIL,
    SEX,
    BIRTH,
    build_optional_field(
        "celular",
        "Celular",
        ImportFieldKind::Phone,
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
    build_optional_field(
        "telefoneFixo",
        "Telefone fixo",
        ImportFieldKind::Phone,
        &["Fixo", "Telefone residencial", "Telefone 2", "Fone residencial"],
    ),
    build_optional_field(
        "outroTelefone",
        "Outro telefone",
        ImportFieldKind::Phone,
        &["Telefone comercial", "Telefone 3", "Recado", "Telefone de recado"],
    ),
    build_optional_field("recebeEmail", "Recebe e-mail", ImportFieldKind::Flag, &["Aceita e-mail"]),
    build_optional_field("recebeWhatsApp", "Recebe WhatsApp", ImportFieldKind::Flag, &["Aceita WhatsApp"]),
    build_optional_field(
        "identidade",
        "RG",
        ImportFieldKind::Text,
        &["Identidade", "Nº RG", "Número da identidade", "Registro geral"],
    ),
    build_optional_field(
        "orgaoExpedidor",
        "Órgão expedidor",
        ImportFieldKind::Text,
        &["Órgão emissor", "Emissor", "Expedidor"],
    ),
    build_optional_field(
        "dataExpedicao",
        "Data de expedição",
        ImportFieldKind::Date,
        &["Expedição", "Data de emissão do RG", "Data expedição"],
    ),
    build_optional_field("nomeMae", "Nome da mãe", ImportFieldKind::Text, &["Mãe", "Filiação"]),
    build_optional_field("estadoCivil", "Estado civil", ImportFieldKind::CivilState, &[]),
    build_optional_field(
        "numeroCnh",
        "CNH",
        ImportFieldKind::Text,
        &["Número da CNH", "Nº CNH", "Habilitação", "Carteira de habilitação"],
    ),
    build_optional_field(
        "categoriaCnh",
        "Categoria da CNH",
        ImportFieldKind::Text,
        &["Categoria CNH", "Cat. CNH"],
    ),
    build_optional_field(
        "validadeCnh",
        "Validade da CNH",
        ImportFieldKind::Date,
        &["Validade CNH", "Vencimento da CNH", "Vencimento CNH"],
    ),
    build_optional_field("nomeFantasia", "Nome fantasia", ImportFieldKind::Text, &["Fantasia"]),
    build_optional_field("inscricaoEstadual", "Inscrição estadual", ImportFieldKind::Text, &["IE"]),
    build_optional_field("inscricaoMunicipal", "Inscrição municipal", ImportFieldKind::Text, &["IM"]),
    build_optional_field(
        "representanteLegal",
        "Representante legal",
        ImportFieldKind::Text,
        &["Responsável legal"],
    ),
    build_optional_field(
        "nomeEmpresa",
        "Empresa",
        ImportFieldKind::Text,
        &["Empresa em que trabalha", "Nome da empresa"],
    ),
    build_optional_field("cnpjEmpresa", "CNPJ da empresa", ImportFieldKind::Document, &["CNPJ empresa"]),
    CONSULTANT,
    REPRESENTATIVE,
    build_optional_field("endereco.cep", "CEP", ImportFieldKind::Cep, &["Código postal"]),
    build_optional_field(
        "endereco.tipoLogradouro",
        "Tipo de logradouro",
        ImportFieldKind::Text,
        &["Tipo logradouro"],
    ),
    build_optional_field(
        "endereco.logradouro",
        "Logradouro",
        ImportFieldKind::Text,
        &["Rua", "Endereço", "Avenida"],
    ),
    build_optional_field(
        "endereco.numero",
        "Número",
        ImportFieldKind::Text,
        &["Nº", "Num.", "Número do endereço"],
    ),
    build_optional_field("endereco.complemento", "Complemento", ImportFieldKind::Text, &["Compl."]),
    build_optional_field("endereco.bairro", "Bairro", ImportFieldKind::Text, &[]),
    build_optional_field("endereco.cidade", "Cidade", ImportFieldKind::Text, &["Município"]),
    build_optional_field("endereco.uf", "UF", ImportFieldKind::Uf, &["Estado"]),
    build_optional_field(
        "endereco.tipoEndereco",
        "Tipo de endereço",
        ImportFieldKind::Text,
        &["Tipo endereço"],
    ),
];

const VEHICLES: &[ImportField] = &[
    build_required_field(
        "cpfCnpj",
        "CPF ou CNPJ do titular",
        ImportFieldKind::Document,
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
    build_optional_field(
        "codBeneficio",
        "Código do benefício",
        ImportFieldKind::Number,
        &["Código", "Cód.", "ID"],
    ),
    build_optional_field("sequencial", "Sequencial", ImportFieldKind::Number, &["Número sequencial", "Seq."]),
    build_optional_field(
        "numeroCartaoDesconto",
        "Cartão",
        ImportFieldKind::Card,
        &["Número do cartão", "Cartão de desconto", "Nº do cartão"],
    ),
    build_optional_field("placa", "Placa", ImportFieldKind::Text, &["Placa do veículo", "Placa veículo"]),
    build_optional_field(
        "chassi",
        "Chassi",
        ImportFieldKind::Text,
        &["Chassis", "Nº do chassi", "Número do chassi"],
    ),
    build_optional_field(
        "codPlano",
        "Plano",
        ImportFieldKind::Plan,
        &["Código do plano", "Nome do plano", "Produto"],
    ),
    build_optional_field("situacao", "Situação", ImportFieldKind::Text, &["Status", "Situação do benefício"]),
    build_optional_field(
        "diaVencimento",
        "Dia de vencimento",
        ImportFieldKind::Number,
        &["Vencimento", "Dia vencimento", "Dia do vencimento", "Dia venc."],
    ),
    build_optional_field(
        "dataAdesao",
        "Data de adesão",
        ImportFieldKind::Date,
        &["Adesão", "Data adesão", "Data do contrato", "Data de contrato"],
    ),
    BRANCH,
    CONSULTANT,
    REPRESENTATIVE,
    build_optional_field(
        "codigoIntegracao",
        "Código de integração",
        ImportFieldKind::Text,
        &["Código externo", "Código antigo", "Contrato", "Número do contrato"],
    ),
    build_optional_field("observacao", "Observação", ImportFieldKind::Text, &["Observações", "Obs."]),
    build_optional_field("renavam", "Renavam", ImportFieldKind::Text, &["Nº Renavam"]),
    build_optional_field("marca", "Marca", ImportFieldKind::Text, &["Fabricante", "Montadora"]),
    build_optional_field("modelo", "Modelo", ImportFieldKind::Text, &["Veículo", "Modelo do veículo"]),
    build_optional_field(
        "anoFabricacao",
        "Ano de fabricação",
        ImportFieldKind::Year,
        &["Ano", "Ano fab.", "Ano fabricação", "Ano fab/mod", "Ano de fabricação e modelo"],
    ),
    build_optional_field(
        "anoModelo",
        "Ano do modelo",
        ImportFieldKind::Year,
        &["Ano mod.", "Ano modelo", "Ano/modelo"],
    ),
    build_optional_field("cor", "Cor", ImportFieldKind::Text, &["Cor do veículo"]),
    build_optional_field("combustivel", "Combustível", ImportFieldKind::Fuel, &[]),
    build_optional_field("categoria", "Categoria", ImportFieldKind::Category, &["Categoria do veículo"]),
    build_optional_field(
        "codTipoVeiculo",
        "Tipo de veículo",
        ImportFieldKind::VehicleType,
        &["Tipo do veículo", "Tipo"],
    ),
    build_optional_field(
        "numeroPortas",
        "Número de portas",
        ImportFieldKind::Number,
        &["Portas", "Nº de portas"],
    ),
    build_optional_field(
        "valorVeiculo",
        "Valor do veículo",
        ImportFieldKind::Money,
        &["Valor FIPE", "Valor", "FIPE"],
    ),
    build_optional_field("valorProtegido", "Valor protegido", ImportFieldKind::Money, &["Valor coberto"]),
    build_optional_field(
        "valorParticipacao",
        "Participação",
        ImportFieldKind::Money,
        &["Valor da participação", "Cota de participação", "Franquia"],
    ),
    build_optional_field("codigoFipe", "Código FIPE", ImportFieldKind::Text, &["Cód. FIPE"]),
];

const DEPENDENTS: &[ImportField] = &[
    build_optional_field(
        "titular",
        "CPF ou CNPJ do titular",
        ImportFieldKind::Document,
        &["CPF do titular", "CPF titular", "Titular", "CPF do associado", "CPF associado", "CPF responsável"],
    ),
    build_optional_field("codBeneficio", "Código do benefício", ImportFieldKind::Number, &["Benefício"]),
    build_optional_field("placa", "Placa do benefício", ImportFieldKind::Text, &["Placa"]),
    build_optional_field(
        "codDependente",
        "Código do dependente",
        ImportFieldKind::Number,
        &["Código", "Cód.", "ID"],
    ),
    build_required_field(
        "nome",
        "Nome",
        ImportFieldKind::Text,
        &["Nome do dependente", "Dependente", "Nome completo", "Beneficiário"],
    ),
    build_optional_field(
        "cpf",
        "CPF",
        ImportFieldKind::Document,
        &["CPF do dependente", "CPF dependente", "Documento"],
    ),
    BIRTH,
    build_required_field(
        "parentesco",
        "Parentesco",
        ImportFieldKind::Kinship,
        &["Grau de parentesco", "Vínculo", "Relação"],
    ),
    SEX,
    build_optional_field("ativo", "Ativo", ImportFieldKind::Flag, &["Situação", "Status"]),
    build_optional_field("identidade", "RG", ImportFieldKind::Text, &["Identidade"]),
    build_optional_field("telefone", "Telefone", ImportFieldKind::Phone, &["Celular", "Fone", "WhatsApp"]),
    EMAIL,
    build_optional_field(
        "numeroCartaoDesconto",
        "Cartão",
        ImportFieldKind::Card,
        &["Número do cartão", "Nº do cartão", "Cartão de desconto"],
    ),
    build_optional_field("codPlano", "Plano", ImportFieldKind::Plan, &["Código do plano", "Nome do plano"]),
];

const LEADS: &[ImportField] = &[
    build_required_field(
        "nome",
        "Nome",
        ImportFieldKind::Text,
        &["Nome completo", "Lead", "Contato", "Cliente"],
    ),
    build_optional_field(
        "documento",
        "CPF ou CNPJ",
        ImportFieldKind::Document,
        &["CPF", "CNPJ", "CPF/CNPJ", "Documento"],
    ),
    build_optional_field("codLead", "Código do lead", ImportFieldKind::Number, &["Código", "Cód.", "ID"]),
    build_optional_field(
        "celular",
        "Celular",
        ImportFieldKind::Phone,
        &["Telefone", "WhatsApp", "Telefone celular", "Fone", "Telefone 1"],
    ),
    build_optional_field("telefoneFixo", "Telefone fixo", ImportFieldKind::Phone, &["Fixo", "Telefone 2"]),
    EMAIL,
    build_optional_field("empresa", "Empresa", ImportFieldKind::Text, &["Nome da empresa"]),
    build_optional_field("cidade", "Cidade", ImportFieldKind::Text, &["Município"]),
    build_optional_field("uf", "UF", ImportFieldKind::Uf, &["Estado"]),
    build_optional_field(
        "mensagem",
        "Mensagem",
        ImportFieldKind::Text,
        &["Observação", "Observações", "Obs.", "Interesse"],
    ),
    build_optional_field("origem", "Origem", ImportFieldKind::Text, &["Canal", "Campanha", "Fonte"]),
    CONSULTANT,
    BRANCH,
];

const PLANS: &[ImportField] = &[
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
    build_optional_field("ativo", "Ativo", ImportFieldKind::Flag, &["Situação", "Status"]),
];

const SELLERS: &[ImportField] = &[
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

const OWNER: ImportField = build_optional_field(
    "cpfCnpj",
    "CPF ou CNPJ",
    ImportFieldKind::Document,
    &[
        "CPF",
        "CNPJ",
        "CPF/CNPJ",
        "CPF CNPJ",
        "Documento",
        "CPF do associado",
        "CPF do titular",
        "CPF do cliente",
        "CPF/CNPJ do associado",
        "Sacado",
    ],
);
const OWNER_CODE: ImportField = build_optional_field(
    "codPessoa",
    "Código da pessoa",
    ImportFieldKind::Number,
    &["Código do associado", "Cod associado", "Matrícula", "Código do cliente"],
);
const GROUP: ImportField = build_optional_field(
    "codGrupo",
    "Grupo de proteção",
    ImportFieldKind::ProtectionGroup,
    &["Grupo", "Código do grupo", "Nome do grupo"],
);
const TITLE_NOTE: ImportField =
    build_optional_field("observacao", "Observação", ImportFieldKind::Text, &["Observações", "Obs."]);

const TITLES: &[ImportField] = &[
    OWNER,
    OWNER_CODE,
    build_required_field(
        "codTipoTitulo",
        "Tipo de título",
        ImportFieldKind::TitleType,
        &["Tipo", "Tipo do título", "Código do tipo", "Categoria", "Natureza"],
    ),
    build_required_field(
        "valor",
        "Valor",
        ImportFieldKind::Money,
        &["Valor do título", "Valor original", "Valor do boleto", "Valor R$", "Valor da parcela"],
    ),
    build_required_field(
        "vencimento",
        "Vencimento",
        ImportFieldKind::Date,
        &["Data de vencimento", "Data vencimento", "Dt vencimento", "Dt. venc.", "Venc.", "Vence em"],
    ),
    build_optional_field(
        "dataEmissao",
        "Data de emissão",
        ImportFieldKind::Date,
        &["Emissão", "Data emissão", "Dt emissão", "Emitido em", "Lançamento", "Data de lançamento"],
    ),
    build_optional_field(
        "descricao",
        "Descrição",
        ImportFieldKind::Text,
        &["Histórico", "Referência", "Referente a", "Competência"],
    ),
    build_optional_field(
        "parcela",
        "Parcela",
        ImportFieldKind::Instalment,
        &["Nº da parcela", "Número da parcela", "Parcela/total", "Parc."],
    ),
    build_optional_field(
        "parcelas",
        "Total de parcelas",
        ImportFieldKind::Number,
        &["Parcelas", "Número de parcelas", "Qtd parcelas", "Quantidade de parcelas", "Nº de parcelas"],
    ),
    build_optional_field(
        "sequencial",
        "Sequencial do benefício",
        ImportFieldKind::Number,
        &["Sequencial", "Seq.", "Benefício", "Número sequencial"],
    ),
    build_optional_field(
        "numeroCartaoDesconto",
        "Cartão do benefício",
        ImportFieldKind::Card,
        &["Cartão", "Número do cartão", "Nº do cartão", "Cartão de desconto"],
    ),
    build_optional_field("placa", "Placa", ImportFieldKind::Text, &["Placa do veículo", "Placa veículo"]),
    build_optional_field(
        "valorPago",
        "Valor já pago",
        ImportFieldKind::Money,
        &["Valor pago", "Pago", "Já pago", "Recebido", "Valor recebido", "Valor liquidado"],
    ),
    build_optional_field(
        "dataPagamento",
        "Data do pagamento",
        ImportFieldKind::Date,
        &["Pago em", "Data pagamento", "Data de pagamento", "Recebido em", "Data de liquidação"],
    ),
    TITLE_NOTE,
    build_optional_field(
        "codigoExterno",
        "Código no sistema antigo",
        ImportFieldKind::Text,
        &[
            "Código",
            "Cód.",
            "ID",
            "Código externo",
            "Código antigo",
            "Código do título",
            "Número do título",
            "Nº do título",
            "Título",
            "Nosso número",
            "Número do documento",
        ],
    ),
];

const OPENING_BALANCES: &[ImportField] = &[
    OWNER,
    OWNER_CODE,
    build_optional_field(
        "codContaFinanceira",
        "Conta ou caixa",
        ImportFieldKind::MoneyAccount,
        &["Conta", "Caixa", "Conta bancária", "Código da conta", "Nome da conta", "Banco"],
    ),
    build_required_field(
        "valor",
        "Saldo",
        ImportFieldKind::SignedMoney,
        &["Valor", "Saldo inicial", "Crédito", "Valor do crédito", "Saldo da conta", "Saldo atual"],
    ),
    build_optional_field(
        "data",
        "Data do saldo",
        ImportFieldKind::Date,
        &["Data", "Em", "Posição em", "Saldo em", "Data base"],
    ),
    GROUP,
];
