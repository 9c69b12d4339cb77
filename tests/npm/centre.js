// An SMPP centre by npm's `smpp`: it takes messages and reports them delivered, and to some numbers it does what else centres
// do. Each message that it takes is a line of JSON.
//
//     node centre.js PORT '{"491510000001": "swallow"}' [KEY CERTIFICATE]
//
// `*` stands for all other numbers.
// With the files of a key and a certificate it speaks TLS.
const { readFileSync } = require('node:fs');
const smpp = require('smpp');

const [port, oddities] = [Number(process.argv[2]), JSON.parse(process.argv[3])];
const [key, cert] = process.argv.slice(4).map((file) => readFileSync(file));
const [throttled, bound] = [new Set(), new Set()];
let taken = 0;

function report(session, pdu, id, status, tlvs) {
  const text = `id:${id} sub:001 dlvrd:001 submit date:2611230000 done date:2611230001 stat:${status} err:000 text:id:7`;
  const addresses = { source_addr_ton: 1, source_addr_npi: 1, source_addr: pdu.destination_addr, destination_addr: pdu.source_addr };
  session.deliver_sm({ ...addresses, ...tlvs, esm_class: 4, short_message: text });
}

// Reports to whoever is bound, once somebody is.
function reportLater(pdu, id, tlvs) {
  const [session] = [...bound].slice(-1);
  if (session) return report(session, pdu, id, 'DELIVRD', tlvs);
  setTimeout(() => reportLater(pdu, id, tlvs), 200);
}

function take(session, pdu) {
  const to = pdu.destination_addr;
  const oddity = oddities[to] ?? oddities['*'];
  if (oddity === 'throttle' && !throttled.has(to)) {
    throttled.add(to);
    return session.send(pdu.response({ command_status: smpp.ESME_RTHROTTLED }));
  }
  // As hexadecimal digits, and with a zero in front: ids are no numbers.
  const id = '0' + (0xa00 + ++taken).toString(16);
  const { message, udh } = pdu.short_message;
  const part = udh ? [...udh[0]].slice(-2) : [1, 1];
  console.log(JSON.stringify({ to, id, from: pdu.source_addr, text: message, part, coding: pdu.data_coding }));
  if (oddity === 'swallow') return;
  if (oddity === 'echo') {
    return report(session, pdu, id, 'DELIVRD', { user_message_reference: pdu.user_message_reference });
  }
  const response = pdu.response({ message_id: id });
  if (oddity === 'late') {
    setTimeout(() => reportLater(pdu, id, { user_message_reference: pdu.user_message_reference }), 12000);
    return setTimeout(() => session.send(response), 4000);
  }
  if (oddity === 'unbind') {
    session.unbind();
    setTimeout(() => session.send(response), 500);
    return setTimeout(() => reportLater(pdu, id, {}), 1000);
  }
  if (oddity === 'decimal') {
    session.send(response);
    return report(session, pdu, String(parseInt(id, 16)).padStart(10, '0'), 'DELIVRD', {});
  }
  if (oddity === 'refuse') return session.send(pdu.response({ command_status: smpp.ESME_RINVDSTADR }));
  if (oddity === 'cut') return session.socket.end(response.toBuffer().subarray(0, 18));
  if (oddity === 'early') report(session, pdu, id, 'DELIVRD', {});
  session.send(response);
  if (oddity === 'fail') return report(session, pdu, id, 'UNDELIV', { message_state: 5 });
  if (oddity === 'stranger') report(session, pdu, 'nobody', 'DELIVRD', {});
  if (oddity !== 'early') report(session, pdu, id, 'DELIVRD', {});
  if (oddity === 'stop') {
    session.deliver_sm({ source_addr_ton: 1, source_addr_npi: 1, source_addr: to, destination_addr: pdu.source_addr, short_message: 'Stop.' });
  }
  if (oddity === 'national stop') {
    const national = { source_addr_ton: 2, source_addr_npi: 1, source_addr: `0${to.slice(2)}` };
    session.deliver_sm({ ...national, destination_addr: pdu.source_addr, short_message: 'Stop.' });
  }
}

smpp.createServer({ key, cert }, (session) => {
  session.on('error', () => {});
  session.on('close', () => bound.delete(session));
  session.on('bind_transceiver', (pdu) => {
    bound.add(session);
    session.send(pdu.response({ system_id: 'centre' }));
  });
  session.on('unbind_resp', () => session.close());
  session.on('enquire_link', (pdu) => session.send(pdu.response()));
  session.on('submit_sm', (pdu) => take(session, pdu));
  session.on('unbind', (pdu) => session.send(pdu.response(), null, () => session.close()));
}).listen(port, '127.0.0.1');
