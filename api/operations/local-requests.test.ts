import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { isLocalRequest } from './local-requests.ts';

function requestFrom(remoteAddress: string | undefined, host = 'localhost:4000'): IncomingMessage {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: remoteAddress });
  const request = new IncomingMessage(socket);
  request.headers.host = host;
  request.httpVersion = '1.1';
  return request;
}

describe('a caller', () => {
  it.each([
    ['127.0.0.1', true],
    ['127.8.0.1', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['192.168.1.4', false],
    ['::ffff:10.0.0.1', false],
    ['2001:db8::1', false],
    [undefined, false],
  ])('is recognized as local or not by its address: %s → %s', (address, isOwn) => {
    expect(isLocalRequest(requestFrom(address), null)).toBe(isOwn);
  });

  it.each([
    ['localhost', true],
    ['127.0.0.1:4000', true],
    ['[::1]:4000', true],
    ['portal.example.com', false],
    ['localhost.example.com', false],
    ['', false],
  ])('is recognized as local or not by its Host header: %s → %s', (host, isOwn) => {
    expect(isLocalRequest(requestFrom('127.0.0.1', host), null)).toBe(isOwn);
  });
});
