import { describe, expect, it } from 'vitest';
import { textOf } from '../testing/render.ts';
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

type Row = Partial<Parameters<typeof FigureRow>[0]>;
const text = (props: Row) =>
  textOf(<FigureRow staking={staking} overview={unknown} stakers={none} vault={unknown} {...props} />);
const authenticated = (props: Row) => text(props).split('Authenticated Stakers')[1];

describe('the deployed total', () => {
  const overview = { totalDeployed: '15', reducedSupply: '5', stakingRatioPercent: '1' };
  const deployed = { kind: 'known', body: { totalStakers: 3, overview, ...read } } as const;

  it('shows the part in the vault if that is known', () => {
    const body = { vaultBalance: '9999999', balance: '9999999', solBalance: '0', vaultAddress: 'v', ...read };
    expect(text({ overview: deployed, vault: { kind: 'known', body } })).toContain(
      '10.00M vault + stake pool',
    );
    expect(text({ overview: deployed })).toContain('Vault + stake pool');
  });
});

describe('the number of authenticated stakers', () => {
  it('has the age of the stakes', () => {
    expect(authenticated({})).toMatch(/^ 0 .* Live/);
  });

  it('is a dash if the stakes or the list are unknown', () => {
    for (const props of [
      { staking: failed },
      { staking: unknown },
      { stakers: failed },
      { stakers: unknown },
    ]) {
      expect(authenticated(props)).toMatch(/^ — Not available /);
    }
  });
});
