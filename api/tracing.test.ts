// @module-tag slow
import { AsyncResource } from 'node:async_hooks';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Logger, pino } from 'pino';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { parseEnvironment } from '../data/config/environment.ts';
import { submitContactMessage } from '../data/contract/submissions.ts';
import {
  type OtlpReceiver,
  type ReceivedSpan,
  startOtlpReceiver,
} from '../data/runtime/testing/otlp-receiver.ts';
import { runTraced, startTracing } from '../data/runtime/tracing.ts';
import { CONTACT_BODY } from './applications/testing/sample-forms.ts';
import { createAskModel } from './chat/model-answer.ts';
import { startDeliveryWorker } from './delivery/delivery-worker.ts';
import { fakeSender } from './delivery/testing/fake-sender.ts';
import { TEST_START } from './testing/fake-index.ts';
import { ask, sendForm } from './testing/portal-client.ts';
import { startTestPortal } from './testing/test-portal.ts';

const LOG: Logger = pino({ enabled: false });
const CALLER = { trace: 'a'.repeat(32), span: 'b'.repeat(16) };
const traceparent = `00-${CALLER.trace}-${CALLER.span}-01`;

function configOf(env: Record<string, string>) {
  const outcome = parseEnvironment(env);
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.problems));
  return outcome.config.tracing;
}

