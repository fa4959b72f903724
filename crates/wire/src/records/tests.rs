//! Tests of every answer record, full and empty, and of its documentation.

use super::*;
use domain::{Cep, Money, Phone, PhoneKind, PostalAddress};
use serde::Serialize;
use utoipa::ToSchema;

fn text(record: &impl Serialize) -> String {
    serde_json::to_string(record).unwrap()
}

/// Checks that each field of a record, and of all it refers to, has a description and an example, as `api` requires.
fn told<T: ToSchema>() {
    let mut schemas = vec![(T::name().into_owned(), T::schema())];
    T::schemas(&mut schemas);
    for (record, schema) in schemas {
        let schema = serde_json::to_value(schema).unwrap();
        assert!(schema["description"].as_str().is_some_and(|text| text.ends_with('.')), "{record}: {schema}");
        for (field, told) in schema["properties"].as_object().unwrap() {
            assert!(
                told["description"].as_str().is_some_and(|text| text.ends_with('.')),
                "{record}.{field}: {told}"
            );
            let is_of_records = told["items"]["$ref"].is_string();
            let example = told["examples"].get(0).or(told["items"]["examples"].get(0));
            assert!(is_of_records || example.is_some(), "{record}.{field}: {told}");
        }
    }
}

#[test]
fn every_field_is_told_with_an_example() {
    told::<PessoaInput>();
    told::<EnderecoInput>();
    told::<TelefoneInput>();
    told::<BeneficioInput>();
    told::<BeneficioVeiculoInput>();
    told::<CampoAdicionalInput>();
    told::<CancelamentoInput>();
    told::<PesquisaAssociadoQuery>();
    told::<PesquisaBeneficioQuery>();
    told::<PessoaOutputTO>();
    told::<EnderecoTO>();
    told::<TelefoneTO>();
    told::<VeiculoTO>();
    told::<BeneficioOutputTO>();
    told::<PlanoValorTO>();
    told::<CampoAdicionalValorTO>();
    told::<CampoAdicionalOutputTO>();
    told::<FornecedorTO>();
    told::<PesquisaVendedorQuery>();
    told::<PesquisaVendedorOutputTO>();
    told::<CartaoCreditoTO>();
    told::<RastreadorInstalacaoTO>();
    told::<ValidacaoBeneficioInput>();
    told::<ValidacaoBeneficioOutputTO>();
    told::<ListPage<PesquisaBeneficioOutputTO>>();
    told::<FunilTO>();
    told::<LeadInput>();
    told::<PesquisaLeadQuery>();
    told::<LeadOutputTO>();
    told::<PessoaLeadOutputTO>();
    told::<NegocioInput>();
    told::<PesquisaNegocioQuery>();
    told::<PesquisaNegocioOutputTO>();
    told::<NegocioOutputTO>();
    told::<NegocioTO>();
    told::<NegocioDependenteInput>();
    told::<NegocioDependenteTO>();
    told::<ListPage<PesquisaAssociadoOutputTO>>();
    told::<UsuarioInput>();
    told::<UsuarioAlteracaoInput>();
    told::<UsuarioQuery>();
    told::<ListPage<UsuarioTO>>();
    told::<BaseInput>();
    told::<BaseTO>();
    told::<AssociadoInput>();
    told::<AssociadoTO>();
    told::<BeneficioAlteracaoInput>();
    told::<BeneficioTO>();
    told::<SituacaoInput>();
    told::<ItemAlteracaoInput>();
    told::<HistoricoRegistroTO>();
    told::<ListPage<NegocioGestaoTO>>();
    told::<NegocioCompletoTO>();
    told::<QuadroTO>();
    told::<GanhoInput>();
    told::<ListPage<LeadGestaoTO>>();
}

fn vehicle() -> VeiculoTO {
    let reais = |cents| Money::from_cents(cents).map(JsonAmount);
    VeiculoTO {
        ano_fabricacao: Some(2025),
        ano_modelo: Some(2026),
        numero_portas: Some(4),
        categoria: Some("LEVE"),
        chassi: Some("9BWZZZ377VT004251".to_owned()),
        combustivel: Some("FLEX"),
        cor: Some("Prata".to_owned()),
        marca: Some("FIAT".to_owned()),
        modelo: Some("ARGO 1.0".to_owned()),
        placa: Some("ABC1D23".to_owned()),
        renavam: Some("01234567890".to_owned()),
        tipo_veiculo: Some("Automóvel".to_owned()),
        valor_participacao: reais(300_000),
        valor_protegido: reais(7_500_050),
        valor_veiculo: reais(7_850_055),
    }
}

