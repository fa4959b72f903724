//! The stored progress of a demo load, from which an interrupted load continues.

use app::Error;
use domain::{Date, TenantId};
use storage::server::settings::{self, ServerSetting};
use storage::{ReadSource, Tx};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DemoLoadProgress {
    pub tenant: TenantId,
    pub members: u32,
    pub seed: u64,
    /// Members already written.
    pub loaded: u32,
    /// Leads already written, which come after the members.
    pub leads: u32,
    pub done: bool,
    pub money: MoneyProgress,
}

/// How far the money of a demo is written, which comes last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoneyProgress {
    /// The day on which the load began, and on which its money ends.
    pub today: Date,
    /// How many months are wanted.
    pub months: u32,
    /// Months already written.
    pub charged: u32,
    /// The last person whose titles of the next month are written.
    pub payer: i32,
    /// Months already closed.
    pub closed: u32,
}

impl MoneyProgress {
    pub fn new(today: Date, months: u32) -> MoneyProgress {
        MoneyProgress { today, months, charged: 0, payer: 0, closed: 0 }
    }
}

impl DemoLoadProgress {
    #[boxed::future]
    pub async fn load(source: impl Into<ReadSource<'_>>) -> Result<Option<DemoLoadProgress>, Error> {
        let Some(text) = settings::find_setting(source, ServerSetting::Demo).await? else { return Ok(None) };
        let broken =
            || storage::Error::Broken(format!("{text:?} is kept as the progress of a demonstration"));
        Ok(Some(DemoLoadProgress::parse(&text).ok_or_else(broken)?))
    }

    /// What is stored, if another process wrote something meanwhile.
    #[boxed::future]
    pub async fn find_other(&self, tx: &mut Tx) -> Result<Option<DemoLoadProgress>, Error> {
        let missing = || storage::Error::Broken("the progress of a demonstration is gone".to_owned());
        let stored = DemoLoadProgress::load(&mut *tx).await?.ok_or_else(missing)?;
        Ok((stored != *self).then_some(stored))
    }

    #[boxed::future]
    pub async fn save(&self, tx: &mut Tx) -> Result<(), Error> {
        Ok(settings::upsert_setting(tx, ServerSetting::Demo, &self.to_text()).await?)
    }

    fn to_text(self) -> String {
        let DemoLoadProgress { tenant, members, seed, loaded, leads, done, money } = self;
        let MoneyProgress { today, months, charged, payer, closed } = money;
        format!(
            "tenant={tenant} members={members} seed={seed} loaded={loaded} leads={leads} done={done} today={} \
             months={months} charged={charged} payer={payer} closed={closed}",
            today.to_iso()
        )
    }

    fn parse(text: &str) -> Option<DemoLoadProgress> {
        let mut values = text.split(' ').map(|part| part.split_once('=').map(|(_, value)| value));
        let mut next = || values.next().flatten();
        let progress = DemoLoadProgress {
            tenant: TenantId::new(next()?.parse().ok()?),
            members: next()?.parse().ok()?,
            seed: next()?.parse().ok()?,
            loaded: next()?.parse().ok()?,
            leads: next()?.parse().ok()?,
            done: next()?.parse().ok()?,
            money: MoneyProgress::new(Date::EPOCH, 0),
        };
        // A load that began when demos had no money ends without any.
        let Some(today) = next() else { return Some(progress) };
        let money = MoneyProgress {
            today: Date::from_iso(today)?,
            months: next()?.parse().ok()?,
            charged: next()?.parse().ok()?,
            payer: next()?.parse().ok()?,
            closed: next()?.parse().ok()?,
        };
        Some(DemoLoadProgress { money, ..progress })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_is_read_back() {
        let (tenant, seed) = (TenantId::new(3), u64::MAX);
        let money = MoneyProgress { months: 18, charged: 2, payer: 40, ..MoneyProgress::new(Date::EPOCH, 0) };
        let progress =
            DemoLoadProgress { tenant, members: 1_000, seed, loaded: 12, leads: 3, done: false, money };
        assert_eq!(DemoLoadProgress::parse(&progress.to_text()), Some(progress));
        let text = progress.to_text();
        let old = DemoLoadProgress::parse(text.split_once(" today").unwrap().0).unwrap();
        assert_eq!((old.leads, old.money.months), (3, 0));
        assert_eq!(DemoLoadProgress::parse(&text.replace("closed=0", "closed=x")), None);
        assert_eq!(DemoLoadProgress::parse("tenant=3 members=x"), None);
    }
}
