use super::*;

fn refused(args: Args) -> String {
    args.config(ProcessRole::Serve).err().unwrap().to_string()
}

#[test]
fn nothing_set_gives_the_documented_defaults() {
    let config = Args::default().config(ProcessRole::Serve).unwrap();
    assert_eq!(config.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(config.ops_listen, Some(config.listen));
    assert_eq!(config.drain, Duration::ZERO);
    assert_eq!(config.database.expose(), "sqlite:data/feedback.db");
    assert!(config.amqp_url.is_none() && config.redis_url.is_none());
    assert_eq!(config.public_url.as_str(), "http://127.0.0.1:8080");
    assert_eq!(config.key_rate, NonZeroU32::new(500));
    assert_eq!(config.link_rate, NonZeroU32::new(5_000));
    assert_eq!(config.address_rate, NonZeroU32::new(100));
    assert_eq!(config.address_answers, NonZeroU32::new(200));
    assert_eq!(config.session_idle, TimeDelta::minutes(60));
    assert_eq!(config.security_contact, None);
    assert_eq!(config.trusted_proxies, TrustedProxies::default());
    assert_eq!(
        (config.max_body, config.max_records),
        (268_435_456, 1_000_000)
    );
    let memory = MemoryParts::divide(268_435_456, 1_000_000);
    assert_eq!(Ok(config.memory), memory);
}

#[test]
fn a_value_may_be_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = |text: &str| {
        let path = folder.path().join(text.len().to_string());
        fs::write(&path, text).unwrap();
        Some(format!("@{}", path.display()))
    };
    let args = Args {
        database_url: file("postgres://u:p@h/d\n"),
        key_rate: file(" 7 \n"),
        redis_url: file("\n"),
        data_dir: file("/var/lib/x\n").map(OsString::from),
        ..Args::default()
    };
    let config = args.config(ProcessRole::Serve).unwrap();
    assert_eq!(config.database.expose(), "postgres://u:p@h/d");
    assert_eq!(config.key_rate, NonZeroU32::new(7));
    assert!(config.redis_url.is_none());
    assert_eq!(config.data_dir, PathBuf::from("/var/lib/x"));
    let args = Args {
        pepper: Some("@/nowhere/to-be-found".to_owned()),
        ..Args::default()
    };
    let expected = "FEEDBACK_PEPPER: the file cannot be read: entity not found";
    assert_eq!(refused(args), expected);
}

#[test]
fn what_is_secret_has_no_flag() {
    let command = <Args as clap::Args>::augment_args(clap::Command::new("x"));
    let flags: Vec<_> = command
        .get_arguments()
        .filter_map(clap::Arg::get_long)
        .collect();
    assert!(flags.contains(&"data-dir"));
    for secret in [
        "database-url",
        "amqp-url",
        "redis-url",
        "senders",
        "pepper",
        "hook-key",
        "oidc",
    ] {
        assert!(!flags.contains(&secret), "{secret}");
    }
}

#[test]
fn links_need_an_address_that_people_can_open() {
    let args = Args {
        listen: Some("0.0.0.0:8080".to_owned()),
        ..Args::default()
    };
    let line = refused(args.clone());
    assert!(line.starts_with("FEEDBACK_PUBLIC_URL: unset"), "{line}");
    let args = Args {
        public_url: Some("https://feedback.example".to_owned()),
        ..args
    };
    assert!(args.config(ProcessRole::Serve).is_ok());
}

#[test]
fn empty_values_count_as_unset() {
    let args = Args {
        listen: Some(String::new()),
        amqp_url: Some("  ".to_owned()),
        redis_url: Some(String::new()),
        database_url: Some(String::new()),
        ..Args::default()
    };
    let config = args.config(ProcessRole::Serve).unwrap();
    assert!(config.amqp_url.is_none() && config.redis_url.is_none());
    assert_eq!(config.database.expose(), "sqlite:data/feedback.db");
}

