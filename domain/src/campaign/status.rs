//! The life of a campaign.

use serde::Serialize;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// Where a campaign stands. As text and in JSON `DRAFT`, `RUNNING`, `PAUSED`, `FINISHED` or `CANCELLED`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, EnumString, IntoStaticStr, VariantArray)]
#[serde(rename_all = "UPPERCASE")]
#[strum(serialize_all = "UPPERCASE", const_into_str)]
pub enum CampaignStatus {
    /// Being written: it sends nothing.
    Draft,
    /// Messages are planned and sent.
    Running,
    /// Messages are planned and not sent.
    Paused,
    /// Nothing is left to plan, to send or to remind of.
    Finished,
    /// What had not been sent is not sent any more.
    Cancelled,
}

/// What changes a campaign's status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CampaignAction {
    Start,
    Pause,
    Resume,
    /// Ends a campaign that has nothing left to do and takes no more imports.
    Finish,
    Cancel,
}

impl CampaignStatus {
    /// Whether it was started and may go on.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Running | Self::Paused)
    }

    /// The status after an action; `None` if the action is refused. Any action but the start may be repeated, because the
    /// caller may not have seen the first answer.
    pub fn after(self, action: CampaignAction) -> Option<CampaignStatus> {
        let (from, to): (&[Self], Self) = match action {
            CampaignAction::Start => (&[Self::Draft], Self::Running),
            CampaignAction::Pause => (&[Self::Running, Self::Paused], Self::Paused),
            CampaignAction::Resume => (&[Self::Paused, Self::Running], Self::Running),
            CampaignAction::Finish => (
                &[Self::Running, Self::Paused, Self::Finished],
                Self::Finished,
            ),
            CampaignAction::Cancel => (
                &[Self::Running, Self::Paused, Self::Cancelled],
                Self::Cancelled,
            ),
        };
        from.contains(&self).then_some(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use CampaignAction::{Cancel, Finish, Pause, Resume, Start};
    use CampaignStatus::{Cancelled, Draft, Finished, Paused, Running};

    const ALL: [CampaignStatus; 5] = [Draft, Running, Paused, Finished, Cancelled];
    const ACTIONS: [CampaignAction; 5] = [Start, Pause, Resume, Finish, Cancel];

    #[test]
    fn a_status_is_one_of_five_exact_words() {
        for status in ALL {
            assert_eq!(status.into_str().parse(), Ok(status));
            let json = serde_json::to_value(status).unwrap();
            assert_eq!(json, status.into_str());
        }
        for text in ["", "draft", "Draft", " DRAFT", "DRAFT ", "DELETED"] {
            assert!(text.parse::<CampaignStatus>().is_err(), "{text}");
        }
    }

    #[test]
    fn an_action_leads_to_one_status_or_is_refused() {
        for (action, expected) in [
            (Start, [Some(Running), None, None, None, None]),
            (Pause, [None, Some(Paused), Some(Paused), None, None]),
            (Resume, [None, Some(Running), Some(Running), None, None]),
            (
                Finish,
                [None, Some(Finished), Some(Finished), Some(Finished), None],
            ),
            (
                Cancel,
                [
                    None,
                    Some(Cancelled),
                    Some(Cancelled),
                    None,
                    Some(Cancelled),
                ],
            ),
        ] {
            assert_eq!(ALL.map(|status| status.after(action)), expected);
        }
    }

    #[test]
    fn what_was_done_may_be_repeated_unless_it_is_a_start() {
        for action in ACTIONS {
            for status in ALL {
                if let Some(next) = status.after(action) {
                    let again = (action != Start).then_some(next);
                    assert_eq!(next.after(action), again);
                }
            }
        }
    }

    #[test]
    fn a_campaign_that_is_over_stays_so() {
        for over in [Finished, Cancelled] {
            assert!(!over.is_open());
            for action in ACTIONS {
                assert!(over.after(action).is_none_or(|next| next == over));
            }
        }
    }
}
