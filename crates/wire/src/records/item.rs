//! Benefit: its items, which are its current and former plans.

use super::JsonAmount;
use crate::input;
use domain::{Date, Money, PlanCode};
use serde::Serialize;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;
use utoipa::{PartialSchema, ToSchema};

input! {
    /// Um plano a acrescentar a um benefício.
    pub struct ItemBeneficioInput = "ItemBeneficioInputTO" {
        /// Código do plano, de qualquer tipo.
        plan "codPlano": required PlanCode = 3,
        /// Valor do item, em reais; o do plano, onde não vem.
        price "valor": optional Money = 19.9,
        /// Data de inclusão; a de hoje, onde não vem.
        included "dataInclusao": optional Date = "14/11/2026",
    }
}

/// Um item de um benefício: um plano que ele tem ou teve.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ItemBeneficioOutputTO {
    /// Código do item.
    #[schema(examples(31))]
    pub cod_item: i32,
    /// Código do plano.
    #[schema(examples(3))]
    pub cod_plano: i32,
    /// Nome do plano.
    #[schema(examples("Clube de Descontos"))]
    pub nome: String,
    /// Tipo do plano: VEICULAR, SAUDE, DIVERSOS, CONSORCIO ou A24H.
    #[schema(examples("DIVERSOS"))]
    pub tipo_beneficio: Option<&'static str>,
    /// Valor do item neste benefício, em reais.
    #[schema(value_type = Option<f64>, examples(19.9))]
    pub valor: Option<JsonAmount>,
    /// Data de inclusão.
    #[schema(examples("14/11/2026"))]
    pub data_inclusao: String,
    /// Se o benefício ainda tem este item.
    #[schema(examples(true))]
    pub ativo: bool,
}

/// Um item de um benefício, com a origem do seu preço.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ItemBeneficioGestaoTO {
    #[serde(flatten)]
    pub item: ItemBeneficioOutputTO,
    #[serde(flatten)]
    pub preco: PrecoItemTO,
}

/// De onde vem o preço de um item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PrecoItemTO {
    /// Se o valor foi combinado e é cobrado como está; com false, vale a tabela de preços e, sem ela, o plano.
    #[schema(examples(true))]
    pub valor_combinado: bool,
}

/// One object with the fields of both: a schema of two parts could not refuse fields that neither has.
impl PartialSchema for ItemBeneficioGestaoTO {
    fn schema() -> RefOr<Schema> {
        match (ItemBeneficioOutputTO::schema(), PrecoItemTO::schema()) {
            (RefOr::T(Schema::Object(mut all)), RefOr::T(Schema::Object(more))) => {
                all.description = Some("Um item de um benefício, com a origem do seu preço.".to_owned());
                all.properties.extend(more.properties);
                all.required.extend(more.required);
                all.into()
            }
            (all, _) => all,
        }
    }
}

impl ToSchema for ItemBeneficioGestaoTO {}
