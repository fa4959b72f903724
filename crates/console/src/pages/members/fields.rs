//! The fields of a member, on the page and in the form.

use crate::session::signed_in_user::SignedInUser;
use crate::widgets::form_input::{FormValues, InputKind, InputSpec};
use crate::widgets::labels;
use crate::widgets::phones::format_marked_phone;
use app::members::MemberView;
use app::register_snapshot::TenantRegisters;
use domain::{Date, Document, Email, Nature, PhoneKind, PostalAddress, Uf};
use wire::set_names;

pub fn build_fact_groups(view: &MemberView) -> Vec<(&'static str, Vec<(&'static str, String)>)> {
    let values = fill_member_values(view);
    let value = |name: &str| values.get(name).cloned().unwrap_or_default();
    let fact = |name: &'static str| match name {
        "estadoCivil" => {
            let state = view.profile.civil_state.map(labels::label_civil_state).unwrap_or_default();
            (find_member_label(name), state.to_owned())
        }
        _ => (find_member_label(name), value(name)),
    };
    let seller = |code: Option<domain::SellerCode>| {
        code.and_then(|code| view.registers.seller_name(code)).unwrap_or_default().to_owned()
    };
    let phones = view.phones.iter().map(|phone| format_marked_phone(&phone.number, phone.kind));
    let phones = phones.collect::<Vec<_>>().join(", ");
    let contact =
        vec![("Telefones", phones), fact("email"), ("Endereço", format_address_line(&view.profile.address))];
    let personal = match view.profile.nature {
        Nature::Natural => {
            let names = [
                "dataNascimento",
                "sexo",
                "estadoCivil",
                "conjuge",
                "nomeMae",
                "identidade",
                "orgaoExpedidor",
                "numeroCnh",
                "categoriaCnh",
                "validadeCnh",
                "nomeEmpresa",
            ];
            names.map(fact).to_vec()
        }
        Nature::Legal => ["nomeFantasia", "inscricaoEstadual", "inscricaoMunicipal", "representanteLegal"]
            .map(fact)
            .to_vec(),
    };
    let sale = vec![
        ("Consultor", seller(view.profile.consultant)),
        ("Representante", seller(view.profile.representative)),
        fact("codigoIntegracao"),
    ];
    let all = [("Contato", contact), ("Dados pessoais", personal), ("Venda", sale)];
    let filled =
        all.map(|(title, facts)| (title, facts.into_iter().filter(|(_, text)| !text.is_empty()).collect()));
    filled.into_iter().filter(|(_, facts): &(_, Vec<_>)| !facts.is_empty()).collect()
}

/// `Avenida Paulista, 1578, Apto 12 — Bela Vista, São Paulo/SP — 01310-100`
pub fn format_address_line(address: &PostalAddress) -> String {
    let street = [address.street_kind.as_deref(), address.street.as_deref()];
    let street = street.into_iter().flatten().collect::<Vec<_>>().join(" ");
    let first = [
        Some(street.as_str()).filter(|text| !text.is_empty()),
        address.number.as_deref(),
        address.complement.as_deref(),
    ];
    let first = first.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let city = [address.city.as_deref(), address.state.as_deref()]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join("/");
    let second = [address.district.as_deref(), Some(city.as_str()).filter(|text| !text.is_empty())];
    let second = second.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let cep = address.cep.as_ref().map(ToString::to_string).unwrap_or_default();
    [first, second, cep].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" — ")
}

/// All form fields in order.
pub const SPECS: &[InputSpec] = &[
    InputSpec::text("nomePessoa", "Nome", 200),
    InputSpec::masked_text("cpfCnpj", "CPF ou CNPJ", "documento"),
    InputSpec::choice("codLoja", "Loja"),
    InputSpec::masked_text("telefones.0.numero", "Celular", "telefone"),
    InputSpec::masked_text("telefones.1.numero", "Telefone fixo", "telefone"),
    InputSpec { name: "email", label: "E-mail", kind: InputKind::Email, longest: 254, hint: "" },
    InputSpec::masked_text("endereco.cep", "CEP", "cep"),
    InputSpec::text("endereco.tipoLogradouro", "Tipo (rua, avenida…)", 50),
    InputSpec::text("endereco.logradouro", "Logradouro", 200),
    InputSpec::text("endereco.numero", "Número", 20),
    InputSpec::text("endereco.complemento", "Complemento", 100),
    InputSpec::text("endereco.bairro", "Bairro", 100),
    InputSpec::text("endereco.cidade", "Cidade", 100),
    InputSpec::choice("endereco.uf", "UF"),
    InputSpec::masked_text("dataNascimento", "Data de nascimento", "data"),
    InputSpec::choice("sexo", "Sexo"),
    InputSpec::choice("estadoCivil", "Estado civil"),
    InputSpec::text("nomeMae", "Nome da mãe", 200),
    InputSpec::text("identidade", "Identidade (RG)", 30),
    InputSpec::text("orgaoExpedidor", "Órgão expedidor", 30),
    InputSpec::text("numeroCnh", "CNH", 20),
    InputSpec::text("categoriaCnh", "Categoria da CNH", 5),
    InputSpec::masked_text("validadeCnh", "Validade da CNH", "data"),
    InputSpec::text("nomeEmpresa", "Empresa em que trabalha", 200),
    InputSpec::text("nomeFantasia", "Nome fantasia (empresa)", 200),
    InputSpec::text("inscricaoEstadual", "Inscrição estadual", 30),
    InputSpec::text("inscricaoMunicipal", "Inscrição municipal", 30),
    InputSpec::text("representanteLegal", "Representante legal", 200),
    InputSpec::text("codigoIntegracao", "Código em outro sistema", 100),
];

