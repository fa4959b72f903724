//! The parts of a register description. Descriptions are data: storage builds its statements from them, the API its
//! reader, records and documentation, the console its forms.

use domain::{Date, Money};

pub struct Register {
    /// The path segment: `plano` in `/gestao/plano`.
    pub path: &'static str,
    /// The external name of the code: `codPlano`.
    pub code: &'static str,
    /// An example code for the documentation.
    pub example: i32,
    pub table: &'static str,
    /// The column that holds the code.
    pub key: &'static str,
    /// The counter that assigns codes; `None` if the caller chooses the code of a new record.
    pub counter: Option<&'static str>,
    /// The smallest and the largest code.
    pub codes: (i32, i32),
    pub fields: &'static [FieldSpec],
    pub within: RecordVisibility,
    pub unique: &'static [UniqueConstraint],
    pub search: SearchMethod,
    /// The fields that a list can be filtered by, and whether one of them is required.
    pub filters: &'static [&'static str],
    pub needs_filter: bool,
    /// Every process caches the register, so a change must reach all of them.
    pub remembered: bool,
    /// The page's introduction, the section it belongs to, and the fields that its list shows after the first.
    pub about: &'static str,
    pub section: &'static str,
    pub columns: &'static [&'static str],
    pub words: DisplayTexts,
}

/// The names and texts that people see.
pub struct DisplayTexts {
    /// `plano`, `planos`
    pub one: &'static str,
    pub many: &'static str,
    /// `o plano`
    pub the_one: &'static str,
    /// `/gestao/plano`, `/gestao/plano/{codPlano}`
    pub all_at: &'static str,
    pub one_at: &'static str,
    pub list: OperationDescription,
    pub read: OperationDescription,
    pub create: OperationDescription,
    pub change: OperationDescription,
}

/// An operation: its audit name and its documentation.
pub struct OperationDescription {
    pub operation: &'static str,
    pub summary: &'static str,
    pub text: &'static str,
}

/// Which callers see a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordVisibility {
    /// Every user of the association.
    Base,
    /// Users of the branch in this column.
    Branch(&'static str),
    /// Users who see the benefit, or the person, in the first field.
    Benefit,
    Person,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchMethod {
    /// For a few thousand records at most: by word beginnings, ignoring case and accents, ordered by the first searched
    /// field.
    Words,
    /// For any number of records: by the beginnings of these indexed fields, in the order of the first.
    Beginnings(&'static [&'static str]),
}

pub struct UniqueConstraint {
    /// The field that the refusal names, followed by the fields within which it must be unique.
    pub fields: &'static [&'static str],
    /// Ignores case and accents.
    pub folded: bool,
}

pub const fn require_unique(fields: &'static [&'static str]) -> UniqueConstraint {
    UniqueConstraint { fields, folded: false }
}

pub const fn require_unique_name(fields: &'static [&'static str]) -> UniqueConstraint {
    UniqueConstraint { fields, folded: true }
}

