//! The slips of the titles that are still open. Older ones have none, so that a large association is loaded soon, and so
//! that a second copy is there to be issued.

use super::months::CalendarMonth;
use super::scene::LoadedRegisterScene;
use crate::dice::SeededRandomness;
use app::{ActorContext, Error};
use domain::TitleCode;
use domain::finance::{LaunchKind, TitleSituation};
use finance::prepare_first_slips;
use finance_storage::charging::issued_titles::NewTitle;
use finance_storage::titles::StoredTitle;
use storage::{Statement, Tx};

/// How many months before the present one have slips.
const MONTHS_BEFORE: i32 = 1;

/// The stream of everything that opens a slip. Members have lower numbers, titles and bills higher ones.
const STREAM: u64 = 1 << 60;

/// The slips of these titles, each with its link.
pub(super) async fn prepare_slips(
    tx: &mut Tx,
    scene: &LoadedRegisterScene<'_>,
    context: &ActorContext<'_>,
    titles: &[NewTitle],
) -> Result<Vec<Statement>, Error> {
    let first_day = CalendarMonth::from_day(scene.today).plus(-MONTHS_BEFORE).find_day(1);
    let is_collected = |title: &StoredTitle| {
        title.launch_kind == LaunchKind::Credit
            && title.situation == TitleSituation::Open
            && title.due_on >= first_day
    };
    let titles: Vec<(TitleCode, &StoredTitle)> =
        titles.iter().filter(|new| is_collected(&new.title)).map(|new| (new.code, &new.title)).collect();
    if titles.is_empty() {
        return Ok(Vec::new());
    }
    prepare_first_slips(tx, context, &titles, &SeededRandomness::new(scene.seed, STREAM)).await
}
