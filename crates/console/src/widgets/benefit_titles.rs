//! The open titles of a benefit, in the forms that change it.

/// An open title, and what a change of its benefit does with it.
pub struct BenefitTitleLine {
    pub code: i32,
    pub due_on: String,
    /// What is left to pay.
    pub amount: String,
    /// A name and its class.
    pub badge: (&'static str, &'static str),
}

pub struct BenefitTitleSection {
    /// By due day.
    pub lines: Vec<BenefitTitleLine>,
    /// Whether some of those that are not yet due lie in branches that the user does not see.
    pub has_hidden_titles: bool,
    /// Where all of them are listed, if there are more.
    pub more: Option<String>,
    /// What happens to them when the form is saved.
    pub outlook: &'static str,
}

#[cfg(test)]
impl BenefitTitleSection {
    pub fn sample(with: crate::template_tests::SampleContent) -> BenefitTitleSection {
        let line = || BenefitTitleLine {
            code: 7,
            due_on: with.text(),
            amount: with.text(),
            badge: ("A vencer", "warn"),
        };
        BenefitTitleSection {
            lines: with.list_of(line),
            has_hidden_titles: with.is_filled(),
            more: with.option_of(|| with.text()),
            outlook: "Nenhum título muda na hora.",
        }
    }
}
