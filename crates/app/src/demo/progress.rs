//! How far a demonstration has been loaded, as the database remembers it: a load that was cut off goes on from there.

use crate::Error;
use domain::TenantId;
use storage::settings::{self, Setting};
use storage::{Source, Tx};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    pub tenant: TenantId,
    pub members: u32,
    pub seed: u64,
    /// Members that are there already.
    pub loaded: u32,
    /// Leads that are there already, which come behind the members.
    pub leads: u32,
    pub done: bool,
}

impl Progress {
    #[boxed::future]
    pub async fn read(from: impl Into<Source<'_>>) -> Result<Option<Progress>, Error> {
        let Some(text) = settings::get(from, Setting::Demo).await? else { return Ok(None) };
        let broken =
            || storage::Error::Broken(format!("{text:?} is kept as the progress of a demonstration"));
        Ok(Some(Progress::parse(&text).ok_or_else(broken)?))
    }

    #[boxed::future]
    pub async fn write(&self, tx: &mut Tx) -> Result<(), Error> {
        Ok(settings::set(tx, Setting::Demo, &self.to_text()).await?)
    }

    fn to_text(self) -> String {
        let Progress { tenant, members, seed, loaded, leads, done } = self;
        format!("tenant={tenant} members={members} seed={seed} loaded={loaded} leads={leads} done={done}")
    }

    fn parse(text: &str) -> Option<Progress> {
        let mut values = text.split(' ').map(|part| part.split_once('=').map(|(_, value)| value));
        let mut next = || values.next().flatten();
        Some(Progress {
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
        let progress = Progress { tenant, members: 1_000, seed, loaded: 12, leads: 3, done: false };
        assert_eq!(Progress::parse(&progress.to_text()), Some(progress));
        assert_eq!(Progress::parse("tenant=3 members=x"), None);
    }
}
