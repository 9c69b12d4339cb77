//! `feedback link …`: trackable links to forms.

use clap::Subcommand;
use reqwest::Method;
use serde_json::Value;

use crate::output::{members, word};
use crate::service::ServiceClient;

/// Where links are.
const LINKS: &str = "/api_v1/form/link";

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Make a link to a published form and print it
    Create {
        /// The form's id
        form: String,
        /// Business properties by their ids, joined by `_` such as `1_2` [default: none]
        ids: Option<String>,
        /// A tracking field, up to six times
        #[arg(long, value_name = "NAME=VALUE")]
        track: Vec<String>,
        /// When it ends, such as 2030-12-31T23:59:59Z
        #[arg(long, value_name = "TIME")]
        expires_at: Option<String>,
        /// After how many responses it ends
        #[arg(long, value_name = "NUMBER")]
        max_responses: Option<String>,
        /// What to call it, at most 80 characters
        #[arg(long)]
        name: Option<String>,
        /// Many people answer it from one address: no limit of answers by address
        #[arg(long)]
        kiosk: bool,
    },
    /// Show a link with its views and responses
    Show(One),
    /// Delete a link; what came through it stays
    Delete(One),
}

/// Which link.
#[derive(clap::Args)]
pub(crate) struct One {
    /// The last part of the link
    #[arg(allow_hyphen_values = true)]
    token: String,
}

pub(crate) async fn run(service: &ServiceClient, command: Command) -> anyhow::Result<()> {
    let one = |method, link: &str| service.call(method, &format!("{LINKS}/{link}"));
    match command {
        Command::Create {
            form,
            ids,
            track,
            expires_at,
            max_responses,
            name,
            kiosk,
        } => {
            let track = track.into_iter().map(|field| ("track_field", field));
            let mut pairs: Vec<_> = track.collect();
            pairs.extend(expires_at.map(|time| ("expires_at", time)));
            pairs.extend(max_responses.map(|max| ("max_responses", max)));
            pairs.extend(name.map(|name| ("name", name)));
            pairs.extend(kiosk.then(|| ("kiosk", "true".to_owned())));
            let path = ids.map_or_else(|| form.clone(), |ids| format!("{form}/{ids}"));
            let show = |link: &Value| format!("{}\n", word(&link["link"]));
            service
                .show(one(Method::POST, &path).form(&pairs), show)
                .await
        }
        Command::Show(of) => service.show(one(Method::GET, &of.token), show).await,
        Command::Delete(of) => service.show(one(Method::DELETE, &of.token), show).await,
    }
}

fn show(link: &Value) -> String {
    let names = "link token name form_id bus_props track_fields expires_at max_responses kiosk made_by made_from created_at deleted_at views responses";
    members(link, names)
}
