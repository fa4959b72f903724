//! The stored progress of a demo load, from which an interrupted load continues.

use app::Error;
use domain::TenantId;
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
}

impl DemoLoadProgress {
    #[boxed::future]
    pub async fn load(source: impl Into<ReadSource<'_>>) -> Result<Option<DemoLoadProgress>, Error> {
        let Some(text) = settings::find_setting(source, ServerSetting::Demo).await? else { return Ok(None) };
        let broken =
            || storage::Error::Broken(format!("{text:?} is kept as the progress of a demonstration"));
        Ok(Some(DemoLoadProgress::parse(&text).ok_or_else(broken)?))
    }

    #[boxed::future]
    pub async fn save(&self, tx: &mut Tx) -> Result<(), Error> {
        Ok(settings::upsert_setting(tx, ServerSetting::Demo, &self.to_text()).await?)
    }

    fn to_text(self) -> String {
        let DemoLoadProgress { tenant, members, seed, loaded, leads, done } = self;
        format!("tenant={tenant} members={members} seed={seed} loaded={loaded} leads={leads} done={done}")
    }

    fn parse(text: &str) -> Option<DemoLoadProgress> {
        let mut values = text.split(' ').map(|part| part.split_once('=').map(|(_, value)| value));
        let mut next = || values.next().flatten();
        Some(DemoLoadProgress {
            tenant: TenantId::new(next()?.parse().ok()?),
            members: next()?.parse().ok()?,
            seed: next()?.parse().ok()?,
            loaded: next()?.parse().ok()?,
            leads: next()?.parse().ok()?,
            done: next()?.parse().ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_is_read_back() {
        let (tenant, seed) = (TenantId::new(3), u64::MAX);
        let progress = DemoLoadProgress { tenant, members: 1_000, seed, loaded: 12, leads: 3, done: false };
        assert_eq!(DemoLoadProgress::parse(&progress.to_text()), Some(progress));
        assert_eq!(DemoLoadProgress::parse("tenant=3 members=x"), None);
    }
}
