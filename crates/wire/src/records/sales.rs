//! Management: leads and deals as the association's staff sees them.

use super::{
    BeneficioCampos, ContatoInput, JsonAmount, LeadOutputTO, NegocioTO, PesquisaNegocioOutputTO,
    VeiculoCampos,
};
use crate::input;
use crate::read::BoundedInt;
use domain::{
    BoundedText, BranchCode, DealState, Document, FunnelCode, NoteText, PlanCode, StageCode, UserCode,
};
use serde::Serialize;
use std::borrow::Cow;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;
use utoipa::{PartialSchema, ToSchema};

input! {
    /// Que negócios se quer ver. Nada é obrigatório.
    pub struct NegocioQuery = "NegocioQueryTO" {
        /// Nome do lead (ou o começo das suas palavras), CPF, CNPJ, telefone, e-mail ou o número sequencial do negócio.
        filter "filtro": optional String = "maria sou",
        /// Código do funil.
        funnel "codFunil": optional FunnelCode = 1,
        /// Código da etapa.
        stage "codEtapa": optional StageCode = 1,
        /// Aberto, Ganho ou Perdido; todos, onde não vem.
        state "situacao": optional DealState = "Aberto",
        /// Código do usuário responsável.
        responsible "codUsuarioResponsavel": optional UserCode = 1,
        /// Código da loja.
        branch "codLoja": optional BranchCode = 1,
        /// Só os que estão há tantos dias, ou mais, na mesma etapa.
        stalled "paradoHaDias": optional BoundedInt<0, 36_500> = 7,
        /// O número da página, a partir de 1.
        page "pagina": optional BoundedInt<1, { i32::MAX }> = 1,
    }
}

input! {
    /// Que quadro se quer ver. Nada é obrigatório.
    pub struct QuadroQuery = "QuadroQueryTO" {
        /// Código do funil; o primeiro da base, onde não vem.
        funnel "codFunil": optional FunnelCode = 1,
        /// Só os negócios desta loja.
        branch "codLoja": optional BranchCode = 1,
        /// Só os negócios deste responsável.
        responsible "codUsuarioResponsavel": optional UserCode = 1,
    }
}

input! {
    /// Que leads se quer ver. Nada é obrigatório.
    pub struct LeadQuery = "LeadQueryTO" {
        /// Nome (ou o começo das suas palavras), CPF, CNPJ, telefone ou e-mail.
        filter "filtro": optional String = "maria sou",
        /// Só os ativos, ou só os outros.
        active "ativo": optional bool = true,
        /// Código da loja.
        branch "codLoja": optional BranchCode = 1,
        /// O número da página, a partir de 1.
        page "pagina": optional BoundedInt<1, { i32::MAX }> = 1,
    }
}

input! {
    /// Para que etapa vai um negócio em aberto; uma etapa de outro funil leva o negócio para ele.
    pub struct EtapaInput = "EtapaInputTO" {
        /// Código da etapa.
        stage "codEtapa": required StageCode = 2,
        /// A versão que se viu do negócio; se já é outra, nada muda.
        version "versao": required BoundedInt<0, { i32::MAX }> = 1,
    }
}

input! {
    /// Por que um negócio foi perdido.
    pub struct PerdaInput = "PerdaInputTO" {
        /// O motivo, de até 4000 caracteres.
        reason "motivo": required NoteText = "Achou caro.",
        /// A versão que se viu do negócio; se vier e já for outra, nada muda.
        version "versao": optional BoundedInt<0, { i32::MAX }> = 1,
    }
}

input! {
    /// Por que um negócio é reaberto. Nada disto é preciso, nem o próprio corpo.
    pub struct ReaberturaInput = "ReaberturaInputTO" {
        /// O motivo, que fica na auditoria, de até 4000 caracteres.
        reason "motivo": optional NoteText = "Voltou a procurar a associação.",
        /// A versão que se viu do negócio; se vier e já for outra, nada muda.
        version "versao": optional BoundedInt<0, { i32::MAX }> = 1,
    }
}

input! {
    /// Como um negócio ganho vira um benefício. Nada é obrigatório onde o negócio e o lead já o dizem: o documento vem do lead,
    /// os planos, a loja e o veículo do negócio; a adesão é hoje.
    pub struct GanhoInput = "GanhoInputTO" {
        flat fields: BeneficioCampos,
        flat vehicle: VeiculoCampos,
        /// CPF ou CNPJ de quem se torna associado, se o lead não tem um.
        document "cpfCnpj": optional Document = "529.982.247-25",
        /// Os códigos dos planos, se não são os do negócio; o primeiro diz o tipo do benefício.
        plans "planos": optional Vec<PlanCode> = [10],
        /// Nome da situação do benefício; a pendente da base, onde não vem.
        situation "situacao": optional BoundedText<200> = "ATIVO",
        /// Em vez da situação: true para a situação ativa da base, false para a inativa.
        active "ativo": optional bool = true,
        /// Código do veículo na tabela Fipe.
        fipe "codigoFipe": optional BoundedText<20> = "001509-1",
        /// A versão que se viu do negócio; se vier e já for outra, nada muda.
        version "versao": optional BoundedInt<0, { i32::MAX }> = 1,
    }
}

