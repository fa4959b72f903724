//! One operation: its path, its access rule, its handler and its documentation. The route table (`routes/`) is a list
//! of these; router, authorization and `OpenAPI` are built from it.

use crate::ServerState;
pub use crate::authorization::AllowedCallers;
use crate::authorization::{AccessRequirement, guard_operation};
use axum::handler::Handler;
use axum::http::Method;
use axum::middleware::from_fn_with_state;
use axum::routing::MethodRouter;
use domain::MoneyRight;
use erased_routes::HandlerFuture;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{AllOfBuilder, ArrayBuilder, ObjectBuilder, Ref, Schema, SchemaType, Type};
use utoipa::{PartialSchema, ToSchema};
use wire::read::{DocumentedField, InputRecord};
use wire::register;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DocsSection {
    Security,
    Administration,
    Member,
    Benefit,
    Sales,
    Claim,
    Finance,
    Management,
    Registers,
    Export,
}

impl DocsSection {
    pub const ALL: [DocsSection; 10] = [
        DocsSection::Security,
        DocsSection::Administration,
        DocsSection::Member,
        DocsSection::Benefit,
        DocsSection::Sales,
        DocsSection::Claim,
        DocsSection::Finance,
        DocsSection::Management,
        DocsSection::Registers,
        DocsSection::Export,
    ];

    pub fn name(self) -> &'static str {
        match self {
            DocsSection::Security => "Segurança",
            DocsSection::Administration => "Administração",
            DocsSection::Member => "Associado",
            DocsSection::Benefit => "Benefício",
            DocsSection::Sales => "CRM",
            DocsSection::Claim => "Evento",
            DocsSection::Finance => "Financeiro",
            DocsSection::Management => "Gestão",
            DocsSection::Registers => "Cadastros",
            DocsSection::Export => "Exportação",
        }
    }

    pub fn text(self) -> &'static str {
        match self {
            DocsSection::Security => "Entrar e obter o token que as outras operações pedem.",
            DocsSection::Administration => {
                "O que a associação cadastrou: lojas, campos, fornecedores e vendedores."
            }
            DocsSection::Member => "As pessoas da associação.",
            DocsSection::Benefit => "Os benefícios dos associados e as listas de que dependem.",
            DocsSection::Sales => {
                "Quem pode vir a ser associado e os negócios com cada um, do primeiro contato ao benefício."
            }
            DocsSection::Claim => {
                "O que aconteceu com os associados e os seus benefícios: colisões, roubos, assistências."
            }
            DocsSection::Finance => "Os títulos da associação e as listas de que dependem.",
            DocsSection::Management => "O que a própria associação cadastra e opera, além da interface 1.84.",
            DocsSection::Registers => {
                "Os cadastros da associação: lojas, planos, situações e o mais de que a operação depende. Todos se leem e se alteram do mesmo modo."
            }
            DocsSection::Export => "As listas inteiras, como arquivos para planilhas.",
        }
    }
}

/// A named schema with everything it refers to.
pub struct SchemaBundle {
    pub reference: RefOr<Schema>,
    pub schemas: Vec<(String, RefOr<Schema>)>,
}

impl SchemaBundle {
    fn from_type<T: ToSchema + PartialSchema>() -> SchemaBundle {
        let name = T::name().into_owned();
        let mut schemas = vec![(name.clone(), T::schema())];
        T::schemas(&mut schemas);
        SchemaBundle { reference: Ref::from_schema_name(name).into(), schemas }
    }

    /// Schemas built from a register description: the first, with those it refers to.
    fn from_records(records: Vec<register::NamedSchema>) -> Option<SchemaBundle> {
        let reference = Ref::from_schema_name(&records.first()?.name).into();
        Some(SchemaBundle {
            reference,
            schemas: records.into_iter().map(|one| (one.name, one.schema)).collect(),
        })
    }

