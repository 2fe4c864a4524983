// @module-tag slow
import { readdir, readFile, stat } from 'node:fs/promises';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { applyForLoan } from '../../data/contract/submissions.ts';
import { MAX_DOCUMENT_BYTES } from '../../data/model/forms/loan-form.ts';
import { emptyUploadFolder, UploadSpool } from '../documents/upload-spool.ts';
import { ApiError } from '../errors.ts';
import { storedRows } from '../testing/test-files.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';
import { sendLoan } from './testing/send-loan.ts';

let portal: TestPortal;
let rowsBefore: ReturnType<typeof storedRows>;
beforeAll(async () => {
  portal = await startTestPortal();
  rowsBefore = storedRows(portal.folder);
});
afterEach(() => expect(storedRows(portal.folder)).toEqual(rowsBefore));
afterAll(() => portal.close());

const BOUNDARY = 'xxBOUNDARYxx';
const formPart = (disposition: string, body = '', type = 'application/pdf') =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\nContent-Type: ${type}\r\n\r\n${body}`;
const FILE_PART = formPart('name="passportCopy"; filename="a.pdf"');
const CHUNK = Buffer.alloc(65_536, 'a');

interface FloodOutcome {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly error: string;
  readonly code: string;
  readonly sentBytes: number;
}

function flood(beginning: string, headers: Readonly<Record<string, string>> = {}): Promise<FloodOutcome> {
  return new Promise((resolve, reject) => {
    let sentBytes = 0;
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
        resolve({ status: response.statusCode ?? 0, headers: response.headers, error, code, sentBytes });
        request.destroy();
      },
    );
    request.on('error', (error) => {
      if (!isOver) reject(error);
    });
    const fill = () => {
      while (!isOver && sentBytes < 5_000_000_000) {
        sentBytes += CHUNK.length;
        if (!request.write(CHUNK)) {
          request.once('drain', fill);
          return;
        }
      }
    };
    request.write(beginning);
    fill();
  });
}

/** Bytes that may be sent beyond the limit: buffers hold some, and a busy client sends some before it reads the response. */
const MAX_BYTES_IN_FLIGHT = 100_000_000;
const MAX_MEMORY_GROWTH = 120_000_000;

describe('an upload of five gigabytes', () => {
  it.each([
    ['in one file', FILE_PART, /passport copy .*10 MB/, MAX_DOCUMENT_BYTES],
    ['before the first part', '', /20 MB/, 2 * MAX_DOCUMENT_BYTES],
    ['in a part without a name', formPart('x="y"'), /20 MB/, 2 * MAX_DOCUMENT_BYTES],
  ])(
    '%s is stopped at the limit, and the client gets the response',
    async (_where, beginning, errorPattern, limit) => {
      const memoryBefore = process.memoryUsage().rss;
      const answer = await flood(beginning);
      const error = expect.stringMatching(errorPattern);
      expect(answer).toMatchObject({ status: 413, code: 'upload-too-large', error });
      expect(answer.headers.connection).toBe('close');
      expect(answer.sentBytes).toBeLessThan(limit + MAX_BYTES_IN_FLIGHT);
      expect(process.memoryUsage().rss - memoryBefore).toBeLessThan(MAX_MEMORY_GROWTH);
    },
  );

  it('in an unknown file field is stopped at its first bytes', async () => {
    const answer = await flood(formPart('name="x"; filename="a.pdf"'));
    expect(answer).toMatchObject({ status: 400, code: 'malformed-upload' });
    expect(answer.sentBytes).toBeLessThan(MAX_BYTES_IN_FLIGHT);
  });

  it('is rejected because of its Content-Length before it is read', async () => {
    const answer = await flood(FILE_PART, { 'Content-Length': '5000000000' });
    expect(answer).toMatchObject({ status: 413, code: 'upload-too-large' });
    expect(answer.sentBytes).toBeLessThan(MAX_BYTES_IN_FLIGHT);
  });

  it('in a text field is stopped', async () => {
    const answer = await flood(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="comments"\r\n\r\n`);
    expect([400, 413]).toContain(answer.status);
    expect(answer.sentBytes).toBeLessThan(2 * MAX_DOCUMENT_BYTES + MAX_BYTES_IN_FLIGHT);
  });

  it('from another site is rejected at once', async () => {
    const answer = await flood(FILE_PART, { Origin: 'https://evil.example' });
    expect(answer.status).toBe(403);
    expect(answer.sentBytes).toBeLessThan(MAX_BYTES_IN_FLIGHT);
  });
});

