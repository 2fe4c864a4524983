import { pino } from 'pino';
import { expect, it } from 'vitest';
import { StoreUnavailableError } from '../data/store/store-errors.ts';
import { clientError } from './error-handler.ts';

const answerTo = (thrown: unknown) =>
  clientError(thrown, { method: 'POST', path: '/api/x' }, pino({ level: 'silent' }));

it.each([
  [null, 'store-unreachable'],
  [{ kind: 'full' }, 'store-full'],
  [{ kind: 'lost', loss: 'missing' }, 'store-lost'],
] as const)(
  'while the store cannot be used (%j), the response is 503, without the database server’s message',
  (problem, code) => {
    const { status, message, ...answer } = answerTo(
      new StoreUnavailableError('db.example.com is down', { problem }),
    );
    expect([status, answer.code]).toEqual([503, code]);
    expect(message).not.toContain('example.com');
  },
);
