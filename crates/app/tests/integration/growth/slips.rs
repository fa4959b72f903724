//! Slips: listed, read, shown, opened by their links, and issued.

use super::sample::SampleSlip;
use super::script::{HERE, Script, now, plainly};
use app::session::Session;
use domain::{Date, PAGE_SIZE, PersonCode, SlipCode, TitleCode};
use finance::{DayRange, TitleCriteria, TitleSearch};
use links::LinkOpeningOutcome;

fn search(criteria: TitleCriteria) -> TitleSearch {
    TitleSearch { criteria, ..TitleSearch::default() }
}

impl Script<'_> {
    pub(super) async fn slips(&self, who: &str, caller: &Session) {
        let SampleSlip { title, person, document, due_on, .. } = &self.sample.slip;
        let day = Some(Date::parse(due_on).unwrap());
        let due = DayRange { from: day, to: day };
        for (what, search) in [
            ("nothing", TitleSearch::default()),
            ("cpfCnpj", TitleSearch { document: Some(document.clone()), ..TitleSearch::default() }),
            (
                "codPessoa",
                search(TitleCriteria { person: Some(PersonCode::new(*person)), ..TitleCriteria::default() }),
            ),
            ("dataVencimento", search(TitleCriteria { due, ..TitleCriteria::default() })),
        ] {
            self.recorder.begin(&format!("slips by {what} / page 1 / {who}"));
            let page = finance::list_slips(self.app, caller, search.clone(), (0, PAGE_SIZE)).await.unwrap();
            assert!(!page.rows.is_empty(), "slips by {what}");
            if page.slips > PAGE_SIZE {
                self.recorder.begin(&format!("slips by {what} / last page / {who}"));
                let last = (page.slips - 1) / PAGE_SIZE * PAGE_SIZE;
                finance::list_slips(self.app, caller, search, (last, PAGE_SIZE)).await.unwrap();
            }
        }
        self.recorder.begin(&format!("a slip / {who}"));
        finance::read_slip(self.app, caller, TitleCode::new(*title)).await.unwrap();
        self.recorder.begin(&format!("a slip as PDF / {who}"));
        finance::render_slip(self.app, caller, TitleCode::new(*title)).await.unwrap();
    }

    /// Its link is opened first: a second copy takes the place of what it leads to.
    pub(super) async fn issue_slip(&self, caller: &Session) {
        let SampleSlip { title, token, .. } = &self.sample.slip;
        self.recorder.begin("a slip is opened by its link");
        let opened = links::open_link(self.app, token, self.address()).await.unwrap();
        let LinkOpeningOutcome::Open(subject) = opened else { panic!("{opened:?}") };
        let slip = finance::render_linked_slip(self.app, HERE, SlipCode::new(subject.code)).await.unwrap();
        assert_eq!(slip.unwrap().title.get(), *title);
        self.recorder.begin("a second copy is issued");
        let request = (TitleCode::new(*title), None);
        now(finance::issue_slip(self.app, caller, request, plainly()).await);
        self.recorder.begin("a slip that stays is issued again");
        let request = (TitleCode::new(*title), None);
        now(finance::issue_slip(self.app, caller, request, plainly()).await);
    }
}
