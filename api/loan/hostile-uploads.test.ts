import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { applyForLoan } from '../../data/contract/loan.ts';
import { DOCUMENT_BYTES } from '../../data/model/loan-application-rules.ts';
import { UploadRoom } from '../documents/upload-room.ts';
import { storedRows } from '../testing/stored-rows.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';
import { sendLoan } from './testing/send-loan.ts';

let portal: TestPortal;
let before: ReturnType<typeof storedRows>;
beforeAll(async () => {
  portal = await startTestPortal({ submissionsPerMinute: 1_000 });
  before = storedRows(portal.folder);
});
afterEach(() => expect(storedRows(portal.folder)).toEqual(before));
afterAll(() => portal.close());

const BOUNDARY = 'xxBOUNDARYxx';
const part = (disposition: string, body = '', type = 'application/pdf') =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\nContent-Type: ${type}\r\n\r\n${body}`;
const FILE = part('name="passportCopy"; filename="a.pdf"');
const CHUNK = Buffer.alloc(65_536, 'a');

interface Flood {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly error: string;
  readonly code: string;
  /** Bytes that were sent until the answer was there. */
  readonly sent: number;
}

/** Sends a beginning, and then filler without end, as a client that takes its answer as soon as it is there. */
function flood(beginning: string, headers: Readonly<Record<string, string>> = {}): Promise<Flood> {
  return new Promise((resolve, reject) => {
    let sent = 0;
    let isOver = false;
    const request = httpRequest(
      {
        host: '127.0.0.1',
        port: portal.port,
        path: applyForLoan.path,
        method: 'POST',
        agent: false,
        headers: { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`, ...headers },
      },
      async (response) => {
        isOver = true;
        const { error, code } = JSON.parse(await text(response));
        resolve({ status: response.statusCode ?? 0, headers: response.headers, error, code, sent });
        request.destroy();
      },
    );
    request.on('error', (error) => {
      if (!isOver) reject(error);
    });
    const pour = () => {
      while (!isOver && sent < 5_000_000_000) {
        sent += CHUNK.length;
        if (!request.write(CHUNK)) {
          request.once('drain', pour);
          return;
        }
      }
    };
    request.write(beginning);
    pour();
  });
}

/** What is on the wire and in the buffers of both ends, beside what the portal takes. */
const IN_FLIGHT = 16_000_000;
const MEMORY = 120_000_000;

