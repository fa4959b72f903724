//! One operation: how it is reached, who may call it, what runs, and what the documentation says of it. The route table
//! (`routes.rs`) is a list of these; router, guard and OpenAPI are made from it.

use crate::State;
use crate::guard::guard;
use axum::handler::Handler;
use axum::http::Method;
use axum::middleware::from_fn_with_state;
use axum::routing::{MethodFilter, MethodRouter, on};
use domain::Role;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ArrayBuilder, Ref, Schema};
use utoipa::{PartialSchema, ToSchema};

/// Who may call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Anybody, for the association that the request means.
    Open,
    /// User and password.
    Login,
    /// A token of somebody in one of these roles.
    Roles(&'static [Role]),
}

/// The sections of the documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    Security,
    Administration,
    Member,
    Benefit,
    Management,
}

impl Section {
    pub const ALL: [Section; 5] =
        [Section::Security, Section::Administration, Section::Member, Section::Benefit, Section::Management];

    pub fn name(self) -> &'static str {
        match self {
            Section::Security => "Segurança",
            Section::Administration => "Administração",
            Section::Member => "Associado",
            Section::Benefit => "Benefício",
            Section::Management => "Gestão",
        }
    }

    pub fn text(self) -> &'static str {
        match self {
            Section::Security => "Entrar e obter o token que as outras operações pedem.",
            Section::Administration => {
                "O que a associação cadastrou: lojas, campos, fornecedores e vendedores."
            }
            Section::Member => "As pessoas da associação.",
            Section::Benefit => "Os benefícios dos associados e as listas de que dependem.",
            Section::Management => "O que a própria associação cadastra e opera, além da interface 1.84.",
        }
    }
}

/// A schema by its name, with everything it refers to.
pub struct Named {
    pub reference: RefOr<Schema>,
    pub schemas: Vec<(String, RefOr<Schema>)>,
}

impl Named {
    fn of<T: ToSchema + PartialSchema>() -> Named {
        let name = T::name().into_owned();
        let mut schemas = vec![(name.clone(), T::schema())];
        T::schemas(&mut schemas);
        Named { reference: Ref::from_schema_name(name).into(), schemas }
    }
}

pub struct Operation {
    pub method: Method,
    pub path: &'static str,
    pub access: Access,
    pub section: Section,
    pub summary: &'static str,
    pub text: &'static str,
    pub body: Option<Named>,
    pub answer: Option<Named>,
    handler: MethodRouter<State>,
}

/// An operation that reads.
pub fn get<H, T>(path: &'static str, access: Access, handler: H) -> Operation
where
    H: Handler<T, State>,
    T: 'static,
{
    Operation::new(Method::GET, MethodFilter::GET, path, access, handler)
}

/// An operation that creates.
pub fn post<H, T>(path: &'static str, access: Access, handler: H) -> Operation
where
    H: Handler<T, State>,
    T: 'static,
{
    Operation::new(Method::POST, MethodFilter::POST, path, access, handler)
}

impl Operation {
    fn new<H, T>(
        method: Method,
        on_method: MethodFilter,
        path: &'static str,
        access: Access,
        handler: H,
    ) -> Operation
    where
        H: Handler<T, State>,
        T: 'static,
    {
        let (section, summary, text) = (Section::Management, "", "");
        let handler = on(on_method, handler);
        Operation { method, path, access, section, summary, text, body: None, answer: None, handler }
    }

    /// What the documentation says of it.
    pub fn told(mut self, section: Section, summary: &'static str, text: &'static str) -> Operation {
        (self.section, self.summary, self.text) = (section, summary, text);
        self
    }

    pub fn takes<T: ToSchema>(mut self) -> Operation {
        self.body = Some(Named::of::<T>());
        self
    }

    pub fn answers<T: ToSchema>(mut self) -> Operation {
        self.answer = Some(Named::of::<T>());
        self
    }

    pub fn answers_many<T: ToSchema>(mut self) -> Operation {
        let one = Named::of::<T>();
        let list = ArrayBuilder::new().items(one.reference).build().into();
        self.answer = Some(Named { reference: list, schemas: one.schemas });
        self
    }

    /// How axum reaches it, behind its guard.
    pub fn routed(self, state: &State) -> (&'static str, MethodRouter<State>) {
        let guarded = self.handler.route_layer(from_fn_with_state((state.clone(), self.access), guard));
        (self.path, guarded)
    }
}
