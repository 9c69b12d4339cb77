//! The operator's secret, `FEEDBACK_PEPPER`, and what is derived from it.
//!
//! Each use has a label of its own, so that the output of one is of no use for another.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::{Choice, ConstantTimeEq};
use uuid::Uuid;

use crate::docid;

/// The bytes of a secret.
const SECRET_BYTES: usize = 32;
const HOOK_KEY_BYTES: usize = 16;
const REFERENCE_MAC_BYTES: usize = 8;
const FINGERPRINT_BYTES: usize = 8;
/// As RFC 4226 recommends.
const SECOND_FACTOR_BYTES: usize = 20;
/// The bytes of a reference: account number, message id and MAC.
const REFERENCE_BYTES: usize = 4 + 16 + REFERENCE_MAC_BYTES;

/// Base64, padded or not.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The secret in use and those that were in use before, ready to be keys.
#[derive(Clone, derive_more::Debug)]
#[debug("Pepper(…)")]
pub struct Pepper {
    current: Hmac<Sha256>,
    older: Vec<Hmac<Sha256>>,
    /// What hook keys are made of, the current one first; none: the secrets above.
    hooks: Vec<Hmac<Sha256>>,
}

/// A key of the database itself, under which docids of erased people are hashed where no pepper is set. It serves for docids
/// alone.
#[derive(Clone, derive_more::Debug)]
#[debug("DocIdKey(…)")]
pub struct DocIdKey(Hmac<Sha256>);

impl DocIdKey {
    /// The key of 32 bytes.
    pub fn new(bytes: &[u8]) -> Option<Self> {
        let bytes: [u8; SECRET_BYTES] = bytes.try_into().ok()?;
        Hmac::new_from_slice(&bytes).ok().map(Self)
    }

    /// The hash that replaces the docid of an erased person, as [`Pepper::erased_docid`].
    pub fn erased_docid(&self, account_id: Uuid, docid: &str) -> String {
        erased_docid(&self.0, account_id, docid)
    }
}

/// The uses of a secret. Each is a label that no other begins with.
const PHONE: &[u8] = b"phone\0";
const DOCID: &[u8] = b"docid\0";
const HOOK: &[u8] = b"hook\0";
const REFERENCE: &[u8] = b"reference\0";
const FINGERPRINT: &[u8] = b"fingerprint\0";
const SECOND_FACTOR: &[u8] = b"second factor\0";

