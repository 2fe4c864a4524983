import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { NotIndexedYetError } from '../errors.ts';
import { noFacts } from '../metrics/facts.ts';
import { LiveSnapshot } from '../metrics/live-snapshot.ts';
import { DEFAULT_STREAM_LIMITS, StreamHub } from './stream-hub.ts';

function newHub(): StreamHub {
  const log = pino({ level: 'silent' });
  const snapshot = new LiveSnapshot({ figures: [], security: [], log, startedAt: 0 });
  return new StreamHub(snapshot, DEFAULT_STREAM_LIMITS, { wall: () => 0, steady: () => 0 });
}

const newResponse = () => new ServerResponse(new IncomingMessage(new Socket()));

describe('the streams', () => {
  it('hold no place for a client that left before its stream opened', () => {
    const hub = newHub();
    const response = newResponse();
    response.destroy();
    hub.open(response, '203.0.113.1', undefined);
    expect(hub.size).toBe(0);
  });

  it('catch clients up that come back together, each with what stands when it comes', () => {
    const log = pino({ level: 'silent' });
    let value = 1;
    const call = {
      method: 'GET',
      path: '/api/x',
      summary: '',
      response: z.any(),
      errors: {},
      live: true,
    } as const;
    const read = () => ({ json: String(value), news: String(value) });
    const figures = [{ call, read, absent: new NotIndexedYetError() }];
    const snapshot = new LiveSnapshot({ figures, security: [], log, startedAt: 0 });
    const facts = noFacts('solana', new Set());
    snapshot.rebuild(facts, 0);
    const hub = new StreamHub(snapshot, DEFAULT_STREAM_LIMITS, { wall: () => 0, steady: () => 0 });
    const toldTo = (held: string | undefined): string => {
      const response = newResponse();
      const written = vi.spyOn(response, 'write');
      hub.open(response, '203.0.113.1', held);
      return written.mock.calls.map(([bytes]) => String(bytes)).join('');
    };
    const held = String(snapshot.version);
    expect([toldTo(held), toldTo(held)].map((text) => text.includes('"bodies":{}'))).toEqual([true, true]);
    expect(toldTo(undefined)).toContain('"bodies":{"/api/x":1}');
    value = 2;
    const change = snapshot.rebuild(facts, 1);
    if (change) hub.publish(change);
    for (const version of [held, held, undefined]) {
      expect(toldTo(version)).toContain('"bodies":{"/api/x":2}');
    }
  });

  it('hold none once all were ended, and end each only once', () => {
    const hub = newHub();
    const response = newResponse();
    hub.open(response, '203.0.113.1', undefined);
    expect(hub.size).toBe(1);
    hub.close();
    hub.close();
    expect([hub.size, response.writableEnded]).toEqual([0, true]);
    response.emit('close');
    expect(hub.size).toBe(0);
  });
});
