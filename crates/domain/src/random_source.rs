//! Chance as an argument: the binary asks the operating system, a test uses a seeded generator.

/// A source of random bytes fit for secrets.
pub trait RandomSource: Send + Sync {
    fn fill(&self, bytes: &mut [u8]);
}
