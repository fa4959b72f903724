//! Addresses and phones, in requests and answers.

use crate::read::{JsonInput, TextOrNumber, describe_schema};
use crate::{input, set_names};
use domain::{BoundedText, Cep, Phone, PhoneKind, PostalAddress, Uf};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;

input! {
    /// Um endereço.
    pub struct EnderecoInput = "EnderecoInputTO" {
        /// O bairro.
        district "bairro": optional BoundedText<100> = "Bela Vista",
        /// O CEP, com ou sem hífen.
        cep "cep": optional Cep = "01310-100",
        /// A cidade.
        city "cidade": optional BoundedText<100> = "São Paulo",
        /// O complemento.
        complement "complemento": optional BoundedText<100> = "Apto 12",
        /// O logradouro, sem o tipo.
        street "logradouro": optional BoundedText<200> = "Paulista",
        /// O logradouro com o tipo; vale onde `logradouro` não veio.
        full_street "logradouroComTipo": optional BoundedText<200> = "Avenida Paulista",
        /// O número.
        number "numero": optional TextOrNumber<20> = "1578",
        /// O que o endereço é para a pessoa.
        kind "tipoEndereco": optional BoundedText<50> = "Residencial",
        /// O tipo do logradouro.
        street_kind "tipoLogradouro": optional BoundedText<50> = "Avenida",
        /// As duas letras do estado.
        state "uf": optional Uf = "SP",
    }
}

input! {
    /// Um telefone.
    pub struct TelefoneInput = "TelefoneInputTO" {
        /// O código do país; 55 onde não vem.
        country "ddi": optional TextOrNumber<5> = "55",
        /// O DDD e o número, com qualquer máscara. Sem o DDD (8 ou 9 dígitos), fica guardado assim, como incompleto.
        number "numero": optional Phone = "(11)98765-4321",
        /// `Fixo` ou `Celular`; onde não vem, o número diz.
        kind "tipo": optional PhoneKind = "Celular",
    }
}

/// Um endereço. O que não se sabe é `null`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EnderecoTO {
    /// O bairro.
    #[schema(examples("Bela Vista"))]
    pub bairro: Option<String>,
    /// O CEP.
    #[schema(examples("01310-100"))]
    pub cep: Option<String>,
    /// A cidade.
    #[schema(examples("São Paulo"))]
    pub cidade: Option<String>,
    /// O complemento.
    #[schema(examples("Apto 12"))]
    pub complemento: Option<String>,
    /// O logradouro, sem o tipo.
    #[schema(examples("Paulista"))]
    pub logradouro: Option<String>,
    /// O logradouro com o tipo.
    #[schema(examples("Avenida Paulista"))]
    pub logradouro_com_tipo: Option<String>,
    /// O número.
    #[schema(examples("1578"))]
    pub numero: Option<String>,
    /// O que o endereço é para a pessoa.
    #[schema(examples("Residencial"))]
    pub tipo_endereco: Option<String>,
    /// O tipo do logradouro.
    #[schema(examples("Avenida"))]
    pub tipo_logradouro: Option<String>,
    /// As duas letras do estado.
    #[schema(examples("SP"))]
    pub uf: Option<String>,
}

impl From<PostalAddress> for EnderecoTO {
    fn from(address: PostalAddress) -> EnderecoTO {
        let street = [address.street_kind.as_deref(), address.street.as_deref()];
        let street = street.into_iter().flatten().collect::<Vec<_>>().join(" ");
        EnderecoTO {
            bairro: address.district,
            cep: address.cep.map(|cep| cep.to_string()),
            cidade: address.city,
            complemento: address.complement,
            // A street type without a street name is left out.
            logradouro_com_tipo: address.street.is_some().then_some(street),
            logradouro: address.street,
            numero: address.number,
            tipo_endereco: address.kind,
            tipo_logradouro: address.street_kind,
            uf: address.state,
        }
    }
}

/// Um telefone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TelefoneTO {
    /// O DDD e o número.
    #[schema(examples("(11)98765-4321"))]
    pub numero: String,
    #[schema(schema_with = describe_phone_kind)]
    pub tipo: &'static str,
}

fn describe_phone_kind() -> RefOr<Schema> {
    describe_schema(PhoneKind::schema(), "`Fixo` ou `Celular`.", "Celular".into())
}

impl TelefoneTO {
    pub fn new(phone: &Phone, kind: PhoneKind) -> TelefoneTO {
        TelefoneTO { numero: phone.to_string(), tipo: set_names::phone_kind(kind) }
    }
}
