//! The file of SQLite's database: it holds phone numbers, and is its owner's alone.

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use tempfile::NamedTempFile;

/// Bytes of a page, as SQLite has it by default.
const PAGE: u16 = 4096;

/// Makes the file with an empty database if there is none, for its owner alone, and takes it from others where it is theirs too,
/// with those beside it, which SQLite makes with the same mode. A file that is there is not opened, because closing it would end
/// the locks that this process has on it. Why a file cannot be made SQLite says itself.
pub(super) fn make_private(file: &Path) {
    let in_memory = file.to_string_lossy().starts_with("file:");
    if in_memory || (!file.exists() && make(file).is_ok()) {
        return;
    }
    for end in ["", "-wal", "-shm"] {
        let mut name = file.as_os_str().to_owned();
        name.push(end);
        match fs::set_permissions(&name, Permissions::from_mode(0o600)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::warn!(file = %name.display(), %error, "a file of the database may be readable for others");
            }
            _ => {}
        }
    }
}

/// Makes the file at once and whole. One that another process made meanwhile stays.
fn make(file: &Path) -> io::Result<()> {
    let folder = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let mut made = NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
    made.write_all(&empty_database())?;
    made.persist_noclobber(file)?;
    Ok(())
}

/// The one page of a database without tables that has a write-ahead log (<https://sqlite.org/fileformat2.html>, 1.3 and 1.6).
/// To change to the log is the one thing for which SQLite does not wait while others have the file: of two that open a new file
/// at once one would fail.
fn empty_database() -> Vec<u8> {
    const WITH_LOG: u8 = 2;
    const LEAF_OF_TABLE: u8 = 13;
    let mut page = vec![0; PAGE.into()];
    page[..16].copy_from_slice(b"SQLite format 3\0");
    page[16..18].copy_from_slice(&PAGE.to_be_bytes());
    // Versions to write and to read, bytes kept free in each page, and three fractions that are fixed.
    page[18..24].copy_from_slice(&[WITH_LOG, WITH_LOG, 0, 64, 32, 32]);
    // The only page is a table's leaf without cells, whose content begins at the end.
    page[100] = LEAF_OF_TABLE;
    page[105..107].copy_from_slice(&PAGE.to_be_bytes());
    page
}
