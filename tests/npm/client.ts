// Uses the types that were generated from the document: imports, makes a form and a link, answers, and reads all reports.
//
//     node client.js URL API_KEY SECRET_KEY

import createClient from "openapi-fetch";
import type { paths } from "./generated.js";

declare const process: { argv: string[] };

const [baseUrl = "", apiKey = "", secretKey = ""] = process.argv.slice(2);
const client = createClient<paths, "application/json">({
  baseUrl,
  headers: { "x-api-key": apiKey, "x-secret-key": secretKey },
});

/** What an operation answers, if that is no problem. */
async function got<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<NonNullable<T>> {
  const { data, error, response } = await call;
  if (data === undefined || data === null) {
    throw new Error(`${response.status}: ${JSON.stringify(error)}`);
  }
  return data;
}

function ensure(holds: boolean, what: unknown): asserts holds {
  if (!holds) {
    throw new Error(JSON.stringify(what));
  }
}

async function eventually(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!(await condition())) {
    ensure(Date.now() < deadline, condition.toString());
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

// An import, until it is stored.
const accepted = await got(
  client.POST("/api_v1/sms/import", {
    body: { data: [{ docid: "A1", phone: "+4915112345678", store_code: "S1" }] },
  }),
);
ensure("batch_id" in accepted && accepted.accepted === 1 && accepted.rejected === 0, accepted);
const batch = { params: { path: { batch_id: accepted.batch_id } } };
await eventually(async () => {
  const read = await got(client.GET("/api_v1/sms/import/{batch_id}", batch));
  return read.status === "completed" && read.outcomes.created === 1;
});
const recipient = await got(client.GET("/api_v1/sms/recipient/{docid}", { params: { path: { docid: "A1" } } }));
ensure(recipient.phone === "+4915112345678", recipient);

// A form and its links.
const form = await got(
  client.POST("/api_v1/form", {
    body: {
      title: "How was it?",
      bus_props: ["store:Berlin"],
      fields: [
        { key: "recommend", type: "nps", label: "Would you recommend us?" },
        { key: "more", type: "comment", label: "Anything else?" },
      ],
    },
  }),
);
const form_id = form.form_id;
await got(client.POST("/api_v1/form/{form_id}/publish", { params: { path: { form_id } } }));
const link = await got(
  client.POST("/api_v1/form/link/{form_id}/{bus_prop_id}", {
    params: { path: { form_id, bus_prop_id: "1" } },
    body: { track_field: ["order=4711"] },
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
  }),
);
ensure(link.track_fields["order"] === "4711", link);
await got(client.POST("/api_v1/form/link/{id}", { params: { path: { id: form_id } } }));

// An answer, in every report within a second.
const { token } = link;
await got(
  client.POST("/f/{token}", {
    params: { path: { token } },
    body: { answers: { recommend: 9, more: "a word" } },
  }),
);
const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
const days = { start_date: day(-1), end_date: day(1) };
await eventually(async () => {
  const report = await got(
    client.GET("/api_v1/report/overview/{start_date}/{end_date}", { params: { path: days } }),
  );
  return report.metrics.responses === 1;
});
const read = await got(client.GET("/api_v1/form/link/{id}", { params: { path: { id: token } } }));
ensure(read.responses === 1, read);
const of = { ...days, form_id, bus_prop: "store:Berlin" };
for (const report of [
  await got(client.GET("/api_v1/report/form/{form_id}/{start_date}/{end_date}", { params: { path: of } })),
  await got(client.GET("/api_v1/report/form/{form_id}/{start_date}/{end_date}/{bus_prop}", { params: { path: of } })),
  await got(client.GET("/api_v1/report/summary/{start_date}/{end_date}/{form_id}", { params: { path: of } })),
  await got(client.GET("/api_v1/report/summary/{start_date}/{end_date}/{form_id}/{bus_prop}", { params: { path: of } })),
]) {
  ensure(report.metrics.responses === 1, report);
}
const query = { track_field: ["order=4711"] };
for (const list of [
  await got(client.GET("/api_v1/report/feedbacks/{start_date}/{end_date}/{form_id}", { params: { path: of, query } })),
  await got(client.GET("/api_v1/report/feedbacks/{start_date}/{end_date}/{form_id}/{bus_prop}", { params: { path: of } })),
  await got(client.GET("/api_v1/report/feedbacks/comment/{start_date}/{end_date}/{form_id}", { params: { path: of } })),
  await got(
    client.GET("/api_v1/report/feedbacks/comment/{start_date}/{end_date}/{form_id}/{bus_prop}", { params: { path: of } }),
  ),
]) {
  ensure(list.total === 1 && list.items.length === 1, list);
}
