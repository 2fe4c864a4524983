// @module-tag debian
// @module-tag slow
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD } from '../api/admin/testing/team.ts';
import { samplePdf } from '../api/documents/testing/sample-documents.ts';
import { LOAN_FIELDS } from '../api/loan/testing/send-loan.ts';
import { ask, askRaw } from '../api/testing/portal-client.ts';
import { adminSetup, adminSetupState } from '../data/contract/admin-session.ts';
import * as PATHS from '../data/contract/paths.ts';
import { applyForLoan, submitContactMessage } from '../data/contract/submissions.ts';
import { MAX_DOCUMENT_BYTES } from '../data/model/forms/loan-form.ts';
import { freePort } from '../data/runtime/testing/free-port.ts';
import { spawnApi } from '../indexer/testing/processes.ts';
import { openHttps, requestHttps, sendRawHttps } from './testing/https-client.ts';
import { HOST, type StartedProxy, startBareNginx, startCaddy, startNginx } from './testing/proxies.ts';

const CALLS_PER_MINUTE = 20;
/** `npm run test:attack` sets this to 2,000. */
const STREAM_COUNT = Number(process.env.PROXY_STREAMS ?? 100);
/** How many streams each network opens: the most that the portal allows. */
const STREAMS_PER_NETWORK = 50;
const TOKEN = 'a-token-of-at-least-32-characters';
const UNKNOWN_CALL = '/api/nope';
/** A contact message that the API rejects with 400. */
const EMPTY_MESSAGE = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' };
const OWNER = { username: 'Eve', password: PASSWORD };

const folders: string[] = [];

async function newFolder(): Promise<string> {
  // A short name, because the path of a Unix socket in this folder must not be too long.
  const folder = await mkdtemp(join(tmpdir(), 'proxy-'));
  folders.push(folder);
  return folder;
}

/** Starts the API for use behind a proxy, as the setups in `deploy/` do. */
async function startPublicApi(port = 0) {
  const { ready, child, ended } = spawnApi({
    PORT: String(port),
    DATA_DIR: await newFolder(),
    PUBLIC_ORIGIN: `https://${HOST}`,
    TRUSTED_PROXIES: '127.0.0.1',
    METRICS_TOKEN: TOKEN,
    RATE_LIMITS: `calls=${CALLS_PER_MINUTE}`,
  });
  const { details } = await ready;
  const end = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  return { port: Number(details.port), end };
}

/** All proxies share this API and its rate limits, so the visitors of each proxy have addresses of their own. */
let api: Awaited<ReturnType<typeof startPublicApi>>;
beforeAll(async () => {
  api = await startPublicApi();
});
afterAll(async () => {
  await api.end();
  for (const folder of folders) await rm(folder, { recursive: true });
});

/** `visitors`: the prefix of the IP addresses of the proxy's visitors. */
const PROXIES = [
  { name: 'Caddy', startProxy: startCaddy, visitors: '127.10' },
  { name: 'nginx', startProxy: startNginx, visitors: '127.20' },
];

