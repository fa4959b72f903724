//! One operation: how it is reached, who may call it, what runs, and what the documentation says of it. The route table
//! (`routes.rs`) is a list of these; router, guard and OpenAPI are made from it.

use crate::State;
use crate::guard::{Needed, guard};
use axum::handler::Handler;
use axum::http::Method;
use axum::middleware::from_fn_with_state;
use axum::routing::MethodRouter;
use dispatch::Answer;
use domain::Role;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{AllOfBuilder, ArrayBuilder, ObjectBuilder, Ref, Schema, SchemaType, Type};
use utoipa::{PartialSchema, ToSchema};
use wire::read::{FieldInfo, Record};
use wire::register;

/// Who may call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Anybody, for the association that the request means.
    Open,
    /// User and password.
    Login,
    /// Any token that is good, whatever it reaches.
    AnyToken,
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
    Sales,
    Claim,
    Management,
    Registers,
    Export,
}

impl Section {
    pub const ALL: [Section; 9] = [
        Section::Security,
        Section::Administration,
        Section::Member,
        Section::Benefit,
        Section::Sales,
        Section::Claim,
        Section::Management,
        Section::Registers,
        Section::Export,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Section::Security => "Segurança",
            Section::Administration => "Administração",
            Section::Member => "Associado",
            Section::Benefit => "Benefício",
            Section::Sales => "CRM",
            Section::Claim => "Evento",
            Section::Management => "Gestão",
            Section::Registers => "Cadastros",
            Section::Export => "Exportação",
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
            Section::Sales => {
                "Quem pode vir a ser associado e os negócios com cada um, do primeiro contato ao benefício."
            }
            Section::Claim => {
                "O que aconteceu com os associados e os seus benefícios: colisões, roubos, assistências."
            }
            Section::Management => "O que a própria associação cadastra e opera, além da interface 1.84.",
            Section::Registers => {
                "Os cadastros da associação: lojas, planos, situações e o mais de que a operação depende. Todos se leem e se alteram do mesmo modo."
            }
            Section::Export => "As listas inteiras, como arquivos para planilhas.",
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

    /// Records that only a description knows: the first, with those that it refers to.
    fn told(records: Vec<register::Named>) -> Option<Named> {
        let reference = Ref::from_schema_name(&records.first()?.name).into();
        Some(Named { reference, schemas: records.into_iter().map(|one| (one.name, one.schema)).collect() })
    }

    fn list_of<T: ToSchema + PartialSchema>() -> Named {
        let one = Named::of::<T>();
        let list = ArrayBuilder::new().items(one.reference).build().into();
        Named { reference: list, schemas: one.schemas }
    }
}

/// The body that an operation takes.
pub struct Body {
    pub record: Named,
    /// Whether it must come.
    pub required: bool,
}

/// Files of spreadsheets, as they come and as lists leave.
pub const SHEETS: &[&str] =
    &["text/csv", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"];

pub struct Operation {
    pub method: Method,
    pub path: &'static str,
    pub access: Access,
    pub section: Section,
    pub summary: &'static str,
    pub text: &'static str,
    pub query: Vec<FieldInfo>,
    pub body: Option<Body>,
    pub answer: Option<Named>,
    /// The body is a file of one of these types.
    pub takes_file: &'static [&'static str],
    /// The answer is a file of one of these types.
    pub answers_file: &'static [&'static str],
    handler: MethodRouter<State>,
}