impl Pepper {
    /// Reads one or more secrets, separated by white space or commas: the current one, then older ones.
    ///
    /// # Errors
    /// Why the text holds no secrets, in words that hold nothing of it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let is_separator = |c: char| c.is_whitespace() || c == ',';
        let texts = text.split(is_separator).filter(|text| !text.is_empty());
        let mut keys = texts.zip(1..).map(|(text, number)| {
            let shape = "is not 32 bytes, as 64 hexadecimal digits or as base64";
            let key = read_secret(text).and_then(|secret| Hmac::new_from_slice(&secret).ok());
            key.ok_or_else(|| format!("secret {number} {shape}"))
        });
        let current = keys.next().ok_or("holds no secret")??;
        let older = keys.collect::<Result<_, _>>()?;
        let hooks = Vec::new();
        Ok(Self {
            current,
            older,
            hooks,
        })
    }

    /// The same secrets, with hook keys of others, so that the addresses of hooks can change and phones stay known.
    #[must_use]
    pub fn with_hooks_of(&self, others: &Self) -> Self {
        let hooks = others.keys().cloned().collect();
        Self {
            hooks,
            ..self.clone()
        }
    }

    /// The HMAC of a phone, which is stored instead of the number.
    pub fn phone_mac(&self, account_id: Uuid, phone: &str) -> [u8; 32] {
        phone_mac(&self.current, account_id, phone)
    }

    /// All HMACs of a phone: [`phone_mac`](Self::phone_mac), then the same under each older secret.
    pub fn phone_macs(&self, account_id: Uuid, phone: &str) -> impl Iterator<Item = [u8; 32]> {
        self.keys()
            .map(move |key| phone_mac(key, account_id, phone))
    }

    /// The hash that replaces the docid of an erased person: the [mark](docid::ERASED) and 43 characters of base64url.
    pub fn erased_docid(&self, account_id: Uuid, docid: &str) -> String {
        erased_docid(&self.current, account_id, docid)
    }

    /// All hashes that may replace it: [`erased_docid`](Self::erased_docid), then the same under each older secret.
    pub fn erased_docids(&self, account_id: Uuid, docid: &str) -> impl Iterator<Item = String> {
        self.keys()
            .map(move |key| erased_docid(key, account_id, docid))
    }

    /// The key in the addresses of a sender's hooks: 22 characters of base64url.
    pub fn hook_key(&self, sender: &str) -> String {
        hook_key(self.hooks.first().unwrap_or(&self.current), sender)
    }

    /// The path of a sender's hook `status` or `inbound`, to be put behind the public URL.
    pub fn hook_path(&self, sender: &str, operation: &str) -> String {
        format!("/hooks/{sender}/{}/{operation}", self.hook_key(sender))
    }

    /// Whether a text is a sender's hook key, under any of the secrets. Compares in constant time.
    pub fn is_hook_key(&self, sender: &str, key: &str) -> bool {
        let fits = |secret: &_| hook_key(secret, sender).as_bytes().ct_eq(key.as_bytes());
        if self.hooks.is_empty() {
            any(self.keys(), fits)
        } else {
            any(self.hooks.iter(), fits)
        }
    }

    /// The reference by which a provider knows a message: 38 characters of base64url.
    pub fn reference(&self, account_number: u32, message_id: Uuid) -> String {
        let mut bytes = Vec::with_capacity(REFERENCE_BYTES);
        bytes.extend(account_number.to_be_bytes());
        bytes.extend(message_id.as_bytes());
        let mac = mac(&self.current, REFERENCE, &[&bytes]);
        bytes.extend(cut::<REFERENCE_MAC_BYTES>(mac));
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The account number and message id of a text that [`reference`](Self::reference) gave, under any of the secrets.
    pub fn read_reference(&self, text: &str) -> Option<(u32, Uuid)> {
        let bytes: [u8; REFERENCE_BYTES] = URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok()?;
        let (message, given) = bytes.split_last_chunk::<REFERENCE_MAC_BYTES>()?;
        let is_ours = any(self.keys(), |key| {
            let mac = mac(key, REFERENCE, &[message]);
            cut::<REFERENCE_MAC_BYTES>(mac).ct_eq(given)
        });
        let (account_number, message_id) = message.split_first_chunk()?;
        let message_id = Uuid::from_slice(message_id).ok()?;
        is_ours.then(|| (u32::from_be_bytes(*account_number), message_id))
    }

    /// All secrets that a person's second factor may have, the current one first: `nonce` stands for it in the database.
    pub fn second_factors(
        &self,
        account_id: Uuid,
        name: &str,
        nonce: &str,
    ) -> impl Iterator<Item = [u8; SECOND_FACTOR_BYTES]> {
        self.keys().map(move |key| {
            let parts = [
                account_id.as_bytes(),
                name.as_bytes(),
                b"\0",
                nonce.as_bytes(),
            ];
            cut(mac(key, SECOND_FACTOR, &parts))
        })
    }

    /// A fingerprint of the secrets, by which processes compare theirs: 16 hexadecimal digits of each, the current one
    /// first.
    pub fn fingerprints(&self) -> impl Iterator<Item = String> {
        self.keys().map(|key| {
            let mac = cut::<FINGERPRINT_BYTES>(mac(key, FINGERPRINT, &[]));
            format!("{:016x}", u64::from_be_bytes(mac))
        })
    }

    fn keys(&self) -> impl Iterator<Item = &Hmac<Sha256>> {
        std::iter::once(&self.current).chain(&self.older)
    }
}

/// Whether something fits under any of the secrets. All are tried.
fn any<'k>(
    keys: impl Iterator<Item = &'k Hmac<Sha256>>,
    fits: impl Fn(&Hmac<Sha256>) -> Choice,
) -> bool {
    let none = Choice::from(0);
    keys.fold(none, |any, key| any | fits(key)).into()
}

