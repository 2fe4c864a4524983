import { beforeEach, describe, expect, it } from 'vitest';
import {
  $network,
  $streamState,
  type NetworkHealth,
  recordHealth,
  recordUnreachable,
  setStreamState,
} from '../../data/connection.ts';
import { $now } from '../../data/ticking-clock.ts';
import { htmlOf, textOf } from '../testing/render.ts';
import { sampleHealth } from '../testing/samples.ts';
import { Indicators, StateLine, type StateLineProps } from './DashboardStatus.tsx';

beforeEach(() => {
  setStreamState('live');
  recordHealth(sampleHealth());
});

function lineText(props: Partial<StateLineProps> = {}, overrides: Partial<NetworkHealth> = {}): string {
  recordHealth({ ...sampleHealth(), ...overrides });
  const { stream = 'live' } = props;
  setStreamState(stream);
  return textOf(
    <StateLine stream={stream} slot={100} readAt={$now.get()} network={$network.get()} {...props} />,
  );
}

describe('the state line', () => {
  it('shows the slot from the stream, not the one in the health report', () => {
    expect(lineText({ slot: 4_321 }, { slot: 100 })).toMatch(/slot 4,321\b.*1 of 1/);
  });

  it('shows the age of the slot if no newer one arrives', () => {
    expect(lineText({ readAt: $now.get() - 40_000 })).toContain('slot 100, read 40 s ago');
  });

  it('shows no slot while the stream is down, and no endpoints while the portal cannot be reached', () => {
    const text = lineText({ stream: 'reconnecting' });
    expect(text).not.toContain('slot');
    expect(text).toContain('1 of 1');
    recordUnreachable();
    expect(lineText({ network: $network.get() })).not.toContain('1 of 1');
  });

  it('says that the embedded ledger is not Solana mainnet, even while the stream is down', () => {
    const demoHealth = { chain: 'embedded-ledger', cluster: null } as const;
    for (const stream of ['live', 'reconnecting'] as const) {
      expect(lineText({ stream }, demoHealth)).toContain('not Solana mainnet');
    }
    expect(lineText({})).not.toContain('not Solana mainnet');
  });
});

/** The HTML of the bottom line, and the status that it shows for the chain. */
function bottomLine() {
  const html = htmlOf(<Indicators stream={$streamState.get()} network={$network.get()} />);
  return { tone: [...html.matchAll(/data-tone="(\w+)"/g)][1]?.[1] ?? null, html };
}

describe('the bottom line of the dashboard', () => {
  it('shows whether data is live, and the status of the chain', () => {
    expect(bottomLine().html).toContain('data-delivery="live"');
    expect(bottomLine().tone).toBe('healthy');
    recordHealth({ ...sampleHealth(), status: 'offline' });
    expect(bottomLine().tone).toBe('offline');
  });

  it('never shows a healthy network beside a broken stream', () => {
    setStreamState('reconnecting');
    expect(bottomLine().html).toContain('data-delivery="reconnecting"');
    expect(bottomLine().tone).toBe('degraded');
    recordUnreachable();
    expect(bottomLine().tone).toBe('offline');
  });

  it('never calls the demo ledger Solana', () => {
    recordHealth({ ...sampleHealth(), chain: 'embedded-ledger', cluster: null });
    expect(bottomLine().html).toContain('Demo Ledger');
    recordUnreachable();
    expect(bottomLine().html).not.toContain('Solana');
  });
});
