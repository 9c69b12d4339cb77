// How many parts each of the texts in a file has, and in which encoding, by npm's `sms-segments-calculator`.
//
//     node segments.js TEXTS.json
const { readFileSync } = require('node:fs');
const { SegmentedMessage } = require('sms-segments-calculator');

const counts = { parts: {}, encodings: {} };
const count = (of, key) => { of[key] = (of[key] ?? 0) + 1; };
for (const text of JSON.parse(readFileSync(process.argv[2], 'utf8'))) {
  const message = new SegmentedMessage(text, 'auto');
  count(counts.parts, message.segmentsCount);
  count(counts.encodings, message.encodingName === 'GSM-7' ? 'gsm7' : 'ucs2');
}
console.log(JSON.stringify(counts));