fn mac(key: &Hmac<Sha256>, label: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    let mut mac = key.clone();
    mac.update(label);
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

/// The first bytes of a MAC.
fn cut<const N: usize>(mac: [u8; 32]) -> [u8; N] {
    const { assert!(N <= 32) };
    std::array::from_fn(|i| mac[i])
}

fn phone_mac(key: &Hmac<Sha256>, account_id: Uuid, phone: &str) -> [u8; 32] {
    let parts = [account_id.as_bytes(), phone.as_bytes()];
    mac(key, PHONE, &parts)
}

fn erased_docid(key: &Hmac<Sha256>, account_id: Uuid, docid: &str) -> String {
    let mac = mac(key, DOCID, &[account_id.as_bytes(), docid.as_bytes()]);
    format!("{}{}", docid::ERASED, URL_SAFE_NO_PAD.encode(mac))
}

fn hook_key(key: &Hmac<Sha256>, sender: &str) -> String {
    let mac = mac(key, HOOK, &[sender.as_bytes()]);
    URL_SAFE_NO_PAD.encode(cut::<HOOK_KEY_BYTES>(mac))
}

fn read_secret(text: &str) -> Option<[u8; SECRET_BYTES]> {
    let bytes = if text.len() == 2 * SECRET_BYTES {
        hex::decode(text).ok()
    } else {
        BASE64.decode(text).ok()
    };
    bytes?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};

    use super::*;
    use crate::docid::DocId;

    const NEW: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
    const OLD: &str = "//////////////////////////////////////////8=";
    const PHONE: &str = "+491701234567";
    const DOCID_UNDER_NEW: &str = "\u{1}fos7TeybWdtBGw_Pfv5TBdqsPbOz4Kg4Nytt0O2K9kg";

    fn pepper(text: &str) -> Pepper {
        Pepper::parse(text).unwrap()
    }

    fn first(pepper: &Pepper) -> String {
        pepper.fingerprints().next().unwrap()
    }

    fn id(number: u128) -> Uuid {
        Uuid::from_u128(number)
    }

    #[test]
    fn what_is_derived_stays_what_it_is() {
        // Computed by Python's hmac.
        let pepper = pepper(NEW);
        let mac = pepper.phone_mac(id(1), PHONE);
        let expected = "650ea90a23ae3cbae89f076a0950dd1158763c915b939ec333e95e897c62b862";
        assert_eq!(hex::encode(mac), expected);
        let docid = pepper.erased_docid(id(1), "customer-1");
        assert_eq!(docid, DOCID_UNDER_NEW);
        assert!(docid::is_erased(&docid) && DocId::parse(docid).is_err());
        assert_eq!(pepper.hook_key("demo"), "jGc3nCO1KW2Is4Qhju8RWg");
        let message = id(0x0198_f000_0000_7000_8000_0000_0000_abcd);
        let reference = pepper.reference(7, message);
        assert_eq!(reference, "AAAABwGY8AAAAHAAgAAAAAAAq81KaFBUlZ7zWA");
        assert_eq!(first(&pepper), "34fa527b3d233f12");
        let factor = pepper.second_factors(id(1), "ada", "nonce").next();
        let expected = "68839c261a949c58bdbc11dfc9a1cce104b6d092";
        assert_eq!(factor.map(hex::encode).as_deref(), Some(expected));
    }

    #[test]
    fn a_secret_is_hexadecimal_or_base64() {
        let base64 = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";
        let print = first(&pepper(NEW));
        for text in [
            NEW.to_uppercase(),
            base64.to_owned(),
            format!("{base64}="),
            format!("\n {NEW}\n"),
            format!("{NEW},{OLD}"),
        ] {
            assert_eq!(first(&pepper(&text)), print, "{text}");
        }
        assert_ne!(first(&pepper(OLD)), print);
    }

    #[test]
    fn a_text_without_good_secrets_is_refused() {
        let short = &NEW[2..];
        let long = format!("{NEW}00");
        let no_digit = NEW.replace('f', "g");
        for text in ["", " ,\n, "] {
            assert_eq!(Pepper::parse(text).unwrap_err(), "holds no secret");
        }
        for text in ["secret", short, &long, &no_digit, "AAAA", "é"] {
            let error = Pepper::parse(text).unwrap_err();
            assert!(error.starts_with("secret 1 is not"), "{text}: {error}");
            let error = Pepper::parse(&format!("{NEW}, {OLD} {text}")).unwrap_err();
            assert!(error.starts_with("secret 3 is not"), "{text}: {error}");
        }
    }

    #[test]
    fn nothing_shows_a_secret() {
        let pepper = pepper(&format!("{NEW} {OLD}"));
        assert_eq!(format!("{pepper:?}"), "Pepper(…)");
    }

    #[test]
    fn a_phone_is_looked_up_under_older_secrets_too() {
        let both = pepper(&format!("{NEW} {OLD}"));
        let macs: Vec<_> = both.phone_macs(id(1), PHONE).collect();
        let old = pepper(OLD).phone_mac(id(1), PHONE);
        assert_eq!(macs, [both.phone_mac(id(1), PHONE), old]);
        let expected = "841851d2abd3526592ef66d54433b4864cb65dce0dc3fbcc76baebdd09dea1f6";
        assert_eq!(hex::encode(old), expected);
        let others = [
            both.phone_mac(id(2), PHONE),
            both.phone_mac(id(1), "+491701234568"),
        ];
        assert!(!others.contains(&macs[0]));
    }

    #[test]
    fn hook_keys_of_their_own_change_nothing_else() {
        let own = pepper(NEW).with_hooks_of(&pepper(OLD));
        assert_eq!(own.hook_key("demo"), pepper(OLD).hook_key("demo"));
        assert!(!own.is_hook_key("demo", &pepper(NEW).hook_key("demo")));
        let both = pepper(NEW).with_hooks_of(&pepper(&format!("{OLD} {NEW}")));
        for secret in [OLD, NEW] {
            assert!(both.is_hook_key("demo", &pepper(secret).hook_key("demo")));
        }
        assert_eq!(first(&own), first(&pepper(NEW)));
        assert_eq!(
            own.phone_mac(id(1), PHONE),
            pepper(NEW).phone_mac(id(1), PHONE)
        );
    }

    #[test]
    fn a_hook_key_is_its_senders() {
        let both = pepper(&format!("{NEW} {OLD}"));
        let key = both.hook_key("demo");
        assert_eq!(key.len(), 22);
        assert!(both.is_hook_key("demo", &key));
        assert!(both.is_hook_key("demo", &pepper(OLD).hook_key("demo")));
        assert!(!pepper(OLD).is_hook_key("demo", &key));
        assert!(!both.is_hook_key("demo2", &key));
        for wrong in ["", &key[1..], &format!("{key}="), &key.to_lowercase()] {
            assert!(!both.is_hook_key("demo", wrong), "{wrong}");
        }
    }

    #[test]
    fn a_reference_of_an_older_secret_is_read() {
        let reference = pepper(OLD).reference(1, id(2));
        let both = pepper(&format!("{NEW} {OLD}"));
        assert_eq!(both.read_reference(&reference), Some((1, id(2))));
        assert_eq!(pepper(NEW).read_reference(&reference), None);
    }

    #[test]
    fn no_label_begins_another() {
        let uses = [super::PHONE, HOOK, REFERENCE, FINGERPRINT];
        let labels = HashSet::from(uses);
        assert_eq!(labels.len(), uses.len());
        for label in labels {
            assert_eq!(
                label.iter().position(|byte| *byte == 0),
                Some(label.len() - 1)
            );
        }
    }

    proptest! {
        #[test]
        fn a_reference_reads_back_and_no_other_text_does(
            number in any::<u32>(),
            message in any::<u128>(),
            place in 0..38_usize,
            other in "[A-Za-z0-9_-]",
        ) {
            let pepper = pepper(NEW);
            let reference = pepper.reference(number, id(message));
            prop_assert_eq!(reference.len(), 38);
            let read = pepper.read_reference(&reference);
            prop_assert_eq!(read, Some((number, id(message))));
            let mut changed = reference.clone();
            changed.replace_range(place..=place, &other);
            prop_assert_eq!(pepper.read_reference(&changed).is_some(), changed == reference);
        }

        #[test]
        fn any_text_is_answered(text in ".{0,40}|[A-Za-z0-9_-]{36,40}") {
            prop_assert_eq!(pepper(NEW).read_reference(&text), None);
            prop_assert!(!pepper(NEW).is_hook_key("demo", &text));
        }
    }
}
