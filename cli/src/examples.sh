feedback serve --listen 0.0.0.0:8080 --public-url https://feedback.example.com
feedback api --listen 0.0.0.0:8080 --public-url https://feedback.example.com
feedback worker --ops-listen 127.0.0.1:8081
feedback worker --only import,roll-up --ops-listen 127.0.0.1:8082
feedback key create --account shop --time-zone Europe/Berlin
feedback key create --account shop --scopes import,report --name till --expires 2030-12-31T23:59:59Z --networks 10.0.0.0/8
feedback key list
feedback key rotate $KEY --overlap-hours 1
feedback key revoke $KEY
feedback import people.csv --campaign $CAMPAIGN
feedback import customers.csv --dialect auto --country DE --docid-column Kundennummer --phone-column Handy --preview
feedback form create form.json --publish
feedback form replace $FORM form.json
feedback form list
feedback form list draft --json
feedback form publish $FORM
feedback form delete $FORM
feedback form show $FORM
feedback form show $FORM --json > form.json
feedback link create $FORM
feedback link create $FORM 1_3 --track order=4711 --expires-at 2030-12-31T23:59:59Z
feedback link show $TOKEN
feedback link delete $TOKEN
feedback campaign create campaign.json
feedback campaign replace $CAMPAIGN campaign.json
feedback campaign preview $CAMPAIGN
feedback campaign test $CAMPAIGN --phone +4915112345678
feedback campaign test $CAMPAIGN --phone +4915112345678 --docid order-1
feedback campaign start $CAMPAIGN
feedback campaign pause $CAMPAIGN
feedback campaign resume $CAMPAIGN
feedback campaign finish $CAMPAIGN
feedback campaign resend $CAMPAIGN --status undelivered
feedback campaign cancel $CAMPAIGN
feedback campaign show $CAMPAIGN --watch
feedback campaign list
feedback sender list --json
feedback sender pause demo
feedback sender resume demo
feedback user add ada --account shop --role admin
feedback user add bob --account shop --role viewer --link
feedback user link ada
feedback user list
feedback user remove bob
feedback user role bob editor
feedback user password bob
feedback account end closed-shop --yes
feedback audit verify
feedback audit verify --account shop --expect $SEAL
feedback audit export --account shop > audit.ndjson
feedback user reset-factor bob
feedback suppression list
feedback suppression add +4915112345678
feedback suppression remove +4915112345678
feedback report overview 2026-10-01 2026-10-31
feedback report form $FORM 2026-10-01 2026-10-31
feedback report form $FORM 2026-10-01 2026-10-31 --bus-prop store:Berlin
feedback report summary $FORM 2026-10-01 2026-10-31
feedback report feedbacks $FORM 2026-10-01 2026-10-31 --track order=4711
feedback report feedbacks $FORM 2026-10-01 2026-10-31 --lines csv > feedbacks.csv
feedback report comments $FORM 2026-10-01 2026-10-31 --limit 10
feedback migrate up
feedback migrate check
feedback migrate status --json
feedback migrate finish
feedback migrate distribute --dry-run
feedback migrate distribute
feedback copy --to @postgres-url
feedback backup feedback-2026-10-01.backup
feedback restore feedback-2026-10-01.backup --data-dir restored
feedback doctor
feedback doctor --json
feedback verify
feedback verify --json
feedback rebuild
feedback completions zsh > _feedback