/// An operation that reads.
pub fn get<H, T>(path: &'static str, access: Access, handler: H) -> Operation
where
    H: Handler<T, State, Future = Answer>,
    T: 'static,
{
    Operation::new(Method::GET, path, access, dispatch::get(handler))
}

/// An operation that creates.
pub fn post<H, T>(path: &'static str, access: Access, handler: H) -> Operation
where
    H: Handler<T, State, Future = Answer>,
    T: 'static,
{
    Operation::new(Method::POST, path, access, dispatch::post(handler))
}

/// An operation that changes what is there.
pub fn put<H, T>(path: &'static str, access: Access, handler: H) -> Operation
where
    H: Handler<T, State, Future = Answer>,
    T: 'static,
{
    Operation::new(Method::PUT, path, access, dispatch::put(handler))
}

/// An operation that ends something.
pub fn delete<H, T>(path: &'static str, access: Access, handler: H) -> Operation
where
    H: Handler<T, State, Future = Answer>,
    T: 'static,
{
    Operation::new(Method::DELETE, path, access, dispatch::delete(handler))
}

/// The names of the codes in a path: `codBeneficio` of `/ext/beneficio/{codBeneficio}/cancelar`.
pub fn codes(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
}

impl Operation {
    fn new(method: Method, path: &'static str, access: Access, handler: MethodRouter<State>) -> Operation {
        let (section, summary, text) = (Section::Management, "", "");
        let (query, body, answer) = (Vec::new(), None, None);
        let (takes_file, answers_file) = (&[][..], &[][..]);
        Operation {
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

    /// What the documentation says of it.
    pub fn told(mut self, section: Section, summary: &'static str, text: &'static str) -> Operation {
        (self.section, self.summary, self.text) = (section, summary, text);
        self
    }

    /// What may be asked for in the query.
    pub fn asks<T: Record>(mut self) -> Operation {
        self.query = T::fields();
        self
    }

    /// Like [`Operation::asks`], where only a description knows what.
    pub fn asks_for(mut self, fields: Vec<FieldInfo>) -> Operation {
        self.query = fields;
        self
    }

    /// Like [`Operation::takes`], where only a description knows what.
    pub fn takes_record(mut self, record: register::Named) -> Operation {
        self.body = Named::told(vec![record]).map(|record| Body { record, required: true });
        self
    }

    /// Like [`Operation::answers`], where only a description knows what: the first, with those that it refers to.
    pub fn answers_record(mut self, records: Vec<register::Named>) -> Operation {
        self.answer = Named::told(records);
        self
    }

    pub fn takes<T: ToSchema>(mut self) -> Operation {
        self.body = Some(Body { record: Named::of::<T>(), required: true });
        self
    }

    /// What this operation must find in its body, where the record itself requires none of it because another operation
    /// takes it too.
    pub fn needs(mut self, names: &[&str]) -> Operation {
        let any = [Type::String, Type::Integer, Type::Number, Type::Boolean, Type::Object, Type::Array];
        let given = || ObjectBuilder::new().schema_type(SchemaType::Array(any.to_vec()));
        let needed =
            names.iter().fold(ObjectBuilder::new(), |all, name| all.required(*name).property(*name, given()));
        self.body = self.body.map(|mut body| {
            body.record.reference = AllOfBuilder::new().item(body.record.reference).item(needed).into();
            body
        });
        self
    }

    /// Like [`Operation::takes`], where the body is a list of records.
    pub fn takes_many<T: ToSchema>(mut self) -> Operation {
        self.body = Some(Body { record: Named::list_of::<T>(), required: true });
        self
    }

    /// Like [`Operation::takes`], where the body may be left out.
    pub fn may_take<T: ToSchema>(mut self) -> Operation {
        self.body = Some(Body { record: Named::of::<T>(), required: false });
        self
    }

    /// Takes a file as it is, of one of these types.
    pub fn takes_file(mut self, types: &'static [&'static str]) -> Operation {
        self.takes_file = types;
        self
    }

    /// Answers with a file of one of these types.
    pub fn answers_file(mut self, types: &'static [&'static str]) -> Operation {
        self.answers_file = types;
        self
    }

    pub fn answers<T: ToSchema>(mut self) -> Operation {
        self.answer = Some(Named::of::<T>());
        self
    }

    pub fn answers_many<T: ToSchema>(mut self) -> Operation {
        self.answer = Some(Named::list_of::<T>());
        self
    }

    /// How axum reaches it, behind its guard.
    pub fn routed(&self, state: &State) -> (&'static str, MethodRouter<State>) {
        let is_management = self.path.starts_with("/gestao/");
        let needed = Needed { access: self.access, is_management };
        let guarded = self.handler.clone().route_layer(from_fn_with_state((state.clone(), needed), guard));
        (self.path, guarded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_codes_of_a_path_are_named_in_their_order() {
        let named = |path| codes(path).collect::<Vec<_>>();
        assert_eq!(named("/ext/beneficio/{codBeneficio}/cancelar"), ["codBeneficio"]);
        assert_eq!(named("/ext/a/{codA}/b/{codB}"), ["codA", "codB"]);
        assert!(named("/ext/beneficio").is_empty());
    }
}
