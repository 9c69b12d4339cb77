//! The statements for views and answers, in both dialects: for whole batches as arrays on PostgreSQL, each look-up a LATERAL
//! one by key; one row after the other on SQLite, where the transaction is the only writer.

/// After a wait the lock shows the row's newest state. In the order of the links given.
pub(super) const LOCK_LINKS_POSTGRES: &str = "SELECT g.account_id, g.link_id, l.room
       FROM unnest($1::uuid[], $2::uuid[]) AS g(account_id, link_id)
      CROSS JOIN LATERAL (
            SELECT l.max_responses - l.used AS room FROM link l
             WHERE l.account_id = g.account_id AND l.link_id = g.link_id AND l.max_responses IS NOT NULL
               FOR NO KEY UPDATE) l";
pub(super) const LOCK_LINKS_SQLITE: &str =
    "SELECT account_id, link_id, max_responses - used AS room FROM link
      WHERE account_id = $1 AND link_id = $2 AND max_responses IS NOT NULL";

/// One statement, so that a batch is one round trip. `stored` waits for whoever is storing the same visit just now and
/// leaves out what is there; the sort before the views keeps them after all visits.
pub(super) const STORE_ANSWERS_POSTGRES: &str = "WITH given AS (
            SELECT g.*, l.form_id, l.bus_prop_ids, l.track_fields
              FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::timestamptz[], $6::date[], $7::text[],
                          $8::smallint[], $9::smallint[], $10::boolean[])
                   AS g(account_id, link_id, visit, feedback_id, at, day, answers, nps, happiness, has_comment)
             CROSS JOIN LATERAL (
                   SELECT l.form_id, l.bus_prop_ids, l.track_fields FROM link l
                    WHERE l.account_id = g.account_id AND l.link_id = g.link_id AND l.deleted_at IS NULL
                      AND (l.expires_at IS NULL OR l.expires_at > g.at) LIMIT 1) l
             CROSS JOIN LATERAL (
                   SELECT FROM form f
                    WHERE f.account_id = g.account_id AND f.form_id = l.form_id AND f.status = 'PUBLISHED' LIMIT 1) f),
     stored AS (
            INSERT INTO visit (account_id, link_id, visit, feedback_id)
            SELECT account_id, link_id, visit, feedback_id FROM given ORDER BY account_id, link_id, visit
                ON CONFLICT DO NOTHING RETURNING feedback_id),
     kept AS (SELECT g.* FROM given g JOIN stored s ON s.feedback_id = g.feedback_id),
     feedbacks AS (
            INSERT INTO feedback (account_id, form_id, feedback_id, link_id, day, submitted_at, bus_prop_ids,
                   track_fields, answers, nps, happiness, has_comment)
            SELECT account_id, form_id, feedback_id, link_id, day, at, bus_prop_ids,
                   track_fields::jsonb, answers, nps, happiness, has_comment FROM kept),
     viewed AS (
            INSERT INTO visit_view (account_id, link_id, visit, day, form_id, seen_at)
            SELECT account_id, link_id, visit, day, form_id, at FROM kept ORDER BY account_id, link_id, visit
                ON CONFLICT DO NOTHING RETURNING account_id, link_id, visit)
     SELECT k.feedback_id, v.visit IS NOT NULL AS viewed
       FROM kept k LEFT JOIN viewed v
         ON v.account_id = k.account_id AND v.link_id = k.link_id AND v.visit = k.visit";

/// These two take the same parameters.
pub(super) const STORE_VISIT_SQLITE: &str =
    "INSERT INTO visit (account_id, link_id, visit, feedback_id)
     SELECT l.account_id, l.link_id, $3, $4 FROM link l
       JOIN form f ON f.account_id = l.account_id AND f.form_id = l.form_id
      WHERE l.account_id = $1 AND l.link_id = $2 AND l.deleted_at IS NULL
        AND (l.expires_at IS NULL OR l.expires_at > $5) AND f.status = 'PUBLISHED'
         ON CONFLICT DO NOTHING";
pub(super) const STORE_FEEDBACK_SQLITE: &str = "INSERT INTO feedback (account_id, form_id, feedback_id, link_id, day, submitted_at,
            bus_prop_ids, track_fields, answers, nps, happiness, has_comment)
     SELECT l.account_id, l.form_id, $4, l.link_id, $6, $5, l.bus_prop_ids, l.track_fields, $7, $8, $9, $10 FROM link l
      WHERE l.account_id = $1 AND l.link_id = $2";

pub(super) const STORE_VIEWS_POSTGRES: &str = "INSERT INTO visit_view (account_id, link_id, visit, day, form_id, seen_at)
     SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::date[], $5::uuid[], $6::timestamptz[])
            AS g(account_id, link_id, visit, day, form_id, seen_at)
      ORDER BY account_id, link_id, visit, day
         ON CONFLICT DO NOTHING RETURNING account_id, link_id, visit, day";
pub(super) const STORE_VIEWS_SQLITE: &str =
    "INSERT INTO visit_view (account_id, link_id, visit, day, form_id, seen_at)
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING RETURNING account_id, link_id, visit, day";

/// Takes room of links that are locked.
pub(super) const SPEND_POSTGRES: &str = "UPDATE link l SET used = l.used + g.spent
       FROM unnest($1::uuid[], $2::uuid[], $3::bigint[]) AS g(account_id, link_id, spent)
      WHERE l.account_id = g.account_id AND l.link_id = g.link_id";
pub(super) const SPEND_SQLITE: &str =
    "UPDATE link SET used = used + $3 WHERE account_id = $1 AND link_id = $2";

pub(super) const STANDING_POSTGRES: &str = "SELECT g.account_id, g.link_id, g.visit, v.feedback_id
       FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS g(account_id, link_id, visit)
      CROSS JOIN LATERAL (
            SELECT v.feedback_id FROM visit v
             WHERE v.account_id = g.account_id AND v.link_id = g.link_id AND v.visit = g.visit LIMIT 1) v";
pub(super) const STANDING_SQLITE: &str = "SELECT account_id, link_id, visit, feedback_id FROM visit
      WHERE account_id = $1 AND link_id = $2 AND visit = $3";
