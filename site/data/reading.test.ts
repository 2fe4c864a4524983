import { describe, expect, it } from 'vitest';
import { readingOf } from './reading.ts';

const outcome = { data: undefined, errorUpdateCount: 0, isFetching: false, refetch: () => undefined };

describe('what a screen has of a figure', () => {
  it('is loading until something is heard', () => {
    expect(readingOf(outcome).kind).toBe('loading');
  });

  it('is unknown where the server says that it does not know', () => {
    expect(readingOf({ ...outcome, data: null }).kind).toBe('unknown');
  });

  it('stays known when later reads fail', () => {
    expect(readingOf({ ...outcome, data: { v: 1 }, errorUpdateCount: 4 })).toEqual({
      kind: 'known',
      body: { v: 1 },
    });
  });

  it('stays failed while the next attempt runs, so that the screen does not flicker', () => {
    expect(readingOf({ ...outcome, errorUpdateCount: 1, isFetching: true })).toMatchObject({
      kind: 'failed',
      retrying: true,
    });
  });
});
