import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import fc from 'fast-check';
import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { rateLimits } from '../../data/config/rate-limits.ts';
import { ApiError } from '../errors.ts';
import { noFigureInputs } from '../metrics/figure.ts';
import { LiveSnapshot } from '../metrics/live-snapshot.ts';
import { ChangeLog, StreamHub } from './stream-hub.ts';

const CONTEXT = { now: () => 0, monotonicNow: () => 0, rateLimits: rateLimits() };

function newHub(): StreamHub {
  const log = pino({ level: 'silent' });
  const snapshot = new LiveSnapshot({ figures: [], security: { anyone: [], site: null }, log });
  return new StreamHub(snapshot, CONTEXT);
}

const newResponse = () => new ServerResponse(new IncomingMessage(new Socket()));

describe('the stream hub', () => {
  it('does not count a client that left before its stream opened', () => {
    const hub = newHub();
    const response = newResponse();
    response.destroy();
    hub.open(response, '203.0.113.1', undefined);
    expect(hub.size).toBe(0);
  });

  it('sends a reconnecting client the figures that have changed', () => {
    const log = pino({ level: 'silent' });
    let value = 1;
    const call = { method: 'GET', path: '/api/x', summary: '', response: z.any(), live: true } as const;
    const read = () => ({ json: String(value), fingerprint: String(value) });
    const figures = [{ call, read, absentError: new ApiError('not-indexed-yet') }];
    const snapshot = new LiveSnapshot({ figures, security: { anyone: [], site: null }, log });
    const inputs = noFigureInputs('solana', new Set());
    snapshot.rebuild(inputs, 0);
    const hub = new StreamHub(snapshot, CONTEXT);
    const sentTo = (knownVersion: string | undefined): string => {
      const response = newResponse();
      const writeSpy = vi.spyOn(response, 'write');
      hub.open(response, '203.0.113.1', knownVersion);
      return writeSpy.mock.calls.map(([bytes]) => String(bytes)).join('');
    };
    const [, earlierVersion] = /^id: (.*)$/m.exec(sentTo(undefined)) ?? [];
    expect(
      [sentTo(earlierVersion), sentTo(earlierVersion)].map((text) => text.includes('"bodies":{}')),
    ).toEqual([true, true]);
    expect(sentTo(undefined)).toContain('"bodies":{"/api/x":1}');
    value = 2;
    const change = snapshot.rebuild(inputs, 1);
    if (change) hub.publish(change);
    for (const version of [earlierVersion, earlierVersion, undefined]) {
      expect(sentTo(version)).toContain('"bodies":{"/api/x":2}');
    }
  });

  it('ends each stream once', () => {
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

describe('the change log', () => {
  it('returns every change since a version, or null if it no longer has all of them', () => {
    const changes = fc.array(fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd')), { maxLength: 30 });
    fc.assert(
      fc.property(
        changes,
        fc.integer({ min: 1, max: 10 }),
        fc.nat(40),
        (changedPaths, capacity, fromVersion) => {
          const log = new ChangeLog(0, capacity);
          for (const [index, paths] of changedPaths.entries()) log.record(index + 1, paths);
          const missedPaths = log.since(fromVersion);
          const isKnown = fromVersion <= changedPaths.length && fromVersion >= changedPaths.length - capacity;
          expect(missedPaths === null).toBe(!isKnown);
          if (missedPaths !== null)
            expect(missedPaths).toEqual(new Set(changedPaths.slice(fromVersion).flat()));
        },
      ),
    );
  });
});
