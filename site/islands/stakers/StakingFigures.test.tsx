import { renderToString } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { FigureRow } from './StakingFigures.tsx';

const read = { asOf: new Date().toISOString(), slot: 1, source: 'solana', state: 'live' } as const;
const uncounted = { walletsHolding: null, stakingParticipation: null, holdersCounted: null };
const staking = {
  kind: 'known',
  body: { totalStakers: 3, totalStaked: '5', ...uncounted, ...read },
} as const;
const none = { kind: 'known' as const, body: [] };
const unknown = { kind: 'unknown' } as const;
const failed = { kind: 'failed', retry: () => {}, retrying: false } as const;

const authenticated = (props: Partial<Parameters<typeof FigureRow>[0]>) =>
  renderToString(<FigureRow staking={staking} overview={unknown} stakers={none} {...props} />)
    .replaceAll('<!-- -->', '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .split('Authenticated Stakers')[1];

describe('the number of authenticated stakers', () => {
  it('is told with the age of the stakes that it is counted among', () => {
    expect(authenticated({})).toContain('0 Proved, or whitelisted Live');
  });

  it('is a dash, and neither zero nor for ever on its way, where either of the two is not known', () => {
    for (const props of [
      { staking: failed },
      { staking: unknown },
      { stakers: failed },
      { stakers: unknown },
    ]) {
      expect(authenticated(props)).toMatch(/^ — Not available (Could not be read · Retry|Not read yet)/);
    }
  });
});