const VEHICLE: &str = r#"{"anoFabricacao":2025,"anoModelo":2026,"numeroPortas":4,"categoria":"LEVE","chassi":"9BWZZZ377VT004251","combustivel":"FLEX","cor":"Prata","marca":"FIAT","modelo":"ARGO 1.0","placa":"ABC1D23","renavam":"01234567890","tipoVeiculo":"Automóvel","valorParticipacao":3000,"valorProtegido":75000.5,"valorVeiculo":78500.55}"#;
const ADDRESS: &str = r#"{"bairro":"Bela Vista","cep":"01310-100","cidade":"São Paulo","complemento":"Apto 12","logradouro":"Paulista","logradouroComTipo":"Avenida Paulista","numero":"1578","tipoEndereco":"Residencial","tipoLogradouro":"Avenida","uf":"SP"}"#;
const PLANS: &str = r#"[{"codPlano":10,"nome":"Ouro","valor":150.55}]"#;
const FIELDS: &str = r#"[{"codCampo":3,"nome":"Placa","valor":"Cinza"}]"#;

fn address() -> EnderecoTO {
    let some = |text: &str| Some(text.to_owned());
    EnderecoTO::from(PostalAddress {
        kind: some("Residencial"),
        street_kind: some("Avenida"),
        street: some("Paulista"),
        number: some("1578"),
        complement: some("Apto 12"),
        district: some("Bela Vista"),
        city: some("São Paulo"),
        state: some("SP"),
        cep: Cep::parse("01310100").ok(),
    })
}

fn plans() -> Vec<PlanoValorTO> {
    vec![PlanoValorTO {
        cod_plano: 10,
        nome: "Ouro".to_owned(),
        valor: Money::from_cents(15_055).map(JsonAmount),
    }]
}

fn fields() -> Vec<CampoAdicionalValorTO> {
    vec![CampoAdicionalValorTO { cod_campo: 3, nome: "Placa".to_owned(), valor: Some("Cinza".to_owned()) }]
}

#[test]
fn a_vehicle_and_an_address_are_written_whole_and_null_where_empty() {
    assert_eq!(text(&vehicle()), VEHICLE);
    assert_eq!(
        text(&VeiculoTO::default()),
        r#"{"anoFabricacao":null,"anoModelo":null,"numeroPortas":null,"categoria":null,"chassi":null,"combustivel":null,"cor":null,"marca":null,"modelo":null,"placa":null,"renavam":null,"tipoVeiculo":null,"valorParticipacao":null,"valorProtegido":null,"valorVeiculo":null}"#
    );
    assert_eq!(text(&address()), ADDRESS);
    let kind_alone = PostalAddress { street_kind: Some("Rua".to_owned()), ..PostalAddress::default() };
    assert_eq!(
        text(&EnderecoTO::from(kind_alone)),
        r#"{"bairro":null,"cep":null,"cidade":null,"complemento":null,"logradouro":null,"logradouroComTipo":null,"numero":null,"tipoEndereco":null,"tipoLogradouro":"Rua","uf":null}"#
    );
    let phone = Phone::parse("1133334444").unwrap();
    assert_eq!(
        text(&TelefoneTO::new(&phone, PhoneKind::Landline)),
        r#"{"numero":"(11)3333-4444","tipo":"Fixo"}"#
    );
    assert_eq!((text(&plans()), text(&fields())), (PLANS.to_owned(), FIELDS.to_owned()));
}

