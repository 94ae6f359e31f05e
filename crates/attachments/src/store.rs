//! Where the files lie: each as it came, which nobody is ever given, and as it is shown.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path as Name;
use object_store::{Error, ObjectStore, ObjectStoreExt};
use vocabulary::AttachmentId;

/// Files are spread over so many folders: one of a million files is slow to list.
const FOLDERS: i64 = 256;
/// The bits of an id that count within a millisecond: what is above them spreads.
const WITHIN_A_MOMENT: i64 = 1 << 22;

/// Why a file is not stored, found or deleted.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The folder cannot be made.
    #[error("the folder of attachments {0} cannot be used")]
    Folder(PathBuf, #[source] std::io::Error),
    /// The store refused.
    #[error("the store of attachments failed")]
    Objects(#[from] Error),
}

/// The store.
#[derive(Clone, Debug)]
pub struct Store {
    objects: Arc<dyn ObjectStore>,
}

impl Store {
    /// In a folder, which is made when there is none.
    pub fn folder(folder: &Path) -> Result<Self, StoreError> {
        std::fs::create_dir_all(folder).map_err(|error| StoreError::Folder(folder.to_owned(), error))?;
        Ok(Self { objects: Arc::new(LocalFileSystem::new_with_prefix(folder)?) })
    }

    /// In memory: for a task that keeps nothing.
    pub fn memory() -> Self {
        Self { objects: Arc::new(InMemory::new()) }
    }

    /// Stores a file as it came and as it is shown.
    pub(crate) async fn put(
        &self,
        id: AttachmentId,
        original: Bytes,
        shown: Bytes,
    ) -> Result<(), StoreError> {
        self.objects.put(&name(id, "original"), original.into()).await?;
        self.objects.put(&name(id, "shown"), shown.into()).await?;
        Ok(())
    }

    /// Whether all of a file is there.
    pub(crate) async fn has(&self, id: AttachmentId) -> Result<bool, StoreError> {
        // It is stored last.
        match self.objects.head(&name(id, "shown")).await {
            Ok(_) => Ok(true),
            Err(Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// A file as it is shown; nothing when there is none.
    pub(crate) async fn shown(&self, id: AttachmentId) -> Result<Option<Bytes>, StoreError> {
        match self.objects.get(&name(id, "shown")).await {
            Ok(found) => Ok(Some(found.bytes().await?)),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Deletes a file; one that is not there is deleted.
    pub(crate) async fn delete(&self, id: AttachmentId) -> Result<(), StoreError> {
        for form in ["shown", "original"] {
            match self.objects.delete(&name(id, form)).await {
                Ok(()) | Err(Error::NotFound { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

fn name(id: AttachmentId, form: &str) -> Name {
    let folder = (id.0 / WITHIN_A_MOMENT).rem_euclid(FOLDERS);
    Name::from(format!("{form}/{folder:02x}/{id}"))
}