/// Title and range of each form section.
pub const SECTIONS: &[(&str, std::ops::Range<usize>)] = &[
    ("Quem é", 0..3),
    ("Contato", 3..6),
    ("Endereço", 6..14),
    ("Dados pessoais", 14..24),
    ("Empresa e integração", 24..29),
];

pub fn find_member_label(name: &str) -> &'static str {
    match name {
        "conjuge" => "Cônjuge",
        _ => SPECS.iter().find(|spec| spec.name == name).map_or("", |spec| spec.label),
    }
}

/// Form values of a stored member.
pub fn fill_member_values(view: &MemberView) -> FormValues {
    let person = &view.profile;
    let text_or_empty = |value: &Option<String>| value.clone().unwrap_or_default();
    let day = |value: Option<Date>| value.map(Date::to_br).unwrap_or_default();
    let phone = |kind: PhoneKind| {
        let found = view.phones.iter().find(|phone| phone.kind == kind);
        found.map(|phone| phone.number.to_string()).unwrap_or_default()
    };
    let address = &person.address;
    FormValues::from([
        ("nomePessoa", person.name.clone()),
        ("cpfCnpj", person.document.as_ref().map(Document::to_string).unwrap_or_default()),
        ("codLoja", person.branch.to_string()),
        ("telefones.0.numero", phone(PhoneKind::Mobile)),
        ("telefones.1.numero", phone(PhoneKind::Landline)),
        ("email", person.email.as_ref().map(Email::to_string).unwrap_or_default()),
        ("endereco.cep", address.cep.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("endereco.tipoLogradouro", text_or_empty(&address.street_kind)),
        ("endereco.logradouro", text_or_empty(&address.street)),
        ("endereco.numero", text_or_empty(&address.number)),
        ("endereco.complemento", text_or_empty(&address.complement)),
        ("endereco.bairro", text_or_empty(&address.district)),
        ("endereco.cidade", text_or_empty(&address.city)),
        ("endereco.uf", text_or_empty(&address.state)),
        ("dataNascimento", day(person.born_on)),
        ("sexo", person.sex.map(set_names::sex).unwrap_or_default().to_owned()),
        ("estadoCivil", person.civil_state.map(set_names::civil_state).unwrap_or_default().to_owned()),
        ("conjuge", text_or_empty(&person.spouse)),
        ("nomeMae", text_or_empty(&person.mother)),
        ("identidade", text_or_empty(&person.identity_number)),
        ("orgaoExpedidor", text_or_empty(&person.identity_issuer)),
        ("numeroCnh", text_or_empty(&person.cnh_number)),
        ("categoriaCnh", text_or_empty(&person.cnh_category)),
        ("validadeCnh", day(person.cnh_valid_until)),
        ("nomeEmpresa", text_or_empty(&person.company)),
        ("nomeFantasia", text_or_empty(&person.trade_name)),
        ("inscricaoEstadual", text_or_empty(&person.state_registration)),
        ("inscricaoMunicipal", text_or_empty(&person.municipal_registration)),
        ("representanteLegal", text_or_empty(&person.legal_representative)),
        ("codigoIntegracao", text_or_empty(&person.integration_code)),
    ])
}

pub fn list_member_choices(
    registers: &TenantRegisters,
    user: &SignedInUser,
    name: &str,
) -> Vec<(String, String)> {
    let same = |text: &str| (text.to_owned(), text.to_owned());
    match name {
        "codLoja" => {
            let branches = registers.usable_branches(&user.session().scope);
            branches.map(|one| (one.code.to_string(), one.name.clone())).collect()
        }
        "endereco.uf" => Uf::NAMES.iter().map(|state| same(state)).collect(),
        "sexo" => domain::Sex::ALL.iter().map(|one| same(set_names::sex(*one))).collect(),
        "estadoCivil" => labels::list_named_choices(
            domain::CivilState::ALL,
            set_names::civil_state,
            labels::label_civil_state,
        ),
        _ => Vec::new(),
    }
}