describe('a form that is slightly too large', () => {
  it('is rejected, even if the client reads the response only after it has sent everything', async () => {
    const socket = connect({ host: '127.0.0.1', port: portal.port });
    socket.pause();
    const errors: Error[] = [];
    socket.on('error', (error) => errors.push(error));
    const write = (data: string | Buffer) =>
      new Promise<void>((resolve) => {
        socket.write(data, () => resolve());
      });
    await write(
      `POST ${applyForLoan.path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=${BOUNDARY}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    for (let sentBytes = 0; sentBytes < 2 * MAX_DOCUMENT_BYTES + 2_000_000; sentBytes += CHUNK.length) {
      await write(`${CHUNK.length.toString(16)}\r\n`);
      await write(CHUNK);
      await write('\r\n');
    }
    await write('0\r\n\r\n');
    socket.resume();
    const answer = await text(socket).catch(() => '');
    expect(errors).toEqual([]);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('"code":"upload-too-large"');
  });
});

async function sendRaw(body: string, type = `multipart/form-data; boundary=${BOUNDARY}`) {
  const url = `http://127.0.0.1:${portal.port}${applyForLoan.path}`;
  const headers = { 'Content-Type': type };
  const response = await fetch(url, { method: 'POST', headers, body: Buffer.from(body, 'latin1') });
  const answer: { readonly error: string; readonly code: string } = JSON.parse(await response.text());
  return { status: response.status, ...answer };
}

describe('a malformed form', () => {
  const FORM_END = `\r\n--${BOUNDARY}--\r\n`;
  const field = (disposition: string, text: string) => formPart(disposition, text, 'text/plain');
  const manyParts = (count: number) =>
    Array.from({ length: count }, (_, n) => `${field(`name="f${n}"`, 'x')}\r\n`).join('');

  it('without a boundary is rejected', async () => {
    const answer = await sendRaw('x', 'multipart/form-data');
    expect(answer).toMatchObject({ status: 415, code: 'not-multipart' });
  });

  it.each([
    ['without a body', '', 'malformed-upload'],
    ['without its end', `${FILE_PART}%PDF-1.7`, 'malformed-upload'],
    ['with a thousand fields', `${manyParts(1_000)}${FORM_END}`, 'malformed-upload'],
    [
      'with a repeated field',
      `${field('name="name"', 'a')}\r\n${field('name="name"', 'b')}${FORM_END}`,
      'malformed-upload',
    ],
    ['with a repeated document', `${FILE_PART}a\r\n${FILE_PART}b${FORM_END}`, 'malformed-upload'],
    [
      'with a field that could pollute objects',
      `${field('name="__proto__"', '{"polluted":1}')}${FORM_END}`,
      'invalid-body',
    ],
    ['with a field without a name', `${field('x="y"', 'a')}${FORM_END}`, 'invalid-body'],
    [
      'with a field that is too long',
      `${field('name="name"', 'a'.repeat(70_000))}${FORM_END}`,
      'malformed-upload',
    ],
    [
      'with endless headers',
      `--${BOUNDARY}\r\n${'X-A: b\r\n'.repeat(5_000)}\r\n${FORM_END}`,
      expect.any(String),
    ],
  ])('%s is rejected', async (_case, body, code) => {
    const answer = await sendRaw(body);
    expect(answer).toMatchObject({ status: 400, code });
    expect(answer.error).not.toBe('');
    expect('polluted' in {}).toBe(false);
  });

  it('that is cut off stops counting as an upload in progress', async () => {
    for (let sent = 0; sent < 6; sent += 1) {
      const socket = connect({ host: '127.0.0.1', port: portal.port });
      socket.on('error', () => {});
      socket.write(
        `POST ${applyForLoan.path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=${BOUNDARY}\r\nContent-Length: 100000\r\n\r\n${FILE_PART}half`,
      );
      await new Promise<void>((resolve) => socket.once('ready', () => resolve()));
      socket.destroy();
    }
    // While the broken uploads still count, the response is an error about too many uploads.
    await expect
      .poll(async () => (await sendLoan(portal.port, { name: '' })).body.code, { timeout: 60_000 })
      .toBe('invalid-body');
  });
});

/** Starts one upload from each address. Each upload sends `megabytes` MB, then stalls until its socket is closed. */
async function startStalledUploads(addresses: readonly string[], megabytes = 19): Promise<readonly Socket[]> {
  const spooledBefore = await countSpooledFiles();
  const sockets = addresses.map((address) => {
    const socket = connect({ host: '127.0.0.1', port: portal.port });
    socket.on('error', () => {});
    socket.write(
      `POST ${applyForLoan.path} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${address}\r\nContent-Type: multipart/form-data; boundary=${BOUNDARY}\r\nContent-Length: 20000000\r\n\r\n${FILE_PART}`,
    );
    return socket;
  });
  const half = Buffer.alloc(megabytes * 500_000, 'a');
  const send = (socket: Socket, bytes: Buffer | string) =>
    new Promise<void>((resolve) => {
      socket.write(bytes, () => resolve());
    });
  await Promise.all(
    sockets.map(async (socket) => {
      await send(socket, half);
      await send(socket, `\r\n${formPart('name="utilityBill"; filename="b.pdf"')}`);
      await send(socket, half);
    }),
  );
  await vi.waitUntil(async () => (await countSpooledFiles()) >= spooledBefore + 2 * addresses.length, {
    timeout: 60_000,
  });
  return sockets;
}
setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');
function measureHeldBytes(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

const countSpooledFiles = async () => (await readdir(join(portal.folder, 'uploads'))).length;
const waitUntilEmpty = () => vi.waitUntil(async () => (await countSpooledFiles()) === 0, { timeout: 60_000 });
/** Sends a form without a name. The error shows whether the documents were read. */
const sendHonestForm = async (address: string) =>
  (await sendLoan(portal.port, { name: '' }, { 'X-Forwarded-For': address })).body.code;
const ADDRESSES = ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.1.1', '10.0.1.2', '10.0.1.3', '10.0.2.1'];

describe('uploads that stall', () => {
  it('leave room for others, and are not held in memory (ASVS 5.2.1)', async () => {
    const bytesBefore = measureHeldBytes();
    const sockets = await startStalledUploads(ADDRESSES, 10);
    const answer = await sendHonestForm('192.0.2.1');
    const memoryGrowth = measureHeldBytes() - bytesBefore;
    for (const socket of sockets) socket.destroy();
    await waitUntilEmpty();
    expect(answer).toBe('invalid-body');
    expect(memoryGrowth).toBeLessThan(35_000_000);
  });

  it('are stopped as too slow, and their files are removed', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const sockets = await startStalledUploads(['10.0.0.1', '10.0.1.1'], 1);
      const answers = sockets.map((socket) => text(socket).catch(() => ''));
      // On a busy machine, the bytes sent before the stall may be spread over several intervals, so the clock
      // is advanced until both sockets have an answer. Only then do the sockets end: before that, the answer
      // would be the error for an incomplete form.
      const isAnswered = () => sockets.every(({ bytesRead }) => bytesRead > 0);
      while ((await countSpooledFiles()) > 0 || !isAnswered()) await vi.advanceTimersByTimeAsync(15_000);
      for (const socket of sockets) socket.end();
      for (const answer of await Promise.all(answers)) {
        expect(answer).toMatch(/^HTTP\/1\.1 408 /);
        expect(answer).toContain('"code":"upload-too-slow"');
      }
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([
    ['/24 of IPv4', (n: number) => `10.0.0.${n}`, '10.0.1.1'],
    ['/48 of IPv6', (n: number) => `2001:db8:1:${n}00::1`, '2001:db8:2:100::1'],
  ])('are limited per %s, not per address', async (_network, addressAt, otherNetworkAddress) => {
    const sockets = await startStalledUploads([1, 2, 3].map(addressAt), 1);
    expect(await sendHonestForm(addressAt(4))).toBe('too-many-uploads');
    expect(await sendHonestForm(otherNetworkAddress)).toBe('invalid-body');
    for (const socket of sockets) socket.destroy();
    await waitUntilEmpty();
  });

  it('are encrypted on disk, and deleted at the next start after a crash', async () => {
    const folder = join(portal.folder, 'uploads');
    const [socket] = await startStalledUploads(['10.0.0.1'], 1);
    const [file = ''] = await readdir(folder);
    expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await readFile(join(folder, file))).includes('aaaaaaaa')).toBe(false);
    // The portal calls this at each start.
    await emptyUploadFolder(folder);
    expect(await countSpooledFiles()).toBe(0);
    socket?.destroy();
  });
});

describe('the upload spool', () => {
  it('limits the bytes of all uploads together', async () => {
    const spool = new UploadSpool({
      folder: portal.folder,
      maxBytes: 10,
      maxPerNetwork: 2,
      isDiskSpaceLow: () => false,
    });
    const [one, other] = [spool.start('a'), spool.start('b')];
    one.reserve(6);
    expect(() => other.reserve(5)).toThrow(new ApiError('uploads-full'));
    await one.release();
    other.reserve(10);
  });
});
