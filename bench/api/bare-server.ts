import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { StoredAnswer } from './answers-file.ts';
import { serveMeasured } from './measured-server.ts';

// The limit of the measurement: node:http and nothing else, with the bytes at hand.
const [file = ''] = process.argv.slice(2);
const answers: readonly StoredAnswer[] = JSON.parse(readFileSync(file, 'utf8'));
const byPath = new Map(
  answers.map(({ path, body }) => {
    const length = String(Buffer.byteLength(body));
    return [
      path,
      { body, headers: ['Content-Type', 'application/json; charset=utf-8', 'Content-Length', length] },
    ];
  }),
);

await serveMeasured(
  createServer((request, response) => {
    const answer = byPath.get(request.url ?? '');
    if (!answer) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, answer.headers);
    response.end(answer.body);
  }),
);