    fn from_list_type<T: ToSchema + PartialSchema>() -> SchemaBundle {
        let one = SchemaBundle::from_type::<T>();
        let list = ArrayBuilder::new().items(one.reference).build().into();
        SchemaBundle { reference: list, schemas: one.schemas }
    }
}

/// The request body of an operation.
pub struct BodySchema {
    pub record: SchemaBundle,
    pub required: bool,
}

/// Spreadsheet formats of imports and exports.
pub const SHEETS: &[&str] =
    &["text/csv", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"];

/// Registers of `/ext/financeiro`, which are for every role, as that of branches is.
const MONEY_REGISTERS: [&str; 3] =
    ["/ext/financeiro/tipoTitulo", "/ext/financeiro/formaPagamento", "/ext/financeiro/tipoLiquidacao"];

pub struct ApiOperation {
    pub method: Method,
    pub path: &'static str,
    pub access: AllowedCallers,
    pub section: DocsSection,
    pub summary: &'static str,
    pub text: &'static str,
    pub query: Vec<DocumentedField>,
    pub body: Option<BodySchema>,
    pub answer: Option<SchemaBundle>,
    /// The body is a file of one of these media types.
    pub takes_file: &'static [&'static str],
    /// The answer is a file of one of these media types.
    pub answers_file: &'static [&'static str],
    handler: MethodRouter<ServerState>,
}