input! {
    /// O que muda de um lead: o campo que não vem fica como está, e `null` o limpa.
    pub struct LeadAlteracaoInput = "LeadAlteracaoInputTO" {
        flat contact: ContatoInput,
        /// A versão que se viu do lead; se já é outra, nada muda.
        version "versao": required BoundedInt<0, { i32::MAX }> = 1,
        /// Código da loja.
        branch "codLoja": optional BranchCode = 1,
        /// False retira o lead das pesquisas.
        active "ativo": optional bool = true,
    }
}

/// Defines a record that extends another with more fields.
macro_rules! extended {
    ($(#[doc = $text:literal])+ pub struct $name:ident { $($part:ident: $type:ty),+ }) => {
        $(#[doc = $text])+
        #[derive(Clone, Debug, PartialEq, Eq, Serialize)]
        pub struct $name {
            $(#[serde(flatten)]
            pub $part: $type),+
        }

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                join_schemas([$($text),+].map(str::trim).join(" "), vec![$(<$type>::schema()),+])
            }
        }

        impl ToSchema for $name {
            fn name() -> Cow<'static, str> {
                Cow::Borrowed(stringify!($name))
            }

            fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
                $(<$type>::schemas(schemas);)+
            }
        }
    };
}

/// Joins the fields of several schemas into one.
fn join_schemas(text: String, parts: Vec<RefOr<Schema>>) -> RefOr<Schema> {
    let objects = parts.into_iter().filter_map(|part| match part {
        RefOr::T(Schema::Object(object)) => Some(object),
        _ => None,
    });
    let joined = objects.reduce(|mut joined, part| {
        joined.properties.extend(part.properties);
        joined.required.extend(part.required);
        joined
    });
    let mut joined = joined.unwrap_or_default();
    joined.description = Some(text);
    joined.into()
}

/// O que a gestão vê a mais de um negócio da lista.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NegocioAndamentoTO {
    /// VEICULAR, SAUDE, DIVERSOS, CONSORCIO ou A24H.
    #[schema(examples("VEICULAR"))]
    pub tipo_beneficio: Option<&'static str>,
    /// Aberto, Ganho ou Perdido.
    #[schema(examples("Aberto"))]
    pub situacao: &'static str,
    /// Por que foi perdido.
    #[schema(examples("Achou caro."))]
    pub motivo_perda: Option<String>,
}

/// O que um negócio se tornou, e a sua versão.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NegocioResultadoTO {
    /// Código da pessoa do lead.
    #[schema(examples(555))]
    pub cod_pessoa: i32,
    /// Código do benefício em que o negócio ganho se tornou.
    #[schema(examples(777))]
    pub cod_beneficio: Option<i32>,
    /// A versão deste registro, que uma alteração deve trazer.
    #[schema(examples(1))]
    pub versao: i64,
}

/// O que a gestão vê a mais de um lead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeadMaisTO {
    /// Código do consultor.
    #[schema(examples(1))]
    pub cod_consultor: Option<i32>,
    /// Se aparece nas pesquisas.
    #[schema(examples(true))]
    pub ativo: bool,
    /// A versão deste registro, que uma alteração deve trazer.
    #[schema(examples(1))]
    pub versao: i64,
}

extended! {
    /// Um negócio em qualquer situação.
    pub struct NegocioGestaoTO {
        negocio: PesquisaNegocioOutputTO,
        andamento: NegocioAndamentoTO,
        resultado: NegocioResultadoTO
    }
}

extended! {
    /// Um negócio em qualquer situação, com tudo o que se sabe dele.
    pub struct NegocioCompletoTO {
        negocio: NegocioTO,
        resultado: NegocioResultadoTO
    }
}

extended! {
    /// Um lead, ativo ou não.
    pub struct LeadGestaoTO {
        lead: LeadOutputTO,
        mais: LeadMaisTO
    }
}

/// O quadro de um funil: as etapas e os negócios em aberto em cada uma.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuadroTO {
    /// Código do funil.
    #[schema(examples(1))]
    pub cod_funil: i32,
    /// Nome do funil.
    #[schema(examples("Vendas"))]
    pub nome: String,
    /// As etapas, na ordem do funil.
    pub etapas: Vec<EtapaQuadroTO>,
}

/// Uma etapa do quadro.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EtapaQuadroTO {
    /// Código da etapa.
    #[schema(examples(1))]
    pub cod_etapa: i32,
    /// Nome da etapa.
    #[schema(examples("Novo contato"))]
    pub nome: String,
    /// Cor da etapa, em seis dígitos hexadecimais.
    #[schema(examples("1A73E8"))]
    pub cor_destaque: String,
    /// Quantos negócios em aberto estão nela.
    #[schema(value_type = i32, examples(12))]
    pub quantidade: i64,
    /// A soma dos seus valores, em reais.
    #[schema(value_type = f64, examples(1806.6))]
    pub valor: JsonAmount,
    /// Os primeiros deles, até 20.
    pub negocios: Vec<NegocioGestaoTO>,
}
