//! What a line of a sheet of titles or opening balances is refused for.

use domain::Rejection;
use domain::finance::{FinanceProblem, OpeningImportProblem};

pub(crate) fn refuse_line(problem: OpeningImportProblem) -> Rejection {
    Rejection::Finance(FinanceProblem::OpeningImport(problem))
}
