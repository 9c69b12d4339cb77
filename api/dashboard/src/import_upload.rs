//! A file arrives, and is kept for as long as somebody looks at it (`import_file`).

use api_http::body::{ArrivingBody, ContentType};
use api_http::{Code, Problem, Result};
use api_import::upload;
use axum::extract::Request;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Redirect, Response};
use domain::person::Role;
use futures::{StreamExt, stream};
use multer::{Constraints, Field, Multipart, SizeLimit};
use uuid::Uuid;

use crate::import_file::{REFUSED, upload_refused};
use crate::imports;
use crate::sent::not_the_form;
use crate::signed_in::SignedIn;

/// What comes with a file besides: names, and the boundaries between the parts.
const AROUND: u64 = 64 << 10;
/// The name of the token in a form with a file, and its length.
const TOKEN: &str = "token";
const TOKEN_BYTES: u64 = 64;

/// `GET /dashboard/imports/file`: the address that a browser shows after a file was refused, loaded again.
pub async fn leave() -> Redirect {
    Redirect::to("/dashboard/imports")
}

/// `POST /dashboard/imports/file`: takes a file. The token of the session comes before it.
pub async fn take(person: SignedIn, request: Request) -> Result<Response> {
    let kept = tokio::select! {
        biased;
        kept = receive(&person, request) => kept,
        () = person.ended(Role::Editor) => return Err(Problem::unauthenticated()),
    };
    match kept {
        Ok(upload_id) => {
            Ok(Redirect::to(&format!("/dashboard/imports/file/{upload_id}")).into_response())
        }
        Err(problem) if refuses_file(&problem) => {
            imports::refused(&person, REFUSED, upload_refused(person.t, &problem)).await
        }
        Err(problem) => Err(problem),
    }
}

async fn receive(person: &SignedIn, request: Request) -> Result<Uuid> {
    let state = &person.state.imports;
    let (parts, body) = request.into_parts();
    let kind = ContentType::of(&parts.headers).filter(|kind| kind.essence == "multipart/form-data");
    let boundary = kind.and_then(|_| {
        let text = parts.headers.get(CONTENT_TYPE)?.to_str().ok()?;
        multer::parse_boundary(text).ok()
    });
    let boundary = boundary.ok_or_else(not_the_form)?;
    let permit = state.permit(person.account_id);
    let arriving = ArrivingBody::new(body, state.max_body() + AROUND, permit, Code::InvalidForm);
    let body = stream::try_unfold(arriving, async |mut arriving| {
        let data = arriving.next().await?;
        Ok::<_, Problem>(data.map(|data| (data, arriving)))
    });
    let token_limit = SizeLimit::new().for_field(TOKEN, TOKEN_BYTES);
    let limits = Constraints::new().size_limit(token_limit);
    let mut form = Multipart::with_constraints(body, boundary, limits);
    let token = next(&mut form, TOKEN).await?.text().await.map_err(broken)?;
    person.check_token(&token)?;
    let file = next(&mut form, "file").await?;
    let name = file.file_name().unwrap_or_default().to_owned();
    let file = file.map(|data| data.map_err(broken));
    upload::keep(state, &person.caller, &name, file).await
}

/// The next part of a form, which must be of this name.
async fn next<'a>(form: &mut Multipart<'a>, name: &str) -> Result<Field<'a>> {
    let field = form.next_field().await.map_err(broken)?;
    field
        .filter(|field| field.name() == Some(name))
        .ok_or_else(not_the_form)
}

/// What is wrong with the body of a form.
fn broken(error: multer::Error) -> Problem {
    match error {
        multer::Error::StreamReadFailed(cause) => cause
            .downcast::<Problem>()
            .map_or_else(|_| not_the_form(), |problem| *problem),
        _ => not_the_form(),
    }
}

/// Whether it is the file that was refused.
fn refuses_file(problem: &Problem) -> bool {
    matches!(
        problem.code(),
        Code::UnsupportedMediaType | Code::BodyTooLarge
    )
}