describe('traces', () => {
  let receiver: OtlpReceiver;
  beforeEach(async () => {
    receiver = await startOtlpReceiver();
  });

  /** Starts tracing. The test must call the returned function, which sends all spans and waits until they arrive. */
  async function start(env: Record<string, string> = {}, log = LOG) {
    const config = configOf({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, ...env });
    const stop = await startTracing(config, { service: 'blackduck-api', version: '1', log });
    onTestFinished(stop);
    onTestFinished(() => receiver.close());
    return async () => {
      runTraced({ name: 'last', isRoot: true }, () => {});
      await stop();
      // On a busy machine, `stop` does not wait for all spans.
      await expect.poll(() => receiver.spans).toContainEqual(expect.objectContaining({ name: 'last' }));
    };
  }
  const spanNamed = (name: string): ReceivedSpan =>
    receiver.spans.find((span) => span.name === name) ??
    expect.fail(`No span ${name}: ${receiver.spans.map((span) => span.name)}`);

  it('contain a request with its store calls, and nothing personal', async () => {
    const stop = await start();
    const portal = await startTestPortal({ trustedProxies: [] });
    onTestFinished(() => portal.close());
    const { status } = await sendForm(portal.port, submitContactMessage.path, CONTACT_BODY);
    expect(status).toBe(200);
    await ask(portal.port, '/no-such-page/4Nd1mYkR?wallet=4Nd1mYkR&email=ada@example.com', {
      headers: { traceparent },
    });
    await stop();
    const requestSpan = spanNamed(`POST ${submitContactMessage.path}`);
    expect(requestSpan.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': submitContactMessage.path,
      'http.response.status_code': 200,
    });
    expect([requestSpan.service, requestSpan.parentId, requestSpan.hasFailed]).toEqual([
      'blackduck-api',
      '',
      false,
    ]);
    const storeSpan = spanNamed('app.submissions.submit');
    expect([storeSpan.traceId, storeSpan.parentId]).toEqual([requestSpan.traceId, requestSpan.spanId]);
    expect(storeSpan.attributes).toEqual({ 'db.system.name': 'sqlite' });
    // The proxy is not trusted, so the caller's trace is not continued.
    const pageSpan = spanNamed('GET page');
    expect(pageSpan.traceId).not.toBe(CALLER.trace);
    expect(pageSpan.attributes).toMatchObject({ 'http.response.status_code': 404 });
    const sentText = Buffer.concat(receiver.bodies).toString('latin1');
    const { name, email, message, walletAddress } = CONTACT_BODY;
    for (const personal of [name, email, message, walletAddress, '4Nd1mYkR', '127.0.0.1', 'BD-2'])
      expect(sentText).not.toContain(personal);
  });

  it('continue the trace of a trusted proxy, and follow its sampling', async () => {
    const stop = await start();
    const portal = await startTestPortal({ trustedProxies: ['127.0.0.1', '::1', '::ffff:127.0.0.1'] });
    onTestFinished(() => portal.close());
    await ask(portal.port, '/one', { headers: { traceparent } });
    await ask(portal.port, '/healthz', { headers: { traceparent: traceparent.replace(/01$/, '00') } });
    await stop();
    const pageSpan = spanNamed('GET page');
    expect([pageSpan.traceId, pageSpan.parentId]).toEqual([CALLER.trace, CALLER.span]);
    expect(receiver.spans.map(({ name }) => name)).not.toContain('GET operations');
  });

  it('contain deliveries with their outcome, and no recipient', async () => {
    const stop = await start();
    const portal = await startTestPortal();
    onTestFinished(() => portal.close());
    await sendForm(portal.port, submitContactMessage.path, CONTACT_BODY);
    const [mail, telegram] = [fakeSender(), fakeSender()];
    mail.setNextOutcomes({ kind: 'dead', code: '550', error: 'no such box' });
    const options = { store: portal.store.deliveries, log: LOG, now: () => TEST_START };
    const worker = await startDeliveryWorker({ ...options, senders: { mail, telegram, push: fakeSender() } });
    await Promise.all([mail.waitForAttempts(2), telegram.waitForAttempts(1)]);
    await worker.stop();
    await stop();
    const deliverySpans = receiver.spans.filter(({ name }) => name.startsWith('deliver '));
    const event = 'contact-message.received';
    expect(deliverySpans.map(({ name, attributes, hasFailed }) => [name, attributes, hasFailed])).toEqual(
      expect.arrayContaining([
        ['deliver mail', { event, outcome: 'dead', 'error.type': '550' }, true],
        ['deliver mail', { event, outcome: 'sent' }, false],
        ['deliver telegram', { event, outcome: 'sent' }, false],
      ]),
    );
  });

  it('contain calls to the chat model with their outcome, but are not propagated to it', async () => {
    const stop = await start();
    const traceparents: unknown[] = [];
    const model = createServer((request, response) => {
      traceparents.push(request.headers.traceparent);
      response.writeHead(500).end();
    });
    await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void model.close());
    const { port } = model.address() as AddressInfo;
    const askModel = createAskModel(
      { url: `http://localhost:${port}/v1`, key: 'a-secret-key', name: 'small' },
      { rateLimits: { 'model-answers': 9, 'model-answers-open': 9 }, onUnused: () => {}, now: Date.now },
    );
    const bookAnswer = { response: 'An answer.', passages: [] } as never;
    expect(await askModel('Is Ada rich?', bookAnswer)).toBeNull();
    await stop();
    expect(spanNamed('chat model').attributes).toEqual({
      'server.address': 'localhost',
      'gen_ai.request.model': 'small',
      outcome: 'unused',
    });
    expect(traceparents).toEqual([undefined]);
    expect(Buffer.concat(receiver.bodies).toString('latin1')).not.toMatch(/Ada|secret/);
  });

  it('leave out nested work that starts after its parent has ended, but keep work that can begin a trace', async () => {
    const stop = await start();
    const pendingCalls: (() => void)[] = [];
    await runTraced({ name: 'request' }, async () => {
      runTraced({ name: 'during', isNested: true }, () => {});
      for (const spec of [
        { name: 'later', isNested: true },
        { name: 'other' },
        { name: 'root', isRoot: true },
      ])
        pendingCalls.push(AsyncResource.bind(() => runTraced(spec, () => {})));
      runTraced({ name: 'woken', isRoot: true }, () => {});
    });
    for (const run of pendingCalls) run();
    await stop();
    const requestSpan = spanNamed('request');
    expect(spanNamed('during').parentId).toBe(requestSpan.spanId);
    expect(receiver.spans.map(({ name }) => name)).not.toContain('later');
    for (const name of ['other', 'root', 'woken']) expect(spanNamed(name).parentId).toBe('');
  });

  it('name the kind of an error, but not its message', async () => {
    const stop = await start();
    const fail = () => runTraced({ name: 'work' }, async () => Promise.reject(new RangeError('of Ada')));
    await expect(fail()).rejects.toThrow(RangeError);
    expect(() => runTraced({ name: 'sync' }, () => expect.fail('of Ada'))).toThrow();
    await stop();
    expect(spanNamed('work')).toMatchObject({ hasFailed: true, attributes: { 'error.type': 'RangeError' } });
    expect(spanNamed('sync').hasFailed).toBe(true);
    expect(Buffer.concat(receiver.bodies).toString()).not.toContain('of Ada');
  });

  it('obey the standard variables: headers, name, resource and sampler', async () => {
    const stop = await start({
      OTEL_EXPORTER_OTLP_HEADERS: 'X-General=1',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'Authorization=Bearer%20key',
      OTEL_SERVICE_NAME: 'portal',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '1',
    });
    runTraced({ name: 'work' }, () => {});
    await stop();
    expect(receiver.headers[0]).toMatchObject({ authorization: 'Bearer key' });
    expect(receiver.headers[0]).not.toHaveProperty('x-general');
    expect(spanNamed('work').service).toBe('portal');
    expect(Buffer.concat(receiver.bodies).toString()).toContain('deployment.environment.name');
  });

  it('are dropped with one warning while the receiver is down, and do not delay a shutdown', async () => {
    const lines: string[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(line) });
    await receiver.close();
    const config = configOf({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/v1/traces?key=secret` });
    const stop = await startTracing(config, { service: 'blackduck-api', version: '1', log });
    for (let count = 0; count < 5_000; count += 1) runTraced({ name: 'work' }, () => {});
    const startedAt = performance.now();
    await stop();
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(lines.length).toBeLessThanOrEqual(1);
    expect(lines.join('')).not.toContain('secret');
  });
});

describe('the settings of traces', () => {
  it('trace nothing by default, without an exporter, or if the SDK is disabled', () => {
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
    expect(configOf({})).toBeNull();
    expect(configOf({ OTEL_SERVICE_NAME: 'portal' })).toBeNull();
    expect(configOf({ ...endpoint, OTEL_TRACES_EXPORTER: 'none' })).toBeNull();
    expect(configOf({ ...endpoint, OTEL_SDK_DISABLED: 'TRUE' })).toBeNull();
  });

  it('append the path of traces to the general endpoint, but leave the endpoint of traces unchanged', () => {
    const urlOf = (env: Record<string, string>) => configOf(env)?.url;
    expect(urlOf({ OTEL_TRACES_EXPORTER: 'otlp' })).toBe('http://localhost:4318/v1/traces');
    expect(urlOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318/x/' })).toBe('http://c:4318/x/v1/traces');
    expect(urlOf({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c:1/t' })).toBe('http://c:1/t');
  });

  it.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'no-value-sign'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'key=%zz'],
    ['OTEL_TRACES_EXPORTER', 'zipkin'],
    ['OTEL_TRACES_SAMPLER', 'sometimes'],
    ['OTEL_TRACES_SAMPLER_ARG', '2'],
  ])('refuse %s=%s', (variable, value) => {
    expect(parseEnvironment({ [variable]: value })).toMatchObject({ ok: false, problems: [{ variable }] });
  });
});