#[test]
fn a_bad_setting_is_one_line_that_names_its_variable() {
    macro_rules! bad {
        ($setting:ident, $value:literal, $line:literal) => {{
            let $setting = Some($value.into());
            let args = Args {
                $setting,
                ..Args::default()
            };
            (args, $line)
        }};
    }
    let cases = [
        bad!(
            listen,
            "localhost",
            "FEEDBACK_LISTEN: \"localhost\" is not an IP address and a port, such as 127.0.0.1:8080"
        ),
        bad!(
            key_rate,
            "-1",
            "FEEDBACK_KEY_RATE: \"-1\" is not a whole number from 0 to 4294967295"
        ),
        bad!(
            public_url,
            "feedback.example",
            "FEEDBACK_PUBLIC_URL: must start with http:// or https://"
        ),
        bad!(
            trusted_proxies,
            "10.0.0.0/8,proxy",
            "FEEDBACK_TRUSTED_PROXIES: \"proxy\" is neither a network such as 10.0.0.0/8 nor an address"
        ),
        bad!(
            max_body,
            "0",
            "FEEDBACK_MAX_BODY: 0 would refuse every import"
        ),
        bad!(
            memory,
            "256 MB",
            "FEEDBACK_MEMORY: \"256 MB\" is not a size such as 256 MiB, 1 GiB or 268435456"
        ),
        bad!(
            memory,
            "100 MiB",
            "FEEDBACK_MEMORY: less than the 170 MiB that an import of FEEDBACK_MAX_RECORDS and the largest of all else need"
        ),
        bad!(drain_seconds, "16", "FEEDBACK_DRAIN_SECONDS: more than 15"),
        bad!(
            session_idle,
            "0",
            "FEEDBACK_SESSION_IDLE: not from 1 to 720"
        ),
        bad!(
            security_contact,
            "mailto:a@b.example\nExpires: never",
            "FEEDBACK_SECURITY_CONTACT: not mailto:ADDRESS, https://… or tel:NUMBER"
        ),
        bad!(
            security_contact,
            "security@b.example",
            "FEEDBACK_SECURITY_CONTACT: not mailto:ADDRESS, https://… or tel:NUMBER"
        ),
        bad!(
            tls,
            "cert.pem",
            "FEEDBACK_TLS: not CERT,KEY: the PEM files of a certificate and of its key"
        ),
        bad!(
            require_tls,
            "yes",
            "FEEDBACK_REQUIRE_TLS: \"yes\" is neither on nor off"
        ),
        bad!(data_dir, "", "FEEDBACK_DATA_DIR: empty"),
        bad!(
            database_url,
            "mysql://u:geheim@h/d",
            "DATABASE_URL: scheme \"mysql\" is not one of postgres, postgresql, sqlite"
        ),
    ];
    for (args, line) in cases {
        assert_eq!(refused(args), line);
    }
}

#[test]
fn no_refusal_shows_a_password() {
    let secrets = [
        "mysql://u:geheim@h/d",
        "u:geheim@h",
        "postgres://u:geheim@h:99999/d",
        "geheim",
        "amqp:geheim",
        "amqp://u:geheim@h/%2f?heartbeat=x",
        "redis://u:geheim@h/x",
        "http://:geheim@h",
    ];
    for secret in secrets {
        for (database_url, amqp_url, redis_url) in [
            (Some(secret.to_owned()), None, None),
            (None, Some(secret.to_owned()), None),
            (None, None, Some(secret.to_owned())),
        ] {
            let args = Args {
                database_url,
                amqp_url,
                redis_url,
                ..Args::default()
            };
            if let Err(error) = args.config(ProcessRole::Serve) {
                let line = format!("{error} {error:?}");
                assert!(!line.contains("geheim"), "{line}");
                assert!(!line.contains('\n'), "{line}");
            }
        }
    }
}

#[test]
fn api_and_worker_refuse_a_queue_in_process_and_say_why() {
    for role in [ProcessRole::Api, ProcessRole::Worker] {
        let line = Args::default().config(role).err().unwrap().to_string();
        assert!(
            line.starts_with("AMQP_URL: unset, which means a queue inside this process: "),
            "{line}"
        );
    }
}

#[test]
fn api_and_worker_have_no_operations_listener_and_api_drains() {
    for (role, drain) in [
        (ProcessRole::Api, 3),
        (ProcessRole::Worker, 3),
        (ProcessRole::Serve, 0),
    ] {
        let args = || Args {
            amqp_url: Some("amqp://h".to_owned()),
            ..Args::default()
        };
        let config = args().config(role).unwrap();
        assert_eq!(
            config.ops_listen.is_some(),
            role == ProcessRole::Serve,
            "{role:?}"
        );
        assert_eq!(config.drain, Duration::from_secs(drain), "{role:?}");
        let ops_listen = Some("127.0.0.1:8080".to_owned());
        let config = Args {
            ops_listen,
            ..args()
        };
        let config = config.config(role).unwrap();
        assert_eq!(config.ops_listen, Some(config.listen), "{role:?}");
    }
}

