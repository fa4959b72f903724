//! What a register is made of. A description is data: storage builds its statements from it, the interface its reader, its
//! records and its documentation, the console its forms.

/// A register of an association.
pub struct Register {
    /// How it is called in an address: `plano` of `/gestao/plano`.
    pub path: &'static str,
    /// What its code is called: `codPlano`.
    pub code: &'static str,
    /// A code that an example may have.
    pub example: i32,
    pub table: &'static str,
    /// The column of the code.
    pub key: &'static str,
    /// What counts its codes; where nothing does, whoever adds a record names its code.
    pub counter: Option<&'static str>,
    /// Its least and its greatest code.
    pub codes: (i32, i32),
    pub fields: &'static [FieldSpec],
    pub within: RecordVisibility,
    /// What no two records may have alike.
    pub unique: &'static [UniqueConstraint],
    pub search: SearchMethod,
    /// The fields by which a list may be narrowed, and whether one of them must be.
    pub filters: &'static [&'static str],
    pub needs_filter: bool,
    /// Every process remembers it, so a change must be told to all of them.
    pub remembered: bool,
    /// What a page says it is for, the part of the association that it stands with, and the fields that its list shows
    /// beside the first.
    pub about: &'static str,
    pub section: &'static str,
    pub columns: &'static [&'static str],
    pub words: DisplayTexts,
}

/// What people are told of a register.
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

/// An operation: as the audit names it, and as the documentation tells of it.
pub struct OperationDescription {
    pub operation: &'static str,
    pub summary: &'static str,
    pub text: &'static str,
}

/// How far records are seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordVisibility {
    /// By everybody in the association.
    Base,
    /// By those who work in the branch that this column names.
    Branch(&'static str),
    /// By those who see the benefit, or the person, that the first field names.
    Benefit,
    Person,
}

/// How a list is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchMethod {
    /// A few thousand at most: by the beginnings of their words, whatever their case and accents, ordered by the first
    /// field that is searched.
    Words,
    /// Any number: by the beginnings of these fields, which are indexed, in the order of the first.
    Beginnings(&'static [&'static str]),
}

/// Fields that no two records may have alike.
pub struct UniqueConstraint {
    /// The one that is told of, then those within which it must be alone.
    pub fields: &'static [&'static str],
    /// Case and accents do not count.
    pub folded: bool,
}

pub const fn require_unique(fields: &'static [&'static str]) -> UniqueConstraint {
    UniqueConstraint { fields, folded: false }
}

pub const fn require_unique_name(fields: &'static [&'static str]) -> UniqueConstraint {
    UniqueConstraint { fields, folded: true }
}

/// One field of a register.
pub struct FieldSpec {
    /// What it is called outside.
    pub name: &'static str,
    pub column: &'static str,
    /// A further column that keeps the text without case and accents.
    pub folded: Option<&'static str>,
    pub kind: FieldType,
    pub need: FieldRequirement,
    /// It stays as it was when the record was added.
    pub fixed: bool,
    /// A list is searched by it.
    pub searched: bool,
    /// What a form calls it, what it means, and an example in JSON.
    pub label: &'static str,
    pub text: &'static str,
    pub example: &'static str,
    /// What a form says below it, where its label does not say all that a person needs.
    pub hint: &'static str,
}

/// Whether a record must have a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldRequirement {
    Required,
    Optional,
    /// What it has where nothing is said.
    Default(FieldDefault),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldDefault {
    Flag(bool),
    Number(i64),
    /// The record's own code.
    Code,
}

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldType {
    /// One line.
    Text {
        longest: usize,
    },
    /// Several lines.
    Note,
    /// One line in capitals, without blanks: the number of a piece of equipment.
    Serial {
        longest: usize,
    },
    /// Exactly so many digits.
    Digits(usize),
    Integer {
        least: i32,
        most: i32,
    },
    Money,
    Flag,
    Colour,
    /// The readable text colour on that of another field: shown, never taken.
    ReadableOn(&'static str),
    /// One of a fixed set, by the numbers that the database knows and the names of the interface.
    Choice(&'static [(i64, &'static str)]),
    /// The code of a record of another register.
    Reference(&'static str),
    Benefit,
    Person,
    /// Codes of records of a register, in a table of their own.
    References {
        to: &'static str,
        rows: PartTable,
    },
    /// Texts, one a line.
    Lines {
        longest: usize,
    },
    /// Texts in their order, in a table of their own.
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
    /// Taken and kept, and never shown.
    Secret {
        longest: usize,
    },
}

/// A table that holds the parts of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartTable {
    pub table: &'static str,
    /// The column of the record's code, and that of the part.
    pub own: &'static str,
    pub part: &'static str,
    /// The column of the part's place, where their order matters.
    pub position: Option<&'static str>,
}

/// A value of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldContent {
    Nothing,
    Number(i64),
    Flag(bool),
    Text(String),
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

    /// What a form calls it, what it means, and an example.
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

    /// Whether it is taken from callers.
    pub const fn is_input(&self) -> bool {
        !matches!(self.kind, FieldType::ReadableOn(_))
    }

    pub const fn is_visible(&self) -> bool {
        !matches!(self.kind, FieldType::Secret { .. })
    }

    /// The table of its parts, where it has one.
    pub const fn part_table(&self) -> Option<&PartTable> {
        match &self.kind {
            FieldType::References { rows, .. } | FieldType::Items { rows, .. } => Some(rows),
            _ => None,
        }
    }

    /// Whether it stands in a column of the register's table.
    pub const fn is_column(&self) -> bool {
        self.is_input() && self.part_table().is_none()
    }
}

impl Register {
    /// The field of this name, with its place.
    pub fn find_field(&self, name: &str) -> Option<(usize, &'static FieldSpec)> {
        self.fields.iter().enumerate().find(|(_, field)| field.name == name)
    }

    /// What comes after its path in names of records: `Plano`.
    pub fn title(&self) -> String {
        let mut letters = self.path.chars();
        letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
    }
}

/// The words of a register: its path, the name of its code, one and many of it, and its article.
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
