import { describe, expect, it } from 'vitest';
import { redactor } from './rpc-errors.ts';

const redact = redactor('https://user:hunter22@rpc.example.com/v2/secret-key-1?api-key=secret%2Bkey-2');

describe("a server's message", () => {
  it('is shown unchanged if it is harmless', () => {
    expect(redact('Node is behind by 42 slots')).toBe('Node is behind by 42 slots');
    expect(redactor('https://h/%E0%A4%A')('fine')).toBe('fine');
  });

  it.each(['hunter22', 'secret-key-1', 'secret+key-2', 'secret%2Bkey-2'])('never shows the key %s', (key) => {
    expect(redact(`over the limit of ${key}.`)).toBe('over the limit of ….');
  });

  it('never shows a URL, which may contain another key', () => {
    expect(redact('see https://other.example/?key=abc and wss://h/k')).toBe('see … and …');
  });

  it('cannot add lines or colors to a log', () => {
    expect(redact('a\n{"level":60}\r\u001b[31mred\u0000\u2028\u202eb')).toBe('a {"level":60} [31mred b');
  });

  it('is truncated to 200 characters, which leaves no part of a key', () => {
    const message = redact(`${'x'.repeat(195)}secret-key-1${'y'.repeat(1_000_000)}`);
    expect(message).toHaveLength(200);
    expect(message).not.toContain('sec');
  });
});