#[test]
fn a_saved_person_and_a_saved_benefit_are_written_whole_and_null_where_empty() {
    let some = |text: &str| Some(text.to_owned());
    let person = PessoaOutputTO {
        cod_pessoa: 555,
        nome_pessoa: "Maria Souza".to_owned(),
        cpf_cnpj: some("529.982.247-25"),
        email: some("maria@exemplo.com.br"),
        telefone_celular: some("(11)98765-4321"),
        telefone_fixo: some("(11)3333-4444"),
        cod_loja: Some(1),
    };
    assert_eq!(
        text(&person),
        r#"{"codPessoa":555,"nomePessoa":"Maria Souza","cpfCnpj":"529.982.247-25","email":"maria@exemplo.com.br","telefoneCelular":"(11)98765-4321","telefoneFixo":"(11)3333-4444","codLoja":1}"#
    );
    let empty = PessoaOutputTO { email: None, telefone_celular: None, telefone_fixo: None, ..person };
    assert_eq!(
        text(&empty),
        r#"{"codPessoa":555,"nomePessoa":"Maria Souza","cpfCnpj":"529.982.247-25","email":null,"telefoneCelular":null,"telefoneFixo":null,"codLoja":1}"#
    );
    let benefit = BeneficioOutputTO {
        cod_beneficio: 777,
        sequencial: 12,
        numero_cartao_desconto: some("1234 56 7 890 123"),
        cod_pessoa: 555,
        situacao: "ATIVO".to_owned(),
        tipo_situacao: "ATIVO",
    };
    assert_eq!(
        text(&benefit),
        r#"{"codBeneficio":777,"sequencial":12,"numeroCartaoDesconto":"1234 56 7 890 123","codPessoa":555,"situacao":"ATIVO","tipoSituacao":"ATIVO"}"#
    );
    assert!(
        text(&BeneficioOutputTO { numero_cartao_desconto: None, ..benefit })
            .contains(r#""numeroCartaoDesconto":null"#)
    );
}

#[test]
fn a_page_of_benefits_is_written_whole_and_null_where_empty() {
    let some = |text: &str| Some(text.to_owned());
    let full = PesquisaBeneficioOutputTO {
        cod_beneficio: 777,
        sequencial: 12,
        numero_cartao_desconto: some("1234 56 7 890 123"),
        cod_pessoa: 555,
        nome_pessoa: "Maria Souza".to_owned(),
        cpf_cnpj: some("529.982.247-25"),
        cod_loja: 1,
        nome_loja: "Matriz".to_owned(),
        tipo_beneficio: "VEICULAR",
        situacao: "INADIMPLENTE".to_owned(),
        tipo_situacao: "SUSPENSO",
        cor_destaque: "E37400".to_owned(),
        cor_inversa: "000000".to_owned(),
        dia_vencimento: Some(10),
        data_cadastro: "14/11/2026".to_owned(),
        data_adesao: some("14/11/2026"),
        data_ativacao: some("15/11/2026"),
        data_cancelamento: some("20/12/2026"),
        planos: plans(),
        placa: some("ABC1D23"),
        chassi: some("9BWZZZ377VT004251"),
        veiculo: Some(vehicle()),
        cod_consultor: Some(1),
        nome_consultor: some("Carla"),
        cod_representante: Some(2),
        nome_representante: some("Rui"),
        dados_adicionais: fields(),
    };
    let empty = PesquisaBeneficioOutputTO {
        tipo_beneficio: "SAUDE",
        dia_vencimento: None,
        data_adesao: None,
        data_ativacao: None,
        data_cancelamento: None,
        planos: Vec::new(),
        placa: None,
        chassi: None,
        veiculo: None,
        cod_consultor: None,
        nome_consultor: None,
        cod_representante: None,
        nome_representante: None,
        dados_adicionais: Vec::new(),
        ..full.clone()
    };
    let head = r#""codBeneficio":777,"sequencial":12,"numeroCartaoDesconto":"1234 56 7 890 123","codPessoa":555,"nomePessoa":"Maria Souza","cpfCnpj":"529.982.247-25","codLoja":1,"nomeLoja":"Matriz""#;
    let situation =
        r#""situacao":"INADIMPLENTE","tipoSituacao":"SUSPENSO","corDestaque":"E37400","corInversa":"000000""#;
    let full_text = format!(
        r#"{{{head},"tipoBeneficio":"VEICULAR",{situation},"diaVencimento":10,"dataCadastro":"14/11/2026","dataAdesao":"14/11/2026","dataAtivacao":"15/11/2026","dataCancelamento":"20/12/2026","planos":{PLANS},"placa":"ABC1D23","chassi":"9BWZZZ377VT004251","veiculo":{VEHICLE},"codConsultor":1,"nomeConsultor":"Carla","codRepresentante":2,"nomeRepresentante":"Rui","dadosAdicionais":{FIELDS}}}"#
    );
    let empty_text = format!(
        r#"{{{head},"tipoBeneficio":"SAUDE",{situation},"diaVencimento":null,"dataCadastro":"14/11/2026","dataAdesao":null,"dataAtivacao":null,"dataCancelamento":null,"planos":[],"placa":null,"chassi":null,"veiculo":null,"codConsultor":null,"nomeConsultor":null,"codRepresentante":null,"nomeRepresentante":null,"dadosAdicionais":[]}}"#
    );
    let page = ListPage::new(vec![full, empty], 2, 201);
    assert_eq!(
        text(&page),
        format!(
            r#"{{"itens":[{full_text},{empty_text}],"paginaAtual":2,"proximaPagina":true,"quantidade":201}}"#
        )
    );
}

#[test]
fn a_row_of_the_member_search_has_every_key_also_without_a_benefit() {
    let some = |text: &str| Some(text.to_owned());
    let full = PesquisaAssociadoOutputTO {
        cod_pessoa: 555,
        cod_beneficio: Some(777),
        sequencial: Some(12),
        nome_pessoa: "Maria Souza".to_owned(),
        cpf_cnpj: some("529.982.247-25"),
        data_nascimento: some("25/03/1988"),
        sexo: Some("F"),
        email: some("maria@exemplo.com.br"),
        telefone_celular: some("(11)98765-4321"),
        telefone_fixo: some("(11)3333-4444"),
        endereco: Some(address()),
        planos: plans(),
        situacao: some("ATIVO"),
        tipo_situacao: Some("ATIVO"),
        tipo_beneficio: Some("VEICULAR"),
        data_cadastro: "14/11/2026".to_owned(),
        data_adesao: some("14/11/2026"),
        data_ativacao: some("15/11/2026"),
        data_atualizacao: "16/11/2026".to_owned(),
        placa: some("ABC1D23"),
        chassi: some("9BWZZZ377VT004251"),
        numero_cartao_desconto: some("1234 56 7 890 123"),
        nome_mae: some("Ana"),
        estado_civil: Some("UNIAO ESTAVEL"),
        nome_empresa: some("Padaria"),
        identidade: some("12"),
        numero_cnh: some("34"),
        categoria_cnh: some("AB"),
        dados_adicionais: fields(),
        cod_loja: 1,
        nome_loja: "Matriz".to_owned(),
        cod_consultor: Some(1),
        nome_consultor: some("Carla"),
        cod_representante: Some(2),
        nome_representante: some("Rui"),
        conjuge: some("José"),
        cpf_cnpj_responsavel_financeiro: some("11.222.333/0001-81"),
        endereco_responsavel_financeiro: Some(EnderecoTO::default()),
    };
    let none = text(&EnderecoTO::default());
    assert_eq!(
        text(&full),
        format!(
            r#"{{"codPessoa":555,"codBeneficio":777,"sequencial":12,"nomePessoa":"Maria Souza","cpfCnpj":"529.982.247-25","dataNascimento":"25/03/1988","sexo":"F","email":"maria@exemplo.com.br","telefoneCelular":"(11)98765-4321","telefoneFixo":"(11)3333-4444","endereco":{ADDRESS},"planos":{PLANS},"situacao":"ATIVO","tipoSituacao":"ATIVO","tipoBeneficio":"VEICULAR","dataCadastro":"14/11/2026","dataAdesao":"14/11/2026","dataAtivacao":"15/11/2026","dataAtualizacao":"16/11/2026","placa":"ABC1D23","chassi":"9BWZZZ377VT004251","numeroCartaoDesconto":"1234 56 7 890 123","nomeMae":"Ana","estadoCivil":"UNIAO ESTAVEL","nomeEmpresa":"Padaria","identidade":"12","numeroCnh":"34","categoriaCnh":"AB","dadosAdicionais":{FIELDS},"codLoja":1,"nomeLoja":"Matriz","codConsultor":1,"nomeConsultor":"Carla","codRepresentante":2,"nomeRepresentante":"Rui","conjuge":"José","cpfCnpjResponsavelFinanceiro":"11.222.333/0001-81","enderecoResponsavelFinanceiro":{none}}}"#
        )
    );
    let empty = PesquisaAssociadoOutputTO {
        cod_pessoa: 556,
        nome_pessoa: "José".to_owned(),
        data_cadastro: "14/11/2026".to_owned(),
        data_atualizacao: "14/11/2026".to_owned(),
        cod_loja: 1,
        nome_loja: "Matriz".to_owned(),
        ..PesquisaAssociadoOutputTO::default()
    };
    assert_eq!(
        text(&ListPage::new(vec![empty], 1, 1)),
        r#"{"itens":[{"codPessoa":556,"codBeneficio":null,"sequencial":null,"nomePessoa":"José","cpfCnpj":null,"dataNascimento":null,"sexo":null,"email":null,"telefoneCelular":null,"telefoneFixo":null,"endereco":null,"planos":[],"situacao":null,"tipoSituacao":null,"tipoBeneficio":null,"dataCadastro":"14/11/2026","dataAdesao":null,"dataAtivacao":null,"dataAtualizacao":"14/11/2026","placa":null,"chassi":null,"numeroCartaoDesconto":null,"nomeMae":null,"estadoCivil":null,"nomeEmpresa":null,"identidade":null,"numeroCnh":null,"categoriaCnh":null,"dadosAdicionais":[],"codLoja":1,"nomeLoja":"Matriz","codConsultor":null,"nomeConsultor":null,"codRepresentante":null,"nomeRepresentante":null,"conjuge":null,"cpfCnpjResponsavelFinanceiro":null,"enderecoResponsavelFinanceiro":null}],"paginaAtual":1,"proximaPagina":false,"quantidade":1}"#
    );
}