function rawRequest(method: string, path: string, body = '', headers: readonly string[] = []): string {
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  const lines = [`${method} ${path} HTTP/1.0`, 'Content-Type: application/json', length, ...headers];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

const statusOf = (answer: string) => Number(answer.split(' ')[1]);

/**
 * A PDF of the maximum size, or `extraBytes` larger. The overhead includes offsets, which have more digits in a longer PDF, so
 * it is measured on a PDF of almost that size.
 */
function largePdf(extraBytes = 0): File {
  const bytes = MAX_DOCUMENT_BYTES + extraBytes;
  const paddedPdf = (padding: number) => samplePdf({ inside: `%${'x'.repeat(padding)}\n` });
  const overheadBytes = paddedPdf(bytes - 1_000).byteLength - (bytes - 1_000);
  return new File([new Uint8Array(paddedPdf(bytes - overheadBytes))], 'copy.pdf');
}

/** Gives each visitor a different network, because nginx sends all visitors from one network (/24) to the same replica. */
const visitorAddress = (visitors: string, number: number) => `${visitors}.${200 + number}.1`;

/** Starts a replica with a page that loads a script, which only replicas of the same version have. */
async function startReplicaWith(script: string) {
  const server = createServer(({ url }, response) => {
    response.writeHead(['/', '/healthz', script].includes(url ?? '') ? 200 : 404).end(script);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, end: () => void server.close() };
}

/** A loan application with two documents: `document`, and one of the maximum size. */
async function loanUpload(applicant: string, document: File) {
  const form = new FormData();
  for (const [name, value] of Object.entries({ ...LOAN_FIELDS, email: `applicant@${applicant}.example` }))
    form.append(name, value);
  form.append('passportCopy', document);
  form.append('utilityBill', largePdf());
  const encoded = new Response(form);
  const headers = { 'Content-Type': encoded.headers.get('content-type') ?? '' };
  return { method: 'POST', headers, body: Buffer.from(await encoded.arrayBuffer()) };
}

describe.each(PROXIES)('$name with the shipped configuration', ({ name, startProxy, visitors }) => {
  let proxy: StartedProxy;

  beforeAll(async () => {
    proxy = await startProxy({ folder: await newFolder(), apiPorts: [api.port] });
  });
  afterAll(() => proxy.end());

  it('gives each visitor a rate limit, which a forged address does not reset', async () => {
    const from = `${visitors}.1.1`;
    const call = async (number: number) => {
      const headers = {
        'X-Forwarded-For': `203.0.113.${number}`,
        'X-Real-IP': `203.0.113.${number}`,
        Forwarded: `for=203.0.113.${number}`,
      };
      return (await requestHttps(proxy, UNKNOWN_CALL, { from, headers })).status;
    };
    for (let number = 1; number <= CALLS_PER_MINUTE; number += 1) expect(await call(number)).toBe(404);
    expect(await call(200)).toBe(429);
    expect((await requestHttps(proxy, UNKNOWN_CALL, { from: `${visitors}.1.2` })).status).toBe(404);
  });

  it('gives an HTTP/1.0 request without forwarding headers no rights, and counts it against its visitor’s rate limit', async () => {
    const from = `${visitors}.2.1`;
    for (const headers of [[], [`Host: ${HOST}`], ['Host: localhost'], [`Host: 127.0.0.1:${api.port}`]]) {
      for (const path of ['/metrics', '/readyz', '//metrics', '/METRICS', `https://${HOST}/metrics`]) {
        const answer = await sendRawHttps(proxy, rawRequest('GET', path, '', headers), from);
        expect([404, 421], path).toContain(statusOf(answer));
        expect(answer).not.toContain('portal_');
      }
      const setup = rawRequest('POST', adminSetup.path, JSON.stringify(OWNER), headers);
      expect([403, 421]).toContain(statusOf(await sendRawHttps(proxy, setup, from)));
    }
    const hostHeaders = [`Host: ${HOST}`];
    const state = await sendRawHttps(proxy, rawRequest('GET', adminSetupState.path, '', hostHeaders), from);
    expect(state).toContain('"isOpen":true,"needsLink":true');
    for (let number = 0; number < CALLS_PER_MINUTE; number += 1)
      await sendRawHttps(proxy, rawRequest('GET', UNKNOWN_CALL, '', hostHeaders), from);
    expect((await requestHttps(proxy, UNKNOWN_CALL, { from })).status).toBe(429);
  });

  it.each(['/metrics', '/metrics/', '/Metrics', '//metrics', '/%6detrics', '/x/../metrics', '/metrics?x=1'])(
    'hides the metrics at %s, and the readiness at a path of the same form',
    async (path) => {
      const headers = { Authorization: `Bearer ${TOKEN}` };
      for (const closed of [path, path.replace(/metrics/i, 'readyz').replace('%6detrics', '%72eadyz')]) {
        const { status, body } = await requestHttps(proxy, closed, { headers });
        expect([status, /portal_|ready/.test(body)], closed).toEqual([404, false]);
      }
    },
  );

  it('lets operators read the metrics and the readiness on the API’s own port', async () => {
    const headers = { Authorization: `Bearer ${TOKEN}` };
    expect((await ask(api.port, '/metrics', { headers })).body).toContain('portal_');
    expect((await ask(api.port, '/readyz')).body).toContain('"ready"');
  });

  it('sends the events of a stream without delay', async () => {
    const { status, headers, body, close } = await openHttps(proxy, PATHS.live, { from: `${visitors}.3.1` });
    expect([status, headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
    let received = '';
    // The stream stays open, so if the proxy buffered it, nothing would arrive here.
    for await (const chunk of body) {
      received += chunk;
      if (received.includes('event: change')) break;
    }
    close();
    expect(received).toContain('event: fresh');
  });

  it('accepts documents of the maximum size', async () => {
    const upload = await loanUpload(name, largePdf());
    const { status, body } = await requestHttps(proxy, applyForLoan.path, {
      ...upload,
      from: `${visitors}.4.1`,
    });
    expect([status, JSON.parse(body).success]).toEqual([200, true]);
  });

  it('passes on the JSON error for a larger document, sent with its length or in chunks', async () => {
    const upload = await loanUpload(name, largePdf(1));
    for (const body of [upload.body, Readable.from([upload.body])]) {
      const sent = { ...upload, body, from: `${visitors}.4.2` };
      const answer = await requestHttps(proxy, applyForLoan.path, sent);
      expect([answer.status, JSON.parse(answer.body).code]).toEqual([413, 'upload-too-large']);
    }
  });

  it('passes on the error for a body that is too large before all of it is sent', async () => {
    const headers = { 'Content-Type': 'application/json' };
    const endless = (async function* () {
      for (let sent = 0; sent < 4; sent += 1) yield Buffer.alloc(32_768, 'x');
      await new Promise(() => {});
    })();
    const body = Readable.from(endless);
    const answer = await openHttps(proxy, submitContactMessage.path, {
      method: 'POST',
      headers,
      body,
      from: `${visitors}.4.3`,
    });
    expect(answer.status).toBe(413);
    answer.close();
    body.destroy();
  });

  it('still reaches the API after a visitor sends a malformed body, and does not log the visitor’s address', async () => {
    const headers = [`Host: ${HOST}`, 'Content-Type: application/json', 'Transfer-Encoding: chunked'];
    const line = `POST ${submitContactMessage.path} HTTP/1.1`;
    const request = [line, ...headers, 'Connection: close', '', 'ZZZ', ''].join('\r\n');
    await sendRawHttps(proxy, request, `${visitors}.4.4`);
    const next = { ...EMPTY_MESSAGE, from: `${visitors}.4.5` };
    expect((await requestHttps(proxy, submitContactMessage.path, next)).status).toBe(400);
    expect(proxy.log()).not.toContain(`${visitors}.4.4`);
  });

  it('sends HSTS exactly once, in responses from the portal and from the proxy itself', async () => {
    for (const path of ['/healthz', UNKNOWN_CALL, '/metrics']) {
      const { headers } = await requestHttps(proxy, path, { from: `${visitors}.5.1` });
      // If a header is sent twice, Node joins its values with a comma.
      expect(headers['strict-transport-security'], path).toMatch(/^max-age=31536000$/);
    }
  });

  it('redirects http to https, and answers for no other host', async () => {
    const { status, headers } = await ask(proxy.httpPort, '/faq?q=1', { headers: { Host: HOST } });
    expect([status, headers.location]).toEqual([308, `https://${HOST}/faq?q=1`]);
    const other = { headers: { Host: 'localhost' } };
    expect((await ask(proxy.httpPort, '/healthz', other)).status).toBe(421);
    expect((await requestHttps(proxy, '/healthz', other)).status).toBe(421);
  });

  it(`holds ${STREAM_COUNT} open streams`, async () => {
    const streams: Awaited<ReturnType<typeof openHttps>>[] = [];
    for (let network = 0; streams.length < STREAM_COUNT; network += 1) {
      const addresses = Array.from(
        { length: STREAMS_PER_NETWORK },
        (_, index) => `${visitors}.${100 + network}.${index + 1}`,
      );
      streams.push(...(await Promise.all(addresses.map((from) => openHttps(proxy, PATHS.live, { from })))));
    }
    expect(streams.filter(({ status }) => status === 200)).toHaveLength(STREAM_COUNT);
    const headers = { Authorization: `Bearer ${TOKEN}` };
    const openStreamCount = async () =>
      /^portal_event_streams (\d+)$/m.exec((await ask(api.port, '/metrics', { headers })).body)?.[1];
    expect(await openStreamCount()).toBe(String(STREAM_COUNT));
    expect((await requestHttps(proxy, '/healthz')).status).toBe(200);
    for (const { close } of streams) close();
    await expect.poll(openStreamCount).toBe('0');
  });
});

describe('proxies in front of two replicas', () => {
  it('answer every visitor while one replica restarts', async () => {
    const replica = await startPublicApi(await freePort());
    const proxies = await Promise.all(
      PROXIES.map(async ({ name, startProxy, visitors }) => {
        const proxy = await startProxy({ folder: await newFolder(), apiPorts: [replica.port, api.port] });
        return { name, visitors, proxy };
      }),
    );
    let isOver = false;
    let visitCount = 0;
    const answers = new Set<string>();
    const visits = Promise.all(
      [...proxies, ...proxies].map(async ({ name, visitors, proxy }) => {
        while (!isOver) {
          visitCount += 1;
          const from = visitorAddress(visitors, visitCount % 20);
          answers.add(`${name} ${(await requestHttps(proxy, '/healthz', { from })).status}`);
          await pause(20);
        }
      }),
    );
    await replica.end();
    // Only nginx, not Caddy, retries a request with a body on another replica.
    for (const { visitors, proxy } of proxies.filter(({ name }) => name === 'nginx')) {
      for (let number = 1; number <= 6; number += 1) {
        const form = { ...EMPTY_MESSAGE, from: visitorAddress(visitors, number) };
        expect((await requestHttps(proxy, submitContactMessage.path, form)).status).toBe(400);
      }
    }
    const restarted = await startPublicApi(replica.port);
    isOver = true;
    await visits;
    await Promise.all([restarted, ...proxies.map(({ proxy }) => proxy)].map(({ end }) => end()));
    expect([...answers].toSorted()).toEqual(['Caddy 200', 'nginx 200']);
  });

  it.each(PROXIES)(
    'give every visitor of $name a page and its script from one version while the replicas run different versions',
    async ({ startProxy, visitors }) => {
      const replicas = await Promise.all(['/_astro/old.js', '/_astro/new.js'].map(startReplicaWith));
      const proxy = await startProxy({
        folder: await newFolder(),
        apiPorts: replicas.map(({ port }) => port),
      });
      const scripts = new Set<string>();
      for (let number = 0; number < 20; number += 1) {
        const from = visitorAddress(visitors, number);
        const { body: script } = await requestHttps(proxy, '/', { from });
        expect((await requestHttps(proxy, script, { from })).status).toBe(200);
        scripts.add(script);
      }
      await proxy.end();
      for (const { end } of replicas) end();
      expect(scripts.size).toBe(2);
    },
  );
});

describe('Caddy without an address', () => {
  it('listens on every address', async () => {
    const proxy = await startCaddy({ folder: await newFolder(), apiPorts: [1], listensEverywhere: true });
    try {
      expect((await requestHttps(proxy, '/metrics')).status).toBe(404);
    } finally {
      await proxy.end();
    }
  });
});

describe('nginx with proxy_pass and no other setting', () => {
  it('gives its visitors no rights, because the portal has a public origin', async () => {
    const nginx = await startBareNginx(await newFolder(), api.port);
    try {
      expect(statusOf(await askRaw(nginx.port, rawRequest('GET', '/metrics')))).toBe(401);
      const setup = rawRequest('POST', adminSetup.path, JSON.stringify(OWNER));
      expect(statusOf(await askRaw(nginx.port, setup))).toBe(403);
    } finally {
      await nginx.end();
    }
  });
});