pub struct FieldSpec {
    /// The external name.
    pub name: &'static str,
    pub column: &'static str,
    /// A second column with the folded text.
    pub folded: Option<&'static str>,
    pub kind: FieldType,
    pub need: FieldRequirement,
    /// Cannot change after the record was created.
    pub fixed: bool,
    /// The list search covers this field.
    pub searched: bool,
    /// The form label, the meaning, and an example in JSON.
    pub label: &'static str,
    pub text: &'static str,
    pub example: &'static str,
    /// Help text below the form field, if the label is not enough.
    pub hint: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldRequirement {
    Required,
    Optional,
    /// The value used if none is given.
    Default(FieldDefault),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldDefault {
    Flag(bool),
    Number(i64),
    /// The record's own code.
    Code,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldType {
    /// One line.
    Text {
        longest: usize,
    },
    /// Several lines.
    Note,
    /// One line in upper case, without spaces: a serial number.
    Serial {
        longest: usize,
    },
    /// Exactly this many digits.
    Digits(usize),
    Integer {
        least: i32,
        most: i32,
    },
    Money,
    /// 0 % to 100 %, in hundredths of a percent: 2 % is 200.
    Percent,
    Flag,
    Colour,
    /// The readable text colour on another field's colour: output only.
    ReadableOn(&'static str),
    /// A member of a fixed set, as database number and external name.
    Choice(&'static [(i64, &'static str)]),
    /// The code of a record of another register.
    Reference(&'static str),
    Benefit,
    Person,
    /// Codes of records of another register, stored in a separate table.
    References {
        to: &'static str,
        rows: PartTable,
    },
    /// Texts, one per line.
    Lines {
        longest: usize,
    },
    /// An ordered list of texts, stored in a separate table.
    Items {
        longest: usize,
        rows: PartTable,
    },
    Document,
    Email,
    Phone,
    Uf,
    Cep,
    Date,
    /// `11/2026`
    Month,
    /// Accepted and stored, never shown.
    Secret {
        longest: usize,
    },
}

/// The table that stores the items of a list field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartTable {
    pub table: &'static str,
    pub record_column: &'static str,
    pub item_column: &'static str,
    /// The position column, if the order matters.
    pub position: Option<&'static str>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldContent {
    Nothing,
    Number(i64),
    Money(Money),
    Flag(bool),
    Text(String),
    Date(Date),
    Codes(Vec<i32>),
    Lines(Vec<String>),
}

impl FieldSpec {
    pub const fn new(name: &'static str, column: &'static str, kind: FieldType) -> FieldSpec {
        FieldSpec {
            name,
            column,
            folded: None,
            kind,
            need: FieldRequirement::Optional,
            fixed: false,
            searched: false,
            label: "",
            text: "",
            example: "null",
            hint: "",
        }
    }

    pub const fn make_required(self) -> FieldSpec {
        FieldSpec { need: FieldRequirement::Required, ..self }
    }

    pub const fn with_default(self, default: FieldDefault) -> FieldSpec {
        FieldSpec { need: FieldRequirement::Default(default), ..self }
    }

    pub const fn make_fixed(self) -> FieldSpec {
        FieldSpec { fixed: true, ..self }
    }

    pub const fn make_searchable(self) -> FieldSpec {
        FieldSpec { searched: true, ..self }
    }

    pub const fn with_folded_column(self, column: &'static str) -> FieldSpec {
        FieldSpec { folded: Some(column), ..self }
    }

    /// Sets the form label, the meaning and the example.
    pub const fn with_texts(
        self,
        label: &'static str,
        text: &'static str,
        example: &'static str,
    ) -> FieldSpec {
        FieldSpec { label, text, example, ..self }
    }

    pub const fn with_hint(self, hint: &'static str) -> FieldSpec {
        FieldSpec { hint, ..self }
    }

    /// Whether callers may send the field.
    pub const fn is_input(&self) -> bool {
        !matches!(self.kind, FieldType::ReadableOn(_))
    }

    pub const fn is_visible(&self) -> bool {
        !matches!(self.kind, FieldType::Secret { .. })
    }

    /// The table of its items, for list fields.
    pub const fn part_table(&self) -> Option<&PartTable> {
        match &self.kind {
            FieldType::References { rows, .. } | FieldType::Items { rows, .. } => Some(rows),
            _ => None,
        }
    }

    /// Whether the field is a column of the register's own table.
    pub const fn is_column(&self) -> bool {
        self.is_input() && self.part_table().is_none()
    }
}

impl Register {
    /// The field with this external name, and its position.
    pub fn find_field(&self, name: &str) -> Option<(usize, &'static FieldSpec)> {
        self.fields.iter().enumerate().find(|(_, field)| field.name == name)
    }

    /// The suffix of schema names: `Plano`.
    pub fn title(&self) -> String {
        let mut letters = self.path.chars();
        letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
    }
}

/// The words of a register: path, name of its code, singular, plural and article.
macro_rules! words {
    ($path:literal, $code:literal, $one:literal, $many:literal, $the:literal, $a:literal) => {
        $crate::describe::DisplayTexts {
            one: $one,
            many: $many,
            the_one: concat!($the, " ", $one),
            all_at: concat!("/gestao/", $path),
            one_at: concat!("/gestao/", $path, "/{", $code, "}"),
            list: $crate::describe::OperationDescription {
                operation: concat!("GET /gestao/", $path),
                summary: concat!("Listar ", $many),
                text: concat!(
                    "Lista ", $the, "s ", $many, " da base, em páginas de 100, também o que está inativo. Com `filtro`, só o que \
                     combina com o texto: maiúsculas e acentos não contam."
                ),
            },
            read: $crate::describe::OperationDescription {
                operation: concat!("GET /gestao/", $path, "/{", $code, "}"),
                summary: concat!("Ver ", $one),
                text: concat!("Mostra ", $a, " ", $one, " pelo código, também o que está inativo."),
            },
            create: $crate::describe::OperationDescription {
                operation: concat!("POST /gestao/", $path),
                summary: concat!("Cadastrar ", $one),
                text: concat!(
                    "Cadastra ", $a, " ", $one, ". Quem já tem um código em outros programas pode informá-lo em `", $code,
                    "`; sem ele vem o próximo."
                ),
            },
            change: $crate::describe::OperationDescription {
                operation: concat!("PUT /gestao/", $path, "/{", $code, "}"),
                summary: concat!("Alterar ", $one),
                text: concat!(
                    "Altera ", $a, " ", $one, ": o campo que não vem fica como está, e `null` o limpa. `versao` deve ser a última \
                     lida; com outra, a resposta 409 mostra o que foi enviado e o que está gravado, e nada muda. Com `ativo` \
                     false deixa de ser usado; nada é apagado."
                ),
            },
        }
    };
}
pub(crate) use words;