describe('an upload of five gigabytes', () => {
  it.each([
    ['in one file', FILE, 'The passport copy is larger than 10 MB: choose a smaller file.', DOCUMENT_BYTES],
    [
      'in a file that the form has not',
      part('name="x"; filename="a.pdf"'),
      'The file is larger than 10 MB: choose a smaller file.',
      DOCUMENT_BYTES,
    ],
    [
      'before the first part',
      '',
      'The form is larger than 20 MB in all. Each document may have 10 MB.',
      2 * DOCUMENT_BYTES,
    ],
    [
      'in a part without a name',
      part('x="y"'),
      'The form is larger than 20 MB in all. Each document may have 10 MB.',
      2 * DOCUMENT_BYTES,
    ],
  ])('%s is cut at the limit, and the client is told', async (_where, beginning, words, limit) => {
    const held = process.memoryUsage().rss;
    const answer = await flood(beginning);
    expect(answer).toMatchObject({ status: 413, code: 'upload-too-large', error: words });
    expect(answer.headers.connection).toBe('close');
    expect(answer.sent).toBeLessThan(limit + IN_FLIGHT);
    expect(process.memoryUsage().rss - held).toBeLessThan(MEMORY);
  });

  it('that is announced is refused before any of it is taken', async () => {
    const answer = await flood(FILE, { 'Content-Length': '5000000000' });
    expect(answer).toMatchObject({ status: 413, code: 'upload-too-large' });
    expect(answer.sent).toBeLessThan(IN_FLIGHT);
  });

  it('in a text field is cut too', async () => {
    const answer = await flood(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="comments"\r\n\r\n`);
    expect([400, 413]).toContain(answer.status);
    expect(answer.sent).toBeLessThan(2 * DOCUMENT_BYTES + IN_FLIGHT);
  });

  it('from a page of another site is refused at once', async () => {
    const answer = await flood(FILE, { Origin: 'https://evil.example' });
    expect(answer.status).toBe(403);
    expect(answer.sent).toBeLessThan(IN_FLIGHT);
  });
});

describe('a form that is a little too large', () => {
  it('is told so to a client that reads no answer before it has sent all', async () => {
    const socket = connect({ host: '127.0.0.1', port: portal.port });
    socket.pause();
    const faults: Error[] = [];
    socket.on('error', (error) => faults.push(error));
    const write = (data: string | Buffer) =>
      new Promise<void>((resolve) => {
        socket.write(data, () => resolve());
      });
    await write(
      `POST ${applyForLoan.path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=${BOUNDARY}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    for (let sent = 0; sent < 2 * DOCUMENT_BYTES + 2_000_000; sent += CHUNK.length) {
      await write(`${CHUNK.length.toString(16)}\r\n`);
      await write(CHUNK);
      await write('\r\n');
    }
    await write('0\r\n\r\n');
    socket.resume();
    const answer = await text(socket).catch(() => '');
    expect(faults).toEqual([]);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('The form is larger than 20 MB in all.');
  });
});

/** Sends a whole body as it stands. */
async function sendRaw(body: string, type = `multipart/form-data; boundary=${BOUNDARY}`) {
  const url = `http://127.0.0.1:${portal.port}${applyForLoan.path}`;
  const headers = { 'Content-Type': type };
  const response = await fetch(url, { method: 'POST', headers, body: Buffer.from(body, 'latin1') });
  const answer: { readonly error: string; readonly code: string } = JSON.parse(await response.text());
  return { status: response.status, ...answer };
}

describe('a body that is no form', () => {
  const END = `\r\n--${BOUNDARY}--\r\n`;
  const many = (count: number) =>
    Array.from({ length: count }, (_, n) => `${part(`name="f${n}"`, 'x', 'text/plain')}\r\n`).join('');

  it.each([
    ['of another type', '{}', 'application/json', 415, 'not-multipart'],
    ['without a boundary', 'x', 'multipart/form-data', 415, 'not-multipart'],
    ['of no bytes', '', undefined, 400, 'malformed-upload'],
    ['without its end', `${FILE}%PDF-1.7`, undefined, 400, 'malformed-upload'],
    ['of a thousand fields', `${many(1_000)}${END}`, undefined, 400, 'malformed-upload'],
    [
      'with a field sent twice',
      `${part('name="name"', 'a', 'text/plain')}\r\n${part('name="name"', 'b', 'text/plain')}${END}`,
      undefined,
      400,
      'malformed-upload',
    ],
    ['with a document sent twice', `${FILE}a\r\n${FILE}b${END}`, undefined, 400, 'malformed-upload'],
    [
      'with a field that reaches for what all objects share',
      `${part('name="__proto__"', '{"polluted":1}', 'text/plain')}${END}`,
      undefined,
      400,
      'invalid-body',
    ],
    [
      'with a field without a name',
      `${part('x="y"', 'a', 'text/plain')}${END}`,
      undefined,
      400,
      'invalid-body',
    ],
    [
      'with a field too long',
      `${part('name="name"', 'a'.repeat(70_000), 'text/plain')}${END}`,
      undefined,
      400,
      'malformed-upload',
    ],
    [
      'with headers without end',
      `--${BOUNDARY}\r\n${'X-A: b\r\n'.repeat(5_000)}\r\n${END}`,
      undefined,
      400,
      undefined,
    ],
  ])('%s is refused in plain words', async (_what, body, type, status, code) => {
    const answer = await sendRaw(body, type);
    expect(answer).toMatchObject({ status, ...(code === undefined ? {} : { code }) });
    expect(answer.error.length).toBeGreaterThan(10);
    expect('polluted' in {}).toBe(false);
  });

  it('that breaks off leaves nothing behind, and gives its place back', async () => {
    for (let sent = 0; sent < 6; sent += 1) {
      const socket = connect({ host: '127.0.0.1', port: portal.port });
      socket.on('error', () => {});
      socket.write(
        `POST ${applyForLoan.path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=${BOUNDARY}\r\nContent-Length: 100000\r\n\r\n${FILE}half`,
      );
      await new Promise<void>((resolve) => socket.once('ready', () => resolve()));
      socket.destroy();
    }
    // Were the places of those kept, this one would be refused for them.
    await expect
      .poll(async () => (await sendLoan(portal.port, { name: '' })).body.code, { timeout: 10_000 })
      .toBe('invalid-body');
  });
});

describe('the room for uploads', () => {
  it('is shared by all, and given back', () => {
    const room = new UploadRoom({ bytes: 10, perAddress: 2 });
    const [one, other] = [room.enter('a'), room.enter('b')];
    one.hold(6);
    expect(() => other.hold(5)).toThrow('Too many documents are being sent at the moment.');
    one.leave();
    other.hold(10);
  });

  it('has so many places an address', () => {
    const room = new UploadRoom({ bytes: 10, perAddress: 1 });
    const place = room.enter('a');
    expect(() => room.enter('a')).toThrow('being sent from this address already');
    room.enter('b').leave();
    place.leave();
    room.enter('a').leave();
  });
});
