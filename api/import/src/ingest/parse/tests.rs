use axum::body::Body;
use domain::body::BodyKind;
use domain::chunk::Chunk;
use store::import::ChunkCut;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::super::collector::Piece;
use super::super::tests::pool;
use super::super::{ContentEncoding, Incoming, OnError};
use super::*;
use api_http::Result;

fn job() -> Job {
    Job {
        file: None,
        is_preview: false,
        on_error: OnError::AcceptValid,
        bus_props: None,
        max_records: 10,
        tmp_dir: std::env::temp_dir(),
        cut: ChunkCut {
            chunk_records: 2,
            run_records: 2,
        },
    }
}

/// What a body gives: its summary, the docids of each chunk in the order in which they are stored, and the errors of each block with
/// their first ordinal.
#[derive(Debug, Default)]
struct Got {
    summary: BodySummary,
    chunks: Vec<Vec<String>>,
    blocks: Vec<(i64, usize)>,
    /// How many docids a preview asks for at once.
    asked: Vec<usize>,
}

async fn parse(job: Job, body: &str) -> Result<Got> {
    let (pieces_in, mut pieces) = mpsc::channel(1);
    let incoming = Incoming {
        body: Body::from(body.to_owned()),
        kind: BodyKind::Json,
        encoding: ContentEncoding::Identity,
        permit: pool().permit(Uuid::nil()),
        limit: 1 << 30,
    };
    let parsing = tokio::task::spawn_blocking(move || {
        let source = Source::new(incoming, CancellationToken::new(), true)?;
        run(job, source, pieces_in)
    });
    let mut got = Got::default();
    let mut chunks = Vec::new();
    while let Some(piece) = pieces.recv().await {
        match piece {
            Piece::Run {
                place,
                run,
                chunk_records,
            } => {
                for (no, (_, payload)) in place.chunk_numbers().zip(run.compress(chunk_records)) {
                    let chunk = Chunk::decode(&payload).unwrap();
                    let docids = chunk.records().map(|r| r.docid.as_str().to_owned());
                    chunks.push((no, docids.collect()));
                }
            }
            Piece::Errors { first, errors } => got.blocks.push((first, errors.len())),
            Piece::DocIds(docids) => got.asked.push(docids.len()),
        }
    }
    chunks.sort();
    Ok(Got {
        summary: parsing.await.unwrap()?,
        chunks: chunks.into_iter().map(|(_, docids)| docids).collect(),
        ..got
    })
}

