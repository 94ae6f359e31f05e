//! Forgetting a person everywhere: in the log, in the memory of every process, in the read models.

use super::{ProjectError, Projectors, Rebuilt};

/// What forgetting somebody came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forgetting {
    /// Whether the log held anything about the person that could still be read.
    pub was_known: bool,
    /// The read models that were built anew without it.
    pub rebuilt: Vec<Rebuilt>,
}

impl Projectors {
    /// Forgets a person (`rider:42`): destroys the key of what the log says, and rebuilds every read model that was built
    /// from it, while the old ones serve. Other processes drop what they remember within two seconds. What failed half
    /// way is completed by calling it again.
    ///
    /// It looks through the whole log for streams that speak of the person; that is meant to be rare.
    pub async fn forget(&self, subject: &str) -> Result<Forgetting, ProjectError> {
        let was_known = self.runtime.forget(subject).await?;
        let categories: Vec<String> = self.runtime.reader.categories_about(subject).await?;
        let mut rebuilt = Vec::new();
        for projector in self.all.iter() {
            if projector.categories().iter().any(|category| categories.iter().any(|about| about == category))
            {
                rebuilt.push(self.rebuild(projector.name()).await?);
            }
        }
        Ok(Forgetting { was_known, rebuilt })
    }
}