/// An operation that reads.
pub fn get<H, T>(path: &'static str, access: AllowedCallers, handler: H) -> ApiOperation
where
    H: Handler<T, ServerState, Future = HandlerFuture>,
    T: 'static,
{
    ApiOperation::new(Method::GET, path, access, erased_routes::get(handler))
}

/// An operation that creates.
pub fn post<H, T>(path: &'static str, access: AllowedCallers, handler: H) -> ApiOperation
where
    H: Handler<T, ServerState, Future = HandlerFuture>,
    T: 'static,
{
    ApiOperation::new(Method::POST, path, access, erased_routes::post(handler))
}

/// An operation that changes what is there.
pub fn put<H, T>(path: &'static str, access: AllowedCallers, handler: H) -> ApiOperation
where
    H: Handler<T, ServerState, Future = HandlerFuture>,
    T: 'static,
{
    ApiOperation::new(Method::PUT, path, access, erased_routes::put(handler))
}

/// An operation that ends something.
pub fn delete<H, T>(path: &'static str, access: AllowedCallers, handler: H) -> ApiOperation
where
    H: Handler<T, ServerState, Future = HandlerFuture>,
    T: 'static,
{
    ApiOperation::new(Method::DELETE, path, access, erased_routes::delete(handler))
}

impl ApiOperation {
    fn new(
        method: Method,
        path: &'static str,
        access: AllowedCallers,
        handler: MethodRouter<ServerState>,
    ) -> ApiOperation {
        let (section, summary, text) = (DocsSection::Management, "", "");
        let (query, body, answer) = (Vec::new(), None, None);
        let (takes_file, answers_file) = (&[][..], &[][..]);
        ApiOperation {
            method,
            path,
            access,
            section,
            summary,
            text,
            query,
            body,
            answer,
            takes_file,
            answers_file,
            handler,
        }
    }

    /// Sets the documentation.
    pub fn describe(
        mut self,
        section: DocsSection,
        summary: &'static str,
        text: &'static str,
    ) -> ApiOperation {
        (self.section, self.summary, self.text) = (section, summary, text);
        self
    }

    /// Sets the query parameters.
    pub fn with_query<T: InputRecord>(mut self) -> ApiOperation {
        self.query = T::fields();
        self
    }

    /// Like [`ApiOperation::with_query`], for parameters from a register description.
    pub fn with_query_fields(mut self, fields: Vec<DocumentedField>) -> ApiOperation {
        self.query = fields;
        self
    }

    /// Like [`ApiOperation::with_body`], for a record from a register description.
    pub fn with_body_record(mut self, record: register::NamedSchema) -> ApiOperation {
        self.body =
            SchemaBundle::from_records(vec![record]).map(|record| BodySchema { record, required: true });
        self
    }

    /// Like [`ApiOperation::with_answer`], for schemas from a register description: the first, with those it refers to.
    pub fn with_answer_records(mut self, records: Vec<register::NamedSchema>) -> ApiOperation {
        self.answer = SchemaBundle::from_records(records);
        self
    }

    pub fn with_body<T: ToSchema>(mut self) -> ApiOperation {
        self.body = Some(BodySchema { record: SchemaBundle::from_type::<T>(), required: true });
        self
    }

    /// Fields that this operation requires in its body, although the record itself leaves them optional because another
    /// operation shares it.
    pub fn require_fields(mut self, names: &[&str]) -> ApiOperation {
        let any = [Type::String, Type::Integer, Type::Number, Type::Boolean, Type::Object, Type::Array];
        let any_value = || ObjectBuilder::new().schema_type(SchemaType::Array(any.to_vec()));
        let needed = names
            .iter()
            .fold(ObjectBuilder::new(), |all, name| all.required(*name).property(*name, any_value()));
        self.body = self.body.map(|mut body| {
            body.record.reference = AllOfBuilder::new().item(body.record.reference).item(needed).into();
            body
        });
        self
    }

    /// Like [`ApiOperation::with_body`], for a list of records.
    pub fn with_body_list<T: ToSchema>(mut self) -> ApiOperation {
        self.body = Some(BodySchema { record: SchemaBundle::from_list_type::<T>(), required: true });
        self
    }

    /// Like [`ApiOperation::with_body`], for a body that may be absent.
    pub fn with_optional_body<T: ToSchema>(mut self) -> ApiOperation {
        self.body = Some(BodySchema { record: SchemaBundle::from_type::<T>(), required: false });
        self
    }

    /// The body is a raw file of one of these media types.
    pub fn with_file_body(mut self, types: &'static [&'static str]) -> ApiOperation {
        self.takes_file = types;
        self
    }

    /// The answer is a file of one of these media types.
    pub fn with_file_answer(mut self, types: &'static [&'static str]) -> ApiOperation {
        self.answers_file = types;
        self
    }

    pub fn with_answer<T: ToSchema>(mut self) -> ApiOperation {
        self.answer = Some(SchemaBundle::from_type::<T>());
        self
    }

    pub fn with_answer_list<T: ToSchema>(mut self) -> ApiOperation {
        self.answer = Some(SchemaBundle::from_list_type::<T>());
        self
    }

    /// What a caller must be allowed to do with money, known from the path and the method.
    fn money_right(&self) -> Option<MoneyRight> {
        let is_period = self.path.starts_with("/gestao/financeiro/periodo/");
        let is_approval = self.path.starts_with("/gestao/financeiro/valorCombinado/")
            || self.path.ends_with("/{codCobranca}/aprovar")
            || self.path.ends_with("/{codCobranca}/desfazer");
        // Whoever sees a title may have it paid.
        let is_sight = self.method == Method::GET
            || self.path.ends_with("/{codTitulo}/pix")
            || self.path.ends_with("/{codTitulo}/boleto");
        // Their names tell nothing of anybody's money.
        let is_register = MONEY_REGISTERS.contains(&self.path);
        match self.path.contains("/financeiro/") && !is_register {
            false => None,
            true if is_sight => Some(MoneyRight::SeeMoney),
            true if is_period => Some(MoneyRight::ClosePeriods),
            true if is_approval => Some(MoneyRight::ApproveRuns),
            true => Some(MoneyRight::SettleTitles),
        }
    }

    /// The axum route, behind its authorization.
    pub fn build_route(&self, state: &ServerState) -> (&'static str, MethodRouter<ServerState>) {
        let is_management = self.path.starts_with("/gestao/");
        let needed =
            AccessRequirement { access: self.access, is_management, money_right: self.money_right() };
        let guarded =
            self.handler.clone().route_layer(from_fn_with_state((state.clone(), needed), guard_operation));
        (self.path, guarded)
    }
}
