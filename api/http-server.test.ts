import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import express from 'express';
import { expect, it, onTestFinished, vi } from 'vitest';
import { applyForLoan, submitContactMessage } from '../data/contract/submissions.ts';
import { PORTAL_LIMITS } from '../data/model/portal-terms.ts';
import { createHttpServer } from './http-server.ts';
import { RequestCounts } from './operations/request-counts.ts';

it.each([
  { what: 'form', path: submitContactMessage.path, isEnded: true },
  { what: 'upload', path: applyForLoan.path, isEnded: false },
  { what: 'upload with a query', path: `${applyForLoan.path}?from=mail`, isEnded: false },
])('an incomplete $what is ended after 30 seconds: $isEnded', async ({ path, isEnded }) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const received = Promise.withResolvers<void>();
  const server = createHttpServer({
    app: express().use(() => received.resolve()),
    answers: new Map(),
    requests: new RequestCounts(),
    timeRequest: () => {},
    security: [],
    isTrusted: () => false,
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  onTestFinished(() => void server.close());
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
  });
  socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nincomplete`);
  await received.promise;
  await vi.advanceTimersByTimeAsync(30_000);
  if (isEnded) await once(socket, 'close');
  expect(answer.includes('"code":"request-timeout"')).toBe(isEnded);
  expect(server.requestTimeout).toBe(PORTAL_LIMITS.uploadMinutes * 60_000);
});
