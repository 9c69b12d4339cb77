//! What is asked for when a body is read.

use std::path::PathBuf;

use domain::body::{FileKind, Mapping};
use domain::campaign::BusPropsCheck;
use store::import::ChunkCut;

use super::OnError;

/// How a file of people is to be read.
#[derive(Clone, Debug)]
pub struct FileRequest {
    pub kind: FileKind,
    pub mapping: Mapping,
}

/// How to read a body.
#[derive(Clone, Debug)]
pub struct Job {
    /// Nothing is asked for: by the letter.
    pub file: Option<FileRequest>,
    /// It is only looked at.
    pub is_preview: bool,
    pub on_error: OnError,
    /// Of the campaign that it is for.
    pub bus_props: Option<BusPropsCheck>,
    /// Records, valid or not.
    pub max_records: u64,
    /// The directory of temporary files.
    pub tmp_dir: PathBuf,
    pub cut: ChunkCut,
}
