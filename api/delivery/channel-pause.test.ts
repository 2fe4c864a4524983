import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChannelPause } from './channel-pause.ts';

const NOW = 1_000_000;

describe('the pause of a channel', () => {
  it('lets everything through before it, nothing in it, one message at its end, everything after', () => {
    const pause = new ChannelPause(() => 0);
    expect(pause.room(NOW, 4)).toBe(4);
    pause.pause('unreachable', NOW);
    expect(pause.reason).toBe('unreachable');
    expect(pause.room(pause.until - 1, 4)).toBe(0);
    expect(pause.room(pause.until, 4)).toBe(1);
    expect(pause.room(pause.until, 0)).toBe(0);
    pause.end();
    expect([pause.reason, pause.until, pause.room(NOW, 4)]).toEqual([null, 0, 4]);
  });

  it('grows from seconds to five minutes while nobody answers, and begins anew after it', () => {
    const pause = new ChannelPause(() => 0.5);
    let now = NOW;
    const rests: number[] = [];
    for (let failure = 0; failure < 10; failure += 1) {
      pause.pause('unreachable', now);
      rests.push(pause.until - now);
      now = pause.until;
    }
    expect(rests[0]).toBeLessThanOrEqual(5_000);
    expect(rests.toSorted((one, other) => one - other)).toEqual(rests);
    expect(rests.at(-1)).toBe(225_000);
    pause.end();
    pause.pause('unreachable', now);
    expect(pause.until - now).toBe(rests[0]);
  });

  it('counts what several messages meet at once as one failure', () => {
    const pause = new ChannelPause(() => 0);
    for (let count = 0; count < 4; count += 1) pause.pause('unreachable', NOW);
    expect(pause.until - NOW).toBe(2_500);
  });

  it('lasts as long as the peer asks for, and ten minutes where it refuses the portal', () => {
    const pause = new ChannelPause(() => 0);
    pause.pause('busy', NOW, 1_234);
    expect(pause.until).toBe(NOW + 1_234);
    pause.pause('refused', NOW);
    expect(pause.until).toBe(NOW + 600_000);
  });

  it('is never shorter than any fault in it asked for', () => {
    const wait = fc.integer({ min: 0, max: 1_000_000 });
    fc.assert(
      fc.property(fc.array(wait, { minLength: 1 }), (waits) => {
        const pause = new ChannelPause(() => 0);
        for (const one of waits) pause.pause('busy', NOW, one);
        expect(pause.until).toBe(NOW + Math.max(...waits));
      }),
    );
  });
});
