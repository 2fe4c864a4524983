import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
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
