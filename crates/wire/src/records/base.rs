//! Management: the association itself.

use crate::input;
use crate::read::Between;
use domain::{Colour, Host, Name, Role, TimeZone};
use serde::Serialize;
use utoipa::ToSchema;

input! {
    /// O que muda da base: o campo que não vem fica como está, e `null` limpa os endereços e as cores.
    pub struct BaseInput = "BaseInputTO" {
        /// A versão que se viu da base; se já é outra, nada muda.
        version "versao": required Between<0, { i32::MAX }> = 1,
        /// Nome da associação.
        name "nome": optional Name = "Associação Exemplo",
        /// Os nomes de servidor pelos quais a base é encontrada, que substituem os que havia; cada um é de uma base só.
        hosts "hosts": optional Vec<Host> = ["app.exemplo.com.br"],
        /// O fuso horário, que decide em que dia algo aconteceu.
        time_zone "fuso": optional TimeZone = "America/Sao_Paulo",
        /// A cor da associação, em seis dígitos hexadecimais.
        colour "cor": optional Colour = "188038",
        /// A segunda cor da associação, em seis dígitos hexadecimais.
        second_colour "corSecundaria": optional Colour = "F9AB00",
        /// Os perfis que devem usar o segundo fator: `administrador`, `operador`. Quem é de um deles e não o tem só chega à página que o liga.
        second_factor_roles "segundoFatorObrigatorio": optional Vec<Role> = ["operador"],
    }
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
    /// Os nomes de servidor pelos quais a base é encontrada.
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
    /// Os perfis que devem usar o segundo fator.
    #[schema(examples("operador"))]
    pub segundo_fator_obrigatorio: Vec<&'static str>,
    /// A versão deste registro, que uma alteração deve trazer.
    #[schema(examples(1))]
    pub versao: i64,
}
