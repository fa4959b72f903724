//! Randomness as an argument: the binary uses the operating system, tests use a seeded generator.

/// A source of random bytes suitable for secrets.
pub trait RandomSource: Send + Sync {
    fn fill(&self, bytes: &mut [u8]);
}
