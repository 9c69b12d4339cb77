//! Second factors of people: what stands for their secrets, which codes were taken, and recovery codes.

use uuid::Uuid;

use super::person::Person;
use super::session::close_others;
use crate::tx::{Sql, statement, values};
use crate::{Error, Store, Tx};

/// The lowest number of a program that asks for a second factor: an older one lets in whoever has a password.
const ASKS: i64 = 21;

impl Store {
    /// Gives a person a second factor, with the step of the code that proved it and the hashes of its recovery codes, and ends their
    /// sessions but that of this hash: nobody asked for a code there. False: they have one, or are gone.
    ///
    /// # Errors
    /// [`Error::UpgradeUnfinished`].
    pub async fn set_second_factor(
        &self,
        person: &Person,
        (nonce, step): (&str, i64),
        recovery_codes: &[String],
        session: [u8; 32],
    ) -> Result<bool, Error> {
        let tx = self.begin().await?;
        check_asked(&tx).await?;
        let set = statement!(
            "UPDATE person SET second_factor = $3, second_factor_step = $4, recovery_codes = $5
              WHERE account_id = $1 AND name = $2 AND second_factor IS NULL"
        );
        let values = values![
            person.account_id,
            person.name.as_str(),
            nonce,
            step,
            recovery_codes.join(" "),
        ];
        let is_set = tx.execute(set, values).await? > 0;
        // Behind it, so that whoever signs in beside it has either seen it or is found here.
        if is_set {
            close_others(&tx, person, session).await?;
        }
        tx.commit_surely().await?;
        Ok(is_set)
    }

    /// Takes the code of a step of time; false: it, or a later one, was taken before.
    pub async fn take_code(&self, person: &Person, step: i64) -> Result<bool, Error> {
        let take = statement!(
            "UPDATE person SET second_factor_step = $4
              WHERE account_id = $1 AND name = $2 AND second_factor = $3 AND second_factor_step < $4"
        );
        let nonce = person.second_factor.as_deref();
        let values = values![person.account_id, person.name.as_str(), nonce, step];
        Ok(self.execute(take, values).await? > 0)
    }

    /// The hashes of the recovery codes that a person has left.
    pub async fn recovery_codes(&self, person: &Person) -> Result<Vec<String>, Error> {
        let codes = self.stored_codes(person).await?;
        Ok(codes.split_whitespace().map(ToOwned::to_owned).collect())
    }

    async fn stored_codes(&self, person: &Person) -> Result<String, Error> {
        let codes =
            statement!("SELECT recovery_codes FROM person WHERE account_id = $1 AND name = $2");
        let values = values![person.account_id, person.name.as_str()];
        let codes: Option<String> = self.fetch_value(codes, values).await?;
        Ok(codes.unwrap_or_default())
    }

    /// Takes the recovery code of a hash; false: there is none, or it was taken before.
    pub async fn take_recovery_code(&self, person: &Person, hash: &str) -> Result<bool, Error> {
        let before = self.stored_codes(person).await?;
        let others: Vec<&str> = before.split(' ').filter(|code| *code != hash).collect();
        let after = others.join(" ");
        if after == before {
            return Ok(false);
        }
        let take = statement!(
            "UPDATE person SET recovery_codes = $4
              WHERE account_id = $1 AND name = $2 AND recovery_codes = $3"
        );
        let values = values![person.account_id, person.name.as_str(), before, after];
        Ok(self.execute(take, values).await? > 0)
    }

    /// Sets whether everybody of an account needs a second factor.
    ///
    /// # Errors
    /// [`Error::UpgradeUnfinished`].
    pub async fn demand_second_factor(
        &self,
        account_id: Uuid,
        is_demanded: bool,
    ) -> Result<(), Error> {
        let tx = self.begin().await?;
        check_asked(&tx).await?;
        let demand =
            statement!("UPDATE account SET demands_second_factor = $2 WHERE account_id = $1");
        tx.execute(demand, values![account_id, is_demanded]).await?;
        tx.commit_surely().await
    }
}

/// Whether all programs that may run ask for a second factor.
async fn check_asked(tx: &Tx) -> Result<(), Error> {
    if tx.admits_only_from(ASKS).await? {
        Ok(())
    } else {
        Err(Error::UpgradeUnfinished)
    }
}
