//! Management: the tenant itself.

use crate::input;
use crate::read::{BoundedInt, PartialInput, read_body_refusing};
use domain::{Colour, DisplayName, Network, Role, TimeZone};
use serde::Serialize;
use utoipa::ToSchema;

input! {
    /// O que muda da base: o campo que não vem fica como está, e `null` limpa as cores. Os nomes de servidor (`hosts`) são definidos por quem administra o servidor, por comando.
    pub struct BaseInput = "BaseInputTO" {
        /// A versão que se viu da base; se já é outra, nada muda.
        version "versao": required BoundedInt<0, { i32::MAX }> = 1,
        /// Nome da associação.
        name "nome": optional DisplayName = "Associação Exemplo",
        /// O fuso horário, que decide em que dia algo aconteceu.
        time_zone "fuso": optional TimeZone = "America/Sao_Paulo",
        /// A cor da associação, em seis dígitos hexadecimais.
        colour "cor": optional Colour = "188038",
        /// A segunda cor da associação, em seis dígitos hexadecimais.
        second_colour "corSecundaria": optional Colour = "F9AB00",
        /// Se `POST /ext/beneficio/validacao` responde sem credencial.
        open_validation "validacaoAberta": optional bool = true,
        /// As redes de parceiros que podem validar sem credencial mais vezes, que substituem as que havia; até 100.
        validation_partners "parceirosValidacao": optional Vec<ParceiroValidacaoInput> = [{"rede": "203.0.113.0/24", "consultas": 5000}],
        /// Os perfis que devem usar o segundo fator: `administrador`, `operador`. Quem é de um deles e não o tem só chega à página que o liga.
        second_factor_roles "segundoFatorObrigatorio": optional Vec<Role> = ["operador"],
    }
}

/// Reads a change of a tenant. Only the operator assigns hosts: a tenant that could take any name could impersonate
/// another.
pub fn read_base_body(bytes: &[u8]) -> Result<BaseInput, PartialInput<BaseInput>> {
    let why = "os nomes de servidor são definidos por quem administra o servidor, com o comando `amparo tenant host`; envie o pedido sem este campo.";
    read_body_refusing(bytes, &[("hosts", why)])
}

input! {
    /// A rede de um parceiro, e quantas consultas sem credencial ela pode fazer.
    pub struct ParceiroValidacaoInput = "ParceiroValidacaoInputTO" {
        /// O endereço de rede do parceiro, ou a rede: IPv4 de /16 a /32, IPv6 de /32 a /64.
        network "rede": required Network = "203.0.113.0/24",
        /// Quantas consultas a rede inteira pode fazer no prazo de `failure_window` (15 minutos, se não for outro).
        lookups "consultas": required BoundedInt<1, 100_000> = 5000,
    }
}

/// A rede de um parceiro que pode validar benefícios sem credencial mais vezes.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ParceiroValidacaoTO {
    /// O endereço, ou a rede.
    #[schema(examples("203.0.113.0/24"))]
    pub rede: String,
    /// Quantas consultas a rede inteira pode fazer no prazo.
    #[schema(examples(5000))]
    pub consultas: u32,
}

/// A própria base: a associação.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BaseTO {
    /// Código da base.
    #[schema(examples(1))]
    pub cod_cliente_sistema: i32,
    /// Nome da associação.
    #[schema(examples("Associação Exemplo"))]
    pub nome: String,
    /// Os nomes de servidor pelos quais a base é encontrada; quem administra o servidor os define.
    #[schema(examples("app.exemplo.com.br"))]
    pub hosts: Vec<String>,
    /// O fuso horário, que decide em que dia algo aconteceu.
    #[schema(examples("America/Sao_Paulo"))]
    pub fuso: String,
    /// A cor da associação, em seis dígitos hexadecimais.
    #[schema(examples("188038"))]
    pub cor: Option<String>,
    /// A segunda cor da associação, em seis dígitos hexadecimais.
    #[schema(examples("F9AB00"))]
    pub cor_secundaria: Option<String>,
    /// Se `POST /ext/beneficio/validacao` responde sem credencial.
    #[schema(examples(true))]
    pub validacao_aberta: bool,
    /// As redes de parceiros que podem validar sem credencial mais vezes.
    pub parceiros_validacao: Vec<ParceiroValidacaoTO>,
    /// Os perfis que devem usar o segundo fator.
    #[schema(examples("operador"))]
    pub segundo_fator_obrigatorio: Vec<&'static str>,
    /// A versão deste registro, que uma alteração deve trazer.
    #[schema(examples(1))]
    pub versao: i64,
}