#[test]
fn a_rate_of_zero_is_no_limit() {
    let none = || Some("0".to_owned());
    let args = Args {
        key_rate: none(),
        link_rate: none(),
        address_rate: none(),
        address_answers: none(),
        ..Args::default()
    };
    let config = args.config(ProcessRole::Serve).unwrap();
    assert_eq!(
        (config.key_rate, config.link_rate, config.address_rate),
        (None, None, None)
    );
    assert_eq!(config.address_answers, None);
}

#[test]
fn a_certificate_makes_links_https() {
    let args = Args {
        tls: Some("/a/cert.pem, /a/key.pem".to_owned()),
        ..Args::default()
    };
    let config = args.config(ProcessRole::Serve).unwrap();
    assert_eq!(config.public_url.as_str(), "https://127.0.0.1:8080");
    let files = config.tls.unwrap();
    assert_eq!(files.certificate, PathBuf::from("/a/cert.pem"));
    assert_eq!(files.key, PathBuf::from("/a/key.pem"));
}

#[test]
fn with_a_certificate_no_link_is_plain() {
    let config = |url: &str| {
        let args = Args {
            tls: Some("/a/cert.pem,/a/key.pem".to_owned()),
            public_url: Some(url.to_owned()),
            ..Args::default()
        };
        args.config(ProcessRole::Serve)
    };
    for plain in ["http://feedback.example", "http://127.0.0.1:8080"] {
        let refused = config(plain).err().unwrap().to_string();
        let begin = "FEEDBACK_PUBLIC_URL: http://…, but with FEEDBACK_TLS";
        assert!(refused.starts_with(begin), "{refused}");
    }
    assert!(config("https://feedback.example").is_ok());
}

/// The settings of a service on these servers.
fn on_servers([database, amqp, redis, senders]: [&str; 4]) -> Args {
    Args {
        database_url: Some(database.to_owned()),
        amqp_url: Some(amqp.to_owned()),
        redis_url: Some(redis.to_owned()),
        senders: Some(senders.to_owned()),
        ..Args::default()
    }
}

#[test]
fn what_leaves_the_machine_without_tls_is_known() {
    let secret = format!("whsec_{}", "A".repeat(32));
    let receiver = format!("hook=https://h.example/x?accounts=*&secret={secret}");
    let plain_receiver = receiver.replace("https:", "http:");
    for (urls, expected) in [
        (
            [
                "postgres://u:geheim@a,localhost,b/d",
                "amqp://u:geheim@a,127.0.0.1,c",
                "redis://:geheim@10.0.0.9",
                &format!(
                    "{plain_receiver} smpp=smpp://u:geheim@1.2.3.4:2775?accounts=*&from=Acme \
                     gate=kannel://u:geheim@k:13013?accounts=*&from=12345&tls=off"
                ),
            ],
            "DATABASE_URL to a, DATABASE_URL to b, AMQP_URL to a, AMQP_URL to c, REDIS_URL to 10.0.0.9, \
             FEEDBACK_SENDERS to h.example, FEEDBACK_SENDERS to 1.2.3.4, FEEDBACK_SENDERS to k",
        ),
        (
            [
                "postgres://a,b/d?sslmode=verify-full",
                "amqps://a,b",
                "rediss://a",
                &format!("{receiver} smpp=smpps://u:p@a:3550?accounts=*&from=Acme"),
            ],
            "",
        ),
        (
            [
                "postgres://[::1]/d",
                "amqp://[::1]",
                "redis://[::1]",
                "gate=kannel://u:p@127.0.0.2:13013?accounts=*&from=12345&tls=off",
            ],
            "",
        ),
    ] {
        let args = on_servers(urls);
        let config = args.clone().config(ProcessRole::Serve).unwrap();
        let plain = config.plain_connections();
        let plain: Vec<_> = plain.iter().map(ToString::to_string).collect();
        assert_eq!(plain.join(", "), expected);
        let required = Args {
            require_tls: Some("on".to_owned()),
            ..args
        };
        let refusal = required.config(ProcessRole::Serve).err();
        let first =
            "DATABASE_URL: the connection to a has no TLS, which FEEDBACK_REQUIRE_TLS=on requires";
        let refusal = refusal.map(|error| error.to_string());
        assert_eq!(refusal.as_deref(), (!plain.is_empty()).then_some(first));
    }
}
