//! Files that come in, are shown, and go again.

mod files;
mod photos;
