//! One page of a long list.

use super::{
    CasoItemTO, ImportacaoTO, LeadGestaoTO, NegocioGestaoTO, PesquisaAssociadoOutputTO,
    PesquisaBeneficioOutputTO, UsuarioTO,
};
use crate::read::{JsonInput, describe_schema};
use serde::Serialize;
use std::borrow::Cow;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Schema};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

/// A page of a list; its schema name comes from its items ([`PagedRecord`]).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListPage<T> {
    pub itens: Vec<T>,
    pub pagina_atual: i32,
    pub proxima_pagina: bool,
    pub quantidade: i64,
}

/// A record that is listed in pages.
pub trait PagedRecord: ToSchema {
    /// The schema name of a page.
    const PAGE: &'static str;
    /// The description of a page.
    const TEXT: &'static str;
}

impl PagedRecord for PesquisaBeneficioOutputTO {
    const PAGE: &'static str = "ListaBeneficioOutputTO";
    const TEXT: &'static str = "Uma página da lista de benefícios.";
}

impl PagedRecord for PesquisaAssociadoOutputTO {
    const PAGE: &'static str = "ListaPesquisaAssociadoOutputTO";
    const TEXT: &'static str = "Uma página da pesquisa de associados.";
}

impl PagedRecord for CasoItemTO {
    const PAGE: &'static str = "ListaCasoTO";
    const TEXT: &'static str = "Uma página de eventos, vistorias, chamados ou consultas.";
}

impl PagedRecord for UsuarioTO {
    const PAGE: &'static str = "ListaUsuarioTO";
    const TEXT: &'static str = "Uma página dos usuários da base.";
}

impl PagedRecord for NegocioGestaoTO {
    const PAGE: &'static str = "ListaNegocioTO";
    const TEXT: &'static str = "Uma página dos negócios.";
}

impl PagedRecord for LeadGestaoTO {
    const PAGE: &'static str = "ListaLeadTO";
    const TEXT: &'static str = "Uma página dos leads.";
}

impl PagedRecord for ImportacaoTO {
    const PAGE: &'static str = "ListaImportacaoTO";
    const TEXT: &'static str = "Uma página das importações.";
}

impl<T> ListPage<T> {
    /// The items per page.
    pub const ITEMS: i64 = 100;

    /// The page with this number, from 1, of a list with `total` items.
    pub fn new(itens: Vec<T>, number: i32, total: i64) -> ListPage<T> {
        let proxima_pagina = i64::from(number) * Self::ITEMS < total;
        ListPage { itens, pagina_atual: number, proxima_pagina, quantidade: total }
    }
}

impl<T: PagedRecord> PartialSchema for ListPage<T> {
    fn schema() -> RefOr<Schema> {
        let items = ArrayBuilder::new()
            .items(Ref::from_schema_name(T::name()))
            .description(Some("Os itens da página, até 100."));
        let number = <i32 as JsonInput>::schema;
        let current = describe_schema(number(), "O número desta página, a partir de 1.", 1.into());
        let next = describe_schema(
            <bool as JsonInput>::schema(),
            "Se há mais uma página depois desta.",
            true.into(),
        );
        let total = describe_schema(number(), "Quantos itens há em todas as páginas.", 248.into());
        let fields: [(&str, RefOr<Schema>); 4] = [
            ("itens", items.build().into()),
            ("paginaAtual", current),
            ("proximaPagina", next),
            ("quantidade", total),
        ];
        let page = ObjectBuilder::new().description(Some(T::TEXT));
        fields
            .into_iter()
            .fold(page, |page, (name, schema)| page.required(name).property(name, schema))
            .build()
            .into()
    }
}

impl<T: PagedRecord> ToSchema for ListPage<T> {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed(T::PAGE)
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((T::name().into_owned(), T::schema()));
        T::schemas(schemas);
    }
}
