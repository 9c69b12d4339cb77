// An SMPP centre that answers at once, for the bench `send`.
//
//     node bench_centre.cjs PORT FIGURES_PORT [EACH]        until it is ended; GET / on the other port gives its figures
//
// With EACH it is too busy for each so many-th message.

const http = require("node:http");
const smpp = require("smpp");

/** Receipts that wait for their answers, at most. */
const RECEIPTS = 500;
const HOST = "127.0.0.1";

/** Accepts under ids of its own. Receipts that were not answered are sent again, by the next connection too. */
function serve(port, figuresPort, each = Infinity) {
  const phones = new Set();
  const links = new Set();
  const receipts = new Map();
  let [asked, messages, delivered, bound] = [0, 0, 0, null];

  const report = () => {
    while (bound !== null && bound.receipts.size < RECEIPTS && receipts.size > 0) {
      const session = bound;
      const [id, addresses] = receipts.entries().next().value;
      receipts.delete(id);
      session.receipts.set(id, addresses);
      const text = `id:${id} sub:001 dlvrd:001 submit date:2601010000 done date:2601010000 stat:DELIVRD err:000 text:`;
      const receipt = { esm_class: 4, short_message: text, receipted_message_id: id, message_state: 2 };
      session.deliver_sm({ ...addresses, ...receipt }, (answer) => {
        session.receipts.delete(id);
        if (answer.command_status === 0) {
          delivered += 1;
        } else {
          receipts.set(id, addresses);
        }
        report();
      });
    }
  };

  const server = smpp.createServer({ noDelay: true }, (session) => {
    session.receipts = new Map();
    session.on("error", () => session.destroy());
    session.on("close", () => {
      bound = bound === session ? null : bound;
      session.receipts.forEach((addresses, id) => receipts.set(id, addresses));
      report();
    });
    session.on("bind_transceiver", (pdu) => {
      bound = session;
      session.send(pdu.response());
      report();
    });
    for (const request of ["enquire_link", "unbind"]) {
      session.on(request, (pdu) => session.send(pdu.response()));
    }
    session.on("submit_sm", (pdu) => {
      asked += 1;
      if (asked % each === 0) {
        session.send(pdu.response({ command_status: smpp.ESME_RTHROTTLED }));
        return;
      }
      messages += 1;
      phones.add(pdu.destination_addr);
      links.add(pdu.short_message.message.split("/f/")[1]);
      const id = messages.toString(16).padStart(8, "0");
      session.send(pdu.response({ message_id: id }));
      receipts.set(id, { source_addr: pdu.destination_addr, destination_addr: pdu.source_addr });
      report();
    });
  });
  server.listen(port, HOST);
  const figures = () => JSON.stringify({ messages, phones: phones.size, links: links.size, delivered });
  http.createServer((_, answer) => answer.end(figures())).listen(figuresPort, HOST);
}

serve(...process.argv.slice(2).map(Number));
