//! What may be wrong with a record of a register.

/// What is wrong with a field of a register. What a record is called comes from its description: `a loja`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegisterProblem {
    Missing,
    /// No record of this code is within reach.
    NotThere {
        what: &'static str,
        code: i32,
    },
    /// A code that names nothing which is in use and within reach.
    Unknown {
        what: &'static str,
        code: i32,
    },
    /// The same in a list, by its place there.
    UnknownPart {
        at: usize,
        what: &'static str,
        code: i32,
    },
    /// None of those that go with what else was given.
    NotAmong(Vec<&'static str>),
    /// Only records of this kind have it.
    OnlyFor(&'static str),
    Before(&'static str),
    NotAVehicle(i32),
    /// None of the fields was given by which a list must be narrowed.
    NoFilter(&'static [&'static str]),
    // Against the present state.
    /// It stays as it was when the record was added.
    Fixed {
        now: String,
    },
    CodeTaken {
        what: &'static str,
        code: i32,
    },
    /// Another record has it.
    Taken {
        what: &'static str,
        code: i32,
    },
    /// Without it none would be left in use.
    LastActive {
        what: &'static str,
    },
    /// What its type picks cannot go: another must be picked first.
    IsDefault,
    InactiveDefault,
    /// A tracker that is on a vehicle, by its installation.
    Installed {
        installation: i32,
    },
}

impl RegisterProblem {
    pub(crate) fn is_conflict(&self) -> bool {
        use RegisterProblem as P;
        matches!(
            self,
            P::Fixed { .. }
                | P::CodeTaken { .. }
                | P::Taken { .. }
                | P::LastActive { .. }
                | P::IsDefault
                | P::InactiveDefault
                | P::Installed { .. }
        )
    }
}
