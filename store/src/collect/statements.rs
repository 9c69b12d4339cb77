//! The statements for views and answers. The answers of a batch are stored at once on PostgreSQL, one after the other on SQLite, where
//! the transaction is the only writer.

/// After a wait `LOCK` shows the row's newest state. In the order of the links given. Subqueries are look-ups by key, which the
/// planner cannot turn around.
pub(super) const ROOM: &str = "WITH g(a, l) AS (ROWS)
     SELECT g.a, g.l, (SELECT l.max_responses - l.used FROM link l WHERE l.account_id = g.a AND l.link_id = g.l LOCK) FROM g";

/// One statement, so that a batch is one round trip. `stored` waits for whoever is storing the same visit just now and
/// leaves out what is there; the sort before the views keeps them after all visits.
pub(super) const STORE_ANSWERS_POSTGRES: &str =
    "WITH g(account_id, link_id, visit, feedback_id, at, day, answers, nps, happiness, has_comment) AS (ROWS),
    given AS (
            SELECT g.*, l.form_id, l.bus_prop_ids, l.track_fields
              FROM g
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

pub(super) const STORE_VIEWS: &str = "WITH g(a, l, v, d, f, t) AS (ROWS)
     INSERT INTO visit_view (account_id, link_id, visit, day, form_id, seen_at)
     SELECT * FROM g WHERE true ORDER BY a, l, v, d
         ON CONFLICT DO NOTHING RETURNING account_id, link_id, visit, day";

/// Takes room of links that are locked.
pub(super) const SPEND: &str = "WITH g(a, l, n) AS (ROWS) UPDATE link AS l SET used = l.used + g.n
       FROM g WHERE l.account_id = g.a AND l.link_id = g.l";

pub(super) const STANDING: &str = "WITH g(a, l, v) AS (ROWS)
     SELECT g.a, g.l, g.v, (SELECT v.feedback_id FROM visit v WHERE v.account_id = g.a AND v.link_id = g.l AND v.visit = g.v)
       FROM g";