fn record(docid: &str) -> String {
    format!(r#"{{"docid":"{docid}","phone":"+491701234567"}}"#)
}

fn array(records: &[String]) -> String {
    format!("[{}]", records.join(","))
}

#[tokio::test]
async fn valid_records_are_cut_into_chunks() {
    let got = parse(job(), &array(&["c", "a", "b"].map(record)))
        .await
        .unwrap();
    assert_eq!(got.chunks, [vec!["a", "c"], vec!["b"]]);
    assert_eq!(
        (
            got.summary.received,
            got.summary.accepted,
            got.summary.rejected,
            got.summary.chunks
        ),
        (3, 3, 0, 2)
    );
    assert!(got.blocks.is_empty());
    assert!(got.summary.body_hash.is_some());
}

#[tokio::test]
async fn of_two_records_with_a_docid_the_first_stands() {
    let got = parse(job(), &array(&["a", "a"].map(record))).await.unwrap();
    assert_eq!((got.summary.accepted, got.summary.rejected), (1, 1));
    let error = &got.summary.errors[0];
    assert_eq!(
        (error.index, error.pointer.as_str(), error.code.into_str()),
        (1, "/1/docid", "docid_duplicate")
    );
    assert_eq!(error.docid.as_deref(), Some("a"));
    assert_eq!(got.blocks, [(0, 1)]);
}

#[tokio::test]
async fn pointers_go_into_the_wrapped_form() {
    let body = format!(
        r#"{{"data":{}}}"#,
        array(&[record("a"), r#"{"docid":"b"}"#.to_owned(), record("a")])
    );
    let got = parse(job(), &body).await.unwrap();
    let pointers: Vec<_> = got
        .summary
        .errors
        .iter()
        .map(|error| error.pointer.as_str())
        .collect();
    assert_eq!(pointers, ["/data/1/phone", "/data/2/docid"]);
}

#[tokio::test]
async fn a_broken_record_counts_once_with_all_its_errors() {
    let got = parse(job(), &array(&[record("a"), r#"{"x":1}"#.to_owned()]))
        .await
        .unwrap();
    assert_eq!(
        (
            got.summary.received,
            got.summary.accepted,
            got.summary.rejected
        ),
        (2, 1, 1)
    );
    assert_eq!(got.summary.errors.len(), 3, "docid, phone and the field");
    assert_eq!(got.blocks, [(0, 3)]);
}

#[tokio::test]
async fn the_first_hundred_errors_are_shown_and_all_are_stored() {
    let job = Job {
        max_records: 10_000,
        ..job()
    };
    let mut records = vec![record("a")];
    records.extend((0..2_500).map(|_| "1".to_owned()));
    let got = parse(job.clone(), &array(&records)).await.unwrap();
    assert_eq!(got.summary.errors.len(), 100);
    assert_eq!(got.blocks, [(0, 1_000), (1_000, 1_000), (2_000, 500)]);
}

#[tokio::test]
async fn reject_all_stores_nothing_more_after_the_first_rejection() {
    let job = Job {
        on_error: OnError::RejectAll,
        ..job()
    };
    let body = array(&[
        record("a"),
        record("b"),
        "1".to_owned(),
        record("c"),
        record("d"),
    ]);
    let got = parse(job.clone(), &body).await.unwrap();
    assert_eq!(got.chunks.len(), 1);
    assert_eq!(
        (
            got.summary.received,
            got.summary.accepted,
            got.summary.rejected
        ),
        (5, 4, 1)
    );
    assert!(got.blocks.is_empty());
    assert!(!job.on_error.accepts(&got.summary));
}

#[tokio::test]
async fn nothing_accepted_leaves_nothing_to_store() {
    for body in ["[]", "[1]"] {
        let got = parse(job(), body).await.unwrap();
        assert!(got.chunks.is_empty() && got.blocks.is_empty());
        assert!(!OnError::AcceptValid.accepts(&got.summary));
    }
}

#[tokio::test]
async fn one_record_too_many_refuses_the_body() {
    let records: Vec<_> = (0..10).map(|n| record(&n.to_string())).collect();
    assert_eq!(
        parse(job(), &array(&records))
            .await
            .unwrap()
            .summary
            .accepted,
        10
    );
    let records: Vec<_> = (0..11).map(|_| "1".to_owned()).collect();
    let refused = parse(job(), &array(&records)).await.unwrap_err();
    assert_eq!(refused.code(), Code::TooManyRecords);
}

#[tokio::test]
async fn a_broken_body_is_refused_with_its_offset() {
    let refused = parse(job(), "[1,]").await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidJson);
    assert!(refused.detail().contains("at byte 3"), "{refused}");
}

#[tokio::test]
async fn a_run_is_sorted_and_chunks_of_nearby_docids_are_stored_one_after_the_other() {
    let job = Job {
        cut: ChunkCut {
            chunk_records: 2,
            run_records: 4,
        },
        ..job()
    };
    for (docids, chunks) in [
        // Two runs that overlap, and runs that do not.
        ("eadbgfc", ["ab", "cf", "de", "g"]),
        ("badcefg", ["ab", "cd", "ef", "g"]),
        ("gfedcba", ["de", "fg", "ab", "c"]),
    ] {
        let records: Vec<_> = docids.chars().map(|c| record(&c.to_string())).collect();
        let got = parse(job.clone(), &array(&records)).await.unwrap();
        let in_order: Vec<_> = got.chunks.iter().map(|docids| docids.concat()).collect();
        assert_eq!(in_order, chunks, "{docids}");
        assert_eq!(got.summary.chunks, 4);
    }
}

#[tokio::test]
async fn runs_of_large_records_are_cut_by_their_bytes() {
    let job = Job {
        cut: ChunkCut {
            chunk_records: 5_000,
            run_records: 5_000,
        },
        max_records: 1_000,
        ..job()
    };
    let fields: Vec<_> = (0..64)
        .map(|n| format!(r#""f{n}":"{}""#, "x".repeat(1_024)))
        .collect();
    let records: Vec<_> = (0..100)
        .map(|n| {
            format!(
                r#"{{"docid":"{n}","phone":"+491701234567",{}}}"#,
                fields.join(",")
            )
        })
        .collect();
    let got = parse(job.clone(), &array(&records)).await.unwrap();
    assert_eq!(got.chunks.iter().map(Vec::len).sum::<usize>(), 100);
    assert_eq!(got.chunks.len(), 2);
}

#[tokio::test]
async fn a_preview_notes_people_who_have_one_phone() {
    let job = Job {
        file: Some(FileRequest {
            kind: FileKind::AnyCsv,
            mapping: Mapping::default(),
        }),
        is_preview: true,
        ..job()
    };
    let body = "docid,phone\na,+491701234567\n\nb,+491701234568\nc,+491701234567\n";
    let same = parse(job, body).await.unwrap().summary.same_phone;
    assert_eq!((same.count, same.rows), (1, vec![5]));
}
